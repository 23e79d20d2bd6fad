//! tf.Example and tf.SequenceExample to Apache Arrow and back, straight from the wire bytes.
//!
//! A tf.Example is a protobuf message with a map from names to lists of integers, floats or byte
//! strings; TFRecord files are full of them. This crate turns them into Arrow record batches, one
//! row a record, and record batches into tf.Examples. It builds no message objects, needs neither
//! TensorFlow nor a protobuf library, and does no I/O: bytes of records in, batches out.
//!
//! ```
//! use example_codec::{EncodedExamples, ExampleDecoder, ExampleEncoder, Origin};
//!
//! // features { feature { key: "a" value { int64_list { value: [5] } } } }
//! let record = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
//!
//! let mut decoder = ExampleDecoder::builder().build()?;
//! decoder.push(record, Origin::new("train.tfrecord", 0, 0))?;
//! decoder.push(b"", Origin::new("train.tfrecord", 32, 1))?; // an example without features
//! let batch = decoder.flush()?;
//! assert_eq!(batch.num_rows(), 2);
//! assert_eq!(batch.column(0).null_count(), 1);
//!
//! let encoder = ExampleEncoder::builder(&batch.schema()).build()?;
//! let mut examples = EncodedExamples::new();
//! encoder.encode(&batch, &mut examples)?;
//! assert_eq!(examples.get(0), Some(&record[..]));
//! # Ok::<(), example_codec::Error>(())
//! ```
//!
//! # Contents
//!
//! | to | use |
//! | --- | --- |
//! | decode records into batches | [`ExampleDecoder`], [`SequenceExampleDecoder`] |
//! | declare the features | [`ExampleSchema`], [`SequenceExampleSchema`] |
//! | infer the features | [`ExampleSchemaInference`], [`SequenceExampleSchemaInference`] |
//! | encode batches as records | [`ExampleEncoder`] or [`SequenceExampleEncoder`] into [`EncodedExamples`] |
//! | write nested lists as features with partitions | [`RaggedColumn`] |
//! | put raw records beside their rows | [`append_raw_record_column`] |
//! | decode or encode all at once | [`decode_all`], [`encode_all`] |
//! | write or read one record as Rust values | [`Example`], [`SequenceExample`] |
//! | read one record without a copy | [`ExampleView`] |
//! | write or read structs | [`ToExample`], [`FromExample`], [`ToSequenceExample`], [`FromSequenceExample`], and the feature `derive` |
//! | write or read types that implement serde's traits | the module `serde`, and the feature of that name |
//! | look at one record as arrays | [`example_to_arrays`] |
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `derive` | no | `#[derive(ToExample, FromExample)]` and `#[derive(ToSequenceExample, FromSequenceExample)]`, of the crate `example-derive` |
//! | `serde` | no | `serde::to_example` and `serde::from_example`, for any type of serde |
//!
//! # Encodings
//!
//! | feature | column | with 32-bit offsets |
//! | --- | --- | --- |
//! | `int64_list` | `LargeList<Int64>` | `List<Int64>` |
//! | `float_list` | `LargeList<Float32>` | `List<Float32>` |
//! | `bytes_list` | `LargeList<LargeBinary>` | `List<Binary>` |
//! | never a value, without a schema | `Null` | `Null` |
//! | fixed length, when asked for | `FixedSizeList<T, n>` | `FixedSizeList<T, n>` |
//!
//! The feature lists of a SequenceExample become one struct column of lists of lists.
//!
//! A feature that a record lacks, or that has none of the three lists, is null; a list without values is an empty list. The
//! guide `docs/encodings.md` of the repository has the rest: the treatment of repeated names, packed and unpacked values
//! and unknown fields, and the reasons to refuse a record.
//!
//! # Errors
//!
//! Input is never trusted: every length is checked before it is believed, and no bytes can make the crate panic. An
//! [`Error`] has a description, the file, record and feature, and a hint what to do; its [`Kind`] is
//! `error.detail::<Kind>()`. A record that is refused leaves the decoder as it was, so that a reader may skip it and go on.
//!
//! # Limits
//!
//! - A record may have 2^31 − 1 bytes, as in protobuf; [`tfxio_core::Limits`] has the other bounds.
//! - Values are not converted: a feature has one kind in all records of a batch.
//! - The encoders widen narrower numbers, and refuse what would lose by a conversion, such as `Float64`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod all;
mod decode;
mod encode;
mod error;
mod example;
mod foreign;
mod infer;
mod raw_record;
mod schema;
mod sequence_schema;
#[cfg(feature = "serde")]
pub mod serde;
pub mod typed;

pub use all::{decode_all, encode_all};
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use decode::trial;
pub use decode::{
    ExampleDecoder, ExampleDecoderBuilder, OffsetWidth, SequenceExampleDecoder,
    SequenceExampleDecoderBuilder, UnknownFeatures,
};
pub use encode::{
    EncodedExamples, EncoderOptions, ExampleEncoder, ExampleEncoderBuilder, FeaturePartition, RaggedColumn,
    SequenceExampleEncoder, SequenceExampleEncoderBuilder,
};
pub use error::Kind;
pub use example::{Example, ExampleView, Feature, FeatureView, SequenceExample};
#[cfg(feature = "derive")]
pub use example_derive::{FromExample, FromSequenceExample, ToExample, ToSequenceExample};
pub use foreign::is_other_message;
pub use infer::{
    ExampleSchemaInference, FeatureStatistics, SequenceExampleSchemaInference, SequenceFeatureStatistics,
};
pub use raw_record::{append_raw_record_column, example_to_arrays};
pub use schema::{ExampleSchema, FeatureField, FeatureKind};
pub use sequence_schema::SequenceExampleSchema;
/// Types of [`tfxio_base`] and [`tfxio_core`] that the signatures of this crate need.
pub use tfxio_base::{Error, ErrorKind, Limits, Position};
pub use tfxio_core::{Origin, RecordDecoder, UnknownColumn};
pub use typed::{FromExample, FromSequenceExample, ToExample, ToSequenceExample};
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_schema};

/// The programs of the readme are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
