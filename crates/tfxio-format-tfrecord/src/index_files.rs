//! Indexes beside files.

use std::io::Write as _;
use std::sync::Arc;

use tfrecord_io::index::Stamp;
use tfrecord_io::{Compression, Index, Reader};
use tfxio_core::{
    Error, ErrorKind, FactValue, FileReport, Files, FormatOptions, Partition, Result, Total, WriteIndex,
};
use tfxio_store::is_url;

use super::format::TfRecordFormat;
use super::plan;
use super::settings::{stated_compression, stated_verify};

impl WriteIndex for TfRecordFormat {
    /// An index makes exact partitions, and lets chosen records be read from files of any size.
    fn write_index(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = plan::of_any_format(options)?;
        files.names().iter().map(|file| write_index(files, file, &options)).collect()
    }
}

fn write_index(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<FileReport> {
    if is_url(file) {
        return write_beside_object(files, file, options);
    }
    let Some(path) = files.store().local_path(file) else {
        let what = "an index is written beside its file, and this is not a file of the local file system that can be read \
                    twice";
        let help = "write it to a local file, and index that; an index can be copied to a store together with its file";
        return Err(Error::new(ErrorKind::Unsupported, what).help(help).in_file(Arc::clone(file)));
    };
    let reader = Reader::builder(&path)
        .compression(stated_compression(options))
        .verify(stated_verify(options))
        .limits(options.request.limits)
        .name(Arc::clone(file));
    let index = Index::build_with(reader)?;
    let beside = index.write_beside(&path)?;
    let size = std::fs::metadata(&beside).map_or(0, |found| found.len());
    Ok(report(file, &index, beside.to_string_lossy().into_owned(), size))
}

/// Writes the index of an object as an object of the same store.
fn write_beside_object(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<FileReport> {
    let (store, cancel) = (files.store(), &options.request.cancel);
    let version = store.version(file)?;
    let whole = Partition::whole(Arc::clone(file));
    let input = files.open_with(&whole, cancel)?;
    let mut stamp = Stamp::new(input.size().unwrap_or_default());
    if let Some(version) = &version {
        stamp = stamp.etag(version.as_str());
    }
    let reader = Reader::builder(input)
        .compression(stated_compression(options))
        .verify(stated_verify(options))
        .limits(options.request.limits)
        .name(Arc::clone(file));
    let mut index = Index::from_records(reader.build(), stamp)?;
    if index.compression() == Compression::Gzip {
        let described = index.describe_members(files.open_with(&whole, cancel)?);
        described.map_err(|error| error.in_file(Arc::clone(file)))?;
    }
    if store.version(file)? != version {
        let error = Error::new(ErrorKind::Io, "the object was replaced while it was indexed");
        return Err(error.help("index it again").in_file(Arc::clone(file)));
    }
    let beside = format!("{file}.tfxi");
    let mut output = store.create(&beside, true)?;
    let errors = output.errors();
    output.write_all(&index.to_bytes()).map_err(|error| errors.of_io(error))?;
    let size = output.finish()?;
    Ok(report(file, &index, beside, size))
}

fn report(file: &Arc<str>, index: &Index, beside: String, size: u64) -> FileReport {
    FileReport::new(&**file)
        .fact("index", beside)
        .count("records", index.len(), Total::None)
        .count("payload_bytes", index.payload_bytes(), Total::None)
        .fact("crc32_of_payloads", index.crc32_of_payloads().map_or(FactValue::Unknown, FactValue::Checksum))
        .count("index_bytes", size, Total::None)
}
