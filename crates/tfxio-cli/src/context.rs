//! What every command is given: the formats, and what was said about the files.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use arrow_schema::Schema;
use tfxio::example_codec::Kind;
use tfxio::{Dataset, Error, ErrorKind, Formats, OpenOptions, OptionValue, Remedy, SpoolLimits};

use crate::failure::{Failure, options_as_flags, say};

/// The formats, and what was said about the files.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) formats: Formats,
    /// Format of the files or of their records, where it was stated.
    pub(crate) stated: Option<String>,
    /// Options of formats that were set.
    pub(crate) options: Vec<(String, OptionValue)>,
    /// Options for the formats that have them.
    pub(crate) preferred: Vec<(String, OptionValue)>,
    /// The most bytes that are kept of standard input.
    pub(crate) spool_bytes: Option<u64>,
}

impl Context {
    pub(crate) fn new(formats: &Formats) -> Self {
        Self {
            formats: formats.clone(),
            stated: None,
            options: Vec::new(),
            preferred: Vec::new(),
            spool_bytes: None,
        }
    }

    /// Returns how much is kept of standard input.
    pub(crate) fn spool_limits(&self) -> SpoolLimits {
        let limits = SpoolLimits::default();
        self.spool_bytes.map_or(limits, |bytes| limits.file_bytes(bytes))
    }

    /// Returns what files are opened with.
    pub(crate) fn open_options(&self) -> Result<OpenOptions, Failure> {
        let mut options =
            OpenOptions::new().formats(&self.formats).spool_limits(self.spool_limits()).on_note(note);
        if let Some(stated) = &self.stated {
            options = options.format(stated.as_str());
        }
        for (key, value) in &self.preferred {
            options = options.prefer(key, value.clone());
        }
        for (key, value) in &self.options {
            options = options.set(key, value.clone())?;
        }
        Ok(options)
    }

    /// Returns a context in which an option is set, too.
    pub(crate) fn set(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.options.push((key.to_owned(), value.into()));
        self
    }

    /// Returns a context in which an option is set for the formats that have it.
    pub(crate) fn prefer(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.preferred.push((key.to_owned(), value.into()));
        self
    }

    /// Says of an error about what a record holds how to state that it holds something else, where it was not stated.
    pub(crate) fn explain(&self, error: Error, schema: Option<&Schema>) -> Error {
        let is_mixed = matches!(error.detail(), Some(Kind::KindMismatch { .. }));
        let is_column = |name: &str| schema.is_some_and(|schema| schema.field_with_name(name).is_ok());
        let is_of_records = error.detail::<Kind>().is_some()
            && matches!(error.kind(), ErrorKind::Malformed | ErrorKind::SchemaMismatch)
            && !matches!(error.detail(), Some(Kind::UnknownFeature))
            // What has several kinds as a column is not something else for that.
            && !(is_mixed && error.position().column.as_deref().is_none_or(is_column));
        let is_said = error.remedy() == Some(Remedy::StateRecords);
        if self.stated.is_some() || is_said || !is_of_records {
            return error;
        }
        let before = error.hint().map(|hint| format!("{hint}; ")).unwrap_or_default();
        let names = self.formats.records().iter().rev().map(|format| format!("`--as {}`", format.name()));
        let names = names.collect::<Vec<_>>().join(", ");
        error.help(format!("{before}if the records hold something else, state their format: {names}"))
    }

    /// Returns whether a data set was opened with an option.
    pub(crate) fn has(dataset: &dyn Dataset, key: &str) -> bool {
        dataset.local_spec().is_ok_and(|spec| spec.options.contains_key(key))
    }
}

/// Says what a user may not expect, each once: a command may open files twice.
pub(crate) fn note(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    if is_new {
        say(format_args!("note: {}", options_as_flags(text)));
    }
}
