//! Report of the losses of a damaged container.

use std::fmt;
use std::sync::Arc;

use tfxio_core::{Count, LostRange};

use crate::{Error, Kind};

/// Why something was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The head of a block is damaged, or it does not end with the sync marker: what follows was searched.
    Frame,
    /// The file ends within a block.
    Truncated,
    /// A block cannot be decompressed, or its checksum does not fit.
    Compression,
    /// A block claims more than the limits allow.
    Limit,
    /// Another container begins in the middle of this one: its header is passed over, and its records are read, or lost
    /// if their schema cannot be resolved to that of the first.
    AnotherFile,
    /// Within a block, a record is not a datum of the schema, or the number of records is not that of the block's head.
    Records,
}

impl Reason {
    /// Returns a name for programs: `frame`, `truncated`, `compression`, `limit`, `another_file` or `records`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Truncated => "truncated",
            Self::Compression => "compression",
            Self::Limit => "limit",
            Self::AnotherFile => "another_file",
            Self::Records => "records",
        }
    }

    pub(super) fn of(error: &Error) -> Self {
        match error.detail() {
            Some(Kind::Truncated) => Self::Truncated,
            Some(Kind::Decompress) => Self::Compression,
            Some(Kind::BlockTooLarge) => Self::Limit,
            _ => Self::Frame,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Findings of a [`SalvageReader`](super::SalvageReader). Prints as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The file, if its name is known.
    pub file: Option<Arc<str>>,
    /// Blocks of which at least one record is good.
    pub blocks: u64,
    /// Good records.
    pub records: u64,
    /// Losses, in the order of the file: the first [`Report::MOST_LISTED`].
    pub damages: Vec<LostRange<Reason>>,
    /// Damages that are not listed.
    pub unlisted: u64,
}

impl Report {
    /// The most damages that are listed, so that a file of nothing but damage does not fill the memory: 65,536.
    pub const MOST_LISTED: usize = 1 << 16;

    /// Returns whether nothing was lost.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damages.is_empty()
    }

    pub(super) fn add(&mut self, damage: LostRange<Reason>) {
        if self.damages.len() < Self::MOST_LISTED {
            self.damages.push(damage);
        } else {
            self.unlisted = self.unlisted.saturating_add(1);
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}", Count::of(self.records, "good record"))?;
        if self.is_clean() {
            return f.write_str(", nothing lost");
        }
        for damage in &self.damages {
            write!(f, "\nbytes {} to {}: ", damage.start, damage.end)?;
            match damage.records {
                Some(records) => write!(f, "{} lost", Count::of(records, "record"))?,
                None => f.write_str("an unknown number of records lost")?,
            }
            write!(f, " after {} ({})", Count::of(damage.records_before, "good record"), damage.why())?;
        }
        if self.unlisted > 0 {
            write!(f, "\nand {} more", self.unlisted)?;
        }
        Ok(())
    }
}
