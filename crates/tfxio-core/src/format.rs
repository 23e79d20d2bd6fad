//! Formats of files and of records.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, SchemaRef};
use tfxio_base::{Error, ErrorKind, Result};

use crate::{
    Dataset, Describe, FileReport, Files, FormatOptions, Loss, OptionSpec, OptionValue, Origin,
    RecordDecoder, ScanRequest, SchemaReport, Sink,
};

/// Layout of bytes in files: TFRecord, Avro, or a format of one's own. The physical format of RFC 162.
pub trait FileFormat: fmt::Debug + Send + Sync + 'static {
    /// Returns the name by which it is chosen: `avro`.
    fn name(&self) -> &str;

    /// Returns the endings of names that it takes: `.avro`. Default: none.
    fn endings(&self) -> &[&str] {
        &[]
    }

    /// Returns whether a file that begins like this is one of this format. Default: never.
    fn sniff(&self, first_bytes: &[u8]) -> bool {
        let _ = first_bytes;
        false
    }

    /// Returns whether its files are texts, which people can read: terminals show what else there is as noise. Default: no.
    fn is_text(&self) -> bool {
        false
    }

    /// Returns the options that it takes. Default: none.
    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    /// Returns whether its records are opaque bytes, which a [`RecordFormat`] decodes: then the option `records` names that
    /// format, and the options of record formats are taken beside its own. Default: no.
    fn holds_records(&self) -> bool {
        false
    }

    /// Opens files as a data set and fixes its schema: [`FormatOptions::schema`] where it is set.
    ///
    /// # Errors
    /// When a file cannot be read or has another format, or the options do not fit.
    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>>;

    /// Returns a sink that writes batches of a schema to a file, or to the shards of a pattern. Default: not offered.
    ///
    /// # Errors
    /// `Unsupported` where it is not offered or the schema cannot be written; otherwise when the output cannot be created.
    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        let _ = (output, schema, options);
        Err(not_offered(self.name(), "writing"))
    }

    /// Returns whether a column of this type can be written as it is. A conversion makes another of a column that cannot: see
    /// `tfxio::convert`. Default: it can, which leaves it to [`sink`](Self::sink) to refuse.
    fn takes(&self, column: &Field, options: &FormatOptions) -> bool {
        let _ = (column, options);
        true
    }

    /// Returns what is lost of a column that it [takes](Self::takes), such as the unit of durations that are stored as
    /// numbers. A conversion reports it, or refuses it. Losses that depend on values are reported by [`Sink::losses`].
    /// Default: nothing.
    fn losses(&self, column: &Field, options: &FormatOptions) -> Vec<String> {
        let _ = (column, options);
        Vec::new()
    }

    /// Returns what describes the schema of its files, beside the columns that they become. Default: not offered.
    fn describe(&self) -> Option<&dyn Describe> {
        None
    }

    /// Returns how files are looked into without decoding their records, if that is offered.
    fn inspect(&self) -> Option<&dyn Inspect> {
        None
    }

    /// Returns how whole records are kept of a damaged file, if that is offered.
    fn repair(&self) -> Option<&dyn Repair> {
        None
    }

    /// Returns how an index of a file is written, if that is offered.
    fn index(&self) -> Option<&dyn WriteIndex> {
        None
    }

    /// Returns how records are copied between files of this format as bytes, if that is offered: unknown fields, recursion
    /// and metadata survive.
    fn copy_records(&self) -> Option<&dyn CopyRecords> {
        None
    }
}

/// Returns the error of a capability that a format does not have.
#[must_use]
pub fn not_offered(format: &str, what: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("the format {format} does not offer {what}"))
}

/// Looks into files without decoding their records.
pub trait Inspect: Send + Sync {
    /// Returns a report on each file.
    ///
    /// # Errors
    /// When a file cannot be read. Damage is a finding and not an error.
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>>;
}

/// Keeps the whole records of damaged files.
pub trait Repair: Send + Sync {
    /// Copies the whole records of the files to an output. If no record of a damaged file is whole, the report contains an
    /// error, and no output is written.
    ///
    /// # Errors
    /// When a file cannot be read at all or the output cannot be written.
    fn repair(&self, files: &Files, output: &str, options: &FormatOptions) -> Result<FileReport>;
}

/// Writes indexes of files.
pub trait WriteIndex: Send + Sync {
    /// Writes an index for each file.
    ///
    /// # Errors
    /// When a file cannot be read or has no records that can be indexed.
    fn write_index(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>>;
}

/// Copies records between files of one format as bytes.
pub trait CopyRecords: Send + Sync {
    /// Returns whether a copy is what these options ask for; otherwise records are decoded, and written again. Default: yes.
    fn keeps_all(&self, options: &FormatOptions) -> bool {
        let _ = options;
        true
    }

    /// Returns whether a copy keeps all that is in these files, such as fields that only some of them have; otherwise records are
    /// decoded, and written again. Default: yes.
    fn keeps_all_of(&self, files: &Files, options: &FormatOptions) -> bool {
        let _ = (files, options);
        true
    }

    /// Copies all records of the files to an output. Calls `progress` often, with the number of records so far.
    ///
    /// # Errors
    /// When a file cannot be read or the output cannot be written.
    fn copy_records(
        &self,
        files: &Files,
        output: &str,
        options: &FormatOptions,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileReport>;
}

/// Format of a record: a tf.Example, raw bytes, or a message of one's own. The logical format of RFC 162, for any format of
/// files that holds opaque records.
pub trait RecordFormat: fmt::Debug + Send + Sync + 'static {
    /// Returns the name by which it is chosen: `example`.
    fn name(&self) -> &str;

    /// Returns whether a record looks like one of this format. Default: never, so that it must be chosen by name.
    fn recognises(&self, record: &[u8]) -> bool {
        let _ = record;
        false
    }

    /// Returns the options that it takes. Default: none.
    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    /// Returns a planner, which fixes the schema: at once, or from records.
    ///
    /// # Errors
    /// When the options do not fit.
    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>>;

    /// Returns whether columns of this schema are such that they are written as records of this format where no other is
    /// chosen by name. Default: never.
    fn encodes(&self, schema: &SchemaRef, options: &FormatOptions) -> bool {
        let _ = (schema, options);
        false
    }

    /// Returns an encoder of batches of a schema. Default: not offered.
    ///
    /// # Errors
    /// `Unsupported` where it is not offered or a column cannot be encoded.
    fn encoder(&self, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
        let _ = (schema, options);
        Err(not_offered(self.name(), "writing"))
    }
}

/// Fixes the schema of records.
pub trait RecordPlanner: Any + Send {
    /// Returns whether records must be looked at.
    fn needs_records(&self) -> bool;

    /// Looks at a record.
    ///
    /// # Errors
    /// When the record is malformed.
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()>;

    /// Returns a planner that has seen nothing, so that another thread looks at some of the records. Default: none, one thread looks
    /// at all.
    fn fork(&self) -> Option<Box<dyn RecordPlanner>> {
        None
    }

    /// Merges a [fork](Self::fork) that has seen records after the ones of this planner. Forks come in the order of their
    /// records.
    ///
    /// # Errors
    /// When the records contradict each other; the planner is then not used again. `Unsupported` if the planner does not
    /// fork.
    fn join(&mut self, fork: Box<dyn RecordPlanner>) -> Result<()> {
        let _ = fork;
        Err(Error::new(ErrorKind::Unsupported, "this planner has no forks"))
    }

    /// Returns the plan.
    ///
    /// # Errors
    /// When the records contradict each other.
    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>>;
}

/// Plan that decodes records of a fixed schema. Shared by all scans.
pub trait RecordPlan: fmt::Debug + Send + Sync {
    /// Returns the schema of all columns.
    fn schema(&self) -> &SchemaRef;

    /// Returns options that were inferred in addition to the given ones. They become part of the description of the data
    /// set. Default: none.
    fn options(&self) -> BTreeMap<String, OptionValue> {
        BTreeMap::new()
    }

    /// Returns options that replace the given ones in the description of the data set: another process may not have the
    /// files that these name. Default: none.
    fn portable_options(&self) -> BTreeMap<String, OptionValue> {
        BTreeMap::new()
    }

    /// Returns what is known of the columns from the records that were looked at. Default: nothing but their types.
    fn describe(&self) -> Option<SchemaReport> {
        None
    }

    /// Returns a decoder of the columns of a request. Its schema is that of the scan.
    ///
    /// # Errors
    /// When a column does not exist.
    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>>;

    /// Returns what decoding loses, as [`Dataset::losses`](crate::Dataset::losses). Default: nothing.
    fn losses(&self) -> Vec<Loss> {
        Vec::new()
    }
}

/// Turns rows into records.
pub trait RecordEncoder: Send {
    /// Gives each row of a batch to `take` as a record, in order.
    ///
    /// # Errors
    /// When a row cannot be encoded, and what `take` returns.
    fn encode(&mut self, batch: &RecordBatch, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;
}
