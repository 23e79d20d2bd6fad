//! Shard names and globs.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tfrecord_io::shards::ShardSet;
use tfrecord_io::{Error, ErrorKind, Kind, Sharding, Writer, shards};
use tfxio_base::{OutputFile, Upload};

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
        Self(folder)
    }

    fn pattern(&self, pattern: &str) -> String {
        self.0.path().join(pattern).to_str().unwrap().to_string()
    }

    fn expand(&self, pattern: &str) -> Result<Vec<String>, Error> {
        let base: &Path = self.0.path();
        let paths = shards::expand(&self.pattern(pattern))?;
        let relative = |path: &Path| path.strip_prefix(base).unwrap().to_str().unwrap().replace('\\', "/");
        Ok(paths.iter().map(|path| relative(path)).collect())
    }

    fn fails(&self, pattern: &str) -> (Error, String) {
        let error = self.expand(pattern).unwrap_err();
        assert_eq!(error.position().file.as_deref(), Some(&*self.pattern(pattern)));
        let text = error.what().replace(self.0.path().to_str().unwrap(), "DIR").replace('\\', "/");
        (error, text)
    }
}

const SET: &[&str] = &["train-00001-of-00003", "train-00000-of-00003", "train-00002-of-00003"];
const SORTED: &[&str] = &["train-00000-of-00003", "train-00001-of-00003", "train-00002-of-00003"];

#[test]
fn all_spellings_of_a_set() {
    let folder = Folder::with(SET);
    for pattern in
        ["train@3", "train@*", "train-?????-of-00003", "train-*-of-00003", "train-*", "train-0000[012]-*"]
    {
        assert_eq!(folder.expand(pattern).unwrap(), SORTED, "{pattern}");
    }
}

#[test]
fn endings() {
    let folder =
        Folder::with(&["a-00000-of-00002.tfrecord.gz", "a-00001-of-00002.tfrecord.gz", "a-00000-of-00001"]);
    let expected = ["a-00000-of-00002.tfrecord.gz", "a-00001-of-00002.tfrecord.gz"];
    assert_eq!(folder.expand("a@2.tfrecord.gz").unwrap(), expected);
    assert_eq!(folder.expand("a@*.tfrecord.gz").unwrap(), expected);
    assert_eq!(folder.expand("a-*-of-00002.tfrecord.gz").unwrap(), expected);
    assert_eq!(folder.expand("a@*").unwrap(), ["a-00000-of-00001"]);
}

#[test]
fn missing_shards_are_named() {
    let folder = Folder::with(&SET[..2]);
    for pattern in ["train@3", "train@*", "train-?????-of-00003", "train-*-of-00003"] {
        let (error, text) = folder.fails(pattern);
        assert!(error.is(Kind::MissingShard), "{pattern}");
        assert_eq!(text, "1 of 3 shards is missing: DIR/train-00002-of-00003", "{pattern}");
    }
    // A plain glob takes what is there, and says on request what is not.
    let found = folder.expand("train-*").unwrap();
    assert_eq!(found, SORTED[..2]);
    let missing = "1 of 3 shards is missing: train-00002-of-00003";
    for pattern in ["train-*", "*", "train-*-of-*", "train-0000[012]-*"] {
        assert_eq!(shards::missing(pattern, &found).as_deref(), Some(missing), "{pattern}");
    }
    for pattern in ["train-0000[01]-*", "train@2", "train-?????-of-00002"] {
        assert_eq!(shards::missing(pattern, &found), None, "{pattern}");
    }
    assert_eq!(shards::missing(SORTED[0], &SORTED[..1]), None);
    let (_, text) = Folder::with(&[]).fails("x@20");
    assert!(text.starts_with("20 of 20 shards are missing: DIR/x-00000-of-00020, "), "{text}");
    assert!(text.ends_with("x-00004-of-00020 and 15 more"), "{text}");
}

#[test]
fn several_sets_of_one_name() {
    let folder = Folder::with(&["a-00000-of-00001", "a-00000-of-00002", "a-00001-of-00002"]);
    let (error, text) = folder.fails("a@*");
    assert!(error.is(Kind::ShardPattern), "{error}");
    assert_eq!(text, "there are shards of several sets: of 1 and of 2");
    assert_eq!(folder.expand("a@1").unwrap(), ["a-00000-of-00001"]);
}

#[test]
fn nothing_matches() {
    let folder = Folder::with(&["a"]);
    for pattern in ["b*", "b@*", "b-?????-of-00003", "no/such/*"] {
        assert!(folder.fails(pattern).0.is(Kind::NoFilesMatched), "{pattern}");
    }
    assert!(folder.fails("b").0.is(ErrorKind::NotFound));
    assert!(folder.fails("").0.is(ErrorKind::IsDirectory));
}

#[test]
fn patterns_that_make_no_sense() {
    let folder = Folder::with(&[]);
    for pattern in ["a@0", "a@99999999", "a@99999999999999999999", "a[", "a**b"] {
        assert!(folder.fails(pattern).0.is(Kind::ShardPattern), "{pattern}");
    }
}

#[test]
fn a_name_that_exists_is_that_file() {
    let folder = Folder::with(&["odd@3", "odd[1]", "me@home.tfrecord", "odd@"]);
    for name in ["odd@3", "odd[1]", "me@home.tfrecord", "odd@"] {
        assert_eq!(folder.expand(name).unwrap(), [name]);
    }
    assert_eq!(folder.expand("odd[@]3").unwrap(), ["odd@3"]);
    assert_eq!(folder.expand("odd[[]1]").unwrap(), ["odd[1]"]);
    assert!(folder.fails("you@home.tfrecord").0.is(ErrorKind::NotFound));
}

#[test]
fn globs_skip_hidden_files_and_directories() {
    let folder = Folder::with(&["b", "a", ".b.123-0.tmp", "dir/c", "dir/deep/d"]);
    assert_eq!(folder.expand("*").unwrap(), ["a", "b"]);
    assert_eq!(folder.expand("*/*").unwrap(), ["dir/c"]);
    assert_eq!(folder.expand("**/?").unwrap(), ["a", "b", "dir/c", "dir/deep/d"]);
    assert!(folder.fails("dir").0.is(ErrorKind::IsDirectory));
}

#[test]
fn names_stay_as_they_are_written() {
    let folder = Folder::with(SET);
    fs::create_dir(folder.0.path().join("sub")).unwrap();
    let base = folder.0.path().to_str().unwrap();
    for part in ["./", "/", "sub/../"] {
        for pattern in ["train@3", "train@*", "train-?????-of-00003", "train-*"] {
            let paths = shards::expand(&format!("{base}/{part}{pattern}")).unwrap();
            let expected = SORTED.iter().map(|name| format!("{base}/{part}{name}")).collect::<Vec<_>>();
            let names =
                paths.iter().map(|path| path.to_str().unwrap().replace('\\', "/")).collect::<Vec<_>>();
            assert_eq!(names, expected, "{part}{pattern}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::PathBuf;

    let folder = Folder::with(SET);
    let odd = |name: &[u8]| folder.0.path().join(OsStr::from_bytes(name));
    fs::write(odd(b"\xff.txt"), b"").unwrap();
    fs::create_dir(odd(b"\xfe")).unwrap();
    fs::write(odd(b"\xfe/train-00000-of-00003"), b"").unwrap();
    for pattern in ["train@3", "train@*", "train-*", "t*"] {
        assert_eq!(folder.expand(pattern).unwrap(), SORTED, "{pattern}");
    }
    // Those that match are given as they are.
    assert_eq!(shards::expand(&folder.pattern("*.txt")).unwrap(), [odd(b"\xff.txt")]);
    let all: Vec<PathBuf> = shards::expand(&folder.pattern("**/train-00000-*")).unwrap();
    assert_eq!(all, [odd(b"train-00000-of-00003"), odd(b"\xfe/train-00000-of-00003")]);
}

/// Upload whose end waits for the ends of the others.
#[derive(Debug)]
struct Meets(Arc<(Mutex<usize>, Condvar)>);

impl Write for Meets {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Upload for Meets {
    fn close(&mut self) -> tfrecord_io::Result<()> {
        Ok(())
    }

    fn publish(&mut self, _: bool) -> tfrecord_io::Result<()> {
        Err(Error::new(ErrorKind::Io, "the store refuses"))
    }

    fn abort(&mut self) {
        let (count, changed) = &*self.0;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        // Those that come one after the other wait so long.
        let wait = Duration::from_secs(60);
        let (mut count, timeout) = changed.wait_timeout_while(count, wait, |count| *count < 4).unwrap();
        if timeout.timed_out() {
            *count += 100;
        }
    }
}

#[test]
fn uploads_of_a_set_are_given_up_together() {
    for is_finished in [false, true] {
        let met = Arc::new((Mutex::new(0), Condvar::new()));
        let meets = Arc::clone(&met);
        let mut set = ShardSet::create("s3://b/a@4", Sharding::RoundRobin, true, move |path, overwrite| {
            let upload = Box::new(Meets(Arc::clone(&meets)));
            let file = OutputFile::upload(&path.to_string_lossy(), overwrite, upload);
            Writer::builder(file).into_file()
        })
        .unwrap();
        set.write(|file| file.write(b"record")).unwrap();
        match is_finished {
            // The first one is given up, and so are the others.
            true => assert!(set.finish().is_err()),
            false => drop(set),
        }
        assert_eq!(*met.0.lock().unwrap(), 4, "{is_finished}");
    }
}

#[test]
fn two_sets_of_one_name_are_refused_by_every_glob() {
    let folder = Folder::with(&[SET, &["train-00000-of-00001", "train-00000-of-00001.gz"]].concat());
    for pattern in ["*", "train-*", "train-00000-*", "**/*-of-*"] {
        let (error, text) = folder.fails(pattern);
        assert!(error.is(Kind::ShardPattern), "{pattern}");
        let sets = "DIR/train-*-of-00001 and DIR/train-*-of-00003";
        assert_eq!(
            text,
            format!("there are shards of several sets of one name, {sets}; every record would be read twice")
        );
    }
    assert_eq!(folder.expand("train@3").unwrap(), SORTED);
    assert_eq!(folder.expand("train-*-of-00003").unwrap(), SORTED);
    // The name of a set includes its ending.
    assert_eq!(folder.expand("*-of-00001*").unwrap().len(), 2);
}
