//! Ranges that are known in advance are requested together.

use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use s3_bed::Request;
use tfxio::RecordRun;
use tfxio::prelude::*;
use tfxio::tfrecord_io::Index;

use crate::s3::{Bed, records};

/// Reads of bytes since the rule was set, and how many bytes they asked for.
pub fn reads(bed: &Bed) -> (usize, u64) {
    let reads: Vec<_> = bed.proxy.requests().into_iter().filter(Request::is_read).collect();
    let asked = reads.iter().filter_map(|read| read.range.clone()).map(|range| range.end - range.start);
    (reads.len(), asked.sum())
}

/// A Parquet file of three columns of about 1 MB each, in two row groups.
fn three_columns() -> Vec<u8> {
    let column = |seed: u64| -> ArrayRef {
        let value = |row: u64| {
            let mix = move |byte: u64| (row * 7919 + byte * seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
            (0..500).map(|byte| mix(byte) as u8).collect::<Vec<u8>>()
        };
        Arc::new(BinaryArray::from_iter_values((0..2000).map(value)))
    };
    let columns = [("a", column(1)), ("b", column(3)), ("c", column(5))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(1000))
        .set_dictionary_enabled(false)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn shards_are_listed_once_and_each_is_asked_for_its_bytes_only() {
    let Some(bed) = Bed::start() else { return };
    let file = records(600_000);
    for shard in 0..8 {
        bed.server.put(&format!("t-{shard:05}-of-00008"), &file);
    }
    // Beginnings of answers come later, as over a network.
    bed.proxy.set_rule(|_| s3_bed::Fault::Delay(Duration::from_millis(5)));
    let dataset = bed.opener().format("raw").open("s3://bucket/t@8").unwrap();
    let opened = bed.proxy.requests();
    assert_eq!(opened.iter().filter(|request| request.is_list()).count(), 1);
    bed.proxy.set_rule(|_| s3_bed::Fault::Delay(Duration::from_millis(5)));
    let rows: usize = dataset.read(ScanRequest::new()).unwrap().map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 8 * tfxio::tfrecord_io::Reader::new(&file[..]).into_records().count());
    let (count, asked) = reads(&bed);
    assert_eq!(asked, 8 * file.len() as u64, "each byte once");
    // The first file begins with a small request; the others are requested before they are opened, in one. The listings of this
    // server have no ETags, so that it is asked for the version of each; nothing else is, such as an index.
    assert_eq!(count, 2 + 7, "{:?}", bed.proxy.requests());
    let others: Vec<_> = bed.proxy.requests().into_iter().filter(|request| !request.is_read()).collect();
    assert!(others.len() == 8 && others.iter().all(|request| request.method == "HEAD"), "{others:?}");
}

#[test]
fn columns_of_parquet_are_one_request_each_row_group() {
    let Some(bed) = Bed::start() else { return };
    let file = three_columns();
    bed.server.put("t.parquet", &file);
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join("t.parquet");
    std::fs::write(&local, &file).unwrap();
    bed.proxy.set_rule(|_| s3_bed::Fault::None);
    let dataset = bed.opener().open("s3://bucket/t.parquet").unwrap();
    let request = || ScanRequest::new().columns(["b"]);
    let rows: Vec<_> = dataset.read(request()).unwrap().map(Result::unwrap).collect();
    let local = tfxio::open(&local).unwrap();
    assert!(rows == local.read(request()).unwrap().map(Result::unwrap).collect::<Vec<_>>());
    let (count, asked) = reads(&bed);
    // First bytes, footer, and the column of two row groups.
    assert!(count <= 4, "{count} requests");
    assert!(asked < file.len() as u64 / 3 + (400 << 10), "{asked} of {} bytes", file.len());
}

#[test]
fn chosen_records_are_requested_together() {
    let Some(bed) = Bed::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    std::fs::write(&path, records(8_000_000)).unwrap();
    let count = Index::build(&path).unwrap().len();
    Index::build(&path).unwrap().write_beside(&path).unwrap();
    for name in ["a.tfrecord", "a.tfrecord.tfxi"] {
        bed.server.put(name, std::fs::read(folder.path().join(name)).unwrap());
    }
    // The index has the time of the local file, and not the ETag.
    let url = "s3://bucket/a.tfrecord";
    let dataset = bed.opener().format("raw").open(url).unwrap();
    let local = OpenOptions::new().format("raw").open(path.to_str().unwrap()).unwrap();
    let rows = |dataset: &Arc<dyn Dataset>| -> Vec<RecordBatch> {
        let file = dataset.spec().unwrap().files[0].clone();
        let runs: Vec<_> = (0..40).map(|i| RecordRun::new(Arc::clone(&file), i * (count / 40), 3)).collect();
        let mut scan = dataset.take(&runs, &ScanRequest::new()).unwrap();
        std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.into_columns()).collect()
    };
    bed.proxy.set_rule(|_| s3_bed::Fault::None);
    assert!(rows(&dataset) == rows(&local));
    // Of the 64 MiB that may be under way, each of 40 runs has a share, which is the most of one request: 10 for 8 MB. Two
    // more are for the index.
    let (requests, asked) = reads(&bed);
    assert!(requests <= 12, "{requests} requests");
    assert!(asked < 9_000_000, "{asked} bytes");
    let others: Vec<_> = bed.proxy.requests().into_iter().filter(|request| !request.is_read()).collect();
    assert_eq!(others.len(), 1, "the size of the index, and nothing else: {others:?}");
}
