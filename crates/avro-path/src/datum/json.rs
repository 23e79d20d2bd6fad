//! A datum as JSON.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tfxio_core::Limits;

use super::DatumReader;
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// Maximum nesting of records, arrays and maps, whatever the limits allow: each takes a part of the stack.
const MOST_NESTING: u32 = 1000;

/// Appends a datum as one line of JSON, its fields in the order of the schema.
///
/// Bytes and fixed become `{"base64": "…"}`, the symbols of enums strings, a union the value of its branch. Numbers
/// that JSON does not have become the strings `NaN`, `Infinity` and `-Infinity`. Logical types are written as the type
/// below. A map is an object, even if it has a key twice.
///
/// ```
/// use avro_path::datum::{DatumReader, write, write_json};
/// use avro_path::{Limits, AvroSchema};
///
/// let schema = AvroSchema::parse(r#"{"type": "map", "values": ["null", "double"]}"#)?;
/// let mut bytes = Vec::new();
/// write::long(&mut bytes, 2);
/// write::string(&mut bytes, "a");
/// write::long(&mut bytes, 0);
/// write::string(&mut bytes, "b");
/// write::long(&mut bytes, 1);
/// write::double(&mut bytes, 0.5);
/// write::long(&mut bytes, 0);
///
/// let mut json = Vec::new();
/// write_json(&schema, &mut DatumReader::new(&bytes), &Limits::default(), &mut json)?;
/// assert_eq!(json, br#"{"a":null,"b":0.5}"#);
/// # Ok::<(), avro_path::Error>(())
/// ```
///
/// # Errors
/// When the bytes are not a datum of the schema; the position has the path of the value. When a limit is reached:
/// [`nesting`](Limits::nesting) of records, arrays and maps (1,000 at most), [`record_bytes`](Limits::record_bytes) of
/// JSON, or [`empty_items`](Limits::empty_items) of arrays that have no bytes. What was appended until then stays.
pub fn write_json(
    schema: &AvroSchema,
    reader: &mut DatumReader<'_>,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<()> {
    let most = usize::try_from(limits.record_bytes).unwrap_or(usize::MAX).saturating_add(out.len());
    let mut writer = JsonWriter { schema, reader, out, most, empty_items: limits.empty_items };
    writer.value(schema.root(), limits.nesting.min(MOST_NESTING))
}

struct JsonWriter<'a, 'b> {
    schema: &'a AvroSchema,
    reader: &'a mut DatumReader<'b>,
    out: &'a mut Vec<u8>,
    most: usize,
    empty_items: u64,
}

impl JsonWriter<'_, '_> {
    fn value(&mut self, id: TypeId, nesting: u32) -> Result<()> {
        if self.out.len() > self.most {
            return Err(self.limit("the datum's JSON is longer than Limits::record_bytes"));
        }
        match self.schema.get(id) {
            Type::Null => self.out.extend_from_slice(b"null"),
            // Writing to a vector cannot fail.
            Type::Boolean => _ = write!(self.out, "{}", self.reader.boolean()?),
            Type::Int => _ = write!(self.out, "{}", self.reader.int()?),
            Type::Long => _ = write!(self.out, "{}", self.reader.long()?),
            Type::Float => {
                let value = self.reader.float()?;
                self.float(value.is_finite().then(|| value.to_string()), f64::from(value));
            }
            Type::Double => {
                let value = self.reader.double()?;
                self.float(value.is_finite().then(|| value.to_string()), value);
            }
            Type::Bytes => {
                let bytes = self.reader.bytes()?;
                self.bytes(bytes);
            }
            Type::Fixed(fixed) => {
                let bytes = self.reader.fixed(fixed.size())?;
                self.bytes(bytes);
            }
            Type::String => {
                let text = self.reader.string()?;
                self.string(text);
            }
            Type::Enum(symbols) => {
                let symbols = symbols.symbols();
                let symbol = self.reader.index(symbols.len())?;
                self.string(symbols.get(symbol).map_or("", |symbol| symbol));
            }
            Type::Union(branches) => {
                let branch = self.reader.index(branches.len())?;
                if let Some(&branch) = branches.get(branch) {
                    self.value(branch, nesting)?;
                }
            }
            Type::Array(items) => self.items(*items, false, self.deeper(nesting)?)?,
            Type::Map(values) => self.items(*values, true, self.deeper(nesting)?)?,
            Type::Record(record) => {
                let nesting = self.deeper(nesting)?;
                self.out.push(b'{');
                for (at, field) in record.fields().iter().enumerate() {
                    if at > 0 {
                        self.out.push(b',');
                    }
                    self.string(field.name());
                    self.out.push(b':');
                    self.value(field.type_id(), nesting).map_err(|error| error.within(field.name()))?;
                }
                self.out.push(b'}');
            }
        }
        Ok(())
    }

    fn items(&mut self, id: TypeId, is_map: bool, nesting: u32) -> Result<()> {
        let least = self.schema.least_bytes(id).saturating_add(usize::from(is_map));
        let mut index = 0_u64;
        self.out.push(if is_map { b'{' } else { b'[' });
        while let Some(block) = self.reader.item_block(least)? {
            let start = self.reader.position();
            if least == 0 {
                self.empty_items = self.empty_items.checked_sub(block.count).ok_or_else(|| {
                    self.limit("the datum claims more array items without bytes than Limits::empty_items")
                })?;
            }
            for _ in 0..block.count {
                if index > 0 {
                    self.out.push(b',');
                }
                if is_map {
                    let key = self.reader.string()?;
                    self.string(key);
                    self.out.push(b':');
                    self.value(id, nesting).map_err(|error| error.within(&format!("[{key:?}]")))?;
                } else {
                    self.value(id, nesting).map_err(|error| error.within(&format!("[{index}]")))?;
                }
                index += 1;
            }
            block.check_size(self.reader, start)?;
        }
        self.out.push(if is_map { b'}' } else { b']' });
        Ok(())
    }

    /// Appends a number in its shortest form, or its name if JSON has no form for it.
    fn float(&mut self, shortest: Option<String>, value: f64) {
        match shortest {
            Some(text) => {
                self.out.extend_from_slice(text.as_bytes());
                if !text.contains(['.', 'e']) {
                    self.out.extend_from_slice(b".0");
                }
            }
            None if value.is_nan() => self.out.extend_from_slice(b"\"NaN\""),
            None if value > 0.0 => self.out.extend_from_slice(b"\"Infinity\""),
            None => self.out.extend_from_slice(b"\"-Infinity\""),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(b"{\"base64\":\"");
        self.out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
        self.out.extend_from_slice(b"\"}");
    }

    fn string(&mut self, text: &str) {
        // Neither a string nor a vector can make this fail.
        let _ = serde_json::to_writer(&mut *self.out, text);
    }

    fn deeper(&self, nesting: u32) -> Result<u32> {
        nesting
            .checked_sub(1)
            .ok_or_else(|| self.limit("the datum is nested more deeply than Limits::nesting"))
    }

    #[cold]
    fn limit(&self, what: &str) -> Error {
        Error::new(ErrorKind::LimitExceeded, what)
            .help("raise the limit if this is meant")
            .at_record_byte(self.reader.position())
    }
}
