//! The registry of formats.

use std::sync::Arc;

use tfxio_base::{Error, ErrorKind, Result, suggest};

use crate::{Dataset, DatasetSpec, FileFormat, Files, FormatOptions, RecordFormat, ScanRequest, Store};

/// Formats of files and of records, by name: a value, which a program extends with its own. It is the only list of formats.
///
/// The default, as [`empty`](Self::empty), has no formats, not even the ones of this project: `tfxio::formats()` returns
/// these, to be extended.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    files: Vec<Arc<dyn FileFormat>>,
    records: Vec<Arc<dyn RecordFormat>>,
}

impl Formats {
    /// Returns a registry without formats. `tfxio::formats()` has the ones of this project.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a format of files.
    ///
    /// # Errors
    /// `InvalidArgument` if there is one of this name.
    pub fn register(mut self, format: impl FileFormat) -> Result<Self> {
        if self.files.iter().any(|known| known.name() == format.name()) {
            return Err(registered(format.name()));
        }
        self.files.push(Arc::new(format));
        Ok(self)
    }

    /// Adds a format of records.
    ///
    /// # Errors
    /// `InvalidArgument` if there is one of this name.
    pub fn register_records(mut self, format: impl RecordFormat) -> Result<Self> {
        if self.records.iter().any(|known| known.name() == format.name()) {
            return Err(registered(format.name()));
        }
        self.records.push(Arc::new(format));
        Ok(self)
    }

    /// Returns the formats of files, in the order in which they were added.
    #[must_use]
    pub fn files(&self) -> &[Arc<dyn FileFormat>] {
        &self.files
    }

    /// Returns the formats of records, in the order in which they were added.
    #[must_use]
    pub fn records(&self) -> &[Arc<dyn RecordFormat>] {
        &self.records
    }

    /// Returns the format of files of a name.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none, with the nearest name.
    pub fn file_format(&self, name: &str) -> Result<&Arc<dyn FileFormat>> {
        let names = self.files.iter().map(|format| format.name());
        let found = self.files.iter().find(|format| format.name() == name);
        found.ok_or_else(|| unknown("format of files", name, suggest::hint(name, names, "formats")))
    }

    /// Returns the format of records of a name.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none, with the nearest name.
    pub fn record_format(&self, name: &str) -> Result<&Arc<dyn RecordFormat>> {
        let names = self.records.iter().map(|format| format.name());
        let found = self.records.iter().find(|format| format.name() == name);
        found.ok_or_else(|| unknown("format of records", name, suggest::hint(name, names, "formats")))
    }

    /// Opens the data set of a description, whose files a store holds, without looking at its data. The request controls
    /// how files are read while they are opened.
    ///
    /// # Errors
    /// When the format is not registered or the options do not fit it. Options that `OpenOptions` of `tfxio` takes for any
    /// format, such as `source_column`, are not known here: `OpenOptions::open_spec` opens such descriptions.
    pub fn open(
        &self,
        spec: &DatasetSpec,
        store: Arc<dyn Store>,
        request: ScanRequest,
    ) -> Result<Arc<dyn Dataset>> {
        let format = self.file_format(&spec.format)?;
        let mut known = format.options();
        if format.holds_records() {
            known.extend(self.records.iter().flat_map(|records| records.options()));
        }
        if let Some(key) = spec.options.keys().find(|key| known.iter().all(|spec| spec.key != **key)) {
            let what = format!("the format {} has no option {key:?}", format.name());
            let hint = suggest::hint(key, known.iter().map(|spec| spec.key), "options");
            let help = format!(
                "{hint}; options of any format, such as source_column, are those of `OpenOptions::open_spec`"
            );
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(help));
        }
        let options = spec.options.iter().fold(FormatOptions::default(), |options, (key, value)| {
            options.option(key.as_str(), value.clone())
        });
        let mut options = options.checked(format.name(), &known)?;
        (options.schema, options.request) = (Some(Arc::clone(&spec.schema)), request);
        options.formats = self.clone();
        format.open(Files::new(spec.files.iter().cloned(), store), &options)
    }

    /// Returns the format of files with the longest ending that a name has, regardless of case.
    #[must_use]
    pub fn by_ending(&self, name: &str) -> Option<&Arc<dyn FileFormat>> {
        let name = name.to_ascii_lowercase();
        let ending = |format: &Arc<dyn FileFormat>| {
            let endings =
                format.endings().iter().filter(|ending| name.ends_with(&ending.to_ascii_lowercase()));
            endings.map(|ending| ending.len()).max()
        };
        let known = self.files.iter().filter_map(|format| Some((ending(format)?, format)));
        // Of two with one ending, the one that was added last: a program can replace ours.
        known.max_by_key(|(len, _)| *len).map(|(_, format)| format)
    }

    /// Returns the first format of files that recognises these first bytes. Formats that were added last are asked first.
    #[must_use]
    pub fn by_first_bytes(&self, first_bytes: &[u8]) -> Option<&Arc<dyn FileFormat>> {
        self.files.iter().rev().find(|format| format.sniff(first_bytes))
    }
}

fn registered(name: &str) -> Error {
    let what = format!("there is a format {name:?} already");
    Error::new(ErrorKind::InvalidArgument, what).help("register it under another name")
}

fn unknown(what: &str, name: &str, hint: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("there is no {what} {name:?}")).help(hint)
}
