//! Which message records hold, and what features they have.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use example_codec::{
    ExampleSchema, Kind, SchemaInference, SequenceSchemaInference, UnknownFeatures, is_other_message,
};
use proto_wire::{Reader, WireType};
use tfxio_core::{Error, Origin, Split};

use super::format::{InferSchema, Selection, first_of};
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
    /// The message of these records, by the rule of [`infer_messages`]: whether one has feature lists. That all can be
    /// read as such is for the reader to say, which [`explain`](Self::explain) helps.
    #[must_use]
    pub fn of_records<'a>(records: impl IntoIterator<Item = &'a [u8]>) -> Self {
        if records.into_iter().any(has_lists) { Self::SequenceExample } else { Self::Example }
    }

    /// Refuses a record that [holds another message](is_other_message) by the looks of it.
    ///
    /// # Errors
    /// `Malformed`, with what can be done.
    pub fn check(self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        if !is_other_message(record) {
            return Ok(());
        }
        let refused = match self {
            Self::Example => {
                let mut inference = SchemaInference::default().other_messages(UnknownFeatures::Refuse);
                inference.push(record, origin)
            }
            Self::SequenceExample => {
                let mut inference =
                    SequenceSchemaInference::default().other_messages(UnknownFeatures::Refuse);
                inference.push(record, origin)
            }
        };
        refused.map_err(explain_other)
    }

    /// Adds to the error of a record what can be done about it, where the message was found out from the records: one with
    /// feature lists that cannot be read may still be readable as a tf.Example, without them.
    #[must_use]
    pub fn explain(self, record: &[u8], error: Error) -> Error {
        let is_example = || SchemaInference::default().push(record, Origin::default()).is_ok();
        if self == Self::SequenceExample && is_example() { explain_lists(error) } else { error }
    }
}

/// Says how to read records without their feature lists.
fn explain_lists(error: Error) -> Error {
    error.and_help(
        "to read the records as tf.Examples, without their feature lists, state the message: `Some(Message::Example)`, on the \
         command line `--as example`",
    )
}

/// Says what to do with records of another message.
fn explain_other(error: Error) -> Error {
    error.and_help(
        "to copy the records, whatever they hold, convert from TFRecord to TFRecord; to read them as tf.Examples without \
         features all the same, state the message: `Some(Message::Example)`, on the command line `--as example`",
    )
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

    /// Records that were looked at.
    #[must_use]
    pub fn records(&self) -> u64 {
        match self {
            Self::Example(seen) => seen.records(),
            Self::SequenceExample(seen) => seen.records(),
        }
    }

    /// The error of the first feature that has several kinds, if one has; sequence features after others. A schema gives it
    /// the kind of its first record, so that whoever leaves it out can read the others.
    #[must_use]
    pub fn mixed_kinds(&self) -> Option<Error> {
        self.mixed_in(None)
    }

    /// The same of every such feature.
    #[must_use]
    pub fn all_mixed_kinds(&self) -> Vec<Error> {
        match self {
            Self::Example(seen) => seen.kind_mismatches(),
            Self::SequenceExample(seen) => {
                let mut errors = seen.mixed_context_kinds();
                errors.extend(seen.mixed_sequence_kinds());
                errors
            }
        }
    }

    /// The error of the first of some features.
    pub(crate) fn mixed_in(&self, selection: Option<&Selection>) -> Option<Error> {
        match self {
            Self::Example(seen) => InferSchema::mixed(&**seen, selection),
            Self::SequenceExample(seen) => {
                let context = first_of(seen.mixed_context_kinds(), selection.map(|all| &*all.columns));
                let lists = || first_of(seen.mixed_sequence_kinds(), selection.map(|all| &*all.sequence));
                context.or_else(|| lists().map(explain_lists))
            }
        }
    }
}

/// Looks at the records of the files that patterns name, some or all, and says what features they have. `progress` is
/// called often, with the records that were looked at and the bytes of files that were read for them.
///
/// Where `message` is `None` the records say which one they hold: tf.SequenceExamples if at least one that is looked at has
/// feature lists, which a tf.Example does not have, and otherwise tf.Examples. A tf.SequenceExample without feature lists
/// and a tf.Example with the same features are the same bytes, so that nothing is lost by that. A record that cannot be read
/// as what the others are is an error, and so is one that [holds another message](is_other_message). A message that is
/// stated is read whatever it looks like.
///
/// A feature of several kinds is no error here; [`Inferred::mixed_kinds`] tells.
///
/// What is read from a pipe is kept, so that it can be read again with the same options.
///
/// ```
/// use tfxio_formats::{Inferred, RecordOptions, Sample, infer_messages};
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-*.tfrecord");
///
/// let inferred = infer_messages([pattern], None, Sample::First(100), &RecordOptions::default(), |_, _| {})?;
/// let Inferred::Example(seen) = inferred else { panic!("lists in digits") };
/// assert_eq!(seen.features().count(), 3);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
///
/// # Errors
/// Whatever finding and reading the files meets, and `Malformed` for records of another message.
pub fn infer_messages<P: Into<Arc<str>>>(
    patterns: impl IntoIterator<Item = P>,
    message: Option<Message>,
    sample: Sample,
    options: &RecordOptions,
    mut progress: impl FnMut(u64, u64),
) -> Result<Inferred, Error> {
    let options = &options.clone().with_kept_pipes(true);
    let files = files::expand(&patterns.into_iter().map(Into::into).collect::<Vec<_>>(), options)?;
    let progress: &mut dyn FnMut(u64, u64) = &mut progress;
    // Whoever states the message may have the records read as that.
    let others = if message.is_some() { UnknownFeatures::Ignore } else { UnknownFeatures::Refuse };
    if message == Some(Message::SequenceExample) {
        let mut lists = sequence_inference(options, others);
        run(&mut lists, &files, sample, options, progress)?;
        return Ok(Inferred::SequenceExample(Box::new(lists)));
    }
    let inference = SchemaInference::default().limits(options.limits).mixed_kinds(true);
    let mut features = Watched { inference: inference.other_messages(others), has_lists: false };
    let done = run(&mut features, &files, sample, options, progress);
    if message.is_none() && features.has_lists {
        let mut lists = sequence_inference(options, others);
        return match run(&mut lists, &files, sample, options, progress) {
            Ok(()) => Ok(Inferred::SequenceExample(Box::new(lists))),
            // What is neither is said in the terms of feature lists, which it has.
            Err(error) if done.is_ok() => Err(explain_lists(error)),
            Err(error) => Err(error),
        };
    }
    match done {
        Ok(()) => Ok(Inferred::Example(Box::new(features.inference))),
        Err(error) if is_refused_message(&error) => Err(explain_other(error)),
        Err(error) => Err(error),
    }
}

fn sequence_inference(options: &RecordOptions, others: UnknownFeatures) -> SequenceSchemaInference {
    let inference = SequenceSchemaInference::default().limits(options.limits);
    inference.mixed_kinds(true).other_messages(others)
}

/// Whether an error is that of a record with another message.
fn is_refused_message(error: &Error) -> bool {
    error.detail() == Some(&Kind::OtherMessage)
}

fn run<I: InferSchema>(
    inference: &mut I,
    files: &[Arc<str>],
    sample: Sample,
    options: &RecordOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), Error> {
    let most = sample.records(files, options);
    let mut queue = Queue::new(files.iter().map(|file| Split::whole(Arc::clone(file))), options)?;
    let read = queue.bytes_read();
    infer(inference, &mut queue, most, &mut |records| progress(records, read.load(Ordering::Relaxed)))
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
        self.inference.push(record, origin)
    }

    fn records(&self) -> u64 {
        self.inference.records()
    }

    fn finish(&self) -> ExampleSchema {
        self.inference.finish()
    }

    fn describe(&self, schema: &arrow_schema::Schema, _: Option<&str>) -> tfxio_core::SchemaReport {
        self.inference.describe(schema, None)
    }

    fn mixed(&self, selection: Option<&Selection>) -> Option<Error> {
        self.inference.mixed(selection)
    }
}

/// Whether a record has the field of feature lists, read or not.
pub(crate) fn has_lists(record: &[u8]) -> bool {
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
