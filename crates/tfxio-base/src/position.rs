//! Positions of errors in input.

use std::fmt;
use std::sync::Arc;

use crate::url::without_secrets;

/// Position in the input at which an error arose. Unknown parts are `None`.
///
/// Bytes, blocks, records and rows count from **0**, lines and characters of text from **1**. The text form lists what
/// is known in one order everywhere:
///
/// ```
/// use tfxio_base::Position;
///
/// let position = Position::new().file("a.tfrecord").byte(120).record(3).column("age");
/// assert_eq!(position.to_string(), "a.tfrecord, byte 120, record 3, column \"age\"");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// Path or URL of the file, as it was given.
    pub file: Option<Arc<str>>,
    /// Line of a text: a manifest, a configuration, a schema. The first is 1.
    pub line: Option<u32>,
    /// Character in that line. The first is 1.
    pub line_column: Option<u32>,
    /// Path within a JSON document: `processing_steps[2].args.slice`.
    pub json_path: Option<Arc<str>>,
    /// Byte in the uncompressed stream; for a record, its first byte (for TFRecord, that of its header). For a file of
    /// compressed blocks (Avro), the byte in the file as it is stored at which the block's data begin.
    pub byte: Option<u64>,
    /// Byte in the file as it is stored, for errors inside of compressed data.
    pub stored_byte: Option<u64>,
    /// Number of the block in its file.
    pub block: Option<u64>,
    /// Number of the record in its file.
    pub record: Option<u64>,
    /// Byte in the record, or in a block after decompression.
    pub record_byte: Option<u64>,
    /// Tensor that is being made.
    pub tensor: Option<Arc<str>>,
    /// Column or feature.
    pub column: Option<Arc<str>>,
    /// Path within a record or a schema: `friends[2].name`, `$.fields[1].type`.
    pub path: Option<Arc<str>>,
    /// Key expression.
    pub key: Option<Arc<str>>,
    /// Character in the key expression. The first is 1.
    pub key_column: Option<u32>,
    /// Row of a batch whose origin is unknown.
    pub row: Option<u64>,
}

/// Defines the setters, which share the names of the fields.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $set:expr,)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = Some($set);
            self
        })*
    };
}

impl Position {
    /// Returns a position of which nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether nothing is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    setters! {
        /// Sets the file.
        file: impl Into<Arc<str>> => file.into(),
        /// Sets the line of a text, from 1.
        line: u32 => line,
        /// Sets the character in the line, from 1.
        line_column: u32 => line_column,
        /// Sets the path within a JSON document.
        json_path: impl Into<Arc<str>> => json_path.into(),
        /// Sets the byte in the uncompressed stream.
        byte: u64 => byte,
        /// Sets the byte in the stored file.
        stored_byte: u64 => stored_byte,
        /// Sets the number of the block.
        block: u64 => block,
        /// Sets the number of the record.
        record: u64 => record,
        /// Sets the byte in the record.
        record_byte: u64 => record_byte,
        /// Sets the tensor.
        tensor: impl Into<Arc<str>> => tensor.into(),
        /// Sets the column.
        column: impl Into<Arc<str>> => column.into(),
        /// Sets the path within a record or a schema.
        path: impl Into<Arc<str>> => path.into(),
        /// Sets the key expression.
        key: impl Into<Arc<str>> => key.into(),
        /// Sets the character in the key expression, from 1.
        key_column: u32 => key_column,
        /// Sets the row of the batch.
        row: u64 => row,
    }

    /// Returns this position, with what it does not know taken from another.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            file: self.file.or_else(|| other.file.clone()),
            line: self.line.or(other.line),
            line_column: self.line_column.or(other.line_column),
            json_path: self.json_path.or_else(|| other.json_path.clone()),
            byte: self.byte.or(other.byte),
            stored_byte: self.stored_byte.or(other.stored_byte),
            block: self.block.or(other.block),
            record: self.record.or(other.record),
            record_byte: self.record_byte.or(other.record_byte),
            tensor: self.tensor.or_else(|| other.tensor.clone()),
            column: self.column.or_else(|| other.column.clone()),
            path: self.path.or_else(|| other.path.clone()),
            key: self.key.or_else(|| other.key.clone()),
            key_column: self.key_column.or(other.key_column),
            row: self.row.or(other.row),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = List { f, separator: "" };
        let file = self.file.as_deref().map(|file| match file {
            "-" => "standard input".into(),
            file => without_secrets(file),
        });
        list.text("", file.as_deref())?;
        list.number("line ", self.line)?;
        list.number("column ", self.line_column)?;
        if let Some(path) = &self.json_path {
            list.item(format_args!("`{path}`"))?;
        }
        let both = self.byte.is_some() && self.stored_byte.is_some();
        list.number(if both { "compressed byte " } else { "stored byte " }, self.stored_byte)?;
        list.number(if both { "uncompressed byte " } else { "byte " }, self.byte)?;
        list.number("block ", self.block)?;
        list.number("record ", self.record)?;
        let of = if self.record.is_some() { "byte of the record " } else { "byte of the data " };
        list.number(of, self.record_byte)?;
        list.quoted("tensor ", self.tensor.as_deref())?;
        list.quoted("column ", self.column.as_deref())?;
        list.text("at ", self.path.as_deref())?;
        list.quoted("key ", self.key.as_deref())?;
        list.number("column ", self.key_column)?;
        list.number("row ", self.row)
    }
}

/// Writes items with commas between them.
struct List<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    separator: &'static str,
}

impl List<'_, '_> {
    fn item(&mut self, item: fmt::Arguments<'_>) -> fmt::Result {
        write!(self.f, "{}{item}", self.separator)?;
        self.separator = ", ";
        Ok(())
    }

    fn number<N: fmt::Display>(&mut self, name: &str, number: Option<N>) -> fmt::Result {
        number.map_or(Ok(()), |number| self.item(format_args!("{name}{number}")))
    }

    fn text(&mut self, name: &str, text: Option<&str>) -> fmt::Result {
        text.map_or(Ok(()), |text| self.item(format_args!("{name}{text}")))
    }

    fn quoted(&mut self, name: &str, text: Option<&str>) -> fmt::Result {
        text.map_or(Ok(()), |text| self.item(format_args!("{name}{text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn everything_known_is_listed_in_one_order() {
        let position = Position::new().row(9).key("a.b").key_column(3).path("a[0]").column("c");
        let position = position.tensor("t").record_byte(8).record(7).block(6).stored_byte(5);
        let position = position.byte(4).json_path("x.y").line_column(3).line(2).file("f");
        assert_eq!(
            position.to_string(),
            "f, line 2, column 3, `x.y`, compressed byte 5, uncompressed byte 4, block 6, record 7, byte of the record 8, \
             tensor \"t\", column \"c\", at a[0], key \"a.b\", column 3, row 9"
        );
        assert_eq!(Position::new().record_byte(1).to_string(), "byte of the data 1");
        assert_eq!(Position::new().file("-").record(1).to_string(), "standard input, record 1");
        assert!(Position::new().is_unknown());
    }

    #[test]
    fn a_position_is_completed_by_another() {
        let inner = Position::new().record(3);
        let outer = Position::new().file("f").record(9);
        assert_eq!(inner.or(&outer), Position::new().file("f").record(3));
    }
}
