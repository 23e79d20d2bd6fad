//! Directories as inputs.

use std::fs;
use std::path::Path;

use crate::run::{Run, json_lines, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";

/// Copies a fixture to a name in the folder, whose directories are made.
fn copy(fixture: &str, folder: &tempfile::TempDir, name: &str) {
    let to = folder.path().join(name);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(root().join("fixtures").join(fixture), to).unwrap();
}

fn shard(number: u8) -> String {
    format!("digits/digits-0000{number}-of-00003.tfrecord")
}

/// Copies the digits, with other files beside the data.
fn digits(folder: &tempfile::TempDir) -> String {
    for number in 0..3 {
        copy(&shard(number), folder, &format!("data/{}", shard(number)));
    }
    copy("digits/__manifest__.json", folder, "data/digits/__manifest__.json");
    for name in
        ["_SUCCESS", ".hidden.tfrecord", "digits/a.tfrecord.idx", "_temporary/part.tfrecord", ".git/config"]
    {
        let path = folder.path().join("data").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "no data").unwrap();
    }
    path(folder, "data")
}

#[test]
fn a_directory_stands_for_the_files_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = digits(&folder);
    for name in [data.clone(), format!("{data}/"), format!("{data}/digits")] {
        for args in [
            &["head", "-n", "3", "--skip", "700", "--format", "json"][..],
            &["tail", "-n", "2", "--format", "json"],
            &["sample", "-n", "3", "--seed", "1", "--format", "json"],
            &["schema", "--format", "pbtxt"],
        ] {
            let run = |input: &str| tfxio(args.iter().copied().chain([input])).ok();
            assert_eq!(run(&name), run(DIGITS), "{args:?} {name}");
        }
    }
    let files = json_lines(&tfxio(["inspect", "--json", &data]).ok());
    let files = files.iter().map(|file| file["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(files, (0..3).map(|number| format!("{data}/{}", shard(number))).collect::<Vec<_>>());
    // An index beside each, which the next command uses and does not read as data.
    tfxio(["index", &data]).ok();
    assert!(Path::new(&format!("{}.tfxi", files[0])).exists());
    let verified = tfxio(["verify", &data]).ok();
    assert_eq!(verified.matches("tfrecord      599  ok").count(), 3, "{verified}");
    let output = path(&folder, "all.parquet");
    tfxio(["convert", &data, &output]).ok();
    assert_eq!(tfxio(["tail", &output, "-n", "1", "--columns", "id"]).ok().matches("digit-1796").count(), 1);
    assert!(tfxio(["show", &format!("{data}@1796"), "--columns", "id"]).ok().contains("digit-1796"));
}

#[test]
fn what_is_left_out_and_what_names_say_is_said() {
    let folder = tempfile::tempdir().unwrap();
    copy(&shard(0), &folder, "data/year=2024/month=1/a.tfrecord");
    copy(&shard(1), &folder, "data/year=2024/month=2/a.tfrecord");
    let data = path(&folder, "data");
    let keys = format!("note: {data}: the names of its directories say year, month, which no column holds\n");
    let Run { code, out, err } = tfxio(["head", &data, "-n", "1", "--columns", "id"]);
    assert_eq!((code, err), (0, keys.clone()));
    assert!(out.contains("digit-0000"), "{out}");
    fs::write(folder.path().join("data/README.md"), "# Digits").unwrap();
    let left_out = format!("note: {data}: 1 file is left out, whose name says no format: README.md\n");
    let Run { code, err, .. } = tfxio(["schema", &data]);
    assert_eq!((code, err), (0, format!("{left_out}{keys}")));
    for number in 0..6 {
        fs::write(folder.path().join(format!("data/{number}.txt")), "text").unwrap();
    }
    let output = path(&folder, "o.avro");
    let Run { code, err, .. } = tfxio(["convert", &data, &output]);
    let left_out = format!(
        "note: {data}: 7 files are left out, whose names say no format: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more\n"
    );
    assert_eq!((code, err), (0, format!("{left_out}{keys}")));
    // Where no name says a format, all files are data.
    let plain = path(&folder, "plain");
    for number in 0..2 {
        copy(&shard(number), &folder, &format!("plain/part-{number}"));
    }
    assert!(tfxio(["tail", &plain, "-n", "1", "--columns", "id"]).ok().contains("digit-1197"));
}

#[test]
fn the_files_of_a_directory_have_one_format() {
    let folder = tempfile::tempdir().unwrap();
    copy(&shard(0), &folder, "data/b.tfrecord");
    let data = path(&folder, "data");
    let people = [("name,age\nAda,36\n", "c.csv"), ("{\"name\": \"Ada\"}\n", "a.jsonl")];
    for (text, name) in people {
        fs::write(folder.path().join("data").join(name), text).unwrap();
        let (first, other, [format, of_other]) = match name {
            "c.csv" => ("b.tfrecord", "c.csv", ["tfrecord", "csv"]),
            _ => ("a.jsonl", "b.tfrecord", ["jsonl", "tfrecord"]),
        };
        let expected = |verb: &str| {
            format!(
                "error: {data}/{other}: the format of the file is {of_other}, and that of {data}/{first} is {format}; {verb} \
                 the files of each format by themselves"
            )
        };
        assert_eq!(tfxio(["head", &data]).fails(2), expected("open"));
        assert_eq!(tfxio(["convert", &data, &path(&folder, "o.avro")]).fails(2), expected("convert"));
    }
    // The format that is stated is that of some of them.
    let Run { code, out, err } = tfxio(["head", &data, "--as", "csv"]);
    assert_eq!(
        (code, err),
        (0, format!("note: {data}: 2 files are left out, whose names do not say csv: a.jsonl, b.tfrecord\n"))
    );
    assert!(out.contains("Ada"), "{out}");
}

#[test]
fn a_directory_without_data() {
    let folder = tempfile::tempdir().unwrap();
    let empty = path(&folder, "empty");
    fs::create_dir(&empty).unwrap();
    let expected = format!(
        "error: {empty}: there is no file of data in this directory or below it; files and directories whose names begin with . \
         or _, and indexes, are no data; name such a file to read it"
    );
    assert_eq!(tfxio(["head", &empty]).fails(3), expected);
    copy("digits/__manifest__.json", &folder, "empty/__manifest__.json");
    fs::write(folder.path().join("empty/_SUCCESS"), "").unwrap();
    assert_eq!(tfxio(["inspect", &empty]).fails(3), expected);
    assert_eq!(tfxio(["convert", &empty, &path(&folder, "o.avro")]).fails(3), expected);
    let missing = path(&folder, "no/");
    let error = tfxio(["head", &missing]).fails(3);
    assert!(error.contains("no such file"), "{error}");
    // A directory is not an output.
    let error = tfxio(["convert", &shard(0), &empty]);
    assert_ne!(error.code, 0);
}

#[cfg(unix)]
#[test]
fn links_may_lead_in_circles() {
    let folder = tempfile::tempdir().unwrap();
    copy(&shard(0), &folder, "data/a/one.tfrecord");
    let data = path(&folder, "data");
    std::os::unix::fs::symlink(&data, folder.path().join("data/a/again")).unwrap();
    copy(&shard(1), &folder, "elsewhere/two.tfrecord");
    std::os::unix::fs::symlink("../elsewhere", folder.path().join("data/b")).unwrap();
    let files = json_lines(&tfxio(["inspect", "--json", &data]).ok());
    let files = files.iter().map(|file| file["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(files, ["a/one.tfrecord", "b/two.tfrecord"].map(|name| format!("{data}/{name}")));
}

#[test]
fn shards_of_two_sets_are_refused_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let set = |count: u8| path(&folder, &format!("s/x@{count}.tfrecord"));
    fs::create_dir(folder.path().join("s")).unwrap();
    tfxio(["convert", DIGITS, &set(4)]).ok();
    let Run { code, err, .. } = tfxio(["convert", DIGITS, &set(2)]);
    let said = "there are files of a set of 4 shards of this name, which stay beside what is written; a folder or pattern with \
                both is refused when it is read; remove them if they are of an earlier run";
    assert_eq!((code, err), (0, format!("note: {}: {said}\n", set(2))));
    let s = path(&folder, "s");
    let wide = format!("{s}/*.tfrecord");
    let all = fs::read_dir(&s).unwrap().map(|entry| entry.unwrap().path().display().to_string());
    let all = all.collect::<Vec<_>>();
    let sets = format!("{s}/x-*-of-00002.tfrecord and {s}/x-*-of-00004.tfrecord");
    let said = format!(
        "there are shards of several sets of one name, {sets}; every record would be read twice; name one set"
    );
    let output = path(&folder, "all.avro");
    for inputs in [&[s.clone()][..], &[wide], &all] {
        for (before, after) in [
            (&["stats"][..], &[][..]),
            (&["head"], &[]),
            (&["tail"], &[]),
            (&["sample"], &[]),
            (&["schema"], &[]),
            (&["tensors"], &["--features", "fixtures/avro/people.json"]),
            (&["inspect"], &[]),
            (&["verify"], &[]),
            (&["load", "--init"], &[output.as_str()]),
            (&["convert"], &[output.as_str()]),
        ] {
            let args =
                before.iter().copied().chain(inputs.iter().map(String::as_str)).chain(after.iter().copied());
            let Run { code, err, .. } = tfxio(args);
            // Those that look at each file by itself take each that is named.
            if matches!(before[0], "load" | "inspect" | "verify") && inputs.len() > 1 {
                continue;
            }
            assert!(code != 0 && err.contains(&said), "{before:?} {inputs:?}: {code} {err}");
        }
    }
    if cfg!(feature = "sql") {
        let Run { code, err, .. } = tfxio(["sql", &format!("select count(*) from '{s}'")]);
        assert!(code != 0 && err.contains(&said), "{code} {err}");
    }
    assert!(tfxio(["stats", &set(2)]).ok().contains("1,797 records"));
}

#[test]
fn missing_shards_are_said_and_loaders_refuse() {
    let folder = tempfile::tempdir().unwrap();
    for number in [0, 2] {
        copy(&shard(number), &folder, &format!("data/{}", shard(number)));
    }
    let data = path(&folder, "data");
    let missing = format!("1 of 3 shards is missing: {data}/{}", shard(1));
    for input in [data.clone(), format!("{data}/**/*.tfrecord")] {
        for args in [&["stats"][..], &["head", "-n", "1"], &["schema"], &["inspect"], &["verify"]] {
            let Run { code, err, .. } = tfxio(args.iter().copied().chain([&*input]));
            assert_eq!((code, err), (0, format!("note: {missing}\n")), "{args:?}");
        }
        let help = "the set was not written or copied completely; to take the files for all there are, set --missing-shards to \
                    allow";
        let config = path(&folder, "run.json");
        let refused = tfxio(["load", "--init", &input, &config]);
        assert!(refused.code == 3 && refused.err.contains(&format!("{missing}; {help}")), "{}", refused.err);
        let refused = tfxio(["head", &input, "--missing-shards", "error"]).fails(3);
        assert_eq!(refused, format!("error: {missing}; {help}"));
        let allowed = tfxio(["head", &input, "-n", "1", "--missing-shards", "allow"]);
        assert_eq!((allowed.code, &*allowed.err), (0, ""));
        let output = path(&folder, "all.avro");
        let converted = tfxio(["convert", &input, &output, "--missing-shards", "error"]).fails(3);
        assert_eq!(converted, format!("error: {missing}; {help}"));
    }
}
