//! `tfxio convert --resume`: what is whole is kept when a conversion is killed.
#![cfg(unix)]

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio::convert::{Conversion, ConversionBuilder, Phase, Progress};
use tfxio::prelude::*;

use crate::run::{names, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";
/// Variable with the progress after which a child kills itself, and the output to which it converts.
const KILL: &str = "TFXIO_TEST_KILL_AFTER";

fn conversion(output: &str) -> ConversionBuilder {
    let input = root().join(DIGITS).to_str().unwrap().to_owned();
    // Small batches, so that there is much progress.
    let request = ScanRequest::new().batch_rows(37);
    Conversion::builder([input], output).request(request).scalars(true).resume(true)
}

/// Not a test of its own: what a child does, which kills itself.
#[test]
fn child() {
    let Ok(what) = std::env::var(KILL) else { return };
    let (after, output) = what.split_once(' ').unwrap();
    let (after, calls) = (after.parse::<u64>().unwrap(), AtomicU64::new(0));
    let progress = move |at: Progress| {
        if at.phase == Phase::Records && calls.fetch_add(1, Ordering::Relaxed) == after {
            Command::new("kill").args(["-9", &std::process::id().to_string()]).status().unwrap();
        }
    };
    conversion(output).build().unwrap().run(progress).unwrap();
}

/// Converts in a child that is killed after some progress. Returns whether it was.
fn killed(output: &str, after: u64) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap());
    let child = child.args(["--exact", "resume::child"]).env(KILL, format!("{after} {output}"));
    let status = child.output().unwrap().status;
    assert!(status.success() || status.signal() == Some(9), "{status}");
    !status.success()
}

fn bytes(folder: &tempfile::TempDir) -> Vec<(String, Vec<u8>)> {
    names(folder)
        .into_iter()
        .map(|name| (name.clone(), std::fs::read(folder.path().join(name)).unwrap()))
        .collect()
}

#[test]
fn a_conversion_that_is_killed_again_and_again_gives_the_same_files() {
    let mut all_kills = 0;
    for name in ["d@5.tfrecord.gz", "d@3.parquet", "d@4.arrow"] {
        let whole = tempfile::tempdir().unwrap();
        conversion(&path(&whole, name)).build().unwrap().run(|_| {}).unwrap();
        let expected = bytes(&whole);
        let mut random = 0x5eed_u64;
        for _ in 0..4 {
            let folder = tempfile::tempdir().unwrap();
            let output = path(&folder, name);
            let mut kills = 0;
            loop {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let before = shards(&folder);
                if kills == 30 || !killed(&output, (random >> 33) % 40) {
                    break;
                }
                kills += 1;
                let after = shards(&folder);
                assert!(before.iter().all(|shard| after.contains(shard)), "{before:?} {after:?}");
            }
            if kills == 30 {
                conversion(&output).build().unwrap().run(|_| {}).unwrap();
            }
            assert!(bytes(&folder) == expected, "{name}: {:?}", names(&folder));
            all_kills += kills;
        }
    }
    assert!(all_kills > 12, "{all_kills}");
}

/// Names of the shards that are whole, with when they came to be.
fn shards(folder: &tempfile::TempDir) -> Vec<(String, std::time::SystemTime)> {
    let names =
        names(folder).into_iter().filter(|name| !name.starts_with('.') && !name.ends_with(".progress"));
    let changed = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().modified().unwrap();
    names.map(|name| (name.clone(), changed(&name))).collect()
}

#[test]
fn another_conversion_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| path(&folder, name);
    let digits = root().join("fixtures/digits/digits-00000-of-00003.tfrecord");
    std::fs::copy(&digits, at("in.tfrecord")).unwrap();
    let output = at("out@3.tfrecord");
    let convert =
        |more: &[&str]| tfxio(["convert", "--resume", &at("in.tfrecord"), &output].iter().chain(more));
    // A file that is in the way of the second shard ends the conversion.
    let second = at("out-00001-of-00003.tfrecord");
    std::fs::create_dir_all(Path::new(&second).join("in the way")).unwrap();
    assert_ne!(convert(&[]).code, 0);
    let progress = at("out@3.tfrecord.progress");
    let before = std::fs::read_to_string(&progress).unwrap();
    assert!(before.contains("\nbegin\n\nshard 0, ") && !before.contains("shard 1"), "{before}");
    let error = convert(&["--exclude", "id"]).fails(2);
    assert!(
        error.contains(&format!("{progress}: the conversion that is to be resumed was another: ")),
        "{error}"
    );
    assert!(error.ends_with("or remove this file to begin again"), "{error}");
    std::fs::remove_dir_all(&second).unwrap();
    convert(&[]).ok();
    assert_eq!(
        names(&folder),
        [
            "in.tfrecord",
            "out-00000-of-00003.tfrecord",
            "out-00001-of-00003.tfrecord",
            "out-00002-of-00003.tfrecord"
        ]
    );
    let rows = |file: &str| tfxio(["head", "-n", "2000", "--format", "json", file]).ok();
    assert_eq!(rows(&output), rows(&at("in.tfrecord")));
    for (args, said) in [
        (vec!["out.tfrecord"], "the output is not a set of a number of shards"),
        (
            vec!["out@3.tfrecord", "-n", "5"],
            "a conversion of some of the rows, by a predicate, a limit or a sample, cannot be resumed",
        ),
        (vec!["out@3.tfrecord", "--on-error", "skip"], "a conversion that skips damage cannot be resumed"),
    ] {
        let (output, input) = (at(args[0]), at("in.tfrecord"));
        let error = tfxio(["convert", "--resume", &input, &output].iter().chain(&args[1..])).fails(2);
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn shards_of_another_conversion_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| path(&folder, name);
    std::fs::write(at("in.csv"), "a\n1\n2\n3\n4\n").unwrap();
    std::fs::write(at("schema.pbtxt"), "feature { name: 'a' type: INT }").unwrap();
    let (input, output, schema) = (at("in.csv"), at("out@2.jsonl"), at("schema.pbtxt"));
    let convert = |more: &[&str]| {
        tfxio(["convert", &input, &output, "--layout", "plain", "--schema", &schema].iter().chain(more))
    };
    let broken_off = || {
        let second = at("out-00001-of-00002.jsonl");
        let _ = std::fs::remove_file(&second);
        std::fs::create_dir_all(Path::new(&second).join("in the way")).unwrap();
        assert_ne!(convert(&["--resume"]).code, 0);
        std::fs::remove_dir_all(&second).unwrap();
    };
    let rows = || tfxio(["head", "--format", "json", &output]).ok();
    let all = "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n{\"a\": 4}\n";

    // One that is not resumed deals the rows out in another way, and leaves nothing to resume.
    broken_off();
    convert(&[]).ok();
    assert_eq!(rows(), "{\"a\": 1}\n{\"a\": 3}\n{\"a\": 2}\n{\"a\": 4}\n");
    convert(&["--resume"]).ok();
    assert_eq!(rows(), all);

    // A shard that was written to is made again, as long as it may be.
    broken_off();
    std::fs::write(at("out-00000-of-00002.jsonl"), "{\"a\":7}\n{\"a\":7}\n").unwrap();
    convert(&["--resume"]).ok();
    assert_eq!(rows(), all);

    // Files that are there are only replaced where they are those of a conversion that was begun.
    let error = convert(&["--resume", "--no-clobber"]).fails(3);
    assert!(error.contains("out-00000-of-00002.jsonl"), "{error}");
    broken_off();
    convert(&["--resume", "--no-clobber"]).ok();
    assert_eq!(rows(), all);

    broken_off();
    std::fs::write(&schema, "feature { name: 'a' type: FLOAT }").unwrap();
    let error = convert(&["--resume"]).fails(2);
    assert!(error.contains("the conversion that is to be resumed was another: "), "{error}");
}
