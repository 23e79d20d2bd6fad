//! Data sets of TFRecord files whose records are decoded, whatever their logical format.
//!
//! [`format`] is what differs between formats. [`builder`] says what is wanted, [`columns`] are projections of it,
//! [`inference`] finds a schema, and [`detect`] the format with it, [`whole`] skips the same records in both passes.

mod builder;
mod columns;
mod detect;
pub(crate) mod format;
mod inference;
mod whole;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{BoxedBatchReader, Error, ErrorKind, Limits, ReadOptions, RecordDecoder as _, Split, TfxIo};

pub use self::builder::TfRecordTfxIoBuilder;
use self::columns::Columns;
pub(crate) use self::columns::Ordered;
pub(crate) use self::detect::has_lists;
pub use self::detect::{Inferred, Message, infer_messages};
use self::format::{DecoderOptions, InferSchema as _, LogicalFormat, Selection};
pub use self::inference::Sample;
use self::inference::infer;
pub(crate) use self::whole::WholeRecords;
use crate::tfrecord::queue::Queue;
use crate::tfrecord::{RecordOptions, batches, files};

/// A data set of TFRecord files with records of one format: an [`ExampleTfxIo`](crate::ExampleTfxIo) or a
/// [`SequenceExampleTfxIo`](crate::SequenceExampleTfxIo).
///
/// The columns come from a schema, given or inferred from the data before the first batch. A feature that an inferred
/// schema does not have, or has with another kind, is an error that names its record and says what to do; it is never
/// dropped.
pub struct TfRecordTfxIo<F: LogicalFormat> {
    files: Arc<[Arc<str>]>,
    options: TfRecordTfxIoBuilder<F>,
    /// The schema that was given in whatever form.
    given: Option<F::Schema>,
    /// What was inferred over the data set, once it was; projections share it.
    inferred: Arc<Mutex<Option<Arc<Known<F>>>>>,
    /// The features that a projection has left.
    selection: Option<Selection>,
}

/// What was inferred.
struct Known<F: LogicalFormat> {
    schema: F::Schema,
    inference: F::Inference,
}

/// The features of a data set.
enum Features<F: LogicalFormat> {
    Given(F::Schema),
    Inferred(Arc<Known<F>>),
}

impl<F: LogicalFormat> Features<F> {
    /// Their schema, if those that are selected, or all, have one kind each.
    fn checked(&self, selection: Option<&Selection>) -> Result<&F::Schema, Error> {
        match self {
            Self::Inferred(known) => known.inference.mixed(selection).map_or(Ok(&known.schema), Err),
            Self::Given(schema) => Ok(schema),
        }
    }

    /// Their schema, in which a feature of several kinds has that of the first record.
    fn unchecked(&self) -> &F::Schema {
        match self {
            Self::Inferred(known) => &known.schema,
            Self::Given(schema) => schema,
        }
    }
}

impl<F: LogicalFormat> TfRecordTfxIo<F> {
    /// A builder for the files that the patterns name; see [`tfrecord_io::shards`] for the patterns.
    pub fn builder<P: Into<Arc<str>>>(patterns: impl IntoIterator<Item = P>) -> TfRecordTfxIoBuilder<F> {
        TfRecordTfxIoBuilder::new(patterns.into_iter().map(Into::into).collect())
    }

    fn new(files: Arc<[Arc<str>]>, options: TfRecordTfxIoBuilder<F>) -> Result<Self, Error> {
        let given = options.schema.clone();
        let dataset = Self { files, options, given, inferred: Arc::default(), selection: None };
        if let Some(schema) = &dataset.given {
            dataset.schema_of(schema, &dataset.columns())?;
        }
        Ok(dataset)
    }

    /// The files, in order.
    #[must_use]
    pub fn files(&self) -> &[Arc<str>] {
        &self.files
    }

    /// Size of all files in bytes, as they are stored; 0 for one whose size cannot be known.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        files::size_of_all(&self.files, &self.options.records)
    }

    /// The schema of the features: the one that was given, or the one that is inferred where that was asked for.
    /// Inference reads the data once; the answer is kept. A projection does not change it.
    ///
    /// # Errors
    /// `SchemaRequired` where neither a schema was given nor inference was asked for; otherwise whatever reading the
    /// data for inference meets.
    pub fn feature_schema(&self) -> Result<F::Schema, Error> {
        self.features(self.options.sample)?.checked(None).cloned()
    }

    /// The features, inferred from a sample if they were not given or inferred before.
    fn features(&self, sample: Option<Sample>) -> Result<Features<F>, Error> {
        if let Some(schema) = &self.given {
            return Ok(Features::Given(schema.clone()));
        }
        let Some(sample) = sample else {
            let message = "the data set has no schema; give one, or ask for inference (`infer_schema`)";
            return Err(Error::new(ErrorKind::SchemaRequired, message));
        };
        // Held while inferring, so that readers on several threads infer once.
        let mut inferred = self.inferred.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*inferred {
            return Ok(Features::Inferred(Arc::clone(known)));
        }
        let inference = self.look(sample, |_, _| {})?;
        let known = Arc::new(Known { schema: inference.finish(), inference });
        *inferred = Some(Arc::clone(&known));
        Ok(Features::Inferred(known))
    }

    /// Looks at the records of all files, or at the first ones, and says what features they have: kinds, numbers of
    /// values, how many records have them. `progress` is called often, with the records that were looked at and the
    /// bytes of files that were read for them.
    ///
    /// ```
    /// use tfxio_formats::{ExampleTfxIo, Sample};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
    /// let dataset = ExampleTfxIo::builder([pattern]).build()?;
    /// let seen = dataset.infer(Sample::All, |_, _| {})?;
    /// assert_eq!(seen.records(), 1797);
    /// assert!(seen.features().all(|feature| feature.present == 1797));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// Whatever reading meets, and `SchemaMismatch` for a feature that has several kinds.
    pub fn infer(&self, sample: Sample, progress: impl FnMut(u64, u64)) -> Result<F::Inference, Error> {
        let inference = self.look(sample, progress)?;
        inference.mixed(None).map_or(Ok(inference), Err)
    }

    /// Looks at records; a feature may have several kinds. What is read from a pipe is kept.
    fn look(&self, sample: Sample, mut progress: impl FnMut(u64, u64)) -> Result<F::Inference, Error> {
        let options = self.options.records.clone().with_kept_pipes(true);
        let mut queue = Queue::new(self.whole(), &options)?;
        let read = queue.bytes_read();
        let mut inference = self.options.format.inference(self.limits(), self.options.others());
        infer(&mut inference, &mut queue, sample.records(&self.files, &options), &mut |records| {
            progress(records, read.load(Ordering::Relaxed));
        })?;
        Ok(inference)
    }

    /// Reads all files, one after the other. Batches may hold records of several files.
    ///
    /// # Errors
    /// As [`TfxIo::read`].
    pub fn read_all(&self, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_all_counted(options).map(|(reader, _)| reader)
    }

    /// As [`read_all`](Self::read_all), with a counter of the bytes that were read from the files.
    pub(crate) fn read_all_counted(
        &self,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        self.read_splits(self.whole().collect(), options)
    }

    fn limits(&self) -> Limits {
        self.options.records.limits
    }

    fn whole(&self) -> impl Iterator<Item = Split> + '_ {
        self.files.iter().map(|file| Split::whole(Arc::clone(file)))
    }

    /// All columns.
    fn columns(&self) -> Columns {
        let (raw_record, source) = (&self.options.raw_record_column, &self.options.source_column);
        Columns::all(self.selection.as_ref(), raw_record.clone(), source.clone())
    }

    /// The columns' schema.
    fn schema_of(&self, schema: &F::Schema, columns: &Columns) -> Result<SchemaRef, Error> {
        let options = self.options.decoder_options(columns, self.given.is_some());
        let decoder = self.options.format.decoder(schema, &options)?;
        // A decoder that has a schema of features says its columns.
        Ok(decoder.schema().unwrap_or_else(|| Arc::new(Schema::empty())))
    }

    fn read_splits(
        &self,
        splits: Vec<Split>,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        let features = self.features(Some(self.options.sample.unwrap_or(Sample::DEFAULT)))?;
        let mut columns = self.columns();
        if let Some(names) = &options.projection {
            columns = columns.project(&self.options.format, features.unchecked(), names)?;
        }
        let schema = features.checked(columns.selection.as_ref())?.clone();
        let decoder = self.options.decoder_options(&columns, self.given.is_some());
        let queue = Queue::for_pool(splits, &self.options.records)?;
        let read = queue.bytes_read();
        Ok((self.decode(queue, schema, decoder, columns.order(), options.batch_size)?, read))
    }

    /// Reads records as these options say, with the columns in this order if there is one.
    fn decode(
        &self,
        queue: Queue,
        schema: F::Schema,
        options: DecoderOptions,
        order: Option<&[Arc<str>]>,
        batch_size: usize,
    ) -> Result<BoxedBatchReader, Error> {
        let (format, order) = (self.options.format.clone(), order.map(<[_]>::to_vec));
        // Both passes must skip the same records, whatever columns the second one decodes.
        let checks = self.given.is_none();
        let checks = checks && self.options.records.skip().is_some();
        let others = self.options.others();
        let make = move || {
            let decoder = format.decoder(&schema, &options)?;
            let inference = checks.then(|| format.inference(options.limits, others));
            Ordered::new(WholeRecords { decoder, inference }, order.as_deref())
        };
        let columns = make()?.schema().unwrap_or_else(|| Arc::new(Schema::empty()));
        batches::reader(queue, columns, batch_size, make)
    }
}

impl<F: LogicalFormat> TfxIo for TfRecordTfxIo<F> {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        let features = self.features(self.options.sample)?;
        self.schema_of(features.checked(self.selection.as_ref())?, &self.columns())
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        files::splits(&self.files, &self.options.records, target_bytes)
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits(vec![split.clone()], options).map(|(reader, _)| reader)
    }
}

impl<F: LogicalFormat> fmt::Debug for TfRecordTfxIo<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TfRecordTfxIo").field("files", &self.files).field("options", &self.options).finish()
    }
}
