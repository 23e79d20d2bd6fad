//! Datum to values of serde.

use serde_core::de::value::{SeqDeserializer, StrDeserializer};
use serde_core::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde_core::forward_to_deserialize_any;

use super::items::{Branch, Fields, Items, branch_name};
use super::{SerdeError, mismatch};
use crate::datum::DatumReader;
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind};

pub(super) type Result<T> = std::result::Result<T, SerdeError>;

/// A datum that is being read.
pub(super) struct Walk<'a, 'de> {
    pub(super) schema: &'a AvroSchema,
    pub(super) reader: &'a mut DatumReader<'de>,
    /// Array items without bytes that the datum may still have.
    pub(super) empty_items: u64,
}

/// The next value, of a type.
pub(super) struct Value<'w, 'a, 'de> {
    pub(super) walk: &'w mut Walk<'a, 'de>,
    pub(super) id: TypeId,
    pub(super) nesting: u32,
}

impl<'w, 'a, 'de> Value<'w, 'a, 'de> {
    fn ty(&self) -> &'a Type {
        self.walk.schema.get(self.id)
    }

    /// Returns the value of the branch of a union that is next, and other values as they are.
    fn of_branch(mut self) -> Result<Self> {
        if let Type::Union(branches) = self.ty() {
            let branch = self.walk.reader.index(branches.len())?;
            self.id = branches.get(branch).copied().unwrap_or(self.id);
        }
        Ok(self)
    }

    fn deeper(&self) -> Result<u32> {
        self.nesting.checked_sub(1).ok_or_else(|| {
            let error =
                Error::new(ErrorKind::LimitExceeded, "the datum is nested more deeply than Limits::nesting");
            error.help("raise the limit if this is meant").at_record_byte(self.walk.reader.position()).into()
        })
    }

    fn visit_items<V: Visitor<'de>>(self, items: TypeId, visitor: V) -> Result<V::Value> {
        let nesting = self.deeper()?;
        let mut items = Items::new(self.walk, items, false, nesting);
        let visited = visitor.visit_seq(&mut items)?;
        items.end()?;
        Ok(visited)
    }

    fn visit_entries<V: Visitor<'de>>(self, values: TypeId, visitor: V) -> Result<V::Value> {
        let nesting = self.deeper()?;
        visitor.visit_map(Items::new(self.walk, values, true, nesting))
    }

    fn fields(self) -> Result<Fields<'w, 'a, 'de>> {
        let nesting = self.deeper()?;
        let fields = match self.ty() {
            Type::Record(record) => record.fields(),
            _ => &[],
        };
        Ok(Fields { walk: self.walk, fields, nesting, next: 0 })
    }
}

impl<'de> Deserializer<'de> for Value<'_, '_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.of_branch()?;
        let start = value.walk.reader.position();
        let ty = value.ty();
        let reader = &mut *value.walk.reader;
        let visited = match ty {
            Type::Null => visitor.visit_unit(),
            Type::Boolean => visitor.visit_bool(reader.boolean()?),
            Type::Int => visitor.visit_i32(reader.int()?),
            Type::Long => visitor.visit_i64(reader.long()?),
            Type::Float => visitor.visit_f32(reader.float()?),
            Type::Double => visitor.visit_f64(reader.double()?),
            Type::Bytes => visitor.visit_borrowed_bytes(reader.bytes()?),
            Type::Fixed(fixed) => visitor.visit_borrowed_bytes(reader.fixed(fixed.size())?),
            Type::String => visitor.visit_borrowed_str(reader.string()?),
            Type::Enum(symbols) => {
                let symbol = reader.index(symbols.symbols().len())?;
                visitor.visit_str(symbols.symbols().get(symbol).map_or("", |symbol| symbol))
            }
            Type::Array(items) => value.visit_items(*items, visitor),
            Type::Map(values) => value.visit_entries(*values, visitor),
            Type::Record(_) => visitor.visit_map(value.fields()?),
            // A union has no union for a branch.
            Type::Union(_) => Err(mismatch("a union is a branch of a union")),
        };
        visited.map_err(|error| located(error, start))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.of_branch()?;
        match value.ty() {
            Type::Double => {
                let start = value.walk.reader.position();
                let wide = value.walk.reader.double()?;
                #[expect(clippy::cast_possible_truncation, reason = "compared with the double")]
                let narrow = wide as f32;
                if f64::from(narrow).to_bits() != wide.to_bits() && !wide.is_nan() {
                    let error = mismatch(format!("the double {wide} is not one of 32 bits")).0;
                    return Err(error.help("read it as f64").at_record_byte(start).into());
                }
                visitor.visit_f32(narrow)
            }
            Type::Int | Type::Long => Err(not_a_float(value.walk.reader)),
            _ => value.deserialize_any(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.of_branch()?;
        match value.ty() {
            Type::Int => visitor.visit_f64(value.walk.reader.int()?.into()),
            Type::Long => Err(not_a_float(value.walk.reader)),
            _ => value.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.of_branch()?;
        match value.ty() {
            Type::Null => visitor.visit_none(),
            _ => visitor.visit_some(value),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.of_branch()?;
        match value.ty() {
            Type::Record(_) => {
                let start = value.walk.reader.position();
                let mut fields = value.fields()?;
                let visited = visitor.visit_seq(&mut fields);
                let visited = visited.and_then(|visited| fields.end().map(|()| visited));
                visited.map_err(|error| located(error, start))
            }
            Type::Bytes => visit_octets(value.walk.reader.bytes()?, visitor),
            Type::Fixed(fixed) => visit_octets(value.walk.reader.fixed(fixed.size())?, visitor),
            _ => value.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let start = self.walk.reader.position();
        let visited = match self.ty() {
            Type::Union(branches) => {
                let value = self.of_branch()?;
                let name = branch_name(value.walk.schema, branches, value.id);
                visitor.visit_enum(Branch { name, value })
            }
            Type::Enum(symbols) => {
                let symbol = self.walk.reader.index(symbols.symbols().len())?;
                let symbol: &str = symbols.symbols().get(symbol).map_or("", |symbol| symbol);
                visitor.visit_enum(IntoDeserializer::<SerdeError>::into_deserializer(symbol))
            }
            Type::String => {
                let text: StrDeserializer<'_, SerdeError> = self.walk.reader.string()?.into_deserializer();
                visitor.visit_enum(text)
            }
            _ => {
                let found = self.walk.schema.describe(self.id);
                Err(SerdeError::invalid_type(Unexpected::Other(&found), &"an enum"))
            }
        };
        visited.map_err(|error| located(error, start))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct map struct identifier
        ignored_any
    }
}

/// Returns the error with the byte at which its value begins, unless it has one.
fn located(error: SerdeError, start: usize) -> SerdeError {
    match error.0.position().record_byte {
        Some(_) => error,
        None => SerdeError(error.0.at_record_byte(start)),
    }
}

/// Visits bytes as a sequence of numbers.
fn visit_octets<'de, V: Visitor<'de>>(bytes: &[u8], visitor: V) -> Result<V::Value> {
    let mut octets = SeqDeserializer::<_, SerdeError>::new(bytes.iter().copied());
    let visited = visitor.visit_seq(&mut octets)?;
    octets.end()?;
    Ok(visited)
}

#[cold]
fn not_a_float(reader: &DatumReader<'_>) -> SerdeError {
    let error = mismatch("a float does not have all values of the integer type").0;
    error.help("read it as i64").at_record_byte(reader.position()).into()
}
