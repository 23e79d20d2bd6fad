//! The filter is given to scans: what they leave out is counted, and records keep their numbers, or the scan is not trusted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use batch_loader::config::{LoaderConfig, Shuffle};
use batch_loader::{BatchLoader, Kind, LoaderBuilder, LoaderState};
use tfxio_core::{
    Batch, Dataset, Estimate, Origins, Partition, PartitionStatistics, Result, Scan, ScanRequest, Seek,
};

use crate::data;

const ROWS: u64 = 100;

/// Rows whose numbers the batches report.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    All,
    Nothing,
    /// The rows of the first batch only.
    First,
}

/// The numbers below 100, in two files, of which scans leave out tens that a filter excludes.
#[derive(Debug)]
struct Tens {
    schema: SchemaRef,
    says: Says,
    /// Whether it declares that its scans apply the filter.
    applies: bool,
    /// Rows that scans gave.
    read: Arc<AtomicU64>,
}

impl Tens {
    fn new(says: Says) -> Self {
        let schema = Schema::new(vec![Field::new("id", DataType::Int64, false)]);
        Self { schema: schema.into(), says, applies: false, read: Arc::default() }
    }
}

impl Dataset for Tens {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(["a", "b"].map(Partition::whole).into())
    }

    fn statistics(&self, _: &Partition) -> Result<PartitionStatistics> {
        let mut known = PartitionStatistics::default();
        known.rows = Estimate::Exact(ROWS);
        Ok(known)
    }

    fn applies_filter(&self, _: &ScanRequest) -> bool {
        self.applies
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (read, schema) = (Arc::clone(&self.read), self.schema.clone());
        let file = Arc::clone(&partition.file);
        Ok(Box::new(Tenth {
            schema,
            says: self.says,
            read,
            file,
            at: 0,
            is_first: true,
            request: request.clone(),
        }))
    }
}

struct Tenth {
    schema: SchemaRef,
    says: Says,
    read: Arc<AtomicU64>,
    file: Arc<str>,
    at: u64,
    is_first: bool,
    request: ScanRequest,
}

impl Scan for Tenth {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while self.at < ROWS {
            let numbers = self.at..(self.at / 10 + 1) * 10;
            self.at = numbers.end;
            let first = if &*self.file == "a" { 0 } else { 1000 };
            let ids = numbers.clone().map(|number| (number + first) as i64).collect::<Vec<_>>();
            let column = Arc::new(Int64Array::from(ids)) as ArrayRef;
            let batch = RecordBatch::try_new(self.schema.clone(), vec![column])?;
            if let Some(filter) = &self.request.filter
                && filter.evaluate(&batch)?.true_count() == 0
            {
                continue;
            }
            self.read.fetch_add(batch.num_rows() as u64, Relaxed);
            let mut origins = Origins::default();
            if self.says == Says::All || (self.says == Says::First && self.is_first) {
                origins.push_run(Arc::clone(&self.file), numbers.start, &[], batch.num_rows());
            } else {
                origins.push_unknown(batch.num_rows());
            }
            self.is_first = false;
            return Ok(Some(Batch::new(batch, origins)));
        }
        Ok(None)
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.at = record;
        Ok(Seek::Exact)
    }
}

fn builder(dataset: &Arc<Tens>, filter: &str, shuffle: Shuffle) -> LoaderBuilder {
    let mut config = LoaderConfig::independent(4);
    (config.filter, config.shuffle, config.seed) = (Some(filter.parse().unwrap()), shuffle, Some(3));
    BatchLoader::over(Arc::clone(dataset) as Arc<dyn Dataset>, config).inputs(["id"])
}

const FILTERS: [(&str, u64); 4] =
    [("id >= 34 and id < 1052", 118), ("id in (0, 99, 1099)", 3), ("id = 1000", 1), ("id != 7", 199)];

#[test]
fn records_keep_their_numbers_and_are_counted() {
    let buffer = Shuffle::Buffer { elements: 6, filenames: 2, mix_files: 2 };
    for (filter, kept) in FILTERS {
        for shuffle in [Shuffle::Off, buffer, Shuffle::Global] {
            let [numbered, plain] = [Says::All, Says::Nothing].map(|says| Arc::new(Tens::new(says)));
            let of = |dataset| {
                let mut loader = builder(dataset, filter, shuffle).build().unwrap();
                let all = data::rest(&mut loader, "id");
                assert_eq!(loader.stats().records_filtered, 200 - kept, "{filter}");
                for stop in 0..=all.len() {
                    let mut loader = builder(dataset, filter, shuffle).build().unwrap();
                    for _ in 0..stop {
                        loader.next_batch().unwrap().unwrap();
                    }
                    let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                    let mut restored = builder(dataset, filter, shuffle).state(state).build().unwrap();
                    assert_eq!(data::rest(&mut restored, "id"), all[stop..], "{filter}, {shuffle:?}, {stop}");
                }
                all
            };
            let all = of(&numbered);
            assert_eq!(all.iter().map(|(shape, _)| shape[0] as u64).sum::<u64>(), kept);
            // Records that are read in another order than that of the file are found by what batches say.
            if shuffle == Shuffle::Off {
                assert_eq!(of(&plain), all, "{filter}");
            }
        }
    }
}

#[test]
fn what_the_filter_excludes_is_not_read() {
    for (says, rows) in [(Says::All, 10), (Says::Nothing, 110)] {
        let dataset = Arc::new(Tens::new(says));
        let mut loader = builder(&dataset, "id = 1000", Shuffle::Off).threads(1).build().unwrap();
        assert_eq!(data::rest(&mut loader, "id").len(), 1);
        assert_eq!(dataset.read.load(Relaxed), rows, "{says:?}");
    }
}

#[test]
fn a_filter_that_scans_apply_is_not_evaluated_again() {
    // Rows that do not satisfy it show that nobody has looked.
    for (applies, rows) in [(false, 1), (true, 10)] {
        let dataset = Arc::new(Tens { applies, ..Tens::new(Says::All) });
        let mut loader = builder(&dataset, "id = 1000", Shuffle::Off).build().unwrap();
        let all = data::rest(&mut loader, "id");
        assert_eq!(all.iter().map(|(shape, _)| shape[0]).sum::<usize>(), rows);
        assert_eq!(loader.stats().records_filtered, 200 - rows as u64);
    }
}

#[test]
fn numbers_that_are_missing_later_are_an_error() {
    let dataset = Arc::new(Tens::new(Says::First));
    let mut loader = builder(&dataset, "id < 60", Shuffle::Off).threads(1).build().unwrap();
    let error = (0..100).find_map(|_| loader.next_batch().err()).unwrap();
    assert_eq!(error.detail(), Some(&Kind::Source));
    let expected =
        "the scan was given a filter, and does not say the numbers of all records that it did not leave out";
    assert!(error.to_string().contains(expected), "{error}");
}
