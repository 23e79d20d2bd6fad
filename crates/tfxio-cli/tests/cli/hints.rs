//! Messages say what to do, in the words of the command.

use std::fs;

use crate::run::{path, root, tfxio};

const FIRST: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

#[test]
fn options_are_called_as_the_flags_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "the option b.csv");
    fs::write(&file, "a,a\n1,2\n").unwrap();
    assert_eq!(
        tfxio(["head", &file]).fails(1),
        format!(
            "error: {file}: columns 0 and 1 are both called \"a\"; give names with --column-names, and say header=true so \
             that the header is passed over"
        )
    );
}

#[test]
fn a_file_is_no_directory() {
    let file = format!("{FIRST}/x");
    for command in ["head", "inspect", "schema"] {
        assert_eq!(
            tfxio([command, &file]).fails(3),
            format!(
                "error: {file}: opening the file failed: not a directory; check the path: what stands before its last \
                 slash is a file"
            )
        );
    }
}

#[test]
fn a_file_has_the_name_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "taken");
    fs::write(&file, "kept").unwrap();
    assert_eq!(
        tfxio(["extract", FIRST, "--column", "id", "-o", &file]).fails(3),
        format!("error: {file}: creating the folder failed: a file has this name; give another folder")
    );
    assert_eq!(fs::read(&file).unwrap(), b"kept");
}

#[test]
fn options_of_writing_are_of_commands_that_write() {
    for command in ["convert", "repair", "head", "schema", "load"] {
        let writes = ["convert", "repair"].contains(&command);
        let help = tfxio([command, "--help"]).ok();
        for flag in ["--codec", "--row-group-rows", "--single-member"] {
            assert_eq!(help.contains(flag), writes, "{command} {flag}");
        }
        assert!(help.contains("--max-depth"), "{command}");
    }
    let run = tfxio(["head", FIRST, "--level", "9"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("unexpected argument '--level'"), "{}", run.err);
}

#[test]
fn files_that_are_named_twice_are_read_once_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "out.tfrecord");
    let said = format!("note: 1 file is named more than once, and read once: {FIRST}\n");
    let run = tfxio(["convert", FIRST, "fixtures/digits/digits-00000-*.tfrecord", &output]);
    assert_eq!((run.code, run.err), (0, said.clone()));
    assert_eq!(fs::read(&output).unwrap(), fs::read(root().join(FIRST)).unwrap());
    let run = tfxio(["head", FIRST, FIRST, "-n", "1", "--columns", "label", "--format", "json"]);
    assert_eq!((run.code, run.out.as_str(), run.err), (0, "{\"label\": [0]}\n", said));
}

#[cfg(feature = "cloud")]
#[test]
fn web_servers_are_only_read() {
    let url = "http://127.0.0.1:1/out.tfrecord";
    assert_eq!(
        tfxio(["convert", FIRST, url]).fails(2),
        format!(
            "error: {url}: web servers are only read; write to a local disk, or to an object store (s3://, gs://, az://)"
        )
    );
}

#[test]
fn null_is_not_compared() {
    let run = tfxio(["head", FIRST, "--where", "image = null"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("found \"null\"; null is found by `COLUMN is null`"), "{}", run.err);
}

#[test]
fn a_number_of_a_record_is_asked_for() {
    for record in ["@", "@-1", "@0xzz", ""] {
        let run = tfxio(["show", &format!("{FIRST}{record}")]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(&format!("name a record of it: {FIRST}@12 is record 12")), "{}", run.err);
    }
}

#[test]
fn what_serde_says_of_json_is_said_once() {
    assert_eq!(
        tfxio(["tensors", FIRST, "--features", "{bad"]).fails(1),
        "error: line 1, column 2: the text cannot be read as JSON: key must be a string"
    );
}

#[test]
fn a_configuration_for_no_records() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.tfrecord", ""), ("a.jsonl", ""), ("a.csv", "a,b\n")] {
        let file = path(&folder, name);
        fs::write(&file, text).unwrap();
        assert_eq!(
            tfxio(["load", "--init", &file]).fails(2),
            "error: the data set has no records, and records say which features there are; name files with records"
        );
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn records_of_another_message() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "events.tfrecord");
    // Field 1 is a double.
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    writer.write(b"\x09\0\0\0\0\0\0\xf0\x3f").unwrap();
    writer.finish().unwrap();
    let error = tfxio(["head", &file]).fails(1);
    assert!(error.contains("For this command: --as raw for their bytes"), "{error}");
    assert_eq!(error.contains("--as proto --descriptor FILE"), cfg!(feature = "proto"), "{error}");
}

#[cfg(not(feature = "proto"))]
#[test]
fn messages_need_a_feature() {
    for flag in [["--as", "proto"], ["--descriptor", "a.pb"]] {
        let run = tfxio(["head", FIRST, flag[0], flag[1]]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("cargo install --path crates/tfxio-cli --features proto"), "{}", run.err);
    }
}
