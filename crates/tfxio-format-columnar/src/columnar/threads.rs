//! Threads that decode groups: the caller, or several, each its own groups or its own columns.

use tfxio_core::{Ordered, Result, Work as _};

use super::columns::ColumnDecoder;
use super::decode::{Asked, Decode, DecodedRows, Groups};

/// Decoder of groups, on one thread or on several.
pub(super) enum DecodeEngine {
    Alone(Box<Decode>, Groups),
    /// Each thread has groups of its own. What they decode waits for the groups before, so large ones leave threads idle.
    Groups(Ordered<Decode>),
    /// All threads have the same groups, each some of their columns.
    Columns(ColumnDecoder),
}

impl DecodeEngine {
    /// Returns what decodes groups.
    pub(super) fn new(asked: Asked, groups: Groups, is_small: bool) -> Result<Self> {
        let threading = asked.request.threading();
        if threading.threads > 1 && !is_small && !asked.file.footer.is_sequential() {
            if let Some(columns) = ColumnDecoder::new(&asked, &groups)? {
                return Ok(Self::Columns(columns));
            }
            if groups.lock().left.len() > 1 {
                let make = move || Ok(Decode::new(asked.clone()));
                return Ok(Self::Groups(Ordered::new(groups, &threading, make)?));
            }
        }
        let left = groups.lock().left.clone();
        Ok(Self::Alone(Box::new(Decode::alone(asked, left)), groups))
    }

    /// Returns the next rows; nothing after the last.
    pub(super) fn next(&mut self) -> Result<Option<DecodedRows>> {
        match self {
            Self::Groups(ordered) => ordered.next().transpose(),
            Self::Columns(columns) => columns.next(),
            Self::Alone(decode, groups) => loop {
                decode.enter_taken()?;
                decode.look_ahead(groups)?;
                if let Some(rows) = decode.next()? {
                    return Ok(Some(rows));
                }
                if !decode.read(groups)? {
                    return Ok(None);
                }
            },
        }
    }
}
