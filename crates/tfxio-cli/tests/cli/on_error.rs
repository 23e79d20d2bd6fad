//! `--on-error skip` on TFRecord files.

use crate::run::{json_lines, names, path, root, tfxio};

/// The digits with two records that are damaged; its name and their offsets.
fn damaged(folder: &tempfile::TempDir) -> (String, [usize; 2]) {
    let mut bytes = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    let mut starts = vec![0];
    while let Some(length) = bytes[starts[starts.len() - 1]..].first_chunk::<8>() {
        starts.push(starts[starts.len() - 1] + usize::try_from(u64::from_le_bytes(*length)).unwrap() + 16);
    }
    for record in [1, 4] {
        bytes[starts[record] + 40] ^= 4;
    }
    let file = path(folder, "digits.tfrecord");
    std::fs::write(&file, bytes).unwrap();
    (file, [starts[1], starts[4]])
}

#[test]
fn convert_leaves_damage_out_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let (file, [first, second]) = damaged(&folder);
    for output in ["a.parquet", "a.arrow", "a.tfrecord"] {
        let output = path(&folder, output);
        let run = tfxio(["convert", &file, &output]);
        assert_eq!(run.code, 1, "{}", run.err);
        let run = tfxio(["convert", &file, &output, "--on-error", "skip"]);
        let lines = run.err.lines().collect::<Vec<_>>();
        assert_eq!((run.code, run.out.as_str(), lines.len()), (0, "", 3), "{}", run.err);
        for (line, start) in lines.iter().zip([first, second]) {
            let text = format!("{file}, bytes {start} to ");
            assert!(line.starts_with(&text), "{line}");
            assert!(line.ends_with(": 1 record skipped (checksum of the payload)"), "{line}");
        }
        assert!(lines[2].starts_with("skipped 2 damaged ranges: 2 records, "), "{}", lines[2]);
        std::fs::remove_file(output).unwrap();
    }
    assert_eq!(names(&folder), ["digits.tfrecord"]);
}

#[test]
fn budgets_hold() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = damaged(&folder);
    let output = path(&folder, "a.arrow");
    for (budget, text) in [
        (["--max-skipped", "1"], "2 damaged ranges, and the budget allows 1"),
        (["--max-skipped-bytes", "300"], " damaged bytes, and the budget allows 300"),
    ] {
        let run = tfxio(["convert", &file, &output, "--on-error", "skip", budget[0], budget[1]]);
        assert_eq!(run.code, 1, "{}", run.err);
        let error = run.err.lines().find(|line| line.starts_with("error: ")).unwrap();
        assert!(error.contains(text) && error.contains(&file), "{error}");
        assert!(run.err.contains("1 record skipped"), "{}", run.err);
    }
    assert_eq!(names(&folder), ["digits.tfrecord"]);
    tfxio(["convert", &file, &output, "--on-error", "skip", "--max-skipped", "2"]);
    assert_eq!(names(&folder), ["a.arrow", "digits.tfrecord"]);
}

#[test]
fn head_goes_on_after_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = damaged(&folder);
    let whole = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let all = json_lines(&tfxio(["head", whole, "--format", "json", "-n", "6"]).ok());
    let run = tfxio(["head", &file, "--format", "json", "-n", "4", "--on-error", "skip"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(json_lines(&run.out), [0, 2, 3, 5].map(|at: usize| all[at].clone()));
    assert!(run.err.ends_with(" bytes\n") && run.err.contains("skipped 2 damaged ranges"), "{}", run.err);
    let run = tfxio(["head", &file, "--on-error", "skip", "--max-skipped", "0"]);
    assert_eq!(run.code, 1, "{}", run.err);
}

#[test]
fn where_everything_is_damaged_the_exit_code_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    let mut bytes = std::fs::read(root().join("fixtures/tfrecord/six-records.tfrecord")).unwrap();
    bytes.truncate(20);
    std::fs::write(&file, bytes).unwrap();
    let output = path(&folder, "b.tfrecord");
    let run = tfxio(["convert", &file, &output, "--on-error", "skip"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("error: everything was damaged and skipped: there is no record"), "{}", run.err);
    let _ = std::fs::remove_file(&output);
    // The report comes first.
    let end = "skipped 1 damaged range: at least 0 records, 20 bytes\n\
               error: everything was damaged and skipped: there is no record\n";
    for format in ["table", "json"] {
        let run = tfxio(["head", &file, "--on-error", "skip", "--format", format]);
        assert_eq!((run.code, run.out.as_str()), (1, ""), "{}", run.err);
        assert!(run.err.ends_with(end), "{}", run.err);
    }
    let run = tfxio(["head", &file, "--on-error", "skip", "-n", "0"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let run = tfxio(["repair", &file, &output]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("0 good records, 1 damaged range"), "{}", run.out);
    assert_eq!(run.err, format!("error: nothing could be kept, and {output} was not written\n"));
    assert_eq!(names(&folder), ["a.tfrecord"]);
}

#[test]
fn options_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    let error = tfxio(["head", digits, "--max-skipped", "3"]).fails(2);
    assert_eq!(
        error,
        "error: --max-skipped and --max-skipped-bytes are for --on-error skip, which is not given"
    );
    let parquet = path(&folder, "a.parquet");
    tfxio(["convert", digits, &parquet]).ok();
    let error = tfxio(["convert", &parquet, &path(&folder, "b.arrow"), "--on-error", "skip"]).fails(2);
    assert_eq!(error, "error: the format parquet does not offer skipping of damaged rows");
}

#[test]
fn records_that_are_not_examples_are_left_out() {
    use tfxio::tfrecord_io::FileWriter;

    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    // One feature "n" with the value 7, twice, and a feature that is cut short between them.
    let example = b"\x0a\x0c\x0a\x0a\x0a\x01n\x12\x05\x1a\x03\x0a\x01\x07";
    let mut writer = FileWriter::create(&file).unwrap();
    for record in [&example[..], b"\x0a\x0c\x0a\x0a\x0a\x01n\x12", example] {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(tfxio(["head", &file]).code, 1);
    let run = tfxio(["head", &file, "--format", "json", "--on-error", "skip"]);
    assert_eq!((run.code, run.out.as_str()), (0, "{\"n\": [7]}\n{\"n\": [7]}\n"), "{}", run.err);
    let begin = format!("{file}, bytes 30 to 54: 1 record skipped (byte 30, record 1");
    assert!(run.err.starts_with(&begin), "{}", run.err);
    let output = path(&folder, "b.arrow");
    let converted = tfxio(["convert", &file, &output, "--on-error", "skip"]);
    assert_eq!(converted.code, 0, "{}", converted.err);
    assert!(
        converted.err.starts_with(&format!("{file}, bytes 30 to 54: 1 record skipped (")),
        "{}",
        converted.err
    );
    assert!(converted.err.ends_with("skipped 1 damaged range: 1 record, 24 bytes\n"), "{}", converted.err);
}
