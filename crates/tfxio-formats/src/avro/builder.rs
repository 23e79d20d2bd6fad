//! What a data set of Avro files is asked for.

use std::sync::Arc;

use avro_path::program::KeyOptions;
use avro_path::{Key, Schema, record};
use tfxio_core::{Error, ErrorKind};

use super::AvroTfxIo;
use super::columns::Columns;
use super::open;
use crate::RecordOptions;
use crate::tfrecord::files;

/// Builds an [`AvroTfxIo`].
#[derive(Clone, Debug)]
pub struct AvroTfxIoBuilder {
    patterns: Vec<Arc<str>>,
    /// Names and texts of key expressions.
    keys: Option<Vec<(Arc<str>, Arc<str>)>>,
    key_options: KeyOptions,
    layout: record::RecordOptions,
    schema: Option<Schema>,
    records: RecordOptions,
}

impl AvroTfxIoBuilder {
    pub(super) fn new(patterns: Vec<Arc<str>>) -> Self {
        Self {
            patterns,
            keys: None,
            key_options: KeyOptions::default(),
            layout: record::RecordOptions::default(),
            schema: None,
            records: RecordOptions::default(),
        }
    }

    /// Reads a column for each of these key expressions, which is called like it; see [`avro_path::key`]. They join the
    /// ones that were asked for before. Default: none; whole records are read, a column a field.
    #[must_use]
    pub fn keys<K: Into<Arc<str>>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(Into::into).map(|key| (Arc::clone(&key), key));
        self.keys.get_or_insert_default().extend(keys);
        self
    }

    /// As [`keys`](Self::keys), with names of the columns' own.
    #[must_use]
    pub fn named_keys<N, K>(mut self, keys: impl IntoIterator<Item = (N, K)>) -> Self
    where
        N: Into<Arc<str>>,
        K: Into<Arc<str>>,
    {
        let keys = keys.into_iter().map(|(name, key)| (name.into(), key.into()));
        self.keys.get_or_insert_default().extend(keys);
        self
    }

    /// Chooses the width of offsets in columns of key expressions. Default: 64 bits.
    #[must_use]
    pub fn key_options(mut self, options: KeyOptions) -> Self {
        self.key_options = options;
        self
    }

    /// Chooses what the columns of whole records look like, and which fields there are. Default:
    /// [`RecordOptions::default`](record::RecordOptions), every field a list.
    #[must_use]
    pub fn record_layout(mut self, options: record::RecordOptions) -> Self {
        self.layout = options;
        self
    }

    /// Reads all files with this schema: data of files that were written with another become data of this one by Avro's
    /// rules. Default: the schema of the first file.
    #[must_use]
    pub fn reader_schema(mut self, schema: Schema) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Sets how the files are read. Of the options, limits, threads, stores and what is done with damage count; compression
    /// and checksums are those of Avro.
    #[must_use]
    pub fn record_options(mut self, options: RecordOptions) -> Self {
        self.records = options;
        self
    }

    /// The data set. Finds the files and, unless a schema was given, reads the header of the first.
    ///
    /// # Errors
    /// `Io` when a file or a shard is missing; `Malformed` when the header cannot be read; `InvalidArgument` for a pattern
    /// that cannot be read, for none at all, for a key expression that is none or does not fit the schema, and for whole
    /// records that contain themselves unless a depth is given;
    /// `Unsupported` for [`with_salvage`](RecordOptions::with_salvage), which is for TFRecord files.
    pub fn build(self) -> Result<AvroTfxIo, Error> {
        if self.records.salvage.is_some() && self.records.skip().is_none() {
            let message = "`Salvage` is for TFRecord files; to skip the damaged records of Avro files, use \
                           `RecordOptions::with_on_error`";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let files: Arc<[Arc<str>]> = files::expand(&self.patterns, &self.records)?.into();
        let schema = match (&self.schema, files.first()) {
            (Some(schema), _) => schema.clone(),
            (None, Some(file)) => open::header(file, &self.records)?.schema().clone(),
            (None, None) => return Err(Error::new(ErrorKind::InvalidArgument, "no file is named")),
        };
        let columns = self.columns()?;
        let program = columns.compile(&schema)?;
        Ok(AvroTfxIo { files, schema, columns, program, options: self.records })
    }

    fn columns(&self) -> Result<Columns, Error> {
        let Some(keys) = &self.keys else { return Ok(Columns::Records(self.layout.clone(), None)) };
        let keys = keys.iter().map(|(name, text)| Ok((Arc::clone(name), Key::parse(text)?)));
        Ok(Columns::Keys(keys.collect::<Result<_, Error>>()?, self.key_options))
    }
}
