//! `-`: standard input and output.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::run::{between_pipes, command, path, piped, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

fn out(output: &Output) -> &str {
    assert_eq!((output.status.code(), error(output)), (Some(0), ""));
    std::str::from_utf8(&output.stdout).unwrap()
}

fn error(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap().trim_end()
}

/// The complaint of a command that printed nothing else.
#[track_caller]
fn fails(output: &Output, code: i32) -> &str {
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(code), &b""[..]), "{}", error(output));
    error(output)
}

/// Converts; some formats print notes.
#[track_caller]
fn converted<'a>(args: impl IntoIterator<Item = &'a str>) {
    let run = tfxio(args);
    assert!(run.code == 0 && run.err.lines().all(|line| line.starts_with("note: ")), "{}", run.err);
}

/// Files of the same rows in every format, and what must be said of it.
fn files(folder: &tempfile::TempDir) -> Vec<(String, &'static [&'static str])> {
    let sources = [
        "tfrecord",
        "tfrecord.gz",
        "tfrecord.zlib",
        "avro",
        "parquet",
        "arrow",
        "arrows",
        "jsonl",
        "jsonl.gz",
        "csv",
        "csv.gz",
    ];
    let mut files = Vec::new();
    for ending in sources {
        let file = path(folder, &format!("digits.{ending}"));
        converted(["convert", DIGITS, &file, "--columns", "id,label", "--scalars", "--text"]);
        let stated: &[&str] = if ending.starts_with("csv") { &["--as", "csv"] } else { &[] };
        files.push((file, stated));
    }
    files
}

/// Returns the output without the checksum of the file, which standard input does not have.
fn without_checksum(printed: &str) -> String {
    let Some((before, after)) = printed.split_once(", \"crc32_of_file\": ") else {
        return printed.to_owned();
    };
    before.to_owned() + after.trim_start_matches(|c: char| c.is_ascii_digit())
}

#[test]
fn every_command_reads_standard_input_like_a_file() {
    let folder = tempfile::tempdir().unwrap();
    for (file, stated) in files(&folder) {
        let bytes = fs::read(&file).unwrap();
        for args in [
            &["head", "-n", "3", "--format", "json"][..],
            &["head", "--skip", "597"],
            &["head", "--where", "label = 7", "-n", "2", "--columns", "id"],
            &["tail", "-n", "2"],
            &["sample", "-n", "3", "--seed", "1", "--format", "json"],
            &["sample", "-n", "3", "--seed", "1", "--where", "label = 7"],
            &["schema"],
            &["schema", "--format", "arrow"],
            &["inspect", "--json"],
            &["verify", "--json"],
        ] {
            let run = |input| [args, stated, &[input]].concat();
            let from_file = command().args(run(&file)).output().unwrap();
            let expected = without_checksum(&out(&from_file).replace(&file, "-"));
            let from_pipe = piped(&bytes, &run("-"));
            assert_eq!(from_pipe.status.code(), Some(0), "{args:?} of {file}: {from_pipe:?}");
            assert_eq!(out(&from_pipe), expected, "{args:?} of {file}");
            let redirected = command().args(run("-")).stdin(File::open(&file).unwrap()).output().unwrap();
            assert_eq!(out(&redirected), expected, "{args:?} < {file}");
        }
        let record = piped(&bytes, &[&["show", "--format", "json"], stated, &["--", "-@598"]].concat());
        assert_eq!(out(&record).matches("digit-0598").count(), 1, "{file}");
    }
}

#[test]
fn every_format_goes_through_standard_output_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let rows = tfxio(["head", DIGITS, "-n", "1000", "--format", "json"]).ok();
    for format in ["tfrecord", "avro", "parquet", "arrow", "jsonl"] {
        let converted = command().args(["convert", DIGITS, "-", "--to", format]).output().unwrap();
        assert_eq!((converted.status.code(), error(&converted)), (Some(0), ""), "{format}");
        let lines = piped(&converted.stdout, &["convert", "-", "-", "--to", "jsonl"]);
        assert_eq!(out(&lines), rows, "{format}");
        // The name of a file would have said the format.
        let file = path(&folder, "file");
        tfxio(["convert", DIGITS, &file, "--to", format]).ok();
        let is_same = fs::read(&file).unwrap() == converted.stdout;
        assert!(is_same || format == "avro", "{format}: Avro files have a random marker");
    }
    // What `head` prints comes back equal.
    let output = path(&folder, "o.tfrecord");
    piped(rows.as_bytes(), &["convert", "-", &output]);
    assert_eq!(tfxio(["head", &output, "-n", "1000", "--format", "json"]).ok(), rows);
    let csv =
        piped(rows.as_bytes(), &["convert", "-", "-", "--to", "csv", "--columns", "label", "--scalars"]);
    assert!(out(&csv).starts_with("label\n0\n1\n"), "{}", out(&csv));
    assert!(!root().join("-").exists());
}

#[test]
fn tensors_and_payloads_of_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let digits = fs::read(root().join(DIGITS)).unwrap();
    let args = |input| ["tensors", input, "--schema", "fixtures/tensors/digits.pbtxt", "-n", "2"];
    assert_eq!(out(&piped(&digits, &args("-"))), tfxio(args(DIGITS)).ok());
    let payloads = path(&folder, "records");
    out(&piped(&digits, &["extract", "-", "--as", "raw", "-o", &payloads, "-n", "2"]));
    let mut names =
        fs::read_dir(&payloads).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["stdin-000000.bin", "stdin-000001.bin"]);
    let config = fs::read(root().join("fixtures/loader/digits.json")).unwrap();
    let args =
        ["load", "-", "--check", "--base-dir", "fixtures/loader", "--inputs", "image", "--targets", "label"];
    assert_eq!(out(&piped(&config, &args)), "-: all is well\n");
}

/// Writes `input`, and nothing more, and waits for the end of the command with the pipe still open.
fn before_the_end(input: &[u8], args: &[&str]) -> String {
    let (mut child, mut pipe) = between_pipes(args);
    pipe.write_all(input).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{args:?} waits for more");
        }
        std::thread::yield_now();
    }
    let output = child.wait_with_output().unwrap();
    drop(pipe);
    out(&output).to_owned()
}

#[test]
fn the_first_rows_are_shown_before_the_pipe_ends() {
    let folder = tempfile::tempdir().unwrap();
    let rows = path(&folder, "five.jsonl");
    tfxio(["convert", DIGITS, &rows, "-n", "5", "--columns", "id,label", "--scalars", "--text"]).ok();
    for ending in ["tfrecord", "tfrecord.gz", "avro", "arrows", "jsonl", "csv"] {
        let file = path(&folder, &format!("f.{ending}"));
        converted(["convert", &rows, &file]);
        let mut bytes = fs::read(&file).unwrap();
        if ending == "arrows" {
            // The marker of the end.
            bytes.truncate(bytes.len() - 8);
        }
        let stated: &[&str] = if ending == "csv" { &["--as", "csv"] } else { &[] };
        let args = |input| [&["head", input, "-n", "5", "--format", "json"][..], stated].concat();
        assert_eq!(before_the_end(&bytes, &args("-")), tfxio(args(&file)).ok(), "{ending}");
    }
}

#[test]
fn what_comes_in_and_is_no_data() {
    let digits = fs::read(root().join(DIGITS)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let gz = path(&folder, "d.jsonl.gz");
    tfxio(["convert", DIGITS, &gz]).ok();
    let gz = fs::read(gz).unwrap();
    for (input, args, code, expected) in [
        (
            &b""[..],
            &["head", "-"][..],
            1,
            "error: standard input: nothing came in, and there is no name that says a format; check the command before the \
             pipe, or state the format: the formats are",
        ),
        (
            b"",
            &["head", "-", "--as", "csv"],
            1,
            "error: standard input: the file is empty: it has no header row",
        ),
        (
            b"name,age\nAda,36\n",
            &["head", "-"],
            1,
            "error: standard input: this is text, and neither its beginning nor the name says which format it is of; state \
             its format: the formats of text are \"csv\", \"jsonl\". For this command: --as FORMAT",
        ),
        (
            b"\x00\x01\x02 and so on",
            &["convert", "-", "-", "--to", "jsonl"],
            1,
            "error: standard input: the format is not known by the first bytes or the name",
        ),
        (
            b"\x00\xff\n\xfe,1\n",
            &["convert", "-", "-", "--as", "csv", "--to", "jsonl"],
            1,
            "error: standard input",
        ),
        (&gz[..gz.len() / 2], &["convert", "-", "-", "--to", "tfrecord"], 1, "error: standard input, "),
        (&gz[..gz.len() / 2], &["schema", "-"], 1, "error: standard input, "),
        (
            &digits[..digits.len() - 7],
            &["schema", "-"],
            1,
            "error: standard input, byte 198536, record 598: the input ends inside a record: 325 of 332 bytes are there; the \
             file was not written or copied to its end; copy it again, or salvage the records before this. To keep the records \
             that are whole, write it to a file first: tfxio repair FILE OUT",
        ),
        (
            &digits,
            &["show", "--", "-@5000"],
            2,
            "error: standard input: there is no record 5000: the file has 599; take the numbers from the files",
        ),
        (
            &digits,
            &["head", "-", "-"],
            2,
            "error: standard input: this input can be read once only, and it is named twice",
        ),
        (
            &digits,
            &["convert", "-", "/dev/stdin", "-", "--to", "csv"],
            2,
            "error: /dev/stdin: this input can be read once only, and it is named twice, the other time as -, standard input",
        ),
        (&digits, &["inspect", "/dev/stdin", "-"], 2, ""),
        (&digits, &["index", "-"], 2, "error: standard input: an index is written beside its file"),
        (&digits, &["load", "--init", "-"], 2, "error: --init names the data in what it writes"),
        (
            &digits,
            &["convert", "-", "-"],
            2,
            "error: standard output has no name that says a format; give one, such as",
        ),
        (
            &digits,
            &["convert", "-", "-", "-"],
            2,
            "error: standard input: this input can be read once only, and it is named twice",
        ),
        (
            &digits,
            &["convert", "-", "-", "--to", "avro", "--shards", "2"],
            2,
            "error: a set of shards is several files, and standard output is one",
        ),
        (
            &digits,
            &["convert", "-", "-", "--to", "avro", "--manifest", "m.json"],
            2,
            "error: --manifest describes files, and standard output is not one",
        ),
        (
            &digits,
            &["schema", "-", "--spool-bytes", "1000"],
            1,
            "error: standard input: it must be read twice, and it has more than the 1000 bytes that may be kept of it",
        ),
    ] {
        let output = piped(input, args);
        if expected.is_empty() {
            assert_eq!(output.status.code(), Some(code), "{args:?}");
            assert!(error(&output).contains("standard input: this is a pipe"), "{}", error(&output));
            continue;
        }
        let error = fails(&output, code);
        assert!(error.starts_with(expected) && error.lines().count() == 1, "{args:?}: {error}");
    }
    assert!(!root().join("-").exists());
}

#[test]
fn what_is_not_written_to_standard_output() {
    for args in [
        &["repair", DIGITS, "-"][..],
        &["extract", DIGITS, "-o", "-"],
        &["man", "-o", "-"],
        &["convert", DIGITS, "o.parquet", "--manifest", "-"],
    ] {
        let run = tfxio(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(
            run.err.contains("and not to standard output; one of this name is ./-"),
            "{args:?}: {}",
            run.err
        );
    }
    assert!(!root().join("-").exists());
}

#[test]
fn an_input_that_is_a_directory_or_closed() {
    let run = command().args(["head", "-"]).stdin(File::open(root()).unwrap()).output().unwrap();
    let text = fails(&run, 3);
    assert!(text.starts_with("error: standard input: opening it failed: this is a directory"), "{text}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec \"$0\" head - <&-", env!("CARGO_BIN_EXE_tfxio")]);
    let run = shell.output().unwrap();
    let text = fails(&run, 1);
    assert!(text.starts_with("error: standard input: nothing came in"), "{text}");
}

/// A redirected file is read from where it is.
#[test]
fn a_file_that_was_read_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "f");
    fs::write(&file, b"a line that is not data\n{\"a\": 1}\n{\"a\": 2}\n").unwrap();
    let mut shell = std::process::Command::new("sh");
    let script = "{ read line; exec \"$0\" head - --format json; } < \"$1\"";
    let run = shell.args(["-c", script, env!("CARGO_BIN_EXE_tfxio"), &file]).output().unwrap();
    assert_eq!(out(&run), "{\"a\": 1}\n{\"a\": 2}\n");
}

#[test]
fn a_reader_of_the_output_that_goes_away() {
    for format in ["tfrecord", "avro", "parquet", "arrow", "csv", "jsonl"] {
        let columns = ["--columns", "id,label", "--scalars"];
        let mut child = command()
            .args(["convert", "fixtures/digits/digits@3.tfrecord", "-", "--to", format])
            .args(if format == "csv" { &columns[..] } else { &[] })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut byte = [0];
        let _ = child.stdout.take().unwrap().read(&mut byte).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(
            error(&output).lines().all(|line| line.starts_with("note: ")),
            "{format}: {}",
            error(&output)
        );
        assert_eq!(output.status.code(), Some(0), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full() {
    for format in ["tfrecord", "avro", "parquet", "arrow", "jsonl"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let run = command().args(["convert", DIGITS, "-", "--to", format]).stdout(full).output().unwrap();
        let text = fails(&run, 3);
        assert!(text.starts_with("error: standard output: "), "{format}: {text}");
        assert!(
            text.contains("no space is left; free some space or write to another device"),
            "{format}: {text}"
        );
    }
}
