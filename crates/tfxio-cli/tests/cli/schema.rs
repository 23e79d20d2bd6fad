//! `tfxio schema`: the features of a data set.

use serde_json::json;

use crate::run::{json_lines, tfxio};

#[test]
fn all_files_are_one_data_set() {
    assert_eq!(
        tfxio(["schema", "fixtures/digits-gzip/digits@3.tfrecord"]).ok(),
        "\
feature  kind        values  present  Arrow
───────  ──────────  ──────  ───────  ────────────────────────
id       bytes_list       1  all      large_list<large_binary>
image    float_list      64  all      large_list<float32>
label    int64_list       1  all      large_list<int64>
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
    assert!(error.contains("record 0, byte 0: the record is not a tf.Example"), "{error}");
}
