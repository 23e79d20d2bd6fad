//! Files appear whole or not at all.

use std::fs;
use std::path::Path;

use tfrecord_io::{ErrorKind, FileWriter, Writer};

use crate::writing::contents::{names, payloads};

#[test]
fn a_known_file_byte_for_byte() {
    // What `tf.io.TFRecordWriter` of TensorFlow 2.21 writes for the records b"abc" and b"".
    let expected = [
        3, 0, 0, 0, 0, 0, 0, 0, 176, 153, 73, 14, b'a', b'b', b'c', 110, 87, 241, 33, //
        0, 0, 0, 0, 0, 0, 0, 0, 41, 3, 152, 7, 216, 234, 130, 162,
    ];
    let mut writer = Writer::new(Vec::new());
    writer.write(b"abc").unwrap();
    writer.write(b"").unwrap();
    assert_eq!(writer.finish().unwrap(), expected);
}

#[test]
fn a_file_appears_when_it_is_finished_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.tfrecord");
    let mut writer = FileWriter::create(&path).unwrap();
    writer.write(b"first").unwrap();
    assert!(!path.exists());
    assert_eq!(names(folder.path()).len(), 1, "the temporary file");
    let size = writer.finish().unwrap();
    assert_eq!(names(folder.path()), ["out.tfrecord"]);
    assert_eq!(fs::metadata(&path).unwrap().len(), size);
    assert_eq!(payloads(&path), [b"first"]);

    // Replacing it: the old file stays until the end, and for good if the writer is dropped.
    let mut writer = FileWriter::create(&path).unwrap();
    writer.write(b"second").unwrap();
    assert_eq!(payloads(&path), [b"first"]);
    drop(writer);
    assert_eq!(names(folder.path()), ["out.tfrecord"]);
    assert_eq!(payloads(&path), [b"first"]);
    let mut writer = FileWriter::create(&path).unwrap();
    writer.write(b"second").unwrap();
    writer.finish().unwrap();
    assert_eq!(payloads(&path), [b"second"]);
}

#[test]
fn existing_files_are_kept_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.tfrecord");
    fs::write(&path, b"precious").unwrap();
    let error = Writer::builder(&path).overwrite(false).create().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);

    // It comes into being while we write.
    let other = folder.path().join("other.tfrecord");
    let writer = Writer::builder(&other).overwrite(false).create().unwrap();
    fs::write(&other, b"precious").unwrap();
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&other).unwrap(), b"precious");
    assert_eq!(names(folder.path()), ["other.tfrecord", "out.tfrecord"]);
}

#[test]
fn a_directory_and_a_missing_directory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = FileWriter::create(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IsDirectory);
    let error = FileWriter::create(folder.path().join("no/out.tfrecord")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("does not exist; make the directory first"), "{error}");
}

#[test]
fn a_full_disk_is_named() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let mut writer = FileWriter::create(full).unwrap();
    writer.write(b"payload").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(error.position().file.as_deref(), Some("/dev/full"));
    assert!(full.exists());

    // Without finishing, at the latest when the buffer is full.
    let mut writer = Writer::builder(full).buffer_bytes(1000).create().unwrap();
    let error = (0..100).find_map(|_| writer.write(&[0; 100]).err()).unwrap();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, b"old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let mut writer = FileWriter::create(&link).unwrap();
    writer.write(b"new").unwrap();
    writer.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(payloads(&target), [b"new"]);
}
