//! The features of `docs/key-expressions.md`: what the page shows is what comes out.

use serde_json::Value;

use crate::features::case::tensor;
use crate::features::person;

/// Returns the rows `| name | spec | tensor |` of a part of the page.
fn examples(part: &'static str) -> Vec<[&'static str; 3]> {
    let rows = part.lines().filter(|line| line.starts_with("| `") && line.contains("\"kind\""));
    let cells = rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')));
    cells.map(|cells| cells.collect::<Vec<_>>().try_into().expect("three cells")).collect()
}

/// Returns the text before a block of records, the records, and the text after it.
fn block(kind: &str) -> (&'static str, Vec<Value>, &'static str) {
    let (before, records) = person::DOCUMENT.split_once(&format!("```json {kind}\n")).expect("the records");
    let (records, behind) = records.split_once("```").expect("their end");
    let records = records.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    (before, records, behind)
}

/// Asserts that each row shows the tensor of these records.
fn check(examples: &[[&str; 3]], records: &[Value]) {
    for [name, spec, shown] in examples {
        let spec: Value = serde_json::from_str(spec).unwrap_or_else(|error| panic!("{error}: {spec}"));
        let got = tensor(&person::schema(), records, name, &spec).unwrap_or_else(|error| error);
        assert_eq!(got, *shown, "{name} {spec}");
    }
}

#[test]
fn each_feature_becomes_the_tensor_that_the_page_shows() {
    let (_, records, _) = block("records");
    let (before, own_records, behind) = block("friends with cars");
    let (examples, own) = (examples(before), examples(behind));
    assert!(examples.len() >= 20 && own.len() == 2, "{} and {} examples", examples.len(), own.len());
    check(&examples, &records);
    check(&own, &own_records);
}
