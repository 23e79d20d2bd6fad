//! Column casts between a data set and a sink.
//!
//! A [`CastPlan`] is compiled once, from the columns, from what the format of the output [takes](tfxio_core::FileFormat::takes)
//! and from what was asked for; batches go through it column by column. A column that the format takes stays as it is. Another
//! becomes the nearest type that the format takes, in this order: the values without a dictionary or runs; the same as lists of
//! one value; numbers of the widest type of their kind; such numbers as lists. What is then lost is said, and what becomes
//! nothing that the format takes is an error that names column, type and what can be done.
//!
//! | values | become |
//! | --- | --- |
//! | bools, integers | `Int64`; an unsigned integer of 2^63 or more is an error with its record |
//! | `Float16`, `Float64` | `Float32`; a finite value beyond its range is an error with its record |
//! | dates, times, timestamps, durations | `Int64`, in the unit that they have |
//! | `FixedSizeBinary` | `LargeBinary` |
//! | a struct | a column for each of its fields, `a.b` |
//! | lists of one size of lists of one size: arrays of several dimensions | lists of their values |

mod column_change;
mod fit;
mod leaf;
mod numbers;
mod plan;
mod profile;
mod shape;
mod single;
mod text;
mod times;
mod within;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use arrow_schema::TimeUnit;
use tfxio_core::{Error, ErrorKind, suggest};

pub use self::column_change::{ColumnChange, Failed, item};
pub use self::fit::fit;
use self::leaf::Leaf;
pub use self::leaf::ROUNDED;
pub use self::plan::{CastPlan, Target, has, leaves, refuse_losses};
pub use self::profile::{Profile, may_be_single};
pub use self::single::{first_not_one, one_of_each};
pub use self::times::has_common;
pub use self::times::meaning;
pub use self::times::zone_losses;
pub use self::within::{text_leaves, texts_within};
use crate::NamePattern;

/// Target type of a cast.
///
/// ```
/// use tfxio_scan::cast::CastType;
///
/// assert_eq!("float64".parse::<CastType>()?, CastType::Float64);
/// assert_eq!(CastType::Microseconds.name(), "us");
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CastType {
    /// `int64`: integers, bools, floats and decimals without a fraction, texts of an integer, dates and times as they are stored.
    Int64,
    /// `float32`: numbers, and texts of a number.
    Float32,
    /// `float64`: numbers, and texts of a number.
    Float64,
    /// `string`: UTF-8 bytes, numbers, decimals, dates and timestamps in ISO 8601.
    String,
    /// `bytes`: texts, and binary values of a fixed size.
    Bytes,
    /// `s`: dates, times, timestamps and durations as 64-bit numbers of seconds.
    Seconds,
    /// `ms`: the same in milliseconds.
    Milliseconds,
    /// `us`: the same in microseconds.
    Microseconds,
    /// `ns`: the same in nanoseconds.
    Nanoseconds,
}

impl CastType {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Int64,
        Self::Float32,
        Self::Float64,
        Self::String,
        Self::Bytes,
        Self::Seconds,
        Self::Milliseconds,
        Self::Microseconds,
        Self::Nanoseconds,
    ];

    /// Returns the name by which it is asked for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int64 => "int64",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
        }
    }

    fn leaf(self) -> Leaf {
        match self {
            Self::Int64 => Leaf::Int64,
            Self::Float32 => Leaf::Float32,
            Self::Float64 => Leaf::Float64,
            Self::String => Leaf::Text,
            Self::Bytes => Leaf::Bytes,
            Self::Seconds => Leaf::Ticks(TimeUnit::Second),
            Self::Milliseconds => Leaf::Ticks(TimeUnit::Millisecond),
            Self::Microseconds => Leaf::Ticks(TimeUnit::Microsecond),
            Self::Nanoseconds => Leaf::Ticks(TimeUnit::Nanosecond),
        }
    }
}

impl FromStr for CastType {
    type Err = Error;

    /// # Errors
    /// `InvalidArgument` for another name, with the nearest one.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|cast| cast.name() == text).ok_or_else(|| {
            let hint = suggest::hint(text, Self::ALL.iter().map(|cast| cast.name()), "types");
            Error::new(ErrorKind::InvalidArgument, format!("there is no cast to {text:?}")).help(hint)
        })
    }
}

/// Options of a plan.
#[derive(Clone, Debug, Default)]
pub struct CastOptions {
    /// Columns of lists of one value that become columns of values, each with whether a value may be absent.
    pub single: HashMap<String, bool>,
    /// Columns of bytes that become texts.
    pub texts: HashSet<String>,
    /// Patterns of names of fields that are left out where a struct is taken apart.
    pub excluded: Vec<NamePattern>,
    /// Columns, and what their values are cast to.
    pub casts: Vec<(String, CastType)>,
    /// Whether losing something is an error.
    pub is_lossless: bool,
}

impl CastOptions {
    /// Returns what the values of a column are cast to.
    fn cast(&self, column: &str) -> Option<CastType> {
        self.casts.iter().find(|(name, _)| name == column).map(|(_, cast)| *cast)
    }
}
