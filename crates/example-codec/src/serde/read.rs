//! Values of features, as visitors of serde ask for them.

use std::vec::IntoIter;

use serde_core::de::value::{BorrowedStrDeserializer, SeqDeserializer};
use serde_core::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, SeqAccess, Visitor};
use serde_core::forward_to_deserialize_any;
use tfxio_base::Count;

use super::{NO_STRUCT, Result, SerdeError, invalid};
use crate::example::wrong_kind;
use crate::typed::FromItem;
use crate::{ExampleView, FeatureKind, FeatureView};

/// A record, which is a struct or a map.
pub(super) struct Record<'v, 'de>(pub(super) &'v ExampleView<'de>);

impl<'de> Deserializer<'de> for Record<'_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(Features { rest: self.0.iter(), next: None })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// The features that are left, and the one whose name was taken.
struct Features<'v, 'de, I> {
    rest: I,
    next: Option<(&'de str, &'v FeatureView<'de>)>,
}

impl<'v, 'de: 'v, I: Iterator<Item = (&'de str, &'v FeatureView<'de>)>> MapAccess<'de>
    for Features<'v, 'de, I>
{
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.next = self.rest.next();
        let Some((name, _)) = self.next else { return Ok(None) };
        let key = seed.deserialize(BorrowedStrDeserializer::<SerdeError>::new(name));
        key.map(Some).map_err(|error| error.in_feature(name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value> {
        match self.next.take() {
            Some((name, feature)) => {
                seed.deserialize(Value::Feature(feature)).map_err(|error| error.in_feature(name))
            }
            None => Err(invalid("the visitor asks for a value before its key")),
        }
    }
}

/// A feature, or an item of its list.
enum Value<'v, 'de> {
    Feature(&'v FeatureView<'de>),
    Integer(i64),
    Float(f32),
    /// A byte string, and output of the bytes after its first, if it is alone and so may be a list of bytes.
    Bytes(&'de [u8], Option<&'v mut Option<&'de [u8]>>),
}

impl<'de> Value<'_, 'de> {
    fn kind(&self) -> Option<FeatureKind> {
        match self {
            Self::Feature(feature) => feature.kind(),
            Self::Integer(_) => Some(FeatureKind::Int64),
            Self::Float(_) => Some(FeatureKind::Float),
            Self::Bytes(..) => Some(FeatureKind::Bytes),
        }
    }

    fn integer(&self) -> Result<i64> {
        match self {
            Self::Feature(feature) => Ok(<i64 as FromItem>::one(feature)?),
            Self::Integer(value) => Ok(*value),
            _ => Err(wrong_kind(self.kind(), FeatureKind::Int64).into()),
        }
    }

    fn float(&self) -> Result<f32> {
        match self {
            Self::Feature(feature) => Ok(<f32 as FromItem>::one(feature)?),
            Self::Float(value) => Ok(*value),
            _ => Err(wrong_kind(self.kind(), FeatureKind::Float).into()),
        }
    }

    fn bytes(&self) -> Result<&'de [u8]> {
        match self {
            Self::Feature(feature) => Ok(<&[u8] as FromItem>::one(feature)?),
            Self::Bytes(value, _) => Ok(value),
            _ => Err(wrong_kind(self.kind(), FeatureKind::Bytes).into()),
        }
    }

    fn text(&self) -> Result<&'de str> {
        let not_text =
            |error| invalid(format!("the byte string is not UTF-8, and so bytes, not text: {error}"));
        std::str::from_utf8(self.bytes()?).map_err(not_text)
    }
}

/// Implements methods by what a method of the type returns, and a method of the visitor.
macro_rules! scalars {
    ($($value:ident, $visit:ident: $($method:ident)*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.$visit(self.$value()?)
        }
    )*)*};
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = SerdeError;

    scalars! {
        integer, visit_i64: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u16
            deserialize_u32 deserialize_u64 deserialize_u128;
        float, visit_f32: deserialize_f32 deserialize_f64;
        bytes, visit_borrowed_bytes: deserialize_bytes deserialize_byte_buf;
        text, visit_borrowed_str: deserialize_str deserialize_string deserialize_char deserialize_identifier;
    }

    /// Gives every feature as a sequence: as a value where there is one, the type that fits would depend on the record.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Feature(feature) => Items::of(feature)?.visit(visitor),
            Self::Integer(value) => visitor.visit_i64(value),
            Self::Float(value) => visitor.visit_f32(value),
            Self::Bytes(value, _) => match std::str::from_utf8(value) {
                Ok(text) => visitor.visit_borrowed_str(text),
                Err(_) => visitor.visit_borrowed_bytes(value),
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.integer()? {
            value @ (0 | 1) => visitor.visit_bool(value == 1),
            value => Err(invalid(format!("the value {value} does not fit `bool`"))),
        }
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Bytes(_, None) => {
                Err(invalid("the feature has several byte strings, and a list of `u8` is one"))
            }
            Self::Bytes(string, Some(rest)) => {
                let first = string.split_first();
                *rest = Some(first.map_or(string, |(_, rest)| rest));
                let first = first.ok_or_else(|| invalid("the byte string is empty"));
                visitor.visit_u8(*first?.0)
            }
            _ => visitor.visit_i64(self.integer()?),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.kind().is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.text()?))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self {
            Self::Bytes(value, _) => SeqDeserializer::new(value.iter().copied()).deserialize_any(visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    /// Refuses a struct, whose fields serde would take from the items of a list.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value> {
        Err(invalid(NO_STRUCT))
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(invalid(NO_STRUCT))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { unit unit_struct tuple_struct }
}

/// The items of a feature that are left.
enum Items<'de> {
    Integers(IntoIter<i64>),
    Floats(IntoIter<f32>),
    /// Byte strings, and whether there was one alone.
    Strings(IntoIter<&'de [u8]>, bool),
    /// The bytes of one that was alone.
    Bytes(&'de [u8]),
}

impl<'de> Items<'de> {
    fn of(feature: &FeatureView<'de>) -> Result<Self> {
        Ok(match feature.kind() {
            Some(FeatureKind::Int64) => Self::Integers(feature.to_int64()?.into_iter()),
            Some(FeatureKind::Float) => Self::Floats(feature.to_float()?.into_iter()),
            Some(FeatureKind::Bytes) => {
                let strings = feature.to_bytes()?;
                let is_alone = strings.len() == 1;
                Self::Strings(strings.into_iter(), is_alone)
            }
            None => Self::Bytes(&[]),
        })
    }

    fn left(&self) -> usize {
        match self {
            Self::Integers(rest) => rest.len(),
            Self::Floats(rest) => rest.len(),
            Self::Strings(rest, _) => rest.len(),
            Self::Bytes(rest) => rest.len(),
        }
    }

    /// Gives the items, all of which must be taken.
    fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        let value = visitor.visit_seq(&mut self)?;
        match self.left() {
            0 => Ok(value),
            left => {
                Err(invalid(format!("the list has {} more than the type takes", Count::of(left, "value"))))
            }
        }
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left() == 0 {
            return Ok(None);
        }
        let mut bytes = None;
        let (value, is_empty) = match self {
            Items::Integers(rest) => (Value::Integer(rest.next().unwrap_or_default()), false),
            Items::Floats(rest) => (Value::Float(rest.next().unwrap_or_default()), false),
            Items::Strings(rest, is_alone) => {
                let string = rest.next().unwrap_or_default();
                (Value::Bytes(string, is_alone.then_some(&mut bytes)), string.is_empty())
            }
            Items::Bytes(rest) => {
                let Some((first, after)) = rest.split_first() else { return Ok(None) };
                *rest = after;
                return seed.deserialize(first.into_deserializer()).map(Some);
            }
        };
        let item = seed.deserialize(value);
        let Some(rest) = bytes else { return item.map(Some) };
        **self = Items::Bytes(rest);
        // Bytes were asked for: none of an empty string.
        if is_empty { Ok(None) } else { item.map(Some) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left())
    }
}
