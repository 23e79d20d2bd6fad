//! A file ten times as large takes no more memory to read, nor a data set twenty times as large to load. `memory` does the same with 10 GB.
#![cfg(target_os = "linux")]

use std::process::Command;

#[test]
fn a_larger_file_takes_no_more_memory() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_memory"))
        .args(["--small-mb", "10", "--large-mb", "100", "--folder"])
        .arg(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{text}{errors}");
    assert_eq!(text.lines().filter(|line| line.starts_with('{')).count(), 26, "{text}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "the files are deleted");
}
