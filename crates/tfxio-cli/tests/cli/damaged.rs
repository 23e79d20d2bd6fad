//! Every damaged fixture, through every command that reads it.

use serde_json::Value;

use crate::run::{json_lines, path, root, tfxio};

struct Damaged {
    file: String,
    good: u64,
    /// Whether everything is whole, which is so for zero padding behind gzip.
    whole: bool,
}

fn all() -> Vec<Damaged> {
    let manifest = std::fs::read_to_string(root().join("fixtures/damaged/manifest.jsonl")).unwrap();
    let files = json_lines(&manifest).into_iter().map(|line| Damaged {
        file: format!("fixtures/damaged/{}", line["file"].as_str().unwrap()),
        good: line["good"].as_array().unwrap().len() as u64,
        whole: line["file"] == "gzip-zeros-behind.tfrecord.gz",
    });
    // One is a whole file of Avro, which is read as such.
    let files = files.filter(|damaged| !damaged.file.ends_with("/avro.tfrecord")).collect::<Vec<_>>();
    assert_eq!(files.len(), 44);
    files
}

#[test]
fn inspect_counts_what_is_whole_and_says_what_is_not() {
    for Damaged { file, good, whole } in all() {
        let run = tfxio(["inspect", "--json", &file]);
        let [report] = json_lines(&run.out).try_into().unwrap();
        assert_eq!(report["records"].as_u64().unwrap_or_default(), good, "{file}");
        let errors = report["errors"].as_array().unwrap();
        assert_eq!(
            (run.code, errors.is_empty()),
            if whole { (0, true) } else { (1, false) },
            "{file}: {errors:?}"
        );
        for error in errors.iter().map(|error| error.as_str().unwrap()) {
            let is_other = error.contains("the name says the format tfrecord, and the file begins like ");
            assert!(error.starts_with(&file) && (is_other || error.contains("byte")), "{error}");
        }
    }
}

#[test]
fn repair_keeps_what_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    for Damaged { file, good, whole } in all() {
        let output = path(&folder, "repaired.tfrecord");
        let _ = std::fs::remove_file(&output);
        let run = tfxio(["repair", "--json", &file, &output]);
        if run.code != 0 {
            // Files of other formats are not repaired.
            assert_eq!((run.code, good), (1, 0), "{file}: {}", run.err);
            let texts = ["this is not a TFRecord file", "nothing could be kept", "and the file begins like "];
            assert!(texts.iter().any(|text| run.err.contains(text)), "{}", run.err);
            assert!(!std::path::Path::new(&output).exists());
            continue;
        }
        let report = json_lines(&tfxio(["inspect", "--json", &output]).ok());
        assert_eq!(report[0]["records"], good, "{file}");
        assert_eq!(json_lines(&run.out).is_empty(), whole, "{file}");
    }
}

#[test]
fn head_and_convert_end_in_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for Damaged { file, whole, .. } in all() {
        let output = path(&folder, "converted.tfrecord.gz");
        let run = tfxio(["convert", &file, &output]);
        if whole {
            run.ok();
            std::fs::remove_file(&output).unwrap();
        } else if ["/parquet.tfrecord", "/json-lines.tfrecord"].iter().any(|other| file.ends_with(other)) {
            // Its first bytes say another format than its name.
            assert_eq!(run.code, 1, "{file}: {}", run.err);
        } else {
            let error = run.fails(1);
            assert!(error.starts_with(&format!("error: {file}, ")), "{error}");
            let is_after_all = error.contains("data follow the end of the ");
            assert!(error.contains("byte ") && (error.contains(", record ") != is_after_all), "{error}");
        }
        assert!(crate::run::names(&folder).is_empty(), "{file}: nothing is left");
        // The fixtures hold text, not tf.Example: an error whatever the damage.
        let run = tfxio(["head", &file]);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{file}: {}", run.err);
    }
}

#[test]
fn rows_before_the_damage_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "cut.tfrecord");
    let digits = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    std::fs::write(&file, &digits[..1000]).unwrap();
    let run = tfxio(["head", "--format", "json", "--columns", "id", &file]);
    assert_eq!(run.code, 1);
    let ids = json_lines(&run.out).into_iter().map(|row| row["id"][0].clone()).collect::<Vec<_>>();
    assert_eq!(ids, ["digit-0000", "digit-0001", "digit-0002"].map(Value::from));
    assert!(run.err.contains("record 3: the input ends inside a record"), "{}", run.err);
}

/// Bytes after the end of gzip data are not part of a record: commands show all records, and report the first such
/// byte.
#[test]
fn bytes_after_the_end_of_gzip_data_belong_to_no_record() {
    let folder = tempfile::tempdir().unwrap();
    for (name, ending) in [("cut", ".tfrecord.gz"), ("rows", ".csv.gz"), ("lines", ".jsonl.gz")] {
        let file = path(&folder, &format!("{name}{ending}"));
        let whole = path(&folder, &format!("whole{ending}"));
        let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
        tfxio(["convert", digits, &whole, "--columns", "id,label", "--scalars", "--text"]).ok();
        let bytes = std::fs::read(&whole).unwrap();
        let follows = format!(
            "error: {file}, stored byte {}: bytes that are not gzip data follow the end of the gzip data; cut the file off at this \
             byte if they do not belong to it, or copy it again: a damaged part of the data looks the same",
            bytes.len()
        );
        std::fs::write(&file, [&bytes[..], b"x"].concat()).unwrap();
        for args in [
            &["head", "-n", "1000", "--format", "json"][..],
            &["tail", "-n", "1000", "--format", "json"],
            &["verify"],
        ] {
            let run = tfxio([args, &[&file]].concat());
            assert_eq!(run.code, 1, "{args:?} {}", run.err);
            assert!(run.err.starts_with(&follows), "{args:?} {}", run.err);
            if args[0] == "head" {
                assert_eq!(json_lines(&run.out).len(), 599);
            }
        }
        assert!(tfxio(["show", &format!("{file}@598"), "--format", "json"]).ok().contains("digit-0598"));
        // Zeros are padding.
        std::fs::write(&file, [bytes, vec![0; 10_000]].concat()).unwrap();
        tfxio(["verify", &file]).ok();
        assert_eq!(json_lines(&tfxio(["head", "-n", "1000", "--format", "json", &file]).ok()).len(), 599);
    }
}
