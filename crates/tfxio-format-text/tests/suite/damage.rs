//! Bad input: errors, and skipped records.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use tfxio_formats::tfxio_core::{Limits, OnError, OptionValue, ScanRequest, Skip};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::reading::{Made, made, plain};

/// Returns the first error, of opening or of reading, without the folder.
pub fn error_of(made: &Made) -> String {
    let error = match &made.dataset {
        Err(error) => error.to_string(),
        Ok(dataset) => {
            let batches = dataset.read(ScanRequest::new());
            batches.and_then(|batches| batches.collect::<Result<Vec<_>, _>>()).unwrap_err().to_string()
        }
    };
    let (folder, _) = made.path.rsplit_once('/').unwrap();
    error.replace(&format!("{folder}/"), "")
}

#[test]
fn what_is_wrong_is_said() {
    let cases: [(&str, &str); 11] = [
        (
            "",
            "a.csv: the file is empty: it has no header row; check the file, or name the columns with the option column_names",
        ),
        (
            "x,y\n1,2\n3,4,5\n",
            "a.csv, byte 8, record 1: the row has 3 cells, and there are 2 columns; correct the row, or check the delimiter, \
             which is ','",
        ),
        (
            "x,y\n1,2\n3\n",
            "a.csv, byte 8, record 1: the row has 1 cell, and there are 2 columns; correct the row, or check the delimiter, \
             which is ','",
        ),
        (
            "x,y\n1,2\n3,\"4\n5,6\n",
            "a.csv, byte 8, record 1: a quoted cell begins in this row and does not end before the end of the file; close the \
             quote, write a quote in a cell twice, or say that quotes are text",
        ),
        (
            "x,y\n1,2\n3,4\"\n",
            "a.csv, byte 8, record 1, byte of the record 3, column \"y\": a quote stands in a cell that does not begin with \
             one; quote the cell and write the quote twice, or set the option quoting to none if quotes are text",
        ),
        (
            "x,y\n1,\"2\"3\n",
            "a.csv, byte 4, record 0, byte of the record 5, column \"y\": text follows the closing quote of a cell; write a \
             quote in a cell twice, or set the option quoting to none if quotes are text",
        ),
        (
            "x,y\n1\r2,3\n",
            "a.csv, byte 4, record 0, byte of the record 1, column \"x\": a carriage return without a line feed stands in a \
             cell without quotes; end lines with \\n or \\r\\n, or quote the cell",
        ),
        (
            "x,\n1,2\n",
            "a.csv: column 1 has no name; give names with the option column_names, and say header=true so that the header is \
             passed over",
        ),
        (
            "x,y,x\n1,2,3\n",
            "a.csv: columns 0 and 2 are both called \"x\"; give names with the option column_names, and say header=true so \
             that the header is passed over",
        ),
        (
            "x,\"y\n1,2\n",
            "a.csv, byte 0, record 0: a quoted cell begins in this row and does not end before the end of the file; close the quote, write a quote in a cell twice, or say that quotes are text",
        ),
        (
            "\"",
            "a.csv, byte 0, record 0: a quoted cell begins in this row and does not end before the end of the file; close the quote, write a quote in a cell twice, or say that quotes are text",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error_of(&plain(text)), expected, "{text:?}");
    }
    assert_eq!(
        error_of(&plain(b"x,y\n1,a\n2,\xff\xfe\n")),
        "a.csv, byte 8, record 1, column \"y\": the cell \"\u{fffd}\u{fffd}\" is not UTF-8; save the file as UTF-8, or read the \
         column as bytes, with a schema or layout structured"
    );
    assert_eq!(
        error_of(&plain(b"x,\xff\n1,a\n")),
        "a.csv: the name of column 1 in the header is not UTF-8; save the file as UTF-8, or give the names"
    );
}

#[test]
fn a_cell_that_contradicts_what_was_inferred_is_an_error() {
    let few: [(&str, OptionValue); 2] = [("infer_records", 1u64.into()), ("layout", "plain".into())];
    let of = |text: &str| error_of(&made("a.csv", text, &few));
    let remedy = "correct the cell, or infer the types from more records with the option infer_records, or give a schema";
    assert_eq!(
        of("x,y\n1,2\n3,abc\n"),
        format!(
            "a.csv, byte 8, record 1, column \"y\": the cell \"abc\" is not a value of type Int64; {remedy}"
        )
    );
    assert_eq!(
        of("x,y\n1,2\n3,99999999999999999999\n"),
        format!(
            "a.csv, byte 8, record 1, column \"y\": the number 99999999999999999999 does not fit Int64; {remedy}"
        )
    );
    assert_eq!(
        of("x,y\n1,\n3,4\n"),
        format!(
            "a.csv, byte 7, record 1, column \"y\": the cell \"4\" has a value, and the column had none when its type was \
             inferred; {remedy}"
        )
    );
    let options: [(&str, OptionValue); 1] = [("multivalent_columns", "x".into())];
    let error = error_of(&made("a.csv", "x\n1||3\n", &options));
    assert!(
        error.starts_with(
            "a.csv, byte 2, record 0, column \"x\": the cell \"1||3\" is not a value of type Int64"
        ),
        "{error}"
    );
}

#[test]
fn a_truncated_gzip_file_is_an_error() {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(b"x,y\n").unwrap();
    (0..10_000).for_each(|n| writeln!(file, "{n},{}", n * 31 % 1009).unwrap());
    let whole = file.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv.gz");
    std::fs::write(&path, &whole[..whole.len() - 100]).unwrap();
    let error = OpenOptions::new().open(&path).unwrap_err().to_string();
    assert!(
        error.contains("the gzip stream ends early: the file was not written or copied to its end"),
        "{error}"
    );
    let skip = Skip::default();
    let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
    let dataset = OpenOptions::new().request(request.clone()).open(&path).unwrap();
    let rows = dataset.read(request).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert!((5_000..10_000).contains(&rows), "{rows}");
    assert_eq!(skip.report().ranges, 1);
}

#[test]
fn what_follows_the_gzip_data_is_said() {
    let member = |text: &str| {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in
        [("a.csv.gz", ["x,y\n1,2\n3", ",4\n"]), ("a.jsonl.gz", ["{\"x\": 1}\n{\"x\"", ": 3}\n"])]
    {
        let whole = rows.map(member).concat();
        let path = folder.path().join(name);
        let count = |after: &[u8]| {
            std::fs::write(&path, [&whole[..], after].concat()).unwrap();
            OpenOptions::new().open(&path).and_then(|dataset| dataset.count())
        };
        // Zeros are padding.
        for zeros in [0, 1, 511, 200_000] {
            assert_eq!(count(&vec![0; zeros]).unwrap(), 2, "{zeros} zeros after {name}");
        }
        for (after, padding) in [(&b"x"[..], 0), (b"\0\0\0more and more", 3)] {
            let expected = format!(
                "{}, stored byte {}: bytes that are not gzip data follow the end of the gzip data; cut the file off at this byte \
                 if they do not belong to it, or copy it again: a damaged part of the data looks the same",
                path.display(),
                whole.len() + padding
            );
            assert_eq!(count(after).unwrap_err().to_string(), expected);
        }
        // All rows are read where damage is skipped.
        let skip = Skip::default();
        let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
        let dataset = OpenOptions::new().request(request.clone()).open(&path).unwrap();
        let batches = dataset.read(request).unwrap();
        assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2);
        let report = skip.report();
        assert_eq!(report.ranges, 1);
        assert!(report.listed[0].reason.contains("follow the end of the gzip data"), "{report:?}");
    }
}

/// Also where too little is left to see that it was compressed.
#[test]
fn a_gzip_file_of_a_few_bytes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format, text) in [("a.csv.gz", "csv", "x,y\n1,2\n"), ("a.jsonl.gz", "jsonl", "{\"x\": 1}\n")] {
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        file.write_all(text.as_bytes()).unwrap();
        let whole = file.finish().unwrap();
        let path = folder.path().join(name);
        for length in 1..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let read = OpenOptions::new().format(format).open(&path).and_then(|dataset| dataset.count());
            let error = read.unwrap_err().to_string();
            assert!(error.contains("the gzip stream ends early"), "{name} {length}: {error}");
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn what_is_damaged_can_be_skipped() {
    let text = "x,y\n1,2\n3,4,5\n6,7\"\n8,9\n\"10,11\n";
    let skip = Skip::default();
    let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, text).unwrap();
    let options = OpenOptions::new().set("layout", "plain").unwrap().request(request.clone());
    let dataset = options.open(&path).unwrap();
    assert_eq!(dataset.schema().field(1).data_type().to_string(), "Int64");
    for threads in 1..3 {
        let rows = dataset.read(request.clone().threads(threads).batch_rows(2)).unwrap();
        assert_eq!(rows.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2);
    }
    let report = skip.report();
    let ranges = report.listed.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>();
    assert_eq!(ranges, [(23, 30), (8, 13), (14, 18)]);
}

#[test]
fn good_rows_come_before_an_error() {
    let made = made("a.csv", "x,y\n1,2\n3,4\n5,6,7\n", &[("infer_records", 1u64.into())]);
    let mut batches = made.dataset().read(ScanRequest::new()).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().num_rows(), 2);
    assert!(batches.next().unwrap().is_err());
}

#[test]
fn lines_are_bounded() {
    let long = format!("x,y\n1,{}\n", "z".repeat(100_000));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, long).unwrap();
    for most in [10, 50_000, 99_999] {
        let error = OpenOptions::new().limits(Limits::default().record_bytes(most)).open(&path).unwrap_err();
        assert!(error.to_string().contains("a line of "), "{error}");
    }
    assert!(OpenOptions::new().open(&path).is_ok());
    let columns = Limits::default().columns(1);
    let error = OpenOptions::new().limits(columns).open(&path).unwrap_err();
    assert!(error.to_string().contains("there are 2 columns, and the limit is 1"), "{error}");
}

#[test]
fn files_of_other_columns_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // Without headers by which columns are known, and with names that are given, only their number counts.
    let names = ["x".to_owned(), "y".to_owned()].to_vec();
    let named = OpenOptions::new().set("column_names", names).unwrap().set("header", true).unwrap();
    let files = [write("a.csv", "x,y\n1,2\n"), write("b.csv", "x,y,z\n1,2,3\n")];
    let error =
        named.open(files).and_then(|set| set.read(ScanRequest::new())?.try_for_each(|batch| batch.map(drop)));
    let error = error.unwrap_err().to_string();
    let text = "b.csv, byte 0: the header has 3 cells, and the data set has 2 columns; read files of the same columns together";
    assert!(error.ends_with(text), "{error}");
}
