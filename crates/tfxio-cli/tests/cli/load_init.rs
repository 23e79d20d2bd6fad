//! `tfxio load --init`: what it writes loads at once, and nothing is replaced.

use std::fs;

use serde_json::Value;

use crate::run::{Run, command, json_lines, names, path, root, tfxio};

/// Copies the TFRecord files of a fixture.
fn copied(fixture: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("fixtures").join(fixture)).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|end| end == "tfrecord") {
            fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
        }
    }
    folder
}

/// Loads the first batch with a configuration, and returns its tensors with their shapes.
#[track_caller]
fn loads(config: &str) -> Vec<(String, Value)> {
    assert!(tfxio(["load", "--check", config]).ok().ends_with("all is well\n"));
    let lines = json_lines(&tfxio(["load", "--json", "--batches", "1", config]).ok());
    let inputs = lines[0]["inputs"].as_object().unwrap();
    inputs.iter().map(|(name, tensor)| (name.clone(), tensor["shape"].clone())).collect()
}

/// Runs the command in a folder.
fn run_in(folder: &tempfile::TempDir, args: &[&str]) -> Run {
    let output = command().args(args).current_dir(folder.path()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_folder_gets_a_manifest_where_the_configuration_is_to_lie_in_it() {
    for fixture in ["digits", "digits-gzip", "digits-zlib"] {
        let folder = copied(fixture);
        let config = path(&folder, "loader.json");
        let Run { code, out, err } = tfxio(["load", "--init", folder.path().to_str().unwrap(), &config]);
        let expected = ["loader.json", "__manifest__.json"].map(|name| path(&folder, name)).join("\n");
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.starts_with(&expected), "{out}");
        assert!(out.contains("Choose which tensors are --inputs and which --targets"), "{out}");
        assert!(out.ends_with(&format!("\nNext: tfxio load {config}\n")), "{out}");
        let tensors = loads(&config);
        let names = tensors.iter().map(|(name, _)| &**name).collect::<Vec<_>>();
        assert!(names.contains(&"image") && names.contains(&"label"), "{names:?}");
        let label = &tensors.iter().find(|(name, _)| name == "label").unwrap().1;
        assert_eq!(*label, serde_json::json!([32]));
    }
}

#[test]
fn nothing_is_written_among_the_data_unasked() {
    let (folder, here) = (copied("digits"), tempfile::tempdir().unwrap());
    let before = names(&folder);
    let run = run_in(&here, &["load", "--init", folder.path().to_str().unwrap()]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.starts_with("loader.json\nloader.manifest.json\nloader.files.txt\n"), "{}", run.out);
    assert_eq!(names(&folder), before);
    assert_eq!(names(&here), ["loader.files.txt", "loader.json", "loader.manifest.json"]);
    assert!(tensors(&path(&here, "loader.json")).contains(&"label".to_owned()));
    // Whoever stands among the data, or below them, says the name.
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    for (at, data) in
        [("", "."), ("", "digits-0*.tfrecord"), ("inner", ".."), ("", "digits-00000-of-00003.tfrecord")]
    {
        let output =
            command().args(["load", "--init", data]).current_dir(folder.path().join(at)).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{said}");
        let quoted = if data.contains('*') { format!("'{data}'") } else { data.to_owned() };
        assert!(said.contains(&format!("tfxio load --init {quoted} ./loader.json")), "{said}");
    }
    fs::remove_dir(inner).unwrap();
    assert_eq!(names(&folder), before);
    let run = run_in(&folder, &["load", "--init", ".", "./loader.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(names(&folder).contains(&"__manifest__.json".to_owned()));
}

#[test]
fn what_it_advises_can_be_done() {
    let (folder, here) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // Some rows lack w, so that it has a default, and x has any number of values.
    let rows = (0..40).map(|n| {
        let w = if n % 2 == 0 { ", \"w\": [0.5]" } else { "" };
        format!("{{\"x\": {:?}, \"label\": [{n}], \"pair\": [1, {n}]{w}}}\n", vec![7; n % 5])
    });
    let jsonl = path(&folder, "a.jsonl");
    fs::write(&jsonl, rows.collect::<String>()).unwrap();
    for ending in ["tfrecord", "parquet", "avro", "jsonl"] {
        let data = path(&folder, &format!("data.{ending}"));
        tfxio(["convert", &jsonl, &data]);
        let config = path(&here, &format!("{ending}.json"));
        let run = tfxio(["load", "--init", &data, &config]);
        assert_eq!(run.code, 0, "{ending}: {}", run.err);
        let shapes = loads(&config).into_iter().collect::<std::collections::HashMap<_, _>>();
        assert_eq!(shapes["x"], serde_json::json!([32, 4]), "{ending}");
        if ending == "tfrecord" {
            let expected = "note: features have different numbers of values in these records, which a manifest cannot say";
            assert!(run.err.starts_with(expected) && run.err.contains("tfrecord.spec.json"), "{}", run.err);
            assert!(!run.err.contains("left out"), "{}", run.err);
            assert_eq!(shapes["label"], serde_json::json!([32]));
            assert_eq!(shapes["pair"], serde_json::json!([32, 2]));
            assert_eq!(shapes["w"], serde_json::json!([32]));
        }
        for (names, left_out) in [
            (&["--inputs", "x", "--targets", "label"][..], &["pair", "w"][..]),
            (&["--inputs", "w"], &["x", "label", "pair"]),
            (&["--targets", "pair,label"], &["x", "w"]),
        ] {
            let run = tfxio(["load", &config, "--batches", "1", "--json"].iter().chain(names));
            assert_eq!(run.code, 0, "{ending} {names:?}: {}", run.err);
            let note = "note: not loaded, as neither --inputs nor --targets names it: ";
            let said = run.err.trim_end().strip_prefix(note).unwrap_or_else(|| panic!("{}", run.err));
            let mut said = said.split(", ").map(|name| name.trim_matches('"')).collect::<Vec<_>>();
            said.sort_unstable();
            let mut left_out = left_out.to_vec();
            left_out.sort_unstable();
            assert_eq!(said, left_out, "{ending} {names:?}");
            let batch = &json_lines(&run.out)[0];
            assert!(
                left_out
                    .iter()
                    .all(|name| batch["inputs"][name].is_null() && batch["targets"][name].is_null())
            );
        }
        let error = tfxio(["load", &config, "--inputs", "labl"]);
        assert!(error.code == 2 && error.err.contains("did you mean \"label\"?"), "{}", error.err);
    }
}

#[cfg(unix)]
#[test]
fn the_next_command_is_one_for_a_shell() {
    let folder = copied("digits");
    let config = path(&folder, "it's a run.json");
    let run = tfxio(["load", "--init", folder.path().to_str().unwrap(), &config]);
    let next = run.out.lines().last().unwrap().strip_prefix("Next: tfxio ").unwrap();
    let command = format!("{} {next} --check", env!("CARGO_BIN_EXE_tfxio"));
    let done = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(done.status.success() && done.stdout.ends_with(b"all is well\n"), "{done:?}");
}

#[test]
fn files_get_a_list_too_where_the_configuration_is_wanted() {
    let (folder, elsewhere) = (copied("sonnets"), tempfile::tempdir().unwrap());
    let pattern = path(&folder, "sonnet-0*.tfrecord");
    let config = path(&elsewhere, "run.json");
    let Run { code, err, .. } = tfxio(["load", "--init", &pattern, &config]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(names(&elsewhere), ["run.files.txt", "run.json", "run.manifest.json"]);
    assert_eq!(fs::read_to_string(path(&elsewhere, "run.files.txt")).unwrap().lines().count(), 6);
    let tensors = loads(&config);
    assert!(tensors.iter().any(|(name, shape)| name == "tokens" && shape[0] == 32), "{tensors:?}");
    // What is there stays, whatever is asked.
    for file in ["run.json", "run.manifest.json", "run.files.txt"] {
        let kept = path(&elsewhere, file);
        fs::write(&kept, "mine").unwrap();
        let others =
            ["run.json", "run.manifest.json", "run.files.txt"].iter().filter(|other| **other != file);
        others.for_each(|other| _ = fs::remove_file(path(&elsewhere, other)));
        let error = tfxio(["load", "--init", &pattern, &config]).fails(2);
        assert!(error.contains(file) && error.contains("the file exists, and is not replaced"), "{error}");
        assert_eq!(fs::read_to_string(&kept).unwrap(), "mine");
        assert_eq!(names(&elsewhere), [file], "nothing else is written");
        fs::remove_file(&kept).unwrap();
    }
}

/// The names of the tensors of the first batch.
#[track_caller]
fn tensors(config: &str) -> Vec<String> {
    loads(config).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn what_is_written_for_every_format_loads_at_once() {
    let folder = copied("digits");
    let source = path(&folder, "digits-0*.tfrecord");
    for ending in [
        "tfrecord",
        "tfrecord.gz",
        "avro",
        "parquet",
        "arrow",
        "arrows",
        "jsonl",
        "jsonl.gz",
        "csv",
        "csv.gz",
    ] {
        let data = tempfile::tempdir().unwrap();
        for number in 0..2 {
            let file = path(&data, &format!("part-{number}.{ending}"));
            let columns: &[&str] =
                if ending.starts_with("csv") { &["--columns", "id,label", "--scalars"] } else { &[] };
            let args = ["convert", &source, &file, "-n", "100"];
            assert_eq!(tfxio(args.iter().chain(columns)).code, 0);
        }
        let one = path(&data, &format!("part-0.{ending}"));
        let glob = path(&data, &format!("part-*.{ending}"));
        let directory = path(&data, "");
        for (name, data) in [("one", one), ("glob", glob), ("directory", directory)] {
            let elsewhere = tempfile::tempdir().unwrap();
            let config = path(&elsewhere, &format!("{name}.json"));
            let Run { code, err, .. } = tfxio(["load", "--init", &data, &config]);
            assert_eq!((code, err.as_str()), (0, ""), "{data}");
            let tensors = tensors(&config);
            assert!(tensors.contains(&"label".to_owned()), "{data}: {tensors:?}");
            let run = tfxio(["load", &config, "--batches", "100", "--json"]).ok();
            let examples = json_lines(&run)
                .iter()
                .filter_map(|line| line["batch"].as_u64().and(line["examples"].as_u64()))
                .sum::<u64>();
            assert_eq!(examples, if name == "one" { 100 } else { 200 }, "{data}");
        }
    }
}

#[test]
fn what_stands_beside_the_data_is_found_from_there() {
    let folder = copied("digits");
    let file = path(&folder, "digits-00000-of-00003.tfrecord");
    let parquet = path(&folder, "digits.parquet");
    tfxio(["convert", &file, &parquet]).ok();
    tfxio(["load", "--init", &parquet, &path(&folder, "loader.json")]).ok();
    let spec: Value =
        serde_json::from_str(&fs::read_to_string(path(&folder, "loader.spec.json")).unwrap()).unwrap();
    assert_eq!((&spec["format"], &spec["files"][0]), (&"parquet".into(), &"digits.parquet".into()));
    let moved = tempfile::tempdir().unwrap();
    for name in ["loader.json", "loader.spec.json", "digits.parquet"] {
        fs::rename(path(&folder, name), path(&moved, name)).unwrap();
    }
    assert!(tensors(&path(&moved, "loader.json")).contains(&"image".to_owned()));
    fs::write(path(&moved, "loader.spec.json"), "{}").unwrap();
    let error = tfxio(["load", &path(&moved, "loader.json")]).fails(2);
    assert!(
        error.contains("loader.spec.json") && error.contains("this is not the description of a data set"),
        "{error}"
    );
    fs::remove_file(path(&moved, "loader.spec.json")).unwrap();
    let error = tfxio(["load", &path(&moved, "loader.json")]).fails(3);
    assert!(
        error.contains("loader.spec.json, `dataset.args.spec_file`: the description does not exist"),
        "{error}"
    );
}

#[test]
fn records_of_a_stated_format() {
    let folder = copied("digits");
    let (data, config) = (path(&folder, "digits-0*.tfrecord"), path(&folder, "raw.json"));
    tfxio(["load", "--init", &data, &config, "--as", "raw"]).ok();
    assert_eq!(tensors(&config), ["raw_record"]);
    let error = tfxio(["load", &config, "--as", "raw"]).fails(2);
    assert!(error.starts_with("error: --as and the options of formats say how --init opens data"), "{error}");
    let error = tfxio(["load", "--init", "fixtures/nothing/*.tfrecord"]);
    assert_ne!(error.code, 0);
}

#[test]
fn a_conversion_writes_a_manifest_of_its_output() {
    let folder = copied("digits");
    let (file, output) = (path(&folder, "digits-0*.tfrecord"), path(&folder, "all@2.tfrecord.gz"));
    let manifest = path(&folder, "all.json");
    tfxio(["convert", &file, &output, "--manifest", &manifest]).ok();
    let written: Value = serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    assert_eq!(written["compression"], "gzip");
    assert_eq!(written["features"].as_array().unwrap().len(), 3);
    let error = tfxio(["convert", &file, &output, "--manifest", &manifest]).fails(2);
    assert!(error.contains("all.json: the file exists, and is not replaced"), "{error}");
    let (parquet, other) = (path(&folder, "all.parquet"), path(&folder, "other.json"));
    // Of other formats a description stands for it.
    tfxio(["convert", &file, &parquet, "--manifest", &other]).ok();
    let written: Value = serde_json::from_str(&fs::read_to_string(&other).unwrap()).unwrap();
    assert_eq!((&written["format"], &written["files"][0]), (&"parquet".into(), &"all.parquet".into()));
    // The output itself is not replaced by its manifest, and a set of shards is found by the name that it has.
    let one = path(&folder, "one.tfrecord");
    let error = tfxio(["convert", &file, &one, "--manifest", &one]).fails(2);
    assert!(error.contains("one.tfrecord: the file exists, and is not replaced"), "{error}");
    assert!(tfxio(["head", &one, "--columns", "label"]).ok().contains("label"));
    let (two, manifest) = (path(&folder, "two.tfrecord"), path(&folder, "two.json"));
    tfxio(["convert", &file, &two, "--shards", "2", "--manifest", &manifest]).ok();
    assert!(fs::read_to_string(&manifest).unwrap().contains("label"));
}

#[test]
fn steps_of_any_number_of_values_get_a_description() {
    let data = tempfile::tempdir().unwrap();
    fs::copy(root().join("fixtures/tensors/sessions.tfrecord"), path(&data, "sessions.tfrecord")).unwrap();
    let config = path(&data, "run.json");
    let Run { code, err, .. } = tfxio(["load", "--init", &path(&data, "sessions.tfrecord"), &config]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("note: features have different numbers of values in these records"), "{err}");
    let spec: Value =
        serde_json::from_str(&fs::read_to_string(path(&data, "run.spec.json")).unwrap()).unwrap();
    assert_eq!(spec["options"]["records"], "sequence_example");
    let shapes =
        loads(&config).into_iter().map(|(name, shape)| format!("{name} {shape}")).collect::<Vec<_>>();
    assert_eq!(shapes, ["clicks [3,3,2]", "queries [3,2,2]", "user [3]"]);
    // Two of three records have no clicks, or no queries.
    let defaults = "note: some records lack \"clicks\"; choose its value among `defaults`";
    assert!(err.contains(defaults), "{err}");
}
