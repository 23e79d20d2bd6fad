//! Finding files, and what is wrong with data sets that have none.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Files, is_url};
use crate::config::DatasetSource;
use crate::{Kind, Result};

fn directory(files: &[&str]) -> TempDir {
    let top = tempfile::tempdir().unwrap();
    for file in files {
        let path = top.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    top
}

fn find_dir(data_dir: impl Into<PathBuf>, base: Option<&Path>) -> Result<Files> {
    Files::find(&DatasetSource::Dir { data_dir: data_dir.into() }, base, None)
}

fn find_list(base: &Path, manifest: &str, list: &str) -> Result<Files> {
    let dataset = DatasetSource::List { manifest_file: manifest.into(), list_file: list.into() };
    Files::find(&dataset, Some(base), None)
}

/// The names below a directory, as found.
fn names(files: &Files, top: &Path) -> Vec<String> {
    let below = |file: &str| Path::new(file).strip_prefix(top).unwrap().to_str().unwrap().to_owned();
    files.files.iter().map(|file| below(file)).collect()
}

fn check(found: Result<Files>, top: &Path, kind: Kind, text: &str) {
    let error = found.unwrap_err();
    let ours = error.to_string().replace(top.to_str().unwrap(), "TOP");
    assert_eq!((error.detail(), ours.as_str()), (Some(&kind), text));
}

#[test]
fn a_directory_is_read_to_the_bottom_and_sorted_by_whole_paths() {
    let wanted = [
        ".tfrecords",
        "1.tfrecords",
        "10.TFRecords",
        "2.tfrecord",
        "sub-x/a.tfrecords",
        "sub.tfrecords",
        "sub/.hidden.TFRECORD",
        "sub/deep/a.b.tfrecords",
    ];
    let others = ["__manifest__.json", "sub/__manifest__.json", "a.tfrecords.gz", "tfrecords", "notes.txt"];
    let top = directory(&[&wanted[..], &others[..]].concat());
    let files = find_dir(top.path(), None).unwrap();
    assert_eq!(names(&files, top.path()), wanted);
    assert_eq!(Path::new(&*files.manifest), top.path().join("__manifest__.json"));

    let base = top.path().parent().unwrap();
    let name = top.path().file_name().unwrap();
    assert_eq!(find_dir(name, Some(base)).unwrap(), files);
    assert_eq!(find_dir(top.path(), Some(Path::new("/elsewhere"))).unwrap(), files);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_each_directory_is_read_once() {
    use std::os::unix::fs::symlink;

    let elsewhere = directory(&["deep/x.tfrecord", "deep/notes"]);
    let top = directory(&["__manifest__.json", "a/a.tfrecord", "b/b.tfrecord"]);
    let at = |name: &str| top.path().join(name);
    symlink(top.path(), at("a/loop")).unwrap();
    symlink("../b", at("a/to_b")).unwrap();
    symlink("../a", at("b/to_a")).unwrap();
    symlink(elsewhere.path(), at("link")).unwrap();
    symlink(elsewhere.path().join("deep"), at("other_link")).unwrap();
    symlink("a/a.tfrecord", at("again.tfrecord")).unwrap();
    symlink("nowhere", at("broken.tfrecord")).unwrap();
    let files = find_dir(top.path(), None).unwrap();
    let wanted =
        ["a/a.tfrecord", "again.tfrecord", "b/b.tfrecord", "broken.tfrecord", "link/deep/x.tfrecord"];
    assert_eq!(names(&files, top.path()), wanted);
}

#[test]
fn a_list_keeps_its_order() {
    let top = directory(&["m.json"]);
    let list = "\u{feff}b.bin\r\n\n  a.tfrecord \ngs://bucket/c d\n/abs/d\nb.bin";
    fs::write(top.path().join("l.txt"), list).unwrap();
    let files = find_list(top.path(), "m.json", "l.txt").unwrap();
    let at = |name: &str| top.path().join(name).to_str().unwrap().to_owned();
    let wanted = [at("b.bin"), at("a.tfrecord"), "gs://bucket/c d".into(), "/abs/d".into(), at("b.bin")];
    assert_eq!(files.files.iter().map(|file| &**file).collect::<Vec<_>>(), wanted);
    assert_eq!(Path::new(&*files.manifest), top.path().join("m.json"));
}

#[test]
fn what_is_no_data_set_says_why() {
    use Kind::{InvalidValue, NotFound};

    let top = directory(&["empty/x", "other/a.txt", "other/b.json", "lost/a.tfrecord", "m.json", "none.txt"]);
    fs::create_dir(top.path().join("void")).unwrap();
    fs::write(top.path().join("none.txt"), " \n\n").unwrap();
    fs::write(top.path().join("latin.txt"), b"a\n\xe4\n").unwrap();
    fs::write(top.path().join("l.txt"), "a").unwrap();
    let check = |found, kind, text| check(found, top.path(), kind, text);
    let dir = |name: &str| find_dir(name, Some(top.path()));
    let list = |manifest: &str, list: &str| find_list(top.path(), manifest, list);
    check(dir("gone"), NotFound, "`dataset.args.data_dir`: the directory TOP/gone does not exist");
    check(
        dir("m.json"),
        InvalidValue,
        "`dataset.args.data_dir`: TOP/m.json is not a directory; give the directory that holds the files",
    );
    check(
        dir("void"),
        InvalidValue,
        "`dataset.args.data_dir`: there is no file with an extension .tfrecords or .tfrecord in TOP/void; \
         nor is there any other file",
    );
    check(
        dir("other"),
        InvalidValue,
        "`dataset.args.data_dir`: there is no file with an extension .tfrecords or .tfrecord in TOP/other; \
         a data set of type \"list\" takes files of other names, of which there are 2",
    );
    check(
        dir("lost"),
        NotFound,
        "`dataset.args.data_dir`: the manifest TOP/lost/__manifest__.json does not exist",
    );
    check(
        dir("gs://bucket/data"),
        InvalidValue,
        "`dataset.args.data_dir`: \"gs://bucket/data\": this is a URL, and the loader was given no store; \
         give a path on this machine, or a store that knows such URLs: `LoaderBuilder::store`",
    );
    check(
        dir("*.tfrecord"),
        NotFound,
        "`dataset.args.data_dir`: the directory TOP/*.tfrecord does not exist; patterns are not expanded: give the \
         directory, or list the files and take a data set of type \"list\"",
    );
    check(
        list("m.json", "gone"),
        NotFound,
        "`dataset.args.list_file`: the list of files TOP/gone does not exist",
    );
    check(
        list("m.json", "none.txt"),
        InvalidValue,
        "`dataset.args.list_file`: the list of files TOP/none.txt names none; give one path or URL a line",
    );
    check(
        list("m.json", "latin.txt"),
        InvalidValue,
        "TOP/latin.txt, line 2, `dataset.args.list_file`: this is not UTF-8; save it as UTF-8",
    );
    check(
        list("m.json", "s3://b/l.txt"),
        InvalidValue,
        "`dataset.args.list_file`: \"s3://b/l.txt\": this is a URL, and the loader was given no store; \
         give a path on this machine, or a store that knows such URLs: `LoaderBuilder::store`",
    );
    check(
        list("gone", "l.txt"),
        NotFound,
        "`dataset.args.manifest_file`: the manifest TOP/gone does not exist",
    );
    let error = list("https://h/m.json", "l.txt").unwrap().manifest(None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`dataset.args.manifest_file`: \"https://h/m.json\": this is a URL, and the loader was given no store; \
         give a path on this machine, or a store that knows such URLs: `LoaderBuilder::store`"
    );
    let error = list("void", "l.txt").unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Io));
    let ours = error.to_string().replace(top.path().to_str().unwrap(), "TOP");
    assert_eq!(ours, "`dataset.args.manifest_file`: the manifest TOP/void cannot be read");
}

#[test]
fn urls_are_told_from_paths() {
    for name in ["gs://b/o", "s3+https://b", "file:///a"] {
        assert!(is_url(name), "{name}");
    }
    for name in ["a/b", "/a://b", "://b", "1s://b", "a b://c", "C:\\data", ""] {
        assert!(!is_url(name), "{name}");
    }
}

#[test]
fn folders_that_lack_shards_are_refused() {
    let names = |shards: &[(u32, u32)]| {
        shards.iter().map(|(index, count)| format!("x-{index:05}-of-{count:05}.tfrecord")).collect::<Vec<_>>()
    };
    let made = |shards: &[(u32, u32)]| {
        let names = names(shards);
        let names = names.iter().map(String::as_str).chain(["__manifest__.json"]).collect::<Vec<_>>();
        directory(&names)
    };
    let whole = made(&[(0, 2), (1, 2)]);
    assert_eq!(find_dir(whole.path(), None).unwrap().files.len(), 2);
    let lacking = made(&[(0, 2)]);
    check(
        find_dir(lacking.path(), None),
        lacking.path(),
        Kind::NotFound,
        "`dataset.args.data_dir`: 1 of 2 shards is missing: TOP/x-00001-of-00002.tfrecord; the set was not written or copied \
         completely; to load what there is, list the files and take a data set of type \"list\"",
    );
    let mixed = made(&[(0, 1), (0, 2), (1, 2)]);
    let sets = "TOP/x-*-of-00001.tfrecord and TOP/x-*-of-00002.tfrecord";
    let said =
        format!("there are shards of several sets of one name, {sets}; every record would be read twice; ");
    check(
        find_dir(mixed.path(), None),
        mixed.path(),
        Kind::InvalidValue,
        &format!(
            "`dataset.args.data_dir`: {said}remove the files of an earlier run, or list those of one set"
        ),
    );
    // What is listed is meant, but not twice.
    let list = |shards: &[(u32, u32)]| {
        fs::write(lacking.path().join("list"), names(shards).join("\n")).unwrap();
        find_list(lacking.path(), "__manifest__.json", "list")
    };
    assert_eq!(list(&[(0, 2)]).unwrap().files.len(), 1);
    check(
        list(&[(0, 2), (1, 2), (0, 1)]),
        lacking.path(),
        Kind::InvalidValue,
        &format!(
            "`dataset.args.list_file`: {said}remove the files of an earlier run, or list those of one set"
        ),
    );
}
