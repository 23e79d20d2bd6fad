//! The tensors of a loader: the features that are read, those that are made, and what is done with them.

use std::sync::Arc;

use crate::config::{
    Constant, DTypeOf, LoaderConfig, Operation, PrimaryFeature, ProcessingStep, SecondaryFeature, ShapeOf,
    Slice,
};
use crate::json::{Data, Keys, Node, Object, dtype, dtype_named};
use crate::{Kind, Result};
use tfxio_core::DType;

const SECONDARY: [(&str, bool); 2] = [("const", true), ("ones", false)];

#[derive(Clone, Copy)]
enum Step {
    Slice,
    OneHot,
    Reshape,
}

const STEPS: [(&str, Step); 3] =
    [("slice", Step::Slice), ("onehot", Step::OneHot), ("reshape", Step::Reshape)];

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
    items.into_iter().map(feature).collect()
}

/// `secondary_features`, `processing_steps` and `window_steps`.
pub(super) fn read(object: &Object<'_>, config: &mut LoaderConfig) -> Result<()> {
    if let Some(node) = object.get("secondary_features") {
        let items = node.list("a list of objects with to_name, type and args")?;
        config.secondary_features = items.iter().map(secondary_feature).collect::<Result<_>>()?;
    }
    for (key, steps) in
        [("processing_steps", &mut config.processing_steps), ("window_steps", &mut config.window_steps)]
    {
        if let Some(node) = object.get(key) {
            let items = node.list("a list of objects with tensor, type and args")?;
            *steps = items.iter().map(processing_step).collect::<Result<_>>()?;
        }
    }
    Ok(())
}

fn secondary_feature(node: &Node<'_>) -> Result<SecondaryFeature> {
    let object = node.object(Keys::new("secondary feature", &["to_name", "type"], &["args"]))?;
    let to_name = object.need("to_name")?.name()?.into();
    let is_const = object.need("type")?.word("type of secondary feature", &SECONDARY)?;
    let args = if is_const {
        object.object_or_empty("args", Keys::new("constant", &["shape", "dtype"], &["value"]))?
    } else {
        object.object_or_empty("args", Keys::new("tensor of ones", &["shape", "dtype"], &[]))?
    };
    let shape = args.need("shape")?;
    let shape = match shape.string() {
        Ok(_) => ShapeOf::Tensor(shape.name()?.into()),
        Err(_) => {
            ShapeOf::Given(dimensions(&shape, 0, "a list of integers, or the name of a primary tensor")?)
        }
    };
    let dtype = args.need("dtype")?;
    let dtype = match dtype_named(dtype.name()?) {
        Some(dtype) => DTypeOf::Given(dtype),
        None => DTypeOf::Tensor(dtype.name()?.into()),
    };
    let value = if is_const {
        args.get("value").map_or(Ok(None), |node| constant(&node))?
    } else {
        Some(Constant::Int(1))
    };
    Ok(SecondaryFeature { to_name, shape, dtype, value })
}

fn processing_step(node: &Node<'_>) -> Result<ProcessingStep> {
    let object = node.object(Keys::new("processing step", &["tensor", "type"], &["args"]))?;
    let tensor: Arc<str> = object.need("tensor")?.string()?.into();
    let operation = match object.need("type")?.word("processing step", &STEPS)? {
        Step::Slice => {
            let args = object.object_or_empty("args", Keys::new("slice", &["slice"], &[]))?;
            let slice = args.need("slice")?;
            Operation::Slice(slice.string()?.parse::<Slice>().map_err(|error| slice.mark(error))?)
        }
        Step::OneHot => {
            let args =
                object.object_or_empty("args", Keys::new("one-hot encoding", &["depth"], &["dtype"]))?;
            let depth = args.need("depth")?.count(0..=u32::MAX)?;
            let dtype = args.get("dtype").map_or(Ok(DType::Float32), |node| one_hot_dtype(&node))?;
            Operation::OneHot { depth, dtype }
        }
        Step::Reshape => {
            let args = object.object_or_empty("args", Keys::new("reshape", &["shape"], &[]))?;
            Operation::Reshape(reshaped(&args.need("shape")?)?)
        }
    };
    Ok(ProcessingStep { tensor, operation })
}

fn one_hot_dtype(node: &Node<'_>) -> Result<DType> {
    match dtype(node)? {
        DType::Bool | DType::String => {
            Err(node.invalid_value("has no 1", "give a dtype of numbers, such as \"float32\" or \"int64\""))
        }
        dtype => Ok(dtype),
    }
}

/// The shape of a reshape.
fn reshaped(node: &Node<'_>) -> Result<Vec<usize>> {
    let items = node.list("a list of integers")?;
    if let Some(item) = items.iter().find(|item| item.integer() == Some(-1)) {
        let hint = "write out the size of each dimension: none is inferred from the others";
        return Err(item.invalid_value("is out of range", hint));
    }
    dimensions(node, 1, "a list of integers")
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
