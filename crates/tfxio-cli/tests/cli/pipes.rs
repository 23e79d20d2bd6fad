//! A reader that goes away, and devices that are full.

use std::io::Read as _;
use std::process::Stdio;

use crate::run::command;

#[test]
fn a_broken_pipe_ends_quietly() {
    for args in [
        &["head", "fixtures/digits/digits@3.tfrecord", "-n", "100000", "--format", "json"][..],
        &["head", "fixtures/digits/digits@3.tfrecord", "-n", "100000"],
        &["inspect", "--json", "fixtures/digits/*.tfrecord", "fixtures/digits-gzip/*.tfrecord"],
        &["head", "fixtures/avro/people.avro"],
        &["avro-path", "fixtures/avro/people.avro", "name.first", "--format", "json"],
        &["load", "fixtures/loader/digits.json", "--json"],
        &["--help"],
    ] {
        let mut child = command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Reads one byte at most, and goes away.
        let mut byte = [0];
        let _ = child.stdout.take().unwrap().read(&mut byte).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    use std::fs::File;

    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for args in [
        &["head", "fixtures/digits/digits@3.tfrecord"][..],
        &["inspect", "fixtures/digits/digits@3.tfrecord"],
        &["inspect", "--json", "fixtures/digits/digits@3.tfrecord"],
        &["schema", "fixtures/digits/digits@3.tfrecord"],
        &["load", "fixtures/loader/digits.json"],
    ] {
        let output = command().args(args).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "error: writing to standard output failed: No space left on device (os error 28)\n"
        );
        assert_eq!(output.status.code(), Some(3), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_on_a_full_device() {
    use crate::run::{names, path, tfxio};

    let folder = tempfile::tempdir().unwrap();
    for name in ["o.tfrecord", "o.tfrecord.gz", "o.parquet", "o.arrow"] {
        let output = path(&folder, name);
        std::os::unix::fs::symlink("/dev/full", &output).unwrap();
        let error = tfxio(["convert", "fixtures/digits/digits@3.tfrecord", &output]).fails(3);
        assert!(error.starts_with(&format!("error: {output}")), "{error}");
        assert!(error.contains("no space is left; free some space or write to another device"), "{error}");
        std::fs::remove_file(&output).unwrap();
    }
    assert!(names(&folder).is_empty());
}
