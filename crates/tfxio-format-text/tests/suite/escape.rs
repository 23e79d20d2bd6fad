//! CSV whose quotes are escaped by another character, as Spark writes it.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, LargeStringArray, RecordBatch};
use proptest::prelude::*;
use tfxio_formats::tfxio_core::{
    Batch, Error, ErrorKind, FactValue, FileFormat as _, FileState, Files, FormatOptions, OptionValue,
    ScanRequest,
};
use tfxio_formats::{CsvFormat, DatasetExt as _, OpenOptions};

use crate::reading::made;

fn options(escape: &str) -> [(&'static str, OptionValue); 2] {
    [("layout", "plain".into()), ("escape", escape.into())]
}

/// Returns the cells of a column of texts.
fn texts(text: &str, options: &[(&str, OptionValue)], column: &str) -> Result<Vec<Option<String>>, Error> {
    let made = made("a.csv", text, options);
    let mut found = Vec::new();
    for batch in made.dataset?.read(ScanRequest::new())? {
        found.extend(batch?[column].as_string::<i64>().iter().map(|text| text.map(str::to_owned)));
    }
    Ok(found)
}

#[test]
fn escaped_quotes_are_those_of_cells() {
    let text = "id,t\n1,\"foo (\\\"foo\\\")\"\n2,bar\n3,\"two\n\\\"lines\\\",\"\n4,\"C:\\\\\"\n5,\"\"\n6,C:\\n\n7,\"a\"\"b\"\n8,\"\\n\"\n";
    let expected = ["foo (\"foo\")", "bar", "two\n\"lines\",", "C:\\", "", "C:\\n", "a\"b", "\\n"];
    for escape in ["\\", "backslash"] {
        let found = texts(text, &options(escape), "t").unwrap();
        assert_eq!(found.iter().map(|text| text.as_deref().unwrap()).collect::<Vec<_>>(), expected);
    }
    let other = text.replace('\\', "~");
    let found = texts(&other, &options("~"), "t").unwrap();
    assert_eq!(found[0].as_deref(), Some("foo (\"foo\")"));
    // A quote that escapes itself is one that is written twice.
    let twice = texts("id,t\n1,\"say \"\"hi\"\"\"\n", &options("\""), "t").unwrap();
    assert_eq!(twice[0].as_deref(), Some("say \"hi\""));
    // The header has cells, too.
    let named = made("a.csv", "id,\"a \\\"b\\\"\"\n1,x\n", &options("\\"));
    assert_eq!(named.dataset().schema().field(1).name(), "a \"b\"");
}

#[test]
fn a_file_that_an_escape_explains_says_so() {
    let fails = [
        "id,t\n1,\"foo (\\\"foo\\\")\"\n",
        "id,t\n1,\"\\\"\"\n2,\"b\"\n",
        "id,t\n1,\"a\\\",b\"\n2,c\n",
        "id,t\n1,\"{\\\"k\\\": [1, 2]}\"\n",
        "id,t\n1,\"ends \\\"\"\n2,x\n",
        "id,\"a \\\"b\\\"\"\n1,x\n",
        "id,\"a\\\",b\"\n1,x\n",
        "id,t\n1,\"a\\\",\"\n2,c\n",
    ];
    for text in fails {
        let error = texts(text, &[("layout", "plain".into())], "t").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        let error = error.to_string();
        assert!(error.contains("set the option escape to backslash"), "{text:?}: {error}");
        assert!(!error.contains("quoting to none"), "{error}");
    }
    // As it says, where the cell has quotes around it.
    for text in [fails[0], fails[1], fails[2], fails[3], fails[4], fails[7]] {
        texts(text, &options("backslash"), "t").unwrap();
    }
    // After the records that types are inferred from.
    let later = format!("id,t\n{}1,\"foo (\\\"foo\\\")\"\n", "0,x\n".repeat(20));
    let few = [("layout", "plain".into()), ("infer_records", 3_u64.into())];
    let error = texts(&later, &few, "t").unwrap_err().to_string();
    assert!(error.contains("record 20") && error.contains("set the option escape to backslash"), "{error}");
    // What a backslash does not explain says nothing of it.
    for text in [
        "id,t\n1,\"a\"b\n",
        "id,t\n1,a\"b\n",
        "id,t\n1,a\\\"b\n",
        "id,t\n1,\"x\\y\"\"\n",
        "id,t\n1,2,3\n",
        "id,t\n1,\"a\n",
    ] {
        let error = texts(text, &[("layout", "plain".into())], "t").unwrap_err().to_string();
        assert!(!error.contains("option escape"), "{text:?}: {error}");
        let error = texts(text, &options("\\"), "t").unwrap_err().to_string();
        assert!(!error.contains("option escape"), "{text:?}: {error}");
    }
}

#[test]
fn what_is_no_escape_is_refused() {
    for (options, text) in [
        (vec![("escape", OptionValue::from("ab"))], "the option \"escape\" is one ASCII character"),
        (vec![("escape", "\n".into())], "the option \"escape\" is one ASCII character"),
        (
            vec![("escape", ";".into()), ("delimiter", ";".into())],
            "\"delimiter\" and \"escape\" are the same",
        ),
        (vec![("escape", "\\".into()), ("quoting", "none".into())], "quotes are text; leave out one"),
    ] {
        let error = made("a.csv", "a,b\n1,2\n", &options).dataset.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(text), "{error}");
    }
}

fn write(batch: &RecordBatch, path: &std::path::Path, escape: &str) -> Result<(), Error> {
    let options = FormatOptions::default().option("escape", escape);
    let mut sink = CsvFormat.sink(path.to_str().unwrap(), &batch.schema(), &options)?;
    sink.write(&Batch::from(batch.clone()))?;
    sink.finish().map(drop)
}

fn batch(texts: &[Option<String>], name: &str) -> RecordBatch {
    let column: ArrayRef = Arc::new(LargeStringArray::from_iter(texts.iter().map(Option::as_deref)));
    let other: ArrayRef = Arc::new(LargeStringArray::from_iter_values(texts.iter().map(|_| "x")));
    RecordBatch::try_from_iter_with_nullable([(name, column, true), ("other", other, true)]).unwrap()
}

#[test]
fn quotes_are_written_with_the_escape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let texts = ["plain", "say \"hi\"", "C:\\", "a,b", "", "\\\"", "two\nlines"];
    write(&batch(&texts.map(|text| Some(text.to_owned())), "a\"b"), &path, "\\").unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "\"a\\\"b\",other\nplain,x\n\"say \\\"hi\\\"\",x\n\"C:\\\\\",x\n\"a,b\",x\n\"\",x\n\"\\\\\\\"\",x\n\"two\nlines\",x\n"
    );
    // Without one they are written twice, as before.
    write(&batch(&[Some("say \"hi\" \\".to_owned())], "t"), &path, "\"").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "t,other\n\"say \"\"hi\"\" \\\",x\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn texts_come_back_however_the_file_is_cut(
        rows in prop::collection::vec(prop::option::of("[\\\\\"\n,ab\u{e9} ]{0,9}"), 1..60),
        escape in prop::sample::select(vec!["\\", "~", "a", "\""]),
        target in 1..400_u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let batch = batch(&rows, "t\\\"");
        write(&batch, &path, escape).unwrap();
        let open = OpenOptions::new().set("layout", "plain").unwrap().set("escape", escape).unwrap();
        let dataset = open.set("text_columns", vec!["t\\\"".to_owned(), "other".to_owned()]).unwrap().open(&path).unwrap();
        prop_assert_eq!(dataset.schema().field(0).name(), "t\\\"");
        let mut found = Vec::new();
        for partition in dataset.partitions(target).unwrap() {
            let mut scan = dataset.scan(&partition, &ScanRequest::new().batch_rows(7)).unwrap();
            while let Some(batch) = scan.next_batch().unwrap() {
                let column = batch.columns().column(0).as_string::<i64>().clone();
                found.extend(column.iter().map(|text| text.map(str::to_owned)));
            }
        }
        prop_assert_eq!(found, rows);
    }
}

/// Files of a set, and what they hold together.
fn set(files: &[&str], options: &[(&str, OptionValue)]) -> Result<Vec<Option<String>>, Error> {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (index, text) in files.iter().enumerate() {
        let path = folder.path().join(format!("part-{index:05}.csv"));
        std::fs::write(&path, text).unwrap();
        paths.push(path.display().to_string());
    }
    let open =
        options.iter().fold(OpenOptions::new(), |open, (key, value)| open.set(key, value.clone()).unwrap());
    let mut found = Vec::new();
    for batch in open.open(&paths)?.read(ScanRequest::new())? {
        found.extend(batch?.column(1).as_string::<i64>().iter().map(|text| text.map(str::to_owned)));
    }
    Ok(found)
}

#[test]
fn parts_without_a_row_have_no_rows_wherever_they_stand() {
    let plain = [("layout", "plain".into())];
    let (first, second) = ("id,t\n1,x\n", "id,t\n2,y\n3,z\n");
    for empty in ["", "\n", "\u{feff}", "\r\n\n"] {
        for files in [[empty, first, second], [first, empty, second], [first, second, empty]] {
            let found = set(&files, &plain).unwrap();
            assert_eq!(found.iter().flatten().collect::<Vec<_>>(), ["x", "y", "z"], "{files:?}");
        }
        let found = set(&[empty, empty, first], &plain).unwrap();
        assert_eq!(found, [Some("x".to_owned())]);
        let error = set(&[empty, empty], &plain).unwrap_err().to_string();
        assert!(error.contains("part-00000.csv: the file is empty: it has no header row"), "{error}");
        let named = [("layout", "plain".into()), ("header", OptionValue::Bool(false))];
        assert_eq!(set(&[empty, "1,x\n", empty], &named).unwrap(), [Some("x".to_owned())], "{empty:?}");
    }
}

#[test]
fn parts_without_a_row_are_inspected_as_those_of_their_set() {
    let folder = tempfile::tempdir().unwrap();
    let name = |index: usize| folder.path().join(format!("part-{index}.csv")).display().to_string();
    for (index, text) in ["", "id,t\n1,x\n", ""].iter().enumerate() {
        std::fs::write(name(index), text).unwrap();
    }
    let options = FormatOptions::default();
    let inspect = |names: Vec<String>| {
        let files = Files::local(names).unwrap();
        CsvFormat.inspect().unwrap().inspect(&files, &options).unwrap()
    };
    let reports = inspect((0..3).map(name).collect());
    for (report, rows) in reports.iter().zip([0, 1, 0]) {
        assert_eq!(report.state, FileState::Whole, "{:?}", report.errors);
        assert_eq!(report.get("rows"), Some(&FactValue::Count(rows)));
    }
    let alone = inspect(vec![name(0)]).remove(0);
    assert!(alone.errors[0].to_string().contains("the file is empty: it has no header row"));
}

#[test]
fn a_header_of_a_million_names_meets_the_limit() {
    let mut header = (0..1_000_000).map(|index| format!("c{index}")).collect::<Vec<_>>().join(",");
    header.push_str("\n1,2\n");
    for (text, what) in
        [(header.clone(), "1000000 columns"), ("c,".repeat(999_999) + "c\n", "1000000 columns")]
    {
        let error = made("a.csv", text, &[]).dataset.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        let error = error.to_string();
        assert!(error.contains(what) && error.contains("the limit is 100000"), "{error}");
        assert!(error.ends_with("check the delimiter, or raise the limit columns"), "{error}");
    }
    // As long a row under a short header, and a second file with such a header.
    let row = "id,t\n".to_owned() + &"1,".repeat(999_999) + "1\n";
    let error = made("a.csv", row, &[]).dataset.unwrap_err().to_string();
    assert!(error.contains("the row has 1000000 cells, and there are 2 columns"), "{error}");
    let error = set(&["id,t\n1,x\n", &header], &[("layout", "plain".into())]).unwrap_err().to_string();
    assert!(error.contains("there are 1000000 columns, and the limit is 100000"), "{error}");
}
