//! Files with another format than their names, and files without content.

use crate::run::{path, tfxio};

#[test]
fn pointers_of_git_lfs_are_named_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    for ending in ["parquet", "csv", "jsonl", "avro", "arrow", "tfrecord", "data"] {
        let file = path(&folder, &format!("a.{ending}"));
        std::fs::write(&file, pointer).unwrap();
        for args in [&["head", &file][..], &["schema", &file], &["convert", &file, &path(&folder, "o.jsonl")]]
        {
            let error = tfxio(args).fails(1);
            assert!(error.contains("Git LFS pointer") && error.contains("git lfs pull"), "{args:?}: {error}");
        }
    }
    let file = path(&folder, "a.csv");
    let error = tfxio(["head", "--as", "csv", &file]).fails(1);
    assert!(error.contains("Git LFS pointer"), "{error}");
}

#[test]
fn parts_of_csv_without_a_byte_have_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (part, text) in [("part-00000", "id,a\n1,x\n"), ("part-00001", ""), ("part-00002", "id,a\n2,y\n")] {
        std::fs::write(folder.path().join(format!("{part}.csv")), text).unwrap();
    }
    std::fs::write(folder.path().join("_SUCCESS"), "").unwrap();
    let folder_name = folder.path().display().to_string();
    let rows = tfxio(["head", &folder_name, "--format", "json"]).ok();
    assert_eq!(rows.lines().count(), 2, "{rows}");
    // Where there is nothing else, there are no names.
    let empty = path(&folder, "part-00001.csv");
    let error = tfxio(["head", &empty]).fails(1);
    assert!(error.contains("the file is empty"), "{error}");
}

#[test]
fn a_column_of_several_kinds_does_not_matter_where_it_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (file, output) = (path(&folder, "mixed.jsonl"), path(&folder, "o.parquet"));
    let lines = "{\"id\": 1, \"x\": \"a\", \"m\": {\"k\": 1, \"v\": 1}}\n{\"id\": 2, \"x\": 3, \"m\": {\"k\": 2, \"v\": \"s\"}}\n{\"id\": 3, \"late\": true}\n";
    std::fs::write(&file, lines).unwrap();
    for columns in [&["--columns", "id,late"][..], &["--exclude", "x,m"]] {
        tfxio([&["convert", &file, &output][..], columns].concat()).ok();
        let rows = tfxio(["head", &output, "--format", "json"]).ok();
        assert!(rows.replace(": ", ":").replace(", ", ",").contains("\"id\":3,\"late\":true"), "{rows}");
    }
    for args in [
        &["head", &file, "--columns", "id", "--format", "json"][..],
        &["tail", &file, "--columns", "id", "--format", "json"],
    ] {
        assert_eq!(tfxio(args).ok().replace(": ", ":"), "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n");
    }
    let stats = tfxio(["stats", &file, "--columns", "id"]).ok();
    assert!(stats.contains("3 records, 1 column"), "{stats}");
    // Where it is read, the error names the record, and what can be done helps.
    for (args, column) in
        [(&["convert", &file, &output][..], "m"), (&["convert", &file, &output, "--columns", "id,x"], "x")]
    {
        let run = tfxio(args);
        assert_eq!(run.code, 1, "{args:?}: {}", run.err);
        let error = run.err;
        assert!(
            error.contains("record 1") && error.contains(&format!("column \"{column}")),
            "{args:?}: {error}"
        );
        assert!(error.contains("and one before it was"), "{error}");
    }
}
