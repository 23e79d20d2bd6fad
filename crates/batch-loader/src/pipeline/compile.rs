//! From a configuration to a pipeline.
//!
//! Every error that can be found before data is read is reported here: [`steps`] follows shapes and dtypes through
//! processing, [`constant`] makes the values of constants and padding, [`batching`] checks windows and batches.

mod batching;
mod constant;
mod features;
mod steps;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_core::suggest::hint;

use self::features::{fits_memory, primaries, secondaries};
pub(crate) use self::tokens::least;
use super::{Pipeline, PipelineStep};
use crate::config::{LoaderConfig, LoaderType, Operation, ProcessingStep, SliceAxis};
use crate::error::Locate as _;
use crate::manifest::{FeatureColumns, Manifest};
use crate::shape::{TensorInfo, is_of_lists};
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
        columns: &FeatureColumns,
        config: &LoaderConfig,
        inputs: &[Arc<str>],
        targets: &[Arc<str>],
    ) -> Result<Self> {
        batching::multi_load(manifest, config)?;
        tokens::check(config)?;
        let names = tensor_names(config)?;
        let all = tokens::names_of_model(config, &names)?;
        let mut inputs = chosen(inputs, &all, "input")?;
        let targets = chosen(targets, &all, "target")?;
        all_used(config, &names, &inputs, &targets)?;
        // Rows of several examples are of no use without what tells these apart.
        let unnamed = |at: &usize| !inputs.contains(at) && !targets.contains(at);
        let ids = (names.len()..all.len()).filter(unnamed).collect::<Vec<_>>();
        inputs.extend(ids);
        let mut primary = primaries(manifest, columns, config)?;
        tokens::defaults(config, &names, &mut primary)?;
        let secondary = secondaries(config, &primary, &names)?;
        let made = primary.iter().map(|primary| &primary.info);
        let mut tensors =
            made.chain(secondary.iter().map(|secondary| &secondary.info)).cloned().collect::<Vec<_>>();
        let mut steps =
            processing(&given("processing_steps", &config.processing_steps), &names, &mut tensors)?;
        let one_step = batching::scalar_steps(manifest, config, &tensors);
        steps.extend(processing(&one_step, &names, &mut tensors)?);
        batching::windows(manifest, config, &tensors)?;
        let mut of_windows = given("window_steps", &config.window_steps);
        let (mut window_steps, mut examples) = windowed(config, &of_windows, &names, &tensors)?;
        let budget = tokens::measured(config, &names, &examples)?;
        let cuts = tokens::truncations(config, &names, &budget, &examples)?;
        if config.loader == LoaderType::Independent {
            steps.extend(processing(&cuts, &names, &mut tensors)?);
            examples.clone_from(&tensors);
        } else if !cuts.is_empty() {
            of_windows.extend(cuts);
            (window_steps, examples) = windowed(config, &of_windows, &names, &tensors)?;
        }
        let pack = tokens::pack(config, &examples)?;
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
            pack,
            budget,
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

/// A step with its position in the configuration.
struct Given {
    path: String,
    step: ProcessingStep,
    /// Whether it shortens what is too long, by another key than that of steps.
    truncates: bool,
    /// Whether it is a step of windows.
    of_windows: bool,
}

/// Returns whether an operation takes one position of the first dimension, which it drops.
fn takes_one(operation: &Operation) -> bool {
    matches!(operation, Operation::Slice(slice) if matches!(slice.axes.first(), Some(SliceAxis::Index(_))))
}

/// The steps under a key.
fn given(key: &str, steps: &[ProcessingStep]) -> Vec<Given> {
    let given = |(at, step): (usize, &ProcessingStep)| Given {
        path: format!("{key}[{at}]"),
        step: step.clone(),
        truncates: false,
        of_windows: key == "window_steps",
    };
    steps.iter().enumerate().map(given).collect()
}

/// Returns the names of all tensors, the features first, each with its path in the configuration.
fn made(config: &LoaderConfig) -> impl Iterator<Item = (String, &Arc<str>)> {
    let path = |list: &str, at: usize| format!("{list}_features[{at}].to_name");
    let primary = config.primary_features.iter().enumerate();
    let secondary = config.secondary_features.iter().enumerate();
    primary
        .map(move |(at, feature)| (path("primary", at), &feature.to_name))
        .chain(secondary.map(move |(at, feature)| (path("secondary", at), &feature.to_name)))
}

/// The number of each tensor; each name only once.
fn tensor_names(config: &LoaderConfig) -> Result<Names> {
    let mut names = HashMap::new();
    for (at, (path, name)) in made(config).enumerate() {
        if names.insert(Arc::clone(name), at).is_some() {
            let what = format!("a second tensor would be named {name:?}");
            return Err(invalid(path, what, "every to_name must be another, over both lists"));
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
    match made(config).find(|(_, name)| !names.get(*name).is_some_and(|tensor| used.contains(tensor))) {
        Some((path, name)) => Err(invalid(
            path,
            format!("the tensor {name:?} is neither an input nor a target of the model"),
            "name it as one of these, or remove the feature",
        )),
        None => Ok(()),
    }
}

/// The steps of processing; changes the tensors to what they are after them.
fn processing(given: &[Given], names: &Names, tensors: &mut [TensorInfo]) -> Result<Vec<PipelineStep>> {
    let mut steps = Vec::with_capacity(given.len());
    for Given { path, step, truncates, of_windows } in given {
        let number = tensor(names, &step.tensor, || format!("{path}.tensor"))?;
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
            .map_err(|error| {
                error.at_json(if *truncates { path.clone() } else { format!("{path}.{of_step}") })
            })?;
        let before = std::mem::replace(info, after);
        if *of_windows && is_of_lists(&before.shape) && takes_one(&step.operation) {
            let what = format!(
                "one step of a window of {:?} has any number of values, which are no length of the window",
                before.name
            );
            return Err(invalid(format!("{path}.{of_step}"), what, "take a range of steps, such as [-1:]"));
        }
        steps.push(PipelineStep {
            tensor: number,
            operation: step.operation.clone(),
            before,
            truncates: *truncates,
        });
    }
    Ok(steps)
}

/// The steps on windows, and the tensors of examples after them.
fn windowed(
    config: &LoaderConfig,
    given: &[Given],
    names: &Names,
    tensors: &[TensorInfo],
) -> Result<(Vec<PipelineStep>, Vec<TensorInfo>)> {
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
    for Given { step, .. } in given {
        let Some(info) = names.get(&step.tensor).and_then(|at| examples.get_mut(*at)) else { continue };
        let Some(first) = info.shape.first_mut() else { continue };
        // Steps of a window, or records of which each may be known to have as many.
        *first = window
            .and_then(|(steps, records)| steps.or_else(|| first.and_then(|each| each.checked_mul(records))));
    }
    for info in &examples {
        fits_memory(info).map_err(|error| error.at_json("max_window"))?;
    }
    let mut steps = processing(given, names, &mut examples)?;
    // A step concerns one tensor only, so the order of those of different tensors does not matter.
    steps.sort_by_key(|step| step.tensor);
    Ok((steps, examples))
}
