//! Outputs that are not files of the local file system.

use std::fmt;
use std::io::Write;

use crate::{Cancel, Result};

/// An object that is being written to a store, and appears whole or not at all: dropped before it was published, it is given
/// up, and the store keeps nothing of it. For [`OutputFile::upload`](crate::OutputFile::upload).
pub trait Upload: Write + fmt::Debug + Send {
    /// Sends what is left. Nothing is written after that, and nothing appears.
    ///
    /// # Errors
    /// When the store does not take it.
    fn close(&mut self) -> Result<()>;

    /// Lets the object appear under its name.
    ///
    /// # Errors
    /// When the store fails; [`AlreadyExists`](crate::ErrorKind::AlreadyExists) if there is an object of the name and
    /// `overwrite` is false. Nothing is left then, and what had the name before is still there.
    fn publish(&mut self, overwrite: bool) -> Result<()>;

    /// Gives up what was sent; nothing is written or published after that. Called when it is dropped unpublished, and before the
    /// process ends.
    fn abort(&mut self);

    /// Returns the token that ends all waits except in [`abort`](Self::abort). It is cancelled when the process is to end
    /// while another thread writes or publishes. Called once, at the beginning. Default: a token that is never cancelled.
    fn cancel(&self) -> Cancel {
        Cancel::default()
    }
}
