//! Types and values of cells.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tfxio_formats::tfxio_core::{Dataset, DatasetSpec, OptionValue, Result, Scan as _, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions, SpecExt as _};

use crate::test_files::write_bytes;

/// A data set of one file of this text.
pub struct Made {
    pub dataset: Result<Arc<dyn Dataset>>,
    pub path: String,
    _folder: tempfile::TempDir,
}

pub fn made(name: &str, text: impl AsRef<[u8]>, options: &[(&str, OptionValue)]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_bytes(&path, text.as_ref());
    let options =
        options.iter().fold(OpenOptions::new(), |open, (key, value)| open.set(key, value.clone()).unwrap());
    Made { dataset: options.open(&path), path: path.to_str().unwrap().to_owned(), _folder: folder }
}

pub fn plain(text: impl AsRef<[u8]>) -> Made {
    made("a.csv", text, &[("layout", "plain".into())])
}

impl Made {
    pub fn dataset(&self) -> &Arc<dyn Dataset> {
        self.dataset.as_ref().unwrap()
    }

    pub fn rows(&self) -> RecordBatch {
        let mut batches = self.dataset().read(ScanRequest::new()).unwrap();
        let batch = batches.next().unwrap().unwrap();
        assert!(batches.next().is_none());
        batch
    }

    pub fn types(&self) -> Vec<String> {
        let schema = Arc::clone(self.dataset().schema());
        schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
    }
}

#[test]
fn types_are_inferred_from_all_rows() {
    let text = "i,f,mixed,b,t,none,big\n1,1.5,1,true,a,,9223372036854775808\n,,2.5,FALSE,1,,1\n";
    let expected = [
        "i: Int64",
        "f: Float64",
        "mixed: Float64",
        "b: Boolean",
        "t: LargeUtf8",
        "none: Null",
        "big: LargeUtf8",
    ];
    let plain = plain(text);
    assert_eq!(plain.types(), expected);
    let batch = plain.rows();
    assert_eq!(batch["mixed"].as_primitive::<Float64Type>().values(), &[1.0, 2.5]);
    assert_eq!(batch["b"].as_boolean().iter().collect::<Vec<_>>(), [Some(true), Some(false)]);
    let structured = made("a.csv", text, &[]).types();
    let lists = ["Int64", "Float32", "Float32", "LargeBinary", "LargeBinary", "Null", "LargeBinary"];
    for (data_type, list) in structured.iter().zip(lists) {
        assert!(
            data_type.ends_with(list) || data_type.contains(&format!("({list})")) || data_type.contains(list),
            "{data_type}"
        );
    }
}

/// A number that a 64-bit float would not hold is text, or an error where the type is fixed.
#[test]
fn no_digit_is_lost() {
    let text = "mixed,exact,large,word,long\n9007199254740993,9007199254740992,1e400,inf,9007199254740993\n1.5,1.5,1,1.5,1\n";
    let plain = plain(text);
    let expected = ["mixed: LargeUtf8", "exact: Float64", "large: LargeUtf8", "word: Float64", "long: Int64"];
    assert_eq!(plain.types(), expected);
    let batch = plain.rows();
    assert_eq!(batch["mixed"].as_string::<i64>().value(0), "9007199254740993");
    assert_eq!(batch["large"].as_string::<i64>().value(0), "1e400");
    assert!(batch["word"].as_primitive::<Float64Type>().value(0).is_infinite());
    for cell in ["9007199254740993", "9223372036854775808", "-1e400"] {
        let text = format!("f\n1.5\n{cell}\n");
        let options = [("layout", "plain".into()), ("infer_records", OptionValue::Count(1))];
        let made = made("a.csv", text, &options);
        let error = made.dataset().read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
        let what = format!("column \"f\": the number {cell} does not fit Float64");
        assert!(error.to_string().contains(&what), "{error}");
    }
}

#[test]
fn an_empty_cell_is_null_and_a_quoted_one_of_texts_is_empty() {
    let made = plain("t,i,e\n\"\",\"\",\"\"\n,,\nx,1,\n");
    assert_eq!(made.types(), ["t: LargeUtf8", "i: Int64", "e: LargeUtf8"]);
    let batch = made.rows();
    let texts = |name: &str| {
        batch[name].as_string::<i64>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(texts("t"), [Some(String::new()), None, Some("x".to_owned())]);
    assert_eq!(texts("e"), [Some(String::new()), None, None]);
    assert_eq!(batch["i"].as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [None, None, Some(1)]);
}

#[test]
fn a_byte_order_mark_and_any_line_ending_are_taken() {
    for text in [
        "\u{feff}n,t\r\n1,a\r\n2,\"b\"\r\n",
        "n,t\n1,a\n2,b",
        "\n\nn,t\n1,a\n\n\n2,b\n\n",
        "\u{feff}\"n\",t\n1,a\n2,b\n",
    ] {
        let made = plain(text);
        assert_eq!(made.types(), ["n: Int64", "t: LargeUtf8"], "{text:?}");
        assert_eq!(made.rows()["n"].as_primitive::<Int64Type>().values(), &[1, 2], "{text:?}");
    }
    let made = made("a.csv", "\u{feff}1,a\n2,b\n", &[("header", false.into()), ("layout", "plain".into())]);
    assert_eq!(made.types(), ["column_0: Int64", "column_1: LargeUtf8"]);
    assert_eq!(made.rows()["column_0"].as_primitive::<Int64Type>().values(), &[1, 2]);
}

#[test]
fn a_blank_line_is_a_row_where_there_is_one_column() {
    let one = plain("n\n1\n\n3\n");
    assert_eq!(
        one.rows()["n"].as_primitive::<Int64Type>().iter().collect::<Vec<_>>(),
        [Some(1), None, Some(3)]
    );
    assert_eq!(plain("n,m\n1,2\n\n3,4\n").rows().num_rows(), 2);
    let kept = made("a.csv", "n,m\n1,2\n\n3,4\n", &[("blank_lines", "null".into())]);
    assert_eq!(kept.rows().num_rows(), 3);
    let skipped = made("a.csv", "n\n1\n\n3\n", &[("blank_lines", "skip".into())]);
    assert_eq!((skipped.rows().num_rows(), skipped.dataset().count().unwrap()), (2, 2));
}

#[test]
fn names_may_be_given() {
    let names = |names: &[&str]| OptionValue::List(names.iter().map(|name| (*name).to_owned()).collect());
    let given = made("a.csv", "1,2\n", &[("column_names", names(&["x", "y"]))]);
    assert_eq!((given.dataset().schema().field(1).name().as_str(), given.rows().num_rows()), ("y", 1));
    let row = made("a.tsv", "1\t2\n", &[("column_names", "x\ty".into())]);
    assert_eq!(row.dataset().schema().field(1).name(), "y");
    let replaced = made("a.csv", "p,p\n1,2\n", &[("column_names", "x,y".into()), ("header", true.into())]);
    assert_eq!((replaced.dataset().schema().field(0).name().as_str(), replaced.rows().num_rows()), ("x", 1));
}

#[test]
fn cells_may_hold_several_values() {
    let options: [(&str, OptionValue); 3] = [
        ("multivalent_columns", "x".into()),
        ("secondary_delimiter", ";".into()),
        ("layout", "plain".into()),
    ];
    let made = made("a.csv", "x,y\n1;2,a;b\n,c\n3,d\n", &options);
    let batch = made.rows();
    let lists = batch["x"].as_list::<i64>();
    let lists = lists.iter().map(|list| list.map(|list| list.as_primitive::<Int64Type>().values().to_vec()));
    assert_eq!(lists.collect::<Vec<_>>(), [Some(vec![1, 2]), None, Some(vec![3])]);
    assert_eq!(batch["y"].as_string::<i64>().value(0), "a;b");
}

#[test]
fn a_column_has_the_record_itself() {
    let made = made(
        "a.csv",
        "x,y\n1,\"a\"\n2,b\r\n",
        &[("raw_record_column", "raw".into()), ("layout", "plain".into())],
    );
    let batch = made.rows();
    let raw = batch["raw"].as_list::<i64>().values().as_binary::<i64>().iter().flatten().collect::<Vec<_>>();
    assert_eq!(raw, [b"1,\"a\"".as_slice(), b"2,b"]);
    let request = ScanRequest::new().columns(["raw", "x"]);
    let batch = made.dataset().read(request).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.schema().field(1).name(), "x");
}

#[test]
fn a_description_opens_the_same_columns_and_may_give_types() {
    let made = plain("x,y\n1,a\n2,b\n");
    let spec = made.dataset().spec().unwrap();
    let shipped: DatasetSpec = serde_json::from_str(&serde_json::to_string(&spec).unwrap()).unwrap();
    let again = shipped.open().unwrap();
    assert_eq!(again.schema(), made.dataset().schema());
    let types = [DataType::UInt8, DataType::Utf8];
    let fields = ["x", "y"].into_iter().zip(types).map(|(name, data_type)| Field::new(name, data_type, true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let given = DatasetSpec::new("csv", vec![made.path.as_str().into()], Arc::clone(&schema)).open().unwrap();
    let batch = given.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.schema(), schema);
}

#[test]
fn tabs_and_other_delimiters() {
    let tabs = made("a.tsv", "x\ty\n1\ta,b\n", &[("layout", "plain".into())]);
    assert_eq!(tabs.rows()["y"].as_string::<i64>().value(0), "a,b");
    let other = made("a.csv", "x;y\n1;\"a;b\"\n", &[("delimiter", ";".into()), ("layout", "plain".into())]);
    assert_eq!(other.rows()["y"].as_string::<i64>().value(0), "a;b");
    let stated = made("a.txt", "x\n1\n", &[]);
    assert!(stated.dataset.unwrap_err().to_string().contains("state its format"));
    let quotes =
        made("a.tsv", "x\ty\n5\" pipe\t\"\n", &[("quoting", "none".into()), ("layout", "plain".into())]);
    assert_eq!(quotes.rows()["x"].as_string::<i64>().value(0), "5\" pipe");
}

#[test]
fn a_file_with_a_header_only_has_columns_without_a_type() {
    let made = plain("x,y\n");
    assert_eq!(
        (made.types(), made.dataset().count().unwrap()),
        (vec!["x: Null".to_owned(), "y: Null".to_owned()], 0)
    );
}

/// Rows of several MiB are not copied on their way, which must not show.
#[test]
fn long_rows_among_short_ones() {
    let long = |letter: &str, more: usize| letter.repeat((4 << 20) + more);
    let words = [
        "a".to_owned(),
        long("b", 0),
        "c".to_owned(),
        long("d", 1),
        long("e", 300_000),
        String::new(),
        "f".to_owned(),
        long("g", 2 << 20),
    ];
    let csv = words.iter().enumerate().map(|(n, word)| format!("{n},\"{word}\"\r\n")).collect::<String>();
    let lines = words.iter().enumerate().map(|(n, word)| format!("{{\"n\":{n},\"w\":\"{word}\"}}\n"));
    for (name, text) in [
        ("a.csv", format!("n,w\r\n{csv}")),
        ("a.jsonl", lines.collect()),
        ("a.csv.gz", format!("n,w\n{csv}")),
    ] {
        // The last row may lack its line break.
        for text in [text.trim_end(), &text] {
            let made = made(name, text, &[("layout", "plain".into())]);
            for batch_rows in [1, 3, 100] {
                let mut batches = made.dataset().read(ScanRequest::new().batch_rows(batch_rows)).unwrap();
                let (mut found, mut offset) = (Vec::new(), None);
                while let Some(batch) = batches.next_batch().unwrap() {
                    let words = batch.columns().column(1).as_string::<i64>();
                    found.extend((0..words.len()).map(|row| words.value(row).to_owned()));
                    for origin in (0..words.len()).filter_map(|row| batch.origins().get(row)) {
                        assert!(origin.byte > offset, "{name}");
                        offset = origin.byte;
                    }
                }
                assert!(found == words, "{name}, {batch_rows} rows a batch");
            }
        }
    }
}
