//! Files that are not there or not what they should be.

use crate::run::{names, path, tfxio};

/// Every command that reads an Avro file complains alike.
#[track_caller]
fn complaint(file: &str, code: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let specs = path(&folder, "specs.json");
    std::fs::write(&specs, r#"{"n": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#).unwrap();
    let (arrow, avro) = (path(&folder, "o.arrow"), path(&folder, "o.avro"));
    let errors = [
        tfxio(["head", file]).fails(code),
        tfxio(["schema", file]).fails(code),
        tfxio(["avro-path", file, "n"]).fails(code),
        tfxio(["tensors", file, "--features", &specs]).fails(code),
        tfxio(["convert", file, &arrow]).fails(code),
        tfxio(["repair", file, &avro]).fails(code),
    ];
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:#?}");
    assert_eq!(names(&folder), ["specs.json"], "nothing is left");
    let [first, ..] = errors;
    first
}

#[test]
fn what_is_no_avro_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, what) in [
        ("empty.avro", &b""[..], "the file is empty; an Avro file without records still has a header"),
        (
            "text.avro",
            b"n,text\n1,a\n",
            "this is no Avro file: it does not begin with \"Obj\" and 1; check the path",
        ),
        (
            "gzip.avro",
            b"\x1f\x8b\x08\0\0\0",
            "this is no Avro file, but something compressed with gzip; decompress it first",
        ),
        (
            "cut.avro",
            b"Obj\x01\x04\x16avro.sch",
            "the file ends within its header; the file is not complete; copy it again",
        ),
        // The bytes say it, whatever the name does.
        (
            "cut.data",
            b"Obj\x01\x04",
            "the file ends within its header; the file is not complete; copy it again",
        ),
    ] {
        let file = path(&folder, name);
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(complaint(&file, 1), format!("error: {file}: {what}"));
        let run = tfxio(["inspect", &file]);
        assert_eq!((run.code, run.err), (1, format!("error: {file}: {what}\n")));
    }
}

#[test]
fn a_schema_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.avro");
    std::fs::write(&file, b"Obj\x01\x02\x16avro.schema\x10{\"type\":}\x000123456789abcdef").unwrap();
    let error = complaint(&file, 1);
    assert!(
        error.starts_with(&format!("error: {file}, at $: "))
            || error.starts_with(&format!("error: {file}: ")),
        "{error}"
    );
}

#[test]
fn a_missing_file() {
    assert_eq!(
        tfxio(["avro-path", "no/such.avro", "n"]).fails(3),
        "error: no/such.avro: opening the file failed: no such file; check the path"
    );
    assert_eq!(
        tfxio(["head", "no/such.avro"]).fails(3),
        "error: no/such.avro: opening the file failed: no such file; check the path"
    );
}
