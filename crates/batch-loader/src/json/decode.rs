//! Trees from any of serde's formats, without positions.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Data, Member, Place, Value};

impl From<Data> for Value {
    fn from(data: Data) -> Self {
        Self { place: Place::UNKNOWN, data }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Tree).map(Self::from)
    }
}

struct Tree;

/// Defines visits of scalars.
macro_rules! visits {
    ($($visit:ident($value:ident: $type:ty) => $data:expr,)*) => {
        $(fn $visit<E: Error>(self, $value: $type) -> Result<Data, E> {
            Ok($data)
        })*
    };
}

impl<'de> Visitor<'de> for Tree {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    visits! {
        visit_bool(value: bool) => Data::Bool(value),
        visit_i64(value: i64) => Data::Int(value.into()),
        visit_u64(value: u64) => Data::Int(value.into()),
        visit_i128(value: i128) => Data::Int(value),
        visit_f64(value: f64) => Data::Float(value),
        visit_str(value: &str) => Data::String(value.to_owned()),
    }

    fn visit_unit<E: Error>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element()? {
            out.push(item);
        }
        Ok(Data::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Data, A::Error> {
        let mut out: Vec<Member> = Vec::new();
        while let Some((name, value)) = members.next_entry::<String, Value>()? {
            if out.iter().any(|member| member.name == name) {
                return Err(A::Error::custom(format_args!("the key {name:?} occurs twice")));
            }
            out.push(Member { name, place: Place::UNKNOWN, value });
        }
        Ok(Data::Object(out))
    }
}
