//! A container as columns: rows, errors and limits.

use avro_path::container::{Codec, ContainerReader};
use avro_path::record::RecordOptions;
use avro_path::{ErrorKind, Limits, Reader};

use crate::containers::test_data::rows;

fn reader(file: &[u8], limits: Limits) -> Reader<&[u8]> {
    ContainerReader::builder(file).name("x.avro").limits(limits).build().unwrap().into()
}

#[test]
fn rows_come_in_batches_across_blocks() {
    let file = rows(Codec::Null, 10, 3);
    for (most, expected) in [(0, vec![1; 10]), (4, vec![4, 4, 2]), (5, vec![5, 5]), (100, vec![10])] {
        let keys = reader(&file, Limits::default()).batch_rows(most).keys(["i", "s"]).unwrap();
        assert_eq!(keys.map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>(), expected);
        let records = reader(&file, Limits::default()).batch_rows(most).records(&RecordOptions::default());
        assert_eq!(records.unwrap().map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn rows_before_an_error_come_first() {
    let mut file = rows(Codec::Null, 10, 3);
    let end = file.len();
    // Of the last block, which has one row.
    file[end - 17] = 0xff;
    let mut batches = reader(&file, Limits::default()).records(&RecordOptions::default()).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().num_rows(), 9);
    let error = batches.next().unwrap().unwrap_err().to_string();
    assert!(
        error.starts_with("x.avro, byte ") && error.contains("record 9, ") && error.contains("UTF-8"),
        "{error}"
    );
    assert!(batches.next().is_none());
}

#[test]
fn errors_name_the_file_and_what_there_is() {
    let file = rows(Codec::Null, 1, 1);
    let error = reader(&file, Limits::default()).keys(["j"]).unwrap_err().to_string();
    assert!(error.starts_with("x.avro, key \"j\", column 1: "), "{error}");
    let options = RecordOptions::default().columns(["ii"]);
    let error = reader(&file, Limits::default()).records(&options).unwrap_err().to_string();
    assert!(error.starts_with("x.avro") && error.contains("no field \"ii\" in record row"), "{error}");
}

#[test]
fn the_decoder_has_the_limits_of_the_container() {
    let file = rows(Codec::Null, 10, 1);
    let batches = |bytes| reader(&file, Limits::default().batch_bytes(bytes)).keys(["s"]).unwrap();
    let rows = batches(100).map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>();
    assert!(rows.len() > 1 && rows.iter().sum::<usize>() == 10, "{rows:?}");
    let mut batches = batches(10);
    let error = batches.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(batches.next().is_none());
}
