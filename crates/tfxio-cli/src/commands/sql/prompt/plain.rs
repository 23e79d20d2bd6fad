//! A prompt on terminals that only take text.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use tfxio::Error;

use super::{PROMPTS, Prompt, text};
use crate::Done;
use crate::failure::Failure;

/// Reads statements until the end of the input, and runs each. One that the input ends within is run, too, as one of a file is.
pub(super) fn run(prompt: &Prompt<'_>) -> Done {
    let mut typed = String::new();
    loop {
        let mut line = String::new();
        // Whoever sees the prompt may give up what was typed before.
        let (read, is_given_up) = prompt.doing.reads(|| {
            show(PROMPTS[usize::from(!typed.is_empty())])?;
            let read = io::stdin().lock().read_line(&mut line);
            Ok::<_, Failure>(read.map_err(|error| Error::from(error).in_file("standard input"))?)
        });
        let is_end = read? == 0;
        if is_given_up {
            typed.clear();
        }
        typed.push_str(&line);
        if is_end {
            show("\n")?;
        }
        if text::is_farewell(&typed) {
            return Ok(());
        }
        if typed.trim().is_empty() {
            typed.clear();
        } else if is_end || text::is_complete(&typed) {
            prompt.run(&std::mem::take(&mut typed))?;
        }
        if is_end {
            return Ok(());
        }
    }
}

/// Shows a text that is not of an answer, and so not in a file that answers are written to.
fn show(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        write!(io::stdout(), "{text}")?;
        io::stdout().flush()
    } else {
        write!(io::stderr(), "{text}")
    }
}
