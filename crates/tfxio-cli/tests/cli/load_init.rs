//! `tfxio load --init`: what it writes loads at once, and nothing is replaced.

use std::fs;

use serde_json::Value;

use crate::run::{Run, json_lines, names, path, root, tfxio};

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

#[test]
fn a_folder_gets_a_manifest_and_a_configuration() {
    for fixture in ["digits", "digits-gzip", "digits-zlib"] {
        let folder = copied(fixture);
        let Run { code, out, err } = tfxio(["load", "--init", folder.path().to_str().unwrap()]);
        let expected = ["loader.json", "__manifest__.json"].map(|name| path(&folder, name)).join("\n");
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.starts_with(&expected), "{out}");
        assert!(out.contains("Choose which tensors are --inputs and which --targets"), "{out}");
        assert!(out.ends_with(&format!("\nNext: tfxio load {}\n", path(&folder, "loader.json"))), "{out}");
        let tensors = loads(&path(&folder, "loader.json"));
        let names = tensors.iter().map(|(name, _)| &**name).collect::<Vec<_>>();
        assert!(names.contains(&"image") && names.contains(&"label"), "{names:?}");
        let label = &tensors.iter().find(|(name, _)| name == "label").unwrap().1;
        assert_eq!(*label, serde_json::json!([32]));
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
    tfxio(["load", "--init", &parquet]).ok();
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
