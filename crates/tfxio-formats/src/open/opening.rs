//! Opening files whose format is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use tfxio_core::{
    Dataset, FileFormat, Files, FormatOptions, Formats, OptionSpec, OptionType, OptionValue, Result,
};

use super::directories::Notes;
use super::missing::{MISSING_SHARDS, Missing};
use super::opened::Opened;
use crate::values::{ValueOptions, valued};

/// Key of the name of the column with the record of each row, of any format.
pub(super) const SOURCE_COLUMN: &str = "source_column";
/// Options of any format.
const OPTIONS: [OptionSpec; 2] = [
    MISSING_SHARDS,
    OptionSpec::new(
        SOURCE_COLUMN,
        OptionType::Text,
        "Name of a further column with the file, the offset and the number of the record that each row was. Default: none.",
    ),
];

/// Returns the options that the opener takes of any format.
pub fn options() -> Vec<OptionSpec> {
    #[allow(unused_mut, reason = "features add some")]
    let mut specs = [&OPTIONS[..], &crate::values::OPTIONS].concat();
    #[cfg(feature = "tensors")]
    specs.extend(super::tensor_options::OPTIONS);
    specs
}

/// Returns the options of a format and, where it holds records, of their formats.
pub fn specs(format: &dyn FileFormat, formats: &Formats) -> Vec<OptionSpec> {
    let mut specs = format.options();
    if format.holds_records() {
        specs.extend(formats.records().iter().flat_map(|records| records.options()));
    }
    specs
}

/// Files whose format is known.
#[derive(Clone, Debug)]
pub struct Opening {
    pub(super) format: Arc<dyn FileFormat>,
    pub(super) formats: Formats,
    pub(super) files: Files,
    pub(super) options: FormatOptions,
    pub(super) preferred: BTreeMap<String, OptionValue>,
    pub(super) notes: Option<Notes>,
    /// Shards that are not there although others of their sets are.
    pub(super) missing: Option<Missing>,
}

/// Checked options of a format, and of the opener.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The files.
    pub files: Files,
    /// The options of the format.
    pub options: FormatOptions,
    /// Name of the source column.
    source: Option<Arc<str>>,
    /// Columns that are scalars, and columns that are text.
    values: ValueOptions,
    /// Options that the format does not have.
    own: BTreeMap<String, OptionValue>,
}

impl Opening {
    /// Returns the format of the files.
    pub fn format(&self) -> &Arc<dyn FileFormat> {
        &self.format
    }

    /// Returns the files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Notes what a user may not expect.
    pub fn say(&self, text: &str) {
        Notes::say(self.notes.as_ref(), text);
    }

    /// Sets an option where the format has it and it is not set otherwise.
    pub fn prefer(&mut self, key: &str, value: OptionValue) {
        self.preferred.insert(key.to_owned(), value);
    }

    /// Separates the options of the format from the options of the opener.
    ///
    /// # Errors
    /// `InvalidArgument` for an option that is not known.
    pub fn checked(self) -> Result<Checked> {
        let Self { format, formats, files, mut options, preferred, .. } = self;
        let of_format = specs(&*format, &formats);
        let specs = [of_format.clone(), self::options()].concat();
        for (key, value) in preferred {
            if specs.iter().any(|spec| spec.key == key && !spec.is_output) {
                // The format of the records, which may not have it, is not known yet.
                options = options.prefer(key, value);
            }
        }
        let mut options = options.checked(format.name(), &specs)?;
        options.formats = formats;
        options.take(MISSING_SHARDS.key);
        let values = ValueOptions::take(&mut options, &of_format);
        let source = options.take(SOURCE_COLUMN);
        let source = match &source {
            Some(OptionValue::Text(name)) => Some(Arc::<str>::from(name.as_str())),
            _ => None,
        };
        #[cfg(feature = "tensors")]
        let own = super::tensor_options::take(&mut options, &**files.store(), &of_format)?;
        #[cfg(not(feature = "tensors"))]
        let own = BTreeMap::new();
        Ok(Checked { files, options, source, values, own })
    }

    /// Opens the files.
    ///
    /// # Errors
    /// When an option is not known, a file cannot be read, or its schema cannot be inferred.
    pub fn open(self) -> Result<Arc<dyn Dataset>> {
        let (format, notes) = (Arc::clone(&self.format), self.notes.clone());
        let missing = self.missing.clone();
        let Checked { files, mut options, source, values, own } = self.checked()?;
        // What was fixed before has the column already.
        if let (Some(source), Some(schema)) = (&source, &options.schema) {
            options.schema = Some(super::source_column::without(schema, source));
        }
        let dataset = format.open(files.clone(), &options)?;
        if let Some(notes) = notes {
            dataset.notes().iter().for_each(|note| notes.0(note));
        }
        let opened = Opened::new(dataset, format.name(), &files, &options, source, own).missing(missing);
        valued(&(Arc::new(opened) as Arc<dyn Dataset>), &values)
    }
}
