//! Shards that are missing of what was named by a folder or a wide pattern.

use tfxio_core::{Error, ErrorKind, FormatOptions, OptionSpec, OptionType, OptionValue, Result};

const NOTE: &str = "note";
const ERROR: &str = "error";
const ALLOW: &str = "allow";

/// Option of any format for the handling of a folder or a pattern with only some shards of a set.
pub const MISSING_SHARDS: OptionSpec = OptionSpec::new(
    "missing_shards",
    OptionType::OneOf(&[NOTE, ERROR, ALLOW]),
    "What is done where a folder or a pattern holds some shards of a set: note says so and reads them, and a loader refuses; error \
     refuses; allow takes the files for all there are. Default: note.",
);

/// A sentence about shards that are missing.
#[derive(Clone, Debug)]
pub(crate) struct Missing(String);

impl Missing {
    /// Returns what is to be said, or nothing where the options allow it.
    ///
    /// # Errors
    /// When the options refuse it.
    pub(super) fn of(what: Option<String>, options: &FormatOptions) -> Result<Option<Self>> {
        let Some(what) = what.map(Self) else { return Ok(None) };
        match options.values().get(MISSING_SHARDS.key) {
            Some(OptionValue::Text(asked)) if asked == ERROR => Err(what.error()),
            Some(OptionValue::Text(asked)) if asked == ALLOW => Ok(None),
            // Other words are refused with the other options.
            _ => Ok(Some(what)),
        }
    }

    /// Returns the sentence with which the rest is read.
    pub(super) fn note(&self) -> &str {
        &self.0
    }

    /// Returns the error for what needs all of them.
    pub(super) fn error(&self) -> Error {
        let help = "the set was not written or copied completely; to take the files for all there are, set the option \
                    missing_shards to allow";
        Error::new(ErrorKind::NotFound, &*self.0).help(help)
    }
}
