//! Indexes beside files.

use std::sync::Arc;

use tfrecord_io::{Index, Reader};
use tfxio_core::{Error, ErrorKind, FactValue, FileReport, Files, FormatOptions, Result, Total, WriteIndex};

use super::format::TfRecordFormat;
use super::plan;
use super::settings::stated_compression;

impl WriteIndex for TfRecordFormat {
    /// An index makes exact partitions, and lets chosen records be read from files of any size.
    fn write_index(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = plan::of_any_format(options)?;
        files.names().iter().map(|file| write_index(files, file, &options)).collect()
    }
}

fn write_index(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<FileReport> {
    let Some(path) = files.store().local_path(file) else {
        let what = "an index is written beside its file, and this is not a file of the local file system that can be read \
                    twice";
        let help = "write it to a local file, and index that; an index can be copied to a store together with its file";
        return Err(Error::new(ErrorKind::Unsupported, what).help(help).in_file(Arc::clone(file)));
    };
    let reader = Reader::builder(&path)
        .compression(stated_compression(options))
        .limits(options.request.limits)
        .name(Arc::clone(file));
    let index = Index::build_with(reader)?;
    let beside = index.write_beside(&path)?;
    let size = std::fs::metadata(&beside).map_or(0, |found| found.len());
    Ok(FileReport::new(&**file)
        .fact("index", beside.to_string_lossy().into_owned())
        .count("records", index.len(), Total::None)
        .count("payload_bytes", index.payload_bytes(), Total::None)
        .fact("crc32_of_payloads", index.crc32_of_payloads().map_or(FactValue::Unknown, FactValue::Checksum))
        .count("index_bytes", size, Total::None))
}
