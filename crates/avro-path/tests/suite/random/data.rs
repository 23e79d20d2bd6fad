//! Random schemas and data of them.

use apache_avro::types::Value;
use serde_json::{Value as Json, json};

use crate::random::choices::Choices;

#[derive(Clone, Debug)]
pub enum Type {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    String,
    Bytes,
    Enum(usize),
    Fixed(usize),
    Union(Vec<Type>),
    Array(Box<Type>),
    Map(Box<Type>),
    Record(usize, Vec<Type>),
}

const SYMBOLS: [&str; 3] = ["a", "b", "cd"];

pub fn random_type(choices: &mut Choices<'_>, names: &mut usize, depth: usize) -> Type {
    let kinds = if depth == 0 { 10 } else { 25 };
    let mut named = || {
        *names += 1;
        *names
    };
    match choices.below(kinds) {
        0 => Type::Long,
        1 => Type::Int,
        2 => Type::Boolean,
        3 => Type::Float,
        4 => Type::Double,
        5 => Type::String,
        6 => Type::Bytes,
        7 => Type::Enum(named()),
        8 => Type::Fixed(named()),
        9 => Type::Null,
        10 | 11 => match random_type(choices, names, depth - 1) {
            Type::Null if choices.below(2) == 1 => Type::Union(vec![Type::Null]),
            other @ (Type::Null | Type::Union(_)) => other,
            other if choices.below(2) == 0 => Type::Union(vec![other, Type::Null]),
            other => Type::Union(vec![Type::Null, other]),
        },
        12 => {
            let record = random_record(choices, names, depth - 1);
            let inner = Type::Array(Box::new(random_item(choices, names, depth - 1)));
            match choices.below(3) {
                0 => Type::Union(vec![Type::Long, Type::String, record]),
                1 => Type::Union(vec![inner, Type::Null, record]),
                _ => Type::Union(vec![record]),
            }
        }
        13 | 14 => Type::Map(Box::new(random_item(choices, names, depth - 1))),
        15..=20 => Type::Array(Box::new(random_item(choices, names, depth - 1))),
        _ => random_record(choices, names, depth - 1),
    }
}

/// Returns a random type for the items of arrays and maps. Often a record: only its fields can be tested by a filter.
pub fn random_item(choices: &mut Choices<'_>, names: &mut usize, depth: usize) -> Type {
    match choices.below(5) {
        0 | 1 => random_type(choices, names, depth),
        2 if choices.below(3) == 1 => {
            Type::Union(vec![Type::Long, Type::String, random_record(choices, names, depth)])
        }
        2 => Type::Union(vec![Type::Null, random_record(choices, names, depth)]),
        _ => random_record(choices, names, depth),
    }
}

pub fn random_record(choices: &mut Choices<'_>, names: &mut usize, depth: usize) -> Type {
    *names += 1;
    let name = *names;
    let fields = 1 + choices.below(4);
    Type::Record(name, (0..fields).map(|_| random_type(choices, names, depth)).collect())
}

/// Names of fields; some of them are words of other languages.
pub fn field(at: usize) -> String {
    match at {
        2 => "null".to_owned(),
        3 => "true".to_owned(),
        at => format!("f{at}"),
    }
}

pub fn schema(ty: &Type) -> Json {
    match ty {
        Type::Null => json!("null"),
        Type::Boolean => json!("boolean"),
        Type::Int => json!("int"),
        Type::Long => json!("long"),
        Type::Float => json!("float"),
        Type::Double => json!("double"),
        Type::String => json!("string"),
        Type::Bytes => json!("bytes"),
        Type::Enum(name) => json!({"type": "enum", "name": format!("e{name}"), "symbols": SYMBOLS}),
        Type::Fixed(name) => json!({"type": "fixed", "name": format!("f{name}"), "size": 3}),
        Type::Union(branches) => Json::Array(branches.iter().map(schema).collect()),
        Type::Array(inner) => json!({"type": "array", "items": schema(inner)}),
        Type::Map(inner) => json!({"type": "map", "values": schema(inner)}),
        Type::Record(name, fields) => {
            let fields = fields.iter().enumerate();
            let fields =
                fields.map(|(at, ty)| json!({"name": field(at), "type": schema(ty)})).collect::<Vec<_>>();
            json!({"type": "record", "name": format!("r{name}"), "fields": fields})
        }
    }
}

/// Returns the name of a branch of a union in columns and keys.
pub fn branch_name(ty: &Type) -> String {
    match ty {
        Type::Record(name, _) => format!("r{name}"),
        Type::Array(_) => "array".to_owned(),
        other => schema(other).as_str().unwrap().to_owned(),
    }
}

/// Returns a random value: a few values more often than others, so that some are equal.
pub fn random_value(choices: &mut Choices<'_>, ty: &Type) -> Value {
    match ty {
        Type::Null => Value::Null,
        Type::Boolean => Value::Boolean(choices.below(2) == 1),
        Type::Int => Value::Int([0, 1, -70, 0, 1, i32::MIN, i32::MAX, 12345][choices.below(8)]),
        Type::Long => match choices.below(4) {
            3 => Value::Long((i64::MAX >> choices.below(64)).wrapping_neg()),
            2 => Value::Long(i64::MAX >> choices.below(64)),
            _ => Value::Long([0, 1, -70][choices.below(3)]),
        },
        Type::Float => Value::Float([0.0, 0.5, -1.1][choices.below(3)]),
        Type::Double => Value::Double([0.0, 0.5, -1.1][choices.below(3)]),
        Type::String => match choices.below(3) {
            2 => {
                let text = ["a", "grün", "sixteen letters.", "seventeen letters", "日本"][choices.below(5)];
                Value::String(text.repeat([1, 2, 9][choices.below(3)]))
            }
            _ => Value::String(["a", "b", "", "grün"][choices.below(4)].to_owned()),
        },
        Type::Bytes => Value::Bytes([&b"a"[..], b"b", b"", b"\xff\x00"][choices.below(4)].to_vec()),
        Type::Enum(_) => {
            let symbol = choices.below(3);
            Value::Enum(symbol as u32, SYMBOLS[symbol].to_owned())
        }
        Type::Fixed(_) => Value::Fixed(3, [*b"abc", *b"\x00\xff\x80"][choices.below(2)].to_vec()),
        Type::Union(branches) => {
            let branch = choices.below(branches.len());
            Value::Union(branch as u32, Box::new(random_value(choices, &branches[branch])))
        }
        Type::Array(inner) => {
            let count = [0, 1, 2, 3, 1, 2, 3, 70][choices.below(8)];
            Value::Array((0..count).map(|_| random_value(choices, inner)).collect())
        }
        Type::Map(inner) => {
            let entries = (0..choices.below(4)).map(|_| {
                let key = ["k", "l", "m", "", "schlüssel"][choices.below(5)].to_owned();
                (key, random_value(choices, inner))
            });
            Value::Map(entries.collect())
        }
        Type::Record(_, fields) => {
            let fields = fields.iter().enumerate();
            Value::Record(fields.map(|(at, ty)| (field(at), random_value(choices, ty))).collect())
        }
    }
}
