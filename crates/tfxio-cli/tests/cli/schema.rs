//! `tfxio schema`: the features of a data set.

use serde_json::json;

use crate::run::{json_lines, path, tfxio};

#[test]
fn all_files_are_one_data_set() {
    assert_eq!(
        tfxio(["schema", "fixtures/digits-gzip/digits@3.tfrecord"]).ok(),
        "\
column  kind        values  present  Arrow
──────  ──────────  ──────  ───────  ────────────────────────
id      bytes_list       1  all      large_list<large_binary>
image   float_list      64  all      large_list<float32>
label   int64_list       1  all      large_list<int64>
1,797 records of 3 files
"
    );
}

#[test]
fn a_sample_says_that_it_is_one() {
    let out = tfxio(["schema", "--records", "10", "fixtures/digits/digits-00000-of-00003.tfrecord"]).ok();
    assert!(out.ends_with("the first 10 records of 1 file\n"), "{out}");
}

#[test]
fn json() {
    let out = tfxio(["schema", "--format", "json", "fixtures/digits/digits-00000-of-00003.tfrecord"]).ok();
    let features = json_lines(&out);
    assert_eq!(features.len(), 3);
    assert_eq!(
        features[1],
        json!({
            "name": "image", "kind": "float_list", "arrow": "large_list<float32>", "present": 599, "records": 599,
            "values": 599 * 64, "min_values": 64, "max_values": 64,
        })
    );
}

#[test]
fn records_that_are_no_examples() {
    let error = tfxio(["schema", "fixtures/tfrecord/six-records.tfrecord"]).fails(1);
    assert!(
        error.contains("byte 0, record 0, byte of the record ")
            && error.contains("the record is not a tf.Example"),
        "{error}"
    );
}

#[test]
fn a_schema_of_metadata_describes_what_it_was_made_of() {
    let text = tfxio(["schema", "--format", "pbtxt", "fixtures/digits/digits@3.tfrecord"]).ok();
    assert!(
        text.starts_with(
            "feature {\n  name: \"id\"\n  type: BYTES\n  presence {\n    min_fraction: 1.0\n    min_count: 1\n  }\n"
        ),
        "{text}"
    );
    assert!(text.contains("tensor_representation_group {"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(&schema, &text).unwrap();
    let out = tfxio(["schema", "--validate", &schema, "fixtures/digits/digits@3.tfrecord"]).ok();
    assert_eq!(out, "1,797 records satisfy the schema\n");
    let out = tfxio(["tensors", "--schema", &schema, "fixtures/digits/digits@3.tfrecord", "-n", "0"]).ok();
    assert_eq!(out, "id: dense string [?, 1]\nimage: dense float32 [?, 64]\nlabel: dense int64 [?, 1]\n");
}

#[test]
fn a_sample_of_records_is_a_sample_of_rows() {
    let schema = |records: &str| {
        let args = ["schema", "--format", "pbtxt", "--records", records, "fixtures/tensors/people.tfrecord"];
        tfxio(args).ok()
    };
    // The second one has no age.
    let ages =
        |text: String| text.lines().skip_while(|line| !line.contains("\"age\"")).take(4).collect::<String>();
    assert!(ages(schema("1")).contains("presence"), "{}", schema("1"));
    assert!(ages(schema("2")).contains("value_count"), "{}", schema("2"));
}

#[test]
fn arrow_columns() {
    assert_eq!(
        tfxio(["schema", "--format", "arrow", "fixtures/digits/digits@3.tfrecord"]).ok(),
        "id: large_list<large_binary>\nimage: large_list<float32>\nlabel: large_list<int64>\n"
    );
}

#[test]
fn what_the_records_no_longer_satisfy() {
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    let text = r#"
        feature { name: "label" type: INT int_domain { min: 0 max: 8 } shape { } presence { min_fraction: 1 } }
        feature { name: "image" type: FLOAT shape { dim { size: 63 } } presence { min_fraction: 1 } }
        feature { name: "id" type: INT }
        tensor_representation_group { key: "labels" value { tensor_representation { key: "label"
            value { dense_tensor { column_name: "label" shape { } } } } } }
    "#;
    std::fs::write(&schema, text).unwrap();
    let validate = |more: &[&str]| {
        let args = ["schema", "--validate", &schema, "fixtures/digits/digits-00000-of-00003.tfrecord"];
        let run = tfxio(args.iter().chain(more));
        assert_eq!((run.code, run.err.as_str()), (1, ""));
        run.out
    };
    let all = validate(&[]);
    assert!(
        all.contains("feature \"label\": the schema asks for values in 0 to 8, the data has 9 ("),
        "{all}"
    );
    assert!(all.contains("tensor \"image\": "), "{all}");
    assert!(all.ends_with(" findings in 599 records\n"), "{all}");
    let group = validate(&["--group", "labels"]);
    assert!(!group.contains("tensor "), "{group}");
    let json = json_lines(&validate(&["--group", "labels", "--format", "json"]));
    assert_eq!(
        json.iter().map(|finding| finding["kind"].as_str().unwrap()).collect::<Vec<_>>(),
        ["domain", "value_count", "type"]
    );
    assert_eq!(json[0]["first_row"], json!(9));

    let args = ["schema", "--validate", &schema, "--format", "pbtxt", "fixtures/digits/digits@3.tfrecord"];
    assert_eq!(
        tfxio(args).fails(2),
        "error: --validate prints what it finds as text or as JSON; leave --format out or write --format json"
    );
}
