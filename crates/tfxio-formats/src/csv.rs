//! CSV files.
//!
//! [`mod@format`] is the format. A row is split into [`cells`], which are read as [`numbers`](crate::lines) or texts into the [`column`]s of a
//! [`decoder`]; [`infer`] finds out their types. [`sink`] writes ([`uuids`] as text), and [`texts`] says what is read back as something else. Rows are found, cut and read by [`lines`](crate::lines).

mod cells;
mod column;
mod decoder;
mod format;
mod header;
mod infer;
mod mixed;
mod settings;
mod sink;
mod texts;
mod types;
mod uuids;

pub use self::format::CsvFormat;
