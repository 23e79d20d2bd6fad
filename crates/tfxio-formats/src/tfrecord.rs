//! TFRecord files.
//!
//! [`mod@format`] is the format and [`data_set`] its data set, with a [`plan`] of its records. A [`scan`] reads the [`records`] of
//! partitions, each by a [`partition_reader`], and decodes them in [`job`]s, with a [`prefilter`] if the scan has a filter; [`cut`] and
//! [`indexes`] find where partitions begin. [`sink`] writes; [`inspect`], [`index_files`] and [`rewrite`] are the further operations of the
//! format.

mod base;
mod beside;
mod chunk;
mod cut;
mod data;
mod data_set;
mod decoding;
mod describe;
mod format;
mod index_files;
mod indexes;
mod inflated;
mod inspect;
mod job;
mod kept;
mod look;
mod partition_reader;
mod plan;
mod prefilter;
mod raw;
mod records;
mod rewrite;
pub(crate) mod salvage;
mod scan;
mod settings;
mod sink;

pub use self::format::TfRecordFormat;
pub(crate) use self::raw::schema as raw_schema;
pub use self::raw::{RawRecordDecoder, raw_records_to_record_batch};
