//! `tfxio extract`: payloads in files, whatever the data call them.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};

use crate::run::{Run, names, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x1c\0\0\0\x1c\x08\x02\0\0\0";

/// A file of names and payloads.
fn file(folder: &tempfile::TempDir, rows: &[(Option<&str>, Option<&[u8]>)]) -> String {
    let names: ArrayRef = Arc::new(rows.iter().map(|(name, _)| *name).collect::<StringArray>());
    let payloads: ArrayRef = Arc::new(rows.iter().map(|(_, payload)| *payload).collect::<BinaryArray>());
    let batch =
        RecordBatch::try_from_iter_with_nullable([("name", names, true), ("payload", payloads, true)])
            .unwrap();
    let file = path(folder, "a.arrow");
    let output = std::fs::File::create(&file).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(output, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    file
}

fn extract(args: &[&str], output: &str) -> Run {
    tfxio(["extract", "-o", output].iter().chain(args))
}

/// The names in a folder below another one.
fn inside(folder: &tempfile::TempDir, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path().join(name)).unwrap();
    let mut names =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
    names.sort();
    names
}

#[test]
fn records_and_columns() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(&folder, "records");
    let said = extract(&[DIGITS, "--as", "raw", "-n", "600"], &out).ok();
    assert_eq!(said, format!("600 files in {out}: 189,600 bytes\n"));
    let first = std::fs::read(folder.path().join("records/digits-00000-of-00003-000000.bin")).unwrap();
    let file = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    assert_eq!(first, file[12..12 + first.len()]);
    assert_eq!(inside(&folder, "records").last().unwrap(), "digits-00001-of-00003-000000.bin");

    let out = path(&folder, "ids");
    extract(&[DIGITS, "--column", "id", "--name-by", "label", "--where", "label = 7", "-n", "1"], &out).ok();
    assert_eq!(std::fs::read(folder.path().join("ids/7.txt")).unwrap(), b"digit-0007");
    // The only column of bytes.
    let out = path(&folder, "all");
    assert_eq!(
        extract(&[DIGITS, "--name-by", "id"], &out).ok(),
        format!("1,797 files in {out}: 17,970 bytes\n")
    );
    assert_eq!(inside(&folder, "all")[1796], "digit-1796.txt");
}

#[test]
fn hostile_names_stay_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(5000);
    let rows: [(Option<&str>, Option<&[u8]>); 12] = [
        (Some("../../evil"), Some(PNG)),
        (Some("/etc/passwd"), Some(b"text")),
        (Some("same"), Some(b"a")),
        (Some("same"), Some(b"b")),
        (Some("SAME"), Some(b"c")),
        (Some(""), Some(b"\xff")),
        (None, Some(b"\xff")),
        (Some("con"), Some(b"d")),
        (Some(&long), Some(b"e")),
        (Some("a\u{1b}[31m\n"), Some(b"f")),
        (Some("photo.jpeg"), Some(b"\xff\xd8\xff\xe0")),
        (Some("absent"), None),
    ];
    let file = file(&folder, &rows);
    let out = path(&folder, "out");
    let run = extract(&[&file, "--name-by", "name"], &out);
    assert_eq!((run.code, run.out.as_str()), (0, &*format!("11 files in {out}: 45 bytes\n")), "{}", run.err);
    assert_eq!(
        run.err,
        "note: 1 record without a value\n\
         note: 9 files are called otherwise than the data say: \"../../evil\" is \"_._.._evil.png\", \
         \"/etc/passwd\" is \"_etc_passwd.txt\", \"same\" is \"same-2.txt\", …\n"
    );
    let cut = format!("{}.txt", "x".repeat(180));
    let expected = [
        "SAME-3.txt",
        "_._.._evil.png",
        "_con.txt",
        "_etc_passwd.txt",
        "a-000005.bin",
        "a-000006.bin",
        "a_[31m_.txt",
        "photo.jpeg",
        "same-2.txt",
        "same.txt",
        &cut,
    ];
    assert_eq!(inside(&folder, "out"), expected);
    assert_eq!(names(&folder), ["a.arrow", "out"]);
}

#[test]
fn nothing_is_replaced_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, &[(Some("a"), Some(b"new")), (Some("b"), Some(b"new"))]);
    let out = path(&folder, "out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(folder.path().join("out/b.txt"), "old").unwrap();
    let error = extract(&[&file, "--name-by", "name"], &out).fails(3);
    assert!(error.contains("b.txt") && error.ends_with("for this command: --force"), "{error}");
    assert_eq!(std::fs::read(folder.path().join("out/b.txt")).unwrap(), b"old");
    extract(&[&file, "--name-by", "name", "--force"], &out).ok();
    assert_eq!(std::fs::read(folder.path().join("out/b.txt")).unwrap(), b"new");
    assert_eq!(inside(&folder, "out"), ["a.txt", "b.txt"]);
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, &[(Some("a"), Some(b"new"))]);
    let out = path(&folder, "out");
    std::fs::create_dir(&out).unwrap();
    for (target, exists) in [("../far", false), ("../no/such", false), ("../far", true)] {
        if exists {
            std::fs::write(folder.path().join("far"), "old").unwrap();
        }
        std::os::unix::fs::symlink(target, folder.path().join("out/a.txt")).unwrap();
        for force in [&[][..], &["--force"]] {
            let args = [&[file.as_str(), "--name-by", "name"], force].concat();
            let error = extract(&args, &out).fails(3);
            assert!(error.contains("a.txt: a symbolic link has the name of the file"), "{error}");
        }
        assert_eq!(std::fs::read(folder.path().join("far")).ok(), exists.then(|| b"old".to_vec()));
        std::fs::remove_file(folder.path().join("out/a.txt")).unwrap();
    }
}

#[test]
fn columns_that_are_not_meant() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(&folder, "out");
    let error = extract(&[DIGITS, "--column", "label"], &out).fails(2);
    assert!(error.contains("which holds no bytes or text"), "{error}");
    let error = extract(&[DIGITS, "--name-by", "image"], &out).fails(2);
    assert!(error.contains("holds no text or integers, by which files can be called"), "{error}");
    let error = extract(&[DIGITS, "--column", "idd"], &out).fails(2);
    assert!(error.contains("there is no column \"idd\"; did you mean \"id\"?"), "{error}");
    let error =
        extract(&["fixtures/avro/people.avro", "--keys", "name.first", "--keys", "name.last"], &out).fails(2);
    assert!(
        error.contains("several columns hold bytes: \"name.first\", \"name.last\"")
            && error.contains("--column NAME, or --as raw"),
        "{error}"
    );
    assert_eq!(tfxio(["extract", DIGITS]).code, 2);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn payloads_are_named_where_they_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let records = path(&folder, "images.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&records).unwrap();
    for record in [PNG, b"\xff\xd8\xff\xe0", b"\x1f\x8b\x08\0", b"text"] {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap();
    let shown = "raw_record\n──────────────────────\n<PNG 28x28, 29 bytes>\n<JPEG, 4 bytes>\n<gzip, 4 bytes>\n\"text\"\n";
    assert_eq!(
        tfxio(["head", &records, "--as", "raw"]).ok().replace("─", "").replace("raw_record\n\n", ""),
        shown.replace("─", "").replace("raw_record\n\n", "")
    );
    assert!(
        tfxio(["show", &format!("{records}@0"), "--as", "raw"])
            .ok()
            .ends_with("\nraw_record  <PNG 28x28, 29 bytes>\n")
    );
    assert!(
        tfxio(["show", &format!("{records}@1"), "--as", "raw", "--format", "json"]).ok().contains("base64")
    );
    for command in ["tail", "sample", "schema"] {
        assert_eq!(tfxio([command, &records, "--as", "raw"]).code, 0, "{command}");
    }
    let tensors = tfxio([
        "tensors",
        &records,
        "--as",
        "raw",
        "--representations",
        "{\"raw_record\": {\"kind\": \"dense\", \"column\": \"raw_record\", \"shape\": []}}",
    ]);
    assert!(tensors.code == 0 || tensors.err.contains("representations"), "{}", tensors.err);
    tfxio(["convert", &records, &path(&folder, "images.parquet"), "--as", "raw"]).ok();
    let out = path(&folder, "out");
    extract(&[&path(&folder, "images.parquet")], &out).ok();
    assert_eq!(
        inside(&folder, "out"),
        ["images-000000.png", "images-000001.jpg", "images-000002.gz", "images-000003.txt"]
    );
}
