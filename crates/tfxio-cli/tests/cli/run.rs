//! Running the command.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The commands.
pub const COMMANDS: &[&str] = &[
    "inspect",
    "verify",
    "head",
    "tail",
    "sample",
    "show",
    "schema",
    "stats",
    #[cfg(feature = "sql")]
    "sql",
    "tensors",
    "avro-path",
    "extract",
    "load",
    "index",
    "convert",
    "repair",
    "completions",
    "man",
];

/// Exit code and output of a run.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Runs the command in the repository's root and waits for its end.
pub fn tfxio<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let output = command().args(args).output().unwrap();
    Run {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tfxio"));
    command.current_dir(root());
    command
}

/// A command that has begun, between pipes, with the one that it reads.
#[cfg(unix)]
pub fn between_pipes(args: &[&str]) -> (std::process::Child, std::process::ChildStdin) {
    use std::process::Stdio;

    let (mut command, piped) = (command(), Stdio::piped);
    let mut child = command.args(args).stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    let pipe = child.stdin.take().unwrap();
    (child, pipe)
}

/// Runs a command that is given these bytes through a pipe.
#[cfg(unix)]
pub fn piped(input: &[u8], args: &[&str]) -> std::process::Output {
    use std::io::Write as _;

    let (child, mut pipe) = between_pipes(args);
    let input = input.to_vec();
    // Nobody may want all of it.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("..")
}

impl Run {
    /// The output of a run that went well and had nothing to complain of.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The complaint of a run that printed nothing else.
    #[track_caller]
    pub fn fails(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (code, ""), "{}", self.err);
        assert!(
            self.err.ends_with('\n') && self.err.trim_end().lines().count() == 1,
            "one paragraph: {}",
            self.err
        );
        self.err.trim_end().to_owned()
    }
}

/// Lines of JSON.
#[track_caller]
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// A path below a folder as text.
pub fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// The names in a folder, the hidden ones too.
pub fn names(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
    names.sort();
    names
}
