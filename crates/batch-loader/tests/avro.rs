//! Avro files as the source: any `BatchSource` is one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::Schema;
use avro_path::container::{Codec, ContainerReader, WriterBuilder};
use avro_path::datum::write;
use avro_path::record::{AvroDecoder, Layout, RecordOptions, RecordPlan};
use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::manifest::Manifest;
use batch_loader::{BatchParts, LoaderBuilder, LoaderState};
use tfxio_core::{BatchSource, Origin};

const SCHEMA: &str = r#"{"type": "record", "name": "reading", "fields": [
    {"name": "station", "type": "string"},
    {"name": "number", "type": "int"},
    {"name": "levels", "type": {"type": "array", "items": "double"}}]}"#;

const MANIFEST: &str = r#"{"compression": null, "allow_var_len": true, "features": [
    {"name": "station", "dtype": "string", "shape": [], "var_len": false, "deserialize_type": "string"},
    {"name": "number", "dtype": "int64", "shape": [], "var_len": false, "deserialize_type": "int"},
    {"name": "levels", "dtype": "float32", "shape": [], "var_len": true, "deserialize_type": "float"}]}"#;

/// A file of records numbered from `first` on, the n-th with `n % 4` levels.
fn file(first: i64, count: i64) -> Vec<u8> {
    let schema = Schema::parse(SCHEMA).unwrap();
    let mut writer = WriterBuilder::new().codec(Codec::Null).from_writer(Vec::new(), &schema).unwrap();
    for number in first..first + count {
        let levels = (0..number % 4).map(|level| number as f64 + level as f64 / 8.0).collect::<Vec<_>>();
        writer
            .write_with(|out| {
                write::string(out, &format!("station {number}"));
                write::long(out, number);
                if !levels.is_empty() {
                    write::long(out, levels.len() as i64);
                    levels.iter().for_each(|&level| write::double(out, level));
                }
                write::long(out, 0);
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

/// Gives the records of a file in batches of seven.
struct Avro {
    reader: ContainerReader<Cursor<Vec<u8>>>,
    decoder: AvroDecoder,
    schema: SchemaRef,
    waiting: Vec<RecordBatch>,
}

impl BatchSource for Avro {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, tfxio_core::Error> {
        while self.waiting.is_empty() {
            let Some(block) = self.reader.next_block()? else { return Ok(None) };
            let mut bytes = block.bytes();
            for number in 0..block.count() {
                let used = self.decoder.push_first(bytes, Origin::record(number))?;
                bytes = &bytes[used..];
                if self.decoder.rows() == 7 || number + 1 == block.count() {
                    self.waiting.insert(0, self.decoder.flush()?);
                }
            }
        }
        Ok(self.waiting.pop())
    }
}

fn open(bytes: Vec<u8>) -> Result<Box<dyn BatchSource>, tfxio_core::Error> {
    let reader = ContainerReader::new(Cursor::new(bytes))?;
    let plan =
        RecordPlan::new(reader.header().schema(), &RecordOptions::default().with_layout(Layout::Plain))?;
    Ok(Box::new(Avro { decoder: plan.decoder(), schema: plan.arrow_schema(), reader, waiting: Vec::new() }))
}

fn builder(more: &str) -> LoaderBuilder {
    let text = format!(
        r#"{{"type": "independent", "dataset": {{"type": "dir", "args": {{"data_dir": "unused"}}}},
            "target_batch_size": 5, "drop_remainder": false, "epochs": 2, "num_read_buffer_bytes": 0, "num_prefetch": 1,
            "padding": true, "primary_features": [
                {{"from_name": "station", "to_name": "station"}}, {{"from_name": "number", "to_name": "number"}},
                {{"from_name": "levels", "to_name": "levels"}}]{more}}}"#
    );
    let mut parts = BatchParts::new();
    for (name, first, count) in [("a.avro", 0, 20), ("b.avro", 100, 0), ("c.avro", 200, 13)] {
        let bytes = Arc::new(file(first, count));
        parts = parts.with_part(name, move || open(bytes.to_vec()));
    }
    batch_loader::BatchLoader::builder(LoaderConfig::from_json(&text).unwrap())
        .source(Manifest::from_json(MANIFEST).unwrap(), parts)
        .inputs(["number", "levels"])
        .targets(["station"])
        .seed(9)
}

#[test]
fn avro_records_come_in_padded_batches() {
    let mut loader = builder("").build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    assert_eq!(data::values(&batch, "number"), (vec![5], vec![0, 1, 2, 3, 4]));
    let levels = batch.get("levels").unwrap();
    assert_eq!(levels.shape(), [5, 3]);
    let expected = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 2.125, 0.0], [3.0, 3.125, 3.25], [0.0; 3]];
    assert_eq!(levels.values().as_slice::<f32>().unwrap(), expected.as_flattened());
    let stations = batch.targets().next().unwrap().1.values().as_strings().unwrap().clone();
    assert_eq!(stations.get(4), Some(b"station 4".as_slice()));
    assert_eq!(data::rest(&mut loader, "number").iter().map(|(_, values)| values.len()).sum::<usize>(), 61);
}

#[test]
fn they_are_shuffled_sharded_and_resumed_like_any_other() {
    let shuffle = r#", "shuffle": true, "num_shuffle_buffer_elements": 6, "num_filenames_shuffle_buffer": 3, "num_mix_files": 2"#;
    let all = data::rest(&mut builder(shuffle).build().unwrap(), "number");
    for stop in 0..all.len() {
        let mut loader = builder(shuffle).build().unwrap();
        for _ in 0..stop {
            loader.next_batch().unwrap();
        }
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        let mut restored = builder(shuffle).state(state).build().unwrap();
        assert_eq!(data::rest(&mut restored, "number"), all[stop..], "after {stop} batches");
    }
    let mut union = Vec::new();
    for index in 0..2 {
        let mut loader = builder(shuffle).shard(Shard { index, count: 2 }).build().unwrap();
        union.extend(data::rest(&mut loader, "number").into_iter().flat_map(|(_, values)| values));
    }
    union.sort_unstable();
    let mut once = (0..20).chain(200..213).flat_map(|number| [number, number]).collect::<Vec<i64>>();
    once.sort_unstable();
    assert_eq!(union, once);
}

#[test]
fn a_source_of_nothing_and_batches_of_nothing_are_refused() {
    let empty = builder("").source(Manifest::from_json(MANIFEST).unwrap(), BatchParts::new());
    assert_eq!(
        empty.build().unwrap_err().to_string(),
        "the source has no parts; give it at least one with `BatchParts::with_part`"
    );
    assert_eq!(
        builder("").batch_size(0).build().unwrap_err().to_string(),
        "`target_batch_size`: batches of 0 examples hold nothing; give a size of at least 1"
    );
}
