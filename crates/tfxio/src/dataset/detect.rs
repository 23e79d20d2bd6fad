//! Which message records hold, and what features they have.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use example_codec::{ExampleSchema, SchemaInference, SequenceSchemaInference};
use proto_wire::{Reader, WireType};
use tfxio_core::{Error, Origin, Split};

use super::format::InferSchema;
use super::{RecordOptions, Sample, infer};
use crate::tfrecord::files;
use crate::tfrecord::queue::Queue;

/// A message that records hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Message {
    /// `tensorflow.Example`.
    Example,
    /// `tensorflow.SequenceExample`.
    SequenceExample,
}

impl Message {
    /// The message of these records, by the rule of [`infer_messages`].
    #[must_use]
    pub fn of_records<'a>(records: impl IntoIterator<Item = &'a [u8]> + Clone) -> Self {
        let mut lists = SequenceSchemaInference::default();
        let mut numbered = (0..).zip(records.clone());
        let is_certain = records.into_iter().any(has_lists)
            && numbered.all(|(index, record)| lists.push(record, Origin::record(index)).is_ok());
        if is_certain { Self::SequenceExample } else { Self::Example }
    }
}

/// What features records have, and so which message they hold.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Inferred {
    /// Those of tf.Examples.
    Example(Box<SchemaInference>),
    /// Those of tf.SequenceExamples.
    SequenceExample(Box<SequenceSchemaInference>),
}

impl Inferred {
    /// The message.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Example(_) => Message::Example,
            Self::SequenceExample(_) => Message::SequenceExample,
        }
    }
}

/// Looks at the records of the files that patterns name, some or all, and says what features they have. `progress` is
/// called often, with the records that were looked at and the bytes of files that were read for them.
///
/// Where `message` is `None` the records say which one they hold. They are tf.SequenceExamples for certain if every record
/// that is looked at can be read as one and at least one has feature lists, for which a tf.Example has no place; otherwise
/// they are tf.Examples. A tf.SequenceExample without feature lists and a tf.Example with the same features are the same
/// bytes, so that nothing is lost by that.
///
/// ```
/// use tfxio::{Inferred, RecordOptions, Sample, infer_messages};
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
///
/// let inferred = infer_messages([pattern], None, Sample::First(100), &RecordOptions::default(), |_, _| {})?;
/// let Inferred::Example(seen) = inferred else { panic!("lists in digits") };
/// assert_eq!(seen.features().count(), 3);
/// # Ok::<(), tfxio::Error>(())
/// ```
///
/// # Errors
/// Whatever finding and reading the files meets, and `SchemaMismatch` for a feature that has several kinds.
pub fn infer_messages<P: Into<Arc<str>>>(
    patterns: impl IntoIterator<Item = P>,
    message: Option<Message>,
    sample: Sample,
    options: &RecordOptions,
    mut progress: impl FnMut(u64, u64),
) -> Result<Inferred, Error> {
    let files = files::expand(&patterns.into_iter().map(Into::into).collect::<Vec<_>>(), options)?;
    let progress: &mut dyn FnMut(u64, u64) = &mut progress;
    if message == Some(Message::SequenceExample) {
        let mut lists = SequenceSchemaInference::default().with_limits(options.limits);
        run(&mut lists, &files, sample, options, progress)?;
        return Ok(Inferred::SequenceExample(Box::new(lists)));
    }
    let inference = SchemaInference::default().with_limits(options.limits);
    let mut features = Watched { inference, has_lists: false };
    let done = run(&mut features, &files, sample, options, progress);
    if message.is_none() && features.has_lists {
        let mut lists = SequenceSchemaInference::default().with_limits(options.limits);
        let as_lists = run(&mut lists, &files, sample, options, progress);
        // What is neither is said in the terms of feature lists, which it has.
        if as_lists.is_ok() || done.is_err() {
            return as_lists.map(|()| Inferred::SequenceExample(Box::new(lists)));
        }
    }
    done.map(|()| Inferred::Example(Box::new(features.inference)))
}

fn run<I: InferSchema>(
    inference: &mut I,
    files: &[Arc<str>],
    sample: Sample,
    options: &RecordOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Error> {
    let mut queue = Queue::new(files.iter().map(|file| Split::whole(Arc::clone(file))), options)?;
    let read = queue.bytes_read();
    infer(inference, &mut queue, sample, &mut |records| progress(records, read.load(Ordering::Relaxed)))
}

/// An inference of tf.Examples that notices feature lists.
struct Watched {
    inference: SchemaInference,
    has_lists: bool,
}

impl InferSchema for Watched {
    type Schema = ExampleSchema;

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        self.has_lists = self.has_lists || has_lists(record);
        Ok(self.inference.push(record, origin)?)
    }

    fn records(&self) -> u64 {
        self.inference.records()
    }

    fn finish(&self) -> ExampleSchema {
        self.inference.finish()
    }
}

/// Whether a record has the field of feature lists, read or not.
fn has_lists(record: &[u8]) -> bool {
    let mut reader = Reader::new(record);
    while let Ok(Some(tag)) = reader.tag() {
        if (tag.field, tag.wire) == (2, WireType::Len) {
            return true;
        }
        if reader.skip(tag).is_err() {
            break;
        }
    }
    false
}
