//! CSV files.
//!
//! [`mod@format`] is the format. A row is split into [`cells`], which are read as [`numbers`](crate::lines) or texts into the [`column`]s
//! of a [`decoder`]; [`infer`] infers their types. [`sink`] writes ([`uuids`] as text), and [`texts`] predicts the text columns that would
//! be read back as another type. Rows are found, cut and read by [`lines`](crate::lines).

mod cells;
mod column;
mod decoder;
mod format;
mod header;
mod infer;
mod mixed;
mod read_back;
mod settings;
mod sink;
mod types;
mod uuids;

pub use self::format::CsvFormat;
