//! Bars: on a terminal, after a second, and nowhere else.
#![cfg(target_os = "linux")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use crate::run::{command, path, root};
use crate::terminal::Terminal;

const SHARD: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

/// A pipe with a name whose second half comes when that is said.
struct Slow {
    path: String,
    rest: std::sync::mpsc::Sender<()>,
    writer: JoinHandle<()>,
}

impl Slow {
    fn new(folder: &tempfile::TempDir, name: &str) -> Self {
        let path = path(folder, name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (rest, wait) = std::sync::mpsc::channel();
        let bytes = std::fs::read(root().join(SHARD)).unwrap();
        let to = path.clone();
        let writer = thread::spawn(move || {
            // Waits for the command to open it.
            let mut pipe = OpenOptions::new().write(true).open(to).unwrap();
            pipe.write_all(&bytes[..1000]).unwrap();
            let _ = wait.recv();
            // Some commands have enough before the end.
            let _ = pipe.write_all(&bytes[1000..]);
        });
        Self { path, rest, writer }
    }

    fn go_on(self) {
        self.rest.send(()).unwrap();
        self.writer.join().unwrap();
    }
}

#[test]
fn what_takes_longer_than_a_second_shows_a_bar() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| path(&folder, name);
    let cases = [
        ("stats".to_owned(), "looking at", "599 records, 3 columns"),
        ("schema".to_owned(), "looking at", "599 records of 1 file"),
        ("schema --format pbtxt".to_owned(), "looking at", "name: \"label\""),
        ("inspect".to_owned(), "looking at", "599"),
        ("head --where 'label = 77'".to_owned(), "looking at", "0 records"),
        ("tail -n 1 --columns id".to_owned(), "looking at", "digit-0598"),
        ("sample -n 599 --seed 1 --columns id".to_owned(), "looking at", "digit-0598"),
        ("verify".to_owned(), "verifying", "599"),
        // Raw records have one column, whatever is in them.
        (format!("extract --as raw -o '{}'", out("records")), "reading", "599 files in"),
    ];
    let mut running = Vec::new();
    for (number, (args, title, end)) in cases.iter().enumerate() {
        let slow = Slow::new(&folder, &format!("{number}.tfrecord"));
        let line = format!("exec '{}' {args} '{}'", env!("CARGO_BIN_EXE_tfxio"), slow.path);
        let Some(terminal) = Terminal::run(folder.path(), "xterm", true, &line) else { return };
        running.push((terminal, slow, *title, *end, args));
    }
    let slow = Slow::new(&folder, "convert.tfrecord");
    let convert =
        format!("exec '{}' convert '{}' '{}'", env!("CARGO_BIN_EXE_tfxio"), slow.path, out("o.parquet"));
    let mut converting = Terminal::run(folder.path(), "xterm", true, &convert).unwrap();
    // Beside them, one whose standard error is a pipe, and one that is quiet.
    let (piped, quiet) = (Slow::new(&folder, "piped.tfrecord"), Slow::new(&folder, "quiet.tfrecord"));
    let beside =
        command().args(["stats", &piped.path]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let line = format!("exec '{}' stats -q '{}'", env!("CARGO_BIN_EXE_tfxio"), quiet.path);
    let mut silent = Terminal::run(folder.path(), "xterm", true, &line).unwrap();
    for (mut terminal, slow, title, end, args) in running {
        terminal.wait(title);
        slow.go_on();
        terminal.wait(end);
        assert_eq!(terminal.end(), 0, "{args}");
    }
    converting.wait("looking at the columns");
    slow.go_on();
    converting.wait("599 records, ");
    assert_eq!(converting.end(), 0);
    // By now these took as long.
    piped.go_on();
    let done = beside.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8(done.stderr).unwrap()), (Some(0), String::new()));
    quiet.go_on();
    let seen = silent.wait("599 records");
    assert!(!seen.contains("looking at") && !seen.contains('\u{1b}'), "{seen:?}");
    assert_eq!(silent.end(), 0);
}

#[test]
fn a_key_that_interrupts_ends_the_bar_and_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Slow::new(&folder, "slow.tfrecord");
    let output = path(&folder, "o.parquet");
    let line = format!("exec '{}' convert '{}' '{output}'", env!("CARGO_BIN_EXE_tfxio"), slow.path);
    let Some(mut terminal) = Terminal::run(folder.path(), "xterm", true, &line) else { return };
    terminal.wait("looking at the columns");
    terminal.press("\u{3}");
    // On a line of its own, after the bar.
    terminal.wait("\r\n");
    terminal.wait("\u{1b}[2Kerror: interrupted\r\n");
    let (code, after) = terminal.end_and_rest();
    assert_eq!((code, after.as_str()), (128 + 2, ""));
    assert!(!std::path::Path::new(&output).exists());
    slow.go_on();
}
