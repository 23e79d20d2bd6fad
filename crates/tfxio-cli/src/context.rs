//! Context of every command: the formats, and the options of the files.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow_schema::Schema;
use tfxio::example_codec::Kind;
use tfxio::{
    Dataset, DatasetSpec, Error, ErrorKind, Formats, OpenOptions, OptionValue, Remedy, SpoolLimits, is_url,
};

use crate::args::DASH;
use crate::failure::{Failure, options_as_flags, say};
use crate::progress::{self, Guard};
use crate::table::counted;
use crate::{escape, verbosity};

/// The option of formats that infer columns from records.
const INFER_RECORDS: &str = "infer_records";
/// Bytes of local files up to which all of their records are looked at, and the records that are looked at of others.
const WHOLE: u64 = 256 << 20;
const SAMPLE: u64 = 10_000;

/// The formats, and the options of the files.
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
        if progress::is_shown() || verbosity::is_verbose() {
            let seen = AtomicU64::new(0);
            options = options.on_read(move |all| {
                let before = seen.fetch_max(all, Ordering::Relaxed);
                progress::read(all.saturating_sub(before));
            });
        }
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

    /// Begins a bar over the bytes of files, which is shown until the guard is dropped.
    pub(crate) fn watch<S: AsRef<str>>(&self, verb: &str, files: &[S]) -> Guard {
        if !progress::is_shown() {
            return progress::begin("", None);
        }
        let what = match files {
            [one] if one.as_ref() == DASH => "standard input".to_owned(),
            [one] => escape::line(one.as_ref()).into_owned(),
            several => format!("{} files", several.len()),
        };
        progress::begin(format!("{verb} {what}"), self.size(files))
    }

    /// Returns the bytes of local files; of others nobody knows them without asking for each.
    fn size<S: AsRef<str>>(&self, files: &[S]) -> Option<u64> {
        let mut sum = 0u64;
        for pattern in files.iter().map(AsRef::as_ref) {
            if pattern == DASH || is_url(pattern) {
                return None;
            }
            let files = OpenOptions::new().formats(&self.formats).files(pattern).ok()?;
            for name in files.names() {
                sum = sum.saturating_add(files.store().size(name).ok()??);
            }
        }
        Some(sum)
    }

    /// Returns how many records the columns of files are inferred from, where they are.
    fn inferred_from(&self, spec: &DatasetSpec) -> Option<u64> {
        let format = self.formats.file_format(&spec.format).ok()?;
        let count = |key: &str| match spec.options.get(key) {
            Some(OptionValue::Count(count)) => Some(*count),
            _ => None,
        };
        if !format.options().iter().any(|option| option.key == INFER_RECORDS) {
            return None;
        }
        // As the formats decide where nothing is said.
        let is_small =
            || self.size(&spec.files).is_some_and(|size| size <= count("infer_bytes").unwrap_or(WHOLE));
        Some(count(INFER_RECORDS).unwrap_or_else(|| if is_small() { u64::MAX } else { SAMPLE }))
    }

    /// Prints, with `--verbose`, the decisions about files that were opened.
    pub(crate) fn tell(&self, dataset: &dyn Dataset) {
        if !verbosity::is_verbose() {
            return;
        }
        let columns = counted(dataset.schema().fields().len() as u64, "column");
        let Ok(spec) = dataset.local_spec() else {
            return verbosity::tell(format_args!("{columns}"));
        };
        let files = counted(spec.files.len() as u64, "file");
        let option = |key: &str| match spec.options.get(key) {
            Some(OptionValue::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let records = option("records").map(|records| format!(" of {records} records")).unwrap_or_default();
        let how = if self.stated.is_some() { "stated" } else { "found out" };
        verbosity::tell(format_args!(
            "{files} of the format {}{records}, which was {how}",
            escape::line(&spec.format)
        ));
        let from = match self.inferred_from(&spec) {
            _ if option("records").as_deref() == Some("raw") => "the records as they are".to_owned(),
            _ if option("schema").is_some() => "of the schema that was given".to_owned(),
            None => "of the schema in the files".to_owned(),
            Some(u64::MAX) => "inferred from all records".to_owned(),
            Some(most) => format!("inferred from the first {} at most", counted(most, "record")),
        };
        verbosity::tell(format_args!("{columns}, {from}"));
        if let Ok(partitions) = dataset.partitions(u64::MAX) {
            verbosity::tell(format_args!(
                "read in {} at least",
                counted(partitions.len() as u64, "partition")
            ));
        }
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

    /// Adds to an error about a record's content how to state another format, if none was stated.
    pub(crate) fn explain(&self, error: Error, schema: Option<&Schema>) -> Error {
        let is_mixed = matches!(error.detail(), Some(Kind::KindMismatch { .. }));
        let is_column = |name: &str| schema.is_some_and(|schema| schema.field_with_name(name).is_ok());
        // What rows of other formats hold has no byte in a file of records.
        let is_of_records = error.detail::<Kind>().is_some()
            && error.position().byte.is_some()
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

/// Prints a note, once: a command may open files twice.
pub(crate) fn note(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    if is_new {
        say(format_args!("note: {}", options_as_flags(text)));
    }
}
