//! JSON lines.
//!
//! [`mod@format`] is the format. A line is read by [`parse`], value by value, into the [`node`]s of its columns, by a [`decoder`];
//! [`infer`] infers their types, and [`sink`] writes.

mod decoder;
mod digits;
mod format;
mod infer;
mod parse;
mod settings;
mod sink;
mod value_builder;

pub use self::format::JsonLinesFormat;
