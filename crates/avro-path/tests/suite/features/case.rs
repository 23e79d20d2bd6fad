//! One feature of some records, as text.

use std::collections::BTreeMap;

use avro_path::AvroSchema;
use avro_path::program::KeyOptions;
use serde_json::{Value, json};
use tensor_repr::FeatureSpec;

use crate::features::bind::Features;
use crate::features::{person, render};

/// Returns the schema of a record of these fields, each with the JSON of its type.
pub fn row(fields: &[(&str, Value)]) -> AvroSchema {
    let fields = fields.iter().map(|(name, ty)| json!({"name": name, "type": ty})).collect::<Vec<_>>();
    let schema = json!({"type": "record", "name": "row", "fields": fields}).to_string();
    AvroSchema::parse(&schema).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the schema of a record with one field `l`: arrays of the type, nested `depth` deep.
pub fn list(depth: usize, item: Value) -> AvroSchema {
    row(&[("l", (0..depth).fold(item, |items, _| json!({"type": "array", "items": items})))])
}

/// Records whose field `l` has these values.
pub fn of_l(values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| json!({"l": value})).collect()
}

/// Returns the tensor of a feature, as text, or the text of the error.
pub fn tensor(schema: &AvroSchema, records: &[Value], name: &str, spec: &Value) -> Result<String, String> {
    let mut texts = Vec::new();
    // The width of offsets changes nothing.
    for large in [true, false] {
        let spec = FeatureSpec::from_json(&spec.to_string()).map_err(|error| error.to_string());
        let made = spec.and_then(|spec| {
            let specs = BTreeMap::from([(name.to_owned(), spec)]);
            let options = KeyOptions::stored().large_offsets(large);
            let features = Features::new(schema, &specs, options).map_err(|error| error.to_string())?;
            let data = records.iter().map(|record| person::encode(schema, record)).collect::<Vec<_>>();
            let tensors = features.tensors(&data).map_err(|error| error.to_string())?;
            Ok(render::tensor(&tensors[0].1))
        });
        texts.push(made);
    }
    assert_eq!(texts[0].as_ref().ok(), texts[1].as_ref().ok());
    texts.remove(0)
}

#[track_caller]
pub fn check(schema: &AvroSchema, records: &[Value], name: &str, spec: Value, expected: &str) {
    assert_eq!(tensor(schema, records, name, &spec).as_deref(), Ok(expected), "{name} {spec}");
}

#[track_caller]
pub fn refused(schema: &AvroSchema, records: &[Value], name: &str, spec: Value, expected: &str) {
    assert_eq!(tensor(schema, records, name, &spec).unwrap_err(), expected, "{name} {spec}");
}
