//! Laws of formats whose scans apply filters: what comes out is what decoding all rows and filtering them gives.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use tfxio_core::{
    Batch, ColumnPath, Dataset, Partition, Predicate, Projection, RowOrigin, Scan, ScanRequest,
};
use tfxio_scan::DatasetExt as _;

/// Rows, and which records they were.
type RowsWithOrigins = (RecordBatch, Vec<Option<RowOrigin>>);

/// Request for a data set.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The filter.
    pub filter: Predicate,
    /// The columns; `None` for all.
    pub columns: Option<Vec<&'static str>>,
    /// Rows of a batch.
    pub batch_rows: usize,
    /// The most rows.
    pub limit: Option<u64>,
    /// Bytes of a partition.
    pub target: u64,
    /// Number of batches after which a scan is split, or resumed, in turns.
    pub after: usize,
}

impl Asked {
    fn request(&self) -> ScanRequest {
        let mut request = ScanRequest::new().batch_rows(self.batch_rows);
        if let Some(columns) = &self.columns {
            request = request.columns(columns.iter().map(|column| ColumnPath::new(column.split('.'))));
        }
        request
    }
}

fn rows(batch: Batch) -> RowsWithOrigins {
    let origins = (0..batch.num_rows()).map(|row| batch.origins().get(row)).collect();
    (batch.into_columns(), origins)
}

/// Returns the rows of all batches, decoded in full and then filtered.
fn expected(dataset: &Arc<dyn Dataset>, asked: &Asked) -> Vec<RowsWithOrigins> {
    let projection = Projection::new(dataset.schema(), &asked.request()).unwrap();
    let mut all = dataset.read(ScanRequest::new().batch_rows(asked.batch_rows)).unwrap();
    let (mut left, mut expected) = (asked.limit.unwrap_or(u64::MAX), Vec::new());
    while let Some(batch) = all.next_batch().unwrap() {
        let mask = asked.filter.evaluate(batch.columns()).unwrap();
        let (columns, origins) = rows(batch);
        let columns =
            filter_record_batch(&projection.batch(columns.columns().to_vec()).unwrap(), &mask).unwrap();
        let held = mask.iter().zip(origins).filter(|(holds, _)| *holds == Some(true));
        let mut origins = held.map(|(_, origin)| origin).collect::<Vec<_>>();
        origins.truncate(left as usize);
        let columns = columns.slice(0, origins.len());
        left -= origins.len() as u64;
        if columns.num_rows() > 0 {
            expected.push((columns, origins));
        }
    }
    expected
}

fn joined(schema: &arrow_schema::SchemaRef, all: &[RowsWithOrigins]) -> RowsWithOrigins {
    let columns = concat_batches(schema, all.iter().map(|(columns, _)| columns)).unwrap();
    (columns, all.iter().flat_map(|(_, origins)| origins.clone()).collect())
}

fn all(scan: &mut dyn Scan) -> Vec<RowsWithOrigins> {
    let mut all = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        assert_eq!(batch.schema(), *scan.schema());
        assert!(batch.num_rows() > 0);
        all.push(rows(batch));
    }
    all
}

/// Checks what reading gives, its batches included, for any number of threads, and what scans of partitions give that are split
/// and resumed.
pub fn rows_are_those_of_decoding_all(dataset: &Arc<dyn Dataset>, asked: &Asked) {
    let expected = expected(dataset, asked);
    let request = asked.request().filter(asked.filter.clone());
    assert!(dataset.applies_filter(&request), "{asked:?}");
    for threads in 1..=3 {
        let mut request = request.clone().threads(threads);
        request.limit = asked.limit;
        let read = all(&mut dataset.read(request).unwrap());
        assert_eq!(read, expected, "{asked:?}, {threads} threads");
    }
    let schema = dataset.scan_schema(&request).unwrap();
    let expected = joined(&schema, &expected);
    let (mut read, mut left, mut is_split) = (Vec::new(), asked.limit.unwrap_or(u64::MAX), false);
    let mut partitions = VecDeque::from(dataset.partitions(asked.target).unwrap());
    while let Some(partition) = partitions.pop_front() {
        let mut request = request.clone();
        request.limit = Some(left).filter(|left| *left < u64::MAX);
        let mut scan = dataset.scan(&partition, &request).unwrap();
        let before = read.len();
        while read.len() - before < asked.after
            && let Some(batch) = scan.next_batch().unwrap()
        {
            read.push(rows(batch));
        }
        is_split = !is_split;
        let rest = if is_split {
            let tail = scan.try_split(0.5).unwrap();
            read.extend(all(&mut *scan));
            tail
        } else {
            scan.remaining()
        };
        let taken = read[before..].iter().map(|(columns, _)| columns.num_rows() as u64).sum::<u64>();
        left -= taken;
        // What a process gets that goes on.
        let shipped = |partition: Partition| -> Partition {
            serde_json::from_str(&serde_json::to_string(&partition).unwrap()).unwrap()
        };
        if let Some(rest) = rest {
            partitions.push_front(shipped(rest));
        }
        if left == 0 {
            break;
        }
    }
    let (columns, origins) = joined(&schema, &read);
    assert_eq!(columns, expected.0, "{asked:?}, in parts");
    // Numbers are those of the partition where it does not know its first record.
    let bytes = |origins: &[Option<RowOrigin>]| {
        let byte = |origin: &Option<RowOrigin>| {
            origin.as_ref().map(|origin| (Arc::clone(&origin.file), origin.byte))
        };
        origins.iter().map(byte).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&origins), bytes(&expected.1), "{asked:?}, in parts");
}
