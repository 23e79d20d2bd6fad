//! Reports on files.

use tfxio_base::{Error, LostRange};

/// Report on a file: the command prints it as a row of a table, or as a JSON object.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FileReport {
    /// Path or URL of the file.
    pub file: String,
    /// Facts, in the order in which they are shown.
    pub facts: Vec<Fact>,
    /// Whether it is whole.
    pub state: FileState,
    /// Errors of the file. Empty if it is whole.
    pub errors: Vec<Error>,
    /// Lost ranges of the file, in file order.
    pub lost: Vec<LostRange>,
    /// Number of further lost ranges, which are too many to be listed.
    pub unlisted: u64,
}

impl FileReport {
    /// Returns an empty report.
    #[must_use]
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Appends a fact.
    #[must_use]
    pub fn fact(mut self, key: &'static str, value: impl Into<FactValue>) -> Self {
        self.facts.push(Fact { key, value: value.into(), total: Total::None });
        self
    }

    /// Appends a number that makes a total of several files.
    #[must_use]
    pub fn count(mut self, key: &'static str, count: u64, total: Total) -> Self {
        self.facts.push(Fact { key, value: FactValue::Count(count), total });
        self
    }

    /// Returns a fact.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&FactValue> {
        self.facts.iter().find(|fact| fact.key == key).map(|fact| &fact.value)
    }
}

/// Whether a file is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// It is whole.
    #[default]
    Whole,
    /// Something is lost.
    Damaged,
    /// It is whole, but does not match its index.
    NotAsIndexed,
    /// It could not be read, or has another format.
    NotRead,
}

impl FileState {
    /// Returns a text for people: `ok`, `damaged`, `not as indexed` or `not read`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "ok",
            Self::Damaged => "damaged",
            Self::NotAsIndexed => "not as indexed",
            Self::NotRead => "not read",
        }
    }
}

/// Something that is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// Name in snake case: the key in JSON, and, with spaces, the title of the column.
    pub key: &'static str,
    /// Value.
    pub value: FactValue,
    /// Aggregation over several files.
    pub total: Total,
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactValue {
    /// Unknown: `null`, and an empty cell.
    Unknown,
    /// A text.
    Text(String),
    /// A number.
    Count(u64),
    /// A checksum: a number in JSON, eight hexadecimal digits in a table.
    Checksum(u32),
    /// Names and values, which are text or any bytes: an object in JSON, the names in a table.
    Entries(Vec<(String, Vec<u8>)>),
    /// Numbers by name: an object in JSON.
    Counts(Vec<(String, u64)>),
    /// Numbers from a least to a greatest one, and their sum.
    Range {
        /// Sum.
        sum: u64,
        /// Least number.
        min: u64,
        /// Greatest number.
        max: u64,
    },
    /// Share of a number of records.
    Share {
        /// Number of records for which it holds.
        count: u64,
        /// Number of all records.
        of: u64,
    },
}

impl From<u64> for FactValue {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<String> for FactValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for FactValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl<V: Into<Self>> From<Option<V>> for FactValue {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Unknown, Into::into)
    }
}

/// Aggregation of the facts of several files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Total {
    /// Nothing.
    #[default]
    None,
    /// Their sum.
    Sum,
    /// The largest of them.
    Max,
}
