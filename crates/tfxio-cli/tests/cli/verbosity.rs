//! `--quiet` and `--verbose`.

use crate::run::{COMMANDS, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";

#[test]
fn every_command_has_both() {
    for name in COMMANDS {
        let help = tfxio([name, "--help"]).ok();
        assert!(help.contains("-q, --quiet") && help.contains("-v, --verbose"), "{name}");
    }
    for flags in [["-q", "-v"], ["--quiet", "--verbose"]] {
        let run = tfxio(["head", DIGITS].iter().chain(&flags));
        assert_eq!(run.code, 2);
        assert!(run.err.contains("cannot be used with"), "{}", run.err);
    }
}

#[test]
fn quiet_commands_say_no_notes() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.jsonl");
    std::fs::write(path(&folder, "i.jsonl"), "{\"x\": 0.1}\n").unwrap();
    let (input, records) = (path(&folder, "i.jsonl"), path(&folder, "o.tfrecord"));
    for args in [
        &["sample", DIGITS, "-n", "1"][..],
        &["convert", &input, &records],
        &["head", DIGITS, "fixtures/digits/digits-00000-of-00003.tfrecord", "-n", "1"],
        &["stats", DIGITS, "--sample", "5000", "--columns", "label"],
    ] {
        let loud = tfxio(args);
        assert!(loud.code == 0 && loud.err.starts_with("note: "), "{args:?}: {}", loud.err);
        for quiet in ["-q", "--quiet"] {
            assert_eq!(tfxio(args.iter().chain(&[quiet])).err, "", "{args:?}");
            assert_eq!(tfxio([quiet].iter().chain(args)).err, "", "{args:?}");
        }
    }
    // Errors stay, and so does what was left out for its damage.
    let error = tfxio(["-q", "head", "nothing.tfrecord"]).fails(3);
    assert!(error.starts_with("error: nothing.tfrecord"), "{error}");
    let damaged = root().join("fixtures/damaged/bit-in-payload.tfrecord").to_str().unwrap().to_owned();
    let args = ["convert", &damaged, &output, "--as", "raw", "--on-error", "skip"];
    let (loud, quiet) = (tfxio(args), tfxio(["-q"].iter().chain(&args)));
    let report = |text: &str| {
        text.lines().filter(|line| !line.starts_with("note: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(report(&loud.err), quiet.err.lines().collect::<Vec<_>>());
    assert!(quiet.err.contains("skipped 1 damaged range"), "{}", quiet.err);
}

#[test]
fn verbose_commands_say_what_they_decided() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.parquet");
    let found = "info: 3 files of the format tfrecord of example records, which was found out\n";
    for (args, lines) in [
        (
            &["head", DIGITS, "-n", "1"][..],
            &[found, "info: 3 columns, inferred from the first 1 record at most\n"][..],
        ),
        (
            &["head", DIGITS, "-n", "1", "--as", "raw"],
            &["3 files of the format tfrecord of raw records, which was stated"],
        ),
        (
            &["stats", DIGITS, "--threads", "2", "--columns", "label"],
            &[
                found,
                "info: 3 columns, inferred from all records\n",
                "info: 2 threads\n",
                "info: read in 3 partitions at least\n",
            ],
        ),
        (
            &["head", "fixtures/avro/people.avro", "--keys", "age"],
            &["1 file of the format avro, which was found out\n"],
        ),
        (&["schema", DIGITS], &["info: 3 files of the format tfrecord\n"]),
        (&["inspect", DIGITS], &["digits-00000-of-00003.tfrecord: of the format tfrecord\n"]),
        (
            &["convert", DIGITS, &output, "--threads", "2"],
            &[
                "info: from tfrecord to parquet, with 2 threads; where columns are inferred, from all records\n",
                "1,797 records, ",
                "note: --scalars --text write id, label as scalars, id as text\n",
            ],
        ),
        (
            &["load", "fixtures/loader/digits.json", "--threads", "2", "--batches", "1"],
            &["info: 2 threads that read, 2 threads that parse\n"],
        ),
    ] {
        let run = tfxio(args.iter().chain(&["-v"]));
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        for line in lines {
            assert!(run.err.contains(line), "{args:?}: {line:?} in {}", run.err);
        }
        let last = run.err.lines().last().unwrap();
        assert!(last.starts_with("info: took ") && last.contains(" s"), "{args:?}: {last}");
        // The answer is the same.
        if args[0] != "load" {
            assert_eq!(tfxio(args).out, run.out, "{args:?}");
        }
    }
    // So does what fails.
    let run = tfxio(["-v", "head", "nothing.tfrecord"]);
    assert!(
        run.code == 3 && run.err.starts_with("info: took ") && run.err.contains("\nerror: "),
        "{}",
        run.err
    );
}

#[test]
fn names_make_no_messages() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a\nerror: forged.csv");
    std::fs::write(&file, "n\n1\n").unwrap();
    for command in ["inspect", "schema", "head", "stats", "verify"] {
        let run = tfxio(["-v", command, &file]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.err.lines().all(|line| line.starts_with("info: ")), "{command}: {}", run.err);
    }
}

#[test]
fn convert_says_which_columns_could_be_scalars_and_text() {
    let folder = tempfile::tempdir().unwrap();
    let output = |name: &str| path(&folder, name);
    let note = |args: &[&str]| {
        let run = tfxio(["convert", DIGITS].iter().chain(args).copied().chain(["-v"]));
        assert_eq!(run.code, 0, "{args:?}: {}", run.err);
        let notes = run.err.lines().filter_map(|line| line.strip_prefix("note: ")).map(str::to_owned);
        notes.collect::<Vec<_>>()
    };
    assert_eq!(note(&[&output("a.parquet")]), ["--scalars --text write id, label as scalars, id as text"]);
    assert_eq!(note(&[&output("b.parquet"), "--scalars"]), ["--text write id as text"]);
    assert_eq!(note(&[&output("c.parquet"), "--scalars", "--text"]), [""; 0]);
    assert_eq!(
        note(&[&output("d.parquet"), "--columns", "label,image"]),
        ["--scalars write label as scalars"]
    );
    // Records hold lists.
    assert_eq!(note(&[&output("e.tfrecord"), "--columns", "label"]), [""; 0]);
    // Nothing of it is said to a program.
    assert_eq!(tfxio(["convert", DIGITS, &output("f.parquet")]).ok(), "");
}
