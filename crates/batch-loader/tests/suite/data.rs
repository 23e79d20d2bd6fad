//! Data sets that the tests write, and configurations for them.
#![allow(dead_code, reason = "`events` uses some of it")]

use std::fmt;
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use batch_loader::config::{LoaderConfig, Located};
use batch_loader::{Batch, BatchLoader, LoaderBuilder};
use golden_cases::proto::tensorflow::{
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, Int64List, SequenceExample, feature,
};
use tfrecord_io::{Compression, WriterBuilder};
use tfxio_core::{Cancel, Error, Input, Store};

/// The files of this machine, each of which a function opens.
pub struct Opened<F>(pub F);

impl<F> fmt::Debug for Opened<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opened")
    }
}

impl<F: Fn(File) -> Box<dyn Input> + Send + Sync> Store for Opened<F> {
    fn list(&self, pattern: &str) -> tfxio_core::Result<Vec<Arc<str>>> {
        Ok(vec![pattern.into()])
    }

    fn size(&self, name: &str) -> tfxio_core::Result<Option<u64>> {
        Ok(Some(std::fs::metadata(name).map_err(|error| Error::io(error, "opening"))?.len()))
    }

    fn open(&self, name: &str, range: Range<u64>, _: &Cancel) -> tfxio_core::Result<Box<dyn Input>> {
        let mut file = File::open(name).map_err(|error| Error::io(error, "opening"))?;
        file.seek(SeekFrom::Start(range.start)).map_err(|error| Error::io(error, "seeking"))?;
        Ok((self.0)(file))
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        Some(name.into())
    }
}

fn ints(values: Vec<i64>) -> Feature {
    Feature { kind: Some(feature::Kind::Int64List(Int64List { value: values })) }
}

fn bytes(value: Vec<u8>) -> Feature {
    Feature { kind: Some(feature::Kind::BytesList(BytesList { value: vec![value] })) }
}

/// Writes records as `name` below `dir`, with this compression.
pub fn write(dir: &Path, name: &str, compression: Compression, records: impl IntoIterator<Item = Vec<u8>>) {
    let builder = WriterBuilder::default().compression(compression);
    let mut writer = builder.target(dir.join(name)).create().unwrap();
    for record in records {
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
}

/// A tf.Example with its number in `id` and some bytes in `raw`.
pub fn example(id: i64) -> Vec<u8> {
    example_of(id, (0..4).map(|byte| (id as u8).wrapping_add(byte)).collect())
}

/// A tf.Example with its number in `id` and these bytes in `raw`.
pub fn example_of(id: i64, raw: Vec<u8>) -> Vec<u8> {
    let feature = [("id".to_owned(), ints(vec![id])), ("raw".to_owned(), bytes(raw))].into();
    prost::Message::encode_to_vec(&Example { features: Some(Features { feature }) })
}

/// A tf.Example with these values in `v`.
pub fn list(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let feature = [("v".to_owned(), ints(values.into_iter().collect()))].into();
    prost::Message::encode_to_vec(&Example { features: Some(Features { feature }) })
}

/// A tf.SequenceExample with a step for each value.
pub fn sequence(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    sequence_of(values.into_iter().map(|value| vec![value]))
}

/// A tf.SequenceExample with these steps of values in `v`.
pub fn sequence_of(steps: impl IntoIterator<Item = Vec<i64>>) -> Vec<u8> {
    let steps = steps.into_iter().map(ints).collect();
    let lists = [("v".to_owned(), FeatureList { feature: steps })].into();
    prost::Message::encode_to_vec(&SequenceExample {
        context: None,
        feature_lists: Some(FeatureLists { feature_list: lists }),
    })
}

/// Files of independent records: `counts[f]` records in file `f`, numbered `1000 · f + r`.
pub fn independent(dir: &Path, counts: &[usize], compression: Compression) {
    let name = match compression {
        Compression::None => "null",
        Compression::Gzip => "\"gzip\"",
        _ => "\"zlib\"",
    };
    let manifest = format!(
        r#"{{"compression": {name}, "allow_var_len": false, "features": [
            {{"name": "id", "dtype": "int64", "shape": [], "deserialize_type": "int"}},
            {{"name": "raw", "dtype": "uint8", "shape": [4], "deserialize_type": "raw", "deserialize_args": {{"endian": "little"}}}}
        ]}}"#
    );
    std::fs::write(dir.join("__manifest__.json"), manifest).unwrap();
    for (file, &count) in counts.iter().enumerate() {
        let records = (0..count).map(|record| example((1000 * file + record) as i64));
        write(dir, &format!("{file:03}.tfrecord"), compression, records);
    }
}

/// Files of sequences: `lengths[f][r]` steps in record `r` of file `f`, numbered `1000 · f` and on.
pub fn sequences(dir: &Path, lengths: &[Vec<usize>], compression: Compression) {
    let name = if compression == Compression::None { "null" } else { "\"gzip\"" };
    let manifest = format!(
        r#"{{"compression": {name}, "allow_var_len": true, "features": [
            {{"name": "v", "dtype": "int64", "shape": [], "var_len": true, "deserialize_type": "int"}}
        ]}}"#
    );
    std::fs::write(dir.join("__manifest__.json"), manifest).unwrap();
    for (file, lengths) in lengths.iter().enumerate() {
        let mut next = 1000 * file as i64;
        let records = lengths.iter().map(|&steps| {
            let record = sequence(next..next + steps as i64);
            next += steps as i64;
            record
        });
        write(dir, &format!("{file:03}.tfrecord"), compression, records.collect::<Vec<_>>());
    }
}

/// A configuration with what every test needs, and `more` keys.
pub fn config(kind: &str, dir: &Path, tensor: &str, more: &str) -> LoaderConfig {
    located(kind, dir, tensor, more).into_inner()
}

/// The same, with its positions.
pub fn located(kind: &str, dir: &Path, tensor: &str, more: &str) -> Located<LoaderConfig> {
    let dir = dir.display();
    let comma = if more.is_empty() { "" } else { "," };
    let text = format!(
        r#"{{"type": "{kind}", "dataset": {{"type": "dir", "args": {{"data_dir": "{dir}"}}}},
            "num_read_buffer_bytes": 0, "num_prefetch": 2,
            "primary_features": [{{"from_name": "{tensor}", "to_name": "{tensor}"}}]{comma} {more}}}"#
    );
    LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A builder for one tensor as the only input.
pub fn builder(config: impl Into<Located<LoaderConfig>>, tensor: &str) -> LoaderBuilder {
    BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs([tensor])
}

/// The integers of a tensor of a batch, and its shape.
pub fn values(batch: &Batch, tensor: &str) -> (Vec<usize>, Vec<i64>) {
    let tensor = batch.get(tensor).expect("the batch has the tensor");
    (tensor.shape().to_vec(), tensor.values().as_slice::<i64>().expect("int64").to_vec())
}

/// All batches that are left.
pub fn rest(loader: &mut BatchLoader, tensor: &str) -> Vec<(Vec<usize>, Vec<i64>)> {
    let mut out = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        out.push(values(&batch, tensor));
    }
    out
}
