//! Predicates over rows.

mod evaluate;
mod float;
mod number;
mod parse;
#[cfg(test)]
mod text_laws;
mod time;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_base::Result;

use crate::ColumnPath;

/// A condition on a row, in three-valued logic: where a value is null, a comparison is neither true nor false.
///
/// On a list a comparison holds when it holds for any of the values. A scan may use a predicate to skip rows of which it
/// knows that they do not satisfy it, and may return more; what reads above it removes the others.
///
/// ```
/// use tfxio_core::{Comparison, Predicate};
///
/// let sevens = Predicate::compare("label", Comparison::Equal, 7);
/// assert_eq!(sevens.clone().and(Predicate::is_null("image").not()).to_string(), "label = 7 and not image is null");
/// assert_eq!("label = 7".parse::<Predicate>()?, sevens);
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Predicate {
    /// Holds when all of them hold.
    And(Vec<Predicate>),
    /// Holds when any of them holds.
    Or(Vec<Predicate>),
    /// Holds when the other does not.
    Not(Box<Predicate>),
    /// Compares a column with a value.
    Compare {
        /// Column.
        path: ColumnPath,
        /// Comparison.
        comparison: Comparison,
        /// Value on the right side.
        value: Literal,
    },
    /// Holds when the column is equal to any of the values.
    In {
        /// Column.
        path: ColumnPath,
        /// Values.
        values: Vec<Literal>,
    },
    /// Holds when the column is null.
    IsNull {
        /// Column.
        path: ColumnPath,
    },
}

/// A comparison of a column with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A value that a column is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Literal {
    /// `true`, `false`
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction or an exponent. Compared with floats of a column as the nearest float, except that it never
    /// becomes 0, unless it is 0, nor an infinity. Compared with integers exactly.
    Float(#[serde(with = "float")] f64),
    /// A number in digits, as `Float`, that no 64-bit float is: `9007199254740993.0`, `1e400`.
    Decimal(Arc<str>),
    /// Text, or the bytes of its UTF-8 form; a date or a timestamp where the column has such values, as ISO 8601 has them.
    Text(Arc<str>),
}

impl Predicate {
    /// Returns a comparison of a column with a value.
    #[must_use]
    pub fn compare(path: impl Into<ColumnPath>, comparison: Comparison, value: impl Into<Literal>) -> Self {
        Self::Compare { path: path.into(), comparison, value: value.into() }
    }

    /// Returns whether a column is equal to any of some values.
    #[must_use]
    pub fn is_in<V: Into<Literal>>(path: impl Into<ColumnPath>, values: impl IntoIterator<Item = V>) -> Self {
        Self::In { path: path.into(), values: values.into_iter().map(Into::into).collect() }
    }

    /// Returns whether a column is null.
    #[must_use]
    pub fn is_null(path: impl Into<ColumnPath>) -> Self {
        Self::IsNull { path: path.into() }
    }

    /// Returns a predicate that holds when both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self {
            Self::And(mut all) => {
                all.push(other);
                Self::And(all)
            }
            first => Self::And(vec![first, other]),
        }
    }

    /// Returns a predicate that holds when either holds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Or(mut any) => {
                any.push(other);
                Self::Or(any)
            }
            first => Self::Or(vec![first, other]),
        }
    }

    /// Returns a predicate that holds when this one does not.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "named as the operator of the text form")]
    pub fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Appends the columns that the predicate reads, each once.
    pub fn columns<'a>(&'a self, out: &mut Vec<&'a ColumnPath>) {
        match self {
            Self::And(all) | Self::Or(all) => all.iter().for_each(|each| each.columns(out)),
            Self::Not(inner) => inner.columns(out),
            Self::Compare { path, .. } | Self::In { path, .. } | Self::IsNull { path } => {
                if !out.contains(&path) {
                    out.push(path);
                }
            }
        }
    }

    /// Returns the predicate with other columns, each of which `column` returns for one that the predicate reads.
    ///
    /// # Errors
    /// Those of `column`.
    pub fn map_columns(self, column: &mut dyn FnMut(ColumnPath) -> Result<ColumnPath>) -> Result<Self> {
        let mut each =
            |all: Vec<Self>| all.into_iter().map(|one| one.map_columns(column)).collect::<Result<_>>();
        Ok(match self {
            Self::And(all) => Self::And(each(all)?),
            Self::Or(any) => Self::Or(each(any)?),
            Self::Not(inner) => Self::Not(Box::new(inner.map_columns(column)?)),
            Self::Compare { path, comparison, value } => {
                Self::Compare { path: column(path)?, comparison, value }
            }
            Self::In { path, values } => Self::In { path: column(path)?, values },
            Self::IsNull { path } => Self::IsNull { path: column(path)? },
        })
    }

    fn is_compound(&self) -> bool {
        matches!(self, Self::And(_) | Self::Or(_))
    }
}

macro_rules! literals {
    ($($variant:ident: $($from:ty),*;)*) => {
        $($(impl From<$from> for Literal {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })*)*
    };
}

literals! {
    Boolean: bool;
    Integer: i8, i16, i32, i64, u8, u16, u32, u64;
    Float: f32, f64;
    Text: &str, String;
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, all: &[Self], word: &str| {
            for (index, each) in all.iter().enumerate() {
                if index > 0 {
                    write!(f, " {word} ")?;
                }
                if each.is_compound() { write!(f, "({each})") } else { write!(f, "{each}") }?;
            }
            Ok(())
        };
        match self {
            Self::And(all) if all.is_empty() => f.write_str("true"),
            Self::Or(any) if any.is_empty() => f.write_str("false"),
            Self::And(all) => list(f, all, "and"),
            Self::Or(any) => list(f, any, "or"),
            Self::Not(inner) if inner.is_compound() => write!(f, "not ({inner})"),
            Self::Not(inner) => write!(f, "not {inner}"),
            Self::Compare { path, comparison, value } => write!(f, "{} {comparison} {value}", Quoted(path)),
            Self::In { path, values } => {
                write!(f, "{} in (", Quoted(path))?;
                for (index, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Self::IsNull { path } => write!(f, "{} is null", Quoted(path)),
        }
    }
}

/// A path whose steps are quoted where they are not plain names.
struct Quoted<'a>(&'a ColumnPath);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.steps().iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            let plain = step.chars().all(|c| c.is_alphanumeric() || c == '_')
                && step.starts_with(|c: char| !c.is_ascii_digit());
            if plain && !is_keyword(step) {
                f.write_str(step)?;
            } else {
                write!(f, "\"{}\"", step.replace('"', "\"\""))?;
            }
        }
        Ok(())
    }
}

/// Returns whether a word has a meaning of its own in the text form.
fn is_keyword(word: &str) -> bool {
    ["and", "or", "not", "in", "is", "null", "true", "false"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Float(value) => f.write_str(&number::shown(*value)),
            Self::Decimal(text) => f.write_str(text),
            Self::Text(value) => write!(f, "'{}'", value.replace('\'', "''")),
        }
    }
}
