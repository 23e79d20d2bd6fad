//! The schema of a data set, from its records.

use example_codec::ExampleSchema;
use tfrecord_io::RecordBuffer;
use tfxio_core::{Error, Limits};

use crate::tfrecord::queue::Queue;

/// How many records a schema is inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sample {
    /// The first so many of the data set.
    First(u64),
    /// All of them, which reads the data set once more.
    All,
}

impl Sample {
    /// What a read without a schema takes from its split: the first 1,024 records.
    pub const DEFAULT: Self = Self::First(1024);

    const fn records(self) -> u64 {
        match self {
            Self::First(records) => records,
            Self::All => u64::MAX,
        }
    }
}

/// Infers a schema from the records of a queue, at most as many as the sample says. Features are sorted by name.
pub(crate) fn infer(
    queue: &mut Queue,
    sample: Sample,
    limits: Limits,
    progress: &mut dyn FnMut(u64),
) -> Result<ExampleSchema, Error> {
    let mut inference = interim::Inference::new(limits)?;
    let mut buffer = RecordBuffer::new();
    let (mut left, mut records) = (sample.records(), 0);
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(1024);
        let Some(file) = queue.read(&mut buffer, most)? else { break };
        left -= buffer.len() as u64;
        inference.push(&buffer, &file, queue.place().as_ref())?;
        records += buffer.len() as u64;
        progress(records);
    }
    inference.finish()
}

mod interim {
    //! Merges the schemas of batches.
    use std::collections::BTreeMap;

    use arrow_schema::DataType;
    use example_codec::{ExampleDecoder, ExampleSchema, FeatureKind, FeatureSpec};
    use tfrecord_io::RecordBuffer;
    use tfxio_core::{Error, ErrorKind, Limits, Position, Split};

    use crate::tfrecord::batches;

    pub(super) struct Inference {
        decoder: ExampleDecoder,
        features: BTreeMap<String, Option<FeatureKind>>,
    }

    impl Inference {
        pub(super) fn new(limits: Limits) -> Result<Self, Error> {
            let decoder = ExampleDecoder::builder().with_limits(limits).build()?;
            Ok(Self { decoder, features: BTreeMap::new() })
        }

        pub(super) fn push(
            &mut self,
            buffer: &RecordBuffer,
            file: &str,
            split: Option<&Split>,
        ) -> Result<(), Error> {
            batches::push(&mut self.decoder, buffer, file, split)?;
            let batch = RecordDecoderFlush::flush(&mut self.decoder)?;
            for field in batch.schema().fields() {
                let kind = kind(field.data_type());
                let known = self.features.entry(field.name().clone()).or_insert(kind);
                match (*known, kind) {
                    (Some(known), Some(kind)) if known != kind => {
                        let message = format!("the feature is a {kind} here and was a {known} before");
                        return Err(Error::new(ErrorKind::SchemaMismatch, message).at(Position {
                            file: Some(file.into()),
                            byte: buffer.get(0).map(|record| record.offset),
                            record: buffer.get(0).map(|record| record.index),
                            column: Some(field.name().as_str().into()),
                        }));
                    }
                    (None, _) => *known = kind,
                    _ => {}
                }
            }
            Ok(())
        }

        pub(super) fn finish(self) -> Result<ExampleSchema, Error> {
            let features = self.features.into_iter().map(|(name, kind)| match kind {
                Some(kind) => FeatureSpec::new(name, kind),
                None => FeatureSpec::null(name),
            });
            Ok(ExampleSchema::new(features)?)
        }
    }

    trait RecordDecoderFlush {
        fn flush(&mut self) -> Result<arrow_array::RecordBatch, Error>;
    }

    impl RecordDecoderFlush for ExampleDecoder {
        fn flush(&mut self) -> Result<arrow_array::RecordBatch, Error> {
            tfxio_core::RecordDecoder::flush(self)
        }
    }

    fn kind(data_type: &DataType) -> Option<FeatureKind> {
        match data_type {
            DataType::LargeList(item) => match item.data_type() {
                DataType::Int64 => Some(FeatureKind::Int64),
                DataType::Float32 => Some(FeatureKind::Float),
                _ => Some(FeatureKind::Bytes),
            },
            _ => None,
        }
    }
}
