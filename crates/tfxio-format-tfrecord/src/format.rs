//! TFRecord as a format of files.

use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use tfrecord_io::{Kind as Damage, Reader};
use tfxio_core::{
    CopyRecords, Dataset, Describe, ErrorKind, FileFormat, Files, FormatOptions, Inspect, OptionSpec, Repair,
    Result, Sink, WriteIndex,
};

use super::data::Data;
use super::data_set::TfRecordFiles;
use super::plan;
use super::settings::{self, Settings};
use super::sink;

/// TFRecord: records with their lengths and checksums, whatever they hold; plain, gzip or zlib.
#[derive(Clone, Copy, Debug, Default)]
pub struct TfRecordFormat;

const NAME: &str = "tfrecord";

/// Bytes of the header of a record.
const HEADER: usize = 12;

impl FileFormat for TfRecordFormat {
    fn name(&self) -> &str {
        NAME
    }

    fn endings(&self) -> &[&str] {
        &[
            ".tfrecord",
            ".tfrecords",
            ".tfrecord.gz",
            ".tfrecords.gz",
            ".tfrecord.gzip",
            ".tfrecords.gzip",
            ".tfrecord.zlib",
            ".tfrecords.zlib",
            ".tfrecord.zz",
            ".tfrecords.zz",
        ]
    }

    fn sniff(&self, first_bytes: &[u8]) -> bool {
        // A header whose checksum fits, compressed or not; its record may be longer than what was read.
        match Reader::new(first_bytes).next_record() {
            Ok(record) => record.is_some(),
            Err(error) => match error.detail() {
                // A few bytes of a header can be anything.
                Some(Damage::Truncated) => first_bytes.len() >= HEADER && error.position().record.is_some(),
                Some(Damage::PayloadCrc | Damage::RecordTooLong) => true,
                _ => false,
            },
        }
    }

    fn options(&self) -> Vec<OptionSpec> {
        settings::options()
    }

    fn holds_records(&self) -> bool {
        true
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        let data = Arc::new(Data::new(files, Settings::new(options)?));
        let (plan, options) = plan::plan(&data, options)?;
        Ok(Arc::new(TfRecordFiles { data, plan, format: NAME, options }))
    }

    /// Writes a file, or the shards of a pattern such as `train@16.tfrecord`, with a record for each row. The option `records` names their
    /// format; by default the columns determine it.
    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        sink::sink(output, schema, options)
    }

    fn takes(&self, column: &Field, options: &FormatOptions) -> bool {
        let encoder = sink::encoder(&Arc::new(Schema::new(vec![column.clone()])), options);
        // Other errors are not about the column, and the sink says them.
        !encoder
            .is_err_and(|error| error.kind() == ErrorKind::Unsupported && error.position().column.is_some())
    }

    fn describe(&self) -> Option<&dyn Describe> {
        Some(self)
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }

    fn repair(&self) -> Option<&dyn Repair> {
        Some(self)
    }

    fn index(&self) -> Option<&dyn WriteIndex> {
        Some(self)
    }

    fn copy_records(&self) -> Option<&dyn CopyRecords> {
        Some(self)
    }
}
