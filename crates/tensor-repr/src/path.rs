//! Paths to columns and to fields inside of them.

use std::fmt;
use std::sync::Arc;

use crate::proto::metadata::v0 as tfmd;
use crate::{Error, Kind};

/// The steps from the batch to a column: a column name, then names of struct fields below it.
///
/// Lists on the way are not steps: a step names a field of the struct that the lists hold.
///
/// ```
/// use tensor_repr::ColumnPath;
/// let path = ColumnPath::new(["user", "address", "street"]);
/// assert_eq!(path.to_string(), "user.address.street");
/// assert_eq!(path.initial_step()?, "user");
/// assert_eq!(path.parent()?, ColumnPath::new(["user", "address"]));
/// assert_eq!(path.parent()?.child("zip").to_string(), "user.address.zip");
/// assert_eq!(path.suffix(1).to_string(), "address.street");
/// # Ok::<(), tensor_repr::Error>(())
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

    /// The number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first step: the name of the column in the batch.
    ///
    /// # Errors
    ///
    /// If the path is empty ([`Kind::InvalidArgument`]).
    pub fn initial_step(&self) -> Result<&str, Error> {
        self.0.first().map(AsRef::as_ref).ok_or_else(|| no_steps("first step"))
    }

    /// The path without its last step. That of a column of the batch is empty.
    ///
    /// # Errors
    ///
    /// If the path is empty ([`Kind::InvalidArgument`]).
    pub fn parent(&self) -> Result<Self, Error> {
        match self.0.split_last() {
            Some((_, rest)) => Ok(Self(rest.to_vec())),
            None => Err(no_steps("parent")),
        }
    }

    /// The path with one step more.
    #[must_use]
    pub fn child(&self, step: impl Into<Arc<str>>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Self(steps)
    }

    /// The first `count` steps; all of them if there are no more.
    #[must_use]
    pub fn prefix(&self, count: usize) -> Self {
        Self(self.0.iter().take(count).cloned().collect())
    }

    /// The steps from number `start` on (0-based); none if there are no more.
    #[must_use]
    pub fn suffix(&self, start: usize) -> Self {
        Self(self.0.iter().skip(start).cloned().collect())
    }

    /// Whether the path is `other` or leads to something inside of it.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }
}

fn no_steps(wanted: &str) -> Error {
    Error::new(Kind::InvalidArgument, format!("a column path without steps has no {wanted}"))
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

impl From<&tfmd::Path> for ColumnPath {
    fn from(path: &tfmd::Path) -> Self {
        Self::new(path.step.iter().map(String::as_str))
    }
}

impl From<&ColumnPath> for tfmd::Path {
    fn from(path: &ColumnPath) -> Self {
        Self { step: path.0.iter().map(|step| step.to_string()).collect() }
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
