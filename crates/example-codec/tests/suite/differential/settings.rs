//! The ways to decode.

use arrow_array::RecordBatch;
use example_codec::{
    EncodedExamples, EncoderOptions, Error, ExampleDecoder, ExampleDecoderBuilder, ExampleEncoder, Limits,
    OffsetWidth, RecordDecoder, SequenceExampleDecoder, SequenceExampleEncoder, SequenceExampleSchema,
    UnknownFeatures,
};

use super::families::Family;

/// Makes a decoder that has seen nothing.
pub type Make = Box<dyn Fn() -> Box<dyn RecordDecoder>>;

/// The column of feature lists: a name that no feature has.
const LISTS: &str = "the column of the sequence features";

/// A way to decode, and to encode what was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Schema,
    NoSchema,
    Projection,
    ProjectionNoSchema,
    Bits32,
    Fixed,
    Strict,
    Limited,
    Extra,
    SequenceSchema,
    SequenceNoSchema,
    SequenceProjection,
    SequenceBits32,
    SequenceFixed,
    SequenceStrict,
}

impl Setting {
    pub const ALL: [Self; 15] = [
        Self::Schema,
        Self::NoSchema,
        Self::Projection,
        Self::ProjectionNoSchema,
        Self::Bits32,
        Self::Fixed,
        Self::Strict,
        Self::Limited,
        Self::Extra,
        Self::SequenceSchema,
        Self::SequenceNoSchema,
        Self::SequenceProjection,
        Self::SequenceBits32,
        Self::SequenceFixed,
        Self::SequenceStrict,
    ];

    pub fn is_sequence(self) -> bool {
        self as usize >= Self::SequenceSchema as usize
    }

    /// Returns whether columns and their kinds are inferred from the batch so far.
    pub fn infers(self) -> bool {
        matches!(self, Self::NoSchema | Self::ProjectionNoSchema | Self::SequenceNoSchema)
    }

    pub fn make(self, family: &Family) -> Make {
        if self.is_sequence() {
            return self.make_sequence(family);
        }
        let builder = self.example_builder(family);
        Box::new(move || Box::new(builder.clone().build().unwrap()))
    }

    /// Returns a builder of decoders of Examples.
    pub fn example_builder(self, family: &Family) -> ExampleDecoderBuilder {
        let builder = ExampleDecoder::builder();
        let plain = || family.plain_schema();
        match self {
            Self::NoSchema => builder,
            Self::Projection => builder.schema(plain()).projection(family.some_names()),
            Self::ProjectionNoSchema => builder.projection(family.some_names()),
            Self::Bits32 => builder.schema(plain()).offsets(OffsetWidth::Bits32),
            Self::Fixed => builder.schema(family.schema(false, false)).fixed_size_lists(true),
            Self::Strict => {
                let builder = builder.schema(family.schema(true, false)).offsets(OffsetWidth::Bits32);
                builder.unknown_features(UnknownFeatures::Refuse).other_messages(UnknownFeatures::Refuse)
            }
            Self::Limited => {
                builder.schema(family.schema(false, true)).limits(Limits::default().list_items(12))
            }
            Self::Extra => builder.schema(plain()).raw_record_column(" raw ").source_column(" source "),
            _ => builder.schema(plain()),
        }
    }

    fn make_sequence(self, family: &Family) -> Make {
        let builder = SequenceExampleDecoder::builder().sequence_column(LISTS);
        let plain = || SequenceExampleSchema::new(family.plain_schema(), family.plain_schema());
        let exact = || SequenceExampleSchema::new(family.schema(false, false), family.schema(false, false));
        let builder = match self {
            Self::SequenceNoSchema => builder,
            Self::SequenceProjection => {
                builder.schema(plain()).projection(family.some_names(), family.some_names())
            }
            Self::SequenceBits32 => builder.schema(plain()).offsets(OffsetWidth::Bits32),
            Self::SequenceFixed => builder.schema(exact()).fixed_size_lists(true),
            Self::SequenceStrict => builder.schema(exact()).unknown_features(UnknownFeatures::Refuse),
            _ => builder.schema(plain()),
        };
        Box::new(move || Box::new(builder.clone().build().unwrap()))
    }

    /// Returns whether a batch, encoded and decoded again, must be the same.
    pub fn comes_back(self) -> bool {
        // A feature list that no row has is no column without a schema.
        !matches!(self, Self::Extra | Self::SequenceNoSchema)
    }

    pub fn encode(self, batch: &RecordBatch) -> Result<EncodedExamples, Error> {
        let mut encoded = EncodedExamples::new();
        let options = EncoderOptions::default();
        if self.is_sequence() {
            SequenceExampleEncoder::builder(&batch.schema(), LISTS)
                .options(options)
                .build()?
                .encode(batch, &mut encoded)?;
        } else {
            ExampleEncoder::builder(&batch.schema()).options(options).build()?.encode(batch, &mut encoded)?;
        }
        Ok(encoded)
    }
}
