//! Columns that claim lists and values without memory behind them. A claim is held against the limit before anything
//! is allocated or counted through.

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};
use tensor_repr::{Adapter, Kind, Representation, StructuredRepresentation, VarLenRaggedRepresentation};
use tfxio_core::{DType, Limits};

use crate::columns::*;

const INT64: Option<DType> = Some(DType::Int64);
/// Arrow makes a bitmap of nulls when it makes the lists, so they are not as many as a file could claim.
const MANY: usize = 1 << 16;

fn nulls(count: usize) -> ArrayRef {
    Arc::new(NullArray::new(count))
}

/// Returns three lists of many nulls, the second of which is null itself.
fn gaps() -> ArrayRef {
    fixed_lists(3, MANY as i32, Some(vec![true, false, true]), nulls(3 * MANY))
}

/// Returns every representation that a column of lists of nulls can have.
fn of_lists() -> Vec<Representation> {
    let column = || "x";
    vec![
        padded(&[None], 0).dtype(INT64).into(),
        varlen().dtype(INT64).into(),
        ragged(&["x"], &[]).dtype(INT64).into(),
        VarLenRaggedRepresentation::default().column(column()).dtype(INT64).into(),
        sparse(&["x"], &[None]).dtype(INT64).into(),
        sparse(&["x"], &[None, None]).dtype(INT64).kept_dims(1).into(),
    ]
}

/// Returns the error of a column with a limit in bytes.
fn refused(column: &ArrayRef, representation: Representation, limit: u64) -> String {
    let limits = Limits::default().batch_bytes(limit);
    let batch = batch(&[("x", column.clone())]);
    let adapter = Adapter::builder(batch.schema(), [("t", representation)]).limits(limits).build().unwrap();
    let error = adapter.tensors(&batch).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::Overflow, "{error}");
    error.to_string()
}

#[test]
fn values_without_memory() {
    for representation in of_lists() {
        let text = |count: usize, size: &str, limit: u64| {
            format!(
                "tensor \"t\", column \"x\": the tensor needs room for {count} elements of {size}, the limit is {limit} \
                 bytes; take smaller batches or raise the limit"
            )
        };
        // There is room for a byte each, but not for padded cells, nor for the places of values with gaps between them.
        let is_dense = matches!(representation, Representation::Dense(_));
        let (cells, size) = if is_dense { (3 * MANY, "1 byte") } else { (2 * MANY, "8 bytes") };
        assert_eq!(refused(&gaps(), representation.clone(), 300_000), text(cells, "8 bytes", 300_000));
        assert_eq!(refused(&gaps(), representation, 1000), text(cells, size, 1000));
    }
}

#[test]
fn values_without_memory_in_lists_of_lists() {
    let nested = lists(&[Some(2), Some(1)], gaps());
    let flattened = padded(&[], 0).dtype(INT64);
    assert_eq!(
        refused(&nested, flattened.into(), 300_000),
        "tensor \"t\", column \"x\": the tensor needs room for 65536 elements of 8 bytes, the limit is 300000 bytes; take \
         smaller batches or raise the limit"
    );
}

#[test]
fn lists_without_items() {
    // Sixteen lists of 2^31 - 1 lists without items: there is no item in all of them.
    let inner = fixed_lists(16 * i32::MAX as usize, 0, None, ints(&[]));
    let column = fixed_lists(16, i32::MAX, None, inner);
    let structured = StructuredRepresentation::default().columns(vec!["x".into()]);
    for representation in
        [varlen().into(), ragged(&["x"], &[]).into(), structured.into(), dense(&[None, None]).into()]
    {
        assert_eq!(
            refused(&column, representation, Limits::default().batch_bytes),
            "tensor \"t\", column \"x\": the tensor needs room for 34359738352 elements of 8 bytes, the limit is \
             8589934592 bytes; take smaller batches or raise the limit"
        );
    }
}

#[test]
fn rows_without_memory() {
    let rows = nulls(1 << 60);
    let bare = filled(&[], 0).dtype(INT64);
    for representation in of_lists().into_iter().chain([bare.into()]) {
        assert_eq!(
            refused(&rows, representation, Limits::default().batch_bytes),
            "tensor \"t\", column \"x\": the tensor needs room for 1152921504606846976 elements of 1 byte, the limit is \
             8589934592 bytes; take smaller batches or raise the limit"
        );
    }
}

#[test]
fn what_the_limit_has_room_for_is_no_claim() {
    // The first row with a value is what is wrong, as with any other nulls.
    let few = fixed_lists(3, 2, Some(vec![false, true, true]), nulls(6));
    for representation in of_lists().into_iter().skip(1) {
        let error = tensor(&batch(&[("x", few.clone())]), representation).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.position().row),
            (Kind::NullValue, Some(1)),
            "{error}"
        );
    }
    let padded = padded(&[None], 7).dtype(INT64);
    assert_eq!(of_column(few, padded).unwrap(), dense_tensor(&[3, 2], &[7; 6]));
}
