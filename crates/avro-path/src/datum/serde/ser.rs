//! Values of serde to datum.

use serde_core::Serialize;
use serde_core::ser::Serializer;

use super::collected::{EntriesSerializer, FieldsSerializer, ItemsSerializer};
use super::items::branch_name;
use super::{SerdeError, mismatch};
use crate::datum::write;
use crate::schema::{AvroSchema, Type, TypeId};

pub(super) type Result<T> = std::result::Result<T, SerdeError>;

/// Writer of one value of a type.
pub(super) struct ValueSerializer<'a> {
    pub(super) schema: &'a AvroSchema,
    pub(super) id: TypeId,
    pub(super) out: &'a mut Vec<u8>,
}

impl<'a> ValueSerializer<'a> {
    /// Writes the number of the branch that a value is of: the first branch that passes the first test that any passes. Returns the
    /// serializer of its type. A type that is not a union is its own only branch, whose number is not written.
    fn of(self, what: &dyn Fn() -> String, tests: &[&dyn Fn(&Type) -> bool]) -> Result<(Self, &'a Type)> {
        let (schema, id) = (self.schema, self.id);
        let branches = match schema.get(id) {
            Type::Union(branches) => &**branches,
            _ => std::slice::from_ref(&self.id),
        };
        let found =
            tests.iter().find_map(|test| branches.iter().position(|&branch| test(schema.get(branch))));
        let Some(found) = found else {
            return Err(mismatch(format!("{} cannot be written as {}", what(), schema.describe(id))));
        };
        let branch = branches.get(found).copied().unwrap_or(id);
        self.into_branch(found, branch)
    }

    fn into_branch(self, number: usize, id: TypeId) -> Result<(Self, &'a Type)> {
        if matches!(self.schema.get(self.id), Type::Union(_)) {
            // A schema has fewer types than 2³².
            write::branch(self.out, u32::try_from(number).unwrap_or(u32::MAX));
        }
        let schema = self.schema;
        Ok((Self { id, ..self }, schema.get(id)))
    }

    /// Writes the branch of a union that is called so, where the type is one.
    fn of_variant(self, name: &str) -> Result<Self> {
        let Type::Union(branches) = self.schema.get(self.id) else { return Ok(self) };
        let (schema, id) = (self.schema, self.id);
        let called = |&branch: &TypeId| branch_name(schema, branches, branch) == name;
        let Some(found) = branches.iter().position(called) else {
            return Err(mismatch(format!("{} has no branch called {name:?}", schema.describe(id))));
        };
        let branch = branches.get(found).copied().unwrap_or(id);
        self.into_branch(found, branch).map(|(serializer, _)| serializer)
    }

    fn integer(self, value: i128) -> Result<()> {
        let is_int = |ty: &Type| matches!(ty, Type::Int) && i32::try_from(value).is_ok();
        let is_long = |ty: &Type| matches!(ty, Type::Long) && i64::try_from(value).is_ok();
        let (serializer, _) = self.of(&|| format!("the integer {value}"), &[&is_int, &is_long])?;
        // It is one of 64 bits.
        write::long(serializer.out, i64::try_from(value).unwrap_or_default());
        Ok(())
    }

    pub(super) fn octets(self, value: &[u8]) -> Result<()> {
        let is_fixed = |ty: &Type| matches!(ty, Type::Fixed(fixed) if fixed.size() == value.len());
        let is_bytes = |ty: &Type| matches!(ty, Type::Bytes);
        let (serializer, ty) = self.of(&|| format!("{} bytes", value.len()), &[&is_bytes, &is_fixed])?;
        match ty {
            Type::Bytes => write::bytes(serializer.out, value),
            _ => serializer.out.extend_from_slice(value),
        }
        Ok(())
    }
}

macro_rules! integers {
    ($($name:ident $type:ty),*) => { $(
        fn $name(self, value: $type) -> Result<()> {
            self.integer(value.into())
        }
    )* };
}

impl<'a> Serializer for ValueSerializer<'a> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = ItemsSerializer<'a>;
    type SerializeTuple = ItemsSerializer<'a>;
    type SerializeTupleStruct = ItemsSerializer<'a>;
    type SerializeTupleVariant = ItemsSerializer<'a>;
    type SerializeMap = EntriesSerializer<'a>;
    type SerializeStruct = FieldsSerializer<'a>;
    type SerializeStructVariant = FieldsSerializer<'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        let (serializer, _) = self.of(&|| "a boolean".to_owned(), &[&|ty| matches!(ty, Type::Boolean)])?;
        write::boolean(serializer.out, value);
        Ok(())
    }

    integers! {
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        let tests: [&dyn Fn(&Type) -> bool; 2] =
            [&|ty| matches!(ty, Type::Float), &|ty| matches!(ty, Type::Double)];
        let (serializer, ty) = self.of(&|| format!("the float {value}"), &tests)?;
        match ty {
            Type::Float => write::float(serializer.out, value),
            _ => write::double(serializer.out, value.into()),
        }
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        let (serializer, _) =
            self.of(&|| format!("the double {value}"), &[&|ty| matches!(ty, Type::Double)])?;
        write::double(serializer.out, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        let symbol = |ty: &Type| match ty {
            Type::Enum(symbols) => symbols.symbols().iter().position(|symbol| &**symbol == value),
            _ => None,
        };
        let is_symbol = |ty: &Type| symbol(ty).is_some();
        let is_string = |ty: &Type| matches!(ty, Type::String);
        let (serializer, ty) = self.of(&|| format!("the text {value:?}"), &[&is_string, &is_symbol])?;
        match symbol(ty) {
            Some(symbol) => write::long(serializer.out, i64::try_from(symbol).unwrap_or_default()),
            None => write::string(serializer.out, value),
        }
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.octets(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.of(&|| "null".to_owned(), &[&|ty| matches!(ty, Type::Null)]).map(drop)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        let is_null = |&&branch: &&TypeId| matches!(self.schema.get(branch), Type::Null);
        match self.schema.get(self.id) {
            Type::Union(branches) if variant == "null" && branches.iter().find(is_null).is_some() => {
                self.serialize_unit()
            }
            _ => self.serialize_str(variant),
        }
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self.of_variant(variant)?)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ItemsSerializer<'a>> {
        let tests: [&dyn Fn(&Type) -> bool; 3] =
            [&|ty| matches!(ty, Type::Array(_)), &|ty| matches!(ty, Type::Record(_)), &|ty| {
                matches!(ty, Type::Bytes | Type::Fixed(_))
            }];
        let (serializer, ty) = self.of(&|| "a sequence".to_owned(), &tests)?;
        Ok(ItemsSerializer::new(serializer, ty, length))
    }

    fn serialize_tuple(self, length: usize) -> Result<ItemsSerializer<'a>> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<ItemsSerializer<'a>> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ItemsSerializer<'a>> {
        self.of_variant(variant)?.serialize_seq(Some(length))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<EntriesSerializer<'a>> {
        let tests: [&dyn Fn(&Type) -> bool; 2] =
            [&|ty| matches!(ty, Type::Map(_)), &|ty| matches!(ty, Type::Record(_))];
        let (serializer, ty) = self.of(&|| "a map".to_owned(), &tests)?;
        Ok(EntriesSerializer::new(serializer, ty))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<FieldsSerializer<'a>> {
        let is_called = |ty: &Type| matches!(ty, Type::Record(record) if record.name().short() == name);
        let is_record = |ty: &Type| matches!(ty, Type::Record(_));
        let is_map = |ty: &Type| matches!(ty, Type::Map(_));
        let (serializer, ty) =
            self.of(&|| format!("the struct {name}"), &[&is_called, &is_record, &is_map])?;
        Ok(FieldsSerializer(EntriesSerializer::new(serializer, ty)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<FieldsSerializer<'a>> {
        self.of_variant(variant)?.serialize_struct(variant, length)
    }
}
