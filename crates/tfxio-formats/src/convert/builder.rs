//! What a conversion is asked for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tfxio_core::{
    Column, Error, ErrorKind, FileFormat, FormatOptions, Formats, OptionValue, Result, ScanRequest, Store,
    suggest,
};

use super::Conversion;
use super::counted::Counter;
use crate::OpenOptions;
use crate::open::find;
use crate::open::opening::{self, specs};
use crate::output::{self, refuse_input};

/// Options that say for themselves what the columns of a request are.
const COLUMNS: [&str; 2] = ["keys", "fields"];

/// What a conversion is asked for: see [`Conversion::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ConversionBuilder {
    inputs: Vec<Arc<str>>,
    output: PathBuf,
    open: OpenOptions,
    output_format: Option<String>,
    set: BTreeMap<String, OptionValue>,
    preferred: BTreeMap<String, OptionValue>,
}

impl ConversionBuilder {
    pub(super) fn new(inputs: Vec<Arc<str>>, output: PathBuf) -> Self {
        Self {
            inputs,
            output,
            open: OpenOptions::new(),
            output_format: None,
            set: BTreeMap::new(),
            preferred: BTreeMap::new(),
        }
    }

    /// Sets the formats that are known. Default: [`formats`](crate::formats).
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.open = self.open.formats(formats);
        self
    }

    /// States the format of the input files. Default: found out from first bytes and names.
    pub fn input_format(mut self, name: impl Into<String>) -> Self {
        self.open = self.open.format(name);
        self
    }

    /// States the format of the output. Default: by the ending of its name.
    pub fn output_format(mut self, name: impl Into<String>) -> Self {
        self.output_format = Some(name.into());
        self
    }

    /// Sets an option of the format of the inputs, of that of the output, or of both.
    pub fn set(mut self, key: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        self.set.insert(key.into(), value.into());
        self
    }

    /// Sets an option where one of the formats has it and it is not set otherwise.
    pub fn prefer(mut self, key: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        self.preferred.insert(key.into(), value.into());
        self
    }

    /// Sets what is read: columns, rows a batch, a filter, limits, threads, what is done with damage, what ends it.
    /// Default: all columns, of tf.Example inferred from all records, which reads the inputs twice.
    pub fn request(mut self, request: ScanRequest) -> Self {
        self.open = self.open.request(request);
        self
    }

    /// Sets the store that holds the inputs. Default: paths, pipes and URLs.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.open = self.open.store(store);
        self
    }

    /// Sets the object stores that URLs of inputs lead to, as [`OpenOptions::stores`].
    #[cfg(feature = "object-store")]
    pub fn stores(mut self, stores: crate::store::Stores) -> Self {
        self.open = self.open.stores(stores);
        self
    }

    /// Finds the inputs, and the formats of both sides.
    ///
    /// # Errors
    /// When an input is missing; `InvalidArgument` when the name of the output says no format, or is that of an input, the
    /// inputs are of several formats, or neither format has an option.
    pub fn build(self) -> Result<Conversion> {
        let output = self.output.to_string_lossy().into_owned();
        output::check(&output)?;
        if self.output.to_str().is_none() {
            let error = Error::new(ErrorKind::InvalidArgument, "the name of the output is not valid Unicode");
            return Err(error.help("choose another name").in_file(output));
        }
        let (formats, request) = (self.open.known(), self.open.requested().clone());
        let to = output_format(&formats, self.output_format.as_deref(), &output)?;
        let counter = Arc::new(Counter::default());
        let open = self.open.clone().count(Arc::clone(&counter));
        let (mut opening, looks_like, store) = open.find_files(self.inputs.as_slice())?;
        find::refuse_others(&formats, opening.format(), opening.files(), &request.cancel)?;
        refuse_input(opening.files(), &self.output)?;

        let from = Arc::clone(opening.format());
        let (of_input, of_output) = (specs(&*from, &formats), specs(&*to, &formats));
        let of_opener = opening::options();
        let reads =
            |key: &str| of_input.iter().chain(&of_opener).any(|spec| spec.key == key && !spec.is_output);
        let writes = |key: &str| of_output.iter().any(|spec| spec.key == key);
        let unknown = |key: &&String| !reads(key) && !writes(key);
        if let Some(key) = self.set.keys().find(unknown) {
            let what = match from.name() == to.name() {
                true => format!("the format {} has no option {key:?}", from.name()),
                false => format!("neither {} nor {} has an option {key:?}", from.name(), to.name()),
            };
            let keys = of_input.iter().chain(&of_output).map(|spec| spec.key);
            return Err(
                Error::new(ErrorKind::InvalidArgument, what).help(suggest::hint(key, keys, "options"))
            );
        }
        let mut stated = self.preferred.clone();
        stated.extend(self.set.clone());
        let mut asked = FormatOptions::default();
        for (key, value) in self.defaults(&*from, &*to, &request).into_iter().chain(stated.clone()) {
            opening.prefer(&key, value);
        }
        for (key, value) in stated.into_iter().filter(|(key, _)| writes(key)) {
            asked = asked.set(key, value);
        }
        // What does not fit is said before anything is read.
        opening.clone().checked()?;
        let mut options = asked.checked(to.name(), &of_output)?;
        options.formats = formats;
        options.store = Some(Arc::clone(opening.files().store()));
        options.request = request.clone();
        let sizes = opening.files().names().iter().map(|file| opening.files().store().size(file));
        let bytes_in = sizes.filter_map(|size| size.ok().flatten()).fold(0, u64::saturating_add);
        Ok(Conversion {
            opening,
            looks_like,
            store,
            counter,
            output: self.output,
            format: to,
            options,
            request,
            bytes_in,
            schema: OnceLock::new(),
        })
    }

    /// Returns what the inputs are opened with where nothing else is said.
    fn defaults(
        &self,
        from: &dyn FileFormat,
        to: &dyn FileFormat,
        request: &ScanRequest,
    ) -> Vec<(String, OptionValue)> {
        // A schema that fits all records.
        let mut defaults = vec![("infer_records".to_owned(), OptionValue::Count(u64::MAX))];
        // Records hold lists; other formats hold values as they are.
        if !to.holds_records() {
            defaults.push(("layout".to_owned(), "plain".into()));
        }
        if !from.holds_records()
            && let Some(columns) = &request.columns
            && !COLUMNS.iter().any(|key| self.set.contains_key(*key) || self.preferred.contains_key(*key))
        {
            // What is not asked for may be what makes no columns.
            let name = |column: &Column| column.path.initial_step().ok().map(str::to_owned);
            let names = columns.iter().filter_map(name).collect::<Vec<_>>();
            defaults.push(("fields".to_owned(), names.into()));
        }
        defaults
    }
}

/// Returns the format of an output.
fn output_format(formats: &Formats, stated: Option<&str>, output: &str) -> Result<Arc<dyn FileFormat>> {
    if let Some(name) = stated {
        return formats.file_format(name).map(Arc::clone);
    }
    formats.by_ending(output).map(Arc::clone).ok_or_else(|| {
        let endings = formats.files().iter().flat_map(|format| format.endings().iter().copied());
        let endings = endings.collect::<Vec<_>>().join(", ");
        let what = "the name of the output does not say its format";
        let error = Error::new(ErrorKind::InvalidArgument, what);
        error.help(format!("end it with one of {endings}, or state the format")).in_file(output)
    })
}
