//! TFRecord files as record batches.
//!
//! [`files`] finds them, [`queue`] reads the records of one split after the other, [`batches`] and [`threads`] decode
//! them, one record batch after the other or several at once.

pub(crate) mod batches;
mod errors;
pub(crate) mod files;
mod input;
mod options;
pub(crate) mod part;
mod pipes;
#[cfg(feature = "tensors")]
pub(crate) mod places;
pub(crate) mod queue;
mod raw;
mod raw_tfxio;
pub(crate) mod salvage;
mod spool;
pub(crate) mod url;

#[cfg(feature = "object-store")]
pub(crate) use self::errors::error_kind;
pub use self::errors::from_tfrecord_error;
#[cfg(any(feature = "avro", feature = "tensors"))]
pub(crate) use self::errors::in_split;
pub use self::files::{expand_files, expand_files_with, index_beside};
pub use self::input::InputFile;
pub use self::options::RecordOptions;
pub use self::raw::{RawRecordDecoder, raw_records_to_record_batch};
pub use self::raw_tfxio::RawRecordTfxIo;
pub use self::salvage::Salvage;
pub use self::url::is_url;
