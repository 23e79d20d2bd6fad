//! Configurations and manifests as serde writes them: with the keys and values of their JSON.

use std::collections::{BTreeMap, HashSet};

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

use tfxio_core::{DType, Predicate, SkipBudget};

use super::{
    Constant, DefaultValue, LoaderConfig, OnError, Padding, SecondaryFeature, Shuffle, Slice, Stride,
};
use crate::json::{Node, Value};
use crate::manifest::{Compression, Manifest};

/// Keys of a configuration that change no batch, only how many there are and how fast they come. `even` is compared apart.
const FREE: [&str; 17] = [
    "dataset",
    "target_batch_size",
    "drop_remainder",
    "epochs",
    "num_read_buffer_bytes",
    "num_prefetch",
    "num_parallel_reads",
    "num_parallel_parses",
    "sloppy_interleave",
    "error_budget",
    "seed",
    "shard",
    "even",
    "index",
    "index_dir",
    "multi_load",
    "validate",
];

/// Returns the keys of a configuration that decide which batches come out, each with its value as JSON without blanks, in
/// which whole numbers have no fraction.
pub(crate) fn decisive(config: &LoaderConfig) -> BTreeMap<String, String> {
    let mut config = config.clone();
    let secondary = config.secondary_features.iter_mut().filter_map(|feature| feature.value.as_mut());
    let padding = match &mut config.padding {
        Padding::List(list) => list.as_mut_slice(),
        Padding::Off | Padding::All => &mut [],
    };
    let defaults = config.defaults.iter_mut().flat_map(|default| match &mut default.value {
        DefaultValue::Cells(value) => std::slice::from_mut(value),
        DefaultValue::List(values) => values,
    });
    let padded = padding.iter_mut().filter_map(|padding| padding.value.as_mut());
    for value in secondary.chain(padded).chain(defaults) {
        value.make_whole();
    }
    let keys: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&json(&config)).unwrap_or_default();
    let decisive = keys.into_iter().filter(|(key, _)| !FREE.contains(&&**key));
    decisive.map(|(key, value)| (key, value.get().to_owned())).collect()
}

/// Returns what of a manifest decides about the features that are read, as JSON.
pub(crate) fn features_read(manifest: &Manifest, config: &LoaderConfig) -> String {
    let mut filtered = Vec::new();
    if let Some(filter) = &config.filter {
        filter.columns(&mut filtered);
    }
    let filtered = filtered.into_iter().filter_map(|column| column.steps().first());
    let read = config.primary_features.iter().map(|feature| &feature.from_name);
    let read = read.chain(filtered).collect::<HashSet<_>>();
    let mut manifest = manifest.clone();
    manifest.features.retain(|feature| read.contains(&feature.name));
    json(&manifest)
}

/// Returns a value as JSON without blanks.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl<'de> Deserialize<'de> for LoaderConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let root = Value::deserialize(deserializer)?;
        super::read::config(&Node::root(&root)).map_err(serde::de::Error::custom)
    }
}

impl Constant {
    /// Makes an integer of a number without a fraction, up to where a float64 has each of them.
    fn make_whole(&mut self) {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if let Self::Float(number) = *self
            && number.fract() == 0.0
            && number.abs() <= EXACT
            // A zero with a sign is another value than an integer 0.
            && (number != 0.0 || number.is_sign_positive())
        {
            #[allow(clippy::cast_possible_truncation, reason = "it is an integer of at most 54 bits")]
            let integer = number as i128;
            *self = Self::Int(integer);
        }
    }
}

impl Serialize for Constant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(number) => serializer.serialize_i128(*number),
            Self::Float(number) if number.is_nan() => serializer.serialize_str("NaN"),
            Self::Float(f64::INFINITY) => serializer.serialize_str("Infinity"),
            Self::Float(f64::NEG_INFINITY) => serializer.serialize_str("-Infinity"),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for SecondaryFeature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Args<'a> {
            shape: &'a super::ShapeOf,
            dtype: &'a super::DTypeOf,
            value: &'a Option<Constant>,
        }
        let Self { to_name, shape, dtype, value } = self;
        let mut out = serializer.serialize_struct("SecondaryFeature", 3)?;
        out.serialize_field("to_name", to_name)?;
        out.serialize_field("type", "const")?;
        out.serialize_field("args", &Args { shape, dtype, value })?;
        out.end()
    }
}

impl Serialize for Padding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_bool(false),
            Self::All => serializer.serialize_bool(true),
            Self::List(list) => list.serialize(serializer),
        }
    }
}

/// `num_prefetch`, and a key beside it that a configuration needs and that changes nothing.
pub(super) fn prefetch<S: Serializer>(batches: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    json!({"num_read_buffer_bytes": 0, "num_prefetch": batches}).serialize(serializer)
}

/// The text of a predicate.
pub(super) fn filter<S: Serializer>(filter: &Option<Predicate>, serializer: S) -> Result<S::Ok, S::Error> {
    filter.as_ref().map(ToString::to_string).serialize(serializer)
}

pub(super) fn stride<S: Serializer>(stride: &Stride, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = match stride {
        Stride::Window => json!({"stride": null}),
        Stride::Range { min, max } if min == max => json!({"stride": min}),
        Stride::Range { min, max } => json!({"min_stride": min, "max_stride": max}),
    };
    keys.serialize(serializer)
}

pub(super) fn shuffle<S: Serializer>(shuffle: &Shuffle, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = match shuffle {
        Shuffle::Off => json!({"shuffle": false}),
        Shuffle::Global => json!({"shuffle": "global"}),
        Shuffle::Blocks { bytes, streams: None } => json!({"shuffle": "blocks", "shuffle_bytes": bytes}),
        Shuffle::Blocks { bytes, streams } => {
            json!({"shuffle": "blocks", "shuffle_bytes": bytes, "shuffle_streams": streams})
        }
        Shuffle::Auto { bytes } => json!({"shuffle": "auto", "shuffle_bytes": bytes}),
        Shuffle::Buffer { elements, filenames, mix_files } => json!({
            "shuffle": true,
            "num_shuffle_buffer_elements": elements,
            "num_filenames_shuffle_buffer": filenames,
            "num_mix_files": mix_files,
        }),
    };
    keys.serialize(serializer)
}

pub(super) fn on_error<S: Serializer>(on_error: &OnError, serializer: S) -> Result<S::Ok, S::Error> {
    let keys = match on_error {
        OnError::Fail => json!({"on_error": "fail"}),
        OnError::Skip(SkipBudget { ranges, bytes, share, .. }) => json!({
            "on_error": "skip",
            "error_budget": {"ranges": ranges, "bytes": bytes, "share": share},
        }),
    };
    keys.serialize(serializer)
}

pub(super) fn slice<S: Serializer>(slice: &Slice, serializer: S) -> Result<S::Ok, S::Error> {
    json!({"slice": slice.to_string()}).serialize(serializer)
}

pub(super) fn reshape<S: Serializer>(shape: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    json!({"shape": shape}).serialize(serializer)
}

/// Writes the name of the tensor whose steps these are, and the sizes of one.
pub(super) fn steps<S: Serializer>(
    name: &std::sync::Arc<str>,
    inner: &[usize],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let sizes = inner.iter().map(|size| json!(size));
    std::iter::once(json!(**name)).chain(sizes).collect::<Vec<_>>().serialize(serializer)
}

/// The sizes of a padding, -1 for the largest of the batch.
pub(super) fn sizes<S: Serializer>(
    shape: &Option<Vec<Option<usize>>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let size = |size: &Option<usize>| size.map_or(-1, |size| i64::try_from(size).unwrap_or(i64::MAX));
    shape.as_ref().map(|shape| shape.iter().map(size).collect::<Vec<_>>()).serialize(serializer)
}

pub(crate) fn dtype<S: Serializer>(dtype: &DType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(dtype.name())
}

pub(crate) fn compression<S: Serializer>(of: &Compression, serializer: S) -> Result<S::Ok, S::Error> {
    match of {
        Compression::Gzip => serializer.serialize_str("gzip"),
        Compression::Zlib => serializer.serialize_str("zlib"),
        Compression::None => serializer.serialize_none(),
    }
}
