//! Kind `tensor_representation_util`: representations of schemas.

use std::collections::BTreeMap;

use golden_cases::proto::metadata;
use golden_cases::{Case, Failure, base64, check, equal, equal_json};
use serde_json::{Map, Value, json};
use tensor_repr::{
    ColumnPath, Error, FeatureSpec, FeatureType, FixedLen, RaggedPartition, Representation, RowSplitsDType,
    ScalarValue, SpecDefault, TfmdSchema,
};

/// Answer of a function.
enum Answer {
    Representations(Option<BTreeMap<String, Representation>>),
    Schema(Box<TfmdSchema>),
    Json(Value),
}

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let function = case.inputs["function"].as_str().expect("a function");
    check(call(function, &case.inputs), expected, |ours, ok| match ours {
        Answer::Representations(ours) => equal(ours, &representations(&ok["tensor_representations"])),
        Answer::Schema(ours) => equal(&proto(ours), &proto(&schema(&ok["schema"]))),
        Answer::Json(ours) => equal_json(ours, ok),
    })
}

fn call(function: &str, inputs: &Value) -> Result<Answer, Failure> {
    let schema = || schema(&inputs["schema"]);
    let group = inputs["group_name"].as_str().unwrap_or_default();
    let all =
        |result: Result<_, Error>| result.map(Some).map(Answer::Representations).map_err(Failure::on_call);
    match function {
        "InferTensorRepresentationsFromSchema" => all(schema().infer_representations()),
        "InferTensorRepresentationsFromMixedSchema" => all(schema().infer_mixed_representations("")),
        "GetTensorRepresentationsFromSchema" => {
            schema().group(group).map(Answer::Representations).map_err(Failure::on_call)
        }
        "ValidateTensorRepresentationsInSchema" => {
            schema().validate_group(group).map_err(Failure::on_call)?;
            Ok(Answer::Json(json!({"valid": true})))
        }
        "ProjectTensorRepresentationsInSchema" => {
            let names = inputs["tensor_names"].as_array().expect("names").iter();
            let names = names.map(|name| name.as_str().expect("a name"));
            schema().project(names).map(Box::new).map(Answer::Schema).map_err(Failure::on_call)
        }
        _ => answer(function, inputs).map(Answer::Json).map_err(Failure::on_call),
    }
}

fn answer(function: &str, inputs: &Value) -> Result<Value, Error> {
    let representation = || representation(&inputs["tensor_representation"]);
    let steps = |path: &ColumnPath| path.steps().iter().map(AsRef::<str>::as_ref).collect::<Value>();
    Ok(match function {
        "GetSourceColumnsFromTensorRepresentation" => {
            json!({"paths": representation()?.source_columns().iter().map(steps).collect::<Value>()})
        }
        "GetSourceValueColumnFromTensorRepresentation" => {
            json!({"path": steps(representation()?.value_column().expect("a column"))})
        }
        "CreateTfExampleParserConfig" => {
            let name = inputs["feature_type"].as_str().expect("a type");
            let feature_type = match name {
                "BYTES" => FeatureType::Bytes,
                "INT" => FeatureType::Int,
                "FLOAT" => FeatureType::Float,
                _ => FeatureType::Struct,
            };
            json!({"feature": shown(&representation()?.feature_spec(feature_type)?)})
        }
        "CreateTfSequenceExampleParserConfig" => {
            let specs = schema(&inputs["schema"]).sequence_example_specs()?;
            json!({"context_features": all(&specs.context), "sequence_features": all(&specs.sequence)})
        }
        "TFExampleRecord._GetTfExampleParserConfig" => {
            if inputs["schema"].is_null() {
                // Without a schema there is nothing to ask: the case passes by the signature.
                return Err(TfmdSchema::from_text("no schema").expect_err("no schema"));
            }
            let specs = schema(&inputs["schema"]).example_specs()?;
            json!({
                "parser_config": all(&specs.specs),
                "feature_name_to_tensor_name": specs.tensor_names,
            })
        }
        other => panic!("the harness does not know the function {other}"),
    })
}

/// Returns the message of a schema.
fn proto(schema: &TfmdSchema) -> metadata::v0::Schema {
    golden_cases::proto::schema(schema.as_binary())
}

/// Reads the schema of a PROTO, whose two forms must mean the same to us.
fn schema(value: &Value) -> TfmdSchema {
    let schema = TfmdSchema::from_binary(base64(&value["b64"])).unwrap();
    let text = value["text"].as_str().expect("text");
    assert_eq!(proto(&TfmdSchema::from_text(text).unwrap()), proto(&schema));
    assert_eq!(schema.to_text(), text, "protobuf's own printer");
    schema
}

fn representation(value: &Value) -> Result<Representation, Error> {
    let ours = Representation::from_proto(&base64(&value["b64"]))?;
    assert_eq!(Representation::from_proto(&ours.to_proto()?).unwrap(), ours);
    Ok(ours)
}

fn representations(value: &Value) -> Option<BTreeMap<String, Representation>> {
    let members = value.as_object()?;
    Some(members.iter().map(|(name, value)| (name.clone(), representation(value).unwrap())).collect())
}

fn all(specs: &BTreeMap<String, FeatureSpec>) -> Value {
    Value::Object(specs.iter().map(|(name, spec)| (name.clone(), shown(spec))).collect::<Map<_, _>>())
}

/// Returns a PARSER.
fn shown(spec: &FeatureSpec) -> Value {
    let name = |path: &ColumnPath| path.to_string();
    match spec {
        FeatureSpec::FixedLen(fixed) => json!({
            "kind": "FixedLenFeature", "shape": fixed.shape, "dtype": fixed.dtype.name(), "default_value": default(fixed),
        }),
        FeatureSpec::VarLen(varlen) => json!({"kind": "VarLenFeature", "dtype": varlen.dtype.name()}),
        FeatureSpec::Sparse(sparse) => json!({
            "kind": "SparseFeature",
            "index_key": sparse.index_keys.iter().map(name).collect::<Value>(),
            "value_key": name(&sparse.value_key),
            "dtype": sparse.dtype.name(),
            "size": sparse.size.iter().map(|size| size.map_or(json!(-1), |size| json!(size))).collect::<Value>(),
            "already_sorted": sparse.already_sorted,
        }),
        FeatureSpec::Ragged(ragged) => json!({
            "kind": "RaggedFeature",
            "dtype": ragged.dtype.name(),
            "value_key": ragged.value_key.as_ref().map(name),
            "partitions": ragged.partitions.iter().map(partition).collect::<Value>(),
            "row_splits_dtype": if ragged.row_splits == RowSplitsDType::Int32 { "int32" } else { "int64" },
        }),
        other => panic!("no parser has {other:?}"),
    }
}

fn partition(partition: &RaggedPartition) -> Value {
    match partition {
        RaggedPartition::RowLengths(key) => json!({"kind": "RowLengths", "key": key.as_ref()}),
        RaggedPartition::UniformRowLength(length) => json!({"kind": "UniformRowLength", "length": length}),
        other => panic!("{other:?}"),
    }
}

/// Returns a value for each cell, as TensorFlow wants it.
fn default(fixed: &FixedLen) -> Value {
    let Some(SpecDefault::Scalar(scalar)) = &fixed.default else { return Value::Null };
    let value = match scalar {
        ScalarValue::Int(value) => json!(value),
        ScalarValue::Float(value) => json!(value),
        ScalarValue::Bytes(value) => json!(value.iter().map(|&byte| char::from(byte)).collect::<String>()),
        other => panic!("no parser has the default {other:?}"),
    };
    let cells = fixed.shape.iter().map(|size| size.expect("a size")).product();
    Value::Array(vec![value; cells])
}
