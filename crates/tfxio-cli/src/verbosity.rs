//! Verbosity of standard error: `--quiet` and `--verbose`.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{escape, failure};

const QUIET: u8 = 1;
const VERBOSE: u8 = 2;

static LEVEL: AtomicU8 = AtomicU8::new(0);

/// Sets the verbosity; at most one of both is asked for.
pub(crate) fn set(quiet: bool, verbose: bool) {
    let level = if quiet {
        QUIET
    } else if verbose {
        VERBOSE
    } else {
        0
    };
    LEVEL.store(level, Ordering::Relaxed);
}

/// Returns whether only errors, warnings and reports of damage are printed.
pub(crate) fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == QUIET
}

/// Returns whether decisions are printed.
pub(crate) fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == VERBOSE
}

/// Prints a decision, with `--verbose`.
pub(crate) fn tell(text: fmt::Arguments<'_>) {
    if is_verbose() {
        // A name with a line end must not look like a message of its own.
        failure::say(format_args!("info: {}", escape::line(&text.to_string())));
    }
}
