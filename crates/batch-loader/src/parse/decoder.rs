//! Records into Arrow columns of the features that are used.

use std::collections::HashSet;

use arrow_array::RecordBatch;
use example_codec::{
    ExampleDecoder, ExampleSchema, FeatureKind, FeatureSpec, Kind as CodecKind, SequenceExampleDecoder,
    SequenceExampleSchema,
};
use tfxio_core::{Limits, Origin};

use super::import::values_of;
use crate::manifest::{Deserialize, Feature};
use crate::pipeline::Pipeline;
use crate::{Error, Kind, Result};

/// A decoder of tf.Examples or of tf.SequenceExamples.
#[derive(Debug)]
pub(super) enum Decoder {
    Example(Box<ExampleDecoder>),
    Sequence(Box<SequenceExampleDecoder>),
}

impl Decoder {
    /// A decoder of the features that a pipeline uses; all others are passed over unread.
    pub(super) fn new(pipeline: &Pipeline, limits: Limits) -> Result<Self> {
        let mut names = HashSet::new();
        let features = pipeline.primary.iter().map(|primary| &primary.feature);
        let features = features.filter(|feature| names.insert(&feature.name)).collect::<Vec<_>>();
        let schema = |var_len: bool| {
            ExampleSchema::new(features.iter().filter(|feature| feature.var_len == var_len).map(|f| spec(f)))
        };
        let build = || {
            if !pipeline.sequence_examples {
                let builder = ExampleDecoder::builder().schema(schema(false)?);
                return Ok(Self::Example(Box::new(builder.fixed_size_lists(true).limits(limits).build()?)));
            }
            let schema = SequenceExampleSchema::new(schema(false)?, schema(true)?);
            // Not the name of a feature.
            let mut column = "##SEQUENCE##".to_owned();
            while features.iter().any(|feature| *feature.name == *column) {
                column.push('#');
            }
            let builder = SequenceExampleDecoder::builder().schema(schema).sequence_column(column);
            Ok(Self::Sequence(Box::new(builder.fixed_size_lists(true).limits(limits).build()?)))
        };
        build().map_err(|error| explain(pipeline, error))
    }

    #[inline]
    pub(super) fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        match self {
            Self::Example(decoder) => decoder.push(record, origin),
            Self::Sequence(decoder) => decoder.push(record, origin),
        }
    }

    pub(super) fn flush(&mut self) -> Result<RecordBatch, Error> {
        match self {
            Self::Example(decoder) => decoder.flush(),
            Self::Sequence(decoder) => decoder.flush(),
        }
    }
}

fn spec(feature: &Feature) -> FeatureSpec {
    let kind = match feature.deserialize {
        Deserialize::Int => FeatureKind::Int64,
        Deserialize::Float => FeatureKind::Float,
        Deserialize::String | Deserialize::Raw { .. } => FeatureKind::Bytes,
    };
    let spec = FeatureSpec::new(feature.name.clone(), kind).required();
    // Fixed lengths from 1 on only; others are compared when the chunk is made, as those of sequences are.
    match u32::try_from(values_of(feature)) {
        Ok(values @ 1..=0x7fff_ffff) if !feature.var_len => spec.fixed_len(values),
        _ => spec,
    }
}

/// What a decoder reports, in terms of the manifest.
#[cold]
pub(super) fn explain(pipeline: &Pipeline, error: Error) -> Error {
    let position = error.position().clone();
    let name = position.column.clone();
    let feature = pipeline
        .primary
        .iter()
        .map(|primary| &primary.feature)
        .find(|feature| Some(&feature.name) == name.as_ref());
    let mut explained = match error.detail() {
        Some(CodecKind::MissingFeature) => missing(),
        Some(CodecKind::WrongLength { found, .. }) => match feature {
            Some(feature) => wrong_count(feature, usize::try_from(*found).unwrap_or(usize::MAX)),
            None => Error::new(Kind::Record, "the feature has another number of values"),
        },
        Some(CodecKind::KindMismatch { found, .. }) => {
            let stored = feature.map_or("something else", |feature| match feature.deserialize {
                Deserialize::Int => "int (an int64_list)",
                Deserialize::Float => "float (a float_list)",
                Deserialize::String => "string (a bytes_list)",
                Deserialize::Raw { .. } => "raw (a bytes_list)",
            });
            Error::new(Kind::Record, format!("the feature is a {found}, the manifest says {stored}"))
                .help("correct its deserialize_type in the manifest")
        }
        Some(CodecKind::LimitExceeded) => {
            Error::new(Kind::LimitExceeded, "the record is larger than the limits allow")
        }
        _ => {
            let message = if pipeline.sequence_examples { "tf.SequenceExample" } else { "tf.Example" };
            Error::new(Kind::Corrupt, format!("the record is no {message}"))
                .help("write it again, or let on_error be \"skip\"")
        }
    };
    let place = explained.position_mut();
    place.file = position.file;
    place.byte = position.byte;
    place.record = position.record;
    place.tensor = name;
    explained.because(error)
}

#[cold]
pub(super) fn missing() -> Error {
    Error::new(Kind::Record, "the record lacks the feature")
        .help("every record needs each feature that is read")
}

/// Another number of values than the shape has, or of raw strings than `len` says.
#[cold]
pub(super) fn wrong_count(feature: &Feature, found: usize) -> Error {
    let expected = values_of(feature);
    let (noun, why) = match feature.deserialize {
        Deserialize::Raw { .. } if feature.var_len => ("raw strings in a step", "a step has".to_owned()),
        Deserialize::Raw { .. } => ("raw strings", "its len is".to_owned()),
        _ if feature.var_len => ("values in a step", format!("the shape {:?} has", feature.shape)),
        _ => ("values", format!("the shape {:?} has", feature.shape)),
    };
    Error::new(Kind::Record, format!("the feature has {found} {noun}, {why} {expected}"))
        .help("correct the record, or what the manifest says of the feature")
}
