//! The values of a column.

use arrow_array::{Array as _, ArrayRef, LargeBinaryArray};
use arrow_schema::DataType;
use tfxio_base::Result;
use tfxio_core::ColumnPath;

use crate::statistics::byte_strings::{ByteStrings, is_text};
use crate::statistics::keys::NumberKind;
use crate::statistics::numbers::{Numbers, kind_of};
use crate::statistics::{StatisticsOptions, errors};
use crate::value_text;

/// The values of a column.
#[derive(Clone, Debug, Default)]
pub(in crate::statistics) enum Leaf {
    /// Nulls only, so far.
    #[default]
    Unknown,
    Numbers(Box<Numbers>),
    /// Integers that are categories, as texts.
    Categories(NumberKind, Box<ByteStrings>),
    ByteStrings(Box<ByteStrings>),
    Struct,
    /// Values of a type of which only the presence is counted.
    Other(String),
}

impl Leaf {
    /// Makes it that of a type, if nothing was seen yet.
    ///
    /// # Errors
    /// When it is of other values.
    pub(super) fn fit(
        &mut self,
        path: &ColumnPath,
        data_type: &DataType,
        options: &StatisticsOptions,
    ) -> Result<()> {
        let fits = match (&*self, data_type) {
            (_, DataType::Null) => true,
            (Self::Unknown, _) => {
                *self = Self::of(path, data_type, options);
                true
            }
            (Self::Numbers(numbers), _) => kind_of(data_type) == Some(numbers.kind),
            (Self::Categories(kind, _), _) => kind_of(data_type) == Some(*kind),
            (Self::ByteStrings(_), _) => is_text(data_type),
            (Self::Struct, _) => matches!(data_type, DataType::Struct(_)),
            (Self::Other(name), _) => *name == data_type.to_string(),
        };
        if fits { Ok(()) } else { Err(errors::other_type(path, self, &Self::of(path, data_type, options))) }
    }

    fn of(path: &ColumnPath, data_type: &DataType, options: &StatisticsOptions) -> Self {
        match kind_of(data_type) {
            Some(kind) if !kind.is_float() && options.categorical.contains(path) => {
                Self::Categories(kind, Box::new(ByteStrings::new(options)))
            }
            Some(kind) => Self::Numbers(Box::new(Numbers::new(kind, options))),
            None if is_text(data_type) => Self::ByteStrings(Box::new(ByteStrings::new(options))),
            None if matches!(data_type, DataType::Struct(_)) => Self::Struct,
            None => Self::Other(data_type.to_string()),
        }
    }

    pub(super) fn without_values(&self, options: &StatisticsOptions) -> Self {
        match self {
            Self::Numbers(numbers) => Self::Numbers(Box::new(Numbers::new(numbers.kind, options))),
            Self::Categories(kind, _) => Self::Categories(*kind, Box::new(ByteStrings::new(options))),
            Self::ByteStrings(_) => Self::ByteStrings(Box::new(ByteStrings::new(options))),
            Self::Unknown | Self::Struct | Self::Other(_) => self.clone(),
        }
    }

    /// Adds values of a type that fits.
    pub(super) fn update(
        &mut self,
        values: &ArrayRef,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<()> {
        match self {
            _ if *values.data_type() == DataType::Null => Ok(()),
            Self::Numbers(numbers) => numbers.update(values, weights, options),
            Self::ByteStrings(strings) => strings.update(values, weights),
            Self::Categories(_, categories) => {
                let mut strings: Vec<Option<Vec<u8>>> = vec![None; values.len()];
                value_text::for_each(values, |row, string| {
                    if let Some(at) = strings.get_mut(row) {
                        *at = Some(string.to_vec());
                    }
                });
                categories.update(&strings.into_iter().collect::<LargeBinaryArray>(), weights)
            }
            Self::Unknown | Self::Struct | Self::Other(_) => Ok(()),
        }
    }

    pub(super) fn merge(&mut self, path: &ColumnPath, other: &Self) -> Result<()> {
        match (&mut *self, other) {
            (_, Self::Unknown) | (Self::Struct, Self::Struct) => Ok(()),
            (Self::Unknown, _) => {
                *self = other.clone();
                Ok(())
            }
            (Self::Numbers(ours), Self::Numbers(theirs)) if ours.kind == theirs.kind => ours.merge(theirs),
            (Self::Categories(kind, ours), Self::Categories(other, theirs)) if kind == other => {
                ours.merge(theirs)
            }
            (Self::ByteStrings(ours), Self::ByteStrings(theirs)) => ours.merge(theirs),
            (Self::Other(ours), Self::Other(theirs)) if ours == theirs => Ok(()),
            _ => Err(errors::other_type(path, self, other)),
        }
    }

    /// Returns what the values are, for messages.
    pub(in crate::statistics) fn name(&self) -> &str {
        match self {
            Self::Unknown => "nothing",
            Self::Numbers(numbers) => number_name(numbers.kind),
            Self::Categories(kind, _) => number_name(*kind),
            Self::ByteStrings(_) => "strings",
            Self::Struct => "structs",
            Self::Other(name) => name,
        }
    }
}

fn number_name(kind: NumberKind) -> &'static str {
    match kind {
        NumberKind::Signed => "integers",
        NumberKind::Unsigned => "unsigned integers of 64 bits",
        NumberKind::Float => "floats",
    }
}
