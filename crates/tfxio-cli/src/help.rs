//! Help as wide as the terminal.

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use clap::{Command, CommandFactory as _, Error, FromArgMatches as _};

use tfxio::Formats;

use crate::args::Args;
use crate::context::Context;
use crate::{left_out, options};

/// Reads what was typed.
pub(crate) fn parse<A>(args: impl IntoIterator<Item = A>, formats: &Formats) -> Result<(Args, Context), Error>
where
    A: Into<OsString> + Clone,
{
    let mut command = command(formats);
    let parsed = command
        .try_get_matches_from_mut(args)
        .and_then(|matches| Ok((Args::from_arg_matches(&matches)?, options::context(&matches, formats))));
    parsed.map_err(|mut error| {
        if error.kind() == ErrorKind::UnknownArgument {
            // The advice to write `-- --where` makes a file of an option that there is not. That a similar option exists
            // is said elsewhere.
            error.remove(ContextKind::Suggested);
        }
        left_out::explain(&mut error, &command, formats);
        error.with_cmd(&command)
    })
}

/// Returns the command with the options of formats as flags.
pub(crate) fn command(formats: &Formats) -> Command {
    unwrapped(options::flags(Args::command(), formats))
}

/// The command with texts below its options that have one line a paragraph, which is broken where the terminal ends.
fn unwrapped(command: Command) -> Command {
    let command = match command.get_after_help() {
        Some(text) => {
            let text = paragraphs(&text.to_string());
            command.after_help(text)
        }
        None => command,
    };
    command.mut_subcommands(unwrapped)
}

/// Joins the lines of each paragraph. Lines that begin with two spaces stay as they are.
fn paragraphs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let goes_on = !out.is_empty()
            && !out.ends_with('\n')
            && !line.is_empty()
            && !line.starts_with("  ")
            && !out.lines().next_back().is_some_and(|last| last.starts_with("  ") || last.is_empty());
        if !out.is_empty() {
            out.push(if goes_on { ' ' } else { '\n' });
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_said_to_need_a_feature_where_there_is_none() {
        let error_of = |args: [&str; 2], formats: &Formats| {
            parse(["tfxio", "head", "a.tfrecord"].into_iter().chain(args), formats)
                .err()
                .map(|e| e.to_string())
        };
        let tip = "tip: this build has no format proto; for it: cargo install --path crates/tfxio-cli --features proto";
        for args in [["--as", "proto"], ["--descriptor", "a.pb"], ["--message", "a.B"]] {
            let error = error_of(args, &Formats::empty()).unwrap();
            assert!(error.contains(tip), "{error}");
            #[cfg(feature = "proto")]
            assert!(error_of(args, &tfxio::formats()).is_none_or(|error| !error.contains(tip)));
        }
        let other = error_of(["--as", "proton"], &Formats::empty()).unwrap();
        assert!(!other.contains("--features"), "{other}");
    }

    #[test]
    fn paragraphs_are_lines() {
        let text = "Examples:\n  tfxio a\n  tfxio b\n\nOne\ntwo\nthree.\n\nFour";
        assert_eq!(paragraphs(text), "Examples:\n  tfxio a\n  tfxio b\n\nOne two three.\n\nFour");
    }
}
