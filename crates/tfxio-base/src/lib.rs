//! Foundations that every crate of tfxio shares and that belong to no data model: errors, limits, threads and name
//! suggestions.
//!
//! - [`Error`]: the one error, with a coarse [`ErrorKind`], a [`Position`], a hint and a source. A crate's finer kind
//!   implements [`Detail`] and is read back with [`Error::detail`];
//! - [`Limits`]: upper bounds on what input may claim;
//! - [`OutputFile`]: a file that appears under its name only when it is whole;
//! - [`OnError`]: whether damaged records end a reader or are skipped, with a budget and a report;
//! - [`Spawn`]: where tasks run; [`Cancel`]: ends work, and waits, from another thread; [`Ordered`]: jobs of several
//!   threads, with results in order;
//! - [`InflateClock`]: the time that threads spend on decompression, where somebody asks;
//! - [`LostRange`]: a range of bytes that was lost, or skipped;
//! - [`resize_zeroed`]: room to read into;
//! - [`Count`]: a number that agrees with its noun, for messages;
//! - [`iso8601`]: dates and times, from and to text;
//! - [`random`]: random numbers that never change; [`fingerprint`]: a hash that never does;
//! - [`ShardSets`]: which names of files are shards of one set, and which of it are missing;
//! - [`suggest`]: "did you mean …?" for names that are not found.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `arrow` | no | conversions from and to `arrow_schema::ArrowError` |
//! | `serde` | no | serialization of [`Limits`] and [`OnError`] |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod buffer;
mod cancel;
mod count;
mod detail;
mod error;
mod fingerprint;
mod inflating;
mod io;
pub mod iso8601;
mod kind;
mod limits;
mod lost_range;
mod on_error;
mod ordered;
mod output_file;
mod panic_text;
mod position;
pub mod random;
mod shard_sets;
mod spawn;
pub mod suggest;
pub mod url;

pub use buffer::resize_zeroed;
pub use cancel::{Cancel, CancelGuard};
pub use count::Count;
pub use detail::{Damage, Detail};
pub use error::{Error, Result};
pub use fingerprint::fingerprint;
pub use inflating::{InflateClock, inflating};
pub use kind::{ErrorKind, Remedy};
pub use limits::Limits;
pub use lost_range::LostRange;
pub use on_error::{OnError, OverBudget, Skip, SkipBudget, SkipReport};
pub use ordered::{Nested, Ordered, Threading, Work};
pub use output_file::{ClosedFile, OutputFile, Upload, WriteErrors, give_up_together, remove_unfinished};
pub use panic_text::panic_text;
pub use position::Position;
pub use shard_sets::ShardSets;
pub use spawn::{Spawn, Threads};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
