//! Parts of examples in the rows of a batch.

/// Positions of parts of examples in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packing {
    /// The length of all rows.
    pub(crate) length: usize,
    /// Number of parts up to the end of each row.
    pub(crate) ends: Vec<usize>,
    /// First step of each part in its example, and the number of its steps.
    pub(crate) parts: Vec<(usize, usize)>,
}
