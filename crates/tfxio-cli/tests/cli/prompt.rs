//! The prompt of `tfxio sql`, on a terminal that the program `script` makes.
#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// What a test waits for at most, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

struct Terminal {
    child: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    /// What was written and is not yet looked at.
    seen: String,
}

impl Terminal {
    /// Starts the prompt; none where there is no `script`.
    fn start(state: &Path, kind: &str) -> Option<Self> {
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command"]);
        command.arg(format!("'{}' sql --format csv", env!("CARGO_BIN_EXE_tfxio"))).arg("/dev/null");
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        command.env("XDG_STATE_HOME", state).env("TERM", kind).env("NO_COLOR", "1").env("SHELL", "/bin/sh");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "the tests of the prompt need `script`");
            eprintln!("left out: the tests of the prompt need `script`, of util-linux");
            return None;
        };
        let (keys, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (give, output) = mpsc::channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                if give.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Self { child, keys, output, seen: String::new() })
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until this is written, and forgets what was written up to there.
    #[track_caller]
    fn wait(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{text:?} was not written ({error}), but {:?}", self.seen),
            }
        }
    }

    /// Waits for the end of the program, and returns its code.
    fn end(mut self) -> i32 {
        // The terminal is kept open: it is the program that ends.
        let code = self.child.wait().unwrap().code().unwrap();
        drop(self.keys);
        code
    }
}

#[test]
fn statements_are_typed_completed_and_kept() {
    let state = tempfile::tempdir().unwrap();
    let Some(mut terminal) = Terminal::start(state.path(), "xterm") else { return };
    terminal.wait("tfxio> ");
    // Lines go on until the semicolon.
    terminal.press("select 40 +\r");
    terminal.wait("   ... ");
    terminal.press("2 as answer;\r");
    terminal.wait("answer\r\n42\r\n");
    terminal.wait("tfxio> ");
    // What is given up is not run.
    terminal.press("select 'given up\u{3}");
    terminal.wait("given up");
    terminal.wait("tfxio> ");
    terminal.press("SEL\t count(*) as n fr\t 'fixtures/digits/digits-00000\t';\r");
    terminal.wait("SELECT count(*) as n from 'fixtures/digits/digits-00000-of-00003.tfrecord");
    terminal.wait("n\r\n599\r\n");
    terminal.wait("tfxio> ");
    // Columns of files that were read are known.
    terminal.press("select max(lab\t) as m from 'fixtures/digits/digits@3.tfrecord';\r");
    terminal.wait("m\r\n9\r\n");
    terminal.wait("tfxio> ");
    // Several choices are listed, and a mistake does not end the prompt.
    terminal.press("select la\t");
    terminal.wait("label");
    terminal.wait("last_value");
    terminal.press("ble;\r");
    terminal.wait("error: ");
    terminal.wait("tfxio> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);

    let Some(mut terminal) = Terminal::start(state.path(), "xterm") else { return };
    terminal.wait("tfxio> ");
    terminal.press("\u{1b}[A\u{1b}[A");
    terminal.wait("select max(label) as m");
    terminal.press("\r");
    terminal.wait("m\r\n9\r\n");
    terminal.wait("tfxio> ");
    terminal.press("quit\r");
    assert_eq!(terminal.end(), 0);
    let kept = std::fs::read_to_string(state.path().join("tfxio/sql_history")).unwrap();
    let first = "select 40 +\\n2 as answer;\n";
    assert!(kept.starts_with(first) && kept.lines().count() == 5, "{kept}");
    assert!(!kept.contains("given up"), "{kept}");
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_has_a_prompt() {
    let state = tempfile::tempdir().unwrap();
    let Some(mut terminal) = Terminal::start(state.path(), "dumb") else { return };
    terminal.wait("tfxio> ");
    terminal.press("select 40 +\n2 as answer;\n");
    terminal.wait("answer\r\n42\r\n");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
    assert!(!state.path().join("tfxio").exists());
}
