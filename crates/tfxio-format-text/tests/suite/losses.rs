//! Texts that would be read back as something else: said, or refused, exactly where they are.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, DictionaryArray, FixedSizeBinaryArray, LargeListArray,
    LargeStringArray, RecordBatch, StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use proptest::prelude::*;
use tfxio_convert::{Conversion, Summary};
use tfxio_formats::tfxio_core::{Batch, FileFormat as _, FormatOptions, ScanRequest, Sink};
use tfxio_formats::{CsvFormat, DatasetExt as _, Error, OpenOptions};

const NUMBERS: &str =
    "texts that are all numbers are read back as numbers, unless the option text_columns names the column";
const BOOLS: &str = "texts that are all true or false are read back as bools, unless the option text_columns names the column";

fn texts(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(LargeStringArray::from(values.to_vec()))
}

fn batch(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("t", column, true)]).unwrap()
}

/// Returns a sink that was given the batches, as yet without a file.
fn written(path: &Path, batches: &[RecordBatch]) -> Box<dyn Sink> {
    let sink = CsvFormat.sink(
        path.to_str().unwrap(),
        &batches[0].schema(),
        &FormatOptions::default().option("secondary_delimiter", "|"),
    );
    let mut sink = sink.unwrap();
    batches.iter().for_each(|batch| sink.write(&Batch::from(batch.clone())).unwrap());
    sink
}

/// Returns what is said of a column.
fn said(column: ArrayRef) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let sink = written(&folder.path().join("a.csv"), &[batch(column)]);
    sink.losses().pop().map(|loss| {
        assert_eq!(loss.column, "t");
        loss.what
    })
}

#[test]
fn all_values_together_say_what_is_read_back() {
    for (values, loss) in [
        (&[Some("36")][..], Some(NUMBERS)),
        (&[Some("007"), None, Some("")], Some(NUMBERS)),
        (&[Some("1"), Some("nan"), Some(" 2e5 ")], Some(NUMBERS)),
        (&[Some("true"), Some("FALSE")], Some(BOOLS)),
        (&[Some("true"), Some("1")], None),
        (&[Some("36"), Some("x")], None),
        (&[Some("9223372036854775808")], None),
        (&[Some(""), None], None),
        (&[Some("1|2")], None),
        (&[None], None),
        (&[], None),
    ] {
        assert_eq!(said(texts(values)).as_deref(), loss, "{values:?}");
    }
    assert_eq!(said(Arc::new(StringArray::from(vec!["1"]))).as_deref(), Some(NUMBERS));
    assert_eq!(said(Arc::new(BinaryArray::from(vec![&b"1"[..]]))).as_deref(), Some(NUMBERS));
    let fixed = FixedSizeBinaryArray::try_from_iter([b"12"].into_iter()).unwrap();
    assert_eq!(said(Arc::new(fixed)).as_deref(), Some(NUMBERS));
    let dictionary: DictionaryArray<Int32Type> = vec![Some("1"), None].into_iter().collect();
    assert_eq!(said(Arc::new(dictionary)).as_deref(), Some(NUMBERS));
    assert_eq!(said(Arc::new(arrow_array::Int64Array::from(vec![36]))), None);
}

#[test]
fn values_of_lists_are_read_back_one_by_one() {
    let lists = |rows: &[&[&str]]| -> ArrayRef {
        let mut lists = arrow_array::builder::ListBuilder::new(arrow_array::builder::StringBuilder::new());
        rows.iter().for_each(|row| lists.append_value(row.iter().map(Some)));
        Arc::new(lists.finish())
    };
    assert_eq!(said(lists(&[&["1", "2"], &["3"]])).as_deref(), Some(NUMBERS));
    assert_eq!(said(lists(&[&["1", "x"], &["3"]])), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// The reader infers texts where nothing is said to be lost, and something else where it is.
    #[test]
    fn a_loss_is_said_where_the_reader_infers_another_type(
        choices in prop::collection::vec(prop::collection::vec(0usize..13, 0..4), 1..4),
    ) {
        const VALUES: [Option<&str>; 13] = [
            Some("1"), Some("-007"), Some("0.5"), Some("9007199254740993"), Some("1e999"), Some("NaN"), Some("true"),
            Some("False"), Some(""), Some(" "), Some("1_000"), Some("x"), None,
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let batches = choices.iter().map(|choices| {
            batch(texts(&choices.iter().map(|choice| VALUES[*choice]).collect::<Vec<_>>()))
        });
        let sink = written(&path, &batches.collect::<Vec<_>>());
        let losses = sink.losses();
        sink.finish().unwrap();
        let again = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap();
        let read_as = again.schema().field(0).data_type();
        let is_kept = matches!(read_as, DataType::LargeUtf8 | DataType::Null);
        prop_assert_eq!(losses.is_empty(), is_kept, "{} {:?}", read_as, losses);
        if *read_as == DataType::Null {
            let batches = again.read(ScanRequest::new()).unwrap().map(Result::unwrap).collect::<Vec<_>>();
            prop_assert!(batches.iter().all(|batch| batch.column(0).logical_null_count() == batch.num_rows()));
        }
    }
}

/// An Arrow file of two columns of texts, each `common` but for the last row of one.
fn arrow(folder: &Path, common: &str, last: &str) -> String {
    let rows = 40_000;
    let column = |last: &str| -> ArrayRef {
        let values = (0..rows).map(|row| if row + 1 == rows { last } else { common });
        Arc::new(LargeStringArray::from_iter_values(values))
    };
    let batch = RecordBatch::try_from_iter([("a", column(last)), ("b", column(common))]).unwrap();
    let path = folder.join("in.arrow");
    let mut writer = FileWriter::try_new(std::fs::File::create(&path).unwrap(), &batch.schema()).unwrap();
    (0..rows).step_by(1000).for_each(|row| writer.write(&batch.slice(row, 1000)).unwrap());
    writer.finish().unwrap();
    path.to_str().unwrap().to_owned()
}

fn convert(from: &str, to: &Path, threads: usize, lossless: bool, resume: bool) -> Result<Summary, Error> {
    let conversion = Conversion::builder([from], to).request(ScanRequest::new().threads(threads));
    conversion.lossless(lossless).resume(resume).build()?.run(|_| {})
}

#[test]
fn what_would_be_lost_does_not_appear() {
    for (common, last, lost) in [("36", "x", "b"), ("36", "37", "a, b"), ("true", "x", "b"), ("x", "y", "")] {
        let folder = tempfile::tempdir().unwrap();
        let from = arrow(folder.path(), common, last);
        let what = if common == "true" { BOOLS } else { NUMBERS };
        for (threads, name) in [(1, "a.csv"), (2, "a.csv.gz"), (5, "a@3.tsv"), (2, "a@*.csv")] {
            let to = folder.path().join(name);
            let files = || std::fs::read_dir(folder.path()).unwrap().count();
            let refused = convert(&from, &to, threads, true, false);
            match &refused {
                Err(error) => {
                    assert!(!lost.is_empty() && error.to_string().contains(what), "{error}");
                    assert_eq!(files(), 1, "{name}");
                }
                Ok(summary) => assert!(lost.is_empty() && summary.losses.is_empty(), "{name}"),
            }
            let losses = convert(&from, &to, threads, false, false).unwrap().losses;
            assert!(losses.iter().all(|loss| loss.what == what), "{losses:?}");
            let columns = losses.into_iter().map(|loss| loss.column).collect::<Vec<_>>();
            assert_eq!(columns.join(", "), lost, "{name}");
            for entry in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
                if entry.file_name() != "in.arrow" {
                    std::fs::remove_file(entry.path()).unwrap();
                }
            }
        }
    }
}

/// A set that can be resumed is judged file by file: each is read by itself, and is there before the next is written.
#[test]
fn files_of_a_set_that_is_resumed_are_judged_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let from = arrow(folder.path(), "36", "x");
    let to = folder.path().join("a@4.csv");
    let losses = convert(&from, &to, 2, false, true).unwrap().losses;
    assert_eq!(losses.iter().map(|loss| &*loss.column).collect::<Vec<_>>(), ["a", "b"]);
    let error = convert(&from, &folder.path().join("b@4.csv"), 2, true, true).unwrap_err();
    assert!(error.to_string().contains(NUMBERS), "{error}");
    assert!(!folder.path().join("b-00000-of-00004.csv").exists());
}

#[test]
fn uuids_are_written_as_text() {
    let uuid =
        [0x55, 0x0e, 0x84, 0x00, 0xe2, 0x9b, 0x41, 0xd4, 0xa7, 0x16, 0x44, 0x66, 0x55, 0x44, 0x00, 0xff];
    let field = Field::new("item", DataType::FixedSizeBinary(16), true)
        .with_metadata(HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]));
    let values =
        || FixedSizeBinaryArray::try_from_sparse_iter_with_size([Some(uuid), None].into_iter(), 16).unwrap();
    let lists = LargeListArray::new(
        Arc::new(field.clone()),
        OffsetBuffer::new(vec![0, 1, 1].into()),
        Arc::new(values().slice(0, 1)),
        Some(vec![true, false].into()),
    );
    let schema = Schema::new(vec![
        field.clone().with_name("one"),
        Field::new("many", lists.data_type().clone(), true),
    ]);
    let batch = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(values()), Arc::new(lists)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let sink = written(&path, &[batch]);
    sink.finish().unwrap();
    let uuid = "550e8400-e29b-41d4-a716-4466554400ff";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("one,many\n{uuid},{uuid}\n,\n"));
    let losses = CsvFormat.losses(&field, &FormatOptions::default());
    assert_eq!(losses, ["UUIDs become texts, and are read back as texts"]);
}
