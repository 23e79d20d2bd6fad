//! Builder of conversions.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tfxio_core::{
    Column, Error, ErrorKind, FileFormat, FormatOptions, Formats, OptionValue, Result, ScanRequest, Store,
    suggest,
};
use tfxio_formats::MISSING_SHARDS;
use tfxio_formats::OpenOptions;
use tfxio_formats::opening::{self, Opening, specs};
use tfxio_scan::NamePattern;
use tfxio_store::SpoolLimits;
use tfxio_store::counted_store::Counter;
use tfxio_store::output::{self, refuse_existing, refuse_input, sharded};
use tfxio_store::url;
use tfxio_store::{DASH, named_twice};

use super::resume;
use super::rows::Shaping;
use super::{CastType, Conversion, Sample};

/// Options that define the columns of a request themselves.
const COLUMNS: [&str; 2] = ["keys", "fields"];

/// Builder of a conversion: see [`Conversion::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ConversionBuilder {
    inputs: Vec<Arc<str>>,
    output: PathBuf,
    open: OpenOptions,
    output_format: Option<String>,
    set: BTreeMap<String, OptionValue>,
    preferred: BTreeMap<String, OptionValue>,
    shaping: Shaping,
    shards: Option<u32>,
    overwrite: bool,
    resume: bool,
    /// Records that are looked at for columns that could be scalars and text.
    finds: u64,
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
            shaping: Shaping::default(),
            shards: None,
            overwrite: true,
            resume: false,
            finds: 0,
        }
    }

    /// Sets the formats that are known. Default: [`formats`](tfxio_formats::formats).
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.open = self.open.formats(formats);
        self
    }

    /// States the format of the input files. Default: inferred from first bytes and names.
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
    ///
    /// # Errors
    /// As [`OpenOptions::set`]. Whether one of the two formats has it is checked by [`build`](Self::build).
    pub fn set(mut self, key: &str, value: impl Into<OptionValue>) -> Result<Self> {
        self.open.check_key(key)?;
        self.set.insert(key.to_owned(), value.into());
        Ok(self)
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

    /// Bounds what is kept of inputs that can be read once only. Default: [`SpoolLimits::default`].
    pub fn spool_limits(mut self, limits: SpoolLimits) -> Self {
        self.open = self.open.spool_limits(limits);
        self
    }

    /// Sets what is told what a user may not expect of the inputs, as [`OpenOptions::on_note`].
    pub fn on_note(mut self, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.open = self.open.on_note(note);
        self
    }

    /// Sets the store that holds the inputs. Default: paths, pipes, `-` for standard input, and URLs.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.open = self.open.store(store);
        self
    }

    /// Sets the object stores that URLs of inputs lead to, as [`OpenOptions::stores`].
    #[cfg(feature = "object-store")]
    pub fn stores(mut self, stores: tfxio_store::objects::Stores) -> Self {
        self.open = self.open.stores(stores);
        self
    }

    /// Reads only the columns with these names, or with names that match these patterns with `*` and `?`, in this order. A pattern selects
    /// its matches that are not named by themselves, in the order of the inputs. Default: all columns.
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.shaping.columns = Some(names.into_iter().map(NamePattern::new).collect());
        self
    }

    /// Leaves out the column of this name, or columns that match a pattern with `*` and `?`. Of a struct that is taken apart, `a.b` is a
    /// field. Default: none is left out.
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.shaping.excluded.push(NamePattern::new(pattern));
        self
    }

    /// Casts the values of a column. A value that does not fit is an error with its record; so is one that would be rounded,
    /// where nothing may be lost. Default: a column that the format of the output takes stays as it is.
    pub fn cast(mut self, column: impl Into<String>, to: CastType) -> Self {
        self.shaping.cast.casts.push((column.into(), to));
        self
    }

    /// Sets whether it is an error if something is lost of a column: the bits of a float, the unit of a time. A loss that depends on all
    /// values, such as texts of CSV that are all numbers, is known when they are written, and the output does not appear then. Default:
    /// false, losses are reported by [`Summary::losses`](super::Summary::losses).
    pub fn lossless(mut self, lossless: bool) -> Self {
        self.shaping.cast.is_lossless = lossless;
        self
    }

    /// Sets whether columns of lists that have exactly one value in every row become columns of values; at most one, if the
    /// others are null. Takes a reading of all rows before the first is written. Default: false.
    pub fn scalars(mut self, scalars: bool) -> Self {
        self.shaping.scalars = scalars;
        self
    }

    /// Sets whether columns of bytes that are UTF-8 in every row become columns of texts. Takes a reading of all rows before
    /// the first is written, the same as for [`scalars`](Self::scalars). Default: false.
    pub fn text(mut self, text: bool) -> Self {
        self.shaping.text = text;
        self
    }

    /// Looks at the first records for columns that [`scalars`](Self::scalars) and [`text`](Self::text) would change, where they are
    /// not set and the format of the output has columns of values: [`Summary::found`](super::Summary::found) names them. Default: 0,
    /// none are looked at.
    pub fn find_values(mut self, records: u64) -> Self {
        self.finds = records;
        self
    }

    /// Takes a sample of the rows that the request gives; a seed gives the same rows every time. Default: all rows.
    pub fn sample(mut self, sample: Sample, seed: u64) -> Self {
        self.shaping.sample = Some((sample, seed));
        self
    }

    /// Writes a set of this many shards: `train.tfrecord` becomes `train@16.tfrecord`. Default: as the name of the output specifies.
    pub fn shards(mut self, shards: u32) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets whether files of the output's names are replaced, when the new ones are whole. Otherwise one that exists is an error.
    /// Default: true.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Sets whether a conversion that was killed continues where it stopped. The output must be a set of a number of shards, such as
    /// `train@16.tfrecord`. They are written one after the other, each with consecutive rows: shard `i` of `n` starts at row `rows * i /
    /// n`. A file beside them, `train@16.tfrecord.progress`, lists the complete shards, and pins sizes and versions of the inputs and all
    /// options; it is removed when the set is complete. Set it also where a conversion begins that may have to be resumed. Default: false;
    /// an output that is not finished leaves nothing.
    pub fn resume(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }

    /// Finds the inputs, and the formats of both sides.
    ///
    /// # Errors
    /// When an input is missing, or the output exists already and must not be replaced; `InvalidArgument` when the name of the output does
    /// not tell a format, or is the name of an input, the inputs are of several formats, or neither format has an option.
    pub fn build(mut self) -> Result<Conversion> {
        let output = self.checked_output()?;
        if let Some(names) = &self.shaping.columns
            && !names.iter().any(NamePattern::is_pattern)
        {
            let names = names.iter().map(NamePattern::text);
            self.open = self.open.clone().request(self.open.requested().clone().columns(names));
            self.shaping.columns = None;
        }
        if self.inputs.iter().filter(|input| ***input == *DASH).count() > 1 {
            return Err(named_twice(DASH, DASH));
        }
        let (formats, request) = (self.open.known(), self.open.requested().clone());
        let to = output_format(&formats, self.output_format.as_deref(), &output)?;
        let output = match self.shards {
            Some(shards) => PathBuf::from(sharded(&output, shards, &*to)?),
            None => self.output.clone(),
        };
        let counter = Arc::new(Counter::default());
        let mut open = self.open.clone().counter(Arc::clone(&counter));
        if let Some(asked) = self.set.get(MISSING_SHARDS.key) {
            open = open.set(MISSING_SHARDS.key, asked.clone())?;
        }
        let (mut opening, looks_like, store) = open.find_files(self.inputs.as_slice())?;
        opening::refuse_others(&formats, opening.format(), opening.files(), "convert", &request.cancel)?;
        refuse_input(opening.files(), &output)?;
        // What is whole of a conversion that is resumed is its own.
        let overwrite = self.overwrite || (self.resume && resume::is_begun(&output));
        if !overwrite {
            refuse_existing(&output, &**opening.files().store())?;
        }

        let mut options = self.share_options(&mut opening, &*to, &formats)?;
        let stated = self.stated();
        options.formats = formats;
        options.overwrite = overwrite;
        options.store = Some(Arc::clone(opening.files().store()));
        options.request = request.clone();
        let sizes = opening.files().names().iter().map(|file| opening.files().store().size(file));
        let bytes_in = sizes.filter_map(|size| size.ok().flatten()).fold(0, u64::saturating_add);
        let conversion = Conversion {
            opening,
            looks_like,
            store,
            counter,
            output,
            format: to,
            options,
            request,
            shaping: self.shaping,
            resume: self.resume,
            finds: self.finds,
            found: OnceLock::new(),
            stated,
            bytes_in,
            schema: OnceLock::new(),
            losses: OnceLock::new(),
        };
        if conversion.resume {
            conversion.check_resume()?;
        }
        Ok(conversion)
    }

    /// Returns the name of the output, if nothing that was set is wrong by itself.
    fn checked_output(&self) -> Result<String> {
        let output = self.output.to_string_lossy().into_owned();
        output::check(&output)?;
        if let Some((sample, _)) = self.shaping.sample {
            sample.check()?;
        }
        refuse_two_casts(&self.shaping.cast.casts)?;
        if self.output.to_str().is_none() {
            let error = Error::new(ErrorKind::InvalidArgument, "the name of the output is not valid Unicode");
            return Err(error.help("choose another name").in_file(output));
        }
        Ok(output)
    }

    /// Returns the options that were set or preferred.
    fn stated(&self) -> BTreeMap<String, OptionValue> {
        let mut stated = self.preferred.clone();
        stated.extend(self.set.clone());
        stated
    }

    /// Gives the inputs their options, the defaults included, and returns the options of the output.
    fn share_options(
        &self,
        opening: &mut Opening,
        to: &dyn FileFormat,
        formats: &Formats,
    ) -> Result<FormatOptions> {
        let from = Arc::clone(opening.format());
        let (of_input, of_output) = (specs(&*from, formats), specs(to, formats));
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
        let stated = self.stated();
        for (key, value) in self.defaults(&*from, to, self.open.requested()).into_iter().chain(stated.clone())
        {
            opening.prefer(&key, value);
        }
        let mut asked = FormatOptions::default();
        for (key, value) in stated.into_iter().filter(|(key, _)| writes(key)) {
            // What the inputs are read with need not be an option of the records that are written.
            asked = if reads(&key) { asked.prefer(key, value) } else { asked.option(key, value) };
        }
        // What does not fit is said before anything is read.
        opening.clone().checked()?;
        asked.checked(to.name(), &of_output)
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
        // Values as they are: the cast plan makes lists of them where records hold lists, takes structs apart but that of feature
        // lists, and what is lost on the way is said, or refused.
        if !(from.holds_records() && to.holds_records()) {
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

/// Refuses two casts of one column.
pub(super) fn refuse_two_casts(casts: &[(String, CastType)]) -> Result<()> {
    for (at, (column, to)) in casts.iter().enumerate() {
        let Some((_, other)) = casts.iter().take(at).find(|(other, _)| other == column) else { continue };
        let what = format!("the column {column:?} is cast twice, to {} and to {}", other.name(), to.name());
        return Err(Error::new(ErrorKind::InvalidArgument, what).help("cast it once"));
    }
    Ok(())
}

/// Returns the format of an output.
pub(super) fn output_format(
    formats: &Formats,
    stated: Option<&str>,
    output: &str,
) -> Result<Arc<dyn FileFormat>> {
    if let Some(name) = stated {
        return formats.file_format(name).map(Arc::clone);
    }
    if output == DASH {
        let what = "standard output has no name that says a format";
        return Err(Error::new(ErrorKind::InvalidArgument, what).help("state the format of the output"));
    }
    formats.by_ending(output).map(Arc::clone).ok_or_else(|| {
        let endings = formats.files().iter().flat_map(|format| format.endings().iter().copied());
        let endings = endings.collect::<Vec<_>>().join(", ");
        let what = "the name of the output does not say its format";
        let error = Error::new(ErrorKind::InvalidArgument, what);
        error
            .help(format!(
                "end it with one of {endings}, or state the format, on the command line --to FORMAT"
            ))
            .in_file(&*url::shown(output))
    })
}
