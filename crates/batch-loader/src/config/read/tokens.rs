//! Defaults, truncation, budgets of tokens and packing.

use super::COUNT;
use super::tensors::constant;
use crate::config::{DefaultValue, Keep, MaxTokens, Pack, TensorDefault, TooLong, Truncation};
use crate::json::{Data, Keys, Node, Object, dtype};
use crate::{Kind, Result};

const TOO_LONG: [(&str, TooLong); 3] =
    [("fail", TooLong::Fail), ("drop", TooLong::Drop), ("truncate", TooLong::Truncate)];

/// Tokens of a row, so that an int32 numbers them.
const ROW: std::ops::RangeInclusive<u32> = 1..=i32::MAX as u32;

/// `defaults`.
pub(super) fn defaults(object: &Object<'_>) -> Result<Vec<TensorDefault>> {
    object.items("defaults", "a list of objects with tensor and value", |node| {
        let object = node.object(Keys::new("default", &["tensor", "value"], &[]))?;
        let node = object.need("value")?;
        let given = |node: &Node<'_>| {
            let missing = || node.invalid_value("is not a value", "give a number, a string, true or false");
            constant(node)?.ok_or_else(missing)
        };
        let value = match node.list("a list") {
            Ok(items) => DefaultValue::List(items.iter().map(given).collect::<Result<_>>()?),
            Err(_) => DefaultValue::Cells(given(&node)?),
        };
        Ok(TensorDefault::new(object.need("tensor")?.string()?, value))
    })
}

/// `truncate`.
pub(super) fn truncations(object: &Object<'_>) -> Result<Vec<Truncation>> {
    object.items("truncate", "a list of objects with tensor and length", |node| {
        let object = node.object(Keys::new("truncation", &["tensor", "length"], &["keep"]))?;
        let length = object.need("length")?.count(COUNT)?;
        let words = [("head", Keep::Head), ("tail", Keep::Tail)];
        let keep = object.read("keep", |node| node.word("part of a sequence", &words))?;
        Ok(Truncation::new(object.need("tensor")?.string()?, length).keep(keep.unwrap_or_default()))
    })
}

/// `max_tokens`: a number, or an object.
pub(super) fn max_tokens(node: &Node<'_>) -> Result<MaxTokens> {
    if node.integer().is_some() {
        return node.count(COUNT).map(MaxTokens::new);
    }
    need_object(node)?;
    let keys = Keys::new("budget of tokens", &["tokens"], &["tensors", "max_examples", "too_long"]);
    let object = node.object(keys)?;
    let mut budget = MaxTokens::new(object.need("tokens")?.count(COUNT)?);
    if let Some(node) = object.get("tensors") {
        let names = node.list("a list of names of tensors")?;
        if names.is_empty() {
            return Err(
                node.invalid_value("measures nothing", "name a tensor, or leave it out for all sequences")
            );
        }
        budget.tensors = names.iter().map(|name| name.string().map(Into::into)).collect::<Result<_>>()?;
    }
    budget.max_examples = object.read("max_examples", |node| node.count(COUNT))?;
    budget.too_long = object.read("too_long", too_long)?.unwrap_or_default();
    Ok(budget)
}

/// `pack`: a number, or an object.
pub(super) fn pack(node: &Node<'_>) -> Result<Pack> {
    if node.integer().is_some() {
        return node.count(ROW).map(Pack::new);
    }
    need_object(node)?;
    let optional = ["open_rows", "split", "too_long", "segment_ids", "positions", "dtype"];
    let object = node.object(Keys::new("packing", &["length"], &optional))?;
    let mut pack = Pack::new(object.need("length")?.count(ROW)?);
    pack.split = object.read("split", Node::bool)?.unwrap_or_default();
    for key in ["open_rows", "too_long"] {
        if let Some(node) = object.get(key).filter(|_| pack.split) {
            let error = node.error(Kind::InvalidValue, "this stands beside \"split\": true");
            return Err(error.help("leave it out: examples that are split fill one row after the other"));
        }
    }
    pack.open_rows = object.read("open_rows", |node| node.count(1..=65_536))?.unwrap_or(pack.open_rows);
    pack.too_long = object.read("too_long", too_long)?.unwrap_or_default();
    for (key, name) in [("segment_ids", &mut pack.segment_ids), ("positions", &mut pack.positions)] {
        if let Some(given) = object.read(key, |node| node.name().map(Into::into))? {
            *name = given;
        }
    }
    pack.dtype = object.read("dtype", dtype)?.unwrap_or(pack.dtype);
    Ok(pack)
}

/// Refuses what is neither a number nor an object.
fn need_object(node: &Node<'_>) -> Result<()> {
    match node.value().data {
        Data::Object(_) => Ok(()),
        _ => Err(node.invalid_type("an integer from 1, or an object: {…}")),
    }
}

fn too_long(node: &Node<'_>) -> Result<TooLong> {
    node.word("way to treat what is too long", &TOO_LONG)
}
