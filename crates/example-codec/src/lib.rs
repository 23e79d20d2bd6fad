//! tf.Example to Apache Arrow and back, straight from the wire bytes.

mod decode;
mod encode;
mod error;
mod infer;
mod raw_record;
mod schema;

pub use decode::{ExampleDecoder, ExampleDecoderBuilder, OffsetWidth, UnknownFeatures};
pub use encode::{EncodedExamples, EncoderOptions, ExampleEncoder};
pub use error::{Error, ErrorKind};
pub use infer::{FeatureStatistics, SchemaInference};
pub use raw_record::{append_raw_record_column, example_to_arrays};
pub use schema::{ExampleSchema, FeatureKind, FeatureSpec};
