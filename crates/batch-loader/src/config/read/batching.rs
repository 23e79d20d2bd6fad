//! Keys of batches: padding, normalisation, buckets.

use super::COUNT;
use super::tensors::constant;
use crate::config::{BucketByLength, Normalization, Padding, TensorPadding};
use crate::json::{Keys, Node, Object, all};
use crate::{Kind, Result};

/// `normalization`.
pub(super) fn normalizations(object: &Object<'_>) -> Result<Vec<Normalization>> {
    object.items("normalization", "a list of objects with tensor and axis", normalization)
}

fn normalization(node: &Node<'_>) -> Result<Normalization> {
    let object = node.object(Keys::new("normalization", &["tensor", "axis"], &[]))?;
    let axis = object.need("axis")?;
    let wanted = "an integer: a dimension of the tensor without the batch, negative from the end";
    let index = axis.integer().ok_or_else(|| axis.invalid_type(wanted))?;
    let index =
        i64::try_from(index).map_err(|_| axis.invalid_value("is out of range", format!("give {wanted}")))?;
    Ok(Normalization { tensor: object.need("tensor")?.string()?.into(), axis: index })
}

pub(super) fn padding(node: &Node<'_>) -> Result<Padding> {
    if let Ok(all) = node.bool() {
        return Ok(if all { Padding::All } else { Padding::Off });
    }
    let items = node.list("true, false, or a list of objects with tensor, shape and value")?;
    let list = all(items.iter().map(tensor_padding))?;
    Ok(if list.is_empty() { Padding::Off } else { Padding::List(list) })
}

fn tensor_padding(node: &Node<'_>) -> Result<TensorPadding> {
    let object = node.object(Keys::new("padding", &["tensor"], &["shape", "value"]))?;
    let tensor = object.need("tensor")?.string()?.into();
    let shape = object.get("shape").filter(|node| !node.is_null());
    let shape = shape.map(|node| sizes(&node)).transpose()?;
    Ok(TensorPadding { tensor, shape, value: object.read("value", constant)?.flatten() })
}

fn sizes(node: &Node<'_>) -> Result<Vec<Option<usize>>> {
    let size = |node: &Node<'_>| {
        let size = node.integer_in(-1..=i64::from(u32::MAX));
        size.map(|size| usize::try_from(size).ok()).map_err(|error| {
            error.help(format!("give an integer from 0 to {}, or -1 for the largest of the batch", u32::MAX))
        })
    };
    node.list("a list of integers, -1 for the largest of the batch")?.iter().map(size).collect()
}

/// `bucket_by_length`; with a budget of tokens, the sizes of batches are optional.
pub(super) fn bucket_by_length(node: &Node<'_>, has_budget: bool) -> Result<BucketByLength> {
    let (all, required) = (["tensor", "boundaries", "batch_sizes"], if has_budget { 2 } else { 3 });
    let (required, optional) = all.split_at(required);
    let object = node.object(Keys::new("bucket_by_length", required, optional))?;
    let tensor = object.need("tensor")?.string()?.into();
    let mut boundaries = Vec::<usize>::new();
    let node = object.need("boundaries")?;
    for item in node.list("a list of integers")? {
        let boundary = item.count(COUNT)?;
        if let Some(last) = boundaries.last().filter(|last| **last >= boundary) {
            let what = format!("follows {last}");
            return Err(item.invalid_value(&what, "give boundaries in strictly ascending order"));
        }
        boundaries.push(boundary);
    }
    if boundaries.is_empty() {
        return Err(node.invalid_value("makes one bucket", "give at least one boundary"));
    }
    let Some(node) = object.get("batch_sizes") else {
        return Ok(BucketByLength { tensor, boundaries, batch_sizes: Vec::new() });
    };
    let items = node.list("a list of integers")?;
    if items.len() != boundaries.len() + 1 {
        let what = format!("the number of batch sizes is {}", items.len());
        let hint = format!("give {}: one more than there are boundaries", boundaries.len() + 1);
        return Err(node.error(Kind::InvalidValue, what).help(hint));
    }
    let batch_sizes = items.iter().map(|item| item.count(COUNT)).collect::<Result<_>>()?;
    Ok(BucketByLength { tensor, boundaries, batch_sizes })
}
