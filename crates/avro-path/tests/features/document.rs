//! The features of `docs/key-expressions.md`: what the page shows is what comes out.

use serde_json::Value;

use crate::case::tensor;
use crate::person;

/// The rows `| name | spec | tensor |` of the page.
fn examples() -> Vec<[&'static str; 3]> {
    let rows = person::DOCUMENT.lines().filter(|line| line.starts_with("| `") && line.contains("\"kind\""));
    let cells = rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')));
    cells.map(|cells| cells.collect::<Vec<_>>().try_into().expect("three cells")).collect()
}

#[test]
fn each_feature_becomes_the_tensor_that_the_page_shows() {
    let (_, records) = person::DOCUMENT.split_once("```json records\n").expect("the records");
    let records = records.split_once("```").expect("their end").0.lines();
    let records = records.map(|line| serde_json::from_str(line).expect("a record")).collect::<Vec<Value>>();
    let examples = examples();
    assert!(examples.len() >= 12, "{} examples were found", examples.len());
    for [name, spec, shown] in examples {
        let spec: Value = serde_json::from_str(spec).unwrap_or_else(|error| panic!("{error}: {spec}"));
        let got = tensor(&person::schema(), &records, name, &spec).unwrap_or_else(|error| error);
        assert_eq!(got, shown, "{name} {spec}");
    }
}
