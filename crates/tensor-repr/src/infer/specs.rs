//! Representations in TensorFlow's terms: the feature specs that its parsers take.

use std::collections::{BTreeMap, HashMap};

use tfxio_core::DType;

use super::features::leaves;
use crate::kind::Locate as _;
use crate::proto::metadata::v0::FeatureType;
use crate::{
    ColumnPath, DefaultValue, Error, FeatureSpec, FixedLen, Kind, RaggedFeature, Representation, ScalarValue,
    SparseFeature, SpecDefault, TfmdSchema, VarLen,
};

/// The specs with which `tf.io.parse_example` makes the tensors of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ExampleSpecs {
    /// The specs by the name that the parser's result has. It is the name of the feature where there is one
    /// feature; the parser has no other field for it.
    pub specs: BTreeMap<String, FeatureSpec>,
    /// The name of the tensor for each such name.
    pub tensor_names: BTreeMap<String, String>,
}

/// The specs with which `tf.io.parse_sequence_example` makes the tensors of a schema, by tensor name.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SequenceExampleSpecs {
    /// Specs of context features.
    pub context: BTreeMap<String, FeatureSpec>,
    /// Specs of sequence features, which a schema has in a struct. Their keys are names in that struct.
    pub sequence: BTreeMap<String, FeatureSpec>,
}

impl Representation {
    /// Returns the feature spec of which TensorFlow's parsers make the same tensor, where the values are of this type.
    ///
    /// ```
    /// use tensor_repr::{ColumnPath, FeatureSpec, FeatureType, FixedLen, Representation};
    /// use tfxio_core::DType;
    ///
    /// let dense = Representation::from_json(r#"{"kind": "dense", "column": "age", "shape": [2]}"#)?;
    /// let spec = FixedLen::new(vec![Some(2)], DType::Int64).key(ColumnPath::from("age"));
    /// assert_eq!(dense.feature_spec(FeatureType::Int)?, FeatureSpec::FixedLen(spec));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the representation has no equivalent spec ([`Kind::NotExpressible`]): for structured tensors, values in a struct,
    /// and values of type `STRUCT`. If the default or the dtype is not of that type ([`Kind::TypeMismatch`]). If the path
    /// of a ragged tensor is empty ([`Kind::InvalidRepresentation`]).
    pub fn feature_spec(&self, feature_type: crate::FeatureType) -> Result<FeatureSpec, Error> {
        self.spec_of(feature_type.proto())
    }

    fn spec_of(&self, feature_type: FeatureType) -> Result<FeatureSpec, Error> {
        let dtype = match feature_type {
            FeatureType::Bytes => DType::String,
            FeatureType::Int => DType::Int64,
            FeatureType::Float => DType::Float32,
            FeatureType::TypeUnknown | FeatureType::Struct => {
                let name = feature_type.as_str_name();
                return Err(not_expressible(format!("no feature spec is for values of type {name}")));
            }
        };
        if let Some(stated) = self.dtype().filter(|stated| *stated != dtype) {
            return Err(mismatch(format!("the representation wants {stated}, the feature is {dtype}")));
        }
        Ok(match self {
            Self::Dense(dense) => FeatureSpec::FixedLen(FixedLen {
                key: Some(name_of(&dense.column)?),
                shape: dense.shape.clone(),
                dtype,
                default: dense
                    .default
                    .as_ref()
                    .map(|value| default(value, &dense.shape, dtype))
                    .transpose()?,
            }),
            Self::VarLenSparse(sparse) => {
                FeatureSpec::VarLen(VarLen { key: Some(name_of(&sparse.column)?), dtype, rank: sparse.rank })
            }
            Self::Sparse(sparse) => FeatureSpec::Sparse(SparseFeature {
                key: None,
                index_keys: sparse.index_columns.iter().map(name_of).collect::<Result<_, _>>()?,
                value_key: name_of(&sparse.value_column)?,
                dtype,
                size: sparse.dense_shape.clone(),
                already_sorted: sparse.already_sorted,
            }),
            Self::Ragged(ragged) => FeatureSpec::Ragged(RaggedFeature {
                value_key: Some(name_of(&ragged.column)?),
                dtype,
                partitions: ragged.partitions.clone(),
                row_splits: ragged.row_splits,
            }),
            Self::VarLenRagged(ragged) => FeatureSpec::Ragged(RaggedFeature {
                value_key: Some(name_of(&ragged.column)?),
                dtype,
                partitions: Vec::new(),
                row_splits: crate::RowSplitsDType::Int64,
            }),
            Self::Lengths(_) => {
                return Err(not_expressible("no feature spec of TensorFlow makes lengths alone"));
            }
            Self::Structured(_) => return Err(not_expressible("no feature spec makes a structured tensor")),
            Self::Sequence(_) => {
                return Err(not_expressible("no feature spec makes a sequence without padding"));
            }
            Self::Converted(_) => return Err(not_expressible("no feature spec reads raw bytes or casts")),
        })
    }
}

impl TfmdSchema {
    /// Returns the specs with which `tf.io.parse_example` makes the tensors of the schema: the tensors of the default
    /// group, and inferred ones for features that it does not use.
    ///
    /// # Errors
    ///
    /// If two tensors need one name, or one feature in ways that the parser does not take together, such as dense
    /// and ragged ([`Kind::NotExpressible`]). If one is made of a feature that the schema
    /// does not have ([`Kind::InvalidSchema`]), and as [`Representation::feature_spec`]; the error names
    /// the tensor.
    pub fn example_specs(&self) -> Result<ExampleSpecs, Error> {
        let types = types(self);
        let mut keys = Keys::default();
        let mut out = ExampleSpecs::default();
        for (tensor, representation) in self.representations(None)? {
            let spec = spec_of(&tensor, &representation, &types)?;
            let columns = representation.source_columns();
            let column = match columns.as_slice() {
                [column] => column.initial_step()?,
                _ => tensor.as_str(),
            };
            let name = match spec {
                // A name of its own, so that it can be no feature's.
                FeatureSpec::Sparse(_) | FeatureSpec::Ragged(_) => format!("_tfx_bsl_{tensor}_{column}"),
                _ => column.to_owned(),
            };
            if let Some(other) = out.tensor_names.get(&name) {
                let text = format!("feature \"{name}\" has a spec already, that of tensor \"{other}\"");
                return Err(not_expressible(text).in_tensor(&tensor));
            }
            keys.add(&name, &spec).map_err(|error| error.in_tensor(&tensor))?;
            out.specs.insert(name.clone(), spec);
            out.tensor_names.insert(name, tensor);
        }
        Ok(out)
    }

    /// Returns the specs with which `tf.io.parse_sequence_example` makes the tensors of the default group. A tensor of a
    /// feature in a struct is one of sequence features, and must be ragged.
    ///
    /// # Errors
    ///
    /// If the default group does not exist ([`Kind::InvalidArgument`]), a tensor is made of a feature that the schema does
    /// not have ([`Kind::InvalidSchema`]) or of one in more than one struct ([`Kind::NotExpressible`]), and as
    /// [`Representation::feature_spec`]; the error names the tensor.
    pub fn sequence_example_specs(&self) -> Result<SequenceExampleSpecs, Error> {
        let types = types(self);
        let mut out = SequenceExampleSpecs::default();
        for (tensor, representation) in self.required_group("")? {
            let is_ragged =
                matches!(representation, Representation::Ragged(_) | Representation::VarLenRagged(_));
            let in_struct = representation.value_column().filter(|column| is_ragged && column.len() == 2);
            let inner = match in_struct {
                Some(column) => representation.clone().column(column.suffix(1)),
                None => representation.clone(),
            };
            let spec = type_of(&tensor, &representation, &types)
                .and_then(|feature_type| inner.spec_of(feature_type).map_err(|e| e.in_tensor(&tensor)))?;
            if in_struct.is_some() { &mut out.sequence } else { &mut out.context }.insert(tensor, spec);
        }
        Ok(out)
    }
}

/// The features that specs read, and as what. TensorFlow's parser reads each as one thing alone.
#[derive(Default)]
struct Keys(HashMap<String, &'static str>);

impl Keys {
    /// Adds what a spec of that name reads.
    fn add(&mut self, name: &str, spec: &FeatureSpec) -> Result<(), Error> {
        let kind = match spec {
            FeatureSpec::FixedLen(_) | FeatureSpec::FixedLenSequence(_) => "dense",
            FeatureSpec::VarLen(_) | FeatureSpec::Sparse(_) => "sparse",
            FeatureSpec::Lengths(_) => "lengths",
            FeatureSpec::Ragged(_) => "ragged",
        };
        for key in spec.keys(name).keys {
            let known = *self.0.entry(key.clone()).or_insert(kind);
            if known != kind {
                return Err(not_expressible(format!(
                    "feature \"{key}\" is read as {known} and as {kind}, and the parser takes one of them"
                )));
            }
        }
        Ok(())
    }
}

fn spec_of(
    tensor: &str,
    representation: &Representation,
    types: &HashMap<ColumnPath, FeatureType>,
) -> Result<FeatureSpec, Error> {
    let feature_type = type_of(tensor, representation, types)?;
    representation.spec_of(feature_type).map_err(|error| error.in_tensor(tensor))
}

fn types(schema: &TfmdSchema) -> HashMap<ColumnPath, FeatureType> {
    leaves(schema.proto()).into_iter().map(|leaf| (leaf.path, leaf.feature.r#type())).collect()
}

fn type_of(
    tensor: &str,
    representation: &Representation,
    types: &HashMap<ColumnPath, FeatureType>,
) -> Result<FeatureType, Error> {
    // A structured tensor is refused for what it is, whatever its type.
    let Some(column) = representation.value_column() else { return Ok(FeatureType::Bytes) };
    types.get(column).copied().ok_or_else(|| {
        let text = "the schema has no such feature, or it is a struct";
        Error::new(Kind::InvalidSchema, text).in_column(column).in_tensor(tensor)
    })
}

/// Returns the path of one step as which a spec names a feature.
fn name_of(column: &ColumnPath) -> Result<ColumnPath, Error> {
    match column.len() {
        1 => Ok(column.clone()),
        0 => Err(Error::new(Kind::InvalidRepresentation, "a column path has no steps")),
        _ => {
            Err(not_expressible("a feature spec names a feature, not a path into a struct").in_column(column))
        }
    }
}

fn default(value: &DefaultValue, shape: &[Option<usize>], dtype: DType) -> Result<SpecDefault, Error> {
    let fits = |scalar: &ScalarValue| {
        matches!(
            (scalar, dtype),
            (ScalarValue::Int(_), DType::Int64)
                | (ScalarValue::Float(_), DType::Float32)
                | (ScalarValue::Bytes(_), DType::String)
        )
    };
    let wrong = |scalar: &ScalarValue| mismatch(format!("the default {scalar:?} is not of dtype {dtype}"));
    match value {
        DefaultValue::Scalar(scalar) if fits(scalar) => Ok(SpecDefault::Scalar(scalar.clone())),
        DefaultValue::Scalar(scalar) => Err(wrong(scalar)),
        DefaultValue::Full(values) => {
            match values.iter().find(|scalar| !fits(scalar)) {
                Some(scalar) => Err(wrong(scalar)),
                None => Ok(SpecDefault::Full {
                    shape: shape.iter().copied().collect::<Option<_>>().ok_or_else(|| {
                        not_expressible("a default for each cell needs sizes that are known")
                    })?,
                    values: values.clone(),
                }),
            }
        }
    }
}

fn not_expressible(text: impl Into<String>) -> Error {
    Error::new(Kind::NotExpressible, text)
}

fn mismatch(text: String) -> Error {
    Error::new(Kind::TypeMismatch, text)
}
