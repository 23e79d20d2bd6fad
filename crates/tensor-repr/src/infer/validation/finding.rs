//! Findings of a validation.

use std::fmt;

/// Kinds of schema violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A feature that must be there is in no row.
    MissingFeature,
    /// A feature is missing in more rows, or structs, than the schema allows.
    Presence,
    /// The values are of another type.
    Type,
    /// A number of values outside of the schema's bounds, or another nesting of lists.
    ValueCount,
    /// Values are not in the domain.
    Domain,
    /// A column that the schema does not have.
    UnknownFeature,
    /// A tensor cannot be made of the data.
    Representation,
}

macro_rules! kind_names {
    ($($variant:ident $name:literal)*) => {
        impl FindingKind {
            /// Returns the name for programs, such as `missing_feature`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Returns the kind of a [`name`](Self::name).
            ///
            /// ```
            /// use tensor_repr::FindingKind;
            ///
            /// assert_eq!(FindingKind::from_name("value_count"), Some(FindingKind::ValueCount));
            /// ```
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

kind_names! {
    MissingFeature "missing_feature"
    Presence "presence"
    Type "type"
    ValueCount "value_count"
    Domain "domain"
    UnknownFeature "unknown_feature"
    Representation "representation"
}

/// One violation of a schema. As text it is one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Kind of the violation.
    pub kind: FindingKind,
    /// The feature, by its path; for [`FindingKind::Representation`] the tensor.
    pub name: String,
    /// Requirement of the schema.
    pub expected: String,
    /// First violating values in the data; for [`FindingKind::Representation`] the reason why the tensor cannot be made of
    /// it.
    pub found: String,
    /// Number of violations: rows or, for features in structs, structs; for [`FindingKind::Domain`] values.
    pub count: u64,
    /// The first violating row (0-based, counted over all batches); `None` if the data has zero rows.
    pub first_row: Option<u64>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, expected, found, .. } = self;
        match kind {
            FindingKind::Representation => {
                write!(f, "tensor {name:?}: the schema asks for {expected}, which cannot be made: {found}")?;
            }
            FindingKind::UnknownFeature => {
                write!(f, "feature {name:?}: the schema has {expected}, the data has {found}")?;
            }
            _ => write!(f, "feature {name:?}: the schema asks for {expected}, the data has {found}")?,
        }
        match (self.count, self.first_row) {
            (1, Some(row)) => write!(f, " (once, in record {row})"),
            (count, Some(row)) => write!(f, " ({count} times, first in record {row})"),
            (_, None) => Ok(()),
        }
    }
}

/// Number of violations, and the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) count: u64,
    first_row: Option<u64>,
    found: Option<String>,
}

impl Tally {
    /// Counts a violation in that row.
    pub(super) fn add(&mut self, row: u64) {
        self.add_all(1, row);
    }

    /// Counts several violations, the first in that row.
    pub(super) fn add_all(&mut self, count: u64, first_row: u64) {
        if count > 0 {
            self.count += count;
            // Rows do not always come in order: those of outer lists come before those of inner ones.
            self.first_row = Some(self.first_row.map_or(first_row, |known| known.min(first_row)));
        }
    }

    /// Sets the text of the first violation, unless it is set already.
    pub(super) fn find(&mut self, found: impl FnOnce() -> String) {
        self.found.get_or_insert_with(found);
    }

    pub(super) fn finding(
        &self,
        kind: FindingKind,
        name: String,
        expected: String,
        otherwise_found: &str,
    ) -> Finding {
        let found = self.found.clone().unwrap_or_else(|| otherwise_found.to_owned());
        Finding { kind, name, expected, found, count: self.count, first_row: self.first_row }
    }
}
