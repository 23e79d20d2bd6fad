//! Panics of code of others, turned into errors.
//!
//! The readers of `arrow-ipc` and `parquet` index and unwrap what they read, so that a damaged file makes them panic.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use tfxio_base::panic_text;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does work of code of others that may panic, without a word on standard error.
///
/// Values that the work has changed must not be used again after a panic. The first call puts a panic hook before the one
/// of the program, which passes on all other panics.
///
/// # Errors
/// The text of the panic.
///
/// ```
/// use tfxio_core::foreign::guarded;
///
/// assert_eq!(guarded(|| 5), Ok(5));
/// assert_eq!(guarded(|| [1, 2].iter().position(|of| *of == 3).unwrap()).is_err(), true);
/// ```
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    silence();
    let outer = IS_GUARDED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(outer);
    done.map_err(|payload| panic_text(&*payload).to_owned())
}

/// Puts a hook before the one that is there, once, which passes on every panic that is not guarded.
fn silence() {
    static HOOK: Once = Once::new();
    // The hook cannot be taken while this thread panics.
    if std::thread::panicking() {
        return;
    }
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::panic, reason = "what is tested")]
    fn a_panic_is_a_text() {
        assert_eq!(guarded(|| 5), Ok(5));
        let number = 7;
        assert_eq!(guarded(|| panic!("no {number}")), Err::<(), _>("no 7".to_owned()));
        assert_eq!(guarded(|| panic!("no")), Err::<(), _>("no".to_owned()));
        assert_eq!(guarded(|| guarded(|| panic!("inner")).is_err()), Ok(true));
        assert!(!IS_GUARDED.get());
    }
}
