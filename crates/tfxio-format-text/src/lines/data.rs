//! The files of a data set, and known facts about them.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio_core::{Cancel, Error, Files, Limits, Partition, Result};

use super::Syntax;
use super::reader::{Part, RowReader};
use super::row_map::RowMap;
use super::text::{Text, is_gzip};

/// The files of a data set, and known facts about them. Shared by all scans.
#[derive(Debug)]
pub(crate) struct Data {
    pub(super) files: Files,
    pub(super) syntax: Syntax,
    facts: Mutex<HashMap<Arc<str>, FileFacts>>,
}

/// Known facts about a file.
#[derive(Clone, Debug, Default)]
struct FileFacts {
    is_compressed: Option<bool>,
    /// Offset just past the header.
    header_end: Option<u64>,
    rows: Option<Arc<RowMap>>,
}

impl Data {
    pub(crate) fn new(files: Files, syntax: Syntax) -> Self {
        Self { files, syntax, facts: Mutex::default() }
    }

    fn facts(&self) -> MutexGuard<'_, HashMap<Arc<str>, FileFacts>> {
        // Entries are whole at every moment.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, file: &Arc<str>) -> FileFacts {
        self.facts().get(file).cloned().unwrap_or_default()
    }

    fn note(&self, file: &Arc<str>, note: impl FnOnce(&mut FileFacts)) {
        note(self.facts().entry(Arc::clone(file)).or_default());
    }

    /// Returns a reader of a file from its beginning.
    pub(super) fn reader(
        &self,
        file: &Arc<str>,
        end: u64,
        records: u64,
        limits: &Limits,
        cancel: &Cancel,
    ) -> Result<RowReader> {
        let input = self.files.open_with(&Partition::range(Arc::clone(file), 0, end), cancel)?;
        let text = Text::open(input, limits).map_err(|error| error.in_file(Arc::clone(file)))?;
        self.note(file, |facts| facts.is_compressed = Some(text.is_compressed()));
        // The offsets of a partition are those of the file as it is stored.
        let end = if text.is_compressed() { u64::MAX } else { end };
        let part = Part { file: Arc::clone(file), text, offset: 0, record: 0, end, records };
        Ok(RowReader::new(part, &self.syntax, limits, cancel))
    }

    /// Returns whether a file is compressed, so that it can only be read from its beginning.
    pub(super) fn is_compressed(&self, file: &Arc<str>, cancel: &Cancel) -> Result<bool> {
        if let Some(known) = self.of(file).is_compressed {
            return Ok(known);
        }
        let mut first_bytes = Vec::new();
        let input = self.files.open_with(&Partition::range(Arc::clone(file), 0, 3), cancel)?;
        let read = input.take(3).read_to_end(&mut first_bytes);
        read.map_err(|error| Error::io(error, "reading the first bytes").in_file(Arc::clone(file)))?;
        let is_compressed = is_gzip(&first_bytes);
        self.note(file, |facts| facts.is_compressed = Some(is_compressed));
        Ok(is_compressed)
    }

    /// Returns where the header of a file ends that is not compressed.
    pub(super) fn header_end(&self, file: &Arc<str>, limits: &Limits, cancel: &Cancel) -> Result<u64> {
        if self.syntax.header.is_none() {
            return Ok(0);
        }
        if let Some(known) = self.of(file).header_end {
            return Ok(known);
        }
        let mut reader = self.reader(file, u64::MAX, u64::MAX, limits, cancel)?;
        reader.pass_over(1, |_| false)?;
        let end = reader.offset();
        self.note(file, |facts| facts.header_end = Some(end));
        Ok(end)
    }

    /// Returns the known offsets of the rows of a file, if there are any.
    pub(super) fn known_rows(&self, file: &Arc<str>) -> Option<Arc<RowMap>> {
        self.of(file).rows
    }

    /// Returns where the rows of a file begin that is not compressed, which reads all of it, once.
    pub(super) fn rows(&self, file: &Arc<str>, limits: &Limits, cancel: &Cancel) -> Result<Arc<RowMap>> {
        if let Some(known) = self.known_rows(file) {
            return Ok(known);
        }
        let rows = Arc::new(RowMap::read(self.reader(file, u64::MAX, u64::MAX, limits, cancel)?)?);
        self.note(file, |facts| facts.rows = Some(Arc::clone(&rows)));
        Ok(rows)
    }
}
