//! Commands that are not understood, and help.

use crate::run::{COMMANDS, path, tfxio};

#[test]
fn what_is_not_understood_is_exit_code_2() {
    for args in [
        &[][..],
        &["nonsense"],
        &["head"],
        &["head", "a.tfrecord", "-n", "many"],
        &["head", "a.tfrecord", "--format", "xml"],
        &["head", "a.tfrecord", "--skip", "-1"],
        &["tail"],
        &["sample", "a.tfrecord", "--seed", "x"],
        &["show", "a.tfrecord"],
        &["verify"],
        &["extract", "a.tfrecord"],
        &["inspect", "a.tfrecord", "--json", "--format", "json"],
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
    for command in COMMANDS {
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
    for name in ["o.txt", "o", "o.parquet.gz"] {
        let output = path(&folder, name);
        let error = tfxio(["convert", "fixtures/tfrecord/six-records.tfrecord", &output]).fails(2);
        assert_eq!(
            error,
            format!(
                "error: {output}: the name of the output does not say its format; end it with one of .tfrecord, .tfrecords, \
                 .tfrecord.gz, .tfrecords.gz, .tfrecord.gzip, .tfrecords.gzip, .tfrecord.zlib, .tfrecords.zlib, \
                 .tfrecord.zz, .tfrecords.zz, .avro, .parquet, .arrow, .arrows, .feather, .csv, .tsv, .csv.gz, .tsv.gz, \
                 .jsonl, .ndjson, .jsonl.gz, .ndjson.gz, or state the format, on the command line --to FORMAT"
            )
        );
    }
    let output = path(&folder, "o.txt");
    let error = tfxio(["convert", "fixtures/digits/digits@3.tfrecord", &output, "--to", "parket"]).fails(2);
    assert_eq!(error, "error: there is no format of files \"parket\"; did you mean \"parquet\"?");
    tfxio(["convert", "fixtures/digits/digits@3.tfrecord", &output, "--to", "parquet"]).ok();
    assert!(std::fs::read(output).unwrap().starts_with(b"PAR1"));
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
            "error: {arrow}: the format of the file is arrow, and that of {digits} is tfrecord; convert the files of each \
             format by themselves"
        )
    );
}

#[test]
fn help_fits_the_terminal() {
    for columns in ["80", "100"] {
        for name in [""].into_iter().chain(COMMANDS.iter().copied()) {
            let mut command = crate::run::command();
            command.args((!name.is_empty()).then_some(name)).arg("--help").env("COLUMNS", columns);
            let output = command.stdin(std::process::Stdio::null()).output().unwrap();
            let help = String::from_utf8(output.stdout).unwrap();
            let lines = help.lines().collect::<Vec<_>>();
            let width = columns.parse::<usize>().unwrap();
            for (line, next) in lines.iter().zip(&lines[1..]) {
                assert!(line.chars().count() <= width, "{name}: {line}");
                // A line of a paragraph ends where the next word has no room.
                let word = next.split(' ').next().unwrap();
                let is_text = |line: &str| {
                    line.starts_with(|first: char| first.is_alphanumeric() || "-'(\"{".contains(first))
                };
                if is_text(line) && is_text(next) && !word.is_empty() {
                    assert!(
                        line.chars().count() + 1 + word.chars().count() > width,
                        "{name}:\n{line}\n{next}"
                    );
                }
            }
        }
    }
}

#[test]
fn unknown_options_get_no_wrong_advice() {
    for args in [
        &["convert", "a.tfrecord", "--whence", "x", "o.parquet"][..],
        &["head", "a.tfrecord", "-n", "-3"],
        &["inspect", "--verbosely", "a.tfrecord"],
    ] {
        let run = tfxio(args);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("unexpected argument") && !run.err.contains("'-- "), "{}", run.err);
    }
    let error = tfxio(["head", "a.tfrecord", "--colums", "a"]).err;
    assert!(error.contains("a similar argument exists: '--columns'"), "{error}");
}

#[test]
fn options_of_convert_stand_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.arrow");
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let second = "fixtures/digits/digits-00001-of-00003.tfrecord";
    for args in [
        &["--columns", "label", digits, second, &output][..],
        &[digits, "--columns", "label", second, "--threads", "1", &output],
        &[digits, second, &output, "--columns", "label"],
    ] {
        tfxio(["convert"].iter().chain(args)).ok();
        std::fs::remove_file(&output).unwrap();
    }
    // All of them.
    tfxio(["convert", digits, &output, "--threads", "0"]).ok();
}

#[test]
fn numbers_that_are_out_of_range() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.arrow");
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    for threads in ["1025", "18446744073709551615", "-1", "many"] {
        let option = format!("--threads={threads}");
        for args in
            [&["convert", digits, &output, &option][..], &["load", "fixtures/loader/digits.json", &option]]
        {
            let run = tfxio(args);
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}: {}", run.err);
            assert!(run.err.contains("a number of threads from 1 to 1024"), "{args:?}: {}", run.err);
        }
    }
    let run = tfxio(["convert", digits, &output, "--infer-records", "0"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("give a number of records, at least 1"), "{}", run.err);
    assert!(!std::path::Path::new(&output).exists());
    tfxio(["convert", digits, &output, "--infer-records", "1", "--threads", "1024"]).ok();
}

#[test]
fn an_output_that_is_a_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    for (name, says) in [
        (
            "s@*.parquet",
            "the format parquet writes a number of shards; give the number, as in train@16.parquet",
        ),
        ("s@*.arrow", "the format arrow writes a number of shards; give the number, as in train@16.arrow"),
        ("@*.tfrecord", "such as train@16.tfrecord or train@*.tfrecord"),
        ("s*@*.tfrecord", "such as train@16.tfrecord"),
        ("s@*.t*.tfrecord", "such as train@16.tfrecord"),
        ("s@*x.tfrecord", "such as train@16.tfrecord"),
        ("t?.tfrecord", "such as train@16.tfrecord"),
        ("t*.avro", "such as train@16.tfrecord"),
    ] {
        let output = path(&folder, name);
        let error = tfxio(["convert", digits, &output]).fails(2);
        assert!(error.starts_with(&format!("error: {output}: the output is a ")), "{error}");
        assert!(error.contains(says), "{error}");
    }
    assert!(crate::run::names(&folder).is_empty());
    tfxio(["convert", digits, &path(&folder, "me@home.arrow")]).ok();
    tfxio(["convert", digits, &path(&folder, "t@2.tfrecord")]).ok();
    tfxio(["convert", digits, &path(&folder, "u@2.avro")]).ok();
    let written = [
        "me@home.arrow",
        "t-00000-of-00002.tfrecord",
        "t-00001-of-00002.tfrecord",
        "u-00000-of-00002.avro",
        "u-00001-of-00002.avro",
    ];
    assert_eq!(crate::run::names(&folder), written);
}

#[test]
fn an_output_of_shards_by_size() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits@3.tfrecord";
    let rows = |file: &str| tfxio(["head", "-n", "2000", "--format", "json", file]).ok();
    let expected = rows(digits);
    for ending in ["tfrecord", "tfrecord.gz", "avro"] {
        // A copy, or decoded and encoded.
        let (set, again) = (path(&folder, &format!("a@*.{ending}")), path(&folder, &format!("b@*.{ending}")));
        tfxio(["convert", digits, &set, "--shard-bytes", "100000"]).ok();
        tfxio(["convert", &set, &again, "--shard-bytes", "50000"]).ok();
        let shards = |prefix: &str| {
            let names = crate::run::names(&folder);
            let is_shard = |name: &String| name.starts_with(prefix) && name.ends_with(&format!(".{ending}"));
            names.into_iter().filter(is_shard).collect::<Vec<_>>()
        };
        let (first, second) = (shards("a-"), shards("b-"));
        assert!(first.len() > 1 && second.len() > first.len(), "{first:?} {second:?}");
        for (names, name) in [(&first, "a-00000"), (&second, "b-00000")] {
            assert_eq!(names[0], format!("{name}-of-{:05}.{ending}", names.len()));
        }
        for set in [&set, &again] {
            assert_eq!(rows(set), expected, "{set}");
        }
        // What is read is not replaced, whatever the number of shards would be.
        let error = tfxio(["convert", &set, &set]).fails(2);
        assert!(error.contains("the output is one of the inputs"), "{error}");
    }
}
