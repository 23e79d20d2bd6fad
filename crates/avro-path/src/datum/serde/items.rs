//! Values that have others: arrays, maps, records, and branches of unions.

use serde_core::de::{
    DeserializeSeed, Deserializer as _, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use tfxio_core::Count;

use super::de::{Result, Value, Walk};
use super::{SerdeError, mismatch};
use crate::datum::{DatumReader, ItemBlock};
use crate::schema::{AvroSchema, RecordField, TypeId};
use crate::{Error, ErrorKind};

/// The items of an array or a map.
pub(super) struct Items<'w, 'a, 'de> {
    pub(super) walk: &'w mut Walk<'a, 'de>,
    id: TypeId,
    nesting: u32,
    /// The fewest bytes of an item.
    least: usize,
    /// The block of the next item, its start, and the number of its items that are left.
    block: Option<ItemBlock>,
    start: usize,
    left: u64,
    has_ended: bool,
    /// The number of items before the next one.
    number: u64,
    /// The key of the next value, quoted.
    key: String,
}

impl<'w, 'a, 'de> Items<'w, 'a, 'de> {
    pub(super) fn new(walk: &'w mut Walk<'a, 'de>, id: TypeId, is_map: bool, nesting: u32) -> Self {
        let least = walk.schema.least_bytes(id).saturating_add(usize::from(is_map));
        let (block, key) = (None, String::new());
        Self { walk, id, nesting, least, block, start: 0, left: 0, has_ended: false, number: 0, key }
    }

    /// Returns whether there is another item, which is read next.
    fn next(&mut self) -> Result<bool> {
        while self.left == 0 && !self.has_ended {
            if let Some(block) = self.block.take() {
                block.check_size(self.walk.reader, self.start)?;
            }
            let Some(block) = self.walk.reader.item_block(self.least)? else {
                self.has_ended = true;
                break;
            };
            if self.least == 0 {
                let left = self.walk.empty_items.checked_sub(block.count);
                self.walk.empty_items = left.ok_or_else(|| too_many_items(self.walk.reader))?;
            }
            (self.left, self.start, self.block) = (block.count, self.walk.reader.position(), Some(block));
        }
        if self.has_ended {
            return Ok(false);
        }
        self.left -= 1;
        self.number += 1;
        Ok(true)
    }

    fn value(&mut self) -> Value<'_, 'a, 'de> {
        Value { walk: self.walk, id: self.id, nesting: self.nesting }
    }

    /// Checks that all items were read.
    pub(super) fn end(mut self) -> Result<()> {
        match self.next()? {
            true => {
                let taken = Count::of(self.number - 1, "item");
                Err(mismatch(format!("the array has more than the {taken} that the type takes")))
            }
            false => Ok(()),
        }
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.next()? {
            return Ok(None);
        }
        let item = seed.deserialize(self.value());
        item.map(Some).map_err(|error| error.within(&format!("[{}]", self.number - 1)))
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

impl<'de> MapAccess<'de> for Items<'_, '_, 'de> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        if !self.next()? {
            return Ok(None);
        }
        let key = self.walk.reader.string()?;
        self.key = format!("[{key:?}]");
        seed.deserialize(serde_core::de::value::BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let value = seed.deserialize(self.value());
        value.map_err(|error| error.within(&self.key))
    }
}

/// The fields of a record.
pub(super) struct Fields<'w, 'a, 'de> {
    pub(super) walk: &'w mut Walk<'a, 'de>,
    pub(super) fields: &'a [RecordField],
    pub(super) nesting: u32,
    pub(super) next: usize,
}

impl<'a, 'de> Fields<'_, 'a, 'de> {
    fn read<T>(&mut self, read: impl FnOnce(Value<'_, 'a, 'de>) -> Result<T>) -> Result<Option<T>> {
        let Some(field) = self.fields.get(self.next) else { return Ok(None) };
        self.next += 1;
        let value = Value { walk: self.walk, id: field.type_id(), nesting: self.nesting };
        read(value).map(Some).map_err(|error| error.within(field.name()))
    }

    /// Checks that all fields were read.
    pub(super) fn end(&self) -> Result<()> {
        match self.fields.get(self.next) {
            Some(field) => Err(mismatch(format!(
                "the record has the field {:?}, and the type ends before it",
                field.name()
            ))),
            None => Ok(()),
        }
    }
}

impl<'de> SeqAccess<'de> for Fields<'_, '_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.read(|value| seed.deserialize(value))
    }
}

impl<'de> MapAccess<'de> for Fields<'_, '_, 'de> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some(field) = self.fields.get(self.next) else { return Ok(None) };
        seed.deserialize(field.name().into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        let value = self.read(|value| seed.deserialize(value))?;
        value.ok_or_else(|| mismatch("the record has no further field"))
    }
}

/// The value of a branch, as the variant of an enum that is called as the branch.
pub(super) struct Branch<'w, 'a, 'de> {
    pub(super) name: &'a str,
    pub(super) value: Value<'w, 'a, 'de>,
}

impl<'de> EnumAccess<'de> for Branch<'_, '_, 'de> {
    type Error = SerdeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(IntoDeserializer::<SerdeError>::into_deserializer(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Branch<'_, '_, 'de> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<()> {
        serde_core::Deserialize::deserialize(self.value)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.value)
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value> {
        self.value.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.value.deserialize_any(visitor)
    }
}

/// Returns the name of a branch: the short one, unless two branches have it.
pub(super) fn branch_name<'a>(schema: &'a AvroSchema, branches: &[TypeId], id: TypeId) -> &'a str {
    let full = schema.branch_name(id);
    let short = |full: &'a str| full.rsplit('.').next().unwrap_or(full);
    let same = branches.iter().filter(|&&other| short(schema.branch_name(other)) == short(full));
    if same.count() > 1 { full } else { short(full) }
}

#[cold]
fn too_many_items(reader: &DatumReader<'_>) -> SerdeError {
    let what = "the datum claims more array items without bytes than Limits::empty_items";
    let error = Error::new(ErrorKind::LimitExceeded, what).help("raise the limit if this is meant");
    error.at_record_byte(reader.position()).into()
}
