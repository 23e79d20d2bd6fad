//! Losses of information.

/// Something that a conversion, or reading, loses of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Loss {
    /// Name of the column.
    pub column: String,
    /// The information that is lost: `64-bit floats are rounded to 32 bits`.
    pub what: String,
}

impl Loss {
    /// Returns the loss of a column.
    pub fn new(column: impl Into<String>, what: impl Into<String>) -> Self {
        Self { column: column.into(), what: what.into() }
    }
}
