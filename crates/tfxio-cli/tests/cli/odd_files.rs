//! Files that are not what their names say, or have nothing in them.

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
