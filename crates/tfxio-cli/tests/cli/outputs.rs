//! Outputs after signals and errors, and the files that they replace.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::run::{command, names, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

/// An output in each format, and by each of the writers.
const OUTPUTS: [&str; 5] = ["o.tfrecord", "o.tfrecord.gz", "o.avro", "o.parquet", "o.arrow"];

#[test]
fn a_signal_leaves_nothing() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        for (verb, input, name, output) in [
            ("convert", DIGITS, "in.tfrecord", "o.tfrecord.gz"),
            ("convert", DIGITS, "in.tfrecord", "o@3.tfrecord"),
            ("repair", "fixtures/avro/people.avro", "in.avro", "o.avro"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let pipe = path(&folder, name);
            symlink("/dev/stdin", &pipe).unwrap();
            let mut child = command_that_hears();
            child.args([verb, &pipe, &path(&folder, output)]).stdin(Stdio::piped());
            let mut child = child.spawn().unwrap();
            // More than a reader wants before it begins. The pipe stays open: the child waits for the rest.
            let mut writer = child.stdin.take().unwrap();
            let data = fs::read(root().join(input)).unwrap();
            (0..1 + 300_000 / data.len()).for_each(|_| writer.write_all(&data).unwrap());
            let deadline = Instant::now() + Duration::from_secs(60);
            while names(&folder).len() < 2 {
                assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "{output}");
                std::thread::yield_now();
            }
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            assert_eq!(child.wait().unwrap().signal(), Some(number), "{output}");
            assert_eq!(names(&folder), [name], "{signal} {output}");
        }
    }
}

/// The command, which ends by signals even where this test was started to ignore them, as in the background of a script.
pub fn command_that_hears() -> Command {
    if !cfg!(target_os = "linux") {
        return command();
    }
    let mut child = Command::new("env");
    child.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_tfxio")]).current_dir(root());
    child
}

/// An ignored signal, as under `nohup`: the output is finished all the same.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_ignored_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.tfrecord");
    let mut child = Command::new("sh");
    let script = "trap '' HUP; exec \"$@\"";
    child.args(["-c", script, "sh", env!("CARGO_BIN_EXE_tfxio"), "convert", "/dev/stdin", &output]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let mut writer = child.stdin.take().unwrap();
    let digits = fs::read(root().join(DIGITS)).unwrap();
    // The first bytes say the format.
    let (first, rest) = digits.split_at(8192);
    writer.write_all(first).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while names(&folder).is_empty() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status().unwrap().success());
    writer.write_all(rest).unwrap();
    drop(writer);
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(&output).unwrap(), digits);
}

/// The system sends a signal to a process that writes more than it may.
#[test]
fn a_file_that_may_not_grow() {
    for output in OUTPUTS {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh");
        child.args(["-c", "ulimit -f 1; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tfxio"), "convert", DIGITS]);
        let run = child.arg(path(&folder, output)).current_dir(root()).output().unwrap();
        let text = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(3), "{output}: {text}");
        assert!(text.contains(output) && text.contains("file too large"), "{text}");
        assert!(names(&folder).is_empty(), "{output}");
    }
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    let mode = |name: &str| fs::metadata(name).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    for output in OUTPUTS {
        let output = path(&folder, output);
        tfxio(["convert", DIGITS, &output]).ok();
        assert_ne!(mode(&output), 0o600);
        for private in [0o600, 0o640] {
            fs::set_permissions(&output, Permissions::from_mode(private)).unwrap();
            tfxio(["convert", DIGITS, &output]).ok();
            assert_eq!(mode(&output), private, "{output}");
        }
    }
}

#[test]
fn of_two_conversions_to_a_name_one_may_write_it() {
    for output in OUTPUTS.into_iter().chain(["o@2.tfrecord", "o@*.tfrecord", "o.csv.gz", "o.jsonl"]) {
        let folder = tempfile::tempdir().unwrap();
        let conversions = [(); 2].map(|()| {
            let input = root().join("fixtures/avro/people.avro").to_str().unwrap().to_owned();
            let conversion = tfxio::convert::Conversion::builder([input], path(&folder, output));
            conversion.set("keys", vec!["name.first".to_owned()]).unwrap().overwrite(false).build().unwrap()
        });
        let [first, second] = conversions;
        first.run(|_| {}).unwrap();
        let there =
            || names(&folder).into_iter().map(|name| (fs::read(folder.path().join(&name)).unwrap(), name));
        let before = there().collect::<Vec<_>>();
        let error = second.run(|_| {}).unwrap_err();
        assert_eq!(error.kind(), tfxio::ErrorKind::AlreadyExists, "{output}: {error}");
        assert_eq!(there().collect::<Vec<_>>(), before, "{output}");
    }
}

#[test]
fn an_output_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("far")).unwrap();
    for output in OUTPUTS {
        let link = folder.path().join(output);
        let far = format!("far/{output}");
        symlink(&far, &link).unwrap();
        for there in [false, true] {
            assert_eq!(folder.path().join(&far).exists(), there);
            tfxio(["convert", DIGITS, link.to_str().unwrap()]).ok();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "{output}");
            assert!(fs::metadata(folder.path().join(&far)).unwrap().len() > 1000, "{output}");
        }
        fs::remove_file(&link).unwrap();
        symlink(output, &link).unwrap();
        let error = tfxio(["convert", DIGITS, link.to_str().unwrap()]).fails(3);
        assert!(error.contains("creating the file failed: "), "{error}");
        fs::remove_file(&link).unwrap();
        symlink("no/such", &link).unwrap();
        let error = tfxio(["convert", DIGITS, link.to_str().unwrap()]).fails(3);
        assert!(error.contains("does not exist; make the directory first"), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_through_a_link_to_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    for (output, begins) in
        [("o.tfrecord", &[][..]), ("o.avro", b"Obj\x01"), ("o.parquet", b"PAR1"), ("o.arrow", b"ARROW1")]
    {
        let link = path(&folder, output);
        symlink("/dev/stdout", &link).unwrap();
        let run = command().args(["convert", DIGITS, &link]).stdout(Stdio::piped()).output().unwrap();
        assert_eq!((run.status.code(), String::from_utf8_lossy(&run.stderr).as_ref()), (Some(0), ""));
        assert!(run.stdout.len() > 1000 && run.stdout.starts_with(begins), "{output}");
    }
}
