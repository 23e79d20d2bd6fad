//! What the two decoders do alike with the bytes of a datum.

mod held;
mod same;

use crate::datum::{At, DatumReader, ItemBlock};
use crate::{Error, ErrorKind, Result};

pub(crate) use held::Held;
pub(crate) use same::{Kind, Same, Sink, Step, string, strings, together};

/// Counts list items against the limit, of which so many are left.
#[inline]
pub(crate) fn claim(left: &mut u64, count: u64) -> Result<()> {
    *left = left.checked_sub(count).ok_or_else(too_many_items)?;
    Ok(())
}

/// Counts list items without bytes against the limit of a batch, of which so many are left.
#[inline]
pub(crate) fn claim_empty(left: &mut u64, count: u64) -> Result<()> {
    *left = left.checked_sub(count).ok_or_else(too_many_empty_items)?;
    Ok(())
}

#[cold]
fn too_many_empty_items() -> Error {
    let what = "the rows of the batch have more array items without bytes (nulls, records without fields) than the limit \
                allows";
    Error::new(ErrorKind::LimitExceeded, what).with_hint(
        "the file may be damaged here; raise Limits::empty_items or read smaller batches if this is meant",
    )
}

#[cold]
fn too_many_items() -> Error {
    Error::new(ErrorKind::LimitExceeded, "the datum has more list items than the limit allows")
        .with_hint("raise Limits::list_items if this is meant")
}

/// Whether the items of a block have as many bytes as their writer says.
#[inline]
pub(crate) fn check_size(bytes: At<'_>, claimed: Option<usize>, start: usize, end: usize) -> Result<()> {
    match claimed {
        Some(claimed) if claimed != end - start => {
            let block = ItemBlock { count: 1, bytes: Some(claimed) };
            block.check_size(&DatumReader::at(bytes.0, end), start)
        }
        _ => Ok(()),
    }
}
