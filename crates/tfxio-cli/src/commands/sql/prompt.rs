//! A prompt: statements are run as they are typed, with history and completion where the terminal can be drawn on.

mod complete;
mod editor;
mod history;
mod interrupt;
mod plain;
mod text;

use std::io::{self, IsTerminal as _};

use self::interrupt::Doing;
use super::SqlEngine;
use crate::Done;
use crate::failure::{Failure, say};

/// Prompts before a statement, and before each further line of it.
const PROMPTS: [&str; 2] = ["tfxio> ", "   ... "];

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &SqlEngine) -> Done {
    let prompt = Prompt { engine, doing: Doing::default() };
    #[cfg(any(unix, windows))]
    let _until_the_end = {
        let doing = prompt.doing.clone();
        crate::signals::instead(move || doing.interrupt())
    };
    let can_draw = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    // The editor draws on standard error, and asks on standard output where the cursor is.
    if !can_draw || !io::stdout().is_terminal() || !io::stderr().is_terminal() {
        return plain::run(&prompt);
    }
    if crossterm::cursor::position().is_err() {
        say(format_args!(
            "note: no history and no completion: the terminal does not say where its cursor is"
        ));
        return plain::run(&prompt);
    }
    editor::run(&prompt)
}

/// Runner of the statements that are typed.
struct Prompt<'a> {
    engine: &'a SqlEngine,
    doing: Doing,
}

impl Prompt<'_> {
    /// Runs statements, and goes on after what was wrong with them, but not where nobody reads.
    fn run(&self, text: &str) -> Done {
        self.engine.session.cancel(self.doing.runs());
        let done = self.engine.run(text);
        self.doing.waits();
        match done {
            Err(closed @ (Failure::Closed | Failure::Output(_))) => Err(closed),
            Err(failure) => {
                failure.print();
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}
