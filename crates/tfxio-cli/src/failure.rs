//! Errors of commands, in one paragraph each, and their exit codes.
//!
//! | code | of |
//! | --- | --- |
//! | [`DATA`] | damage, values that do not fit, and what a command was asked to check and found: [`Failure::Reported`] |
//! | [`USAGE`] | arguments, options, columns, conditions, formats: what another command line mends |
//! | [`IO`] | the system and the network; an output that exists where it is not replaced |
//!
//! `docs/command.md` lists the commands that end with 1 for what they find.

use std::error::Error as _;
use std::fmt;
use std::io::{self, Write as _};

use tfxio::{ErrorKind, Remedy};

use crate::{advice, color, escape, progress, verbosity};

/// Data are damaged or not what they should be.
pub(crate) const DATA: u8 = 1;
/// The command was not understood.
pub(crate) const USAGE: u8 = 2;
/// Reading or writing failed.
pub(crate) const IO: u8 = 3;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error of the libraries.
    Error(tfxio::Error),
    /// Standard output was closed, as `head` does: nobody wants more.
    Closed,
    /// Writing to standard output failed otherwise.
    Output(io::Error),
    /// A request that makes no sense.
    Usage(String),
    /// Everything was said already.
    Reported(u8),
}

impl Failure {
    /// Prints it to standard error.
    pub(crate) fn print(&self) {
        if !matches!(self, Self::Closed | Self::Reported(_)) {
            say(format_args!("error: {self}"));
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Error(error) => exit_code(error),
            Self::Closed => 0,
            Self::Output(_) => IO,
            Self::Usage(_) => USAGE,
            Self::Reported(code) => *code,
        }
    }
}

/// The exit code that an error means.
pub(crate) fn exit_code(error: &tfxio::Error) -> u8 {
    match error.kind() {
        kind if kind.is_io() => IO,
        // Of the command and not of a file: a key that is too long.
        ErrorKind::LimitExceeded if error.position().file.is_none() && error.position().record.is_none() => {
            USAGE
        }
        // Of a value that the output cannot hold, and not of its type.
        ErrorKind::Unsupported if error.position().record.is_some() || error.position().row.is_some() => DATA,
        ErrorKind::InvalidArgument | ErrorKind::Unsupported | ErrorKind::SchemaRequired => USAGE,
        _ => DATA,
    }
}

/// Writes a line to standard error. If that fails there is nobody left to tell.
pub(crate) fn say(text: fmt::Arguments<'_>) {
    let text = escape::lines(&text.to_string()).into_owned();
    if verbosity::is_quiet() && text.starts_with("note: ") {
        return;
    }
    let line = color::paragraph(&text);
    let _ = progress::suspend(true, || writeln!(io::stderr().lock(), "{line}"));
}

/// An error with its causes and with what this program can do about it.
pub(crate) fn paragraph(error: &tfxio::Error) -> String {
    let mut text = with_flags(error);
    let mut cause = error.source();
    while let Some(next) = cause {
        let why = next.to_string();
        if !says(&text, &why) && !is_plain(next) && !is_said(error, next) {
            text = format!("{text} ({why})");
        }
        cause = next.source();
    }
    if let Some(advice) = advice::of(error) {
        text = format!("{text}. {advice}");
    }
    if let Some(flags) = error.remedy().and_then(flags) {
        text = format!("{text}. For this command: {flags}");
    }
    let raises = |hint: &str| hint.contains("raise the limit");
    if error.kind() == ErrorKind::LimitExceeded && error.hint().is_some_and(raises) {
        text.push_str(". No flag of this command raises it: programs do, by tfxio::Limits");
    }
    // A name with a line end must not look like a message of its own.
    let mut text = escape::line(&text).into_owned();
    for other in error.others() {
        text.push_str("\nand ");
        text.push_str(&paragraph(other));
    }
    text
}

/// Returns the text of an error, in which "the option batch_rows" is the flag `--batch-rows`. Names of files stay.
fn with_flags(error: &tfxio::Error) -> String {
    let text = error.alone().to_string();
    let position = error.position().to_string();
    match text.strip_prefix(&position) {
        Some(rest) => format!("{position}{}", options_as_flags(rest)),
        None => text,
    }
}

/// Returns a text of the libraries in which options have the names that they have on the command line.
pub(crate) fn options_as_flags(text: &str) -> String {
    const BEFORE: &str = "the option ";
    let mut parts = text.split(BEFORE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(part.len());
        match part.split_at_checked(end) {
            Some((key, rest)) if !key.is_empty() => {
                out.push_str("--");
                out.push_str(&key.replace('_', "-"));
                out.push_str(rest);
            }
            _ => {
                out.push_str(BEFORE);
                out.push_str(part);
            }
        }
    }
    out
}

/// Returns whether a text already contains a cause: as a whole, or its position and its words apart.
fn says(text: &str, why: &str) -> bool {
    let is_said = |(position, what): (&str, &str)| text.contains(position) && text.contains(what);
    text.contains(without_position(why)) || why.split_once(": ").is_some_and(is_said)
}

/// Removes the position from a message of the wire format or of JSON; the text around it has the position in other
/// words.
fn without_position(why: &str) -> &str {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = why.strip_prefix("byte ").and_then(|rest| rest.split_once(": "));
    let why = number.filter(|(number, _)| is_number(number)).map_or(why, |(_, what)| what);
    let lines = why.rsplit_once(" at line ").filter(|(_, at)| at.split(" column ").all(is_number));
    lines.map_or(why, |(what, _)| what)
}

/// An error that may be one of a key expression, then with a mark under the character that it is about.
pub(crate) fn with_mark(error: tfxio::Error) -> Failure {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(cause) = next {
        if let Some(mark) = cause.downcast_ref().and_then(mark) {
            return Failure::Usage(format!("{error}{mark}"));
        }
        next = cause.source();
    }
    error.into()
}

/// Two lines: the key expression that an error is about, and a mark under the character.
fn mark(error: &tfxio::Error) -> Option<String> {
    let position = error.position();
    let (key, column) = (position.key.as_ref()?, position.key_column?);
    let key = key.chars().map(|c| if escape::is_control(c) { ' ' } else { c }).collect::<String>();
    let room = " ".repeat(usize::try_from(column.saturating_sub(1)).unwrap_or_default());
    Some(format!("\n  {key}\n  {room}^"))
}

/// Returns what a remedy means on the command line.
fn flags(remedy: Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::StateFormat => Some("--as FORMAT"),
        Remedy::BoundDepth => Some("--max-depth N, --columns A,B or --keys KEY"),
        Remedy::GiveSchema => Some("--reader-schema FILE"),
        Remedy::KeepMore => Some("--spool-bytes N"),
        Remedy::StateRecords if cfg!(feature = "proto") => Some(
            "--as raw for their bytes; for messages of another type, --as proto --descriptor FILE --message NAME",
        ),
        Remedy::StateRecords => Some("--as raw for their bytes"),
        // Of a build without the feature alone.
        Remedy::ReadObjects => Some("cargo install --path crates/tfxio-cli --features cloud"),
        _ => None,
    }
}

/// Returns whether a cause only repeats a loader's error of a record, in the words of a reader.
fn is_said(error: &tfxio::Error, cause: &(dyn std::error::Error + 'static)) -> bool {
    let is_of_loader = error.detail::<tfxio::batch_loader::Kind>().is_some();
    is_of_loader && error.position().record.is_some() && cause.is::<tfxio::Error>()
}

/// Returns whether the libraries explain a cause in better words.
fn is_plain(cause: &(dyn std::error::Error + 'static)) -> bool {
    use io::ErrorKind as Kind;

    cause.downcast_ref::<io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            Kind::NotFound
                | Kind::PermissionDenied
                | Kind::IsADirectory
                | Kind::NotADirectory
                | Kind::StorageFull
                | Kind::QuotaExceeded
        )
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => f.write_str(&paragraph(error)),
            Self::Closed => f.write_str("the output was closed"),
            Self::Output(error) => write!(f, "writing to standard output failed: {error}"),
            Self::Usage(text) => f.write_str(text),
            Self::Reported(_) => Ok(()),
        }
    }
}

impl From<tfxio::Error> for Failure {
    fn from(error: tfxio::Error) -> Self {
        Self::Error(error)
    }
}

/// An error of writing to standard output: the only `io::Error` that commands meet themselves.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Output(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use tfxio::{Error, ErrorKind, Remedy};

    use super::{Failure, options_as_flags, says, without_position};

    #[test]
    fn a_build_without_stores_says_how_to_get_them() {
        let error = Error::new(ErrorKind::Unsupported, "this is a URL").remedied_by(Remedy::ReadObjects);
        let said = Failure::Error(error).to_string();
        assert_eq!(
            said,
            "this is a URL. For this command: cargo install --path crates/tfxio-cli --features cloud"
        );
    }

    #[test]
    fn options_are_flags() {
        for (text, expected) in [
            ("name them with the option column_names", "name them with --column-names"),
            ("set the option quoting to none", "set --quoting to none"),
            (
                "the option \"codec\" is not valid; the option `x`",
                "the option \"codec\" is not valid; the option `x`",
            ),
            ("the option a, or the option b_c", "--a, or --b-c"),
            ("the option ", "the option "),
            ("", ""),
        ] {
            assert_eq!(options_as_flags(text), expected);
        }
    }

    #[test]
    fn causes_are_said_once() {
        let text = "a.pbtxt, line 2, column 11, `schema`: not a schema: there are no fields `x`";
        for (why, expected) in [
            ("line 2, column 11: there are no fields `x`", true),
            ("there are no fields `x`", true),
            ("line 3, column 11: there are no fields `x`", false),
            ("line 2, column 11: there are no fields `y`", false),
        ] {
            assert_eq!(says(text, why), expected, "{why}");
        }
    }

    #[test]
    fn positions_are_said_once() {
        assert_eq!(without_position("byte 12: a group ends"), "a group ends");
        assert_eq!(without_position("expected ident at line 1 column 2"), "expected ident");
        for text in ["byte x: a", "a quarrel at line four", "byte 7", ""] {
            assert_eq!(without_position(text), text);
        }
    }
}
