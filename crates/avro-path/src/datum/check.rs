//! Validation of the bytes of a datum by its schema.

use tfxio_core::Limits;

use super::DatumReader;
use super::skip::{NESTING, deeper};
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// Reads a datum and checks all of its values: booleans are 0 or 1, numbers fit their types, branches and symbols
/// exist, strings and the keys of maps are UTF-8, and blocks of arrays and maps have the bytes that they claim.
///
/// Unlike a [`SkipPlan`](super::SkipPlan), which only finds the end. Values of logical types are checked as the types
/// below them.
///
/// ```
/// use avro_path::datum::{DatumReader, check};
/// use avro_path::{Limits, AvroSchema};
///
/// let schema = AvroSchema::parse(r#"{"type": "array", "items": "string"}"#)?;
/// let limits = Limits::default();
/// assert!(check(&schema, &mut DatumReader::new(&[2, 2, b'a', 0]), &limits).is_ok());
/// let error = check(&schema, &mut DatumReader::new(&[2, 2, 0xff, 0]), &limits).unwrap_err();
/// assert_eq!(error.to_string(), "byte of the data 1, at [0]: a string of 1 byte is not UTF-8 from its byte 0");
/// # Ok::<(), avro_path::Error>(())
/// ```
///
/// # Errors
/// When the bytes are not a datum of the schema; the position has the path of the value. When it is nested more than
/// 1,000 times, or has more than [`empty_items`](Limits::empty_items) array items without bytes.
pub fn check(schema: &AvroSchema, reader: &mut DatumReader<'_>, limits: &Limits) -> Result<()> {
    let mut checker = Checker { schema, reader, empty_items: limits.empty_items, strict: true };
    checker.value(schema.root(), NESTING)
}

/// Passes over a datum item by item: neither its values nor the claimed sizes of blocks are compared with anything.
pub(crate) fn pass_over_items(schema: &AvroSchema, reader: &mut DatumReader<'_>) -> Result<()> {
    let mut checker = Checker { schema, reader, empty_items: u64::MAX, strict: false };
    checker.value(schema.root(), NESTING)
}

struct Checker<'a, 'b> {
    schema: &'a AvroSchema,
    reader: &'a mut DatumReader<'b>,
    /// Array items without bytes that the datum may still have.
    empty_items: u64,
    strict: bool,
}

impl Checker<'_, '_> {
    fn value(&mut self, id: TypeId, nesting: u32) -> Result<()> {
        match self.schema.get(id) {
            Type::Null => Ok(()),
            Type::Boolean if self.strict => self.reader.boolean().map(drop),
            Type::Boolean => self.reader.fixed(1).map(drop),
            Type::Int if self.strict => self.reader.int().map(drop),
            Type::Enum(symbols) if self.strict => self.reader.index(symbols.symbols().len()).map(drop),
            Type::Int | Type::Long | Type::Enum(_) => self.reader.skip_varint(),
            Type::Float => self.reader.fixed(4).map(drop),
            Type::Double => self.reader.fixed(8).map(drop),
            Type::Fixed(fixed) => self.reader.fixed(fixed.size()).map(drop),
            Type::Bytes => self.reader.bytes().map(drop),
            Type::String => self.text(),
            Type::Union(branches) => {
                let branch = self.reader.index(branches.len())?;
                match branches.get(branch) {
                    Some(&branch) => self.value(branch, nesting),
                    None => Ok(()),
                }
            }
            Type::Array(items) => self.items(*items, false, deeper(self.reader.position(), nesting)?),
            Type::Map(values) => self.items(*values, true, deeper(self.reader.position(), nesting)?),
            Type::Record(record) => {
                let nesting = deeper(self.reader.position(), nesting)?;
                for field in record.fields() {
                    self.value(field.type_id(), nesting).map_err(|error| error.within(field.name()))?;
                }
                Ok(())
            }
        }
    }

    fn text(&mut self) -> Result<()> {
        if self.strict { self.reader.string().map(drop) } else { self.reader.bytes().map(drop) }
    }

    fn items(&mut self, id: TypeId, keys: bool, nesting: u32) -> Result<()> {
        let least = self.schema.least_bytes(id).saturating_add(usize::from(keys));
        let mut number = 0_u64;
        while let Some(block) = self.reader.item_block(least)? {
            let start = self.reader.position();
            if least == 0 {
                // Whatever can have no bytes never has any.
                self.empty_items =
                    self.empty_items.checked_sub(block.count).ok_or_else(|| self.too_many_items())?;
            } else {
                for _ in 0..block.count {
                    self.item(id, keys, nesting).map_err(|error| error.within(&format!("[{number}]")))?;
                    number = number.saturating_add(1);
                }
            }
            if self.strict {
                block.check_size(self.reader, start)?;
            }
        }
        Ok(())
    }

    fn item(&mut self, id: TypeId, keys: bool, nesting: u32) -> Result<()> {
        if keys {
            self.text()?;
        }
        self.value(id, nesting)
    }

    #[cold]
    fn too_many_items(&self) -> Error {
        Error::new(
            ErrorKind::LimitExceeded,
            "the datum has more array items without bytes than the limit allows",
        )
        .help("raise Limits::empty_items if this is meant")
        .at_record_byte(self.reader.position())
    }
}
