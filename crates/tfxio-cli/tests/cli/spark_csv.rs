//! CSV as Spark writes it: a folder of parts, quotes that a backslash escapes.

use crate::run::{json_lines, path, tfxio};

const TEXT: &str = "id,t\n1,\"foo (\\\"foo\\\")\"\n2,bar\n3,\"two\n\\\"lines\\\", C:\\\\\"\n";

#[test]
fn an_escape_is_named_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, output) = (path(&folder, "a.csv"), path(&folder, "o.csv"));
    std::fs::write(&file, TEXT).unwrap();
    for args in [&["head", &file][..], &["schema", &file], &["convert", &file, &output]] {
        let error = tfxio(args).fails(1);
        assert!(error.contains("set --escape to backslash"), "{args:?}: {error}");
    }
    // As it says.
    for escape in ["backslash", "\\"] {
        let rows = json_lines(&tfxio(["head", &file, "--escape", escape, "--format", "json"]).ok());
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0]["t"], "foo (\"foo\")");
        assert_eq!(rows[2]["t"], "two\n\"lines\", C:\\");
        tfxio(["convert", &file, &output, "--escape", escape]).ok();
        assert_eq!(std::fs::read_to_string(&output).unwrap(), TEXT);
    }
    let parquet = path(&folder, "o.parquet");
    tfxio(["convert", &file, &parquet, "--escape", "backslash"]).ok();
    tfxio(["convert", &parquet, &output]).ok();
    let rows = json_lines(&tfxio(["head", &output, "--format", "json"]).ok());
    assert_eq!(rows[2]["t"], "two\n\"lines\", C:\\");
    tfxio(["verify", &file, "--escape", "backslash"]).ok();
}

#[test]
fn a_folder_of_spark_is_its_parts() {
    let folder = tempfile::tempdir().unwrap();
    let parts = [
        ("part-00000-7d.csv", ""),
        ("part-00001-7d.csv", "id,t\n1,x\n"),
        ("part-00002-7d.csv", "id,t\n2,y\n"),
        ("part-00003-7d.csv", ""),
        ("_SUCCESS", ""),
        (".part-00000-7d.csv.crc", "crc\0"),
        ("._SUCCESS.crc", "crc\0"),
        ("_committed_123", "{}"),
    ];
    for (name, text) in parts {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let name = folder.path().display().to_string();
    for from in [name.clone(), format!("{name}/part-*"), format!("{name}/*.csv")] {
        let rows = json_lines(&tfxio(["head", &from, "--format", "json"]).ok());
        assert_eq!(rows.len(), 2, "{from}");
        let output = path(&folder, "_o.parquet");
        tfxio(["convert", &from, &output]).ok();
        assert_eq!(json_lines(&tfxio(["head", &output, "--format", "json"]).ok()), rows);
        let schema = tfxio(["schema", &from]).ok();
        assert!(schema.contains("2 columns of 4 files"), "{schema}");
    }
}
