//! Features that a build was made without: what was typed that needs them, and how to get them.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};
use tfxio::Formats;

/// The command of the feature `sql`.
const SQL: &str = "sql";
/// The format of messages of any protobuf type, which the feature `proto` brings.
const PROTO: &str = "proto";
/// Options of that format alone.
const OF_PROTO: [&str; 7] =
    ["--descriptor", "--message", "--proto-path", "--enums", "--defaults", "--unknown-fields", "--offsets"];

/// Adds to an error that the typed command or format is available in another build.
pub(crate) fn explain(error: &mut Error, command: &Command, formats: &Formats) {
    let tip = if is(error, ContextKind::InvalidSubcommand, &[SQL])
        && error.kind() == ErrorKind::InvalidSubcommand
    {
        command_tip(SQL, command)
    } else if formats.record_format(PROTO).is_err() && is_proto(error) {
        Some(tip("format", PROTO))
    } else {
        None
    };
    if let Some(tip) = tip {
        // What is merely similar is not meant.
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Returns how to get a command that this build does not have; `None` of other commands.
pub(crate) fn command_tip(name: &str, command: &Command) -> Option<String> {
    (name == SQL && command.find_subcommand(SQL).is_none()).then(|| tip("command", SQL))
}

/// Returns how to get something that has the name of its feature.
fn tip(what: &str, feature: &str) -> String {
    format!(
        "this build has no {what} {feature}; for it: cargo install --path crates/tfxio-cli --features {feature}"
    )
}

/// Returns whether messages of any protobuf type are asked for.
fn is_proto(error: &Error) -> bool {
    is(error, ContextKind::InvalidArg, &["--as <FORMAT>"]) && is(error, ContextKind::InvalidValue, &[PROTO])
        || is(error, ContextKind::InvalidArg, &OF_PROTO) && error.kind() == ErrorKind::UnknownArgument
}

fn is(error: &Error, kind: ContextKind, texts: &[&str]) -> bool {
    matches!(error.get(kind), Some(ContextValue::String(found)) if texts.contains(&&**found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_left_out_says_how_to_get_it() {
        let tip = "tip: this build has no command sql; for it: cargo install --path crates/tfxio-cli --features sql";
        let said = |built: &[&'static str], args: &[&str]| {
            let subcommands = built.iter().map(|name| Command::new(*name));
            let mut command = Command::new("tfxio").subcommands(subcommands);
            let mut error = command.try_get_matches_from_mut(args).unwrap_err();
            explain(&mut error, &command, &Formats::empty());
            error.with_cmd(&command).to_string()
        };
        for args in [&["tfxio", "sql"][..], &["tfxio", "sql", "select 1"], &["tfxio", "help", "sql"]] {
            let said = said(&["head", "sqls"], args);
            assert!(said.contains(tip) && !said.contains("similar"), "{args:?}: {said}");
        }
        for args in [&["tfxio", "sqll"][..], &["tfxio", "head", "sql"], &["tfxio", "--sql"]] {
            let said = said(&["head"], args);
            assert!(!said.contains("--features"), "{args:?}: {said}");
        }
        assert!(!said(&["sql"], &["tfxio", "sql", "select 1"]).contains("--features"));
    }

    #[test]
    fn pages_of_commands_that_are_left_out() {
        let command = Command::new("tfxio").subcommand(Command::new("head"));
        assert!(command_tip("sql", &command).unwrap().ends_with("--features sql"));
        assert_eq!(command_tip("heads", &command), None);
        assert_eq!(command_tip("sql", &command.subcommand(Command::new("sql"))), None);
    }
}
