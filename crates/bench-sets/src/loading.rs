//! Data sets of the loader: files, a manifest, a list of the files, and a configuration. They are small forms of the
//! data sets that `benches/peers/loader_data.py` writes for comparisons with other systems.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::sets::{self, Set};

/// Files that a data set is cut into.
const FILES: usize = 4;
/// Pixels of an image.
pub const PIXELS: usize = 784;
/// Steps a record, and floats a step, of a stream.
pub const STEPS: usize = 1000;
/// See [`STEPS`].
pub const CHANNELS: usize = 8;

/// A way of loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Images and labels of tf.Examples, shuffled.
    Images,
    /// Images, labels and tokens of varying number of tf.SequenceExamples, shuffled and padded.
    Padded,
    /// Windows of a stream of floats, which overlap.
    Windows,
    /// Tokens of varying number, shuffled, in buckets by length and batches within a budget of tokens.
    Budget,
    /// The same tokens, packed into rows.
    Packed,
    /// Images and tokens in buckets by length, of which one is so rare that its examples wait long.
    Waiting,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Images, Self::Padded, Self::Windows, Self::Budget, Self::Packed, Self::Waiting];

    /// Returns its name in the results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Images => "images",
            Self::Padded => "padded",
            Self::Windows => "windows",
            Self::Budget => "max_tokens",
            Self::Packed => "packed",
            Self::Waiting => "waiting",
        }
    }

    /// So many records.
    fn set(self, records: usize) -> Set {
        match self {
            Self::Images => sets::images(records),
            Self::Padded | Self::Budget | Self::Packed => sets::image_sequences(records),
            Self::Waiting => sets::rarely_long_sequences(records),
            Self::Windows => sets::stream(records, STEPS * CHANNELS),
        }
    }

    fn manifest(self) -> String {
        let (var_len, fixed) = match self {
            Self::Padded | Self::Budget | Self::Packed | Self::Waiting => (true, r#""var_len": false, "#),
            _ => (false, ""),
        };
        let features = match self {
            Self::Windows => format!(
                r#"{{"name": "x", "dtype": "float32", "shape": [{STEPS}, {CHANNELS}], "deserialize_type": "float"}}"#
            ),
            _ => format!(
                r#"{{"name": "image", "dtype": "uint8", "shape": [{PIXELS}], {fixed}"deserialize_type": "raw",
                     "deserialize_args": {{"endian": "little"}}}},
                   {{"name": "label", "dtype": "int64", "shape": [], {fixed}"deserialize_type": "int"}}"#
            ),
        };
        let tokens = match self {
            Self::Padded | Self::Budget | Self::Packed | Self::Waiting => {
                r#", {"name": "tokens", "dtype": "int64", "shape": [], "var_len": true, "deserialize_type": "int"}"#
            }
            _ => "",
        };
        format!(r#"{{"compression": null, "allow_var_len": {var_len}, "features": [{features}{tokens}]}}"#)
    }

    fn configuration(self, buffer: usize) -> String {
        let shuffle = format!(
            r#""type": "independent", "shuffle": true, "num_shuffle_buffer_elements": {buffer},
               "num_filenames_shuffle_buffer": {FILES}, "num_mix_files": {FILES}"#
        );
        let (kind, names) = match self {
            Self::Images => (shuffle, &["image", "label"][..]),
            Self::Padded => (format!(r#"{shuffle}, "padding": true"#), &["image", "label", "tokens"][..]),
            Self::Budget => (
                format!(
                    r#"{shuffle}, "padding": true, "max_tokens": 4096,
                       "bucket_by_length": {{"tensor": "tokens", "boundaries": [16, 32, 64]}}"#
                ),
                &["label", "tokens"][..],
            ),
            Self::Packed => (format!(r#"{shuffle}, "pack": 256"#), &["tokens"][..]),
            Self::Waiting => (
                format!(
                    r#"{shuffle}, "padding": true,
                       "bucket_by_length": {{"tensor": "tokens", "boundaries": [33], "batch_sizes": [128, 4096]}}"#
                ),
                &["image", "label", "tokens"][..],
            ),
            Self::Windows => {
                let kind =
                    r#""type": "continuous_sequence", "min_window": 64, "max_window": 64, "stride": 16"#;
                (kind.to_owned(), &["x"][..])
            }
        };
        let names: Vec<_> =
            names.iter().map(|name| format!(r#"{{"from_name": "{name}", "to_name": "{name}"}}"#)).collect();
        format!(
            r#"{{{kind},
               "dataset": {{"type": "list", "args": {{"manifest_file": "manifest.json", "list_file": "files.txt"}}}},
               "target_batch_size": 128, "drop_remainder": false, "epochs": 1, "num_read_buffer_bytes": 0,
               "num_prefetch": 2, "primary_features": [{}], "seed": 1}}"#,
            names.join(", ")
        )
    }
}

/// Writes a data set to a folder. `buffer` is the shuffle buffer's size in records, and each file is listed `times` times.
/// Returns the configuration's path, whose paths start from the folder, and how many bytes its records have.
///
/// # Errors
/// The files cannot be written.
pub fn write(folder: &Path, way: Way, records: usize, buffer: usize, times: usize) -> Result<(PathBuf, u64)> {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display())).map(|()| path)
    };
    let set = way.set(records);
    // A window never crosses from one file to the next: a stream is one file.
    let files = if way == Way::Windows { 1 } else { FILES };
    let mut list = String::new();
    for file in 0..files {
        let first = |file: usize| {
            let at = records * file / files;
            set.payloads
                .get(at)
                .map_or(set.file.len(), |payload| payload.start - tfrecord_io::frame::HEADER_LEN)
        };
        let name = format!("{}-{file}.tfrecord", way.name());
        put(&name, set.file.get(first(file)..first(file + 1)).unwrap_or_default())?;
        list = list + &name + "\n";
    }
    put("files.txt", list.repeat(times).as_bytes())?;
    put("manifest.json", way.manifest().as_bytes())?;
    let configuration = put("loader.json", way.configuration(buffer).as_bytes())?;
    Ok((configuration, set.bytes() * times as u64))
}
