//! Batches that are written and read again.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeListBuilder};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeListArray, Float64Array,
    Int64Array, LargeListArray, LargeListViewArray, LargeStringArray, ListArray, ListViewArray, RecordBatch,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use proptest::prelude::*;
use tfxio_formats::json::value::json;
use tfxio_formats::tfxio_core::{Batch, FileFormat as _, FormatOptions, ScanRequest};
use tfxio_formats::{CsvFormat, DatasetExt as _, OpenOptions};

fn write(
    path: &std::path::Path,
    batch: &RecordBatch,
    options: &FormatOptions,
) -> Result<Vec<String>, String> {
    let text = |error: tfxio_formats::Error| error.to_string();
    let sink = CsvFormat.sink(path.to_str().unwrap(), &batch.schema(), options);
    let mut sink = sink.map_err(text)?;
    sink.write(&Batch::from(batch.clone())).map_err(text)?;
    Ok(sink.finish().map_err(text)?.files)
}

fn columns(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let texts =
        LargeStringArray::from(vec![Some("a,\"b\"\nc"), None, Some(""), Some(" "), Some("\u{feff}d")]);
    let batch = columns(vec![
        ("text", Arc::new(texts)),
        ("i", Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(0), Some(7), Some(i64::MAX)]))),
        (
            "f, g",
            Arc::new(Float64Array::from(vec![Some(0.1), Some(f64::INFINITY), None, Some(-0.0), Some(1e300)])),
        ),
        ("b", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), None]))),
    ]);
    for name in ["a.csv", "a.csv.gz", "a.tsv", "a.tsv.gz"] {
        let path = folder.path().join(name);
        write(&path, &batch, &FormatOptions::default()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]), name.ends_with(".gz"));
        let again = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap();
        assert_eq!(again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap(), batch, "{name}");
    }
    assert_eq!(
        std::fs::read_to_string(folder.path().join("a.csv")).unwrap().lines().next(),
        Some("text,i,\"f, g\",b")
    );
}

#[test]
fn texts_that_spreadsheets_would_run_are_marked_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let texts = ["=1+1", "+1", "-1", "@a", "\tb", "\rc", "a=1", "", "'"];
    let batch = columns(vec![
        ("=t", Arc::new(LargeStringArray::from(texts.to_vec()))),
        ("n", Arc::new(Int64Array::from_iter_values((0..texts.len() as i64).map(|n| -n)))),
        ("f", Arc::new(Float64Array::from_iter_values((0..texts.len()).map(|n| -(n as f64))))),
        ("d", Arc::new(DictionaryArray::<Int32Type>::from_iter(texts))),
    ]);
    let written = |options: &FormatOptions| {
        write(&path, &batch, options).unwrap();
        std::fs::read_to_string(&path).unwrap()
    };
    let plain = written(&FormatOptions::default());
    assert!(plain.starts_with("=t,n,f,d\n=1+1,0,-0.0,=1+1\n"), "{plain}");
    assert_eq!(plain, written(&FormatOptions::default().option("output_escape_formulas", false)));
    let marked = written(&FormatOptions::default().option("output_escape_formulas", true));
    let expected = "'=t,n,f,d\n'=1+1,0,-0.0,'=1+1\n'+1,-1,-1.0,'+1\n'-1,-2,-2.0,'-1\n'@a,-3,-3.0,'@a\n\
                    '\tb,-4,-4.0,'\tb\n\"'\rc\",-5,-5.0,\"'\rc\"\na=1,-6,-6.0,a=1\n\"\",-7,-7.0,\"\"\n',-8,-8.0,'\n";
    assert_eq!(marked, expected);
}

#[test]
fn shards_have_a_header_each() {
    let folder = tempfile::tempdir().unwrap();
    let batch = columns(vec![("n", Arc::new(Int64Array::from_iter_values(0..10)))]);
    let files = write(&folder.path().join("a@3.csv"), &batch, &FormatOptions::default()).unwrap();
    assert_eq!(files.len(), 3);
    assert_eq!(std::fs::read_to_string(&files[2]).unwrap(), "n\n2\n5\n8\n");
    let whole = folder.path().join("a@3.csv");
    assert_eq!(OpenOptions::new().open(&whole).unwrap().count().unwrap(), 10);
}

#[test]
fn lists_need_a_second_delimiter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let lists = |rows: &[Option<&[i64]>]| {
        let mut lists = LargeListBuilder::new(Int64Builder::new());
        for row in rows {
            row.unwrap_or_default().iter().for_each(|value| lists.values().append_value(*value));
            lists.append(row.is_some());
        }
        columns(vec![("x", Arc::new(lists.finish()))])
    };
    let plain = FormatOptions::default();
    write(&path, &lists(&[Some(&[1]), None, Some(&[3])]), &plain).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "x\n1\n\n3\n");
    assert_eq!(
        write(&path, &lists(&[Some(&[1]), Some(&[1, 2])]), &plain).unwrap_err(),
        "column \"x\", row 1: the row has 2 values, and a cell holds one; set the option secondary_delimiter, or write JSON \
         lines (.jsonl), which hold lists"
    );
    assert_eq!(
        write(&path, &lists(&[Some(&[])]), &plain).unwrap_err(),
        "column \"x\", row 0: the list is empty, which a cell cannot tell from one that is missing; convert without this \
         column, or write JSON lines (.jsonl), which can hold it"
    );
    write(&path, &lists(&[Some(&[1, 2]), None]), &plain.option("secondary_delimiter", "|")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "x\n1|2\n\n");
}

#[test]
fn the_items_of_slices_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [[Some(1), Some(2)], [Some(3), Some(4)], [Some(5), Some(6)]].map(|row| Some(row.to_vec()));
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(rows.clone());
    let large = LargeListArray::from_iter_primitive::<Int64Type, _, _>(rows.clone());
    let pairs = FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(rows, 2);
    let views = ListViewArray::from(lists.clone());
    let large_views = LargeListViewArray::from(large.clone());
    let all: [ArrayRef; 5] =
        [Arc::new(lists), Arc::new(large), Arc::new(pairs), Arc::new(views), Arc::new(large_views)];
    for column in all {
        let slice = column.slice(1, 2);
        let mut out = String::new();
        (0..3).for_each(|row| json(&mut out, &slice, row));
        assert_eq!(out, "[3, 4][5, 6]null", "{}", column.data_type());
        if matches!(column.data_type(), DataType::ListView(_) | DataType::LargeListView(_)) {
            continue;
        }
        let options = FormatOptions::default().option("secondary_delimiter", "|");
        let path = folder.path().join("a.csv");
        write(&path, &columns(vec![("x", slice)]), &options).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "x\n3|4\n5|6\n", "{}", column.data_type());
    }
}

#[test]
fn texts_in_lists_are_quoted_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let texts = LargeStringArray::from(vec!["a", "b,c", "", "", "d\"e", " "]);
    let item = Arc::new(Field::new("item", DataType::LargeUtf8, true));
    let lists = |texts, ends: &[usize]| {
        let offsets = OffsetBuffer::<i32>::from_lengths(ends.iter().copied());
        Arc::new(ListArray::new(Arc::clone(&item), offsets, Arc::new(texts), None)) as ArrayRef
    };
    let options = FormatOptions::default().option("secondary_delimiter", "|");
    write(&path, &columns(vec![("x", lists(texts, &[2, 2, 1, 1]))]), &options).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, "x\n\"a|b,c\"\n|\n\"d\"\"e\"\n\" \"\n");
    let texts = LargeStringArray::from(vec!["kept", "b|c"]);
    let error = write(&path, &columns(vec![("x", lists(texts, &[1, 1]))]), &options).unwrap_err();
    assert!(error.contains("a value holds the secondary delimiter '|'"), "{error}");
}

/// Integers are written with characters that may be delimiters.
#[test]
fn integers_with_the_delimiter_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let numbers = Int64Array::from(vec![Some(-33), None, Some(7)]);
    let batch = columns(vec![("x", Arc::new(numbers.clone())), ("y", Arc::new(numbers))]);
    for delimiter in ["3", "-", "0"] {
        write(&path, &batch, &FormatOptions::default().option("delimiter", delimiter)).unwrap();
        let open = OpenOptions::new().set("layout", "plain").unwrap().set("delimiter", delimiter).unwrap();
        let again = open.open(&path).unwrap();
        assert_eq!(again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap(), batch, "{delimiter}");
    }
}

#[test]
fn nulls_of_dictionaries_are_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let keys = || arrow_array::Int32Array::from(vec![Some(0), Some(1), None]);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![None, Some(5)]));
    let texts: ArrayRef = Arc::new(LargeStringArray::from(vec![None, Some("a")]));
    let batch = columns(vec![
        ("n", Arc::new(DictionaryArray::new(keys(), numbers))),
        ("t", Arc::new(DictionaryArray::new(keys(), texts))),
    ]);
    write(&path, &batch, &FormatOptions::default()).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "n,t\n,\n5,a\n,\n");
}

#[test]
fn no_columns_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let batch = RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()));
    let error = write(&path, &batch, &FormatOptions::default()).unwrap_err();
    assert!(
        error.ends_with(
            "a.csv: there are no columns to write: the inputs have no records, or their records no features; name the columns \
             by a schema of TensorFlow Metadata, with the option schema, or write Arrow, which needs none"
        ),
        "{error}"
    );
    assert!(!path.exists());
}

#[test]
fn what_cells_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let refused =
        |array: ArrayRef| write(&path, &columns(vec![("x", array)]), &FormatOptions::default()).unwrap_err();
    assert_eq!(
        refused(Arc::new(BinaryArray::from(vec![&b"\xff"[..]]))),
        "column \"x\", row 0: the bytes are not UTF-8, and CSV is text; convert without this column, or write JSON lines \
         (.jsonl), which can hold it"
    );
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let fields = arrow_array::StructArray::try_from(vec![("y", inner)]).unwrap();
    assert!(
        refused(Arc::new(fields)).starts_with("column \"x\": a cell cannot hold a value of type Struct(")
    );
    assert!(!path.exists());
    let dictionary: DictionaryArray<Int32Type> = vec![Some("a"), None, Some("a")].into_iter().collect();
    write(&path, &columns(vec![("x", Arc::new(dictionary))]), &FormatOptions::default()).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "x\na\n\na\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_texts_come_back(
        rows in prop::collection::vec((prop::option::of("\\PC*|[,\"\n\r \t]*"), prop::option::of(any::<i64>())), 1..20),
        one_column: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let texts: ArrayRef = Arc::new(LargeStringArray::from_iter(rows.iter().map(|(text, _)| text.as_deref())));
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter(rows.iter().map(|(_, number)| *number)));
        let batch = match one_column {
            true => columns(vec![("t", texts)]),
            false => columns(vec![("t", texts), ("n", numbers)]),
        };
        write(&path, &batch, &FormatOptions::default()).unwrap();
        let mut spec = OpenOptions::new().set("layout", "plain").unwrap().open(&path).unwrap().spec().unwrap();
        // What a text looks like does not say its type.
        spec.schema = batch.schema();
        let again = OpenOptions::new().open_spec(&spec).unwrap();
        let read = again.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
        prop_assert_eq!(read, batch);
    }
}
