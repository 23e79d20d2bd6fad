//! The columns of a batch as features see them: which rows have them, and how many values.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::filter::filter;

use crate::array::Lists;
use crate::proto::metadata::v0::FeatureType;
use crate::{ColumnPath, Error};

/// Type of the values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// No values: the column is of type `Null`.
    Nothing,
    /// Values of this type; structs have fields that are columns themselves.
    Of(FeatureType),
    /// Something that no feature is.
    Other(DataType),
}

/// A column, or a field of a struct.
pub(super) struct Column<'a> {
    pub(super) path: &'a ColumnPath,
    /// The row of each slot in which the feature may be. A *slot* is a row of the batch or, for
    /// features in a struct, a struct.
    pub(super) rows: &'a [u64],
    /// Whether each slot has the feature.
    pub(super) present: Vec<bool>,
    /// The levels of lists, from the outside in. Those of the first are one for each slot.
    pub(super) levels: Vec<Level>,
    /// The type of the values.
    pub(super) kind: Values,
    /// The values of all slots, one after the other.
    pub(super) values: ArrayRef,
    /// The slot of each value.
    pub(super) owners: Vec<usize>,
}

/// The lists of one level.
pub(super) struct Level {
    /// The length of each list. A null list has none.
    pub(super) lengths: Vec<usize>,
    /// The slot that each list belongs to.
    pub(super) owners: Vec<usize>,
}

impl Column<'_> {
    /// Returns the slots that have the feature, by their numbers.
    pub(super) fn present_slots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.present.len()).filter(|&slot| self.present[slot])
    }

    /// Returns the slots that do not have it.
    pub(super) fn missing_slots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.present.len()).filter(|&slot| !self.present[slot])
    }

    /// Returns the number of structs of a column of structs, and the row of the first.
    pub(super) fn structs(&self) -> (u64, u64) {
        let first = (0..self.values.len()).find(|&at| self.values.is_valid(at));
        let row = first.map_or(0, |at| self.rows[self.owners[at]]);
        ((self.values.len() - self.values.null_count()) as u64, row)
    }

    /// Returns the type for a message: that of a feature, or Arrow's.
    pub(super) fn describe(&self) -> String {
        match &self.kind {
            Values::Nothing => "no values".to_owned(),
            Values::Of(found) => found.as_str_name().to_owned(),
            Values::Other(data_type) => format!("values of the Arrow type {data_type}"),
        }
    }

    /// Returns the number of values of each slot, in all lists together.
    pub(super) fn totals(&self) -> Vec<usize> {
        let mut totals = vec![0; self.present.len()];
        for &slot in &self.owners {
            totals[slot] += 1;
        }
        totals
    }
}

/// A feature as the type of its column has it.
pub(super) struct ColumnType {
    pub(super) path: ColumnPath,
    /// The number of levels of lists.
    pub(super) levels: usize,
    pub(super) kind: Values,
}

/// Returns the columns of a schema, and the fields of structs after their struct.
pub(super) fn column_types(schema: &Schema) -> Vec<ColumnType> {
    let mut out = Vec::new();
    add_types(&ColumnPath::default(), schema.fields(), &mut out);
    out
}

fn add_types(parent: &ColumnPath, fields: &arrow_schema::Fields, out: &mut Vec<ColumnType>) {
    for field in fields {
        let path = parent.child(field.name().as_str());
        let (mut levels, mut data_type) = (0, field.data_type());
        while let DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) =
            data_type
        {
            (levels, data_type) = (levels + 1, item.data_type());
        }
        out.push(ColumnType { path: path.clone(), levels, kind: kind_of(data_type) });
        if let DataType::Struct(fields) = data_type {
            add_types(&path, fields, out);
        }
    }
}

/// Visits the columns of a batch, and the fields of structs after their struct. The first row has the number `first_row`.
pub(super) fn walk(
    batch: &RecordBatch,
    first_row: u64,
    visit: &mut dyn FnMut(&Column<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let rows: Vec<u64> = (0..batch.num_rows() as u64).map(|row| first_row + row).collect();
    for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        descend(&ColumnPath::from(field.name().as_str()), array, &rows, visit)?;
    }
    Ok(())
}

fn descend(
    path: &ColumnPath,
    array: &ArrayRef,
    rows: &[u64],
    visit: &mut dyn FnMut(&Column<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let nulls = array.logical_nulls();
    let is_present = |slot| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(slot));
    let present: Vec<bool> = (0..array.len()).map(is_present).collect();
    let mut values = array.clone();
    let mut owners: Vec<usize> = (0..array.len()).collect();
    let mut levels = Vec::new();
    while let Some(lists) = Lists::of(&values) {
        let lengths: Vec<usize> = lists.ranges().map(|range| range.len()).collect();
        let repeated = owners.iter().zip(&lengths);
        let inner = repeated.flat_map(|(&owner, &length)| std::iter::repeat_n(owner, length)).collect();
        let elements = lists.elements()?;
        levels.push(Level { lengths, owners });
        (owners, values) = (inner, elements);
    }
    if levels.is_empty() && present.contains(&false) {
        owners.retain(|&slot| present[slot]);
        values = filter(&values, &BooleanArray::from(present.clone()))?;
    }
    let kind = kind_of(values.data_type());
    let column = Column { path, rows, present, levels, kind, values, owners };
    visit(&column)?;
    let Some(structs) = column.values.as_struct_opt() else { return Ok(()) };
    let mut rows: Vec<u64> = column.owners.iter().map(|&slot| rows[slot]).collect();
    let mut fields = structs.columns().to_vec();
    if let Some(nulls) = structs.nulls().filter(|nulls| nulls.null_count() > 0) {
        // A list may hold structs that are not there.
        let mask = BooleanArray::new(nulls.inner().clone(), None);
        rows = rows.into_iter().zip(nulls).filter_map(|(row, valid)| valid.then_some(row)).collect();
        fields = fields.iter().map(|field| filter(field, &mask)).collect::<Result<_, _>>()?;
    }
    for (field, array) in structs.fields().iter().zip(&fields) {
        descend(&path.child(field.name().as_str()), array, &rows, visit)?;
    }
    Ok(())
}

fn kind_of(data_type: &DataType) -> Values {
    match data_type {
        DataType::Null => Values::Nothing,
        other => match crate::FeatureType::of_arrow(other) {
            Some(found) => Values::Of(found.proto()),
            None => Values::Other(other.clone()),
        },
    }
}
