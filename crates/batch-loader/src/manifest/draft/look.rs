//! Statistics of the first records of a data set.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use tfxio_core::{Dataset, ScanRequest};

use crate::Result;
use crate::by_name::by_name;

/// A column, or a field of the column of sequence features with that column.
pub(super) type Column = (Option<FieldRef>, FieldRef);

/// Statistics of some records.
pub(super) struct Looked {
    pub(super) columns: Vec<Column>,
    pub(super) seen: Vec<Seen>,
    pub(super) records: u64,
}

impl Looked {
    /// Looks at the first `records` records of a data set of tf.Examples or tf.SequenceExamples.
    pub(super) fn at(dataset: &dyn Dataset, records: u64) -> Result<Self> {
        let mut columns = Vec::<Column>::new();
        for field in dataset.schema().fields() {
            match field.data_type() {
                DataType::Struct(fields) => {
                    columns.extend(fields.iter().map(|inner| (Some(Arc::clone(field)), Arc::clone(inner))));
                }
                _ => columns.push((None, Arc::clone(field))),
            }
        }
        let mut seen = vec![Seen::default(); columns.len()];
        let records = look(dataset, records, |batch| {
            let of_batch = by_name(batch.schema_ref().fields(), batch.columns());
            let structs = of_batch.iter().filter_map(|(name, of)| Some((*name, of.as_struct_opt()?)));
            let structs = structs.map(|(name, of)| (name, by_name(of.fields(), of.columns())));
            let structs = structs.collect::<HashMap<_, _>>();
            for ((parent, field), seen) in columns.iter().zip(&mut seen) {
                let column = match parent {
                    Some(parent) => {
                        structs.get(parent.name().as_str()).and_then(|of| of.get(field.name().as_str()))
                    }
                    None => of_batch.get(field.name().as_str()),
                };
                if let Some(column) = column {
                    seen.add(column, parent.is_some());
                }
            }
        })?;
        Ok(Self { columns, seen, records })
    }

    /// Returns the schema of the data set, and the names of the features with one value in each record. A feature with
    /// the same number of values in each record becomes a list of that length.
    pub(super) fn schema(&self, of: &Schema) -> (SchemaRef, Vec<Arc<str>>) {
        let mut singles = Vec::new();
        let field = |((parent, field), seen): (&Column, &Seen)| {
            let (DataType::List(item) | DataType::LargeList(item)) = field.data_type() else {
                return Arc::clone(parent.as_ref().unwrap_or(field));
            };
            let even = seen.values.filter(|(least, most)| least == most && *most > 0 && parent.is_none());
            let Some(length) = even.and_then(|(length, _)| i32::try_from(length).ok()) else {
                return Arc::clone(parent.as_ref().unwrap_or(field));
            };
            if length == 1 {
                singles.push(field.name().as_str().into());
            }
            let data_type = DataType::FixedSizeList(Arc::clone(item), length);
            Arc::new(field.as_ref().clone().with_data_type(data_type))
        };
        let mut fields = self.columns.iter().zip(&self.seen).map(field).collect::<Vec<_>>();
        // The column of sequence features once.
        fields.dedup_by(|a, b| Arc::ptr_eq(a, b));
        (Arc::new(Schema::new_with_metadata(fields, of.metadata().clone())), singles)
    }
}

/// Statistics of a feature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// The fewest and the most values of a record, or of a step.
    pub(super) values: Option<(usize, usize)>,
    pub(super) absent: u64,
}

impl Seen {
    /// Adds the values of a column's rows, or, of sequences, the values of the rows' steps.
    fn add(&mut self, column: &ArrayRef, is_sequence: bool) {
        self.absent = self.absent.saturating_add(column.logical_null_count() as u64);
        if !is_sequence {
            return self.lengths(column);
        }
        match column.data_type() {
            DataType::LargeList(_) => self.lengths(column.as_list::<i64>().values()),
            DataType::List(_) => self.lengths(column.as_list::<i32>().values()),
            _ => {}
        }
    }

    fn lengths(&mut self, lists: &ArrayRef) {
        for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
            let length = match lists.data_type() {
                DataType::LargeList(_) => {
                    usize::try_from(lists.as_list::<i64>().value_length(row)).unwrap_or(0)
                }
                DataType::List(_) => usize::try_from(lists.as_list::<i32>().value_length(row)).unwrap_or(0),
                DataType::FixedSizeList(_, size) => usize::try_from(*size).unwrap_or(0),
                _ => 1,
            };
            let (least, most) = self.values.unwrap_or((length, length));
            self.values = Some((least.min(length), most.max(length)));
        }
    }
}

/// Gives the first `records` records of a data set, and returns how many there were.
pub(super) fn look(dataset: &dyn Dataset, records: u64, mut give: impl FnMut(&RecordBatch)) -> Result<u64> {
    let mut looked = 0u64;
    for partition in dataset.partitions(u64::MAX)? {
        let left = records.saturating_sub(looked);
        if left == 0 {
            break;
        }
        let mut scan = dataset.scan(&partition, &ScanRequest::new().threads(1).limit(left))?;
        while let Some(batch) = scan.next_batch()? {
            looked = looked.saturating_add(batch.num_rows() as u64);
            give(batch.columns());
        }
    }
    Ok(looked)
}
