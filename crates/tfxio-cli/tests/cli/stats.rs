//! `tfxio stats`: tables, JSON, files of statistics, pages, drift and anomalies.

use serde_json::{Value, json};

use crate::run::{command, json_lines, names, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";
const SHARD: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

#[test]
fn a_table_of_numbers_and_one_of_the_others() {
    let out = tfxio(["stats", DIGITS]).ok();
    let lines = out.lines().collect::<Vec<_>>();
    assert_eq!(lines[0], "1,797 records, 3 columns");
    let image = lines.iter().find(|line| line.starts_with("image ")).unwrap();
    let cells = image.split_whitespace().collect::<Vec<_>>();
    // Sums of the pixels by numpy: mean 4.884164, deviation 6.016788, 56,272 zeros of 115,008.
    assert_eq!(cells[..9], ["image", "float", "0", "64", "4.8842", "6.0168", "56,272", "0", "1"], "{out}");
    assert!(image.ends_with(|c| ('▁'..='█').contains(&c)), "{out}");
    let id = lines.iter().find(|line| line.starts_with("id ")).unwrap();
    assert!(id.contains("1,797"), "{out}");
}

/// The object of the command, with these arguments too.
#[track_caller]
fn object(args: &[&str]) -> Value {
    let mut rows = json_lines(&tfxio(["stats", "--format", "json"].iter().chain(args)).ok());
    assert_eq!(rows.len(), 1, "{args:?}");
    rows.remove(0)
}

#[test]
fn json_has_the_numbers() {
    let object = object(&[DIGITS, "--columns", "label"]);
    let data = &object["statistics"][0];
    assert_eq!(data["num_examples"], 1797);
    let label = &data["features"][0];
    assert_eq!((&label["path"], &label["type"]), (&json!(["label"]), &json!("INT")));
    assert_eq!((&label["present"], &label["missing"]), (&json!(1797), &json!(0)));
    assert_eq!((&label["numeric"]["zeros"], &label["numeric"]["max"]), (&json!(178), &json!(9.0)));
    assert_eq!((&object["drift"], &object["anomalies"]), (&Value::Null, &Value::Null));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let of = |threads| tfxio(["stats", DIGITS, "--format", "json", "--threads", threads]).ok();
    assert_eq!(of("1"), of("2"));
}

#[test]
fn rows_are_chosen() {
    let present = |args: &[&str]| {
        let base = [DIGITS, "--columns", "id"];
        let object = object(&base.iter().chain(args).copied().collect::<Vec<_>>());
        object["statistics"][0]["features"][0]["present"].as_u64().unwrap()
    };
    assert_eq!(present(&["--where", "label = 7"]), 179);
    assert_eq!(present(&["--sample", "100"]), 100);
    assert_eq!(present(&["--sample", "10", "--where", "label = 7", "--seed", "3"]), 10);
    let run = tfxio(["stats", DIGITS, "--sample", "5000", "--columns", "label"]);
    assert_eq!(
        (run.code, run.err.as_str()),
        (0, "note: 5,000 were to be drawn, and there are 1,797 records\n")
    );
}

#[test]
fn slices_come_after_all_rows() {
    let out = tfxio(["stats", DIGITS, "--by", "label", "--columns", "image"]).ok();
    let titles = out.lines().filter(|line| line.ends_with(" column")).collect::<Vec<_>>();
    assert_eq!(titles.len(), 11, "{out}");
    assert_eq!(titles[0], "All Examples: 1,797 records, 1 column");
    assert!(titles.contains(&"label_7: 179 records, 1 column"), "{out}");
}

#[test]
fn statistics_are_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let table = tfxio(["stats", DIGITS]).ok();
    for name in ["digits.pb", "digits.tfrecord"] {
        let file = path(&folder, name);
        assert_eq!(tfxio(["stats", DIGITS, "-o", &file]).ok(), table);
        assert_eq!(tfxio(["stats", &file]).ok(), table, "{name}");
        let error = tfxio(["stats", &file, "--columns", "id"]).fails(2);
        assert!(
            error.contains("these are statistics, of which rows and columns cannot be chosen"),
            "{error}"
        );
    }
    let binary = command().args(["stats", DIGITS, "--format", "proto"]).output().unwrap();
    assert!(binary.status.success());
    assert_eq!(binary.stdout, std::fs::read(path(&folder, "digits.pb")).unwrap());
    let error = tfxio(["stats", DIGITS, "-o", &path(&folder, "digits.pb")]).fails(3);
    assert!(error.contains("digits.pb") && error.contains("--force"), "{error}");
    tfxio(["stats", DIGITS, "-o", &path(&folder, "digits.pb"), "--force"]).ok();
    assert_eq!(names(&folder), ["digits.pb", "digits.tfrecord"]);
}

#[test]
fn a_page_and_drift() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "report.html");
    // Ids that are all different are far from others.
    assert_eq!(tfxio(["stats", SHARD, "--compare", DIGITS]).code, 1);
    let out = tfxio(["stats", SHARD, "--compare", DIGITS, "--html", &file, "--columns", "image,label"]).ok();
    let label = out.lines().rfind(|line| line.starts_with("label ")).unwrap();
    assert!(label.ends_with("ok"), "{out}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("1,797 examples, 2 features"), "of the other data set");
    assert!(page.contains("<bdi>image</bdi>"));
    // Nothing is far enough for a bound of 1, and everything for one of 0.
    let sevens = ["stats", DIGITS, "--where", "label = 7", "--columns", "label"];
    let before = path(&folder, "before.pb");
    tfxio(["stats", DIGITS, "-o", &before, "--columns", "label"]).ok();
    let drifted = |bound: &str| {
        let more = ["--compare", &before, "--jensen-shannon", bound, "--format", "json"];
        let run = tfxio(sevens.iter().chain(&more));
        assert_eq!(run.err, "");
        (run.code, json_lines(&run.out)[0]["drift"]["features"][0]["is_drifted"].clone())
    };
    assert_eq!((drifted("1"), drifted("0")), ((0, json!(false)), (1, json!(true))));
}

#[test]
fn drift_is_an_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: &[&str]| {
        let file = path(&folder, name);
        std::fs::write(&file, rows.join("\n") + "\n").unwrap();
        file
    };
    let before = write("before.jsonl", &[r#"{"a": 1, "t": "x"}"#, r#"{"a": 2, "t": "x"}"#]);
    let values = write("values.jsonl", &[r#"{"a": 1, "t": "y"}"#, r#"{"a": 2, "t": "x"}"#]);
    let types = write("types.jsonl", &[r#"{"a": "1", "t": "x"}"#, r#"{"a": "2", "t": "x"}"#]);
    let fewer = write("fewer.jsonl", &[r#"{"a": 1}"#, r#"{"a": 2}"#]);
    let statistics = path(&folder, "before.pb");
    tfxio(["stats", &before, "-o", &statistics]).ok();
    for (file, flags, code, state) in [
        (&before, &[][..], 0, "ok"),
        (&values, &[], 1, "drift"),
        (&values, &["--l-infinity", "0.9", "--jensen-shannon", "0.9"], 0, "ok"),
        // What is not asked for is not gone.
        (&values, &["--columns", "a"], 0, "ok"),
        (&types, &["--l-infinity", "1", "--jensen-shannon", "1"], 1, "other type"),
        (&fewer, &[], 1, "gone"),
    ] {
        for other in [&before, &statistics] {
            let run = tfxio(["stats", file, "--compare", other].iter().chain(flags));
            assert_eq!((run.code, run.err.as_str()), (code, ""), "{file} {flags:?} {other}: {}", run.out);
            assert!(code == 0 || run.out.contains(&format!("{state}\n")), "{}", run.out);
        }
    }
    // Of one more column than before, and in the other ways of showing it.
    let run = tfxio(["stats", &before, "--compare", &fewer]);
    assert!(run.code == 1 && run.out.contains("new\n"), "{}", run.out);
    assert_eq!(tfxio(["stats", &values, "--compare", &before, "--format", "json"]).code, 1);
    let run = command().args(["stats", &fewer, "--compare", &before, "--format", "proto"]).output().unwrap();
    assert_eq!((run.status.code(), String::from_utf8(run.stderr).unwrap()), (Some(1), "t: gone\n".into()));
    // A page is written all the same.
    let page = path(&folder, "page.html");
    assert_eq!(tfxio(["stats", &values, "--compare", &before, "--html", &page]).code, 1);
    assert!(std::fs::read_to_string(page).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn a_schema_is_inferred_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "digits.pbtxt");
    tfxio(["stats", DIGITS, "--infer-schema", &file]).ok();
    let schema = std::fs::read_to_string(&file).unwrap();
    assert!(schema.contains("name: \"image\"") && schema.contains("type: FLOAT"), "{schema}");
    let out = tfxio(["stats", DIGITS, "--schema", &file]).ok();
    assert!(out.ends_with("\nthe statistics satisfy the schema\n"), "{out}");
    // Columns that are not asked for are not missing.
    let out = tfxio(["stats", DIGITS, "--schema", &file, "--columns", "label"]).ok();
    assert!(out.ends_with("\nthe statistics satisfy the schema\n"), "{out}");
    std::fs::write(&file, schema.replace("type: FLOAT", "type: BYTES")).unwrap();
    let run = tfxio(["stats", DIGITS, "--schema", &file]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.contains("\n1 anomaly\nerror: image: "), "{}", run.out);
    let run = tfxio(["stats", DIGITS, "--schema", &file, "--format", "json"]);
    assert_eq!(run.code, 1);
    let rows = json_lines(&run.out);
    let anomaly = &rows[0]["anomalies"][0];
    assert_eq!((&anomaly["path"], &anomaly["severity"]), (&json!(["image"]), &json!("ERROR")), "{anomaly}");
}

#[test]
fn what_is_not_there_is_said() {
    for (args, text) in [
        (
            vec!["stats", DIGITS, "--columns", "lable"],
            "there is no column \"lable\"; did you mean \"label\"?",
        ),
        (vec!["stats", DIGITS, "--by", "labl"], "there is no column \"labl\"; did you mean \"label\"?"),
        (vec!["stats", DIGITS, "--weight", "w"], "there is no column \"w\""),
        (vec!["stats", DIGITS, "--compare", DIGITS, "--l-infinity", "2"], "give a number from 0 to 1"),
    ] {
        let run = tfxio(&args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(run.err.contains(text), "{args:?}: {}", run.err);
    }
    let error = tfxio(["stats", "nothing.tfrecord"]).fails(3);
    assert!(error.contains("nothing.tfrecord"), "{error}");
}

#[test]
fn no_rows_are_statistics_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "report.html");
    let out = tfxio(["stats", "fixtures/tfrecord/empty.tfrecord", "--html", &file]).ok();
    assert_eq!(out, "0 records, 0 columns\n");
    assert!(std::fs::read_to_string(&file).unwrap().contains("has no examples"));
    let out = tfxio(["stats", DIGITS, "--where", "label = 77", "--columns", "label"]).ok();
    assert!(out.starts_with("0 records, 1 column\n"), "{out}");
}

#[test]
fn images_are_shown_by_format_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let gif = |width: u8| [b"GIF89a".as_slice(), &[width, 0, 8, 0, 0x80, 0, 0]].concat();
    let file = path(&folder, "images.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    for row in 0..120 {
        writer.write(&gif(if row < 100 { 16 } else { 32 })).unwrap();
    }
    writer.finish().unwrap();
    let out = tfxio(["stats", "--as", "raw", &file]).ok();
    let row = out.lines().rfind(|line| line.contains("gif")).unwrap();
    assert!(row.contains("gif 120") && row.contains("16 to 32, mean 18.667"), "{out}");
    assert!(row.contains("16x8 100, 32x8 20"), "{out}");
}

#[test]
fn damage_is_an_error_or_skipped_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    bytes[60] ^= 4;
    let file = path(&folder, "digits.tfrecord");
    std::fs::write(&file, bytes).unwrap();
    let run = tfxio(["stats", &file]);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
    assert!(run.err.contains(&file), "{}", run.err);
    let run = tfxio(["stats", &file, "--on-error", "skip"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("skipped 1 damaged range"), "{}", run.err);
    assert!(run.out.starts_with("598 records, 3 columns\n"), "{}", run.out);
    // The file and the bytes of the record, and how many there are.
    let named = format!("{file}, bytes 0 to ");
    assert!(run.err.contains(&named) && run.err.contains(": 1 record skipped ("), "{}", run.err);
    assert!(run.err.contains("skipped 1 damaged range: 1 record, "), "{}", run.err);
    let run = tfxio(["stats", &file, "--on-error", "skip", "--format", "json", "--columns", "label"]);
    let object = json_lines(&run.out).remove(0);
    assert_eq!(object["statistics"][0]["num_examples"], 598, "{}", run.out);
    assert!(run.err.contains(&named), "{}", run.err);
    let run = tfxio(["stats", &file, "--on-error", "skip", "--max-skipped", "0"]);
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
    assert!(run.err.contains(&named), "{}", run.err);
}

#[test]
fn correlations_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.jsonl");
    let rows =
        (0..10).map(|n| format!("{{\"a\": {n}, \"b\": {}, \"c\": {}, \"t\": \"x\"}}\n", -2 * n, n % 3));
    std::fs::write(&file, rows.collect::<String>()).unwrap();
    let out = tfxio(["stats", &file, "--correlations"]).ok();
    let at = out.lines().position(|line| line.starts_with("column  with  correlation")).unwrap();
    let lines = out.lines().skip(at + 2).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let lines = lines.collect::<Vec<_>>();
    assert_eq!(lines[0], ["a", "b", "-1", "-18.333", "10"], "{out}");
    assert_eq!(
        (lines.len(), lines[1][..2].to_vec(), lines[2][..2].to_vec()),
        (3, vec!["a", "c"], vec!["b", "c"])
    );
    assert!(!tfxio(["stats", &file]).ok().contains("correlation"));
    // That there are none is said, and so is that some are left out.
    let out = tfxio(["stats", &file, "--correlations", "--columns", "a,t"]).ok();
    assert!(out.ends_with("\nno correlations: no two columns have one number in the same rows\n"), "{out}");
    let names = (0..70).map(|n| format!("\"c{n:02}\": {n}.5")).collect::<Vec<_>>().join(", ");
    std::fs::write(&file, format!("{{{names}}}\n{{{names}}}\n")).unwrap();
    let out = tfxio(["stats", &file, "--correlations"]).ok();
    assert!(out.contains("and 1,996 pairs that are weaker; --format json has all\n"), "{out}");
    assert!(out.contains("correlations are those of the first 64 of 70 columns of numbers\n"), "{out}");
}

#[test]
fn a_field_is_missing_where_its_row_has_no_value_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "n.jsonl");
    std::fs::write(
        &file,
        "{\"b\":{\"c\":null}}\n{\"b\":null}\n{\"b\":{\"c\":3}}\n{\"l\":[{\"x\":1},{\"x\":null}]}\n{\"l\":[{\"x\":2},{\"x\":3}]}\n",
    )
    .unwrap();
    let out = tfxio(["stats", &file]).ok();
    let missing = |column: &str| {
        let line = out.lines().find(|line| line.split_whitespace().next() == Some(column)).unwrap();
        line.split_whitespace().nth(2).unwrap().to_owned()
    };
    assert_eq!(["b", "b.c", "l", "l.x"].map(missing), ["3", "4", "3", "3"], "{out}");
    let object = object(&[&file]);
    let features = object["statistics"][0]["features"].as_array().unwrap();
    let of = |path: Value| features.iter().find(|feature| feature["path"] == path).unwrap();
    let c = of(json!(["b", "c"]));
    assert_eq!((&c["present"], &c["missing"]), (&json!(1), &json!(4)), "{c}");
    // As statistics that were written say it.
    let written = path(&folder, "n.pb");
    tfxio(["stats", &file, "-o", &written]).ok();
    assert_eq!(tfxio(["stats", &written]).ok(), out);
}
