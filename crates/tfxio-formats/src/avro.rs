//! Avro object containers as record batches.
//!
//! [`mod@format`] is the format and [`dataset`] what it opens; [`settings`] reads the options, `specs` those of feature
//! specs, and [`columns`] says what is asked for. [`scan`] reads a part of a file, by [`serial`] or [`threaded`],
//! [`chain`] several parts, and [`take`] chosen records of [`open_file`]s; [`blocks`] lends the blocks, [`decoder`]
//! makes rows of them, where there is a filter by a [`prefilter`], [`decoded`] says of which records, and [`gathered`] makes batches
//! of rows. [`serialized`] lends records as they are, `features` makes tensors of such. [`known`] keeps where blocks are, in a [`table`] a file,
//! [`resolved`] reads data of other schemas, [`sink`] writes, [`mod@copy`] copies records as they are, and [`salvage`]
//! looks into files and repairs them.

mod blocks;
mod chain;
mod columns;
mod copy;
mod cursor;
mod dataset;
mod decoded;
mod decoder;
mod describe;
#[cfg(feature = "tensors")]
mod features;
mod format;
mod gathered;
mod known;
mod mixed;
mod open_file;
mod output;
mod prefilter;
mod resolved;
mod salvage;
mod scan;
mod serial;
mod serialized;
mod settings;
mod sink;
#[cfg(feature = "tensors")]
mod specs;
mod table;
mod take;
mod threaded;

#[cfg(feature = "tensors")]
pub use self::features::{AvroFeatures, AvroFeaturesBuilder};
pub use self::format::AvroFormat;
pub use self::serialized::AvroRecords;
