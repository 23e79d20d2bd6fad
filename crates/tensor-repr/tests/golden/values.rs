//! The tagged values in which arguments and results of functions are written.

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use golden_cases::{arrow, equal};
use serde_json::Value;
use tensor_repr::ColumnPath;

/// A VALUE, as far as the functions of this crate take and give them.
#[derive(Debug)]
pub(super) enum Tagged {
    None,
    Bool(bool),
    Int(i64),
    Array(ArrayRef),
    Batch(RecordBatch),
    Type(DataType),
    Path(ColumnPath),
    /// An `ndarray` of one dimension. What has 32 or 64 bits there, always has 64 here.
    Indices(Vec<i64>),
    List(Vec<Self>),
}

impl Tagged {
    pub(super) fn parse(value: &Value) -> Self {
        let (tag, content) = value.as_object().and_then(|members| members.iter().next()).expect("a VALUE");
        match tag.as_str() {
            "none" => Self::None,
            "bool" => Self::Bool(content.as_bool().unwrap()),
            "int" => Self::Int(content.as_i64().unwrap()),
            "array" => Self::Array(arrow::array(content)),
            "record_batch" => Self::Batch(arrow::batch(content)),
            "arrow_type" => Self::Type(arrow::schema(content).field(0).data_type().clone()),
            "path" => {
                let steps = content.as_array().unwrap().iter().map(|step| step.as_str().unwrap().to_owned());
                Self::Path(ColumnPath::new(steps))
            }
            "ndarray" => {
                assert!(["int32", "int64"].contains(&content["dtype"].as_str().unwrap()));
                Self::Indices(
                    content["values"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect(),
                )
            }
            "list" => Self::List(content.as_array().unwrap().iter().map(Self::parse).collect()),
            other => panic!("a VALUE of tag {other}"),
        }
    }

    pub(super) fn same(&self, expected: &Self) -> Result<(), String> {
        match (self, expected) {
            (Self::None, Self::None) => Ok(()),
            (Self::Bool(ours), Self::Bool(expected)) => equal(ours, expected),
            (Self::Int(ours), Self::Int(expected)) => equal(ours, expected),
            (Self::Type(ours), Self::Type(expected)) => equal(&arrow::normal(ours), &arrow::normal(expected)),
            (Self::Path(ours), Self::Path(expected)) => equal(ours, expected),
            (Self::Indices(ours), Self::Indices(expected)) => equal(ours, expected),
            (Self::Array(ours), Self::Array(expected)) => arrow::same_array(ours, expected),
            (Self::Batch(ours), Self::Batch(expected)) => arrow::same_batch(ours, expected),
            (Self::List(ours), Self::List(expected)) if ours.len() == expected.len() => {
                ours.iter().zip(expected).try_for_each(|(ours, expected)| ours.same(expected))
            }
            _ => Err(format!("{self:?} instead of {expected:?}")),
        }
    }

    pub(super) fn array(&self) -> &ArrayRef {
        if let Self::Array(array) = self { array } else { panic!("{self:?} is no array") }
    }

    pub(super) fn batch(&self) -> &RecordBatch {
        if let Self::Batch(batch) = self { batch } else { panic!("{self:?} is no batch") }
    }

    pub(super) fn path(&self) -> &ColumnPath {
        if let Self::Path(path) = self { path } else { panic!("{self:?} is no path") }
    }

    pub(super) fn data_type(&self) -> &DataType {
        if let Self::Type(data_type) = self { data_type } else { panic!("{self:?} is no type") }
    }

    pub(super) fn list(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { panic!("{self:?} is no list") }
    }

    pub(super) fn count(&self) -> usize {
        if let Self::Int(count) = self {
            usize::try_from(*count).unwrap()
        } else {
            panic!("{self:?} is no int")
        }
    }
}

/// The arguments of a call: by place, or by name.
pub(super) struct Arguments {
    positions: Vec<Tagged>,
    names: Vec<(String, Tagged)>,
}

impl Arguments {
    pub(super) fn of(inputs: &Value) -> Self {
        let positions = inputs["args"].as_array().expect("args").iter().map(Tagged::parse).collect();
        let names = inputs["kwargs"].as_object().into_iter().flatten();
        let names = names.map(|(name, value)| (name.clone(), Tagged::parse(value))).collect();
        Self { positions, names }
    }

    /// Returns the argument at a position, or of a name if it is not there.
    pub(super) fn get(&self, position: usize, name: &str) -> Option<&Tagged> {
        let named = || self.names.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        self.positions.get(position).or_else(named)
    }

    pub(super) fn at(&self, position: usize) -> &Tagged {
        &self.positions[position]
    }

    /// Returns a flag, or `default` if it is not given.
    pub(super) fn flag(&self, position: usize, name: &str, default: bool) -> bool {
        match self.get(position, name) {
            Some(Tagged::Bool(flag)) => *flag,
            None => default,
            Some(other) => panic!("{other:?} is no flag"),
        }
    }
}
