//! Opening of files with options.

use std::collections::HashSet;
use std::sync::Arc;

use tfxio_core::{
    Dataset, DatasetSpec, Error, ErrorKind, FileFormat, Files, FormatOptions, Formats, Result, Store,
};
use tfxio_store::FileStore;
use tfxio_store::{Named, Shards};

use super::OpenOptions;
use crate::open::directories::Notes;
use crate::open::missing::Missing;
use crate::open::opening::Opening;
use crate::open::patterns::Patterns;
use crate::open::{directories, find};

/// Key of the format of records.
const RECORDS: &str = "records";

impl OpenOptions {
    /// Opens the files that one pattern names, or several, as a data set. `tfrecord_io::shards` explains the patterns, and [`FileStore`]
    /// the files of a directory.
    ///
    /// # Errors
    /// When a file cannot be read or has another format than is stated, local files have several formats, the options do not fit
    /// the format, or a schema cannot be inferred.
    pub fn open(&self, patterns: impl Patterns) -> Result<Arc<dyn Dataset>> {
        let (opening, looks_like, store) = self.find_files(patterns)?;
        self.refuse_others(&opening)?;
        let dataset = opening.open().map_err(|error| find::explained(error, looks_like.as_deref()));
        if let Some(store) = store {
            store.set_opened();
        }
        dataset
    }

    /// As [`open`](Self::open), on the runtime of the caller: the files are found and looked at by a task on [`spawn`](Self::spawn), or on a
    /// thread of its own where none is set. Dropping the future ends it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    ///
    /// ```
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// use tfxio_formats::OpenOptions;
    ///
    /// let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let dataset = runtime.block_on(OpenOptions::new().open_async(pattern))?;
    /// assert!(dataset.schema().field_with_name("label").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "async")]
    pub fn open_async(&self, patterns: impl Patterns) -> tfxio_scan::Spawned<Arc<dyn Dataset>> {
        let patterns = patterns.patterns();
        let spawn = self.options.request.spawn.clone().unwrap_or_else(|| Arc::new(tfxio_core::Threads));
        let cancel = self.options.request.cancel.child();
        let options = self.clone().cancel(cancel.clone());
        tfxio_scan::Spawned::new(spawn, cancel, move || options.open(patterns.as_slice()))
    }

    /// Finds the files that patterns name and their format, for what a format offers beside data sets: see the
    /// capabilities of [`FileFormat`].
    ///
    /// # Errors
    /// When a file cannot be read, the format is not known, local files have several, or the options do not fit it.
    pub fn find(&self, patterns: impl Patterns) -> Result<Found> {
        let (opening, ..) = self.find_files(patterns)?;
        self.refuse_others(&opening)?;
        let format = Arc::clone(&opening.format);
        let checked = opening.checked()?;
        Ok(Found { format, files: checked.files, options: checked.options })
    }

    /// Refuses local files of several formats, unless one was stated.
    fn refuse_others(&self, opening: &Opening) -> Result<()> {
        if self.format.is_some() {
            return Ok(());
        }
        let cancel = &self.options.request.cancel;
        find::refuse_others(&opening.formats, &opening.format, &opening.files, "open", cancel)
    }

    /// Returns the files that one pattern names, or several, without a look into them. Of a directory these are the files below it whose
    /// names have the ending of a format, or of the stated one; all files of data where no name does.
    ///
    /// # Errors
    /// When nothing matches, or a directory or a store cannot be listed.
    pub fn files(&self, patterns: impl Patterns) -> Result<Files> {
        self.named(patterns).map(|(files, ..)| files)
    }

    /// Returns the files, the shards that are missing, which is said, and the store if it is ours.
    fn named(&self, patterns: impl Patterns) -> Result<(Files, Option<Missing>, Option<Arc<FileStore>>)> {
        let patterns = patterns.patterns();
        if patterns.is_empty() {
            let what = "no file is named";
            return Err(
                Error::new(ErrorKind::InvalidArgument, what).help("name at least one file or pattern")
            );
        }
        let (store, opened) = self.new_store();
        let named = match &opened {
            Some(store) => {
                let formats = self.known();
                let choose = |directory: &str, files| {
                    let note = |text: &str| self.say(text);
                    directories::choose(directory, files, &formats, self.format.as_deref(), note)
                };
                let named = store.expand(&patterns, &choose)?;
                directories::say_again(&named.again, |text: &str| self.say(text));
                named
            }
            None => expand(&*store, &patterns)?,
        };
        let missing = Missing::of(named.missing, &self.options)?;
        if let Some(missing) = &missing {
            self.say(missing.note());
        }
        Ok((Files::new(named.files, store), missing, opened))
    }

    /// Notes what a user may not expect.
    pub fn say(&self, text: &str) {
        Notes::say(self.notes.as_ref(), text);
    }

    /// Returns the files, the format that they look like if it is not the one that was stated, and the store if it is ours.
    pub fn find_files(
        &self,
        patterns: impl Patterns,
    ) -> Result<(Opening, Option<String>, Option<Arc<FileStore>>)> {
        let (files, missing, opened) = self.named(patterns)?;
        let formats = self.known();
        let mut options = self.options.clone();
        let found = find::format(&formats, self.format.as_deref(), &files, &options.request.cancel)?;
        if let Some(records) = found.records {
            options = options.option(RECORDS, records);
        }
        let opening = Opening { missing, ..self.opening(found.format, formats, files, options) };
        Ok((opening, found.looks_like, opened))
    }

    /// Opens the data set of a description, without looking at its data.
    ///
    /// # Errors
    /// When the format is not registered or the options do not fit it.
    pub fn open_spec(&self, spec: &DatasetSpec) -> Result<Arc<dyn Dataset>> {
        let (store, opened) = self.new_store();
        let formats = self.known();
        let mut options = self.options.clone();
        for (key, value) in &spec.options {
            options = options.option(key, value.clone());
        }
        options.schema = Some(Arc::clone(&spec.schema));
        let format = Arc::clone(formats.file_format(&spec.format)?);
        let files = Files::new(spec.files.iter().cloned(), store);
        if let Some(store) = opened {
            store.set_opened();
        }
        self.opening(format, formats, files, options).open()
    }

    /// Returns the files that a description names, in the store that these options read, without a look at them.
    ///
    /// ```
    /// use tfxio_formats::OpenOptions;
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let spec = tfxio_formats::open(digits)?.spec()?;
    /// let files = OpenOptions::new().spec_files(&spec);
    /// assert_eq!(files.names().len(), 3);
    /// assert_eq!(files.store().size(&files.names()[0])?, Some(198_868));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    #[must_use]
    pub fn spec_files(&self, spec: &DatasetSpec) -> Files {
        Files::new(spec.files.iter().cloned(), self.new_store().0)
    }

    /// Returns files whose format is known.
    fn opening(
        &self,
        format: Arc<dyn FileFormat>,
        formats: Formats,
        files: Files,
        options: FormatOptions,
    ) -> Opening {
        let (preferred, notes) = (self.preferred.clone(), self.notes.clone());
        Opening { format, formats, files, options, preferred, notes, missing: None }
    }
}

/// Returns the files that patterns name, each once.
fn expand(store: &dyn Store, patterns: &[Arc<str>]) -> Result<Named> {
    let (mut named, mut shards) = (Named::default(), Shards::default());
    let mut seen = HashSet::new();
    for pattern in patterns {
        let names = store.list(pattern)?;
        shards.add(pattern, &names);
        named.files.extend(names.into_iter().filter(|name| seen.insert(Arc::clone(name))));
    }
    named.missing = shards.missing()?;
    Ok(named)
}

/// Files and their format, with the options that it was asked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found {
    /// Format of the files.
    pub format: Arc<dyn FileFormat>,
    /// The files, in order.
    pub files: Files,
    /// Options, checked against the options of the format.
    pub options: FormatOptions,
}
