//! Check of a batch's schema against the adapter's.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tfxio_core::Count;

use super::route::Route;
use crate::kind::Locate as _;
use crate::{Error, Kind};

/// Refuses a batch of another schema. Metadata and the names of list items do not count.
pub(super) fn check(expected: &Arc<Schema>, batch: &RecordBatch) -> Result<(), Error> {
    let found = batch.schema_ref();
    if Arc::ptr_eq(expected, found) {
        return Ok(());
    }
    let (ours, theirs) = (expected.fields(), found.fields());
    let different = |message: String| Err(Error::new(Kind::SchemaMismatch, message));
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        if !Arc::ptr_eq(ours, theirs) && !same_field(ours, theirs) {
            return different(format!(
                "column {at} of the batch is {}, the adapter was made for {}",
                said(theirs),
                said(ours)
            ));
        }
    }
    if ours.len() != theirs.len() {
        return different(format!(
            "the batch has {}, the adapter was made for {}",
            Count::of(theirs.len(), "column"),
            ours.len()
        ));
    }
    Ok(())
}

fn said(field: &Field) -> String {
    let nullable = if field.is_nullable() { "" } else { ", not nullable" };
    format!("{:?} ({}{nullable})", field.name(), field.data_type())
}

fn same_field(ours: &Field, theirs: &Field) -> bool {
    ours.name() == theirs.name()
        && ours.is_nullable() == theirs.is_nullable()
        && same_type(ours.data_type(), theirs.data_type())
}

fn same_type(ours: &DataType, theirs: &DataType) -> bool {
    let same_item = |ours: &Field, theirs: &Field| same_type(ours.data_type(), theirs.data_type());
    match (ours, theirs) {
        (DataType::List(ours), DataType::List(theirs))
        | (DataType::LargeList(ours), DataType::LargeList(theirs)) => same_item(ours, theirs),
        (DataType::FixedSizeList(ours, size), DataType::FixedSizeList(theirs, of)) => {
            size == of && same_item(ours, theirs)
        }
        (DataType::Struct(ours), DataType::Struct(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(ours, theirs)| same_field(ours, theirs))
        }
        _ => ours == theirs,
    }
}

/// Returns the column in which a route begins.
pub(super) fn column<'a>(batch: &'a RecordBatch, route: &Route) -> Result<&'a ArrayRef, Error> {
    batch
        .columns()
        .get(route.column)
        .ok_or_else(|| Error::new(Kind::MissingColumn, "the batch lacks the column").in_column(&route.path))
}
