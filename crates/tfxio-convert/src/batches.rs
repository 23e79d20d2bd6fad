//! Writing batches that come from elsewhere, such as the rows of a query.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{Field, SchemaRef};
use tfxio_core::{Batch, Feed, FormatOptions, Formats, OptionValue, Result, Store, Threading};
use tfxio_formats::FoundValues;
use tfxio_formats::opening::specs;
use tfxio_formats::{OpenOptions, formats};
use tfxio_scan::NamePattern;
use tfxio_scan::cast::{self, CastPlan, Target};
use tfxio_store::FileStore;
use tfxio_store::output::{self, bytes_of, refuse_existing, sharded, shards_beside};

use super::builder::{output_format, refuse_two_casts};
use super::given::Given;
use super::rows::Shaping;
use super::run::named;
use super::{CastType, Summary};

/// Files of one format that batches from elsewhere are written to, such as the rows of a query: as a [`Conversion`](super::Conversion)
/// writes them, columns that the format does not take become the nearest that it does, and the files appear whole.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
/// use tfxio_convert::BatchOutput;
///
/// let column: ArrayRef = Arc::new(Int32Array::from(vec![7, 8]));
/// let batch = RecordBatch::try_from_iter([("label", column)])?;
/// let folder = tempfile::tempdir()?;
/// let output = BatchOutput::new(folder.path().join("labels.tfrecord")).shards(2);
/// let schema = batch.schema();
/// let mut batches = vec![batch].into_iter();
/// let summary = output.write(&schema, move || Ok(batches.next().map(Into::into)))?;
/// assert_eq!(summary.records, 2);
/// assert_eq!(tfxio_formats::open(&folder.path().join("labels@2.tfrecord"))?.schema().fields().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BatchOutput {
    output: PathBuf,
    formats: Option<Formats>,
    format: Option<String>,
    set: BTreeMap<String, OptionValue>,
    shards: Option<u32>,
    overwrite: bool,
    threading: Threading,
    shaping: Shaping,
    store: Option<Arc<dyn Store>>,
    open: OpenOptions,
}

impl BatchOutput {
    /// Returns an output of this name, whose ending determines the format. `-` is standard output.
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            output: output.into(),
            formats: None,
            format: None,
            set: BTreeMap::new(),
            shards: None,
            overwrite: true,
            threading: Threading::new(),
            shaping: Shaping::default(),
            store: None,
            open: OpenOptions::new(),
        }
    }

    /// Sets the known formats. Default: the formats of this build.
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.formats = Some(formats.clone());
        self
    }

    /// States the format. Default: by the ending of the name.
    pub fn output_format(mut self, name: impl Into<String>) -> Self {
        self.format = Some(name.into());
        self
    }

    /// Sets an option of the format.
    ///
    /// # Errors
    /// As [`OpenOptions::set`]. Whether the format of the output has it is checked by [`write`](Self::write).
    pub fn set(mut self, key: &str, value: impl Into<OptionValue>) -> Result<Self> {
        self.known().check_key(key)?;
        self.set.insert(key.to_owned(), value.into());
        Ok(self)
    }

    fn known(&self) -> OpenOptions {
        self.formats.as_ref().map_or_else(OpenOptions::new, |formats| OpenOptions::new().formats(formats))
    }

    /// Writes this many shards. Default: one file, or as many as the name specifies.
    pub fn shards(mut self, shards: u32) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets whether files of the output's names are replaced. Default: true.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Sets the threads that may encode. Default: that of the caller.
    pub fn threading(mut self, threading: Threading) -> Self {
        self.threading = threading;
        self
    }

    /// Writes only these columns, as [`ConversionBuilder::columns`](super::ConversionBuilder::columns). Default: all columns.
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.shaping.columns = Some(names.into_iter().map(NamePattern::new).collect());
        self
    }

    /// Leaves columns out, as [`ConversionBuilder::exclude`](super::ConversionBuilder::exclude). Default: none is left out.
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.shaping.excluded.push(NamePattern::new(pattern));
        self
    }

    /// Casts the values of a column, as [`ConversionBuilder::cast`](super::ConversionBuilder::cast). Default: a column that the
    /// format takes stays as it is.
    pub fn cast(mut self, column: impl Into<String>, to: CastType) -> Self {
        self.shaping.cast.casts.push((column.into(), to));
        self
    }

    /// Sets whether it is an error if something is lost of a column, as
    /// [`ConversionBuilder::lossless`](super::ConversionBuilder::lossless). Default: false, losses are reported by [`Summary::losses`].
    pub fn lossless(mut self, lossless: bool) -> Self {
        self.shaping.cast.is_lossless = lossless;
        self
    }

    /// Sets whether columns of lists that have exactly one value in every row become columns of values, as
    /// [`ConversionBuilder::scalars`](super::ConversionBuilder::scalars). The batches are held in memory until that is known.
    /// Default: false.
    pub fn scalars(mut self, scalars: bool) -> Self {
        self.shaping.scalars = scalars;
        self
    }

    /// Sets whether columns of bytes that are UTF-8 in every row become columns of texts, as
    /// [`ConversionBuilder::text`](super::ConversionBuilder::text). The batches are held in memory until that is known.
    /// Default: false.
    pub fn text(mut self, text: bool) -> Self {
        self.shaping.text = text;
        self
    }

    /// Sets the store of URLs. Default: that of [`FileStore`].
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets what is told what a user may not expect of the output, such as shards of another number that stay beside it: what these
    /// options [tell](OpenOptions::on_note). Default: nothing.
    pub fn notes_of(mut self, open: &OpenOptions) -> Self {
        self.open = open.clone();
        self
    }

    /// Writes the batches that `next` gives until it gives none.
    ///
    /// # Errors
    /// When the format is not known or has no such option, a column cannot be written, a value does not fit, or the files
    /// cannot be written; and what `next` fails with. Nothing appears under the final names then.
    pub fn write(
        self,
        schema: &SchemaRef,
        next: impl FnMut() -> Result<Option<Batch>> + Send + 'static,
    ) -> Result<Summary> {
        let output = self.output.to_string_lossy().into_owned();
        output::check(&output)?;
        let formats = self.formats.unwrap_or_else(formats);
        let format = output_format(&formats, self.format.as_deref(), &output)?;
        let output = match self.shards {
            Some(shards) => sharded(&output, shards, &*format)?,
            None => output,
        };
        refuse_two_casts(&self.shaping.cast.casts)?;
        let store = self.store.unwrap_or_else(|| Arc::new(FileStore::default()));
        if !self.overwrite {
            refuse_existing(output.as_ref(), &*store)?;
        }
        if let Some(beside) = shards_beside(&output, &*store)? {
            self.open.say(&beside);
        }
        let mut asked = FormatOptions::default();
        for (key, value) in self.set {
            asked = asked.option(key, value);
        }
        let mut options = asked.checked(format.name(), &specs(&*format, &formats))?;
        options.formats = formats;
        options.overwrite = self.overwrite;
        options.store = Some(store);
        let takes = |column: &Field| format.takes(column, &options);
        let losses = |column: &Field| format.losses(column, &options);
        let target = Target { name: format.name(), takes: &takes, losses: &losses };
        let mut given = Given::new(schema, &self.shaping, next)?;
        let cast = given.look()?;
        let plan = Arc::new(CastPlan::new(given.schema(), &cast, &target)?);
        let mut sink =
            format.sink(&output, plan.schema(), &options).map_err(|error| named(output.as_ref(), error))?;
        let cast = Arc::clone(&plan);
        let change = move |batch: Batch| if batch.num_rows() == 0 { Ok(batch) } else { cast.apply(batch) };
        let mut records = 0;
        let next = move || given.next_batch();
        sink.write_all(Feed::new(self.threading, next).change(change), &mut |written| records = written)?;
        let of_values = sink.losses();
        if self.shaping.cast.is_lossless {
            cast::refuse_losses(&of_values)?;
        }
        let losses = plan.losses().iter().cloned().chain(of_values).collect();
        let files = sink.finish()?.files;
        let bytes_out = bytes_of(&files, &options);
        Ok(Summary {
            records,
            bytes_in: 0,
            bytes_out,
            files,
            losses,
            skipped: None,
            found: FoundValues::default(),
        })
    }
}
