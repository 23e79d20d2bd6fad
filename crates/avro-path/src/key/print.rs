//! A key expression as text that parses back to the same.

use std::fmt::{self, Display as _, Write as _};

use super::token::{begins_name, continues_name};
use super::{Key, KeyStep, Operand, OperandValue, Segment};

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from_root {
            f.write_char('@')?;
        }
        segments(f, &self.segments)
    }
}

fn segments(f: &mut fmt::Formatter<'_>, segments: &[Segment]) -> fmt::Result {
    for (at, segment) in segments.iter().enumerate() {
        match &segment.step {
            KeyStep::Field(field) => {
                if at > 0 {
                    f.write_char('.')?;
                }
                Name(field).fmt(f)?;
            }
            KeyStep::Index(index) => write!(f, "[{index}]")?,
            KeyStep::All => f.write_str("[*]")?,
            KeyStep::EntryKey => f.write_char('~')?,
            // Only its branches are named.
            KeyStep::Element => {}
            KeyStep::MapKey(key) => {
                f.write_char('[')?;
                quoted(f, key)?;
                f.write_char(']')?;
            }
            KeyStep::Filter(tests) => {
                f.write_char('[')?;
                for (at, test) in tests.iter().enumerate() {
                    if at > 0 {
                        f.write_char('&')?;
                    }
                    operand(f, &test.left)?;
                    f.write_str(if test.equal { "=" } else { "!=" })?;
                    operand(f, &test.right)?;
                }
                f.write_char(']')?;
            }
        }
        for branch in &segment.branches {
            f.write_char(':')?;
            Name(&branch.name).fmt(f)?;
        }
    }
    Ok(())
}

fn operand(f: &mut fmt::Formatter<'_>, operand: &Operand) -> fmt::Result {
    match &operand.value {
        OperandValue::Path { from_root, segments: path } => {
            if *from_root {
                f.write_char('@')?;
            } else if begins_with_point(path) {
                f.write_char('.')?;
            }
            segments(f, path)
        }
        OperandValue::Text(text) => quoted(f, text),
        OperandValue::Integer(value) => write!(f, "{value}"),
        // Always with a point or an exponent.
        OperandValue::Float(value) => write!(f, "{value:?}"),
        OperandValue::Boolean(value) => write!(f, "{value}"),
        OperandValue::Null => f.write_str("null"),
    }
}

/// Returns whether a path from the element would mean something else without the point: the element itself, its
/// elements, and single names that look like constants.
fn begins_with_point(path: &[Segment]) -> bool {
    let Some((first, rest)) = path.split_first() else { return true };
    match &first.step {
        KeyStep::Field(name) => {
            let is_alone = rest.is_empty() && first.branches.is_empty();
            is_alone && (!is_plain(name) || matches!(name.as_str(), "true" | "false" | "null"))
        }
        KeyStep::EntryKey => false,
        _ => true,
    }
}

/// A name as a step of a key, in quotes where it needs them.
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) { f.write_str(self.0) } else { quoted(f, self.0) }
    }
}

/// Returns whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    name.starts_with(begins_name) && name.chars().all(continues_name)
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('\'')?;
    for c in text.chars() {
        match c {
            '\'' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}
