//! Data sets whose batches have no record numbers: the records are counted.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::SchemaRef;
use batch_loader::config::{LoaderConfig, Shuffle};
use batch_loader::{BatchLoader, LoaderBuilder, LoaderState};
use tfxio_core::{Batch, Dataset, Origins, Partition, RecordRun, Result, Scan, ScanRequest, Seek};

use crate::data;

/// The records of each file, which are numbered through.
const FILES: [(&str, i64, i64); 3] = [("a", 0, 20), ("b", 20, 0), ("c", 20, 33)];

/// Access to records that a data set offers beside scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offers {
    Nothing,
    Seeking,
    /// To read several runs of records into one batch.
    Taking,
}

#[derive(Debug)]
struct Numbers {
    schema: SchemaRef,
    offers: Offers,
}

fn rows(numbers: impl IntoIterator<Item = i64>) -> RecordBatch {
    let column: ArrayRef = Arc::new(numbers.into_iter().collect::<Int64Array>());
    RecordBatch::try_from_iter([("number", column)]).unwrap()
}

impl Numbers {
    fn open(offers: Offers) -> Arc<dyn Dataset> {
        Arc::new(Self { schema: rows([]).schema(), offers })
    }

    fn counted(&self, numbers: VecDeque<i64>, first: i64, columns: Vec<usize>) -> Result<Box<dyn Scan>> {
        let schema = Arc::new(self.schema.project(&columns)?);
        Ok(Box::new(Counted { schema, columns, numbers, first, offers: self.offers }))
    }
}

impl Dataset for Numbers {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(FILES.iter().map(|(name, ..)| Partition::whole(*name)).collect())
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (_, first, count) = FILES.into_iter().find(|(name, ..)| *name == &*partition.file).unwrap();
        let columns = if request.columns.as_ref().is_some_and(Vec::is_empty) { vec![] } else { vec![0] };
        self.counted((first..first + count).collect(), first, columns)
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        if self.offers != Offers::Taking {
            return tfxio_core::take_by_seeking(self, runs, request);
        }
        let numbers = runs.iter().flat_map(|run| {
            let (_, first, _) = FILES.into_iter().find(|(name, ..)| *name == &*run.file).unwrap();
            let first = first + run.first as i64;
            first..first + run.records as i64
        });
        self.counted(numbers.collect(), 0, vec![0])
    }
}

/// Gives seven rows at once.
struct Counted {
    schema: SchemaRef,
    columns: Vec<usize>,
    numbers: VecDeque<i64>,
    first: i64,
    offers: Offers,
}

impl Scan for Counted {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let batch = rows(self.numbers.drain(..self.numbers.len().min(7)));
        let rows = batch.num_rows();
        let batch = Batch::new(batch.project(&self.columns)?, Origins::default());
        Ok((rows > 0).then_some(batch))
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        if self.offers != Offers::Seeking {
            return Ok(Seek::NotOffered);
        }
        self.numbers.retain(|number| *number >= self.first + record as i64);
        Ok(Seek::Exact)
    }
}

fn builder(offers: Offers, config: &LoaderConfig) -> LoaderBuilder {
    BatchLoader::over(Numbers::open(offers), config.clone()).inputs(["number"])
}

/// Every way in which examples are read by the numbers of their records.
fn configs() -> Vec<LoaderConfig> {
    let mut plain = LoaderConfig::independent(5).epochs(2);
    plain.seed = Some(9);
    let mut buffer = plain.clone();
    buffer.shuffle = Shuffle::Buffer { elements: 16, filenames: 3, mix_files: 2 };
    let mut global = plain.clone();
    global.shuffle = Shuffle::Global;
    vec![plain, buffer, global]
}

#[test]
fn every_loader_resumes() {
    for offers in [Offers::Nothing, Offers::Seeking, Offers::Taking] {
        for config in configs() {
            let all = data::rest(&mut builder(offers, &config).build().unwrap(), "number");
            for stop in 0..all.len() {
                let mut loader = builder(offers, &config).build().unwrap();
                for _ in 0..stop {
                    loader.next_batch().unwrap();
                }
                let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                let mut restored = builder(offers, &config).state(state).build().unwrap();
                let what = format!("{offers:?}, {:?}, after {stop} batches", config.shuffle);
                assert_eq!(data::rest(&mut restored, "number"), all[stop..], "{what}");
            }
        }
    }
}

#[test]
fn rows_have_the_numbers_of_their_records() {
    for offers in [Offers::Nothing, Offers::Seeking, Offers::Taking] {
        for config in configs() {
            let mut seen = Vec::new();
            for batch in builder(offers, &config).build().unwrap() {
                let batch = batch.unwrap();
                let (_, numbers) = data::values(&batch, "number");
                for (origin, number) in batch.origins().zip(numbers) {
                    let (_, first, _) = FILES.into_iter().find(|(name, ..)| *name == &**origin.file).unwrap();
                    assert_eq!(first + origin.record as i64, number, "{offers:?}, {:?}", config.shuffle);
                    seen.push(number);
                }
            }
            seen.sort_unstable();
            let twice = (0..53).flat_map(|number| [number, number]).collect::<Vec<_>>();
            assert_eq!(seen, twice, "{offers:?}, {:?}", config.shuffle);
        }
    }
}
