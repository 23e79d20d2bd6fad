//! Examples and their features as the readable JSON of the case files.

use std::collections::BTreeMap;

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use golden_cases::proto::tensorflow::Example;
use golden_cases::proto::tensorflow::feature::Kind;
use prost::Message as _;
use serde_json::{Map, Value, json};

use super::render;

/// Returns an encoded example as prost reads it.
pub(super) fn parsed(example: &[u8]) -> Value {
    let example = Example::decode(example).expect("the encoder writes tf.Example");
    let features = example.features.unwrap_or_default().feature;
    let features = features.into_iter().map(|(name, feature)| {
        let value = match feature.kind {
            None => json!({"kind": null}),
            Some(Kind::Int64List(list)) => json!({"kind": "int64_list", "values": list.value}),
            Some(Kind::FloatList(list)) => {
                json!({"kind": "float_list", "values": list.value.into_iter().map(render::float).collect::<Value>()})
            }
            Some(Kind::BytesList(list)) => {
                let values = list.value.iter().map(|bytes| render::latin1(bytes)).collect::<Value>();
                json!({"kind": "bytes_list", "values": values})
            }
        };
        (name, value)
    });
    Value::Object(features.collect::<Map<_, _>>())
}

/// Returns one example's features as arrays.
pub(super) fn arrays(features: &BTreeMap<String, Option<ArrayRef>>) -> Value {
    let features = features.iter().map(|(name, array)| {
        let value = array.as_ref().map_or(Value::Null, |array| {
            let dtype = match array.data_type() {
                DataType::Int64 => "int64",
                DataType::Float32 => "float32",
                DataType::LargeBinary => "string",
                other => panic!("an array of {other}"),
            };
            json!({"dtype": dtype, "shape": [array.len()], "values": render::values(array)})
        });
        (name.clone(), value)
    });
    Value::Object(features.collect::<Map<_, _>>())
}
