//! Files that are read together and differ in their columns.

use crate::run::{path, tfxio};

#[test]
fn columns_of_sets_are_merged_and_said() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in
        [("a", "id,x\n1,2\n"), ("b", "x,id\n2.5,2\n"), ("c", "id,y\n3,word\n"), ("d", "id,x\n4,word\n")]
    {
        let csv = path(&folder, &format!("{name}.csv"));
        std::fs::write(&csv, text).unwrap();
        for ending in ["parquet", "arrow", "avro"] {
            tfxio(["convert", &csv, &path(&folder, &format!("{name}.{ending}")), "--layout", "plain"]).ok();
        }
    }
    for ending in ["parquet", "arrow", "avro", "csv"] {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| path(&folder, &format!("{name}.{ending}")));
        let plain: &[&str] = if matches!(ending, "avro" | "csv") { &["--layout", "plain"] } else { &[] };
        let run = |args: &[&str]| tfxio([args, plain].concat());
        let shown = run(&["head", &a, &b, "--format", "json"]).ok();
        assert_eq!(shown, "{\"id\": 1, \"x\": 2.0}\n{\"id\": 2, \"x\": 2.5}\n", "{ending}");
        let schema = run(&["schema", &a, &b]);
        let (shown, said) = (schema.out, schema.err);
        let merged = if ending == "csv" { "x       float64" } else { "float64" };
        assert!(shown.contains(merged) && shown.contains(" of 2 files"), "{ending}: {shown}");
        assert!(said.is_empty() || ending == "avro", "{said}");

        let lacks = format!(
            "{c}, column \"x\": the file has no column of this name, and {a} has one; set --union-by-name to read it as null, or leave \
             the column out"
        );
        let error = run(&["head", &a, &c]).fails(1);
        assert!(error.contains(&lacks), "{ending}: {error}");
        assert_eq!(
            run(&["head", &a, &c, "--columns", "id", "--format", "json"]).ok(),
            "{\"id\": 1}\n{\"id\": 3}\n"
        );
        let schema = run(&["schema", &a, &c]);
        assert_eq!(schema.code, 0);
        let (shown, said) = (schema.out, schema.err);
        assert!(shown.contains("large_string") && said.contains(&lacks), "{ending}: {shown}{said}");
        let shown = run(&["head", &a, &c, "--union-by-name", "--format", "json"]).ok();
        assert_eq!(
            shown, "{\"id\": 1, \"x\": 2, \"y\": null}\n{\"id\": 3, \"x\": null, \"y\": \"word\"}\n",
            "{ending}"
        );

        // Cells of CSV are looked at together: some words make a column of words.
        if ending == "csv" {
            continue;
        }
        let error = run(&["convert", &a, &d, &path(&folder, "o.jsonl")]).fails(1);
        assert!(error.contains(&format!("{d}, column \"x\": the column is ")), "{ending}: {error}");
        assert!(error.contains(&format!(" in this file, and Int64 in {a}; ")), "{ending}: {error}");
        assert!(!std::path::Path::new(&path(&folder, "o.jsonl")).exists());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_may_be_one_of_a_set() {
    let folder = tempfile::tempdir().unwrap();
    let other = path(&folder, "b.csv");
    std::fs::write(&other, "x,id\n5,6\n").unwrap();
    let read = crate::run::piped(b"id,x\n1,2\n", &["head", "-", &other, "--as", "csv", "--format", "json"]);
    let shown = String::from_utf8(read.stdout).unwrap();
    assert_eq!(shown, "{\"id\": 1, \"x\": 2}\n{\"id\": 6, \"x\": 5}\n");
}

#[test]
fn a_part_of_csv_without_rows_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let parts = path(&folder, "parts");
    std::fs::create_dir(&parts).unwrap();
    std::fs::write(format!("{parts}/p0.csv"), "a,b\n1,2\n").unwrap();
    std::fs::write(format!("{parts}/p1.csv"), "").unwrap();
    for command in ["verify", "inspect"] {
        let run = tfxio([command, &parts]);
        assert_eq!(run.code, 0, "{command}");
        assert_eq!(run.err, format!("note: {parts}/p1.csv: the file is empty: a part without rows\n"));
    }
    // Neither is one alone, nor a set of nothing else.
    std::fs::write(format!("{parts}/p0.csv"), "").unwrap();
    for files in [format!("{parts}/p1.csv"), parts] {
        let run = tfxio(["verify", &files]);
        assert_eq!(run.code, 1);
        assert!(run.err.contains("p1.csv: the file is empty: it has no header row"), "{}", run.err);
    }
}
