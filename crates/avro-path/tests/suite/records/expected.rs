//! Expected columns of random data.

use apache_avro::types::Value;
use avro_path::record::Layout;
use serde_json::{Map, Value as Json, json};

use crate::records::data::{Type, branch_name};
use crate::records::render;

/// Returns the expected value of a field of a row.
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
