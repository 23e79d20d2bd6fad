//! Columns of a batch by their paths.

use std::collections::HashMap;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::Fields;
use tfxio_core::ColumnPath;

/// Columns of a batch by name, and the fields of the structs that were asked for. The batch is visited once, however
/// many columns are looked up.
pub(crate) struct ByName<'a> {
    columns: HashMap<&'a str, &'a ArrayRef>,
    structs: HashMap<*const StructArray, HashMap<&'a str, &'a ArrayRef>>,
}

impl<'a> ByName<'a> {
    pub(crate) fn new(batch: &'a RecordBatch) -> Self {
        let columns = by_name(batch.schema_ref().fields(), batch.columns());
        Self { columns, structs: HashMap::new() }
    }

    /// Returns the column that a path begins with, and the fields of structs that its other steps lead to, each of the one before.
    pub(crate) fn steps(&mut self, path: &ColumnPath) -> Option<Vec<&'a ArrayRef>> {
        let (first, rest) = path.steps().split_first()?;
        let mut column = *self.columns.get(&**first)?;
        let mut steps = vec![column];
        for step in rest {
            let parent = column.as_struct_opt()?;
            let fields = || by_name(parent.fields(), parent.columns());
            let fields = self.structs.entry(std::ptr::from_ref(parent)).or_insert_with(fields);
            column = *fields.get(&**step)?;
            steps.push(column);
        }
        Some(steps)
    }
}

/// Returns columns by their names, the first of those with the same.
pub(crate) fn by_name<'a>(fields: &'a Fields, columns: &'a [ArrayRef]) -> HashMap<&'a str, &'a ArrayRef> {
    fields.iter().zip(columns).rev().map(|(field, column)| (field.name().as_str(), column)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Int64Array, RecordBatch};
    use arrow_schema::{DataType, Field};

    use super::*;

    #[test]
    fn paths_lead_to_columns_and_fields() {
        let number = |value| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
        let fields = Fields::from(vec![Field::new("a", DataType::Int64, true)]);
        let within = Arc::new(StructArray::new(fields, vec![number(1)], None)) as ArrayRef;
        let batch = RecordBatch::try_from_iter([("s", within), ("a", number(2))]).unwrap();
        let mut columns = ByName::new(&batch);
        let mut last = |path: ColumnPath| {
            let steps = columns.steps(&path)?;
            Some((steps.len(), steps.last()?.as_primitive_opt::<arrow_array::types::Int64Type>()?.value(0)))
        };
        assert_eq!(last(ColumnPath::new(["s", "a"])), Some((2, 1)));
        assert_eq!(last(ColumnPath::new(["a"])), Some((1, 2)));
        assert_eq!(last(ColumnPath::new(["s", "b"])), None);
        assert_eq!(last(ColumnPath::new(["a", "a"])), None);
    }
}
