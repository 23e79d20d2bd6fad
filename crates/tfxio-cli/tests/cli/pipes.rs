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
        &["head", "fixtures/avro/people.avro", "--max-depth", "4"],
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
        &["--help"],
        &["convert", "--help"],
        &["--version"],
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
    // Less than the buffers of the writers hold, and more.
    for input in ["fixtures/tensors/people.tfrecord", "fixtures/digits/digits@3.tfrecord"] {
        for name in ["o.tfrecord", "o.tfrecord.gz", "o.parquet", "o.arrow", "o.avro"] {
            let output = path(&folder, name);
            std::os::unix::fs::symlink("/dev/full", &output).unwrap();
            let error = tfxio(["convert", input, &output]).fails(3);
            assert!(error.starts_with(&format!("error: {output}")), "{error}");
            let text = "no space is left; free some space or write to another device; what was written before stays there";
            assert!(error.contains(text), "{error}");
            std::fs::remove_file(&output).unwrap();
        }
    }
    assert!(names(&folder).is_empty());
}

/// Runs a command in the same way, with piped input.
#[cfg(unix)]
fn piped(input: &[u8], args: &[&str]) -> crate::run::Run {
    let output = crate::run::piped(input, args);
    crate::run::Run {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn what_a_pipe_gives_is_what_a_file_gives() {
    use crate::run::{path, root, tfxio};

    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "s.pbtxt");
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    std::fs::write(&schema, tfxio(["schema", "--format", "pbtxt", digits]).ok()).unwrap();
    for file in
        [digits, "fixtures/digits-gzip/digits-00001-of-00003.tfrecord", "fixtures/tensors/sessions.tfrecord"]
    {
        let bytes = std::fs::read(root().join(file)).unwrap();
        for args in [
            &["schema"][..],
            &["schema", "--format", "json"],
            &["schema", "--format", "pbtxt"],
            &["schema", "--format", "arrow", "--as", "example"],
            &["schema", "--validate", &schema],
            &["head", "-n", "100"],
        ] {
            let run = |input| args.iter().copied().chain([input]).collect::<Vec<_>>();
            let (from_file, from_pipe) = (tfxio(run(file)), piped(&bytes, &run("/dev/stdin")));
            assert_eq!((from_pipe.code, from_pipe.err), (from_file.code, from_file.err), "{args:?}");
            assert_eq!(from_pipe.out, from_file.out, "{args:?}");
        }
        for options in
            [&["--threads", "1"][..], &["--threads", "3"], &["--infer-records", "3"], &["--as", "example"]]
        {
            for name in ["o.parquet", "o.arrow", "o.avro", "o.tfrecord"] {
                let output = path(&folder, name);
                let run = |input| [&["convert"][..], options, &[input, &output]].concat();
                tfxio(run(file)).ok();
                let expected = std::fs::read(&output).unwrap();
                std::fs::remove_file(&output).unwrap();
                piped(&bytes, &run("/dev/stdin")).ok();
                // Avro files have a random marker.
                assert!(
                    name == "o.avro" || std::fs::read(&output).unwrap() == expected,
                    "{options:?} {name}"
                );
                assert!(
                    std::fs::metadata(&output).unwrap().len() == expected.len() as u64,
                    "{options:?} {name}"
                );
                std::fs::remove_file(&output).unwrap();
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_named_once_and_not_indexed() {
    use crate::run::{names, path};

    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.parquet");
    for other in ["/dev/stdin", "/dev/fd/0"] {
        let error = piped(b"", &["convert", "/dev/stdin", other, &output]).fails(2);
        assert!(error.contains(": this input can be read once only, and it is named twice"), "{error}");
    }
    let error = piped(b"", &["inspect", "/dev/stdin", "/dev/fd/0"]);
    assert_eq!(error.code, 2);
    assert!(
        error.err.contains("/dev/fd/0: this is a pipe or another input that can be read once only"),
        "{}",
        error.err
    );
    let error = piped(b"", &["index", "/dev/stdin"]).fails(2);
    assert!(error.contains("an index is written beside its file, and this is a pipe or a device"), "{error}");
    assert!(names(&folder).is_empty());
}
