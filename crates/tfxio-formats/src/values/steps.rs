//! Sequence features that have one value in each step: lists of lists of one value each, in a struct, as lists of values.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use tfxio_core::{ColumnPath, Error, ErrorKind, Position, Result};
use tfxio_scan::cast::{first_not_one, item, may_be_single, one_of_each};

use super::names;

/// Returns the sequence features of a schema: the fields of structs all of whose fields are lists of lists of values.
pub(super) fn sequences(schema: &Schema) -> impl Iterator<Item = ColumnPath> + '_ {
    let structs = schema.fields().iter().filter_map(|field| match field.data_type() {
        DataType::Struct(fields) if fields.iter().all(|inner| is_sequence(inner)) => Some((field, fields)),
        _ => None,
    });
    structs.flat_map(|(field, fields)| {
        fields.iter().map(|inner| ColumnPath::new([field.name().as_str(), inner.name().as_str()]))
    })
}

/// Returns whether a field has lists of lists of values.
fn is_sequence(field: &Field) -> bool {
    let is_list = matches!(field.data_type(), DataType::List(_) | DataType::LargeList(_));
    is_list && item(field.data_type()).is_some_and(|step| may_be_single(step))
}

/// Sequence features by their steps.
#[derive(Debug)]
pub(super) struct Profile(Vec<Seen>);

#[derive(Debug)]
struct Seen {
    path: ColumnPath,
    /// Whether no step had another number of values than one.
    is_single: bool,
    has_step: bool,
}

impl Profile {
    /// Returns a profile of no rows.
    pub(super) fn new(paths: impl IntoIterator<Item = ColumnPath>) -> Self {
        Self(paths.into_iter().map(|path| Seen { path, is_single: true, has_step: false }).collect())
    }

    /// Returns whether no feature can be found to have one value a step by looking further.
    pub(super) fn is_decided(&self) -> bool {
        self.0.iter().all(|seen| !seen.is_single)
    }

    /// Looks at the rows of a batch.
    pub(super) fn push(&mut self, batch: &RecordBatch) {
        for seen in self.0.iter_mut().filter(|seen| seen.is_single) {
            let Some(column) = within(batch, &seen.path) else { continue };
            seen.has_step |= !steps(column).is_empty();
            seen.is_single = first_uneven(column).is_none();
        }
    }

    /// Returns the features that have one value a step; with `had_one`, only features with a step.
    pub(super) fn single(&self, had_one: bool) -> BTreeSet<ColumnPath> {
        let single = self.0.iter().filter(|seen| seen.is_single && (seen.has_step || !had_one));
        single.map(|seen| seen.path.clone()).collect()
    }
}

fn within<'a>(batch: &'a RecordBatch, path: &ColumnPath) -> Option<&'a ArrayRef> {
    let [column, field] = path.steps() else { return None };
    batch.column_by_name(column)?.as_struct_opt()?.column_by_name(field)
}

/// Returns the steps of all rows.
fn steps(column: &ArrayRef) -> ArrayRef {
    fn of<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> ArrayRef {
        let bounds = lists.offsets().first().zip(lists.offsets().last());
        let (start, end) = bounds.map_or((0, 0), |(start, end)| (start.as_usize(), end.as_usize()));
        lists.values().slice(start, end.saturating_sub(start))
    }
    match column.data_type() {
        DataType::List(_) => of(column.as_list::<i32>()),
        _ => of(column.as_list::<i64>()),
    }
}

/// Returns the first step that has not one value: its row, and what it has.
fn first_uneven(column: &ArrayRef) -> Option<(usize, String)> {
    let steps = steps(column);
    let uneven = first_not_one(&steps).map(|found| (found.row, found.values()));
    let null = steps.nulls().and_then(|nulls| nulls.iter().position(|is_valid| !is_valid));
    let null = null.map(|step| (step, "no list of values".to_owned()));
    let (step, what) = [uneven, null].into_iter().flatten().min_by_key(|(step, _)| *step)?;
    Some((row_of(column, step)?, what))
}

/// Returns the row that has a step.
fn row_of(column: &ArrayRef, step: usize) -> Option<usize> {
    fn of<O: OffsetSizeTrait>(offsets: &[O], step: usize) -> Option<usize> {
        let first = offsets.first()?.as_usize();
        offsets.partition_point(|end| end.as_usize().saturating_sub(first) <= step).checked_sub(1)
    }
    match column.data_type() {
        DataType::List(_) => of(column.as_list::<i32>().offsets(), step),
        _ => of(column.as_list::<i64>().offsets(), step),
    }
}

/// Fields of a struct whose steps become values.
#[derive(Debug)]
pub(super) struct Steps {
    column: String,
    fields: Fields,
    changed: Vec<bool>,
}

impl Steps {
    /// Returns what becomes of a column, and its type after that; `None` if it stays.
    pub(super) fn of(field: &Field, chosen: &BTreeSet<ColumnPath>) -> Option<(Self, DataType)> {
        let DataType::Struct(fields) = field.data_type() else { return None };
        let is_changed = |inner: &FieldRef| {
            is_sequence(inner)
                && chosen.contains(&ColumnPath::new([field.name().as_str(), inner.name().as_str()]))
        };
        let changed = fields.iter().map(is_changed).collect::<Vec<_>>();
        if !changed.contains(&true) {
            return None;
        }
        let after = |(inner, changed): (&FieldRef, &bool)| match inner.data_type() {
            DataType::List(step) if *changed => {
                Arc::new(inner.as_ref().clone().with_data_type(DataType::List(value(step))))
            }
            DataType::LargeList(step) if *changed => {
                Arc::new(inner.as_ref().clone().with_data_type(DataType::LargeList(value(step))))
            }
            _ => Arc::clone(inner),
        };
        let fields = fields.iter().zip(&changed).map(after).collect::<Fields>();
        let data_type = DataType::Struct(fields.clone());
        Some((Self { column: field.name().clone(), fields, changed }, data_type))
    }

    /// Makes lists of values of lists of lists.
    ///
    /// # Errors
    /// `SchemaMismatch` for a step that has not one value, with its row.
    pub(super) fn apply(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let structs = column.as_struct();
        let mut columns = Vec::with_capacity(structs.num_columns());
        for ((field, inner), changed) in self.fields.iter().zip(structs.columns()).zip(&self.changed) {
            if !changed {
                columns.push(Arc::clone(inner));
                continue;
            }
            if let Some((row, values)) = first_uneven(inner) {
                let name = names::name(&ColumnPath::new([self.column.as_str(), field.name().as_str()]));
                let what = format!("a step of the feature has {values}, and the column is one of scalars");
                let help = "open it with the option scalars off, which makes lists, or name in it the columns of one value";
                let error = Error::new(ErrorKind::SchemaMismatch, what).help(help);
                return Err(error.at(Position::new().column(name).row(row as u64)));
            }
            columns.push(values_of(inner)?);
        }
        let made = StructArray::try_new_with_length(
            self.fields.clone(),
            columns,
            structs.nulls().cloned(),
            structs.len(),
        );
        Ok(Arc::new(made?))
    }
}

/// Returns the items of a list whose steps were lists of these.
fn value(step: &FieldRef) -> FieldRef {
    item(step.data_type())
        .map_or_else(|| Arc::clone(step), |value| Arc::new(value.as_ref().clone().with_nullable(true)))
}

fn values_of(column: &ArrayRef) -> Result<ArrayRef> {
    fn of<O: OffsetSizeTrait>(lists: &GenericListArray<O>, step: &FieldRef) -> Result<ArrayRef> {
        let first = lists.offsets().first().copied().unwrap_or_default();
        let offsets = lists.offsets().iter().map(|end| *end - first).collect::<Vec<_>>();
        let offsets = arrow_buffer::OffsetBuffer::new(offsets.into());
        let bounds = lists.offsets().last().map_or(0, |end| end.as_usize());
        let steps = lists.values().slice(first.as_usize(), bounds.saturating_sub(first.as_usize()));
        let values = one_of_each(&steps)?;
        Ok(Arc::new(GenericListArray::<O>::try_new(value(step), offsets, values, lists.nulls().cloned())?))
    }
    match column.data_type() {
        DataType::List(step) => of(column.as_list::<i32>(), step),
        DataType::LargeList(step) => of(column.as_list::<i64>(), step),
        _ => Ok(Arc::clone(column)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int64Builder, LargeListBuilder};
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array as _, ArrayRef, RecordBatch, StructArray};
    use arrow_schema::{DataType, Field, Schema};
    use tfxio_core::ColumnPath;

    use super::{Profile, Steps, sequences};

    /// The steps of rows; `None` for a row without the feature, and for a step without a list.
    type Rows<'a> = &'a [Option<&'a [Option<&'a [i64]>]>];

    fn batch(rows: Rows<'_>) -> RecordBatch {
        let mut lists = LargeListBuilder::new(LargeListBuilder::new(Int64Builder::new()));
        for row in rows {
            for step in row.iter().copied().flatten() {
                match step {
                    Some(values) => lists.values().append_value(values.iter().copied().map(Some)),
                    None => lists.values().append_null(),
                }
            }
            lists.append(row.is_some());
        }
        let lists = Arc::new(lists.finish()) as ArrayRef;
        let field = Arc::new(Field::new("a", lists.data_type().clone(), true));
        let sequences = Arc::new(StructArray::from(vec![(field, lists)])) as ArrayRef;
        RecordBatch::try_from_iter([("s", sequences)]).expect("a batch")
    }

    fn path() -> ColumnPath {
        ColumnPath::new(["s", "a"])
    }

    #[test]
    fn steps_of_one_value_become_values_in_slices_too() {
        let whole = batch(&[
            Some(&[Some(&[9])]),
            Some(&[Some(&[1]), Some(&[2])]),
            None,
            Some(&[]),
            Some(&[Some(&[3])]),
        ]);
        let (steps, data_type) = Steps::of(whole.schema().field(0), &[path()].into()).expect("a sequence");
        let part = steps.apply(&whole.slice(1, 4).column(0).clone()).expect("values");
        assert_eq!(*part.data_type(), data_type);
        let lists = part.as_struct().column(0).as_list::<i64>().clone();
        assert_eq!(lists.values().as_primitive::<Int64Type>().values(), &[1, 2, 3]);
        let lengths = (0..4).map(|row| lists.is_valid(row).then(|| lists.value_length(row)));
        assert_eq!(lengths.collect::<Vec<_>>(), [Some(2), None, Some(0), Some(1)]);
    }

    #[test]
    fn another_number_of_values_is_an_error_with_its_row() {
        let said = |rows: Rows<'_>, skip: usize| {
            let batch = batch(rows);
            let (steps, _) = Steps::of(batch.schema().field(0), &[path()].into()).expect("a sequence");
            let error =
                steps.apply(batch.slice(skip, batch.num_rows() - skip).column(0)).expect_err("refused");
            (error.position().row, error.what().to_owned())
        };
        let one: Option<&[Option<&[i64]>]> = Some(&[Some(&[1])]);
        let has = |what: &str| format!("a step of the feature has {what}, and the column is one of scalars");
        assert_eq!(said(&[one, Some(&[Some(&[1]), Some(&[2, 3])])], 0), (Some(1), has("2 values")));
        assert_eq!(said(&[one, None, Some(&[]), Some(&[Some(&[])])], 1), (Some(2), has("0 values")));
        assert_eq!(
            said(&[Some(&[Some(&[1]), None]), Some(&[Some(&[])])], 0),
            (Some(0), has("no list of values"))
        );
    }

    #[test]
    fn only_what_is_seen_in_every_step_is_single() {
        let profile = |rows: Rows<'_>| {
            let batch = batch(rows);
            let mut profile = Profile::new(sequences(&batch.schema()));
            profile.push(&batch);
            (profile.is_decided(), profile.single(false).len(), profile.single(true).len())
        };
        assert_eq!(profile(&[Some(&[Some(&[1])]), None]), (false, 1, 1));
        assert_eq!(profile(&[Some(&[]), None]), (false, 1, 0));
        for other in [Some(&[][..]), Some(&[1, 2][..]), None] {
            assert_eq!(profile(&[Some(&[Some(&[1]), other])]), (true, 0, 0));
        }
        let user =
            Field::new("user", DataType::Struct(vec![Field::new("id", DataType::Int64, true)].into()), true);
        assert_eq!(sequences(&Schema::new(vec![user])).count(), 0);
    }
}
