//! The kinds of values that a sketch is given.

use std::fmt;

use tfxio_base::{Error, Result};

use crate::Kind;
use crate::proto::sketches::input_type::Type;

/// Type of the values of a [`Kmv`](crate::Kmv) or [`MisraGries`](crate::MisraGries). A sketch takes one type, the type of
/// the first array it is given: the text `1`, the integer 1 and the float 1.0 are different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// Byte strings and text.
    Bytes,
    /// Floats of 32 or 64 bits.
    Float,
    /// Integers of any width, signed or not.
    Integer,
}

impl ValueType {
    pub(crate) fn to_proto(this: Option<Self>) -> Type {
        match this {
            None => Type::Unset,
            Some(Self::Bytes) => Type::RawString,
            Some(Self::Float) => Type::Float,
            Some(Self::Integer) => Type::Int,
        }
    }

    /// Returns the kind by its number in the proto; an unknown number gives nothing.
    pub(crate) fn from_proto(number: i32) -> Option<Option<Self>> {
        Some(match Type::try_from(number).ok()? {
            Type::Unset => None,
            Type::RawString => Some(Self::Bytes),
            Type::Float => Some(Self::Float),
            Type::Int => Some(Self::Integer),
        })
    }

    /// Checks that a sketch may take further values.
    pub(crate) fn check_given(stored: Option<Self>, given: Self) -> Result<()> {
        match stored {
            Some(stored) if stored != given => {
                let what = format!("the sketch is of {stored}, and the array is of {given}");
                Err(Error::new(Kind::OtherValues { stored, given }, what)
                    .help("make a sketch for each column"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the kind of two sketches together.
    pub(crate) fn check_merged(ours: Option<Self>, theirs: Option<Self>) -> Result<Option<Self>> {
        match (ours, theirs) {
            (Some(ours), Some(theirs)) if ours != theirs => {
                let what = format!("a sketch of {theirs} cannot be merged into one of {ours}");
                Err(Error::new(Kind::MergedValues { ours, theirs }, what)
                    .help("merge sketches of the same column"))
            }
            _ => Ok(ours.or(theirs)),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "strings",
            Self::Float => "floats",
            Self::Integer => "integers",
        })
    }
}
