//! The protobuf wire format: a bounds-checked zero-copy reader and a writer, without allocation.
//!
//! The format is <https://protobuf.dev/programming-guides/encoding/>. Where that page is silent,
//! this crate does what the C++ implementation does:
//!
//! - a value varint has at most 10 bytes; excess bits of the tenth byte are dropped;
//! - a tag or a length has at most 5 bytes; a tag must fit 32 bits and its field number is not 0;
//! - groups nest, together with the messages around them, at most [`MAX_NESTING`] deep;
//! - a padded (overlong) varint is read like the short one.
//!
//! ```
//! use proto_wire::{Reader, Tag, WireType};
//!
//! // field 1: varint 150; field 2: "hi"
//! let mut reader = Reader::new(&[0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i']);
//! assert_eq!(reader.tag()?, Some(Tag { field: 1, wire: WireType::Varint }));
//! assert_eq!(reader.varint()?, 150);
//! assert_eq!(reader.tag()?, Some(Tag { field: 2, wire: WireType::Len }));
//! assert_eq!(reader.bytes()?, b"hi");
//! assert_eq!(reader.tag()?, None);
//! # Ok::<(), proto_wire::Error>(())
//! ```
//!
//! The crate is `no_std`, has no dependency, no feature and no `unsafe` code.
#![no_std]
#![forbid(unsafe_code)]

mod error;
mod packed;
mod reader;
mod short;
mod tag;
mod writer;

pub use error::{Error, ErrorKind};
#[cfg(target_arch = "x86_64")]
pub use packed::decode_varints_avx2;
pub use packed::{count_varints, decode_varints, single_varint};
pub use reader::{MAX_NESTING, Reader};
#[cfg(target_arch = "x86_64")]
pub use short::decode_short_varints_avx2;
pub use short::{SHORT_RUN, SHORT_RUN_VALUES, SHORT_RUN_WINDOW, decode_short_varints};
pub use tag::{Tag, WireType};
pub use writer::{Writer, len_field_size, varint_size};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
