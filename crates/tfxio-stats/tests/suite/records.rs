//! Damaged records, and numbers of records that differ from indexes, footers and framing.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use arrow_schema::SchemaRef;
use golden_cases::proto::tensorflow::{BytesList, Example, Feature, Features, feature};
use prost::Message as _;
use tfxio_base::ErrorKind;
use tfxio_core::{
    Batch, Dataset, Estimate, OnError, Partition, PartitionStatistics, Scan, ScanCounts, ScanRequest, Skip,
    SkipBudget,
};
use tfxio_formats::OpenOptions;
use tfxio_formats::tfrecord_io::{Index, WriterBuilder};
use tfxio_stats::{Error, Kind, StatisticsExt as _, StatisticsList, StatisticsOptions};

/// Returns a tf.Example with this many bytes in `b`.
fn example(bytes: usize) -> Vec<u8> {
    let list = BytesList { value: vec![vec![b'x'; bytes]] };
    let feature = [("b".to_owned(), Feature { kind: Some(feature::Kind::BytesList(list)) })].into();
    Example { features: Some(Features { feature }) }.encode_to_vec()
}

/// Writes examples with these numbers of bytes, and returns the size of the file.
fn write(path: &Path, sizes: &[usize]) -> u64 {
    let mut writer = WriterBuilder::default().target(path).create().unwrap();
    for size in sizes {
        writer.write(&example(*size)).unwrap();
    }
    writer.finish().unwrap();
    path.metadata().unwrap().len()
}

fn stats(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> Result<StatisticsList, Error> {
    dataset.stats(StatisticsOptions::default(), request)
}

fn open(path: &Path) -> Arc<dyn Dataset> {
    tfxio_formats::open(path.to_str().unwrap()).unwrap()
}

#[test]
fn an_index_of_another_number_of_records_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (data, other) = (dir.path().join("data.tfrecord"), dir.path().join("other.tfrecord"));
    // As many bytes in one record as in two.
    let size = write(&data, &[5, 5]);
    let longer = (0..100).find(|longer| write(&other, &[*longer]) == size).unwrap();
    assert!(longer > 10);
    // The index of the other file passes for that of this one: it has the size and the time.
    let time = SystemTime::now();
    for path in [&data, &other] {
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
    assert_eq!(stats(&open(&data), ScanRequest::new()).unwrap().num_examples(0), Some(2));
    Index::build(&other).unwrap().write_beside(&data).unwrap();
    for threads in [1, 3] {
        let error = stats(&open(&data), ScanRequest::new().threads(threads)).unwrap_err();
        assert_eq!(error.detail::<Kind>(), Some(&Kind::RowCount { said: 1, read: 2 }), "{error}");
        assert_eq!(error.kind(), ErrorKind::Malformed);
        let text = error.to_string();
        assert!(text.contains("data.tfrecord"), "{text}");
        assert!(text.ends_with(
            "2 rows were read, and the index or the footer says 1 record; make the index again, or verify the files"
        ), "{text}");
    }
    // Of some of the rows nothing can be said.
    let limited = stats(&open(&data), ScanRequest::new().limit(1)).unwrap();
    assert_eq!(limited.num_examples(0), Some(1));
}

/// A data set that reports wrong numbers of rows of its partitions, or reads another number of records.
#[derive(Debug)]
struct Lying {
    dataset: Arc<dyn Dataset>,
    said: Option<u64>,
    framed: Option<u64>,
}

struct LyingScan(Box<dyn Scan>, Option<u64>);

impl Dataset for Lying {
    fn schema(&self) -> &SchemaRef {
        self.dataset.schema()
    }
    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>, Error> {
        self.dataset.partitions(target_bytes)
    }
    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>, Error> {
        Ok(Box::new(LyingScan(self.dataset.scan(partition, request)?, self.framed)))
    }
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics, Error> {
        let mut statistics = self.dataset.statistics(partition)?;
        if let Some(said) = self.said {
            statistics.rows = Estimate::Exact(said);
        }
        Ok(statistics)
    }
}

impl Scan for LyingScan {
    fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }
    fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        self.0.next_batch()
    }
    fn counts(&self) -> ScanCounts {
        match self.1 {
            None => self.0.counts(),
            Some(records) => self.0.counts().records(records),
        }
    }
}

#[test]
fn a_footer_and_framing_of_another_number_of_records_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data.tfrecord");
    write(&data, &[5; 20]);
    let lying = |said: Option<u64>, framed: Option<u64>| {
        let dataset: Arc<dyn Dataset> = Arc::new(Lying { dataset: open(&data), said, framed });
        stats(&dataset, ScanRequest::new())
            .map_err(|error| (error.detail::<Kind>().cloned(), error.what().to_owned()))
    };
    let list = lying(Some(20), None).unwrap();
    assert_eq!(list.num_examples(0), Some(20));
    for (said, framed, who) in [
        (Some(21), None, "the index or the footer says 21 records"),
        (Some(19), None, "the index or the footer says 19 records"),
        (None, Some(21), "the framing has 21 records"),
        (Some(20), Some(19), "the framing has 19 records"),
    ] {
        let (kind, what) = lying(said, framed).unwrap_err();
        let said = framed.or(said).unwrap();
        assert_eq!(kind, Some(Kind::RowCount { said, read: 20 }));
        assert_eq!(what, format!("20 rows were read, and {who}"));
    }
}

#[test]
fn damaged_records_are_skipped_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data.tfrecord");
    let size = write(&data, &[5; 20]);
    let frame = size / 20;
    let mut bytes = std::fs::read(&data).unwrap();
    // In the payloads of the records 3 and 11.
    for record in [3, 11] {
        bytes[usize::try_from(record * frame).unwrap() + 14] ^= 1;
    }
    std::fs::write(&data, bytes).unwrap();
    let name = data.display().to_string();
    // Opened as its reader will read it, since the schema is found by reading the records.
    let open = |path: &Path, skip: &Skip| {
        let options = OpenOptions::new().on_error(OnError::Skip(skip.clone()));
        options.open(path.to_str().unwrap()).unwrap()
    };
    let dataset = open(&data, &Skip::new(SkipBudget::default()));
    let error = stats(&dataset, ScanRequest::new()).unwrap_err();
    assert_eq!((error.kind(), error.position().record), (ErrorKind::Malformed, Some(3)), "{error}");
    for threads in [1, 3] {
        let skip = Skip::new(SkipBudget::default());
        let request = ScanRequest::new().threads(threads).on_error(OnError::Skip(skip.clone()));
        let list = stats(&dataset, request).unwrap();
        assert_eq!(list.num_examples(0), Some(18));
        assert_eq!(list.summaries(0)[0].present, 18);
        let report = skip.report();
        assert_eq!((report.ranges, report.records, report.bytes), (2, 2, 2 * frame));
        let lines = report.to_string();
        let named = |record: u64| {
            format!("{name}, bytes {} to {}: 1 record skipped", record * frame, (record + 1) * frame)
        };
        assert!(lines.contains(&named(3)) && lines.contains(&named(11)), "{lines}");
    }
    // More than may be skipped.
    let skip = Skip::new(SkipBudget::default().ranges(1));
    let error = stats(&dataset, ScanRequest::new().on_error(OnError::Skip(skip))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}
