//! Each program learns, and a killed one goes on to the same weights.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../fixtures/loader/digits.json");
const BATCHES: &str = "3000";

fn program(program: &str, checkpoint: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(CONFIG).arg(checkpoint).arg(BATCHES).stdout(Stdio::piped());
    command
}

/// Trains in one go, then with an end by force after some checkpoints.
fn check(path: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (folder.path().join("whole.json"), folder.path().join("killed.json"));
    let output = program(path, &whole).output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let losses = text.lines().map(|line| line.rsplit(' ').next().and_then(|loss| loss.parse::<f32>().ok()));
    let losses = losses.collect::<Option<Vec<_>>>().expect("losses");
    assert!(losses.first() > Some(&0.5) && losses.last() < Some(&0.3), "{text}");

    for lines in [1, 40] {
        let mut child = program(path, &killed).spawn().expect("the program runs");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        for _ in 0..lines {
            output.read_line(&mut String::new()).expect("a line");
        }
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        let left = fs::read(&killed).expect("a checkpoint");
        assert_ne!(left, fs::read(&whole).expect("a checkpoint"), "it was killed too late");
    }
    assert!(program(path, &killed).output().expect("the program runs").status.success());
    assert_eq!(fs::read(&killed).expect("a checkpoint"), fs::read(&whole).expect("a checkpoint"));
}

#[test]
fn burn_goes_on() {
    check(env!("CARGO_BIN_EXE_burn"));
}

#[test]
fn candle_goes_on() {
    check(env!("CARGO_BIN_EXE_candle"));
}

#[test]
fn ndarray_goes_on() {
    check(env!("CARGO_BIN_EXE_ndarray"));
}
