//! Paths to columns and to fields inside of them.

use std::fmt;
use std::sync::Arc;

/// The steps from the batch to a column: a column name, then names of struct fields below it.
///
/// Lists on the way are not steps: a step names a field of the struct that the lists hold.
///
/// ```
/// use tensor_repr::ColumnPath;
/// let path = ColumnPath::new(["user", "address", "street"]);
/// assert_eq!(path.to_string(), "user.address.street");
/// assert_eq!(path.steps()[0].as_ref(), "user");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnPath(Vec<Arc<str>>);

impl ColumnPath {
    /// A path of these steps. It may be empty, and a step may contain dots.
    pub fn new<I>(steps: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        Self(steps.into_iter().map(Into::into).collect())
    }

    /// The steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Arc<str>] {
        &self.0
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for ColumnPath {
    /// A path of one step.
    fn from(column: &str) -> Self {
        Self(vec![column.into()])
    }
}

impl From<String> for ColumnPath {
    /// A path of one step.
    fn from(column: String) -> Self {
        Self(vec![column.into()])
    }
}

impl fmt::Display for ColumnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            f.write_str(step)?;
        }
        Ok(())
    }
}
