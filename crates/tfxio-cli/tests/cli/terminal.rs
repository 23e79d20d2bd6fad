//! A terminal that the program `script` makes.
#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait of a test, for machines that are busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Characters of what was written that are kept to be looked at with what follows.
const KEPT: usize = 1000;

/// Query for the position of the cursor, and the answer of this terminal.
const CURSOR: (&[u8], &[u8]) = (b"\x1b[6n", b"\x1b[1;1R");

/// A terminal on which a command runs.
pub struct Terminal {
    child: Child,
    keys: Arc<Mutex<ChildStdin>>,
    output: Receiver<Vec<u8>>,
    /// Output that was written and not yet checked.
    seen: String,
}

impl Terminal {
    /// Runs a line of a shell on a terminal; `answers` is whether it reports its cursor. `None` without `script`.
    pub fn run(state: &Path, kind: &str, answers: bool, line: &str) -> Option<Self> {
        if Command::new("script").arg("--version").output().is_err() {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "the tests on a terminal need `script`");
            eprintln!("left out: the tests on a terminal need `script`, of util-linux");
            return None;
        }
        // Signals that the tests were started to ignore would be ignored by the command, too.
        let mut command = Command::new("env");
        command.args([
            "--default-signal=HUP,INT,TERM",
            "script",
            "--quiet",
            "--return",
            "--command",
            line,
            "/dev/null",
        ]);
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        command.env("XDG_STATE_HOME", state).env("TERM", kind).env("NO_COLOR", "1").env("SHELL", "/bin/sh");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let keys = Arc::new(Mutex::new(child.stdin.take().unwrap()));
        let (answer, mut from) = (Arc::clone(&keys), child.stdout.take().unwrap());
        let (give, output) = mpsc::channel();
        thread::spawn(move || {
            let (question, position) = CURSOR;
            let (mut buffer, mut asked) = ([0; 4096], 0);
            while let Ok(read @ 1..) = from.read(&mut buffer) {
                for &byte in &buffer[..read] {
                    asked =
                        if byte == question[asked] { asked + 1 } else { usize::from(byte == question[0]) };
                    if asked == question.len() {
                        asked = 0;
                        if answers {
                            // The program may have ended.
                            let _ = answer.lock().unwrap().write_all(position);
                        }
                    }
                }
                if give.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Self { child, keys, output, seen: String::new() })
    }

    pub fn press(&mut self, keys: &str) {
        let mut to = self.keys.lock().unwrap();
        to.write_all(keys.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    /// Waits until this is written, forgets what was written up to there, and returns it.
    #[track_caller]
    pub fn wait(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                return self.seen.drain(..at + text.len()).collect();
            }
            // Of rows without end only the last are looked at again.
            let old = self.seen.char_indices().rev().nth(KEPT).map_or(0, |(at, _)| at);
            self.seen.drain(..old);
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{text:?} was not written ({error}), but {:?}", self.seen),
            }
        }
    }

    /// Waits for the end of the program, and returns its code.
    pub fn end(self) -> i32 {
        self.end_and_rest().0
    }

    /// Waits for the end of the program, and returns its code and all that was written and not yet looked at.
    pub fn end_and_rest(mut self) -> (i32, String) {
        // The terminal is kept open: it is the program that ends.
        let code = self.child.wait().unwrap().code().unwrap();
        for bytes in self.output.iter() {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        (code, std::mem::take(&mut self.seen))
    }
}

impl Drop for Terminal {
    /// Takes the terminal away from a program that a failed test leaves, which ends it.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
