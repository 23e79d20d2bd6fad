//! Files that tests make, and what scans give of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use tfxio_formats::OpenOptions;
use tfxio_formats::tfrecord_io::{Compression, Index, WriterBuilder};
use tfxio_formats::tfxio_core::{Batch, Dataset, Scan};

/// Layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLayout {
    Plain,
    Indexed,
    Gzip,
    Members,
    Zlib,
}

impl FileLayout {
    pub const ALL: [Self; 5] = [Self::Plain, Self::Indexed, Self::Gzip, Self::Members, Self::Zlib];

    fn writer(self) -> WriterBuilder {
        let writer = WriterBuilder::default();
        match self {
            Self::Plain | Self::Indexed => writer,
            Self::Gzip => writer.compression(Compression::Gzip).single_member(),
            Self::Members => writer.compression(Compression::Gzip).member_bytes(4 << 10),
            Self::Zlib => writer.compression(Compression::Zlib),
        }
    }
}

/// The payload of a record: its number, and some bytes.
pub fn payload(number: u64) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.extend((0..number * 7 % 123).map(|at| (at * 31 + number) as u8));
    bytes
}

/// Writes a file of records `0..records`.
pub fn write(folder: &Path, name: &str, layout: FileLayout, records: u64) -> PathBuf {
    let path = folder.join(name);
    write_records(&path, layout, (0..records).map(payload));
    path
}

/// Writes a file of records.
pub fn write_records(path: &Path, layout: FileLayout, records: impl Iterator<Item = Vec<u8>>) {
    let mut writer = layout.writer().target(path).create().unwrap();
    for record in records {
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    if layout == FileLayout::Indexed {
        Index::build(path).unwrap().write_beside(path).unwrap();
    }
}

/// Opens files whose records are raw.
pub fn open(paths: &[PathBuf]) -> Arc<dyn Dataset> {
    let names = paths.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>();
    OpenOptions::new().format("raw").open(names).unwrap()
}

/// Returns the file and the number of each record of a batch; checks that payloads and origins agree.
pub fn numbers(batch: &Batch) -> Vec<(String, u64)> {
    let lists = batch.columns().column(0).as_list::<i64>();
    assert_eq!(batch.origins().len(), lists.len());
    let number = |row: usize| {
        let values = lists.value(row);
        let bytes = values.as_binary::<i64>().value(0);
        let number = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        assert_eq!(bytes, payload(number));
        let origin = batch.origins().get(row).expect("an origin");
        let before = (0..number).map(|number| payload(number).len() as u64 + 16).sum::<u64>();
        assert_eq!(origin.byte, Some(before), "record {number}");
        (origin.file.to_string(), number)
    };
    (0..lists.len()).map(number).collect()
}

/// Returns all records of a scan.
pub fn all(scan: &mut dyn Scan) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        all.extend(numbers(&batch));
    }
    all
}
