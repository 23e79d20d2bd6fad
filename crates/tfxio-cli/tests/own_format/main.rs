//! The command with a format of one's own: that of the example `own_format` of `tfxio`.
//!
//! Without a test harness: the same program is the command, when it is started as such, and what runs it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[allow(dead_code, reason = "its program is a test of its own crate")]
#[path = "../../../tfxio/examples/own_format.rs"]
mod own_format;

use std::process::{Command, ExitCode};

use tfxio::{Error, FileFormat, FileReport, Files, FormatOptions, Inspect, OptionSpec, OptionType, Result};

/// Set where the program is to be the command.
const IS_COMMAND: &str = "TFXIO_OWN_FORMAT";

/// Poems: lines that may be counted, with an option.
#[derive(Debug)]
struct Poems;

impl FileFormat for Poems {
    fn name(&self) -> &str {
        "poems"
    }

    fn endings(&self) -> &[&str] {
        &[".poem"]
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::new("verse_lines", OptionType::Count, "Lines of a verse.")]
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<std::sync::Arc<dyn tfxio::Dataset>> {
        own_format::LinesFormat.open(files, options)
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }
}

impl Inspect for Poems {
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let verse = options.count("verse_lines").unwrap_or(4);
        let report = |file: &std::sync::Arc<str>| {
            let text = std::fs::read_to_string(&**file).map_err(|error| Error::io(error, "reading"))?;
            let verses = (text.lines().count() as u64).div_ceil(verse);
            Ok(FileReport::new(&**file).fact("format", "poems").count("verses", verses, tfxio::Total::Sum))
        };
        files.names().iter().map(report).collect()
    }
}

fn main() -> ExitCode {
    let formats = tfxio::formats().register(own_format::LinesFormat).and_then(|all| all.register(Poems));
    let formats = formats.unwrap();
    if std::env::var_os(IS_COMMAND).is_some() {
        return tfxio_cli::run(std::env::args_os(), &formats);
    }
    rows_and_columns();
    what_is_not_offered_is_named();
    tensors();
    options_are_flags();
    rows_are_converted();
    any_rows();
    files_are_verified();
    files_are_looked_into();
    println!("own_format: 8 tests passed");
    ExitCode::SUCCESS
}

/// Runs the command in a folder with files of lines; its exit code, output and complaints.
fn run(args: &[&str]) -> (i32, String, String) {
    run_in(&tempfile::tempdir().unwrap(), args)
}

fn run_in(folder: &tempfile::TempDir, args: &[&str]) -> (i32, String, String) {
    std::fs::write(folder.path().join("a.lines"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(folder.path().join("a.poem"), "roses\nviolets\n").unwrap();
    let specs = r#"{"line": {"kind": "FixedLen", "shape": [], "dtype": "string"}}"#;
    std::fs::write(folder.path().join("specs.json"), specs).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(args)
        .current_dir(folder.path())
        .env(IS_COMMAND, "1")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn ok(args: &[&str]) -> String {
    let (code, out, err) = run(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
    out
}

fn rows_and_columns() {
    assert_eq!(ok(&["head", "a.lines", "-n", "2"]), "line\n─────\n\"one\"\n\"two\"\n");
    assert_eq!(ok(&["head", "a.lines", "-n", "1", "--format", "json"]), "{\"line\": \"one\"}\n");
    let (code, _, err) = run(&["head", "a.lines", "--columns", "lien"]);
    assert_eq!((code, err.as_str()), (2, "error: there is no column \"lien\"; did you mean \"line\"?\n"));
    assert_eq!(
        ok(&["schema", "a.lines"]),
        "column  Arrow\n──────  ──────\nline    string\n1 column of 1 file\n"
    );
    assert_eq!(ok(&["schema", "a.lines", "--format", "arrow"]), "line: string\n");
    assert!(ok(&["schema", "a.lines", "--format", "pbtxt"]).starts_with("feature {\n  name: \"line\"\n"));
    // By its name, whatever that of the file.
    assert_eq!(ok(&["head", "specs.json", "--as", "lines", "--format", "json"]).lines().count(), 1);
}

fn files_are_verified() {
    let out = ok(&["verify", "a.lines", "a.poem", "--format", "json"]);
    assert_eq!(
        out,
        "{\"file\": \"a.lines\", \"format\": \"lines\", \"records\": 3, \"state\": \"ok\", \"errors\": []}\n\
         {\"file\": \"a.poem\", \"format\": \"poems\", \"records\": 2, \"state\": \"ok\", \"errors\": []}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.lines"), b"one\ntw\xff\n").unwrap();
    let (code, out, err) = run_in(&folder, &["verify", "b.lines"]);
    assert!(code != 0, "{out} {err}");
    let (code, out, err) = run_in(&folder, &["extract", "a.lines", "-o", "out"]);
    assert_eq!((code, out.as_str()), (0, "3 files in out: 11 bytes\n"), "{err}");
    assert_eq!(std::fs::read(folder.path().join("out/a-000001.txt")).unwrap(), b"two");
}

/// A format that does not offer it has a general answer.
fn files_are_looked_into() {
    assert_eq!(
        ok(&["inspect", "a.lines", "--json"]),
        "{\"file\": \"a.lines\", \"format\": \"lines\", \"records\": 3, \"bytes\": 14, \"partitions\": 1, \"columns\": \
         {\"line\": \"Utf8\"}, \"errors\": []}\n"
    );
    let out = ok(&["inspect", "a.lines"]);
    assert!(out.starts_with("file     records  bytes  partitions  columns  state\n"), "{out}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.lines"), b"one\ntw\xff\n").unwrap();
    let (code, out, err) = run_in(&folder, &["inspect", "a.lines", "b.lines"]);
    assert!(code == 3 && out.contains("a.lines        3     14           1  line     ok"), "{out} {err}");
    assert!(err.starts_with("error: b.lines") && err.lines().count() == 1, "{err}");
}

fn any_rows() {
    let rows = |args: &[&str]| ok(&[args, &["--format", "json"]].concat());
    assert_eq!(rows(&["head", "a.lines", "--skip", "1", "-n", "1"]), "{\"line\": \"two\"}\n");
    assert_eq!(rows(&["tail", "a.lines", "-n", "2"]), "{\"line\": \"two\"}\n{\"line\": \"three\"}\n");
    assert_eq!(rows(&["tail", "a.lines", "-n", "1", "--where", "line < 'p'"]), "{\"line\": \"one\"}\n");
    assert_eq!(rows(&["sample", "a.lines", "--seed", "1"]).lines().count(), 3);
    assert_eq!(rows(&["sample", "a.lines", "--seed", "1", "-n", "2"]).lines().count(), 2);
    assert_eq!(rows(&["show", "a.lines@2", "--columns", "l*"]), "{\"line\": \"three\"}\n");
    assert_eq!(ok(&["show", "a.lines@0x4"]), "── a.lines, byte 4, record 1\nline  \"two\"\n");
    let (code, _, err) = run(&["show", "a.lines@3"]);
    assert_eq!(
        (code, err.as_str()),
        (
            2,
            "error: a.lines: there is no record 3: the file has 3; take the numbers from the files as they are now\n"
        )
    );
}

fn what_is_not_offered_is_named() {
    for (args, what) in [
        (
            &["index", "a.lines"][..],
            "a.lines: the format lines does not offer indexes; its records are found without one",
        ),
        (
            &["repair", "a.lines", "b.lines"],
            "a.lines: the format lines does not offer repairs; if it is damaged, copy it again",
        ),
        (&["schema", "a.lines", "--keys"], "the format lines does not offer key expressions"),
        (
            &["schema", "a.lines", "--format", "own"],
            "the format lines does not offer a schema that stands in its files",
        ),
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str(), err), (2, "", format!("error: {what}\n")), "{args:?}");
    }
}

fn tensors() {
    let out = ok(&["tensors", "a.lines", "--features", "specs.json", "-n", "2"]);
    assert_eq!(out, "line: dense string [?]\n  0  \"one\"\n  1  \"two\"\n");
}

fn options_are_flags() {
    assert!(ok(&["inspect", "--help"]).contains("--verse-lines <N>"));
    let out = ok(&["inspect", "a.poem", "--json", "--verse-lines", "1"]);
    assert_eq!(out, "{\"file\": \"a.poem\", \"format\": \"poems\", \"verses\": 2, \"errors\": []}\n");
    let (code, _, err) = run(&["inspect", "a.poem", "--verse-line", "1"]);
    assert!(code == 2 && err.contains("a similar argument exists: '--verse-lines'"), "{err}");
    let (code, _, err) = run(&["inspect", "a.poem", "--verse-lines", "few"]);
    let what = "error: the option \"verse_lines\" is a whole number, and not \"few\"\n";
    assert_eq!((code, err.as_str()), (2, what));
    let (code, _, err) = run(&["head", "a.lines", "--verse-lines", "1"]);
    assert!(code == 2 && err.contains("the format lines has no option \"verse_lines\""), "{err}");
    let (code, _, err) = run(&["head", "a.lines", "--as", "line"]);
    assert!(code == 2 && err.contains("'lines'"), "{err}");
}

fn rows_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| run_in(&folder, args);
    assert_eq!(run(&["convert", "a.lines", "a.parquet"]), (0, String::new(), String::new()));
    let (code, out, err) = run(&["head", "a.parquet"]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "line\n───────\n\"one\"\n\"two\"\n\"three\"\n", ""));
    let (code, _, err) = run(&["convert", "a.parquet", "b.lines"]);
    assert!(code == 2 && err.contains("the format lines does not offer writing"), "{err}");
}
