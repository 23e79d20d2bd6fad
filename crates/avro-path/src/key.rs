//! Key expressions: paths to values of nested records that make a column.
//!
//! A [`Key`] such as `friends[*].jobs[*].name` or `friends[name.first=@name.first].age` is read by [`Key::parse`] and
//! needs no schema. `docs/key-expressions.md` explains the language and has its grammar.
//!
//! ```
//! use avro_path::Key;
//!
//! let key = Key::parse("friends[ gender = 'unknown' & age != null ].name.first")?;
//! assert_eq!(key.rank(), 1);
//! assert_eq!(key.to_string(), "friends[gender='unknown'&age!=null].name.first");
//!
//! let error = Key::parse("friends[0:2].name").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "key \"friends[0:2].name\", column 10: expected \"]\", found \":\"; \
//!      there are no slices: name one element by its index, all by [*], or some by a filter"
//! );
//! # Ok::<(), avro_path::Error>(())
//! ```

mod columns;
pub(crate) mod compare;
mod filter;
pub(crate) mod leaf;
mod listing;
mod parse;
pub(crate) mod print;
mod relative;
pub(crate) mod resolve;
pub(crate) mod token;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tfxio_core::DType;

use crate::schema::{AvroSchema, Logical};
use crate::{Error, Kind, Position, Result};

pub use columns::KeyColumns;
pub use listing::{KeyList, ListedKey, list};

/// Parsed key expression. Two are equal when they name the same values, however they are written, and are read as the
/// same dtype.
#[derive(Clone)]
pub struct Key {
    text: Arc<str>,
    /// Whether it begins with `@`.
    from_root: bool,
    segments: Vec<Segment>,
    dtype: Option<DType>,
}

impl Key {
    /// Parses a key expression.
    ///
    /// # Errors
    /// Of kind [`KeySyntax`](Kind::KeySyntax) when the text is not one, with the
    /// [column](crate::Position::column) of the first character that does not fit; of kind
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) when it has more than 16,384 bytes or more than 256 steps,
    /// including the steps of its filters.
    pub fn parse(text: &str) -> Result<Self> {
        parse::parse(text)
    }

    /// Returns the text that was parsed, unchanged. [`Display`](fmt::Display) prints the shortest one instead.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of dimensions that the key adds: the number of its `[*]` and filters.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.segments
            .iter()
            .filter(|segment| matches!(segment.step, KeyStep::All | KeyStep::Filter(_)))
            .count()
    }

    /// Returns the logical types of the values that the key ends at in data of a schema. A column of
    /// [stored types](crate::program::KeyOptions::stored) does not have them: a decimal is the bytes of its unscaled number
    /// there, a timestamp an integer.
    ///
    /// # Errors
    /// Of kind [`KeyType`](crate::Kind::KeyType) when the key does not fit the schema.
    ///
    /// ```
    /// use avro_path::schema::Logical;
    /// use avro_path::{Key, AvroSchema};
    ///
    /// let schema = AvroSchema::parse(
    ///     r#"{"type": "record", "name": "r", "fields": [{"name": "day", "type": {"type": "int", "logicalType": "date"}}]}"#,
    /// )?;
    /// assert_eq!(Key::parse("day")?.logical(&schema)?, [Logical::Date]);
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    pub fn logical(&self, schema: &AvroSchema) -> Result<Vec<Logical>> {
        let ends = resolve::ends(schema, self)?;
        let mut found = Vec::new();
        for logical in ends.into_iter().filter_map(|end| schema.logical(end)) {
            if !found.contains(&logical) {
                found.push(logical);
            }
        }
        Ok(found)
    }

    /// Reads the values of one dtype if the path ends at a union of several types: values of its branches with this
    /// dtype, and null. A value of another branch is an error that names the record. `string` is the dtype of strings,
    /// bytes, fixed and enums. A path that ends at one type is not affected: nothing is converted.
    ///
    /// ```
    /// use avro_path::{Key, KeyProgram, AvroSchema};
    /// use tfxio_core::{DType, Origin};
    ///
    /// let schema = AvroSchema::parse(
    ///     r#"{"type": "record", "name": "r", "fields": [{"name": "x", "type": ["null", "int", "string"]}]}"#,
    /// )?;
    /// let mut ints = KeyProgram::new(&schema, &[Key::parse("x")?.read_as(DType::Int32)])?.decoder();
    /// ints.push(&[2, 10], Origin::record(0))?;
    /// let error = ints.push(&[4, 2, b'a'], Origin::record(1)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "record 1, byte of the record 1, at x:string: the value is of the branch string, and the key \"x\" is read as \
    ///      int32; to take values of other branches as missing, name the branch in the key: x:int"
    /// );
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    #[must_use]
    pub fn read_as(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Returns the dtype as which values of a union are read, if one was chosen.
    #[must_use]
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// Returns the key of the path `below`, seen from the values of this key; a key that begins with `@` stays as it
    /// is.
    ///
    /// ```
    /// use avro_path::Key;
    ///
    /// let engines = Key::parse("cars[*].engine")?;
    /// assert_eq!(engines.join(&Key::parse("id")?)?.to_string(), "cars[*].engine.id");
    /// assert_eq!(engines.join(&Key::parse("[*].id")?)?.to_string(), "cars[*].engine[*].id");
    /// assert_eq!(engines.join(&Key::parse("@car.serial")?)?.to_string(), "@car.serial");
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the result is longer than a key may be.
    pub fn join(&self, below: &Self) -> Result<Self> {
        if below.from_root {
            return Ok(below.clone());
        }
        let is_subscript = !matches!(below.segments.first(), Some(Segment { step: KeyStep::Field(_), .. }));
        let dot = if is_subscript || self.segments.is_empty() { "" } else { "." };
        Self::parse(&format!("{self}{dot}{below}"))
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns an error of this key's meaning at one of its characters.
    #[cold]
    pub(crate) fn wrong(&self, span: Span, what: impl Into<String>) -> Error {
        Error::new(Kind::KeyType, what)
            .at(Position::new().key(&*self.text).key_column(span.column(&self.text)))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.from_root == other.from_root && self.segments == other.segments && self.dtype == other.dtype
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.text()).finish()
    }
}

/// Offset in a key's text, in bytes. All spans are equal, so that equality of keys does not depend on how they are
/// written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Span {
    /// Returns the character at which it begins; the first is 1.
    pub(crate) fn column(self, text: &str) -> u32 {
        let before = text.get(..self.start).unwrap_or(text).chars().count();
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// A step from a value to what it holds, and the branches to take there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    pub(crate) step: KeyStep,
    pub(crate) span: Span,
    pub(crate) branches: Vec<Branch>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum KeyStep {
    /// `name`, of a record.
    Field(String),
    /// `[2]`, `[-1]`, of an array.
    Index(i64),
    /// `['key']`, of a map.
    MapKey(String),
    /// `[*]`, of an array or a map.
    All,
    /// `[a='b'&c!=d]`, of an array or a map.
    Filter(Vec<Test>),
    /// `~`, the key of a map's entry.
    EntryKey,
    /// `.`, the element of which a filter speaks, before the name of a branch.
    Element,
}

/// `:name`, a branch of a union.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Branch {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// `left=right` or `left!=right`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Test {
    pub(crate) left: Operand,
    pub(crate) equal: bool,
    pub(crate) right: Operand,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operand {
    pub(crate) value: OperandValue,
    pub(crate) span: Span,
}

impl Operand {
    /// Returns whether it is `.`, the element itself.
    fn is_element(&self) -> bool {
        matches!(&self.value, OperandValue::Path { from_root: false, segments } if segments.is_empty())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OperandValue {
    /// Fields, indices and map keys, from the root of the datum or from the element; without any, the element itself.
    Path {
        from_root: bool,
        segments: Vec<Segment>,
    },
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Null,
}
