//! TFRecord files as record batches.
//!
//! [`files`] finds them, [`queue`] reads the records of one split after the other, [`batches`] and [`threads`] decode
//! them, one record batch after the other or several at once.

mod base;
pub(crate) mod batches;
mod chunk;
mod cut;
mod data;
mod data_set;
mod describe;
mod errors;
pub(crate) mod files;
mod format;
mod index_files;
mod indexes;
mod inflated;
mod input;
mod inspect;
mod job;
mod kept;
mod options;
mod output;
pub(crate) mod part;
mod partition_reader;
mod pipes;
mod plan;
pub(crate) mod queue;
mod raw;
mod raw_tfxio;
mod records;
mod rewrite;
pub(crate) mod salvage;
mod scan;
mod settings;
mod sink;
mod spool;
pub(crate) mod url;

pub(crate) use self::files::is_regular;
pub use self::files::{expand_files, expand_files_with, index_beside};
pub use self::format::TfRecordFormat;
pub use self::input::InputFile;
pub use self::options::RecordOptions;
pub(crate) use self::output::names as output_names;
#[cfg(any(feature = "avro", feature = "ipc", feature = "parquet"))]
pub(crate) use self::output::refuse_shards;
pub(crate) use self::raw::schema as raw_schema;
pub use self::raw::{RawRecordDecoder, raw_records_to_record_batch};
pub use self::raw_tfxio::RawRecordTfxIo;
pub use self::salvage::Salvage;
pub use self::url::is_url;
