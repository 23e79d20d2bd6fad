//! Pacing of attempts at records that may not be taken.

/// The longest pause, in records, after one that was not taken.
const LONGEST_PAUSE: u32 = 1024;
/// Records taken in succession after which pauses become shorter.
const RUN: u32 = 16;

/// Pauses that become longer with each record that was not worth trying.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace {
    /// Records that are still left out.
    pub(super) pause: u32,
    next_pause: u32,
    /// Records since the last that was not worth trying.
    run: u32,
}

impl Pace {
    /// Returns whether the next record is to be tried.
    #[inline(always)]
    pub(crate) fn is_due(&mut self) -> bool {
        self.pause = self.pause.saturating_sub(1);
        self.pause == 0
    }

    /// Notes whether a record was worth trying.
    #[inline(always)]
    pub(crate) fn went(&mut self, well: bool) {
        if well {
            self.run += 1;
            if self.run == RUN {
                self.run = 0;
                self.next_pause /= 2;
            }
        } else {
            self.run = 0;
            self.next_pause = (2 * self.next_pause).clamp(1, LONGEST_PAUSE);
            self.pause = self.next_pause;
        }
    }
}
