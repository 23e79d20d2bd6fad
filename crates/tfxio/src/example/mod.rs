//! tf.Example on TFRecord.

mod builder;
mod columns;
pub(crate) mod inference;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::SchemaRef;
use example_codec::{ExampleDecoder, ExampleSchema, SchemaInference, UnknownFeatures};
use tfxio_core::{BoxedBatchReader, Error, ErrorKind, ReadOptions, RecordDecoder as _, Split, TfxIo};

pub use self::builder::ExampleTfxIoBuilder;
use self::columns::{Columns, Ordered};
pub use self::inference::Sample;
use crate::tfrecord::queue::Queue;
use crate::tfrecord::{RecordOptions, batches, files};

/// A data set of tf.Example records in TFRecord files.
///
/// The columns come from a schema, given or inferred from the data before the first batch. A feature that an inferred
/// schema does not have, or has with another kind, is an error that names its record and says what to do; it is never
/// dropped.
///
/// ```
/// use tfxio::{ExampleTfxIo, ReadOptions, Sample, TfxIo};
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
///
/// let dataset = ExampleTfxIo::builder([pattern]).infer_schema(Sample::All).build()?;
/// let names = dataset.arrow_schema()?.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
/// assert_eq!(names, ["id", "image", "label"]);
///
/// let mut rows = 0;
/// for batch in dataset.read_all(&ReadOptions::default())? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 1797);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ExampleTfxIo {
    files: Arc<[Arc<str>]>,
    options: ExampleTfxIoBuilder,
    /// What was inferred over the data set, once it was.
    inferred: Mutex<Option<ExampleSchema>>,
}

impl ExampleTfxIo {
    /// A builder for the files that the patterns name; see [`tfrecord_io::shards`] for the patterns.
    pub fn builder<P: Into<Arc<str>>>(patterns: impl IntoIterator<Item = P>) -> ExampleTfxIoBuilder {
        ExampleTfxIoBuilder::new(patterns.into_iter().map(Into::into).collect())
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
    /// Inference reads the data once; the answer is kept.
    ///
    /// # Errors
    /// `SchemaRequired` where neither a schema was given nor inference was asked for; otherwise whatever reading the
    /// data for inference meets.
    pub fn example_schema(&self) -> Result<ExampleSchema, Error> {
        if let Some(schema) = &self.options.schema {
            return Ok(schema.clone());
        }
        let Some(sample) = self.options.sample else {
            let message = "the data set has no schema; give one, or ask for inference (`infer_schema`)";
            return Err(Error::new(ErrorKind::SchemaRequired, message));
        };
        // Held while inferring, so that readers on several threads infer once.
        let mut inferred = self.inferred.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = &*inferred {
            return Ok(schema.clone());
        }
        let schema = self.infer_splits(self.whole(), sample)?;
        *inferred = Some(schema.clone());
        Ok(schema)
    }

    /// Looks at the records of all files, or at the first ones, and says what features they have: kinds, numbers of
    /// values, how many records have them. `progress` is called often, with the records that were looked at and the
    /// bytes of files that were read for them.
    ///
    /// ```
    /// use tfxio::{ExampleTfxIo, Sample};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
    /// let dataset = ExampleTfxIo::builder([pattern]).build()?;
    /// let seen = dataset.infer(Sample::All, |_, _| {})?;
    /// assert_eq!(seen.records(), 1797);
    /// assert!(seen.features().all(|feature| feature.present == 1797));
    /// # Ok::<(), tfxio::Error>(())
    /// ```
    ///
    /// # Errors
    /// Whatever reading meets, and `SchemaMismatch` for a feature that has several kinds.
    pub fn infer(
        &self,
        sample: Sample,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<SchemaInference, Error> {
        let mut queue = Queue::new(self.whole(), &self.options.records)?;
        let read = queue.bytes_read();
        inference::infer(&mut queue, sample, self.options.records.limits, &mut |records| {
            progress(records, read.load(Ordering::Relaxed));
        })
    }

    /// Reads all files, one after the other. Batches may hold records of several files.
    ///
    /// # Errors
    /// As [`TfxIo::read`].
    pub fn read_all(&self, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits(self.whole().collect(), options).map(|(reader, _)| reader)
    }

    /// As [`read_all`](Self::read_all), with a counter of the bytes that were read from the files.
    pub(crate) fn read_all_counted(
        &self,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        self.read_splits(self.whole().collect(), options)
    }

    fn whole(&self) -> impl Iterator<Item = Split> + '_ {
        self.files.iter().map(|file| Split::whole(Arc::clone(file)))
    }

    fn infer_splits(
        &self,
        splits: impl IntoIterator<Item = Split>,
        sample: Sample,
    ) -> Result<ExampleSchema, Error> {
        let mut queue = Queue::new(splits, &self.options.records)?;
        Ok(inference::infer(&mut queue, sample, self.options.records.limits, &mut |_| {})?.finish())
    }

    /// The schema of the features of some splits.
    fn schema_of(&self, splits: &[Split]) -> Result<ExampleSchema, Error> {
        if self.options.schema.is_none() && self.options.sample.is_none() {
            return self.infer_splits(splits.iter().cloned(), Sample::DEFAULT);
        }
        self.example_schema()
    }

    fn read_splits(
        &self,
        splits: Vec<Split>,
        options: &ReadOptions,
    ) -> Result<(BoxedBatchReader, Arc<AtomicU64>), Error> {
        let features = self.schema_of(&splits)?;
        let columns = Columns::new(&self.options, options.projection.as_deref());
        let template = self.options.decoder(features, &columns);
        let make = move || -> Result<Ordered<ExampleDecoder>, Error> {
            Ordered::new(template.clone().build()?, columns.order())
        };
        let schema = make()?.schema().unwrap_or_else(|| Arc::new(arrow_schema::Schema::empty()));
        let queue = Queue::new(splits, &self.options.records)?;
        let read = queue.bytes_read();
        let reader = batches::reader(queue, schema, options.batch_size, self.options.records.threads, make)?;
        Ok((reader, read))
    }
}

impl TfxIo for ExampleTfxIo {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        let columns = Columns::new(&self.options, None);
        let decoder = self.options.decoder(self.example_schema()?, &columns).build()?;
        // A decoder that has a schema of features says its columns.
        Ok(decoder.schema().unwrap_or_else(|| Arc::new(arrow_schema::Schema::empty())))
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        files::splits(&self.files, &self.options.records, target_bytes)
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        self.read_splits(vec![split.clone()], options).map(|(reader, _)| reader)
    }
}

impl fmt::Debug for ExampleTfxIo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExampleTfxIo").field("files", &self.files).field("options", &self.options).finish()
    }
}

/// What a feature outside the schema means: with an inferred schema it must not be dropped.
fn unknown_features(options: &ExampleTfxIoBuilder) -> UnknownFeatures {
    match options.unknown_features {
        Some(action) => action,
        None if options.schema.is_some() => UnknownFeatures::Ignore,
        None => UnknownFeatures::Refuse,
    }
}
