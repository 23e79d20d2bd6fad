//! Reading a configuration from JSON.

mod batching;
mod errors;
mod examples;
mod order;
mod records;
mod tensors;
mod tokens;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{DatasetSource, LoaderConfig, Padding};
use crate::json::{Keys, Located, Mistakes, Node, Object, Value, read_text};
use crate::{Kind, Result};

/// Keys of all loaders, beside `type`.
const REQUIRED: [&str; 3] = ["type", "dataset", "primary_features"];
const OPTIONAL: [&str; 36] = [
    "target_batch_size",
    "drop_remainder",
    "epochs",
    "num_read_buffer_bytes",
    "num_prefetch",
    "defaults",
    "truncate",
    "max_tokens",
    "pack",
    "filter",
    "validate",
    "num_parallel_reads",
    "num_parallel_parses",
    "shuffle",
    "shuffle_bytes",
    "shuffle_streams",
    "num_shuffle_buffer_elements",
    "num_filenames_shuffle_buffer",
    "num_mix_files",
    "sloppy_interleave",
    "num_interleave_out_buffer_elements",
    "num_interleave_in_buffer_elements",
    "secondary_features",
    "processing_steps",
    "normalization",
    "padding",
    "bucket_by_length",
    "on_error",
    "error_budget",
    "seed",
    "shard",
    "even",
    "index",
    "index_dir",
    "multi_load",
    "name",
];

/// Keys that were called otherwise before.
const OLD: [&str; 1] = ["on_corrupt"];

/// Bytes that are read at once.
const READ_BUFFER: RangeInclusive<u32> = 0..=1 << 30;
/// Threads of one kind.
const THREADS: RangeInclusive<u32> = 1..=1024;
/// Range of numbers of batches made ahead.
const AHEAD: RangeInclusive<u32> = 0..=65_536;
/// Any other number of things.
const COUNT: RangeInclusive<u32> = 1..=u32::MAX;

impl LoaderConfig {
    /// Reads a configuration from JSON; `//` comments are allowed.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, LoaderType};
    ///
    /// let config = LoaderConfig::from_json(
    ///     r#"{
    ///         "type": "independent",
    ///         "dataset": {"type": "dir", "args": {"data_dir": "digits"}},
    ///         "target_batch_size": 32,
    ///         "drop_remainder": true,
    ///         "epochs": 3, // null for no end
    ///         "num_read_buffer_bytes": 1048576,
    ///         "num_prefetch": 2,
    ///         "primary_features": [{"from_name": "image/pixels", "to_name": "image"}]
    ///     }"#,
    /// )?;
    /// assert_eq!(config.loader, LoaderType::Independent);
    /// assert_eq!(config.epochs, Some(3));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    ///
    /// Rules that need the manifest and the names of the model's tensors, such as the existence of a tensor, are
    /// checked when a loader is built.
    ///
    /// # Errors
    ///
    /// Each error contains line, column, the path in the JSON and the allowed values.
    /// [`Error::others`](crate::Error::others) are further mistakes of the same text, each on a line of its own.
    ///
    /// * `InvalidJson` if the text is not JSON, or an object has the same key twice.
    /// * `MissingArgument`, `UnexpectedArgument` for a key that is missing or unknown.
    /// * `InvalidType`, `InvalidValue` for a value that is not allowed.
    pub fn from_json(text: &str) -> Result<Located<Self>> {
        read(text, None)
    }

    /// Reads a configuration from a file.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json), with the file; `NotFound` if the file does not exist, `Io` if it cannot be
    /// read, `LimitExceeded` if it has more than 64 MiB.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Located<Self>> {
        let path = path.as_ref();
        let name: Arc<str> = path.display().to_string().into();
        let text = read_text(path, "configuration")?;
        read(&text, Some(Arc::clone(&name))).map_err(|error| error.in_file(name))
    }
}

fn read(text: &str, file: Option<Arc<str>>) -> Result<Located<LoaderConfig>> {
    let root = Value::parse(text)?;
    Ok(Located::new(config(&Node::root(&root))?, &root, file))
}

/// Reads a configuration from the tree of its JSON. The error contains all mistakes.
pub(super) fn config(node: &Node<'_>) -> Result<LoaderConfig> {
    let found = Mistakes::default();
    let read = fields(node, &found);
    let config = found.take(read);
    found.finish()?;
    config.ok_or_else(|| node.error(Kind::InvalidValue, "this is not a configuration"))
}

fn fields(node: &Node<'_>, found: &Mistakes) -> Result<LoaderConfig> {
    let (loader, multi_load, object) = examples::loader(node, found)?;
    let dataset = object.get("dataset").filter(|node| !node.is_null());
    let has_files = dataset.is_some();
    let dataset = dataset.and_then(|node| found.take(dataset_of(&node)));
    let features = |node: &Node<'_>| tensors::primary_features(node, !has_files);
    let primary_features = found.given(object.read("primary_features", features)).unwrap_or_default();
    let mut config =
        LoaderConfig { loader, multi_load, primary_features, dataset, ..LoaderConfig::default() };
    let count = |key, range| found.given(object.read(key, |node| node.count(range)));
    config.target_batch_size = count("target_batch_size", COUNT).unwrap_or(config.target_batch_size);
    config.drop_remainder = found.given(object.read("drop_remainder", Node::bool)).unwrap_or_default();
    config.epochs = found.given(object.read("epochs", epochs)).unwrap_or(config.epochs);
    config.num_prefetch = count("num_prefetch", AHEAD).unwrap_or(config.num_prefetch);
    // These change nothing, and have to be what they should be all the same.
    count("num_read_buffer_bytes", READ_BUFFER);
    config.num_parallel_reads = count("num_parallel_reads", THREADS).unwrap_or(1);
    config.num_parallel_parses = count("num_parallel_parses", THREADS).unwrap_or(1);
    count("num_interleave_out_buffer_elements", 1..=*AHEAD.end());
    count("num_interleave_in_buffer_elements", AHEAD);
    found.given(object.read("name", Node::string));
    config.sloppy_interleave = found.given(object.read("sloppy_interleave", Node::bool)).unwrap_or_default();
    config.on_error = found.take(errors::on_error(&object)).unwrap_or(config.on_error);
    config.seed = found.given(object.read("seed", |node| node.integer_in(0..=u64::MAX)));
    config.shuffle = found.take(order::shuffle(&object)).unwrap_or(config.shuffle);
    config.shard = found.given(object.read("shard", order::shard));
    config.even = found.given(object.read("even", order::even));
    found.take(order::index(&object, &mut config));
    config.filter = found.given(object.read("filter", records::filter));
    config.validate = found.given(object.read("validate", records::validate));
    config.secondary_features = found.take(tensors::secondary_features(&object)).unwrap_or_default();
    config.processing_steps = found.take(tensors::steps(&object, "processing_steps")).unwrap_or_default();
    config.window_steps = found.take(tensors::steps(&object, "window_steps")).unwrap_or_default();
    config.normalization = found.take(batching::normalizations(&object)).unwrap_or_default();
    config.padding = found.given(object.read("padding", batching::padding)).unwrap_or(Padding::Off);
    config.defaults = found.take(tokens::defaults(&object)).unwrap_or_default();
    config.truncate = found.take(tokens::truncations(&object)).unwrap_or_default();
    let has_budget = object.get("max_tokens").is_some();
    config.max_tokens = found.given(object.read("max_tokens", tokens::max_tokens));
    config.pack = found.given(object.read("pack", tokens::pack));
    let buckets = |node: &Node<'_>| batching::bucket_by_length(node, has_budget);
    config.bucket_by_length = found.given(object.read("bucket_by_length", buckets));
    Ok(config)
}

fn epochs(node: &Node<'_>) -> Result<Option<u64>> {
    if node.is_null() {
        return Ok(None);
    }
    let advice = format!("give an integer from 1 to {}, or null for no end", u32::MAX);
    node.integer_in(COUNT).map(|epochs| Some(epochs.into())).map_err(|error| error.help(advice))
}

fn dataset_of(node: &Node<'_>) -> Result<DatasetSource> {
    let path = |object: &Object<'_>, key: &str| object.need(key)?.name().map(PathBuf::from);
    let object = node.object(Keys::new("data set", &["type", "args"], &[]))?;
    let types = [("dir", Type::Dir), ("list", Type::List), ("spec", Type::Spec)];
    let named = object.need("type")?.word("type of data set", &types)?;
    let args = object.need("args")?;
    match named {
        Type::List => {
            let args =
                args.object(Keys::new("data set of type \"list\"", &["manifest_file", "list_file"], &[]))?;
            let (manifest_file, list_file) = (path(&args, "manifest_file")?, path(&args, "list_file")?);
            Ok(DatasetSource::List { manifest_file, list_file })
        }
        Type::Spec => {
            let args = args.object(Keys::new("data set of type \"spec\"", &["spec_file"], &[]))?;
            Ok(DatasetSource::Spec { spec_file: path(&args, "spec_file")? })
        }
        Type::Dir => {
            let args = args.object(Keys::new("data set of type \"dir\"", &["data_dir"], &[]))?;
            Ok(DatasetSource::Dir { data_dir: path(&args, "data_dir")? })
        }
    }
}

/// Type of a data set's source.
#[derive(Clone, Copy)]
enum Type {
    Dir,
    List,
    Spec,
}
