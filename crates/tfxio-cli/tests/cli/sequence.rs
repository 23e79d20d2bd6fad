//! tf.SequenceExamples in `head`, `schema` and `convert`.

use serde_json::json;

use crate::run::{json_lines, path, tfxio};

const SESSIONS: &str = "fixtures/tensors/sessions.tfrecord";

#[test]
fn the_first_records() {
    let table = "\
user  ##SEQUENCE##.clicks  ##SEQUENCE##.queries
────  ───────────────────  ────────────────────────────
   7  [[1, 2], [], [3]]    [[\"maps\"], [\"red\", \"shoes\"]]
   8  null                 null
   9  [[4]]                []
";
    assert_eq!(tfxio(["head", SESSIONS]).ok(), table);
    assert_eq!(tfxio(["head", SESSIONS, "--as", "sequence_example"]).ok(), table);
    // The context is what a tf.Example would be.
    assert_eq!(tfxio(["head", SESSIONS, "--as", "example"]).ok(), "user\n────\n   7\n   8\n   9\n");
    // Nothing that is shown has lists.
    let args = ["head", SESSIONS, "-n", "1", "--columns", "lists.clicks", "--sequence-column", "lists"];
    assert_eq!(tfxio(args).ok(), "lists.clicks\n─────────────────\n[[1, 2], [], [3]]\n");
    let rows =
        json_lines(&tfxio(["head", SESSIONS, "--format", "json", "--columns", "##SEQUENCE##,user"]).ok());
    assert_eq!(
        rows[0],
        json!({"##SEQUENCE##": {"clicks": [[1, 2], [], [3]], "queries": [["maps"], ["red", "shoes"]]}, "user": [7]})
    );
    assert_eq!(
        tfxio(["head", SESSIONS, "--columns", "##SEQUENCE##.click"]).fails(2),
        "error: there is no column \"##SEQUENCE##.click\"; did you mean \"##SEQUENCE##.clicks\"? (in the first 10 records)"
    );
}

#[test]
fn features_and_steps() {
    assert_eq!(
        tfxio(["schema", SESSIONS]).ok(),
        "\
column                kind        steps   values  present     Arrow
────────────────────  ──────────  ──────  ──────  ──────────  ────────────────────────────────────
user                  int64_list          1       all         large_list<int64>
##SEQUENCE##.clicks   int64_list  1 to 3  0 to 2  2 (66.7 %)  large_list<large_list<int64>>
##SEQUENCE##.queries  bytes_list  0 to 2  1 to 2  2 (66.7 %)  large_list<large_list<large_binary>>
3 records of 1 file
"
    );
    let features = json_lines(&tfxio(["schema", SESSIONS, "--format", "json"]).ok());
    assert_eq!((&features[1]["steps"], &features[1]["max_values"]), (&json!(4), &json!(2)));
    assert_eq!(
        tfxio(["schema", SESSIONS, "--format", "arrow"]).ok(),
        "user: large_list<int64>\n##SEQUENCE##: struct<clicks: large_list<large_list<int64>>, queries: \
         large_list<large_list<large_binary>>>\n"
    );
    let args = ["schema", "--validate", "fixtures/tensors/sessions.pbtxt", SESSIONS];
    assert_eq!(tfxio(args).ok(), "3 records satisfy the schema\n");
}

#[test]
fn there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let shown = tfxio(["head", SESSIONS, "--format", "json"]).ok();
    for (ending, more) in
        [("parquet", vec![]), ("arrow", vec!["--as", "sequence_example"]), ("jsonl", vec![])]
    {
        let (there, back) =
            (path(&folder, &format!("a.{ending}")), path(&folder, &format!("{ending}.tfrecord.gz")));
        tfxio(["convert", SESSIONS, &there].iter().chain(&more)).ok();
        tfxio(["convert", &there, &back].iter().chain(&more)).ok();
        assert_eq!(tfxio(["head", &back, "--format", "json"]).ok(), shown, "{ending}");
    }
    let context = path(&folder, "context.parquet");
    tfxio(["convert", SESSIONS, &context, "--as", "example"]).ok();
    let back = path(&folder, "context.tfrecord");
    tfxio(["convert", &context, &back]).ok();
    assert_eq!(tfxio(["schema", &back, "--format", "arrow"]).ok(), "user: large_list<int64>\n");
}

#[test]
fn names_of_lists() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        tfxio(["head", SESSIONS, "-n", "1", "--columns", "clicks"]).fails(2),
        "error: there is no column \"clicks\"; did you mean \"##SEQUENCE##.clicks\"? (in the first 1 record)"
    );
    for name in ["##SEQUENCE##.clicks", "##SEQUENCE##.nothing"] {
        let args = ["convert", SESSIONS, &path(&folder, "o.parquet"), "--columns", &format!("user,{name}")];
        assert_eq!(
            tfxio(args).fails(2),
            format!(
                "error: there is no column \"{name}\"; its fields are converted together, as the column \"##SEQUENCE##\""
            )
        );
    }
    let args = ["convert", SESSIONS, &path(&folder, "o.parquet"), "--columns", "nothing"];
    assert!(tfxio(args).fails(2).starts_with("error: there is no column \"nothing\""));
}

/// A field of a message: its number, and bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
}

#[test]
fn a_feature_that_is_called_like_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    let feature = field(1, &field(1, b"value"));
    let context = field(1, &[field(1, b"##SEQUENCE##.s"), field(2, &feature)].concat());
    let list = field(1, &[field(1, b"s"), field(2, &field(1, &feature))].concat());
    let record = [field(1, &context), field(2, &list)].concat();
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    writer.write(&record).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        tfxio(["head", &file, "--format", "json"]).fails(2),
        "error: a feature and a feature list are both called \"##SEQUENCE##.s\"; name the column of the lists otherwise: \
         --sequence-column NAME"
    );
    let rows = json_lines(&tfxio(["head", &file, "--format", "json", "--sequence-column", "lists"]).ok());
    assert_eq!(rows, [json!({"##SEQUENCE##.s": ["value"], "lists": {"s": [["value"]]}})]);
    assert!(tfxio(["schema", &file]).ok().ends_with("\n1 record of 1 file\n"));
}
