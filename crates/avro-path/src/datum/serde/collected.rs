//! Sequences, maps and structs of serde to arrays, maps and records.

use serde_core::Serialize;
use serde_core::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use super::ser::{Result, ValueSerializer};
use super::{SerdeError, mismatch};
use crate::datum::{DatumReader, write, write_default};
use crate::schema::{AvroSchema, Record, Type, TypeId};

/// Writer of an array, a record of which the fields come in order, or bytes as numbers.
pub(super) struct ItemsSerializer<'a> {
    to: ValueSerializer<'a>,
    ty: &'a Type,
    /// Number of items so far.
    count: usize,
    /// Number of items that the block claims.
    claimed: Option<usize>,
    /// The items of a block whose number is not known yet.
    body: Vec<u8>,
}

impl<'a> ItemsSerializer<'a> {
    pub(super) fn new(to: ValueSerializer<'a>, ty: &'a Type, length: Option<usize>) -> Self {
        let claimed = length.filter(|&length| length > 0 && matches!(ty, Type::Array(_)));
        if let Some(claimed) = claimed {
            write::long(to.out, claimed as i64);
        }
        Self { to, ty, count: 0, claimed, body: Vec::new() }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let (schema, count) = (self.to.schema, self.count);
        self.count += 1;
        let (id, out) = match self.ty {
            Type::Array(items) if self.claimed.is_some() => (*items, &mut *self.to.out),
            Type::Array(items) => (*items, &mut self.body),
            Type::Record(record) => {
                let field = record.fields().get(count).ok_or_else(|| {
                    mismatch(format!(
                        "the tuple has more values than {} has fields",
                        schema.describe(self.to.id)
                    ))
                })?;
                (field.type_id(), &mut *self.to.out)
            }
            _ => {
                let mut number = Vec::new();
                write_as(schema, |ty| matches!(ty, Type::Int), value, &mut number)?;
                let octet =
                    DatumReader::new(&number).long().ok().and_then(|number| u8::try_from(number).ok());
                self.body.push(octet.ok_or_else(|| mismatch("a byte is a number from 0 to 255"))?);
                return Ok(());
            }
        };
        value
            .serialize(ValueSerializer { schema, id, out })
            .map_err(|error| error.within(&format!("[{count}]")))
    }

    fn finish(self) -> Result<()> {
        let Self { to, ty, count, claimed, body } = self;
        match (ty, claimed) {
            (Type::Array(_), Some(claimed)) if claimed != count => Err(mismatch(format!(
                "the sequence has {count} items, and its length was given as {claimed}"
            ))),
            (Type::Array(_), Some(_)) => {
                write::long(to.out, 0);
                Ok(())
            }
            (Type::Array(_), None) => {
                block(to.out, count, &body);
                Ok(())
            }
            (Type::Record(record), _) => match record.fields().get(count) {
                Some(field) => Err(mismatch(format!("the tuple ends before the field {:?}", field.name()))),
                None => Ok(()),
            },
            _ => to.octets(&body),
        }
    }
}

/// Writer of a map, or a record of which the fields come in any order.
pub(super) struct EntriesSerializer<'a> {
    to: ValueSerializer<'a>,
    ty: &'a Type,
    /// Number of entries of a map, or of fields that are written.
    count: usize,
    /// The entries of a map.
    body: Vec<u8>,
    /// Fields of a record that came too early.
    early: Vec<Option<Vec<u8>>>,
    key: String,
}

impl<'a> EntriesSerializer<'a> {
    pub(super) fn new(to: ValueSerializer<'a>, ty: &'a Type) -> Self {
        Self { to, ty, count: 0, body: Vec::new(), early: Vec::new(), key: String::new() }
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        match self.ty {
            Type::Map(values) => {
                self.count += 1;
                write::string(&mut self.body, key);
                let to = ValueSerializer { schema: self.to.schema, id: *values, out: &mut self.body };
                value.serialize(to).map_err(|error| error.within(&format!("[{key:?}]")))
            }
            Type::Record(record) => self.field(record, key, value),
            _ => Err(mismatch("neither a map nor a record")),
        }
    }

    fn field<T: Serialize + ?Sized>(&mut self, record: &'a Record, name: &str, value: &T) -> Result<()> {
        let schema = self.to.schema;
        let next = record.fields().get(self.count).filter(|field| field.name() == name);
        let (at, field) = match next.map(|field| (self.count, field)).or_else(|| record.field(name)) {
            Some(found) => found,
            None => return Err(mismatch(format!("{} has no field {name:?}", schema.describe(self.to.id)))),
        };
        let is_next = at == self.count;
        if at < self.count || self.early.get(at).is_some_and(Option::is_some) {
            return Err(mismatch(format!("the field {name:?} comes twice")));
        }
        let mut early = Vec::new();
        let out = if is_next { &mut *self.to.out } else { &mut early };
        let to = ValueSerializer { schema, id: field.type_id(), out };
        value.serialize(to).map_err(|error| error.within(name))?;
        if is_next {
            self.count += 1;
            while let Some(early) = self.early.get_mut(self.count).and_then(Option::take) {
                self.to.out.extend_from_slice(&early);
                self.count += 1;
            }
        } else {
            self.early.resize_with(record.fields().len(), || None);
            if let Some(slot) = self.early.get_mut(at) {
                *slot = Some(early);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        let ValueSerializer { schema, out, .. } = self.to;
        let Type::Record(record) = self.ty else {
            block(out, self.count, &self.body);
            return Ok(());
        };
        for (at, field) in record.fields().iter().enumerate().skip(self.count) {
            match (self.early.get_mut(at).and_then(Option::take), field.default()) {
                (Some(early), _) => out.extend_from_slice(&early),
                (None, Some(default)) => write_default(schema, field.type_id(), default, out)?,
                (None, None) => {
                    let what = format!("the value has no field {:?}, which has no default", field.name());
                    return Err(mismatch(what));
                }
            }
        }
        Ok(())
    }
}

/// Writer of a struct, as a record or a map.
pub(super) struct FieldsSerializer<'a>(pub(super) EntriesSerializer<'a>);

/// Writes a value as one of a primitive type.
fn write_as<T: Serialize + ?Sized>(
    schema: &AvroSchema,
    is_type: impl Fn(&Type) -> bool,
    value: &T,
    out: &mut Vec<u8>,
) -> Result<()> {
    let id: Option<TypeId> = schema.types().find_map(|(id, ty)| is_type(ty).then_some(id));
    // A schema has all primitive types.
    let id = id.ok_or_else(|| mismatch("the schema has no such type"))?;
    value.serialize(ValueSerializer { schema, id, out })
}

/// Appends the items of a block, and the end of the blocks. A block without items would be that end.
fn block(out: &mut Vec<u8>, count: usize, body: &[u8]) {
    if count > 0 {
        write::long(out, count as i64);
        out.extend_from_slice(body);
    }
    write::long(out, 0);
}

macro_rules! items {
    ($($name:ident $item:ident),*) => { $(
        impl $name for ItemsSerializer<'_> {
            type Ok = ();
            type Error = SerdeError;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )* };
}

items!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field);

macro_rules! fields {
    ($($name:ident),*) => { $(
        impl $name for FieldsSerializer<'_> {
            type Ok = ();
            type Error = SerdeError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
                self.0.entry(key, value)
            }

            fn end(self) -> Result<()> {
                self.0.finish()
            }
        }
    )* };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for EntriesSerializer<'_> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let mut text = Vec::new();
        write_as(self.to.schema, |ty| matches!(ty, Type::String), key, &mut text)?;
        self.key = DatumReader::new(&text).string()?.to_owned();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = std::mem::take(&mut self.key);
        self.entry(&key, value)
    }

    fn end(self) -> Result<()> {
        self.finish()
    }
}
