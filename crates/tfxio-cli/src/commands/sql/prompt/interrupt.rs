//! Interruption of the prompt by Ctrl-C.

use std::io::{self, Write as _};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tfxio::Cancel;

use super::PROMPTS;

/// State of the prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Doing(Arc<Mutex<State>>);

#[derive(Debug, Default)]
enum State {
    /// It does nothing that can be given up: the editor has keys of its own.
    #[default]
    Waits,
    /// It reads a line.
    Reads,
    /// Ctrl-C was typed: the text is dropped.
    GivenUp,
    /// It runs statements, which this cancels.
    Runs(Cancel),
}

impl Doing {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn waits(&self) {
        *self.lock() = State::Waits;
    }

    /// Begins to run statements, and returns what cancels them.
    pub(super) fn runs(&self) -> Cancel {
        let cancel = Cancel::new();
        *self.lock() = State::Runs(cancel.clone());
        cancel
    }

    /// Reads a line, and returns whether what was typed before it is given up.
    pub(super) fn reads<T>(&self, read: impl FnOnce() -> T) -> (T, bool) {
        *self.lock() = State::Reads;
        let read = read();
        (read, matches!(mem::take(&mut *self.lock()), State::GivenUp))
    }

    /// Gives up what goes on, and returns whether there is something that ends: what was cancelled and goes on cannot be.
    pub(super) fn interrupt(&self) -> bool {
        let mut state = self.lock();
        let cancel = match &*state {
            State::Waits => return true,
            State::Reads | State::GivenUp => {
                *state = State::GivenUp;
                // The terminal has dropped the line.
                let _ = write!(io::stderr(), "\n{}", PROMPTS[0]);
                return true;
            }
            State::Runs(cancel) if cancel.is_cancelled() => return false,
            State::Runs(cancel) => cancel.clone(),
        };
        drop(state);
        // After what the terminal shows of the key.
        let _ = writeln!(io::stderr());
        cancel.cancel();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_interrupted() {
        let doing = Doing::default();
        assert!(doing.interrupt());
        assert_eq!(doing.reads(|| 1), (1, false));
        assert_eq!(doing.reads(|| doing.interrupt()), (true, true));
        assert!(!doing.reads(|| ()).1);
        let cancel = doing.runs();
        assert!(doing.interrupt() && cancel.is_cancelled());
        // It does not end: the program has to.
        assert!(!doing.interrupt());
        assert!(!doing.runs().is_cancelled());
        doing.waits();
        assert!(doing.interrupt());
    }
}
