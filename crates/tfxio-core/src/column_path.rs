//! Paths to columns and to fields inside of them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tfxio_base::{Error, ErrorKind};

/// Path to a column: a column name, then names of struct fields below it.
///
/// Lists on the way are not steps: a step names a field of the struct that the lists hold.
///
/// ```
/// use tfxio_core::ColumnPath;
/// let path = ColumnPath::new(["user", "address", "street"]);
/// assert_eq!(path.to_string(), "user.address.street");
/// assert_eq!(path.initial_step()?, "user");
/// assert_eq!(path.parent()?, ColumnPath::new(["user", "address"]));
/// assert_eq!(path.parent()?.child("zip").to_string(), "user.address.zip");
/// assert_eq!(path.suffix(1).to_string(), "address.street");
/// # Ok::<(), tfxio_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnPath(Vec<Arc<str>>);

impl ColumnPath {
    /// Returns a path of these steps. It may be empty, and a step may contain dots.
    pub fn new<I>(steps: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        Self(steps.into_iter().map(Into::into).collect())
    }

    /// Returns the steps, outermost first.
    #[must_use]
    pub fn steps(&self) -> &[Arc<str>] {
        &self.0
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the path is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first step: the name of the column in the batch.
    ///
    /// # Errors
    /// If the path is empty ([`ErrorKind::InvalidArgument`]).
    pub fn initial_step(&self) -> Result<&str, Error> {
        self.0.first().map(AsRef::as_ref).ok_or_else(|| no_steps("first step"))
    }

    /// Returns the path without its last step. That of a column of the batch is empty.
    ///
    /// # Errors
    /// If the path is empty ([`ErrorKind::InvalidArgument`]).
    pub fn parent(&self) -> Result<Self, Error> {
        match self.0.split_last() {
            Some((_, rest)) => Ok(Self(rest.to_vec())),
            None => Err(no_steps("parent")),
        }
    }

    /// Returns the path with one more step.
    #[must_use]
    pub fn child(&self, step: impl Into<Arc<str>>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Self(steps)
    }

    /// Returns the first `count` steps, or all of them if there are fewer.
    #[must_use]
    pub fn prefix(&self, count: usize) -> Self {
        Self(self.0.iter().take(count).cloned().collect())
    }

    /// Returns the steps from number `start` on (0-based), which may be none.
    #[must_use]
    pub fn suffix(&self, start: usize) -> Self {
        Self(self.0.iter().skip(start).cloned().collect())
    }

    /// Returns whether the path is `other` or leads to something inside of it.
    #[must_use]
    pub fn starts_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }
}

fn no_steps(wanted: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("a column path without steps has no {wanted}"))
}

impl From<&str> for ColumnPath {
    /// Returns a path of one step.
    fn from(column: &str) -> Self {
        Self(vec![column.into()])
    }
}

impl From<String> for ColumnPath {
    /// Returns a path of one step.
    fn from(column: String) -> Self {
        Self(vec![column.into()])
    }
}

/// Serialized as the name of the column, or as the list of the steps where there is not exactly one.
impl Serialize for ColumnPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.steps() {
            [name] => serializer.serialize_str(name),
            steps => serializer.collect_seq(steps.iter().map(AsRef::<str>::as_ref)),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a column name or a list of steps")]
enum PathForm {
    Name(String),
    Steps(Vec<String>),
}

impl<'de> Deserialize<'de> for ColumnPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match PathForm::deserialize(deserializer)? {
            PathForm::Name(name) => name.into(),
            PathForm::Steps(steps) => Self::new(steps),
        })
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
