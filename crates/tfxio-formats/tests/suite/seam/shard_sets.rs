//! Sets of shards that folders and wide patterns hold: incomplete ones, and two of one name.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tfxio_convert::Conversion;
use tfxio_formats::tfxio_core::{
    Cancel, Dataset, Error, ErrorKind, Input, LocalStore, OutputFile, Result, Store,
};
use tfxio_formats::{MISSING_SHARDS, OpenOptions, SpecExt as _};

use crate::seam::test_files::{FileLayout, write};

/// Writes shards of sets of a number of them.
fn shards(folder: &Path, shards: &[(u32, u32)]) {
    for (index, count) in shards {
        write(folder, &format!("x-{index:05}-of-{count:05}.tfrecord"), FileLayout::Plain, 3);
    }
}

/// Opens names in a folder. Returns what was said, without the folder.
fn opened(folder: &Path, names: &[&str], missing: Option<&str>) -> (Result<Arc<dyn Dataset>>, Vec<String>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let (notes, shown) = (Arc::clone(&said), folder.display().to_string());
    let mut options = OpenOptions::new()
        .format("raw")
        .on_note(move |note| notes.lock().unwrap().push(note.replace(&shown, "DIR")));
    if let Some(missing) = missing {
        options = options.set(MISSING_SHARDS.key, missing).unwrap();
    }
    let names = names.iter().map(|name| folder.join(name).display().to_string()).collect::<Vec<_>>();
    let dataset = options.open(names);
    let said = std::mem::take(&mut *said.lock().unwrap());
    (dataset, said)
}

fn text(error: &Error, folder: &Path) -> String {
    error.to_string().replace(&folder.display().to_string(), "DIR")
}

const MISSING: &str = "1 of 4 shards is missing: DIR/x-00002-of-00004.tfrecord";
const HELP: &str = "; the set was not written or copied completely; to take the files for all there are, set the option \
                    missing_shards to allow";

#[test]
fn missing_shards_of_folders_and_wide_patterns_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shards(folder, &[(0, 4), (1, 4), (3, 4)]);
    for name in ["", "*", "*.tfrecord", "x-*", "x-*.tfrecord", "x-*-of-*", "x-0000[0-3]-of-*", "**/*"] {
        let (dataset, said) = opened(folder, &[name], None);
        let dataset = dataset.unwrap();
        assert_eq!(said, [MISSING], "{name}");
        assert_eq!(dataset.spec().unwrap().files.len(), 3);
        let error = dataset.check_complete().unwrap_err();
        assert_eq!((error.kind(), text(&error, folder)), (ErrorKind::NotFound, format!("{MISSING}{HELP}")));
        let (refused, said) = opened(folder, &[name], Some("error"));
        let error = refused.unwrap_err();
        assert_eq!((text(&error, folder), said.len()), (format!("{MISSING}{HELP}"), 0), "{name}");
        let (allowed, said) = opened(folder, &[name], Some("allow"));
        assert_eq!((allowed.unwrap().check_complete().is_ok(), said.len()), (true, 0), "{name}");
        assert!(opened(folder, &[name], Some("perhaps")).0.is_err());
    }
    // A description names files, and is opened as it is.
    let dataset = opened(folder, &[""], None).0.unwrap();
    assert!(dataset.spec().unwrap().open().unwrap().check_complete().is_ok());
}

#[test]
fn shards_that_are_left_out_on_purpose_are_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shards(folder, &[(0, 4), (1, 4), (3, 4)]);
    let first = "x-00000-of-00004.tfrecord";
    let chosen: [&[&str]; 5] = [
        &[first],
        &[first, "x-00003-of-00004.tfrecord"],
        &["x-0000[01]-*"],
        &["x-0000[013]-of-00004.tfrecord"],
        &["x-00003*", "x-00000*"],
    ];
    for names in chosen {
        let (dataset, said) = opened(folder, names, None);
        assert_eq!((dataset.unwrap().check_complete().is_ok(), said.len()), (true, 0), "{names:?}");
    }
    shards(folder, &[(2, 4)]);
    let (dataset, said) = opened(folder, &[""], Some("error"));
    assert_eq!((dataset.unwrap().check_complete().is_ok(), said.len()), (true, 0));
}

#[test]
fn two_sets_of_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shards(folder, &[(0, 2), (1, 2), (0, 4), (1, 4), (2, 4), (3, 4)]);
    let names = ["DIR/x-*-of-00002.tfrecord", "DIR/x-*-of-00004.tfrecord"].join(" and ");
    let said =
        format!("there are shards of several sets of one name, {names}; every record would be read twice; ");
    let listed = ["x-00000-of-00002.tfrecord", "x-00000-of-00004.tfrecord"];
    for names in [
        &[""][..],
        &["*"],
        &["x-*"],
        &["*.tfrecord"],
        &["**/*.tfrecord"],
        &listed,
        &["x@2.tfrecord", "*4.tf*", "*2.tf*"],
    ] {
        for missing in [None, Some("allow"), Some("error")] {
            let error = opened(folder, names, missing).0.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(text(&error, folder).contains(&said), "{names:?}: {error}");
            assert!(error.hint().is_some_and(|hint| hint.starts_with("name one set, as in ")), "{error}");
        }
    }
    // Each that is named as a set is meant.
    for names in [&["x@2.tfrecord"][..], &["x-*-of-00004.tfrecord"], &["x@2.tfrecord", "x@4.tfrecord"]] {
        let (dataset, said) = opened(folder, names, None);
        assert_eq!((dataset.unwrap().check_complete().is_ok(), said.len()), (true, 0), "{names:?}");
    }
}

/// A store of a user, which lists what it likes.
#[derive(Debug)]
struct Listed(Vec<String>);

impl Store for Listed {
    fn list(&self, _: &str) -> Result<Vec<Arc<str>>> {
        Ok(self.0.iter().map(|name| name.as_str().into()).collect())
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: std::ops::Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        LocalStore.open(name, range, cancel)
    }

    fn create(&self, name: &str, overwrite: bool) -> Result<OutputFile> {
        LocalStore.create(name, overwrite)
    }
}

#[test]
fn stores_of_users_are_no_exception() {
    let folder = tempfile::tempdir().unwrap();
    shards(folder.path(), &[(0, 2), (0, 3), (2, 3)]);
    let all = |shards: &[&str]| {
        let names = shards
            .iter()
            .map(|shard| folder.path().join(format!("x-{shard}.tfrecord")).display().to_string());
        let store = Listed(names.collect());
        OpenOptions::new().format("raw").store(Arc::new(store)).open("all")
    };
    let dataset = all(&["00000-of-00003", "00002-of-00003"]).unwrap();
    let missing = text(&dataset.check_complete().unwrap_err(), folder.path());
    assert!(missing.starts_with("1 of 3 shards is missing: DIR/x-00001-of-00003.tfrecord; "), "{missing}");
    let mixed = all(&["00000-of-00002", "00000-of-00003", "00002-of-00003"]).unwrap_err();
    assert!(mixed.what().starts_with("there are shards of several sets of one name, "), "{mixed}");
}

/// Converts to an output. Returns what was said, without the folder.
fn converted(folder: &Path, output: &str) -> Vec<String> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let (notes, shown) = (Arc::clone(&said), folder.display().to_string());
    let input = write(folder, "input.data", FileLayout::Plain, 9).display().to_string();
    let conversion = Conversion::builder([input], folder.join(output))
        .on_note(move |note| notes.lock().unwrap().push(note.replace(&shown, "DIR")))
        .set("records", "raw")
        .unwrap()
        .build()
        .unwrap();
    conversion.run(|_| ()).unwrap();
    std::mem::take(&mut *said.lock().unwrap())
}

#[test]
fn shards_that_stay_beside_an_output_are_said() {
    const THEN: &str = "; a folder or pattern with both is refused when it is read; remove them if they are of an earlier run";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for output in ["x@3.tfrecord", "x@3.tfrecord", "y@*.tfrecord", "x.tfrecord", "z@2.tfrecord"] {
        assert_eq!(converted(folder, output), [""; 0], "{output}");
    }
    let beside = "there are files of a set of 3 shards of this name, which stay beside what is written";
    assert_eq!(converted(folder, "x@2.tfrecord"), [format!("DIR/x@2.tfrecord: {beside}{THEN}")]);
    let several = "shards of several other sets of this name are there, and stay beside what is written";
    assert_eq!(converted(folder, "x@5.tfrecord"), [format!("DIR/x@5.tfrecord: {several}{THEN}")]);
    let one = "there are files of a set of 1 shard of this name, which stay beside what is written unless as many are written";
    assert_eq!(converted(folder, "y@*.tfrecord"), [format!("DIR/y@*.tfrecord: {one}{THEN}")]);
}
