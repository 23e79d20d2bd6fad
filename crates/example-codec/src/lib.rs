//! tf.Example to Apache Arrow, straight from the wire bytes.

mod decode;
mod error;
mod schema;

pub use decode::{ExampleDecoder, ExampleDecoderBuilder, OffsetWidth, UnknownFeatures};
pub use error::{Error, ErrorKind};
pub use schema::{ExampleSchema, FeatureKind, FeatureSpec};
