//! The reader of damaged files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use tfxio_base::LostRange;

use super::engine::{Found, SalvageEngine};
use super::input::Input;
use super::report::{Reason, Report};
use super::stream::Stream;
use crate::compression::Compression;
use crate::reader::{Record, open_file};
use crate::{Limits, Result};

/// Sets up a [`SalvageReader`] over a source: a path, which [`open`](Self::open) opens, or any `Read`, which
/// [`build`](Self::build) takes. Made by [`SalvageReader::builder`].
///
/// ```
/// use tfrecord_io::frame;
/// use tfrecord_io::salvage::SalvageReader;
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"one");
/// frame::append(&mut file, b"two");
/// file[12] ^= 1;
///
/// let mut reader = SalvageReader::builder(&file[..]).name("broken").build();
/// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"two"[..]));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SalvageBuilder<S> {
    source: S,
    compression: Option<Compression>,
    limits: Limits,
    lookahead_bytes: usize,
    name: Option<Arc<str>>,
}

impl<S> SalvageBuilder<S> {
    /// Returns a builder that detects the compression, with default limits.
    fn over(source: S) -> Self {
        Self { source, compression: None, limits: Limits::default(), lookahead_bytes: 16 << 20, name: None }
    }

    /// States the compression; `None` detects it. Default: `None`. To be stated if the first bytes are damaged.
    pub fn compression(mut self, compression: impl Into<Option<Compression>>) -> Self {
        self.compression = compression.into();
        self
    }

    /// Sets the limits. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the number of bytes for which records after a damage are followed, to tell records of the file from those
    /// within a payload. Default: 16 MiB. TFRecord data in a damaged payload that is longer may be taken for records.
    pub fn lookahead_bytes(mut self, bytes: usize) -> Self {
        self.lookahead_bytes = bytes;
        self
    }

    /// Names the source in errors and in the report. [`open`](Self::open) uses the path.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl<R: Read> SalvageBuilder<R> {
    /// Reads the source, which is at the start of a file.
    pub fn build(self) -> SalvageReader<R> {
        let stream = Stream::new(Input::new(self.source, self.compression, self.limits));
        SalvageReader {
            engine: SalvageEngine::new(stream, self.limits.record_bytes, self.lookahead_bytes),
            report: Report { file: self.name, ..Report::default() },
            last_good_offset: None,
        }
    }
}

impl<P: AsRef<Path>> SalvageBuilder<P> {
    /// Opens the file.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or may not be read.
    pub fn open(self) -> Result<SalvageReader<File>> {
        let (file, name) = open_file(self.source.as_ref())?;
        let Self { source: _, compression, limits, lookahead_bytes, name: given } = self;
        let name = Some(given.unwrap_or(name));
        Ok(SalvageBuilder { source: file, compression, limits, lookahead_bytes, name }.build())
    }
}

/// Reads the good records of a damaged file and reports the losses. Made by a [`SalvageBuilder`].
#[derive(Debug)]
pub struct SalvageReader<R = File> {
    engine: SalvageEngine<R>,
    report: Report,
    last_good_offset: Option<u64>,
}

impl SalvageReader<File> {
    /// Opens a file with default settings.
    ///
    /// # Errors
    ///
    /// As [`SalvageBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader over `source`: a path or any [`Read`].
    pub fn builder<S>(source: S) -> SalvageBuilder<S> {
        SalvageBuilder::over(source)
    }
}

impl<R: Read> SalvageReader<R> {
    /// Reads from `source` with default settings.
    pub fn new(source: R) -> Self {
        SalvageBuilder::over(source).build()
    }

    /// Returns the next good record, or `None` at the end. The numbers of the records do not count lost ones; the
    /// offsets refer to the uncompressed stream.
    ///
    /// # Errors
    ///
    /// - Reading fails.
    /// - [`Kind::NotTfRecord`](crate::Kind::NotTfRecord): the file begins like a file of another kind.
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>> {
        loop {
            match self.engine.advance() {
                Ok(Found::Record) => break,
                Ok(Found::Damage(mut damage)) => {
                    (damage.records_before, damage.last_good_offset) =
                        (self.report.records, self.last_good_offset);
                    self.report.add(damage);
                }
                Ok(Found::End) => return Ok(None),
                Err(error) => {
                    let error = if error.position().byte.is_some() {
                        error.at_record(self.report.records)
                    } else {
                        error
                    };
                    return Err(error.in_file_if_known(self.report.file.as_ref()));
                }
            }
        }
        let (offset, data) = self.engine.record();
        let index = self.report.records;
        self.report.records += 1;
        self.report.payload_bytes = self.report.payload_bytes.saturating_add(data.len() as u64);
        self.last_good_offset = Some(offset);
        Ok(Some(Record { offset, index, data }))
    }

    /// Returns the findings so far. Complete when [`next_record`](Self::next_record) has returned `None`.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Takes the damages that were listed so far out of the report, whose sums stay: a reader that looks at them as it
    /// goes needs no memory for them.
    pub fn take_damages(&mut self) -> Vec<LostRange<Reason>> {
        std::mem::take(&mut self.report.damages)
    }

    /// Returns the report.
    pub fn into_report(self) -> Report {
        self.report
    }
}
