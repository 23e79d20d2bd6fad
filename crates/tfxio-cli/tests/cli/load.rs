//! `tfxio load`: batches, figures, and what is wrong with a configuration.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::run::{Run, json_lines, path, root, tfxio};

const DIGITS: &str = "fixtures/loader/digits.json";
const MODEL: [&str; 4] = ["--inputs", "image", "--targets", "label"];

/// Loads with `--json`: the batches, and the figures.
#[track_caller]
fn loaded(args: &[&str]) -> (Vec<Value>, Value) {
    let mut lines = json_lines(&tfxio(["load", "--json"].iter().chain(args)).ok());
    let figures = lines.pop().unwrap();
    (lines, figures)
}

/// A configuration like a fixture's, changed.
fn changed(folder: &tempfile::TempDir, name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(root().join("fixtures/loader").join(name)).unwrap();
    assert!(text.contains(from), "{from}");
    let text =
        text.replace(from, to).replace("../", &format!("{}/", root().join("fixtures").to_str().unwrap()));
    let file = path(folder, name);
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn batches_are_shown_with_their_tensors() {
    let out = tfxio(["load", DIGITS, "--batches", "2", "--seed", "7"].iter().chain(&MODEL)).ok();
    let lines: Vec<_> = out.lines().collect();
    let [first, image, label, second, ..] = lines[..] else { panic!("{out}") };
    assert_eq!((first, second), ("batch 0: 32 examples", "batch 1: 32 examples"));
    assert!(image.starts_with("  input   image  float32 [32, 8, 8]  [[["), "{image}");
    assert!(image.ends_with(", …], …]"), "{image}");
    assert!(label.starts_with("  target  label  int64 [32]          ["), "{label}");
    assert_eq!(lines[6], "64 examples in 2 batches, seed 7");
    assert!(lines[7].starts_with("read ") && lines[7].contains(" records/s, "), "{out}");
    assert!(lines[8].starts_with("waited "), "{out}");
    assert!(lines[9].starts_with("threads took ") && lines[9].ends_with(" to assemble batches"), "{out}");
    assert_eq!(lines.len(), 10);
    assert!(lines.iter().all(|line| line.chars().count() < 150), "{out}");
    // Ten, if nothing else is said.
    let out = tfxio(["load", DIGITS]).ok();
    assert!(out.contains("batch 9: 32 examples\n  input   image  ") && !out.contains("batch 10"), "{out}");
}

#[test]
fn one_epoch_has_every_record_once() {
    let args = [&[DIGITS, "--batches", "1000", "--seed", "7"][..], &MODEL].concat();
    let (batches, figures) = loaded(&args);
    let mut labels: BTreeMap<i64, usize> = BTreeMap::new();
    for (number, batch) in batches.iter().enumerate() {
        let (image, label) = (&batch["inputs"]["image"], &batch["targets"]["label"]);
        let examples = batch["examples"].as_u64().unwrap();
        assert_eq!((&batch["batch"], examples), (&json!(number), if number < 56 { 32 } else { 5 }));
        assert_eq!((&image["dtype"], &image["shape"]), (&json!("float32"), &json!([examples, 8, 8])));
        assert_eq!(image["values"].as_array().unwrap().len() as u64, examples * 64);
        assert_eq!((&label["dtype"], &label["shape"]), (&json!("int64"), &json!([examples])));
        for value in label["values"].as_array().unwrap() {
            *labels.entry(value.as_i64().unwrap()).or_default() += 1;
        }
    }
    let mut wanted: BTreeMap<i64, usize> = BTreeMap::new();
    let head = ["head", "fixtures/digits/digits@3.tfrecord", "-n", "2000", "--columns", "label"];
    for row in json_lines(&tfxio(head.iter().chain(&["--format", "json"])).ok()) {
        *wanted.entry(row["label"][0].as_i64().unwrap()).or_default() += 1;
    }
    assert_eq!(labels, wanted);
    for (key, value) in [
        ("seed", json!(7)),
        ("batches", json!(57)),
        ("examples", json!(1797)),
        ("records_framed", json!(1797)),
        ("records_parsed", json!(1797)),
        ("bytes_inflated", json!(0)),
        ("records_skipped", json!(0)),
    ] {
        assert_eq!(figures[key], value, "{key}");
    }
    for key in ["seconds", "records_per_s", "examples_per_s", "mb_per_s"] {
        assert!(figures[key].as_f64().unwrap() > 0.0, "{key}: {figures}");
    }
    // The seed decides, and one that is drawn can be used again.
    assert_eq!(loaded(&args).0, batches);
    let (drawn, figures) = loaded(&[DIGITS, "--batches", "3"]);
    assert_ne!(drawn[..3], batches[..3]);
    let again = figures["seed"].to_string();
    assert_eq!(loaded(&[DIGITS, "--batches", "3", "--seed", &again]).0, drawn);
}

#[test]
fn windows_of_a_signal_and_of_text() {
    let (batches, figures) = loaded(&["fixtures/loader/co2.json", "--batches", "1000"]);
    let examples: u64 = batches.iter().map(|batch| batch["examples"].as_u64().unwrap()).sum();
    assert_eq!((&figures["windows"], &figures["examples"]), (&json!(examples), &json!(examples)));
    assert_eq!(figures["records_parsed"], json!(44), "years");
    for batch in &batches {
        let tensors = &batch["inputs"];
        let length = tensors["co2"]["shape"][1].as_u64().unwrap();
        assert!((26..=52).contains(&length), "{length}");
        assert_eq!(tensors["date"]["shape"], tensors["co2"]["shape"]);
        let present = tensors["present"]["values"].as_array().unwrap().iter();
        for (value, is_there) in tensors["co2"]["values"].as_array().unwrap().iter().zip(present) {
            let value = value.as_f64().unwrap();
            assert!(if *is_there == json!(true) { (313.0..374.0).contains(&value) } else { value == 0.0 });
        }
    }

    let (batches, figures) = loaded(&["fixtures/loader/sonnets.json", "--batches", "1000"]);
    // Each of the 125 lines is in one window, or left over.
    let mut lines = figures["leftover"].as_u64().unwrap();
    for batch in &batches {
        let tokens = &batch["inputs"]["tokens"];
        let windows = tokens["row_lengths"].as_array().unwrap();
        assert_eq!(windows.len() as u64, batch["examples"].as_u64().unwrap());
        let width = tokens["shape"][1].as_u64().unwrap() as usize;
        let padded = tokens["values"].as_array().unwrap();
        for (window, values) in windows.iter().zip(padded.chunks(width)) {
            let lengths = window.as_array().unwrap();
            assert!((2..=4).contains(&lengths.len()));
            let total: u64 = lengths.iter().map(|length| length.as_u64().unwrap()).sum();
            let first = values.iter().position(|value| *value == json!(-1)).unwrap_or(width);
            assert_eq!(first as u64, total);
            lines += lengths.len() as u64;
        }
    }
    assert_eq!(lines, 125);
    assert!(figures["bytes_inflated"].as_u64() > Some(50_000), "the sonnets are compressed: {figures}");
}

#[test]
fn checking_reads_no_record() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(tfxio(["load", "--check", DIGITS]).ok(), format!("{DIGITS}: all is well\n"));
    assert_eq!(
        tfxio(["load", "--check", DIGITS].iter().chain(&MODEL)).ok(),
        format!("{DIGITS}: all is well\n")
    );
    // The file is damaged; nobody looks.
    std::fs::write(folder.path().join("a.tfrecord"), "damaged").unwrap();
    let manifest = root().join("fixtures/digits/__manifest__.json");
    std::fs::copy(manifest, folder.path().join("__manifest__.json")).unwrap();
    let config = changed(&folder, "digits.json", "../digits", ".");
    tfxio(["load", "--check", &config]).ok();
    let error = tfxio(["load", &config]).code_and_error(1);
    assert!(error.contains("a.tfrecord") && error.contains("record 0"), "{error}");
}

#[test]
fn relative_paths_start_where_they_should() {
    let folder = tempfile::tempdir().unwrap();
    let config = path(&folder, "digits.json");
    std::fs::copy(root().join(DIGITS), &config).unwrap();
    let error = tfxio(["load", "--check", &config]).fails(3);
    assert!(error.contains("digits does not exist"), "{error}");
    tfxio(["load", "--check", &config, "--base-dir", "fixtures/loader"]).ok();
}

#[test]
fn another_size_of_batches() {
    let (batches, _) = loaded(&[DIGITS, "--batch-size", "1000", "--batches", "5"]);
    let examples: Vec<_> = batches.iter().map(|batch| batch["examples"].as_u64().unwrap()).collect();
    assert_eq!(examples, [1000, 797]);
    assert_eq!(tfxio(["load", DIGITS, "--batch-size", "0"]).code_and_error(2).lines().count(), 1);
}

#[test]
fn what_is_wrong_with_a_configuration_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let config = changed(&folder, "digits.json", "\"reshape\"", "\"resize\"");
    let error = tfxio(["load", &config]).fails(2);
    assert!(error.starts_with(&format!("error: {config}, line 18, column ")), "{error}");
    assert!(error.contains("`processing_steps[0].type`") && error.contains("reshape"), "{error}");
    assert_eq!(error.matches(config.as_str()).count(), 1, "{error}");
    let run = tfxio(["load", DIGITS, "--inputs", "image", "--batches", "1"]);
    let said = "note: not loaded, as neither --inputs nor --targets names it: \"label\"\n";
    assert_eq!((run.code, run.err.as_str()), (0, said));
    let error = tfxio(["load", DIGITS, "--inputs", "image,label,weight"]).fails(2);
    assert!(error.contains("\"weight\""), "{error}");
    let error = tfxio(["load", "fixtures/loader/no.json"]).fails(3);
    assert_eq!(error, "error: fixtures/loader/no.json: the configuration does not exist; check the path");
}

#[test]
fn if_nothing_comes_out_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let config = changed(&folder, "sonnets.json", "\"min_window\": 2", "\"min_window\": 100");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("\"max_window\": 4", "\"max_window\": 100")).unwrap();
    let run = tfxio(["load", &config]);
    assert_eq!(run.code, 0);
    assert!(run.out.starts_with("0 examples in 0 batches"), "{}", run.out);
    assert_eq!(
        run.err,
        "warning: no batch came out: 125 steps or records at the ends of files filled no window; choose shorter \
         windows\n"
    );
}

#[test]
fn what_came_before_damage_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let config = changed(&folder, "digits.json", "\"shuffle\": true", "\"shuffle\": false");
    let text = std::fs::read_to_string(&config).unwrap();
    let data = format!("{}/digits", root().join("fixtures").to_str().unwrap());
    std::fs::write(&config, text.replace(&data, "data")).unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    for entry in std::fs::read_dir(root().join("fixtures/digits")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join("data").join(entry.file_name())).unwrap();
    }
    let second = folder.path().join("data/digits-00001-of-00003.tfrecord");
    let mut bytes = std::fs::read(&second).unwrap();
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    std::fs::write(&second, bytes).unwrap();
    let run = tfxio(["load", &config, "--batches", "1000"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("batch 30: 32 examples"), "{}", run.out);
    assert!(run.err.contains("digits-00001-of-00003.tfrecord, byte 198536, record 598"), "{}", run.err);
    assert!(run.err.contains("tfxio repair"), "{}", run.err);
}

#[test]
fn hosts_and_states() {
    let folder = tempfile::tempdir().unwrap();
    let config = changed(&folder, "digits.json", "\"shuffle\": true", "\"shuffle\": \"global\"");
    let text = std::fs::read_to_string(&config).unwrap();
    let keep = |line: &&str| {
        !line.contains("num_shuffle_buffer") && !line.contains("num_filenames") && !line.contains("num_mix")
    };
    std::fs::write(&config, text.lines().filter(keep).collect::<Vec<_>>().join("\n")).unwrap();
    let (before, after) = (path(&folder, "before.json"), path(&folder, "after.json"));
    let images = |batches: &[Value]| {
        let images = batches.iter().flat_map(|batch| {
            let size = batch["examples"].as_u64().unwrap() as usize;
            let values = batch["inputs"]["image"]["values"].as_array().unwrap();
            values.chunks(values.len() / size).map(|image| json!(image).to_string()).collect::<Vec<_>>()
        });
        let mut images = images.collect::<Vec<_>>();
        images.sort_unstable();
        images
    };
    let load = |args: &[&str]| loaded(&[&[&*config, "--seed", "7"][..], args].concat()).0;
    let all = images(&load(&["--batches", "1000"]));
    assert_eq!(all.len(), 1797);
    // Two hosts, then four with batches of half the size.
    let mut got = load(&["--shard", "0/2", "--batches", "5", "--save-state", &before]);
    got.extend(load(&["--shard", "1/2", "--batches", "5", "--threads", "3", "--save-state", &after]));
    assert_eq!(std::fs::read(&before).unwrap(), std::fs::read(&after).unwrap());
    for shard in ["0/4", "1/4", "2/4", "3/4"] {
        got.extend(load(&["--state", &before, "--shard", shard, "--batch-size", "16", "--batches", "1000"]));
    }
    assert_eq!(images(&got), all);
    // What is wrong with a state names its file.
    let state = std::fs::read_to_string(&before).unwrap();
    std::fs::write(&after, state.replace("\"position\":", "\"position\":1")).unwrap();
    let error = tfxio(["load", &config, "--state", &after]).fails(2);
    assert!(error.starts_with(&format!("error: {after}: the state is damaged: its checksum")), "{error}");
    let error = tfxio(["load", "--check", &config, "--state", &before, "--seed", "8"]).fails(2);
    assert!(error.contains("the state is of a loader with the seed 7, not 8"), "{error}");
    let error = tfxio(["load", &config, "--state", &path(&folder, "none")]).fails(3);
    assert!(error.ends_with("none: no such file; check the path"), "{error}");
    let error = tfxio(["load", DIGITS, "--shard", "2/2"]).code_and_error(2);
    assert!(error.contains("give I/N with I from 0 to N - 1, such as 0/4"), "{error}");
}

/// A check refuses everything that a load refuses without reading a record, with its position.
#[test]
fn a_check_refuses_what_a_load_refuses() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("gzip")).unwrap();
    let list = path(&folder, "train.txt");
    let fixtures = std::fs::canonicalize(root().join("fixtures")).unwrap();
    let digits = fixtures.join("digits/digits-00000-of-00003.tfrecord");
    std::fs::write(&list, format!("{}\n\ngone.tfrecord\n", digits.display())).unwrap();
    let listed = format!(
        r#"{{"type": "list", "args": {{"manifest_file": "{}/digits/__manifest__.json", "list_file": "train.txt"}}}}"#,
        fixtures.display()
    );
    let data_set = r#"{"type": "dir", "args": {"data_dir": "../digits"}}"#;
    for (config, code, expected) in [
        (
            &|| changed(&folder, "digits.json", data_set, &listed) as String,
            3,
            format!(
                "{list}, line 3: {}/gone.tfrecord: no such file; check the list of files",
                folder.path().display()
            ),
        ),
        (
            &|| {
                changed(
                    &folder,
                    "digits.json",
                    "\"target_batch_size\": 32",
                    "\"target_batch_size\": 100000000",
                )
            },
            2,
            "digits.json, line 4, column 24, `target_batch_size`: batches of 100000000 examples have"
                .to_owned(),
        ),
        (
            &|| changed(&folder, "digits.json", "../digits", "no"),
            3,
            "digits.json, line 3, column 51, `dataset.args.data_dir`: the directory ".to_owned(),
        ),
    ] as [(&dyn Fn() -> String, i32, String); 3]
    {
        let config = config();
        let error = tfxio(["load", "--check", &config]).fails(code);
        assert!(error.contains(&expected), "{error}");
        assert_eq!(tfxio(["load", &config]).fails(code), error);
    }
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let config = changed(&folder, "co2.json", "\"[:,1]\"", "\"[1:,1]\"");
    for args in [&["load", "--check", &config][..], &["load", &config, "--batches", "0"]] {
        let run = tfxio(args);
        assert_eq!(run.code, 0, "{}", run.err);
        let expected = "the slice [1:,1] is taken of each record, before windows are cut";
        assert!(
            run.err.starts_with(&format!("warning: {config}, line ")) && run.err.contains(expected),
            "{}",
            run.err
        );
    }
    let run = tfxio(["load", "--check", "fixtures/loader/co2.json"]);
    assert_eq!(run.err, "");
}

#[test]
fn skipped_data_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let fixtures = root().join("fixtures/digits");
    std::fs::copy(fixtures.join("__manifest__.json"), data.join("__manifest__.json")).unwrap();
    let file = data.join("digits.tfrecord");
    std::fs::copy(fixtures.join("digits-00000-of-00003.tfrecord"), &file).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let config = |more: &str| {
        let new = format!("\"data_dir\": \"data\"}}}}, {more}");
        changed(&folder, "digits.json", "\"data_dir\": \"../digits\"}},", &format!("{new},"))
    };
    let args = ["--batches", "1000"];
    let run = tfxio(["load", &config("\"on_error\": \"skip\"")].iter().chain(&args));
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\n1 damaged ranges skipped\n1 records known to be in them\n"), "{}", run.out);
    let range = "bytes 0 to ";
    assert!(
        run.err.contains(range) && run.err.contains("1 record skipped (checksum of the payload)"),
        "{}",
        run.err
    );
    assert!(run.err.ends_with("skipped 1 damaged range: 1 record, 332 bytes\n"), "{}", run.err);
    // The old name of the key, and a budget.
    let run = tfxio(["load", "--json", &config("\"on_corrupt\": \"skip\""), "--batches", "1000"]);
    let figures = json_lines(&run.out).pop().unwrap();
    assert_eq!((&figures["ranges_skipped"], &figures["records_skipped"]), (&json!(1), &json!(1)));
    assert!(figures["bytes_skipped"].as_u64().unwrap() > 64, "{figures}");
    // The command says so too.
    let plain = config("\"seed\": 1");
    assert_eq!(tfxio(["load", &plain, "--on-error", "skip"].iter().chain(&args)).code, 0);
    for limit in [["--max-skipped", "0"], ["--max-skipped-bytes", "9"]] {
        let error = tfxio(["load", &plain, "--on-error", "skip"].iter().chain(&limit)).code_and_error(1);
        assert!(error.contains("and the budget allows"), "{error}");
        let error = tfxio(["load", &plain].iter().chain(&limit)).fails(2);
        assert!(error.ends_with("are for --on-error skip, which is not given"), "{error}");
    }
    // What goes on from its end has nothing left, which the damage before is not to blame for.
    let state = folder.path().join("end.state").to_str().unwrap().to_owned();
    let ended = ["load", &plain, "--on-error", "skip", "--batches", "1000"];
    assert_eq!(tfxio(ended.iter().chain(&["--save-state", &state])).code, 0);
    let run = tfxio(ended.iter().chain(&["--state", &state]));
    assert_eq!(run.code, 0, "{}", run.err);
    let rest = std::fs::read(&file).unwrap();
    std::fs::write(&file, &rest[..100]).unwrap();
    let error = tfxio(["load", &plain, "--on-error", "skip"]).code_and_error(1);
    assert!(error.ends_with("error: everything was damaged and skipped: there is no record\n"), "{error}");
    std::fs::write(&file, rest).unwrap();
    for budget in ["{\"ranges\": 0}", "{\"bytes\": 9}", "{\"share\": 0.0001}"] {
        let config = config(&format!("\"on_error\": \"skip\", \"error_budget\": {budget}"));
        let error = tfxio(["load", &config].iter().chain(&args)).code_and_error(1);
        assert!(error.contains("and the budget allows"), "{budget}: {error}");
        assert!(error.contains("or allow more in `error_budget`"), "{budget}: {error}");
    }
}

#[test]
fn files_that_are_no_configurations() {
    let records = "fixtures/digits/digits-00000-of-00003.tfrecord";
    assert_eq!(
        tfxio(["load", records]).fails(2),
        format!(
            "error: {records}: this is not a text, so it is not a configuration; give the JSON file of the configuration, \
             not one of the files with records"
        )
    );
    assert_eq!(
        tfxio(["load", "fixtures/digits"]).fails(3),
        "error: fixtures/digits: this is a directory and not a configuration; give the JSON file of the configuration"
    );
}

/// A message contains a record's position once.
#[test]
fn positions_are_said_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let (from, to) = (root().join("fixtures/digits"), folder.path().join("data"));
    let manifest = std::fs::read_to_string(from.join("__manifest__.json")).unwrap();
    assert!(manifest.contains("[64]"), "{manifest}");
    std::fs::write(to.join("__manifest__.json"), manifest.replace("[64]", "[32, 2, 2]")).unwrap();
    let name = "first.tfrecord";
    std::fs::copy(from.join("digits-00000-of-00003.tfrecord"), to.join(name)).unwrap();
    let config = changed(&folder, "digits.json", "../digits", "data");
    let config_text = std::fs::read_to_string(&config).unwrap().replace("[8, 8]", "[128]");
    std::fs::write(&config, config_text).unwrap();
    let error = tfxio(["load", &config]).code_and_error(1);
    assert_eq!((error.matches(name).count(), error.matches("record 0").count()), (1, 1), "{error}");
}

#[test]
fn a_state_is_saved_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let load = |state: &str| tfxio(["load", DIGITS, "--seed", "7", "--batches", "1", "--save-state", state]);
    let state = path(&folder, "state.json");
    assert_eq!(load(&state).code, 0);
    let before = std::fs::read(&state).unwrap();
    // Another name of the file keeps what was there: a new file takes the place of the old one.
    let link = path(&folder, "link.json");
    std::fs::hard_link(&state, &link).unwrap();
    let more = ["load", DIGITS, "--seed", "7", "--batches", "2", "--save-state", &state];
    assert_eq!(tfxio(more).code, 0);
    assert_ne!(std::fs::read(&state).unwrap(), before);
    assert_eq!(std::fs::read(&link).unwrap(), before);
    assert_eq!(crate::run::names(&folder), ["link.json", "state.json"]);

    let error = load(&path(&folder, "no/state.json")).code_and_error(3);
    assert!(
        error.contains("no/state.json") && error.contains("does not exist; make the directory first"),
        "{error}"
    );
    let error = load(folder.path().to_str().unwrap()).code_and_error(3);
    assert!(error.ends_with("this is a directory; give the name of a file in it\n"), "{error}");
    if cfg!(target_os = "linux") {
        let error = load("/dev/full").code_and_error(3);
        assert!(error.contains("/dev/full: writing failed: no space is left"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let error = tfxio(["load", DIGITS, "--state", "/dev/zero"]).fails(1);
    assert_eq!(
        error,
        "error: /dev/zero: the state has more than 64 MiB; check that this is the file of a state"
    );
    let folder = tempfile::tempdir().unwrap();
    let data_set = r#"{"type": "dir", "args": {"data_dir": "../digits"}}"#;
    let listed = r#"{"type": "list", "args": {"manifest_file": "../digits/__manifest__.json", "list_file": "/dev/zero"}}"#;
    let config = changed(&folder, "digits.json", data_set, listed);
    let error = tfxio(["load", "--check", &config]).fails(1);
    assert!(
        error.contains("`dataset.args.list_file`: the list of files /dev/zero has more than 67108864 bytes"),
        "{error}"
    );
}

impl Run {
    /// The complaint of a run that may have shown something before.
    #[track_caller]
    fn code_and_error(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }
}
