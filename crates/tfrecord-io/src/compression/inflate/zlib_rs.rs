//! zlib-rs through flate2: the one against which ours is tested.

use flate2::{Decompress, FlushDecompress, Status};

use super::super::stream::Step;
use super::{Corrupt, Inflate};

/// An inflater for one raw deflate stream after the other.
#[derive(Debug)]
pub(crate) struct ZlibRs {
    state: Decompress,
    done: bool,
}

impl ZlibRs {
    pub(crate) fn new() -> Self {
        Self { state: Decompress::new(false), done: false }
    }
}

impl Inflate for ZlibRs {
    fn inflate(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<Step, Corrupt> {
        let Some(out) = out.get_mut(filled..) else { return Ok(Step::default()) };
        if self.done {
            return Ok(Step::default());
        }
        let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
        let status = self.state.decompress(input, out, FlushDecompress::None);
        // Both differences are at most the lengths of the slices.
        let consumed = (self.state.total_in() - before_in) as usize;
        let produced = (self.state.total_out() - before_out) as usize;
        match status {
            Ok(status) => {
                self.done = status == Status::StreamEnd;
                Ok(Step { consumed, produced })
            }
            Err(error) => {
                let what = error.message().unwrap_or("the codes make no sense");
                Err(Corrupt::new(
                    format!("the deflate stream is corrupt: {what}"),
                    Step { consumed, produced },
                ))
            }
        }
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn reset(&mut self) {
        self.state.reset(false);
        self.done = false;
    }
}
