//! A prompt on terminals that only take text.

use std::io::{self, BufRead as _, Write as _};

use tfxio::Error;

use super::{Engine, PROMPTS, go_on, text};
use crate::Done;

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &Engine) -> Done {
    let mut typed = String::new();
    loop {
        write!(io::stdout(), "{}", PROMPTS[usize::from(!typed.is_empty())])?;
        io::stdout().flush()?;
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Error::from(error).in_file("standard input"))? == 0 {
            return Ok(writeln!(io::stdout())?);
        }
        typed.push_str(&line);
        if text::is_farewell(&typed) {
            return Ok(());
        }
        if typed.trim().is_empty() {
            typed.clear();
        } else if text::is_complete(&typed) {
            go_on(engine.run(&std::mem::take(&mut typed)))?;
        }
    }
}
