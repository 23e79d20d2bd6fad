//! `tfxio load` with `validate`: records that leave a schema are counted and said, or end loading.

use serde_json::{Value, json};

use crate::run::{json_lines, path, root, tfxio};

/// Labels up to 8, and images of 64 numbers, which all records must have.
const SCHEMA: &str = r#"
feature { name: "label" type: INT presence { min_fraction: 1 } int_domain { min: 0 max: 8 } }
feature { name: "image" type: FLOAT presence { min_fraction: 1 } shape { dim { size: 64 } } }
"#;

/// Writes a configuration that loads the digits in the order of the files, compared with `schema.pbtxt` beside it, and returns its
/// path.
fn config(folder: &tempfile::TempDir, validate: &Value) -> String {
    std::fs::write(folder.path().join("schema.pbtxt"), SCHEMA).unwrap();
    let text = std::fs::read_to_string(root().join("fixtures/loader/digits.json")).unwrap();
    let mut config: Value = serde_json::from_str(&text).unwrap();
    config["dataset"]["args"]["data_dir"] = json!(root().join("fixtures/digits"));
    config["shuffle"] = json!(false);
    config["num_mix_files"] = json!(1);
    config["validate"] = validate.clone();
    let file = path(folder, "loader.json");
    std::fs::write(&file, config.to_string()).unwrap();
    file
}

/// The labels of batches in JSON, without the figures after them.
fn labels(out: &str) -> Vec<i64> {
    let lines = json_lines(out);
    let labels = lines.iter().filter_map(|line| line["inputs"]["label"]["values"].as_array());
    labels.flatten().map(|label| label.as_i64().unwrap()).collect()
}

#[test]
fn records_that_leave_a_schema_are_counted_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(&folder, &json!({"schema_file": "schema.pbtxt", "on_leave": "warn"}));
    let run = tfxio(["load", "--json", "--batches", "1000", &config]);
    assert_eq!(run.code, 0, "{}", run.err);
    let labels = labels(&run.out);
    assert_eq!(labels.len(), 1797);
    let nines = labels.iter().filter(|label| **label == 9).count();
    let first = labels.iter().position(|label| *label == 9).unwrap();
    assert_eq!(
        run.err,
        format!(
            "warning: feature \"label\": the schema asks for values in 0 to 8, the data has 9 ({nines} times, first in record \
             {first} of {})\n",
            root().join("fixtures/digits/digits-00000-of-00003.tfrecord").display()
        )
    );
    // In JSON they stand beside the figures, with the members that a state has.
    let figures = json_lines(&run.out).pop().unwrap();
    assert_eq!(figures["examples"], 1797);
    let file = root().join("fixtures/digits/digits-00000-of-00003.tfrecord").display().to_string();
    let anomaly = json!({
        "feature": "label", "kind": "domain", "expected": "values in 0 to 8", "found": "9", "count": nines, "file": file,
        "record": first, "byte": first * 332,
    });
    assert_eq!(figures["anomalies"], json!([anomaly]));
    let state = path(&folder, "whole.state");
    tfxio(["load", "--batches", "1000", "--save-state", &state, &config]);
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(saved["anomalies"], figures["anomalies"]);
    // Of some of the batches: what came out.
    let run = tfxio(["load", "--batches", "1", &config]);
    let nines_of_batch = labels[..32].iter().filter(|label| **label == 9).count();
    assert!(nines_of_batch < nines);
    assert!(
        run.err.contains(&format!(" ({nines_of_batch} times, first in record {first} of ")),
        "{}",
        run.err
    );
    assert_eq!(run.err.lines().count(), 1);
    // A state goes on counting.
    let state = path(&folder, "loader.state");
    tfxio(["load", "--batches", "20", "--save-state", &state, &config]);
    let run = tfxio(["load", "--batches", "1000", "--state", &state, &config]);
    assert!(run.err.contains(&format!(" ({nines} times, first in record {first} of ")), "{}", run.err);
}

/// A state keeps what was asked for when its records were looked at.
#[test]
fn a_schema_that_changes_between_two_runs_is_said_as_it_was_and_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(&folder, &json!({"schema_file": "schema.pbtxt", "on_leave": "warn"}));
    let state = path(&folder, "loader.state");
    let run = tfxio(["load", "--json", "--batches", "20", "--save-state", &state, &config]);
    let labels = labels(&run.out);
    let before = labels.iter().filter(|label| **label == 9).count();
    std::fs::write(folder.path().join("schema.pbtxt"), SCHEMA.replace("max: 8", "max: 7")).unwrap();
    let run = tfxio(["load", "--json", "--batches", "10", "--state", &state, &config]);
    let after = self::labels(&run.out).iter().filter(|label| **label > 7).count();
    let figures = json_lines(&run.out).pop().unwrap();
    let anomalies = figures["anomalies"].as_array().unwrap();
    let expected = anomalies.iter().map(|anomaly| (anomaly["expected"].as_str().unwrap(), &anomaly["count"]));
    assert_eq!(
        expected.collect::<Vec<_>>(),
        [("values in 0 to 8", &json!(before)), ("values in 0 to 7", &json!(after))]
    );
    let lines = run.err.lines().collect::<Vec<_>>();
    assert!(lines[0].contains("the schema asks for values in 0 to 8, the data has 9 ("), "{}", run.err);
    assert!(lines[1].contains("the schema asks for values in 0 to 7, the data has "), "{}", run.err);
    assert_eq!(lines.len(), 2);
}

/// Schema violations are in the output even if an error replaces the figures.
#[test]
fn anomalies_come_in_json_before_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let name = config(&folder, &json!({"schema_file": "schema.pbtxt", "on_leave": "warn"}));
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let fixtures = root().join("fixtures/digits");
    std::fs::copy(fixtures.join("__manifest__.json"), data.join("__manifest__.json")).unwrap();
    let file = data.join("digits.tfrecord");
    std::fs::copy(fixtures.join("digits-00000-of-00003.tfrecord"), &file).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[332 * 500 + 100] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let mut text: Value = serde_json::from_str(&std::fs::read_to_string(&name).unwrap()).unwrap();
    text["dataset"]["args"]["data_dir"] = json!(data);
    std::fs::write(&name, text.to_string()).unwrap();
    let run = tfxio(["load", "--json", "--batches", "1000", &name]);
    assert_eq!(run.code, 1, "{}", run.err);
    let nines = labels(&run.out).iter().filter(|label| **label == 9).count();
    let last = json_lines(&run.out).pop().unwrap();
    assert_eq!(last["anomalies"][0]["count"], nines);
    assert_eq!(last.as_object().unwrap().len(), 1);
    assert!(
        run.err.starts_with("warning: feature \"label\": ") && run.err.contains("record 500"),
        "{}",
        run.err
    );
}

#[test]
fn the_first_record_that_leaves_a_schema_ends_loading() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(&folder, &json!({"schema_file": "schema.pbtxt"}));
    for threads in ["1", "3"] {
        let args = ["load", "--json", "--batch-size", "4", "--threads", threads];
        let run = tfxio(args.iter().chain(&["--batches", "1000", &config]));
        assert_eq!(run.code, 1, "{}", run.err);
        // Whole batches of what comes before it, and no figures.
        assert_eq!(labels(&run.out), (0..8).collect::<Vec<_>>());
        assert_eq!(run.out.lines().count(), 2, "{}", run.out);
        let file = root().join("fixtures/digits/digits-00000-of-00003.tfrecord");
        let (position, what) = run.err.split_once(": the schema ").unwrap();
        assert_eq!(
            position,
            format!("error: {}, byte {}, record 9, column \"label\"", file.display(), 9 * 332)
        );
        assert_eq!(
            what,
            "asks for values in 0 to 8, the record has 9; correct the record or the schema, leave such records out with \
             `filter`, or set `on_leave` of `validate` to \"warn\"\n"
        );
    }
}

#[test]
fn a_schema_is_looked_at_before_records_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = config(&folder, &json!({"schema_file": "schema.pbtxt"}));
    assert!(tfxio(["load", "--check", &file]).ok().ends_with("all is well\n"));
    let position = |file: &str, value: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        format!("error: {file}, line 1, column {}, ", text.find(value).unwrap() + 1)
    };
    let lost = config(&folder, &json!({"schema_file": "lost.pbtxt"}));
    let schema = path(&folder, "lost.pbtxt");
    for args in [&["load", "--check", &lost][..], &["load", &lost]] {
        let expected = format!("`validate.schema_file`: the schema {schema} does not exist");
        assert_eq!(tfxio(args).fails(3), position(&lost, "\"lost.pbtxt\"") + &expected);
    }
    let wrong = config(&folder, &json!({"schema": "feature {\n  nam: \"label\" }"}));
    assert_eq!(
        tfxio(["load", "--check", &wrong]).fails(2),
        position(&wrong, "\"feature {")
            + "`validate.schema`: this is not a schema that records can be compared with: line 2, column 3: Feature has no field \
               `nam`; did you mean \"name\"?"
    );
    let file = config(&folder, &json!({"schema_file": "schema.pbtxt"}));
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(&schema, "feature {\n  nam: \"label\" }").unwrap();
    assert_eq!(
        tfxio(["load", "--check", &file]).fails(2),
        format!(
            "error: {schema}, line 2, column 3, `validate.schema_file`: this is not a schema that records can be compared with: \
             Feature has no field `nam`; did you mean \"name\"?"
        )
    );
}
