//! Tensors of a pipeline before processing: read from features, or made.

use std::collections::HashMap;
use std::sync::Arc;

use tfxio_core::DType;
use tfxio_core::suggest::hint;

use super::{Names, constant, invalid};
use crate::config::{Constant, DTypeOf, LoaderConfig, PrimaryFeature, SecondaryFeature, ShapeOf};
use crate::error::Locate as _;
use crate::manifest::{Deserialize, Feature, FeatureColumns, Manifest};
use crate::pipeline::{Primary, Secondary};
use crate::shape::{Shape, TensorInfo, shape_text};
use crate::{Error, Kind, Result};

/// The features that are read.
pub(super) fn primaries(
    manifest: &Manifest,
    columns: &FeatureColumns,
    config: &LoaderConfig,
) -> Result<Vec<Primary>> {
    let features = by_name(manifest);
    let find = |(at, wanted): (usize, &PrimaryFeature)| {
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
        let column = columns.of(&feature.name);
        let shape = match column {
            // The values of steps that differ.
            Some(column) if column.has_lists => vec![None, None],
            _ => shape_of_feature(feature),
        };
        let info = TensorInfo { name: Arc::clone(&wanted.to_name), dtype: feature.dtype, shape };
        fits_memory(&info).map_err(|error| error.at_json(path()))?;
        let column = column.map(|column| column.path.clone());
        Ok(Primary { feature: feature.clone(), column, info, default: None })
    };
    config.primary_features.iter().enumerate().map(find).collect()
}

/// The features of a manifest by their names.
pub(super) fn by_name(manifest: &Manifest) -> HashMap<&str, &Feature> {
    manifest.features.iter().map(|feature| (&*feature.name, feature)).collect()
}

/// Refuses casts between strings and numbers.
fn castable(feature: &Feature) -> Result<()> {
    let Feature { name, dtype, .. } = feature;
    let (stored, allowed) = match (feature.deserialize, *dtype == DType::String) {
        (Deserialize::String, false) => ("string", "the dtype of strings is \"string\""),
        (Deserialize::Int, true) => ("int", "numbers are cast to numbers only"),
        (Deserialize::Float, true) => ("float", "numbers are cast to numbers only"),
        (Deserialize::Raw { .. }, true) => {
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
pub(super) fn fits_memory(info: &TensorInfo) -> Result<()> {
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
pub(super) fn secondaries(
    config: &LoaderConfig,
    primary: &[Primary],
    names: &Names,
) -> Result<Vec<Secondary>> {
    // Only a primary tensor's shape or dtype can be copied.
    let source = |name: &Arc<str>, path: String| {
        let found = names.get(name).and_then(|at| Some((*at, primary.get(*at)?)));
        found.ok_or_else(|| {
            let known = primary.iter().map(|primary| &*primary.info.name);
            let what = format!("there is no primary tensor {name:?}");
            invalid(path, what, hint(name, known, "primary tensors"))
        })
    };
    let make = |(at, feature): (usize, &SecondaryFeature)| {
        let path = |key: &str| format!("secondary_features[{at}].args.{key}");
        let (shape, shape_of) = match &feature.shape {
            ShapeOf::Given(shape) => (shape.iter().copied().map(Some).collect(), None),
            ShapeOf::Tensor(name) => {
                let (at, primary) = source(name, path("shape"))?;
                let shape = primary.info.shape.clone();
                let is_known = shape.iter().all(Option::is_some);
                (shape, (!is_known).then_some(at))
            }
            ShapeOf::Steps(name, inner) => {
                let (at, primary) = source(name, path("shape"))?;
                let Some(steps) = primary.info.shape.first().copied() else {
                    let what = format!("the tensor {name:?} is a scalar, which has no steps");
                    return Err(invalid(
                        path("shape"),
                        what,
                        "name a tensor with a first dimension, or give sizes",
                    ));
                };
                let shape = std::iter::once(steps).chain(inner.iter().copied().map(Some)).collect();
                (shape, steps.is_none().then_some(at))
            }
        };
        let steps_only = matches!(feature.shape, ShapeOf::Steps(..));
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
        Ok(Secondary { info, shape_of, steps_only, value })
    };
    config.secondary_features.iter().enumerate().map(make).collect()
}
