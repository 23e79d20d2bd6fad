//! Kind `column_path`: paths to columns.

use golden_cases::proto::metadata::v0::tensor_representation::Kind;
use golden_cases::proto::metadata::v0::{self as tfmd, TensorRepresentation};
use golden_cases::{Case, Failure, base64, check, equal_json};
use prost::Message as _;
use serde_json::{Value, json};
use tensor_repr::{ColumnPath, Error, Representation, VarLenRaggedRepresentation};

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let inputs = &case.inputs;
    let path = path(&inputs["steps"]);
    let arguments = inputs["args"].as_array().expect("args");
    let ours = call(&path, inputs["op"].as_str().expect("an op"), arguments).map_err(Failure::on_call);
    check(ours, expected, |ours, ok| {
        let ok =
            if ok["proto"].is_null() { ok.clone() } else { json!({"proto": base64(&ok["proto"]["b64"])}) };
        equal_json(ours, &ok)
    })
}

/// Reads a list of steps, or a string for one step.
fn path(steps: &Value) -> ColumnPath {
    match steps.as_str() {
        Some(step) => step.into(),
        None => {
            let step = |step: &Value| step.as_str().expect("a step").to_owned();
            ColumnPath::new(steps.as_array().expect("steps").iter().map(step))
        }
    }
}

/// Returns the message of a path, as the representation of a column has it.
fn message(path: &ColumnPath) -> tfmd::Path {
    let ragged = VarLenRaggedRepresentation::default().column(path.clone());
    let bytes = Representation::from(ragged).to_proto().expect("a path");
    let Some(Kind::VarlenRaggedTensor(ragged)) =
        TensorRepresentation::decode(bytes.as_slice()).expect("ours").kind
    else {
        panic!("another kind of representation");
    };
    ragged.column.unwrap_or_default()
}

fn call(path: &ColumnPath, op: &str, arguments: &[Value]) -> Result<Value, Error> {
    let shown =
        |path: &ColumnPath| json!({"path": path.steps().iter().map(AsRef::as_ref).collect::<Vec<&str>>()});
    // A place as Python's slices have it: negative ones count from the end.
    let position = || {
        let position = arguments[0]["int"].as_i64().expect("an int");
        let end = i64::try_from(path.len()).unwrap();
        usize::try_from(if position < 0 { (end + position).max(0) } else { position }).unwrap()
    };
    let other = || self::path(&arguments[0]["path"]);
    Ok(match op {
        "steps" => {
            let steps = path.steps().iter().map(|step| json!({"str": step.as_ref()}));
            json!({"list": steps.collect::<Value>()})
        }
        "str" => json!({"str": path.to_string()}),
        "bool" => json!({"bool": !path.is_empty()}),
        "len" => json!({"int": path.len()}),
        "initial_step" => json!({"str": path.initial_step()?}),
        "parent" => shown(&path.parent()?),
        "child" => shown(&path.child(arguments[0]["str"].as_str().expect("a step"))),
        "prefix" => shown(&path.prefix(position())),
        "suffix" => shown(&path.suffix(position())),
        "lt" => json!({"bool": *path < other()}),
        "eq" => json!({"bool": *path == other()}),
        "to_proto" => json!({"proto": message(path).encode_to_vec()}),
        other => panic!("the harness does not know the op {other}"),
    })
}
