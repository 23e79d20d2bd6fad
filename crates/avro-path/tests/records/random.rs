//! Random schemas and data, and what their columns must hold.

use apache_avro::types::Value;
use avro_path::record::Layout;
use serde_json::{Map, Value as Json, json};

use crate::render;

/// Numbers that decide everything; without any left, the simplest is chosen.
pub struct Choices<'a>(pub std::slice::Iter<'a, u16>);

impl Choices<'_> {
    pub fn below(&mut self, most: usize) -> usize {
        self.0.next().map_or(0, |&choice| usize::from(choice) % most)
    }
}

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

const SYMBOLS: [&str; 3] = ["a", "bc", "d"];

pub fn random_type(choices: &mut Choices<'_>, names: &mut usize, depth: usize) -> Type {
    let kinds = if depth == 0 { 10 } else { 18 };
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
            other @ (Type::Null | Type::Union(_)) => other,
            other if choices.below(2) == 0 => Type::Union(vec![other, Type::Null]),
            other => Type::Union(vec![Type::Null, other]),
        },
        12 => {
            let record = random_record(choices, names, depth - 1);
            let inner = Type::Array(Box::new(random_type(choices, names, depth - 1)));
            match choices.below(3) {
                0 => Type::Union(vec![Type::Long, Type::String, record]),
                1 => Type::Union(vec![inner, Type::Null, record]),
                _ => Type::Union(vec![record]),
            }
        }
        13 => Type::Map(Box::new(random_type(choices, names, depth - 1))),
        14 | 15 => Type::Array(Box::new(random_type(choices, names, depth - 1))),
        _ => random_record(choices, names, depth - 1),
    }
}

pub fn random_record(choices: &mut Choices<'_>, names: &mut usize, depth: usize) -> Type {
    *names += 1;
    let name = *names;
    let fields = 1 + choices.below(4);
    Type::Record(name, (0..fields).map(|_| random_type(choices, names, depth)).collect())
}

pub fn field(at: usize) -> String {
    format!("f{at}")
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

fn branch_name(ty: &Type) -> String {
    match ty {
        Type::Record(name, _) => format!("r{name}"),
        Type::Array(_) => "array".to_owned(),
        other => schema(other).as_str().unwrap().to_owned(),
    }
}

pub fn random_value(choices: &mut Choices<'_>, ty: &Type) -> Value {
    match ty {
        Type::Null => Value::Null,
        Type::Boolean => Value::Boolean(choices.below(2) == 1),
        Type::Int => Value::Int([0, 1, -70, i32::MIN, i32::MAX, 12345][choices.below(6)]),
        Type::Long => {
            let shift = choices.below(64);
            let sign = if choices.below(2) == 0 { 1 } else { -1 };
            Value::Long((i64::MAX >> shift).wrapping_mul(sign))
        }
        Type::Float => Value::Float([0.0, 0.5, -1.25][choices.below(3)]),
        Type::Double => Value::Double([0.0, 0.5, -1.1][choices.below(3)]),
        Type::String => {
            let text = ["a", "", "grün", "sixteen letters.", "seventeen letters", "日本"][choices.below(6)];
            Value::String(text.repeat([1, 2, 9][choices.below(3)]))
        }
        Type::Bytes => Value::Bytes([&b"a"[..], b"", b"\xff\x00"][choices.below(3)].to_vec()),
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
            let count = [0, 1, 2, 3, 70][choices.below(5)];
            Value::Array((0..count).map(|_| random_value(choices, inner)).collect())
        }
        // One entry at most: a map's entries have no order.
        Type::Map(inner) => {
            let count = choices.below(2);
            let key = ["k", "", "schlüssel"][choices.below(3)].to_owned();
            Value::Map((0..count).map(|_| (key.clone(), random_value(choices, inner))).collect())
        }
        Type::Record(_, fields) => {
            let fields = fields.iter().enumerate();
            Value::Record(fields.map(|(at, ty)| (field(at), random_value(choices, ty))).collect())
        }
    }
}

/// What a field of a row must hold.
pub fn expected(ty: &Type, datum: &Value, layout: Layout, is_field: bool) -> Json {
    let is_list = matches!(ty, Type::Array(_) | Type::Map(_));
    let wrapped = |json: Json| match layout {
        Layout::Structured if is_field && !is_list => json!([json]),
        _ => json,
    };
    let below = |ty: &Type, datum: &Value| expected(ty, datum, layout, true);
    match (ty, datum) {
        (_, Value::Null) => Json::Null,
        (Type::Union(branches), Value::Union(number, datum)) => {
            let others = branches.iter().filter(|branch| !matches!(branch, Type::Null)).count();
            let branch = &branches[*number as usize];
            if others <= 1 || matches!(branch, Type::Null) {
                return expected(branch, datum, layout, is_field);
            }
            let fields = branches.iter().enumerate().filter(|(_, branch)| !matches!(branch, Type::Null));
            let fields = fields.map(|(at, branch)| {
                let value = if at == *number as usize { below(branch, datum) } else { Json::Null };
                (branch_name(branch), value)
            });
            wrapped(Json::Object(fields.collect::<Map<_, _>>()))
        }
        (_, Value::Boolean(value)) => wrapped(json!(value)),
        (_, Value::Int(value)) => wrapped(json!(value)),
        (_, Value::Long(value)) => wrapped(json!(value)),
        (_, Value::Float(value)) => wrapped(json!(value)),
        (_, Value::Double(value)) => wrapped(json!(value)),
        (_, Value::String(value) | Value::Enum(_, value)) => wrapped(json!(value)),
        (_, Value::Bytes(value) | Value::Fixed(_, value)) => wrapped(render::text(value)),
        (Type::Array(inner), Value::Array(items)) => {
            Json::Array(items.iter().map(|item| expected(inner, item, layout, false)).collect())
        }
        (Type::Map(inner), Value::Map(entries)) => {
            let entries = entries.iter().map(|(key, value)| {
                let key = if layout == Layout::Structured { json!([key]) } else { json!(key) };
                json!({"key": key, "value": below(inner, value)})
            });
            Json::Array(entries.collect())
        }
        (Type::Record(_, types), Value::Record(fields)) => {
            let fields = types.iter().zip(fields).map(|(ty, (name, datum))| (name.clone(), below(ty, datum)));
            wrapped(Json::Object(fields.collect::<Map<_, _>>()))
        }
        other => panic!("{other:?}"),
    }
}
