//! Files of text whose records are lines, or rows that may hold line breaks in quotes: what CSV and JSON lines share.
//!
//! A record ends with a line feed, which may follow a carriage return; the last one may end with the file. Where quotes may contain line
//! breaks, only reading from the beginning of the file tells whether a byte is within quotes. Cutting such a file therefore reads it once,
//! finds its rows, and remembers where every 64 KiB of them begin ([`RowMap`]); other files are cut at the next line feed.

pub(crate) mod block;
pub(crate) mod bytes;
mod chunk;
mod data;
mod dataset;
mod entry;
mod infer;
mod inspect;
mod job;
mod losses;
mod numbers;
mod output;
pub(crate) mod quotes;
mod raw_record;
mod reader;
mod row_ends;
mod row_map;
mod scan;
mod text;
mod times;
mod typed;
mod values;

use std::fmt;
use std::sync::Arc;

use tfxio_core::Result;

pub(crate) use self::data::Data;
pub(crate) use self::dataset::TextFiles;
pub(crate) use self::infer::infer;
pub(crate) use self::infer::{first_row, look_at};
pub(crate) use self::inspect::inspect;
pub(crate) use self::losses::losses;
pub(crate) use self::numbers::{Integer, float, integer};
pub(crate) use self::numbers::{strict_float, strict_integer};
pub(crate) use self::output::{OPTIONS as OUTPUT_OPTIONS, sink};
pub(crate) use self::raw_record::{OPTIONS as INPUT_OPTIONS, RAW_RECORD_COLUMN, RawColumn, with_raw_record};
pub(crate) use self::row_ends::Quotes;
pub(crate) use self::values::{Unfit, Values, narrow, take};

/// Checks the header of a file, which is its first row.
pub(crate) type CheckHeader = Arc<dyn Fn(&[u8]) -> Result<()> + Send + Sync>;

/// Syntax of records as text.
#[derive(Clone)]
pub(crate) struct Syntax {
    /// Quotes within which line breaks are part of a row, if the format has any.
    pub(crate) quotes: Option<Quotes>,
    /// Lines that are not records.
    pub(crate) blank: Blank,
    /// Check of the first row, if that is not a record.
    pub(crate) header: Option<CheckHeader>,
}

/// Lines that are not records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blank {
    /// Every line is a record.
    None,
    /// Lines without a byte.
    Empty,
    /// Lines of nothing but spaces and tabs.
    Spaces,
}

impl Blank {
    /// Returns whether a row, without its line break, is passed over.
    fn is(self, row: &[u8]) -> bool {
        match self {
            Self::None => false,
            Self::Empty => row.is_empty(),
            Self::Spaces => row.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
        }
    }
}

impl fmt::Debug for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Syntax")
            .field("quotes", &self.quotes)
            .field("blank", &self.blank)
            .field("header", &self.header.is_some())
            .finish()
    }
}
