//! Shape and dtype of a tensor after a processing step.

use std::sync::Arc;

use tfxio_core::{Count, DType};

use crate::config::{Operation, Slice, SliceAxis};
use crate::selection::Selection;
use crate::shape::{Shape, TensorInfo, is_of_lists, shape_text};
use crate::{Error, Kind, Result};

/// The tensor after a step.
///
/// # Errors
/// `InvalidValue` for a step that no value of the tensor allows.
pub(super) fn after(operation: &Operation, before: &TensorInfo) -> Result<TensorInfo> {
    let name = Arc::clone(&before.name);
    let (dtype, shape) = match operation {
        Operation::Slice(slice) => (before.dtype, sliced(slice, before)?),
        Operation::OneHot { depth, dtype } => {
            indices(before)?;
            if matches!(dtype, DType::String | DType::Bool) {
                return Err(refused(
                    format!("a one-hot vector of dtype \"{dtype}\""),
                    "use a dtype of numbers, or leave it out for \"float32\"",
                ));
            }
            if *depth == 0 && is_of_lists(&before.shape) {
                let what = format!(
                    "vectors of no cell of the tensor {:?}, whose steps have any number of values",
                    before.name
                );
                return Err(refused(what, "give a depth of at least 1"));
            }
            (*dtype, before.shape.iter().copied().chain([Some(*depth)]).collect())
        }
        Operation::Reshape(shape) => (before.dtype, reshaped(shape, before)?),
    };
    Ok(TensorInfo { name, dtype, shape })
}

fn refused(what: String, hint: impl Into<String>) -> Error {
    Error::new(Kind::InvalidValue, what).help(hint)
}

fn sliced(slice: &Slice, before: &TensorInfo) -> Result<Shape> {
    let TensorInfo { name, shape, .. } = before;
    if slice.axes.len() > shape.len() {
        return Err(refused(
            format!(
                "the slice {slice} has {}, the tensor {name:?} of shape {} has {}",
                Count::of(slice.axes.len(), "axis"),
                shape_text(shape),
                shape.len()
            ),
            "give at most one entry for each dimension, the batch not counted",
        ));
    }
    let mut after = Vec::with_capacity(shape.len());
    for (at, size) in shape.iter().enumerate() {
        match (slice.axes.get(at), size) {
            (Some(SliceAxis::Range { step: 0, .. }), _) => {
                return Err(refused(
                    format!("the slice {slice} has a step of 0"),
                    "a step is positive, or negative for backwards",
                ));
            }
            (None, size) | (Some(SliceAxis::Range { .. }), size @ None) => after.push(*size),
            (Some(SliceAxis::Index(_)), None) => {}
            (Some(axis), Some(size)) => {
                let taken =
                    Selection::of(axis, *size).ok_or_else(|| no_position(slice, before, at, *size))?;
                after.extend((!taken.drops).then_some(Some(taken.count)));
            }
        }
    }
    Ok(after)
}

/// A slice takes a position that a dimension of this size does not have.
#[cold]
fn no_position(slice: &Slice, before: &TensorInfo, at: usize, size: usize) -> Error {
    let axis = slice.axes.get(at).map(ToString::to_string).unwrap_or_default();
    refused(
        format!(
            "the slice {slice} takes position {axis} of dimension {at}, which has {size} in the tensor {:?} of \
             shape {}",
            before.name,
            shape_text(&before.shape),
        ),
        match size.checked_sub(1) {
            None => "a dimension of size 0 has no positions".to_owned(),
            Some(last) => format!("give a position from -{size} to {last}"),
        },
    )
}

/// One-hot vectors are made of indices.
pub(super) fn indices(before: &TensorInfo) -> Result<()> {
    if matches!(before.dtype, DType::Int32 | DType::Int64) {
        return Ok(());
    }
    Err(refused(
        format!("the tensor {:?} has dtype \"{}\"", before.name, before.dtype),
        "indices of one-hot vectors have dtype \"int32\" or \"int64\"; the manifest's dtype casts them",
    ))
}

fn reshaped(shape: &[usize], before: &TensorInfo) -> Result<Shape> {
    if is_of_lists(&before.shape) {
        let what = format!(
            "the tensor {:?} of shape {} has any number of values in each step",
            before.name,
            shape_text(&before.shape)
        );
        return Err(refused(
            what,
            "take as many of each step before by a slice, such as [:, 0], or leave the step out",
        ));
    }
    let after = shape.iter().copied().map(Some).collect::<Shape>();
    let wanted = shape.iter().copied().try_fold(1, usize::checked_mul);
    let inner = before.shape.iter().flatten().copied().try_fold(1, usize::checked_mul);
    let is_known = before.shape.iter().all(Option::is_some);
    let fits = match (wanted, inner) {
        (Some(wanted), Some(inner)) if is_known => wanted == inner,
        // A whole number of steps.
        (Some(wanted), Some(inner)) => wanted.checked_rem(inner).unwrap_or(wanted) == 0,
        _ => false,
    };
    if fits {
        return Ok(after);
    }
    let elements =
        wanted.map_or("too many elements".to_owned(), |wanted| Count::of(wanted, "element").to_string());
    let had = inner.map_or("too many".to_owned(), |inner| inner.to_string());
    let each = if is_known { "" } else { " in each step" };
    Err(refused(
        format!(
            "the shape {} has {elements}, the tensor {:?} of shape {} has {had}{each}",
            shape_text(&after),
            before.name,
            shape_text(&before.shape)
        ),
        if is_known { "give a shape of as many elements" } else { "give a shape of whole steps" },
    ))
}
