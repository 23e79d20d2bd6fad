//! TFRecord files as record batches.
//!
//! [`files`] finds them, [`queue`] reads the records of one split after the other, [`batches`] and [`threads`] decode
//! them, one record batch after the other or several at once.

pub(crate) mod batches;
mod errors;
pub(crate) mod files;
mod options;
pub(crate) mod part;
pub(crate) mod queue;
mod raw;
mod raw_tfxio;
mod salvage;
mod threads;

pub use self::errors::from_tfrecord_error;
pub use self::files::expand_files;
pub use self::options::RecordOptions;
pub use self::raw::{RawRecordDecoder, raw_records_to_record_batch};
pub use self::raw_tfxio::RawRecordTfxIo;
pub use self::salvage::Salvage;
