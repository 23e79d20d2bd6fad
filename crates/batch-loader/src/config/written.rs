//! What of a configuration and a manifest decides which batches come out, as JSON without blanks: with the keys and
//! values of a configuration, each value written in one way.

use super::{
    BucketByLength, Constant, DTypeOf, Even, LoaderConfig, LoaderType, Normalization, OnError, Operation,
    Padding, PrimaryFeature, ProcessingStep, SecondaryFeature, ShapeOf, Shard, Shuffle, Stride,
    TensorPadding,
};
use crate::manifest::{Deserialize, Endian, Manifest};
use tfrecord_io::Compression;

/// The keys of a configuration with their values. Threads, buffers and what is made ahead are not among them, and
/// neither are `epochs` and `drop_remainder`, which say when batches end, nor the data set, the shard and the batch size.
pub(crate) fn written(config: &LoaderConfig) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let (kind, window) = match config.loader {
        LoaderType::Independent { .. } => ("independent", None),
        LoaderType::ContinuousSequence { min_window, max_window, stride } => {
            match stride {
                Stride::Window => out.push(("stride", "null".to_owned())),
                Stride::Range { min, max } if min == max => out.push(("stride", min.to_string())),
                Stride::Range { min, max } => {
                    out.extend([("min_stride", min.to_string()), ("max_stride", max.to_string())]);
                }
            }
            ("continuous_sequence", Some((min_window, max_window)))
        }
        LoaderType::DiscreteSequence { min_window, max_window } => {
            ("discrete_sequence", Some((min_window, max_window)))
        }
    };
    out.push(("type", string(kind)));
    if let Some((min, max)) = window {
        out.extend([("min_window", min.to_string()), ("max_window", max.to_string())]);
    }
    match config.shuffle {
        Shuffle::Off => out.push(("shuffle", "false".to_owned())),
        Shuffle::Global => out.push(("shuffle", string("global"))),
        Shuffle::Buffer { elements, filenames, mix_files } => out.extend([
            ("shuffle", "true".to_owned()),
            ("num_shuffle_buffer_elements", elements.to_string()),
            ("num_filenames_shuffle_buffer", filenames.to_string()),
            ("num_mix_files", mix_files.to_string()),
        ]),
    }
    out.push(("primary_features", list(&config.primary_features, primary)));
    out.push(("secondary_features", list(&config.secondary_features, secondary)));
    out.push(("processing_steps", list(&config.processing_steps, step)));
    out.push(("window_steps", list(&config.window_steps, step)));
    out.push(("normalization", list(&config.normalization, normalization)));
    out.push((
        "padding",
        match &config.padding {
            Padding::Off => "false".to_owned(),
            Padding::All => "true".to_owned(),
            Padding::List(given) => list(given, padding),
        },
    ));
    let on_error = match config.on_error {
        OnError::Fail => "fail",
        OnError::Skip(_) => "skip",
    };
    out.push(("on_error", string(on_error)));
    if let Some(buckets) = &config.bucket_by_length {
        out.push(("bucket_by_length", bucket_by_length(buckets)));
    }
    out
}

/// A shard as a configuration has it.
pub(crate) fn shard(shard: Shard) -> String {
    object([("index", shard.index.to_string()), ("count", shard.count.to_string())])
}

/// How hosts are made even.
pub(crate) fn even(even: Even) -> String {
    string(match even {
        Even::Drop => "drop",
        Even::Repeat => "repeat",
    })
}

/// A list of names.
pub(crate) fn names<T: AsRef<str>>(names: &[T]) -> String {
    list(names, |name| string(name.as_ref()))
}

/// What of a manifest decides about the features that are read.
pub(crate) fn manifest(manifest: &Manifest, config: &LoaderConfig) -> String {
    let read = config.primary_features.iter().map(|feature| &feature.from_name);
    let read = read.collect::<std::collections::HashSet<_>>();
    let features = manifest.features.iter().filter(|feature| read.contains(&feature.name));
    let feature = |feature: &crate::manifest::Feature| {
        let (stored, args) = match feature.deserialize {
            Deserialize::Int => ("int", None),
            Deserialize::Float => ("float", None),
            Deserialize::String => ("string", None),
            Deserialize::Raw { endian, len } => ("raw", Some((endian, len))),
        };
        let args = args.map(|(endian, len)| {
            let endian = if endian == Endian::Little { "little" } else { "big" };
            ("deserialize_args", object([("endian", string(endian)), ("len", len.to_string())]))
        });
        let members = [
            ("name", string(&feature.name)),
            ("dtype", string(feature.dtype.name())),
            ("shape", list(&feature.shape, usize::to_string)),
            ("var_len", feature.var_len.to_string()),
            ("deserialize_type", string(stored)),
        ];
        object(members.into_iter().chain(args))
    };
    let compression = match manifest.compression {
        Compression::Gzip => string("gzip"),
        Compression::Zlib => string("zlib"),
        _ => "null".to_owned(),
    };
    object([
        ("compression", compression),
        ("allow_var_len", manifest.allow_var_len.to_string()),
        ("features", list(&features.collect::<Vec<_>>(), |one| feature(one))),
    ])
}

fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

fn object(members: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let members = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn primary(feature: &PrimaryFeature) -> String {
    object([("from_name", string(&feature.from_name)), ("to_name", string(&feature.to_name))])
}

fn secondary(feature: &SecondaryFeature) -> String {
    let shape = match &feature.shape {
        ShapeOf::Given(shape) => list(shape, usize::to_string),
        ShapeOf::Tensor(name) => string(name),
    };
    let dtype = match &feature.dtype {
        DTypeOf::Given(dtype) => string(dtype.name()),
        DTypeOf::Tensor(name) => string(name),
    };
    let args = object([("shape", shape), ("dtype", dtype), ("value", constant(feature.value.as_ref()))]);
    object([("to_name", string(&feature.to_name)), ("type", string("const")), ("args", args)])
}

fn step(step: &ProcessingStep) -> String {
    let (kind, args) = match &step.operation {
        Operation::Slice(slice) => ("slice", object([("slice", string(&slice.to_string()))])),
        Operation::OneHot { depth, dtype } => {
            ("onehot", object([("depth", depth.to_string()), ("dtype", string(dtype.name()))]))
        }
        Operation::Reshape(shape) => ("reshape", object([("shape", list(shape, usize::to_string))])),
    };
    object([("tensor", string(&step.tensor)), ("type", string(kind)), ("args", args)])
}

fn normalization(given: &Normalization) -> String {
    object([("tensor", string(&given.tensor)), ("axis", given.axis.to_string())])
}

fn padding(given: &TensorPadding) -> String {
    let size = |size: &Option<usize>| size.map_or_else(|| "-1".to_owned(), |size| size.to_string());
    let shape = given.shape.as_ref().map_or_else(|| "null".to_owned(), |shape| list(shape, size));
    let value = constant(given.value.as_ref());
    object([("tensor", string(&given.tensor)), ("shape", shape), ("value", value)])
}

fn bucket_by_length(buckets: &BucketByLength) -> String {
    object([
        ("tensor", string(&buckets.tensor)),
        ("boundaries", list(&buckets.boundaries, usize::to_string)),
        ("batch_sizes", list(&buckets.batch_sizes, usize::to_string)),
    ])
}

/// A value, `null` for none. Whole numbers are written without a fraction, up to where a float64 has each of them.
fn constant(value: Option<&Constant>) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        None => "null".to_owned(),
        Some(Constant::Bool(value)) => value.to_string(),
        Some(Constant::Int(number)) => number.to_string(),
        Some(Constant::Float(number)) if number.is_nan() => string("NaN"),
        Some(Constant::Float(number)) if number.is_infinite() => {
            string(if *number > 0.0 { "Infinity" } else { "-Infinity" })
        }
        Some(Constant::Float(number)) => {
            let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
            // A zero with a sign is another value than an integer 0.
            if is_whole && (*number != 0.0 || number.is_sign_positive()) {
                format!("{number:.0}")
            } else {
                format!("{number:?}")
            }
        }
        Some(Constant::String(text)) => string(text),
    }
}
