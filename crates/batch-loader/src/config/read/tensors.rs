//! Keys of tensors: features to read, tensors to make, and processing steps.

use std::sync::Arc;

use crate::config::{
    Constant, DTypeOf, Operation, PrimaryFeature, ProcessingStep, SecondaryFeature, ShapeOf, Slice,
};
use crate::json::{Data, Keys, Node, Object, all, dtype, dtype_named};
use crate::{Kind, Result};
use tfxio_core::DType;

const SECONDARY: [(&str, bool); 2] = [("const", true), ("ones", false)];

/// Reads the arguments of a step, which the object of the step has.
type ReadOperation = fn(&Object<'_>) -> Result<Operation>;

const STEPS: [(&str, ReadOperation); 3] = [("slice", slice), ("onehot", one_hot), ("reshape", reshape)];

/// `primary_features`, of which there may be none where the program gives the data set.
pub(super) fn primary_features(node: &Node<'_>, none: bool) -> Result<Vec<PrimaryFeature>> {
    let items = node.list("a list of objects with from_name and to_name")?;
    if items.is_empty() && !none {
        return Err(node.invalid_value("reads nothing", "give at least one feature"));
    }
    let feature = |node: Node<'_>| {
        let object = node.object(Keys::new("primary feature", &["from_name", "to_name"], &[]))?;
        let from_name = object.need("from_name")?.string()?.into();
        Ok(PrimaryFeature { from_name, to_name: object.need("to_name")?.name()?.into() })
    };
    all(items.into_iter().map(feature))
}

/// `secondary_features`.
pub(super) fn secondary_features(object: &Object<'_>) -> Result<Vec<SecondaryFeature>> {
    object.items("secondary_features", "a list of objects with to_name, type and args", secondary_feature)
}

/// `processing_steps` or `window_steps`.
pub(super) fn steps(object: &Object<'_>, key: &str) -> Result<Vec<ProcessingStep>> {
    object.items(key, "a list of objects with tensor, type and args", processing_step)
}

fn secondary_feature(node: &Node<'_>) -> Result<SecondaryFeature> {
    let object = node.object(Keys::new("secondary feature", &["to_name", "type"], &["args"]))?;
    let to_name = object.need("to_name")?.name()?.into();
    let is_const = object.need("type")?.word("type of secondary feature", &SECONDARY)?;
    let (of, optional): (_, &[_]) = if is_const { ("constant", &["value"]) } else { ("tensor of ones", &[]) };
    let args = object.object_or_empty("args", Keys::new(of, &["shape", "dtype"], optional))?;
    let shape = args.need("shape")?;
    let shape = match shape.string() {
        Ok(_) => ShapeOf::Tensor(shape.name()?.into()),
        Err(_) => shape_of(&shape)?,
    };
    let dtype = args.need("dtype")?;
    let dtype = match dtype_named(dtype.name()?) {
        Some(dtype) => DTypeOf::Given(dtype),
        None => DTypeOf::Tensor(dtype.name()?.into()),
    };
    let value = if is_const { args.read("value", constant)?.flatten() } else { Some(Constant::Int(1)) };
    Ok(SecondaryFeature { to_name, shape, dtype, value })
}

/// Reads the shape of a constant: sizes, of which the first may be the steps of a tensor.
fn shape_of(node: &Node<'_>) -> Result<ShapeOf> {
    let wanted = "a list of integers, or the name of a primary tensor";
    let items = node.list(wanted)?;
    match items.split_first() {
        // A number in quotes is not a name.
        Some((first, rest)) if first.string().is_ok_and(|name| name.parse::<f64>().is_err()) => {
            let inner = rest.iter().map(|node| node.count(0..=u32::MAX)).collect::<Result<_>>()?;
            Ok(ShapeOf::Steps(first.name()?.into(), inner))
        }
        _ => Ok(ShapeOf::Given(dimensions(node, 0, wanted)?)),
    }
}

fn processing_step(node: &Node<'_>) -> Result<ProcessingStep> {
    let object = node.object(Keys::new("processing step", &["tensor", "type"], &["args"]))?;
    let tensor: Arc<str> = object.need("tensor")?.string()?.into();
    let read = object.need("type")?.word("processing step", &STEPS)?;
    Ok(ProcessingStep { tensor, operation: read(&object)? })
}

fn slice(step: &Object<'_>) -> Result<Operation> {
    let args = step.object_or_empty("args", Keys::new("slice", &["slice"], &[]))?;
    let slice = args.need("slice")?;
    Ok(Operation::Slice(slice.string()?.parse::<Slice>().map_err(|error| slice.mark(error))?))
}

fn one_hot(step: &Object<'_>) -> Result<Operation> {
    let args = step.object_or_empty("args", Keys::new("one-hot encoding", &["depth"], &["dtype"]))?;
    let depth = args.need("depth")?.count(0..=u32::MAX)?;
    let dtype = args.read("dtype", one_hot_dtype)?.unwrap_or(DType::Float32);
    Ok(Operation::OneHot { depth, dtype })
}

fn one_hot_dtype(node: &Node<'_>) -> Result<DType> {
    match dtype(node)? {
        DType::Bool | DType::String => {
            Err(node.invalid_value("has no 1", "give a dtype of numbers, such as \"float32\" or \"int64\""))
        }
        dtype => Ok(dtype),
    }
}

fn reshape(step: &Object<'_>) -> Result<Operation> {
    let args = step.object_or_empty("args", Keys::new("reshape", &["shape"], &[]))?;
    let node = &args.need("shape")?;
    let items = node.list("a list of integers")?;
    if let Some(item) = items.iter().find(|item| item.integer() == Some(-1)) {
        let hint = "write out the size of each dimension: none is inferred from the others";
        return Err(item.invalid_value("is out of range", hint));
    }
    dimensions(node, 1, "a list of integers").map(Operation::Reshape)
}

/// A shape whose dimensions are at least `least`.
fn dimensions(node: &Node<'_>, least: u32, wanted: &str) -> Result<Vec<usize>> {
    node.list(wanted)?.iter().map(|node| node.count(least..=u32::MAX)).collect()
}

/// A value that has to fit a dtype; `null` for its default.
pub(super) fn constant(node: &Node<'_>) -> Result<Option<Constant>> {
    match &node.value().data {
        Data::Null => Ok(None),
        Data::Bool(value) => Ok(Some(Constant::Bool(*value))),
        Data::Int(value) => Ok(Some(Constant::Int(*value))),
        Data::Float(value) => Ok(Some(Constant::Float(*value))),
        Data::String(text) => Ok(Some(Constant::String(text.clone()))),
        Data::Array(_) | Data::Object(_) => {
            let error = node.error(Kind::InvalidType, format!("{} is given", node.shown()));
            Err(error.help("give one value: a number, a string, true or false"))
        }
    }
}
