//! Features, of the calls that values of serde make.

use std::fmt::Display;

use serde_core::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::{NO_STRUCT, Result, SerdeError, invalid};
use crate::{Example, Feature};

const NO_RECORD: &str = "a tf.Example is a struct, or a map whose keys are texts";
const NO_VALUE: &str = "a feature is a list of integers, 32-bit floats or byte strings";
const NO_LIST: &str = "a feature has no lists within its list";
const MIXED: &str =
    "the list has values of several kinds, of which a feature has one; `u8` are bytes, not integers";

/// A record that is being written.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) example: Example,
    /// The name and the values of the next feature.
    name: String,
    feature: Feature,
    is_option: bool,
    is_absent: bool,
    /// Values of `u8` in the list of the feature, and in that of an item.
    bytes: [Vec<u8>; 2],
}

impl Draft {
    /// Appends a value of the feature, whose kind must be that of the values before it.
    fn push(&mut self, value: Feature) -> Result<()> {
        match (&mut self.feature, value) {
            (feature @ Feature::Unset, value) => *feature = value,
            (Feature::Int64(values), Feature::Int64(more)) => values.extend(more),
            (Feature::Float(values), Feature::Float(more)) => values.extend(more),
            (Feature::Bytes(values), Feature::Bytes(more)) => values.extend(more),
            _ => return Err(invalid(MIXED)),
        }
        Ok(())
    }

    /// Appends a feature to the record.
    fn put<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        (self.is_option, self.is_absent) = (false, false);
        let written = value.serialize(ValueSerializer { draft: self, level: Level::Feature });
        let feature = std::mem::take(&mut self.feature);
        written
            .and_then(|()| match feature {
                _ if self.is_absent => Ok(()),
                Feature::Unset if self.is_option => {
                    Err(invalid("an empty list within an `Option` would be read as `None`"))
                }
                feature => match self.example.insert(name, feature) {
                    None => Ok(()),
                    Some(_) => Err(invalid("the record has two values of this name")),
                },
            })
            .map_err(|error| error.in_feature(name))
    }
}

/// Position of a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    Record,
    Feature,
    Item,
    /// In a list that is an item.
    Byte,
}

/// Serializer of a record, a feature, or a value of it.
pub(super) struct ValueSerializer<'d> {
    pub(super) draft: &'d mut Draft,
    pub(super) level: Level,
}

impl<'d> ValueSerializer<'d> {
    /// Checks that a value, or a list, may be here.
    fn check(&self) -> Result<()> {
        match self.level {
            Level::Record => Err(invalid(NO_RECORD)),
            Level::Item if !self.draft.bytes[0].is_empty() => Err(invalid(MIXED)),
            Level::Feature | Level::Item => Ok(()),
            Level::Byte => Err(invalid(NO_LIST)),
        }
    }

    fn put(self, value: Feature) -> Result<()> {
        self.check()?;
        self.draft.push(value)
    }

    fn integer(self, value: impl TryInto<i64> + Display + Copy) -> Result<()> {
        let does_not_fit =
            || invalid(format!("the integer {value} does not fit the 64 bits, with a sign, of a tf.Example"));
        self.put(Feature::int64([value.try_into().map_err(|_| does_not_fit())?]))
    }

    fn byte(self, value: u8) -> Result<()> {
        let list = match self.level {
            Level::Record | Level::Feature => return self.integer(value),
            Level::Item if self.draft.feature != Feature::Unset => return Err(invalid(MIXED)),
            Level::Item => 0,
            Level::Byte => 1,
        };
        self.draft.bytes[list].push(value);
        Ok(())
    }

    fn float(self, value: f32) -> Result<()> {
        self.put(Feature::float([value]))
    }

    fn double(self, value: f64) -> Result<()> {
        let narrow = value as f32;
        if f64::from(narrow) == value || value.is_nan() {
            return self.float(narrow);
        }
        let what = format!("the 32 bits of a tf.Example's float do not hold {value}");
        Err(invalid(what + "; convert it to an `f32`, which rounds it"))
    }

    fn bytes(self, value: impl AsRef<[u8]>) -> Result<()> {
        self.put(Feature::bytes([value]))
    }

    fn list(self) -> Result<List<'d>> {
        self.check()?;
        Ok(List(self))
    }

    fn fields(self) -> Result<Fields<'d>> {
        if self.level == Level::Record { Ok(Fields(self.draft)) } else { Err(invalid(NO_STRUCT)) }
    }
}

/// Implements methods by others.
macro_rules! by {
    ($($method:ident($($value:ident)? $(_: $type:ty),*) -> $output:ty = $to:ident;)*) => {$(
        fn $method(self $(, _: $type)*) -> Result<$output> {
            self.$to()
        }
    )*};
    ($($method:ident: $type:ty = $to:ident;)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            self.$to(value)
        }
    )*};
}

impl<'d> Serializer for ValueSerializer<'d> {
    type Ok = ();
    type Error = SerdeError;
    type SerializeSeq = List<'d>;
    type SerializeTuple = List<'d>;
    type SerializeTupleStruct = List<'d>;
    type SerializeTupleVariant = Impossible<(), SerdeError>;
    type SerializeMap = Fields<'d>;
    type SerializeStruct = Fields<'d>;
    type SerializeStructVariant = Impossible<(), SerdeError>;

    by! {
        serialize_bool: bool = integer;
        serialize_i8: i8 = integer;
        serialize_i16: i16 = integer;
        serialize_i32: i32 = integer;
        serialize_i64: i64 = integer;
        serialize_i128: i128 = integer;
        serialize_u8: u8 = byte;
        serialize_u16: u16 = integer;
        serialize_u32: u32 = integer;
        serialize_u64: u64 = integer;
        serialize_u128: u128 = integer;
        serialize_f32: f32 = float;
        serialize_f64: f64 = double;
        serialize_str: &str = bytes;
        serialize_bytes: &[u8] = bytes;
    }
    by! {
        serialize_unit() -> () = serialize_none;
        serialize_seq(_: Option<usize>) -> List<'d> = list;
        serialize_tuple(_: usize) -> List<'d> = list;
        serialize_tuple_struct(_: &'static str, _: usize) -> List<'d> = list;
        serialize_map(_: Option<usize>) -> Fields<'d> = fields;
        serialize_struct(_: &'static str, _: usize) -> Fields<'d> = fields;
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.bytes(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.bytes(variant)
    }

    fn serialize_none(self) -> Result<()> {
        match self.level {
            Level::Record => Err(invalid(NO_RECORD)),
            Level::Feature if self.draft.is_option => Err(invalid("`Some(None)` would be read as `None`")),
            Level::Feature => {
                self.draft.is_absent = true;
                Ok(())
            }
            Level::Item | Level::Byte => Err(invalid("a list of a tf.Example has no nulls")),
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.draft.is_option |= self.level == Level::Feature;
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        Err(invalid(NO_VALUE))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        Err(invalid(NO_VALUE))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Err(invalid(NO_VALUE))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Err(invalid(NO_VALUE))
    }
}

/// The list of a feature, or of an item.
pub(super) struct List<'d>(ValueSerializer<'d>);

impl List<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let level = if self.0.level == Level::Feature { Level::Item } else { Level::Byte };
        value.serialize(ValueSerializer { draft: self.0.draft, level })
    }

    fn finish(self) -> Result<()> {
        let (draft, is_item) = (self.0.draft, self.0.level != Level::Feature);
        let bytes = std::mem::take(&mut draft.bytes[usize::from(is_item)]);
        // An empty list that is an item is a byte string: a feature has no other lists within its list.
        if bytes.is_empty() && !is_item { Ok(()) } else { draft.push(Feature::Bytes(vec![bytes])) }
    }
}

/// Implements a trait of lists.
macro_rules! lists {
    ($($trait:ident: $method:ident;)*) => {$(
        impl $trait for List<'_> {
            type Ok = ();
            type Error = SerdeError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }

            fn end(self) -> Result<()> {
                self.finish()
            }
        }
    )*};
}

lists! {
    SerializeSeq: serialize_element;
    SerializeTuple: serialize_element;
    SerializeTupleStruct: serialize_field;
}

/// The features of a record.
pub(super) struct Fields<'d>(&'d mut Draft);

impl SerializeMap for Fields<'_> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        key.serialize(ValueSerializer { draft: self.0, level: Level::Feature })?;
        let name = match std::mem::take(&mut self.0.feature) {
            Feature::Bytes(mut names) if names.len() == 1 => {
                names.pop().and_then(|name| String::from_utf8(name).ok())
            }
            _ => None,
        };
        self.0.name = name.ok_or_else(|| invalid(NO_RECORD))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = std::mem::take(&mut self.0.name);
        self.0.put(&name, value)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

impl SerializeStruct for Fields<'_> {
    type Ok = ();
    type Error = SerdeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.0.put(name, value)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}
