//! Files appear whole, or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::{OutputFile, Upload, give_up_together};
use crate::{Error, ErrorKind, Result};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut file = OutputFile::create(&path, false).unwrap();
    file.write_all(b"first").unwrap();
    assert!(names(folder.path())[0].ends_with(".tmp"));
    drop(file);
    assert!(names(folder.path()).is_empty());

    OutputFile::write(&path, b"second").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
    let file = OutputFile::create(&path, true).unwrap();
    drop(file.close().unwrap());
    assert_eq!((names(folder.path()), fs::read(&path).unwrap()), (vec!["out".into()], b"second".to_vec()));
}

#[test]
fn a_file_is_replaced_only_if_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, b"precious").unwrap();
    let error = OutputFile::create(&old, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let text = "old: the output file exists already; remove it, choose another name, or allow overwriting";
    assert!(error.to_string().ends_with(text), "{error}");

    // It comes into being while we write, or the name changes.
    let file = OutputFile::create(&new, false).unwrap();
    fs::write(&new, b"precious").unwrap();
    assert_eq!(file.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    fs::remove_file(&new).unwrap();
    let writers = [(); 2].map(|()| OutputFile::create(&new, false).unwrap().close().unwrap());
    let [first, second] = writers.map(|writer| {
        writer.check().unwrap();
        writer
    });
    first.publish().unwrap();
    assert_eq!(second.publish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    fs::write(&new, b"precious").unwrap();
    let file = OutputFile::create(folder.path().join("other"), true).unwrap().close().unwrap();
    let file = file.path_in_same_directory(old.clone()).overwrite(false);
    let error = file.check().unwrap_err();
    assert_eq!(error.position().file.as_deref(), old.to_str());
    assert_eq!(file.publish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        (names(folder.path()), fs::read(&new).unwrap()),
        (vec!["new".into(), "old".into()], b"precious".into())
    );
}

#[test]
fn wrong_paths_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let fails = |name: &str| {
        let path = folder.path().join(name);
        let error = OutputFile::create(&path, true).unwrap_err();
        assert_eq!(error.position().file.as_deref(), path.to_str());
        (error.kind(), error.to_string().replace(folder.path().to_str().unwrap(), "folder"))
    };
    let directory = "creating the file failed: this is a directory; give the name of a file in it";
    assert_eq!(fails(""), (ErrorKind::IsDirectory, format!("folder/: {directory}")));
    assert_eq!(fails(".."), (ErrorKind::IsDirectory, format!("folder/..: {directory}")));
    let missing = "folder/no/such/file: creating the file failed: the directory \"folder/no/such\" does not exist; make the \
                   directory first";
    assert_eq!(fails("no/such/file"), (ErrorKind::NotFound, missing.to_owned()));
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    symlink("target", &link).unwrap();
    OutputFile::write(&link, b"new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"new");

    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    OutputFile::write(&link, b"newer").unwrap();
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_explained() {
    let mut file = OutputFile::create("/dev/full", false).unwrap();
    let text = "/dev/full: writing failed: no space is left; free some space or write to another device; what was written \
                before stays there";
    let errors = file.errors();
    let error = file.write_all(b"x").unwrap_err();
    // A writer of another library may keep the reason to itself.
    assert_eq!(errors.of_writer(std::fmt::Error).to_string(), text);
    let error = errors.of_io(error);
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::StorageFull, text));
    assert_eq!(file.finish().unwrap(), 0);
    assert!(Path::new("/dev/full").exists());
}

/// An upload that tells what was done with it.
#[derive(Debug)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn say(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }
}

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes == b"refused" {
            let error = Error::new(ErrorKind::PermissionDenied, "the store takes nothing").help("ask it");
            return Err(error.into());
        }
        self.say(&format!("{} bytes", bytes.len()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Upload for Told {
    fn close(&mut self) -> Result<()> {
        self.say("close");
        Ok(())
    }

    fn publish(&mut self, overwrite: bool) -> Result<()> {
        self.say(&format!("publish {overwrite}"));
        Ok(())
    }

    fn abort(&mut self) {
        self.say("abort");
    }
}

#[test]
fn an_upload_is_published_or_given_up() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let upload = |overwrite| OutputFile::upload("s3://b/a", overwrite, Box::new(Told(Arc::clone(&told))));
    let said = || std::mem::take(&mut *told.lock().unwrap());
    let mut file = upload(false);
    file.write_all(b"whole").unwrap();
    assert_eq!((file.path(), file.is_device()), (Path::new("s3://b/a"), false));
    assert_eq!(file.finish().unwrap(), 5);
    assert_eq!(said(), ["5 bytes", "close", "publish false"]);

    drop(upload(true));
    assert_eq!(said(), ["abort"]);
    drop(upload(true).close().unwrap());
    assert_eq!(said(), ["close", "abort"]);

    let renamed = upload(true).close().unwrap().path_in_same_directory("s3://b/c".into());
    let text = "s3://b/c: the upload was begun as s3://b/a, and cannot be renamed";
    assert_eq!(renamed.publish().unwrap_err().to_string(), text);
    assert_eq!(said(), ["close", "abort"]);

    let mut file = upload(true);
    let errors = file.errors();
    let error = file.write_all(b"refused").unwrap_err();
    let text = "s3://b/a: the store takes nothing; ask it";
    // A writer of another library may keep the reason to itself.
    assert_eq!(errors.of_writer(std::fmt::Error).to_string(), text);
    assert_eq!(errors.of_io(error).to_string(), text);
    drop(file);
    assert_eq!(said(), ["abort"]);
}

/// An upload that is given up when all of some are.
#[derive(Debug)]
struct Meets(Arc<Met>);

#[derive(Debug, Default)]
struct Met {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Write for Meets {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Upload for Meets {
    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn publish(&mut self, _: bool) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self) {
        let mut count = self.0.count.lock().unwrap();
        *count += 1;
        self.0.changed.notify_all();
        // Those that come one after the other do not meet, which the test would wait for.
        let wait = Duration::from_secs(60);
        let (mut count, timeout) =
            self.0.changed.wait_timeout_while(count, wait, |count| *count < 5).unwrap();
        if timeout.timed_out() {
            *count += 100;
        }
    }
}

#[test]
fn uploads_of_a_set_are_given_up_together() {
    let met = Arc::new(Met::default());
    let upload =
        |at: usize| OutputFile::upload(&format!("s3://b/{at}"), true, Box::new(Meets(Arc::clone(&met))));
    let closed = [0, 1].map(|at| upload(at).close().unwrap());
    // A set within a set is a part of it.
    struct Within(Option<OutputFile>);
    impl Drop for Within {
        fn drop(&mut self) {
            give_up_together(|| drop(self.0.take()));
        }
    }
    let all = (closed, vec![upload(2), upload(3)], Within(Some(upload(4))));
    give_up_together(|| drop(all));
    assert_eq!(*met.count.lock().unwrap(), 5);
    // After that, each by itself again.
    drop(upload(5));
    assert_eq!(*met.count.lock().unwrap(), 6);
}
