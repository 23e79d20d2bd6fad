//! The brackets of a slice, as Python writes them.

use std::fmt;
use std::str::FromStr;

use super::{Slice, SliceAxis};
use crate::{Error, Kind, Result};

const GRAMMAR: &str = "write one entry a dimension, an index or start:stop:step of which each may be left out: \
                       \"[3,:,4:,:-2,1:4]\"";

/// Reads `[3,:,4:,:-2,1:4]`: one entry a dimension, from the first; blanks are allowed inside the brackets.
///
/// ```
/// use batch_loader::config::{Slice, SliceAxis};
///
/// let slice: Slice = "[-1, 2::3]".parse()?;
/// assert_eq!(slice.axes, [SliceAxis::Index(-1), SliceAxis::Range { start: Some(2), stop: None, step: 3 }]);
/// assert_eq!(slice.to_string(), "[-1,2::3]");
/// # Ok::<(), batch_loader::Error>(())
/// ```
///
/// # Errors
///
/// `InvalidValue` for anything else, a step of 0 and numbers beyond 64 bits included.
impl FromStr for Slice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let invalid = |what: String| Error::new(Kind::InvalidValue, what).help(GRAMMAR);
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let inner = inner.ok_or_else(|| {
            let blanks = if text.trim() == text { "" } else { ", without blanks around them" };
            invalid(format!("{text:?} is not a slice: it is not in brackets{blanks}"))
        })?;
        let axes = inner.split(',').map(|part| axis(part.trim())).collect::<Result<_, _>>();
        axes.map(|axes| Self { axes })
            .map_err(|problem| invalid(format!("{text:?} is not a slice: {problem}")))
    }
}

fn axis(part: &str) -> Result<SliceAxis, String> {
    if part.is_empty() {
        return Err("there is an entry without anything in it".to_owned());
    }
    let mut bounds = part.split(':');
    let mut bound =
        || bounds.next().map(str::trim).filter(|bound| !bound.is_empty()).map(integer).transpose();
    let (start, stop, step) = (bound()?, bound()?, bound()?);
    match (part.matches(':').count(), start) {
        (0, Some(index)) => Ok(SliceAxis::Index(index)),
        (0..=2, _) if step == Some(0) => Err(format!("the step of {part:?} is 0")),
        (0..=2, _) => Ok(SliceAxis::Range { start, stop, step: step.unwrap_or(1) }),
        _ => Err(format!("{part:?} has more than two colons")),
    }
}

/// An integer as Python reads it: a sign, digits, single underscores between them.
fn integer(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_integer =
        digits.split('_').all(|run| !run.is_empty() && run.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_integer {
        return Err(format!("{text:?} is not an integer"));
    }
    text.replace('_', "").parse().map_err(|_| format!("{text} does not fit into 64 bits"))
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, axis) in self.axes.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{axis}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for SliceAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Index(index) => write!(f, "{index}"),
            Self::Range { start, stop, step } => {
                let bound = |bound: Option<i64>| bound.map_or_else(String::new, |bound| bound.to_string());
                write!(f, "{}:{}", bound(start), bound(stop))?;
                if step == 1 { Ok(()) } else { write!(f, ":{step}") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_read_and_written() {
        for (text, written) in [
            ("[0]", "[0]"),
            ("[-3]", "[-3]"),
            ("[+3]", "[3]"),
            ("[007]", "[7]"),
            ("[1_0:]", "[10:]"),
            ("[:]", "[:]"),
            ("[::]", "[:]"),
            ("[::-1]", "[::-1]"),
            ("[ 1 : , 0 ]", "[1:,0]"),
            ("[3,:,4:,:-2,1:4]", "[3,:,4:,:-2,1:4]"),
            ("[-9223372036854775808:9223372036854775807:2]", "[-9223372036854775808:9223372036854775807:2]"),
        ] {
            let slice: Slice = text.parse().unwrap();
            assert_eq!(slice.to_string(), written);
            assert_eq!(written.parse::<Slice>().unwrap(), slice);
        }
    }

    #[test]
    fn what_is_no_slice_says_why() {
        for (text, why) in [
            ("", "it is not in brackets"),
            ("0", "it is not in brackets"),
            ("[0", "it is not in brackets"),
            ("[", "it is not in brackets"),
            (" [0]", "it is not in brackets, without blanks around them"),
            ("[]", "there is an entry without anything in it"),
            ("[ ]", "there is an entry without anything in it"),
            ("[0,]", "there is an entry without anything in it"),
            ("[,0]", "there is an entry without anything in it"),
            ("[1:2:3:4]", "\"1:2:3:4\" has more than two colons"),
            ("[:::]", "\":::\" has more than two colons"),
            ("[:a]", "\"a\" is not an integer"),
            ("[...]", "\"...\" is not an integer"),
            ("[None]", "\"None\" is not an integer"),
            ("[- 1]", "\"- 1\" is not an integer"),
            ("[--1]", "\"--1\" is not an integer"),
            ("[1 2]", "\"1 2\" is not an integer"),
            ("[1__0]", "\"1__0\" is not an integer"),
            ("[_1]", "\"_1\" is not an integer"),
            ("[1.0]", "\"1.0\" is not an integer"),
            ("[0;1]", "\"0;1\" is not an integer"),
            ("[0][1]", "\"0][1\" is not an integer"),
            ("[::0]", "the step of \"::0\" is 0"),
            ("[9223372036854775808]", "9223372036854775808 does not fit into 64 bits"),
        ] {
            let error = text.parse::<Slice>().unwrap_err();
            assert_eq!(error.detail(), Some(&Kind::InvalidValue));
            assert_eq!(error.to_string(), format!("{text:?} is not a slice: {why}; {GRAMMAR}"));
        }
    }
}
