//! Commands that are not understood, and help.

use crate::run::{path, tfxio};

#[test]
fn what_is_not_understood_is_exit_code_2() {
    for args in [
        &[][..],
        &["nonsense"],
        &["head"],
        &["head", "a.tfrecord", "-n", "many"],
        &["head", "a.tfrecord", "--format", "xml"],
        &["inspect"],
        &["head", "a.tfrecord", "--as", "image"],
        &["schema", "a.tfrecord", "--group", "serving"],
        &["tensors", "a.tfrecord"],
        &["avro-path", "a.avro"],
        &["load"],
        &["load", "a.json", "--batches", "-1"],
        &["load", "--check", "a.json", "--json"],
        &["tensors", "a.tfrecord", "--specs", "a.json", "--group", "serving"],
        &["convert", "only-one.tfrecord"],
        &["repair", "a.tfrecord"],
    ] {
        let run = tfxio(args);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
        assert!(
            run.err.contains("Usage: tfxio") || run.err.contains("try '--help'"),
            "{args:?}: {}",
            run.err
        );
    }
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = tfxio(["--help"]).ok();
    assert!(help.contains("Exit codes:") && help.contains("train@16.tfrecord"));
    for command in ["inspect", "head", "schema", "tensors", "avro-path", "load", "index", "convert", "repair"]
    {
        assert!(help.contains(command));
        let help = tfxio([command, "--help"]).ok();
        assert!(help.contains(&format!("Examples:\n  tfxio {command} ")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
    assert_eq!(tfxio(["--version"]).ok(), concat!("tfxio ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn an_output_of_no_known_format() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["o.csv", "o", "o.parquet.gz"] {
        let output = path(&folder, name);
        let error = tfxio(["convert", "fixtures/tfrecord/six-records.tfrecord", &output]).fails(2);
        assert_eq!(
            error,
            format!(
                "error: {output}: the name of the output does not say its format; end it with .tfrecord, .tfrecord.gz, \
                 .tfrecord.zlib, .parquet, .arrow or .avro"
            )
        );
    }
}

#[test]
fn inputs_of_two_formats() {
    let folder = tempfile::tempdir().unwrap();
    let arrow = path(&folder, "a.arrow");
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    tfxio(["convert", digits, &arrow]).ok();
    let error = tfxio(["convert", digits, &arrow, &path(&folder, "o.parquet")]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {arrow}: the file is Arrow, but {digits} is TFRecord; convert the files of each format by themselves"
        )
    );
}
