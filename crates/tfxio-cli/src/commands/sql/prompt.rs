//! A prompt: statements are run as they are typed, with history and completion where the terminal can be drawn on.
//!
//! The editor is ours, upon the keys that the crate `console` reads: those that are kept up (rustyline, and all that stand on
//! crossterm) turn on features of libc, bitflags, rustix or mio with which arrow, tokio and DataFusion would be compiled anew.

mod complete;
mod draw;
mod editor;
mod history;
mod line;
mod plain;
mod raw;
mod text;

use std::io::{self, IsTerminal as _};

use super::Engine;
use crate::Done;
use crate::failure::Failure;

/// What is shown before a statement, and before each further line of it.
const PROMPTS: [&str; 2] = ["tfxio> ", "   ... "];

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &Engine) -> Done {
    let can_draw = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    if can_draw && io::stderr().is_terminal() { editor::run(engine) } else { plain::run(engine) }
}

/// Goes on after what was wrong with a statement, but not where nobody reads.
fn go_on(done: Done) -> Done {
    match done {
        Err(closed @ (Failure::Closed | Failure::Output(_))) => Err(closed),
        Err(failure) => {
            failure.print();
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}
