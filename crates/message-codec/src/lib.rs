//! Any protobuf message to Apache Arrow and back, straight from the wire bytes.
//!
//! A [`DescriptorSet`] describes messages: it is read from the bytes that `protoc --descriptor_set_out` writes or, with
//! the feature `sources`, compiled from `.proto` files without `protoc`. A [`MessagePlan`] is compiled once from a
//! message type and options, and its [`decoder`](MessagePlan::decoder) turns records into batches, one row each,
//! without a message in between.
//!
//! # Contents
//!
//! | to | use |
//! | --- | --- |
//! | describe messages | [`DescriptorSet`], [`MessageDescriptor`] |
//! | choose their columns | [`MessagePlan`], [`Layout`], [`Enums`] |
//! | decode records into batches | [`MessageDecoder`] |
//! | encode batches as records | [`MessageEncoder`] |
//!
//! # Columns
//!
//! | type of the field | Arrow type of a value |
//! | --- | --- |
//! | `double`, `float` | `Float64`, `Float32` |
//! | `int32`, `sint32`, `sfixed32` | `Int32` |
//! | `int64`, `sint64`, `sfixed64` | `Int64` |
//! | `uint32`, `fixed32` | `UInt32` |
//! | `uint64`, `fixed64` | `UInt64` |
//! | `bool` | `Boolean` |
//! | `string` | `LargeUtf8` |
//! | `bytes` | `LargeBinary` |
//! | an enum | `LargeUtf8`: its name; or `Int32` |
//! | a message, a group | `Struct` |
//! | a message within itself | `LargeBinary`: its bytes, from a stated depth on |
//!
//! [`Layout`] defines the lists around them. The guide `docs/messages.md` of the repository has the rules of presence
//! and of merging.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `sources` | no | `DescriptorSet::compile`: descriptors of `.proto` sources |
//!
//! # Errors
//!
//! Input is never trusted: no bytes make the crate panic, and every length is checked before it is believed. An
//! [`Error`] reports the fault, the record and the field, and what to do; its [`Kind`] is `error.detail::<Kind>()`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod decode;
mod descriptor;
mod encode;
mod error;
mod plan;

pub use decode::MessageDecoder;
pub use descriptor::{DescriptorSet, MessageDescriptor};
pub use encode::{MessageEncoder, MessageEncoderBuilder};
pub use error::Kind;
pub use plan::{Enums, Layout, MessagePlan, MessagePlanBuilder};
/// Types of [`tfxio_base`] and [`tfxio_core`] that are part of the signatures of this crate.
pub use tfxio_base::{Error, ErrorKind, Limits, Position};
pub use tfxio_core::{ColumnPath, Origin, RecordDecoder};
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_schema};

/// The programs of the readme are compiled and run.
#[cfg(all(doctest, feature = "sources"))]
#[doc = include_str!("../README.md")]
mod readme {}
