//! `tfxio sql`.

use crate::run::{json_lines, names, path, piped, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";

/// Returns the output of a statement.
#[track_caller]
fn sql(args: &[&str]) -> String {
    tfxio(["sql"].iter().chain(args)).ok()
}

#[test]
fn files_and_patterns_are_tables() {
    let statement = "select label, count(*) as records from 'fixtures/digits/digits-*.tfrecord' where label < 2 group by 1 order by 1";
    assert_eq!(sql(&[statement]), "label  records\n─────  ───────\n    0      178\n    1      182\n");
    assert_eq!(sql(&[statement, "--format", "csv"]), "label,records\n0,178\n1,182\n");
    let lines = json_lines(&sql(&[statement, "--format", "json"]));
    assert_eq!(
        lines,
        [serde_json::json!({"label": 0, "records": 178}), serde_json::json!({"label": 1, "records": 182})]
    );
    assert_eq!(sql(&[&format!("select id from '{DIGITS}' where label > 9")]), "0 rows\n");
}

#[test]
fn arrow_goes_through_a_pipe() {
    let statement = format!("select label from '{DIGITS}' limit 5");
    let output = crate::run::command().args(["sql", &statement, "--format", "arrow"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let shown = piped(&output.stdout, &["head", "-", "--format", "json"]);
    assert_eq!(json_lines(&String::from_utf8(shown.stdout).unwrap()).len(), 5);
}

#[test]
fn parameters_stand_for_numbers_words_and_texts() {
    let statement = format!("select count(*) as n from '{DIGITS}' where label = $label and id > $id");
    let found = sql(&[&statement, "--param", "label=7", "--param", "id=digit-1", "--format", "csv"]);
    assert_eq!(found, "n\n80\n");
    assert_eq!(
        sql(&[
            "select $a + 1 as x, $b as y, $c as z",
            "--param",
            "$a=2",
            "--param",
            "b=true",
            "--param",
            "c=inf",
            "--format",
            "json"
        ]),
        "{\"x\": 3, \"y\": true, \"z\": \"inf\"}\n"
    );
    let found = tfxio(["sql", &statement, "--param", "label=7"]).fails(2);
    assert!(found.contains("$id"), "{found}");
    assert!(tfxio(["sql", "select 1", "--param", "1"]).err.contains("write NAME=VALUE"));
}

#[test]
fn statements_come_from_files_and_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.sql");
    let text = format!(
        "create view v as select label from '{DIGITS}' limit 3;\n-- and then\nselect count(*) as n from v;"
    );
    std::fs::write(&file, &text).unwrap();
    assert_eq!(sql(&["-f", &file, "--format", "csv"]), "n\n3\n");
    let output = piped(text.as_bytes(), &["sql", "--format", "csv"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "n\n3\n");
    let missing = tfxio(["sql", "-f", &path(&folder, "none.sql")]).fails(3);
    assert!(missing.contains("none.sql"), "{missing}");
}

#[test]
fn copies_are_written_in_shards() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "sevens.tfrecord");
    let copy = format!("copy (select id, label from '{DIGITS}' where label = 7) to '{output}' (shards 4)");
    assert_eq!(sql(&[&copy]), "179 rows written\n");
    assert_eq!(names(&folder).len(), 4);
    let back = format!("select count(*) as n, min(id) as id from '{}'", path(&folder, "sevens@4.tfrecord"));
    assert_eq!(sql(&[&back, "--format", "csv"]), "n,id\n179,digit-0007\n");
    let again = tfxio(["sql", &copy.replace("shards 4", "shards 2"), "--format", "json"]);
    assert_eq!((again.code, &*again.out), (0, "{\"rows_written\": 179}\n"));
    let beside = "there are files of a set of 4 shards of this name, which stay beside what is written; ";
    assert!(again.err.starts_with(&format!("note: {}: {beside}", path(&folder, "sevens@2.tfrecord"))));
}

#[test]
fn copies_replace_files_as_convert_does() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "keep.csv");
    let copy = |rest: &str| format!("copy (select 1 as a) to '{output}' {rest}");
    std::fs::write(&output, "mine\n").unwrap();
    for keep in ["(overwrite false)", "(overwrite 'FALSE')"] {
        let refused = tfxio(["sql", &copy(keep)]);
        assert!(
            refused.code == 3 && refused.err.contains("keep.csv: the file is there already"),
            "{}",
            refused.err
        );
        assert_eq!(std::fs::read_to_string(&output).unwrap(), "mine\n");
    }
    let unclear = tfxio(["sql", &copy("(overwrite yes)")]).fails(2);
    assert_eq!(unclear, "error: the value of overwrite is true or false, and not \"yes\"");
    for replace in ["", "(overwrite true)"] {
        std::fs::write(&output, "mine\n").unwrap();
        assert_eq!(sql(&[&copy(replace)]), "1 row written\n");
        assert_eq!(std::fs::read_to_string(&output).unwrap(), "a\n1\n");
    }
}

#[test]
fn plans_say_what_was_read() {
    let text = sql(&[
        &format!("explain analyze select sum(label) from '{DIGITS}' where label = 7"),
        "--threads",
        "1",
    ]);
    for expected in [
        "TfxioExec: partitions=1, columns=[label], filter=label = 7",
        "bytes_read=",
        "rows_decoded=",
        "rows_pruned=",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn virtual_columns_are_there_where_they_are_named() {
    let statement = format!(
        "select _record, id from '{DIGITS}' where _file like '%00002-of%' and _record < 2 order by 1"
    );
    assert_eq!(sql(&[&statement, "--format", "csv"]), "_record,id\n0,digit-1198\n1,digit-1199\n");
}

#[test]
fn lists_and_bytes_stay_where_that_is_asked_for() {
    let statement =
        format!("select arrow_typeof(id) as id, arrow_typeof(label) as label from '{DIGITS}' limit 1");
    assert_eq!(sql(&[&statement, "--format", "csv"]), "id,label\nLargeUtf8,Int64\n");
    assert_eq!(
        sql(&[&statement, "--lists", "--bytes", "--format", "csv"]),
        "id,label\nLargeList(LargeBinary),LargeList(Int64)\n"
    );
}

#[test]
fn errors_say_where_they_are() {
    for (statement, code, expected) in [
        ("select 1 fro t", 2, "  select 1 fro t\n               ^\n"),
        ("select lable from 'fixtures/digits/digits@3.tfrecord'", 2, "         ^^^^^\n"),
        ("select 1 from digits", 3, "error: there is no table \"digits\"; name files between quotes"),
        ("select 1 from 'none.tfrecord'", 3, "error: none.tfrecord: "),
        ("select 1 / 0", 1, "Divide by zero"),
        ("copy (select 1) to 'x.none'", 2, "the name of the output does not say its format"),
    ] {
        let run = tfxio(["sql", statement]);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{statement}: {}", run.err);
        assert!(run.err.contains(expected), "{statement}: {}", run.err);
    }
    let found = tfxio(["sql", "select 1", "--format", "tabel"]).fails(2);
    assert!(found.contains("tabel"), "{found}");
}
