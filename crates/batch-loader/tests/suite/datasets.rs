//! Any data set is loaded, with no manifest: here one of Avro files that is not ours.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use avro_path::AvroSchema;
use avro_path::container::{Codec, ContainerReader, ContainerWriter};
use avro_path::datum::write;
use avro_path::record::{AvroDecoder, Layout, RecordOptions, RecordPlan};
use batch_loader::config::{LoaderConfig, LoaderType, Padding, PrimaryFeature, Shard, Shuffle};
use batch_loader::{BatchLoader, Kind, LoaderBuilder, LoaderState};
use tfxio_core::{Batch, Cancel, Dataset, Origin, Origins, Partition, Result, Scan, ScanRequest};

use crate::data;

const SCHEMA: &str = r#"{"type": "record", "name": "reading", "fields": [
    {"name": "station", "type": "string"},
    {"name": "number", "type": "long"},
    {"name": "levels", "type": {"type": "array", "items": "double"}}]}"#;

/// A file of records numbered from `first` on, the n-th with `n % 4` levels.
fn file(first: i64, count: i64) -> Vec<u8> {
    let schema = AvroSchema::parse(SCHEMA).unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Null).build().unwrap();
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

/// Files in memory. Their records are found by reading all that precedes them, by the default of [`Dataset::take`].
#[derive(Debug)]
struct Readings {
    files: Vec<(&'static str, Arc<Vec<u8>>)>,
    schema: SchemaRef,
}

impl Readings {
    fn open() -> Arc<dyn Dataset> {
        let files = [("a.avro", 0, 20), ("b.avro", 100, 0), ("c.avro", 200, 13)];
        let files = files.map(|(name, first, count)| (name, Arc::new(file(first, count)))).into();
        let plan =
            RecordPlan::builder(&AvroSchema::parse(SCHEMA).unwrap()).options(layout()).build().unwrap();
        Arc::new(Self { files, schema: plan.arrow_schema() })
    }
}

fn layout() -> RecordOptions {
    RecordOptions::default().layout(Layout::Plain)
}

impl Dataset for Readings {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(self.files.iter().map(|(name, _)| Partition::whole(*name)).collect())
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (name, bytes) = self.files.iter().find(|(name, _)| *name == &*partition.file).unwrap();
        let reader = ContainerReader::new(Cursor::new(bytes.to_vec()))?;
        let plan = RecordPlan::builder(reader.header().schema()).options(layout()).build()?;
        let columns = request.columns.iter().flatten();
        let columns = columns.map(|column| self.schema.index_of(&column.path.to_string()).unwrap()).collect();
        let columns: Vec<usize> = if request.columns.is_none() { vec![0, 1, 2] } else { columns };
        Ok(Box::new(Avro {
            schema: Arc::new(self.schema.project(&columns)?),
            decoder: plan.decoder(),
            reader,
            columns,
            file: (*name).into(),
            next: 0,
            waiting: Vec::new(),
            cancel: request.cancel.clone(),
        }))
    }
}

/// Gives the records of a file in batches of seven.
struct Avro {
    reader: ContainerReader<Cursor<Vec<u8>>>,
    decoder: AvroDecoder,
    schema: SchemaRef,
    columns: Vec<usize>,
    file: Arc<str>,
    next: u64,
    waiting: Vec<RecordBatch>,
    cancel: Cancel,
}

impl Scan for Avro {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.cancel.check()?;
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
        let Some(batch) = self.waiting.pop() else { return Ok(None) };
        let mut origins = Origins::default();
        origins.push_run(Arc::clone(&self.file), self.next, &[], batch.num_rows());
        self.next += batch.num_rows() as u64;
        Ok(Some(Batch::new(batch.project(&self.columns)?, origins)))
    }
}

fn config() -> LoaderConfig {
    let mut config = LoaderConfig::independent(5).epochs(2);
    (config.padding, config.seed) = (Padding::All, Some(9));
    config
}

fn builder(config: LoaderConfig) -> LoaderBuilder {
    BatchLoader::over(Readings::open(), config).inputs(["number", "levels"]).targets(["station"])
}

#[test]
fn records_come_in_padded_batches() {
    let mut loader = builder(config()).build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    assert_eq!(data::values(&batch, "number"), (vec![5], vec![0, 1, 2, 3, 4]));
    let levels = batch.get("levels").unwrap();
    assert_eq!(levels.shape(), [5, 3]);
    let expected = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 2.125, 0.0], [3.0, 3.125, 3.25], [0.0; 3]];
    assert_eq!(levels.values().as_slice::<f64>().unwrap(), expected.as_flattened());
    let stations = batch.targets().next().unwrap().1.values().as_strings().unwrap().clone();
    assert_eq!(stations.get(4), Some(b"station 4".as_slice()));
    assert_eq!(data::rest(&mut loader, "number").iter().map(|(_, values)| values.len()).sum::<usize>(), 61);
}

/// Interrupts a loader after every number of batches, restores it, and loads as two hosts.
fn resumes_and_shards(shuffle: Shuffle) {
    let mut config = config();
    config.shuffle = shuffle;
    let all = data::rest(&mut builder(config.clone()).build().unwrap(), "number");
    for stop in 0..all.len() {
        let mut loader = builder(config.clone()).build().unwrap();
        for _ in 0..stop {
            loader.next_batch().unwrap();
        }
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        let mut restored = builder(config.clone()).state(state).build().unwrap();
        assert_eq!(data::rest(&mut restored, "number"), all[stop..], "after {stop} batches");
    }
    let mut union = Vec::new();
    for index in 0..2 {
        let mut loader = builder(config.clone()).shard(Shard { index, count: 2 }).build().unwrap();
        union.extend(data::rest(&mut loader, "number").into_iter().flat_map(|(_, values)| values));
    }
    union.sort_unstable();
    let mut once = (0..20).chain(200..213).flat_map(|number| [number, number]).collect::<Vec<i64>>();
    once.sort_unstable();
    assert_eq!(union, once);
}

#[test]
fn they_are_shuffled_through_a_buffer_sharded_and_resumed() {
    resumes_and_shards(Shuffle::Buffer { elements: 6, filenames: 3, mix_files: 2 });
}

#[test]
fn they_are_shuffled_globally_sharded_and_resumed() {
    resumes_and_shards(Shuffle::Global);
    let mut loader = builder(config().shuffle_globally(9)).build().unwrap();
    let all = data::rest(&mut loader, "number");
    let (first, second): (Vec<i64>, Vec<i64>) = {
        let all = all.into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
        (all[..33].to_vec(), all[33..].to_vec())
    };
    assert_ne!(first, second);
    let sorted = |mut values: Vec<i64>| {
        values.sort_unstable();
        values
    };
    let expected = (0..20).chain(200..213).collect::<Vec<_>>();
    assert_eq!((sorted(first), sorted(second)), (expected.clone(), expected));
}

#[test]
fn windows_are_cut_and_batches_are_counted() {
    let mut config = config();
    config.loader = LoaderType::DiscreteSequence { min_window: 4, max_window: 4 };
    let builder = BatchLoader::over(Readings::open(), config).inputs(["levels"]);
    let length = builder.length().unwrap();
    let mut loader = builder.build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    // The levels of four records after each other: of 0, 1, 2 and 3 values.
    let levels = batch.get("levels").unwrap();
    assert_eq!(levels.shape(), [5, 6]);
    let first = &levels.values().as_slice::<f64>().unwrap()[..6];
    assert_eq!(first, [1.0, 2.0, 2.125, 3.0, 3.125, 3.25]);
    let mut batches = 1;
    while loader.next_batch().unwrap().is_some() {
        batches += 1;
    }
    assert_eq!(length.batches, Some(batches));
}

#[test]
fn a_loader_is_stopped_from_another_thread() {
    let mut config = config();
    config.epochs = None;
    let mut loader = builder(config).build().unwrap();
    let stop = loader.stop_handle();
    let loading = std::thread::spawn(move || {
        loop {
            match loader.next_batch() {
                Ok(batch) => assert!(batch.is_some(), "the data set has no end"),
                Err(error) => return (error, loader.next_batch()),
            }
        }
    });
    stop.stop();
    let (error, after) = loading.join().unwrap();
    assert_eq!(
        (error.detail(), error.to_string().as_str()),
        (Some(&Kind::Stopped), "the loader was stopped")
    );
    assert!(after.unwrap().is_none());
    // The loader is gone.
    stop.stop();
}

#[test]
fn without_names_all_columns_are_inputs() {
    let mut loader = BatchLoader::over(Readings::open(), config()).build().unwrap();
    let names = loader.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
    assert_eq!(
        names,
        ["station: dense string [?]", "number: dense int64 [?]", "levels: dense float64 [?, ?]"]
    );
    assert_eq!(loader.next_batch().unwrap().unwrap().len(), 5);
}

#[test]
fn what_does_not_fit_the_data_set_is_refused() {
    let text = |builder: LoaderBuilder| builder.build().unwrap_err().to_string();
    let over = |config| BatchLoader::over(Readings::open(), config);
    assert_eq!(
        text(over(config()).inputs(["nubmer"])),
        "tensor \"nubmer\": the data set has no column \"nubmer\"; did you mean \"number\"?"
    );
    assert_eq!(
        text(over(config()).batch_size(0)),
        "`target_batch_size`: batches of 0 examples hold nothing; give a size of at least 1"
    );
    let mut renamed = config();
    renamed.primary_features = vec![PrimaryFeature::new("nubmer", "n")];
    assert_eq!(
        text(over(renamed).inputs(["n"])),
        "`primary_features[0].from_name`: the data set has no feature \"nubmer\"; did you mean \"number\"?"
    );
    assert_eq!(
        text(BatchLoader::builder(config())),
        "`dataset`: the configuration names no data set; set `dataset`, or give one to `BatchLoader::over`"
    );
    let json = serde_json::to_string_pretty(&config()).unwrap();
    let located = LoaderConfig::from_json(&json).unwrap();
    let error = BatchLoader::builder(located).build().unwrap_err();
    let (line, text) = (error.position().line, error.to_string());
    assert_eq!(json.lines().nth(line.unwrap() as usize - 1), Some("  \"dataset\": null,"));
    assert!(text.contains(", `dataset`: the configuration names no data set; "), "{text}");
}
