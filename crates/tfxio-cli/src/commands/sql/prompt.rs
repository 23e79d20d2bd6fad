//! A prompt: statements are run as they are typed.

use std::io::{self, BufRead as _, Write as _};

use tfxio::Error;

use super::Engine;
use crate::Done;
use crate::failure::Failure;

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(engine: &Engine) -> Done {
    let mut text = String::new();
    loop {
        write!(io::stdout(), "{}", if text.is_empty() { "tfxio> " } else { "   ... " })?;
        io::stdout().flush()?;
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Error::from(error).in_file("standard input"))? == 0 {
            return Ok(writeln!(io::stdout())?);
        }
        if text.is_empty() && matches!(line.trim().trim_end_matches(';'), "exit" | "quit") {
            return Ok(());
        }
        text.push_str(&line);
        if text.trim().is_empty() {
            text.clear();
        } else if line.trim_end().ends_with(';') {
            go_on(engine.run(&std::mem::take(&mut text)))?;
        }
    }
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
