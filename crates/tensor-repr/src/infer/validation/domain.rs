//! Validation of values against their domain.

use std::collections::{HashMap, HashSet};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;

use super::super::features::{invalid, listed};
use crate::array::{ByteRows, widen};
use crate::kind::Locate as _;
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::feature::DomainInfo;
use crate::{ColumnPath, Error};

/// Takes the index of a value, and how to show it.
type Report<'a> = &'a mut dyn FnMut(usize, &dyn Fn() -> String);

/// The values that a feature may have.
#[derive(Debug)]
pub(super) enum Domain {
    Strings(HashSet<String>),
    /// Integers from the least to the largest, both allowed.
    Ints {
        min: i64,
        max: i64,
    },
    Floats {
        min: f64,
        max: f64,
        nan: bool,
        infinite: bool,
    },
    /// The texts of true and of false.
    Bools([String; 2]),
}

impl Domain {
    /// Returns the domain of a feature; `None` if it has none, or one of a kind that is not checked.
    pub(super) fn of(
        named: &NamedDomains<'_>,
        feature: &tfmd::Feature,
        path: &ColumnPath,
    ) -> Result<Option<Self>, Error> {
        Ok(match &feature.domain_info {
            Some(DomainInfo::Domain(name)) => Some(named.get(name).ok_or_else(|| {
                let text =
                    format!("the feature refers to the domain \"{name}\", which the schema does not have");
                invalid(text).in_column(path)
            })?),
            Some(DomainInfo::StringDomain(domain)) => Some(domain.into()),
            Some(DomainInfo::IntDomain(domain)) => Some(domain.into()),
            Some(DomainInfo::FloatDomain(domain)) => Some(domain.into()),
            Some(DomainInfo::BoolDomain(domain)) => {
                Some(Self::Bools([domain.true_value().to_owned(), domain.false_value().to_owned()]))
            }
            _ => None,
        })
    }

    /// Reports the index of each value that is not in it, and how to show it. Values that are null do not count.
    pub(super) fn outside(&self, values: &ArrayRef, report: Report<'_>) {
        let data_type = values.data_type();
        if !(data_type.is_integer() || data_type.is_floating() || *data_type == DataType::Boolean) {
            let Ok(rows) = ByteRows::of(values) else { return };
            for at in 0..rows.len() {
                if let Some(value) = rows.get(at).filter(|value| !self.has_bytes(value)) {
                    report(at, &|| shown(value));
                }
            }
            return;
        }
        let Ok(Some(wide)) = widen(values) else { return };
        match wide.data_type() {
            DataType::Float64 => {
                for (at, value) in present::<Float64Type>(&wide).filter(|(_, value)| !self.has_float(*value))
                {
                    report(at, &|| format!("{value:?}"));
                }
            }
            DataType::UInt64 => self.ints_outside(present::<UInt64Type>(&wide), report),
            DataType::Int8 => self.ints_outside(present::<Int8Type>(&wide), report),
            _ => self.ints_outside(present::<Int64Type>(&wide), report),
        }
    }

    fn ints_outside<T: Into<i128>>(&self, values: impl Iterator<Item = (usize, T)>, report: Report<'_>) {
        for (at, value) in values {
            let value = value.into();
            if !self.has_int(value) {
                report(at, &|| value.to_string());
            }
        }
    }

    fn has_float(&self, value: f64) -> bool {
        match self {
            Self::Ints { min, max } => value >= *min as f64 && value <= *max as f64,
            Self::Floats { nan, .. } if value.is_nan() => *nan,
            Self::Floats { infinite: false, .. } if value.is_infinite() => false,
            Self::Floats { min, max, .. } => value >= *min && value <= *max,
            Self::Bools(_) => value == 0.0 || value == 1.0,
            Self::Strings(_) => true,
        }
    }

    fn has_int(&self, value: i128) -> bool {
        match self {
            Self::Ints { min, max } => (i128::from(*min)..=i128::from(*max)).contains(&value),
            Self::Floats { min, max, .. } => value as f64 >= *min && value as f64 <= *max,
            Self::Bools(_) => value == 0 || value == 1,
            Self::Strings(_) => true,
        }
    }

    /// Numbers may be written as text.
    fn has_bytes(&self, value: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(value) else { return false };
        match self {
            Self::Strings(known) => known.contains(text),
            Self::Bools(known) => known.iter().any(|known| known == text),
            Self::Ints { .. } => text.parse().is_ok_and(|value| self.has_int(value)),
            Self::Floats { .. } => text.parse().is_ok_and(|value| self.has_float(value)),
        }
    }

    /// Returns the domain for a message.
    pub(super) fn describe(&self) -> String {
        let bounds = |min: Option<String>, max: Option<String>| match (min, max) {
            (Some(min), Some(max)) => format!("in {min} to {max}"),
            (Some(min), None) => format!("from {min} on"),
            (None, Some(max)) => format!("up to {max}"),
            (None, None) => "of any size".to_owned(),
        };
        match self {
            Self::Strings(known) => {
                let mut known: Vec<_> = known.iter().collect();
                known.sort();
                format!("values among {}", listed(known))
            }
            Self::Ints { min, max } => {
                let min = (*min != i64::MIN).then(|| min.to_string());
                format!("values {}", bounds(min, (*max != i64::MAX).then(|| max.to_string())))
            }
            Self::Floats { min, max, nan, infinite } => {
                let finite = |bound: &f64| bound.is_finite().then(|| format!("{bound:?}"));
                let mut text = format!("values {}", bounds(finite(min), finite(max)));
                if !nan {
                    text.push_str(", no NaN");
                }
                if !infinite {
                    text.push_str(", no infinity");
                }
                text
            }
            Self::Bools([yes, no]) => format!("values {yes:?} and {no:?}, or 1 and 0"),
        }
    }
}

/// The domains that features refer to by their names.
#[derive(Debug)]
pub(super) struct NamedDomains<'a> {
    strings: HashMap<&'a str, &'a tfmd::StringDomain>,
    ints: HashMap<&'a str, &'a tfmd::IntDomain>,
    floats: HashMap<&'a str, &'a tfmd::FloatDomain>,
}

impl<'a> NamedDomains<'a> {
    pub(super) fn new(schema: &'a tfmd::Schema) -> Self {
        // Of two of one name the first counts.
        Self {
            strings: schema.string_domain.iter().rev().map(|domain| (domain.name(), domain)).collect(),
            ints: schema.int_domain.iter().rev().map(|domain| (domain.name(), domain)).collect(),
            floats: schema.float_domain.iter().rev().map(|domain| (domain.name(), domain)).collect(),
        }
    }

    fn get(&self, name: &str) -> Option<Domain> {
        let string = self.strings.get(name).copied().map(Into::into);
        let int = || self.ints.get(name).copied().map(Into::into);
        let float = || self.floats.get(name).copied().map(Into::into);
        string.or_else(int).or_else(float)
    }
}

impl From<&tfmd::StringDomain> for Domain {
    fn from(domain: &tfmd::StringDomain) -> Self {
        Self::Strings(domain.value.iter().cloned().collect())
    }
}

impl From<&tfmd::IntDomain> for Domain {
    fn from(domain: &tfmd::IntDomain) -> Self {
        Self::Ints { min: domain.min.unwrap_or(i64::MIN), max: domain.max.unwrap_or(i64::MAX) }
    }
}

impl From<&tfmd::FloatDomain> for Domain {
    fn from(domain: &tfmd::FloatDomain) -> Self {
        Self::Floats {
            min: domain.min.map_or(f64::NEG_INFINITY, f64::from),
            max: domain.max.map_or(f64::INFINITY, f64::from),
            nan: !domain.disallow_nan(),
            infinite: !domain.disallow_inf(),
        }
    }
}

/// Bytes for a message, as text in quotes, long ones cut.
fn shown(value: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Returns the values that are not null, each with its index.
fn present<T: ArrowPrimitiveType>(values: &ArrayRef) -> impl Iterator<Item = (usize, T::Native)> {
    values.as_primitive::<T>().iter().enumerate().filter_map(|(at, value)| Some((at, value?)))
}
