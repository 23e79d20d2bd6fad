//! Names from data and of files that a terminal would act on.

use std::path::Path;

use tfxio::tfrecord_io::FileWriter;

use crate::run::{path, tfxio};

/// Sets the title, clears the screen, moves the cursor, begins a line, turns the writing direction.
const NAME: &str = "n\x1b]0;PWNED\x07\x1b[2J\u{9b}31m\r\n\u{202e}\u{7f}\0z";
/// The same in tables and in JSON.
const SHOWN: &str = r"n\u001b]0;PWNED\u0007\u001b[2J\u009b31m\r\n\u202e\u007f\u0000z";

fn field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.extend([number << 3 | 2, u8::try_from(bytes.len()).unwrap()]);
    out.extend(bytes);
}

/// A tf.Example with one feature of this name, whose value is the name.
fn example(name: &str) -> Vec<u8> {
    let (mut list, mut feature, mut entry, mut features, mut example) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    field(1, name.as_bytes(), &mut list);
    field(1, &list, &mut feature);
    field(1, name.as_bytes(), &mut entry);
    field(2, &feature, &mut entry);
    field(1, &entry, &mut features);
    field(1, &features, &mut example);
    example
}

fn write(file: &str) {
    let mut writer = FileWriter::create(Path::new(file)).unwrap();
    writer.write(&example(NAME)).unwrap();
    writer.finish().unwrap();
}

#[track_caller]
fn assert_harmless(what: &str, out: &str) {
    let is_control = |char: &char| {
        char.is_control() && !matches!(char, '\n' | '\t') || matches!(char, '\u{202a}'..='\u{202e}')
    };
    assert_eq!(out.chars().find(is_control), None, "{what}: {out:?}");
}

#[test]
fn names_from_data() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    write(&file);
    let avro = path(&folder, "a.avro");
    std::fs::write(&avro, container()).unwrap();
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(&schema, tfxio(["schema", "--format", "pbtxt", &file]).ok()).unwrap();
    for (args, line) in [
        (&["schema", &file][..], format!("{SHOWN}  bytes_list")),
        (&["schema", &file, "--format", "json"], format!("{{\"name\": \"{SHOWN}\"")),
        (&["schema", &file, "--format", "arrow"], format!("{SHOWN}: large_list")),
        (&["head", &file], SHOWN.to_owned()),
        (&["head", &file, "--format", "json"], format!("{{\"{SHOWN}\": [\"{SHOWN}\"]}}")),
        (&["tensors", &file, "--schema", &schema], format!("{SHOWN}: ")),
        (&["tensors", &file, "--schema", &schema, "--format", "json"], format!("{{\"name\": \"{SHOWN}\"")),
        (&["inspect", &avro], format!("  {SHOWN}  ")),
        (&["inspect", &avro, "--json"], format!("\"{SHOWN}\": \"{SHOWN}\"")),
        (&["schema", &avro], format!("{SHOWN}  long")),
        (&["schema", &avro, "--format", "arrow"], format!("{SHOWN}: int64")),
        (&["schema", &avro, "--format", "json"], format!("{{\"name\": \"{SHOWN}\"")),
        (&["head", &avro], format!("{SHOWN}\n")),
        (&["head", &avro, "--format", "json"], format!("{{\"{SHOWN}\": 5}}")),
    ] {
        let out = tfxio(args).ok();
        assert!(out.contains(&line), "{args:?}: {out}");
        assert_harmless(args[0], &out);
    }
    // An error that names a feature.
    let run = tfxio(["head", &file, "--columns", "other\u{9b}"]);
    assert_eq!(run.code, 2);
    assert_harmless("head --columns", &run.err);
    let run = tfxio(["head", &file, "--no\u{9b}\x1b[2J"]);
    assert_eq!(run.code, 2);
    assert_harmless("an option", &run.err);
}

/// An Avro file with one record of one field of this name, and metadata of this key.
fn container() -> Vec<u8> {
    let mut name = String::new();
    for char in NAME.chars() {
        match char {
            '\u{0}'..='\u{1f}' => name += &format!("\\u{:04x}", u32::from(char)),
            char => name.push(char),
        }
    }
    let schema = format!(r#"{{"type":"record","name":"r","fields":[{{"name":"{name}","type":"long"}}]}}"#);
    let mut out = b"Obj\x01\x04".to_vec();
    let mut bytes = |bytes: &[u8]| {
        let length = bytes.len() * 2;
        match length < 128 {
            true => out.push(length as u8),
            false => out.extend([length as u8 & 0x7f | 0x80, u8::try_from(length >> 7).unwrap()]),
        }
        out.extend(bytes);
    };
    bytes(b"avro.schema");
    bytes(schema.as_bytes());
    bytes(NAME.as_bytes());
    bytes(NAME.as_bytes());
    out.push(0);
    out.extend([7; 16]);
    out.extend([2, 2, 10]);
    out.extend([7; 16]);
    out
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let name = NAME.replace('\0', "");
    let shown = SHOWN.replace("\\u0000", "");
    let file = path(&folder, &format!("{name}.tfrecord"));
    write(&file);
    let good = path(&folder, &format!("{name}.good.tfrecord"));
    let bad = path(&folder, &format!("{name}.bad.tfrecord"));
    std::fs::write(&bad, b"nothing of the kind").unwrap();
    for (args, code) in [
        (&["inspect", &file][..], 0),
        (&["inspect", &file, "--json"], 0),
        (&["inspect", &bad], 1),
        (&["inspect", &bad, "--json"], 1),
        (&["index", &file], 0),
        (&["repair", &file, &good], 0),
        (&["repair", &file, &good, "--json"], 0),
        (&["repair", &bad, &good], 1),
        (&["head", &bad], 1),
        (&["schema", &bad], 1),
        (&["load", &bad], 2),
        (&["convert", &bad, &good], 1),
        (&["convert", &file, &format!("{good}\u{9b}")], 2),
        (&["head", &format!("{file}/no")], 2),
    ] {
        let run = tfxio(args);
        let mut text = run.out + &run.err;
        if args[0] == "repair" {
            // Its report has several lines.
            text = text.replace('\n', "\\n");
        }
        assert!(run.code == code || args[0] == "load", "{args:?}: {} {text}", run.code);
        assert_harmless(args[0], &text);
        assert!(text.is_empty() || text.contains("PWNED"), "{args:?}: {text}");
        assert!(text.is_empty() || text.contains(&shown), "{args:?}: {text}");
    }
}
