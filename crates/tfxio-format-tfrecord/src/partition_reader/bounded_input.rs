//! Inputs that end early.

use std::io::{self, Read, Seek, SeekFrom};

use tfxio_core::Input;

/// An input that ends early.
pub(super) struct BoundedInput {
    pub(super) input: Box<dyn Input>,
    pub(super) left: u64,
}

impl Read for BoundedInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(out.len());
        let count = self.input.read(out.get_mut(..most).unwrap_or_default())?;
        if self.left < u64::MAX {
            self.left = self.left.saturating_sub(count as u64);
        }
        Ok(count)
    }
}

impl Seek for BoundedInput {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.input.seek(to)
    }
}
