//! Contents of folders and files.

use std::fs;
use std::path::Path;

use tfrecord_io::Reader;

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn payloads(path: &Path) -> Vec<Vec<u8>> {
    Reader::open(path).unwrap().into_records().map(|record| record.unwrap().data).collect()
}
