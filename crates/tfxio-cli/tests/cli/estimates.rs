//! Statistics that are marked: weighted, estimated, not a number, or not counted.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::builder::IntervalMonthDayNanoBuilder;
use arrow_array::types::IntervalMonthDayNano;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};

use crate::run::tfxio;

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name).display().to_string();
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn weights_count_in_the_table_and_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [(1, 1, "a"), (2, 3, "b"), (3, 0, "a"), (10, 6, "c")];
    let lines = rows.map(|(x, w, s)| format!("{{\"x\": {x}, \"w\": {w}, \"s\": \"{s}\"}}\n")).concat();
    let path = written(&folder, "w.jsonl", &lines);
    let table = tfxio(["stats", &path, "--weight", "w"]).ok();
    assert!(table.contains("4 records, 3 columns, weighted"), "{table}");
    let row = |name: &str| {
        table.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
    };
    assert!(row("x").contains(&"6.7"), "{table}");
    assert!(row("s").contains(&"c") && row("s").contains(&"6"), "{table}");
    let plain = tfxio(["stats", &path]).ok();
    assert!(!plain.contains("weighted") && !plain.contains("6.7"), "{plain}");
    let json: serde_json::Value =
        serde_json::from_str(&tfxio(["stats", &path, "--weight", "w", "--format", "json"]).ok()).unwrap();
    let features = json["statistics"][0]["features"].as_array().unwrap();
    let feature = |name: &str| features.iter().find(|feature| feature["path"][0] == name).unwrap();
    assert_eq!(feature("x")["numeric"]["weighted"]["mean"], 6.7);
    assert_eq!(feature("x")["numeric"]["mean"], 4.0);
    assert_eq!(feature("s")["text"]["weighted"]["top_values"][0], serde_json::json!(["c", 6.0]));
}

#[test]
fn estimates_are_marked_and_invent_no_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = "id,often,few\n".to_owned();
    for row in 0..50_000u64 {
        let often = if row % 3 == 0 { "same".to_owned() } else { format!("w{row}") };
        let _ = writeln!(lines, "o{row},{often},v{}", row % 100);
    }
    let path = written(&folder, "ids.csv", &lines);
    let table = tfxio(["stats", &path]).ok();
    let row = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap();
    // Ids of which none is more frequent than another have no most frequent one, and are not more than the rows.
    assert!(row("id").contains('≈') && row("id").contains('±') && !row("id").contains(" o"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&tfxio(["stats", &path, "--format", "json"]).ok()).unwrap();
    let features = json["statistics"][0]["features"].as_array().unwrap();
    let feature = |name: &str| &features.iter().find(|feature| feature["path"][0] == name).unwrap()["text"];
    assert!(feature("id")["unique"].as_u64().unwrap() <= 50_000);
    assert!(feature("id")["unique_error"].as_f64().unwrap() > 0.0);
    assert_eq!(feature("id")["top_values"], serde_json::json!([]));
    assert_eq!(feature("often")["top_values"][0][0], "same");
    assert!(row("often").contains("same") && row("often").contains("≈16,6"), "{table}");
    // What is counted exactly has no mark.
    assert!(row("few").contains(" 100 ") && !row("few").contains('≈'), "{table}");
    assert!(feature("few").get("unique_error").is_none());
}

#[test]
fn nan_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "nan.csv", "none,some,all\n1.5,1.5,nan\n2.5,nan,nan\n3.5,2.5,nan\n");
    let table = tfxio(["stats", &path]).ok();
    let row = |name: &str| {
        table.lines().find(|line| line.starts_with(name)).unwrap().split_whitespace().collect::<Vec<_>>()
    };
    assert!(row("column").contains(&"NaN"), "{table}");
    assert_eq!(row("none")[7], "0", "{table}");
    assert_eq!(row("some")[7], "1", "{table}");
    assert_eq!(row("all")[4..10], ["NaN", "NaN", "0", "3", "NaN", "NaN"], "{table}");
    let path = written(&folder, "numbers.csv", "none\n1.5\n2.5\n");
    assert!(!tfxio(["stats", &path]).ok().contains("NaN"));
}

#[test]
fn types_that_are_not_counted_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    let mut spans = IntervalMonthDayNanoBuilder::new();
    spans.append_value(IntervalMonthDayNano::new(1, 2, 3));
    spans.append_null();
    let spans: ArrayRef = Arc::new(spans.finish());
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("n", numbers), ("spans", spans)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let table = tfxio(["stats", path.to_str().unwrap()]).ok();
    let row = table.lines().find(|line| line.starts_with("spans")).unwrap();
    assert!(row.contains("only counted: values of the type Interval(MonthDayNano)"), "{table}");
}
