//! From a configuration to a pipeline.
//!
//! Everything that can be said before data is read is said here: [`steps`] follows shapes and dtypes through
//! processing, [`constant`] makes the values of constants and padding, [`batching`] checks what concerns
//! windows and batches.

mod batching;
mod constant;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_core::DType;

use tfxio_core::suggest::hint;

use super::text::shape_text;
use super::{Pipeline, Primary, Secondary, Step};
use crate::config::{Constant, DTypeOf, LoaderConfig, LoaderType, Operation, ProcessingStep, ShapeOf};
use crate::error::Locate as _;
use crate::manifest::{Deserialize, Feature, Manifest};
use crate::shape::{Shape, TensorInfo};
use crate::{Error, Kind, Result};

impl Pipeline {
    /// The tensors that a configuration makes of a data set, and what is done with them, for a model with
    /// these inputs and targets.
    ///
    /// # Errors
    /// `InvalidValue` (a few `InvalidType`s) with the path in the configuration, for everything that is wrong
    /// whatever the data.
    pub(crate) fn compile(
        manifest: &Manifest,
        config: &LoaderConfig,
        inputs: &[Arc<str>],
        targets: &[Arc<str>],
    ) -> Result<Self> {
        batching::multi_load(manifest, config)?;
        let names = tensor_names(config)?;
        let inputs = chosen(inputs, &names, "input")?;
        let targets = chosen(targets, &names, "target")?;
        all_used(config, &names, &inputs, &targets)?;
        let primary = primaries(manifest, config)?;
        let secondary = secondaries(config, &primary, &names)?;
        let made = primary.iter().map(|primary| &primary.info);
        let mut tensors =
            made.chain(secondary.iter().map(|secondary| &secondary.info)).cloned().collect::<Vec<_>>();
        let steps = processing("processing_steps", &config.processing_steps, &names, &mut tensors)?;
        batching::windows(manifest, config, &tensors)?;
        let (window_steps, examples) = windowed(config, &names, &tensors)?;
        let padding = batching::padding(config, &names, &examples, &window_steps)?;
        let normalization = batching::normalization(config, &names, &examples)?;
        batching::buckets(config, &names, &examples)?;
        Ok(Self {
            loader: config.loader,
            primary,
            secondary,
            steps,
            tensors,
            window_steps,
            examples,
            padding,
            normalization,
            inputs,
            targets,
        })
    }
}

/// The number of each tensor by its name.
type Names = HashMap<Arc<str>, usize>;

#[cold]
fn invalid(path: impl Into<Arc<str>>, what: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Kind::InvalidValue, what).help(hint).at_json(path)
}

/// The names of the features' tensors and of those that are made, in this order; each only once.
fn tensor_names(config: &LoaderConfig) -> Result<Names> {
    let primary = config.primary_features.iter().map(|feature| ("primary", &feature.to_name));
    let secondary = config.secondary_features.iter().map(|feature| ("secondary", &feature.to_name));
    let mut names = HashMap::new();
    let first_secondary = config.primary_features.len();
    for (at, (list, name)) in primary.chain(secondary).enumerate() {
        if names.insert(Arc::clone(name), at).is_some() {
            let at = if at < first_secondary { at } else { at - first_secondary };
            let what = format!("a second tensor would be named {name:?}");
            return Err(invalid(
                format!("{list}_features[{at}].to_name"),
                what,
                "every to_name must be another, over both lists",
            ));
        }
    }
    Ok(names)
}

/// The tensors of these names of a model.
fn chosen(wanted: &[Arc<str>], names: &Names, what: &str) -> Result<Vec<usize>> {
    let mut seen = HashSet::new();
    let find = |name: &Arc<str>| {
        if !seen.insert(Arc::clone(name)) {
            let message = format!("the model's {what} {name:?} is named twice");
            return Err(Error::new(Kind::InvalidValue, message)
                .help("name each once")
                .of_tensor(Arc::clone(name)));
        }
        names.get(name).copied().ok_or_else(|| {
            let hint = hint(name, sorted(names), "tensors");
            Error::new(Kind::InvalidValue, format!("no feature makes the model's {what} {name:?}"))
                .help(format!("{hint}; give a primary or secondary feature this to_name"))
                .of_tensor(Arc::clone(name))
        })
    };
    wanted.iter().map(find).collect()
}

/// The names in the order of their tensors.
fn sorted(names: &Names) -> Vec<&str> {
    let mut names = names.iter().collect::<Vec<_>>();
    names.sort_by_key(|(_, at)| **at);
    names.into_iter().map(|(name, _)| &**name).collect()
}

/// The tensor that a position in the configuration names.
fn tensor(names: &Names, name: &str, path: impl FnOnce() -> String) -> Result<usize> {
    names.get(name).copied().ok_or_else(|| {
        let hint = hint(name, sorted(names), "tensors");
        invalid(path(), format!("there is no tensor {name:?}"), hint)
    })
}

fn all_used(config: &LoaderConfig, names: &Names, inputs: &[usize], targets: &[usize]) -> Result<()> {
    let used = inputs.iter().chain(targets).copied().collect::<HashSet<_>>();
    let primary = config.primary_features.iter().enumerate();
    let primary = primary.map(|(at, feature)| ("primary", at, &feature.to_name));
    let secondary = config.secondary_features.iter().enumerate();
    let secondary = secondary.map(|(at, feature)| ("secondary", at, &feature.to_name));
    for (list, at, name) in primary.chain(secondary) {
        if !names.get(name).is_some_and(|tensor| used.contains(tensor)) {
            return Err(invalid(
                format!("{list}_features[{at}].to_name"),
                format!("the tensor {name:?} is neither an input nor a target of the model"),
                "name it as one of these, or remove the feature",
            ));
        }
    }
    Ok(())
}

/// The features that are read.
fn primaries(manifest: &Manifest, config: &LoaderConfig) -> Result<Vec<Primary>> {
    let features = by_name(manifest);
    let find = |(at, wanted): (usize, &crate::config::PrimaryFeature)| {
        let path = || format!("primary_features[{at}].from_name");
        let name = &wanted.from_name;
        let feature = features.get(&**name).copied().ok_or_else(|| {
            let known = manifest.features.iter().map(|feature| &*feature.name);
            invalid(
                path(),
                format!("the data set has no feature {name:?}"),
                hint(name, known, "features of the manifest"),
            )
        })?;
        castable(feature).map_err(|error| error.at_json(path()))?;
        let info = TensorInfo {
            name: Arc::clone(&wanted.to_name),
            dtype: feature.dtype,
            shape: shape_of_feature(feature),
        };
        fits_memory(&info).map_err(|error| error.at_json(path()))?;
        Ok(Primary { feature: feature.clone(), info })
    };
    config.primary_features.iter().enumerate().map(find).collect()
}

/// The features of a manifest by their names.
fn by_name(manifest: &Manifest) -> HashMap<&str, &Feature> {
    manifest.features.iter().map(|feature| (&*feature.name, feature)).collect()
}

/// Refuses casts between strings and numbers.
fn castable(feature: &Feature) -> Result<()> {
    let Feature { name, dtype, .. } = feature;
    let (stored, allowed) = match (feature.deserialize, *dtype) {
        (Deserialize::String, DType::String) => return Ok(()),
        (Deserialize::String, _) => ("string", "the dtype of strings is \"string\""),
        (Deserialize::Int, DType::String) => ("int", "numbers are cast to numbers only"),
        (Deserialize::Float, DType::String) => ("float", "numbers are cast to numbers only"),
        (Deserialize::Raw { .. }, DType::String) => {
            ("raw", "raw bytes are numbers; strings are read with deserialize_type \"string\"")
        }
        _ => return Ok(()),
    };
    let what =
        format!("the manifest says that feature {name:?} is stored as {stored}, with dtype \"{dtype}\"");
    Err(Error::new(Kind::InvalidValue, what)
        .help(format!("{allowed}; change dtype or deserialize_type in the manifest")))
}

/// The shape of a feature's tensor in one record.
fn shape_of_feature(feature: &Feature) -> Shape {
    let first = match feature.deserialize {
        _ if feature.var_len => Some(None),
        Deserialize::Raw { len, .. } if len > 1 => Some(Some(len)),
        _ => None,
    };
    first.into_iter().chain(feature.shape.iter().copied().map(Some)).collect()
}

/// Refuses a tensor that no memory holds, so that later sizes cannot overflow.
fn fits_memory(info: &TensorInfo) -> Result<()> {
    let width = info.dtype.width().unwrap_or(size_of::<i64>());
    let known = info.shape.iter().flatten().copied();
    // Dimensions of size 0 do not count: sizes of parts of a tensor must not overflow either.
    let bytes = known.map(|size| size.max(1)).try_fold(width, usize::checked_mul);
    if bytes.is_some_and(|bytes| bytes <= isize::MAX as usize) {
        return Ok(());
    }
    let what = format!("a tensor of shape {} has too many elements", shape_text(&info.shape));
    Err(Error::new(Kind::InvalidValue, what).help("use smaller dimensions").of_tensor(Arc::clone(&info.name)))
}

/// The tensors that are made.
fn secondaries(config: &LoaderConfig, primary: &[Primary], names: &Names) -> Result<Vec<Secondary>> {
    // Only a primary tensor's shape or dtype can be copied.
    let source = |name: &Arc<str>, path: String| {
        let found = names.get(name).and_then(|at| Some((*at, primary.get(*at)?)));
        found.ok_or_else(|| {
            let known = primary.iter().map(|primary| &*primary.info.name);
            let what = format!("there is no primary tensor {name:?}");
            invalid(path, what, hint(name, known, "primary tensors"))
        })
    };
    let make = |(at, feature): (usize, &crate::config::SecondaryFeature)| {
        let path = |key: &str| format!("secondary_features[{at}].args.{key}");
        let (shape, shape_of) = match &feature.shape {
            ShapeOf::Given(shape) => (shape.iter().copied().map(Some).collect(), None),
            ShapeOf::Tensor(name) => {
                let (at, primary) = source(name, path("shape"))?;
                let shape = primary.info.shape.clone();
                let is_known = shape.iter().all(Option::is_some);
                (shape, (!is_known).then_some(at))
            }
        };
        let dtype = match &feature.dtype {
            DTypeOf::Given(dtype) => *dtype,
            DTypeOf::Tensor(name) => source(name, path("dtype"))?.1.info.dtype,
        };
        // `ones` of bools are true.
        let value = match (&feature.value, dtype) {
            (Some(Constant::Int(number @ (0 | 1))), DType::Bool) => Some(Constant::Bool(*number == 1)),
            (value, _) => value.clone(),
        };
        let value = constant::cell(dtype, value.as_ref()).map_err(|error| error.at_json(path("value")))?;
        let info = TensorInfo { name: Arc::clone(&feature.to_name), dtype, shape };
        fits_memory(&info).map_err(|error| error.at_json(path("shape")))?;
        Ok(Secondary { info, shape_of, value })
    };
    config.secondary_features.iter().enumerate().map(make).collect()
}

/// The steps of processing under a key; changes the tensors to what they are after them.
fn processing(
    key: &str,
    given: &[ProcessingStep],
    names: &Names,
    tensors: &mut [TensorInfo],
) -> Result<Vec<Step>> {
    let mut steps = Vec::with_capacity(given.len());
    for (at, step) in given.iter().enumerate() {
        let number = tensor(names, &step.tensor, || format!("{key}[{at}].tensor"))?;
        let Some(info) = tensors.get_mut(number) else { continue };
        let of_step = match &step.operation {
            Operation::Slice(_) => "args.slice",
            // That the tensor holds no indices is nothing that the depth could mend.
            Operation::OneHot { .. } if steps::indices(info).is_err() => "tensor",
            Operation::OneHot { .. } => "args.depth",
            Operation::Reshape(_) => "args.shape",
        };
        let after = steps::after(&step.operation, info)
            .and_then(|after| fits_memory(&after).map(|()| after))
            .map_err(|error| error.at_json(format!("{key}[{at}].{of_step}")))?;
        let before = std::mem::replace(info, after);
        steps.push(Step { tensor: number, operation: step.operation.clone(), before });
    }
    Ok(steps)
}

/// The steps on windows, and the tensors of examples after them.
fn windowed(
    config: &LoaderConfig,
    names: &Names,
    tensors: &[TensorInfo],
) -> Result<(Vec<Step>, Vec<TensorInfo>)> {
    let window = match config.loader {
        LoaderType::Independent if config.window_steps.is_empty() => None,
        LoaderType::Independent => {
            return Err(invalid(
                "window_steps",
                "a loader of type \"independent\" cuts no windows",
                "use processing_steps",
            ));
        }
        LoaderType::ContinuousSequence { min_window, max_window, .. } => {
            (min_window == max_window).then_some((Some(min_window), max_window))
        }
        LoaderType::DiscreteSequence { min_window, max_window } => {
            (min_window == max_window).then_some((None, max_window))
        }
    };
    let mut examples = tensors.to_vec();
    for step in &config.window_steps {
        let Some(info) = names.get(&step.tensor).and_then(|at| examples.get_mut(*at)) else { continue };
        let Some(first) = info.shape.first_mut() else { continue };
        // Steps of a window, or records of which each may be known to have as many.
        *first = window
            .and_then(|(steps, records)| steps.or_else(|| first.and_then(|each| each.checked_mul(records))));
    }
    for info in &examples {
        fits_memory(info).map_err(|error| error.at_json("max_window"))?;
    }
    let mut steps = processing("window_steps", &config.window_steps, names, &mut examples)?;
    // A step concerns one tensor only, so the order of those of different tensors does not matter.
    steps.sort_by_key(|step| step.tensor);
    Ok((steps, examples))
}
