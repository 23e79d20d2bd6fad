//! Checks of windows and batches: loading whole batches, windows, padding, normalization, buckets.

use tfxio_core::{Count, DType};

use super::features::by_name;
use super::{Given, Names, constant, invalid, tensor};
use crate::config::{LoaderConfig, LoaderType, Operation, Padding, ProcessingStep, TensorPadding};
use crate::error::Locate as _;
use crate::manifest::Manifest;
use crate::pipeline::{Pad, PipelineStep};
use crate::shape::{TensorInfo, is_of_lists, shape_text};
use crate::{Error, Kind, Result};

/// `multi_load` is refused beside everything that is done record by record.
pub(super) fn multi_load(manifest: &Manifest, config: &LoaderConfig) -> Result<()> {
    if !config.multi_load {
        return Ok(());
    }
    let beside = [
        (manifest.allow_var_len, "a data set with allow_var_len"),
        (!config.secondary_features.is_empty(), "secondary_features"),
        (!config.processing_steps.is_empty(), "processing_steps"),
        (!config.normalization.is_empty(), "normalization"),
        (config.padding != Padding::Off, "padding"),
    ];
    let Some((_, beside)) = beside.into_iter().find(|(is_given, _)| *is_given) else { return Ok(()) };
    Err(invalid("multi_load", format!("multi_load is not possible with {beside}"), "set it to false"))
}

/// Returns whether each record is one step of windows: every tensor has a first dimension of 1, or one value where columns are read
/// without a manifest, and no feature is a sequence.
fn is_step_a_record(manifest: &Manifest, config: &LoaderConfig, tensors: &[TensorInfo]) -> bool {
    let features = by_name(manifest);
    let is_sequence = |name: &str| features.get(name).is_some_and(|feature| feature.var_len);
    let has_manifest = config.dataset.is_some();
    config.loader != LoaderType::Independent
        && !config.primary_features.iter().any(|wanted| is_sequence(&wanted.from_name))
        && tensors.iter().all(|info| match info.shape.first() {
            Some(steps) => *steps == Some(1),
            None => !has_manifest,
        })
}

/// Returns the steps that make scalars lists of one value, where windows are cut out of records of one step each.
pub(super) fn scalar_steps(manifest: &Manifest, config: &LoaderConfig, tensors: &[TensorInfo]) -> Vec<Given> {
    if !is_step_a_record(manifest, config, tensors) {
        return Vec::new();
    }
    let scalars = tensors.iter().filter(|info| info.shape.is_empty());
    let reshape = |info: &TensorInfo| Given {
        path: "primary_features".to_owned(),
        step: ProcessingStep { tensor: info.name.clone(), operation: Operation::Reshape(vec![1]) },
        truncates: false,
        of_windows: false,
    };
    scalars.map(reshape).collect()
}

/// Windows are cut along the first dimension, which all tensors have to have, and of equal length where they
/// are cut in steps.
pub(super) fn windows(manifest: &Manifest, config: &LoaderConfig, tensors: &[TensorInfo]) -> Result<()> {
    let is_continuous = match config.loader {
        LoaderType::Independent => return Ok(()),
        LoaderType::ContinuousSequence { .. } => true,
        LoaderType::DiscreteSequence { .. } => false,
    };
    let position = |at: usize| match at.checked_sub(config.primary_features.len()) {
        None => format!("primary_features[{at}]"),
        Some(at) => format!("secondary_features[{at}]"),
    };
    let features = by_name(manifest);
    let is_step_a_record = is_step_a_record(manifest, config, tensors);
    for (at, wanted) in config.primary_features.iter().enumerate() {
        let feature = features.get(&*wanted.from_name);
        let is_context = manifest.allow_var_len && feature.is_some_and(|feature| !feature.var_len);
        if is_context && !is_step_a_record {
            return Err(invalid(
                format!("primary_features[{at}].from_name"),
                format!(
                    "{:?} is a feature of the context, which has no steps to cut windows from",
                    wanted.from_name
                ),
                "choose features with var_len, or a loader of type \"independent\"; for records of one step each, give every tensor \
                 a first dimension of 1",
            ));
        }
    }
    for (at, info) in tensors.iter().enumerate() {
        if info.shape.is_empty() {
            return Err(invalid(
                position(at),
                format!("the tensor {:?} is a scalar, which has no steps to cut windows from", info.name),
                "windows need tensors with a first dimension; the step reshape to [1] makes a scalar one step",
            ));
        }
    }
    if !is_continuous {
        return Ok(());
    }
    let known = |info: &TensorInfo| info.shape.first().copied().flatten();
    let mut known = tensors.iter().enumerate().filter_map(|(at, info)| Some((at, info, known(info)?)));
    if let Some((_, first, steps)) = known.next()
        && let Some((at, other, others)) = known.find(|(_, _, others)| *others != steps)
    {
        return Err(invalid(
            position(at),
            format!(
                "the tensor {:?} of shape {} has {} in each record, {:?} of shape {} has {steps}",
                other.name,
                shape_text(&other.shape),
                Count::of(others, "step"),
                first.name,
                shape_text(&first.shape)
            ),
            "all tensors of a continuous sequence have the same length along their first dimension",
        ));
    }
    Ok(())
}

/// Returns the padding of each tensor: as given, or to the largest of the batch with 0 or the empty string.
pub(super) fn padding(
    config: &LoaderConfig,
    names: &Names,
    tensors: &[TensorInfo],
    window_steps: &[PipelineStep],
) -> Result<Option<Vec<Pad>>> {
    let given = match &config.padding {
        Padding::Off => return Ok(None),
        Padding::All => &[][..],
        Padding::List(given) => given,
    };
    let to_largest = |info: &TensorInfo| {
        Ok(Pad { shape: vec![None; info.shape.len()], value: constant::cell(info.dtype, None)? })
    };
    let mut pads = tensors.iter().map(to_largest).collect::<Result<Vec<_>>>()?;
    for (at, given) in given.iter().enumerate() {
        let number = tensor(names, &given.tensor, || format!("padding[{at}].tensor"))?;
        let (Some(pad), Some(info)) = (pads.get_mut(number), tensors.get(number)) else { continue };
        pad.value = constant::cell(info.dtype, given.value.as_ref())
            .map_err(|error| error.at_json(format!("padding[{at}].value")).of_tensor(info.name.clone()))?;
        let is_cut = window_steps.binary_search_by_key(&number, |step| step.tensor).is_ok();
        let examples =
            if is_cut { info.shape.first().copied().flatten() } else { first_of_examples(config, info) };
        pad.shape = pad_shape(examples, given, info)
            .map_err(|error| error.at_json(format!("padding[{at}].shape")).of_tensor(info.name.clone()))?;
    }
    Ok(Some(pads))
}

/// `examples` is the largest first dimension of examples, where it is known.
fn pad_shape(
    examples: Option<usize>,
    given: &TensorPadding,
    info: &TensorInfo,
) -> Result<Vec<Option<usize>>> {
    let Some(shape) = &given.shape else { return Ok(vec![None; info.shape.len()]) };
    let written = |shape: &[Option<usize>]| {
        let sizes = shape.iter().map(|size| size.map_or("-1".to_owned(), |size| size.to_string()));
        format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
    };
    let refused = |what: String, hint: &str| Error::new(Kind::InvalidValue, what).help(hint);
    let mut shape = shape.clone();
    if is_of_lists(&info.shape) && !shape.is_empty() && shape.len() < info.shape.len() {
        // The steps may be said alone.
        shape.resize(info.shape.len(), None);
    }
    if shape.len() != info.shape.len() {
        return Err(refused(
            format!(
                "the shape {} has {}, the tensor of shape {} has {}",
                written(&shape),
                Count::of(shape.len(), "dimension"),
                shape_text(&info.shape),
                info.shape.len()
            ),
            "give a size for each dimension, the batch not counted; -1 for the largest of the batch",
        ));
    }
    let further = shape.iter().zip(&info.shape).skip(2);
    if is_of_lists(&info.shape)
        && let Some((pad, size)) = further.into_iter().find(|(pad, size)| pad.is_some() && *pad != *size)
    {
        let (pad, size) = (pad.unwrap_or_default(), size.unwrap_or_default());
        return Err(refused(
            format!(
                "a value of a step would be padded from {size} to {pad}, and steps have any number of values"
            ),
            "give -1 for the dimensions after that of the values",
        ));
    }
    let sizes = std::iter::once(examples).chain(info.shape.iter().copied().skip(1));
    for (at, (pad, size)) in shape.iter().zip(sizes).enumerate() {
        if let (Some(pad), Some(size)) = (pad, size)
            && size > *pad
        {
            return Err(refused(
                format!(
                    "dimension {at} of the shape {} is smaller than the {size} of the tensor",
                    written(&shape)
                ),
                "tensors are not cut: give at least their size, or -1",
            ));
        }
    }
    Ok(shape)
}

/// The largest first dimension of examples, where it is known: that of a record, or of the longest window.
fn first_of_examples(config: &LoaderConfig, info: &TensorInfo) -> Option<usize> {
    let of_record = info.shape.first().copied().flatten();
    match config.loader {
        LoaderType::Independent => of_record,
        LoaderType::ContinuousSequence { max_window, .. } => Some(max_window),
        LoaderType::DiscreteSequence { max_window, .. } => Some(of_record?.saturating_mul(max_window)),
    }
}

/// The tensors that are normalised, and along which dimension.
pub(super) fn normalization(
    config: &LoaderConfig,
    names: &Names,
    tensors: &[TensorInfo],
) -> Result<Vec<(usize, usize)>> {
    let mut all = Vec::with_capacity(config.normalization.len());
    for (at, given) in config.normalization.iter().enumerate() {
        let number = tensor(names, &given.tensor, || format!("normalization[{at}].tensor"))?;
        let Some(TensorInfo { name, dtype, shape }) = tensors.get(number) else { continue };
        if !matches!(dtype, DType::Float16 | DType::BFloat16 | DType::Float32 | DType::Float64) {
            return Err(invalid(
                format!("normalization[{at}].tensor"),
                format!("the tensor {name:?} has dtype \"{dtype}\""),
                "only float16, bfloat16, float32 and float64 are normalised; the manifest's dtype casts",
            ));
        }
        let rank = shape.len();
        let axis = match usize::try_from(given.axis) {
            Ok(axis) => (axis < rank).then_some(axis),
            Err(_) => usize::try_from(given.axis.unsigned_abs())
                .ok()
                .and_then(|from_end| rank.checked_sub(from_end)),
        };
        let Some(axis) = axis else {
            let what =
                format!("the tensor {name:?} of shape {} has no axis {}", shape_text(shape), given.axis);
            let hint = match rank {
                0 => "a scalar has no axis".to_owned(),
                rank => format!("give one from -{rank} to {}, the batch not counted", rank - 1),
            };
            return Err(invalid(format!("normalization[{at}].axis"), what, hint));
        };
        all.push((number, axis));
    }
    Ok(all)
}

/// Checks that the tensor of the buckets has a first dimension, which is its length.
pub(super) fn buckets(config: &LoaderConfig, names: &Names, tensors: &[TensorInfo]) -> Result<()> {
    let Some(buckets) = &config.bucket_by_length else { return Ok(()) };
    let path = || "bucket_by_length.tensor".to_owned();
    let number = tensor(names, &buckets.tensor, path)?;
    match tensors.get(number) {
        Some(info) if info.shape.is_empty() => Err(invalid(
            path(),
            format!("the tensor {:?} is a scalar", info.name),
            "a length is the first dimension of a tensor",
        )),
        _ => Ok(()),
    }
}
