//! Hints of messages, in the words of the command.

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
fn an_object_with_a_key_twice_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.jsonl");
    for (line, at) in [("{\"a\":1,\"a\":2}", 7), ("{\"b\":{\"c\":1,\"c\":2}}", 12)] {
        fs::write(&file, format!("{line}\n")).unwrap();
        let column = if at == 7 { "" } else { ", column \"b\"" };
        for command in ["head", "tail", "inspect"] {
            let run = tfxio([command, &file]);
            let said = format!("byte of the record {at}{column}: the object has the key");
            assert_eq!(run.code, 1, "{command}");
            assert!(run.err.contains(&said), "{command}: {}", run.err);
        }
    }
    // What a whole line holds that others do not is another thing.
    fs::write(&file, "{\"a\":1}\n{\"b\":1}\n").unwrap();
    let run = tfxio(["head", &file, "--infer-records", "1"]);
    assert!(run.err.contains("the key \"b\" was not there when the columns were inferred"), "{}", run.err);
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
    // However its path is written.
    let absolute = root().canonicalize().unwrap().join(FIRST).to_str().unwrap().to_owned();
    for again in [
        "./fixtures/digits/digits-00000-of-00003.tfrecord",
        "fixtures/../fixtures//digits/digits-00000-of-00003.tfrecord",
        &absolute,
    ] {
        let run = tfxio(["convert", FIRST, again, &output]);
        let names = run.err.trim_end().strip_prefix("note: 1 file is named more than once, and read once: ");
        assert!(names.is_some_and(|name| name.ends_with("digits-00000-of-00003.tfrecord")), "{}", run.err);
        assert_eq!(fs::read(&output).unwrap(), fs::read(root().join(FIRST)).unwrap(), "{again}");
    }
}

#[cfg(unix)]
#[test]
fn links_to_one_file_are_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (path(&folder, "a.csv"), path(&folder, "b.csv"));
    fs::write(&file, "n\n1\n").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(tfxio(["convert", &file, &link, "-", "--to", "csv"]).ok(), "n\n1\n1\n");
    // A link to a folder is another way to the same file.
    let other = path(&folder, "other");
    std::os::unix::fs::symlink(folder.path(), &other).unwrap();
    let again = format!("{other}/a.csv");
    let run = tfxio(["convert", &file, &again, "-", "--to", "csv"]);
    assert_eq!(run.out, "n\n1\n");
    assert!(run.err.contains("1 file is named more than once, and read once"), "{}", run.err);
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

#[test]
fn another_delimiter_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, text: &str| {
        let file = path(&folder, name);
        fs::write(&file, text).unwrap();
        let run = tfxio(["head", &file, "--format", "json"]);
        (run.code, run.out, run.err.replace(&file, name))
    };
    let note = |name: &str, character: &str, cells: usize, flag: &str| {
        format!(
            "note: {name}: the rows are one column; with {character} between cells, the header and the rows have {cells} each: \
             set --delimiter to {flag}\n"
        )
    };
    let semicolon = note("a.csv", "';'", 3, "';'");
    assert_eq!(of("a.csv", "a;b;c\n1;x;3\n"), (0, "{\"a;b;c\": \"1;x;3\"}\n".to_owned(), semicolon.clone()));
    assert_eq!(of("b.csv", "a\tb\n1\t2\n3\t4\n").2, note("b.csv", "a tab", 2, "tab"));
    assert_eq!(of("c.csv", "a|b\n1|2\n").2, note("c.csv", "'|'", 2, "'|'"));
    assert_eq!(of("d.tsv", "a,b\n1,2\n").2, note("d.tsv", "','", 2, "','"));
    // Nothing is said where rows do not agree, there are none, or the delimiter is as it is wanted.
    for text in ["a;b\n1\n", "a;b\n1;2\n1;2;3\n", "a;b\n", "a\n1;2\n", "a;b,c\n1;2,3\n"] {
        assert_eq!(of("f.csv", text).2, "", "{text}");
    }
    let file = path(&folder, "a.csv");
    tfxio(["head", &file, "--delimiter", ","]).ok();
    let rows = tfxio(["head", &file, "--delimiter", ";", "--format", "json"]).ok();
    assert_eq!(rows, "{\"a\": 1, \"b\": \"x\", \"c\": 3}\n");
    // Conversions say it, too, and where commas of numbers make the rows uneven.
    let output = path(&folder, "o.csv");
    let run = tfxio(["convert", &file, &output]);
    assert_eq!((run.code, run.err.replace(&file, "a.csv")), (0, semicolon));
    fs::write(&file, "a;b\n1,5;2\n2,5;3\n").unwrap();
    let error = tfxio(["convert", &file, &output]).fails(1);
    let says = "with ';' between cells, the header and the rows have 2 each: set --delimiter to ';'";
    assert!(error.ends_with(says), "{error}");
}

#[test]
fn limits_have_no_flag() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "deep.jsonl");
    fs::write(&file, format!("{{\"a\":{}{}}}\n", "[".repeat(200), "]".repeat(200))).unwrap();
    for command in ["head", "inspect"] {
        let run = tfxio([command, &file]);
        let says = "raise the limit `nesting` if this is meant to be. No flag of this command raises it: programs do, by \
                    tfxio::Limits\n";
        assert!(run.code == 1 && run.err.ends_with(says), "{}", run.err);
    }
}
