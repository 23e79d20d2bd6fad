//! Schemas of TensorFlow Metadata, as TFX keeps them, as schemas of features: what the option `schema` of records means.
//!
//! | in the schema | here |
//! | --- | --- |
//! | type `INT`, `FLOAT`, `BYTES` | `int64_list`, `float_list`, `bytes_list` |
//! | `shape` with fixed sizes | a fixed length: their product |
//! | `value_count` with `min` equal to `max` | a fixed length |
//! | no type, in a stage such as `PLANNED` | a feature without values, as `tfxio schema` writes one that never had any |
//! | `presence` | nothing: a schema describes the data it was made from, and the next record may lack the feature |
//! | a second feature of the same name | nothing: the first counts, as in TFX |
//!
//! A fixed length makes a difference only where `FixedSizeList` columns are asked for.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use example_codec::{ExampleSchema, FeatureField, FeatureKind, SequenceExampleSchema};
use tensor_repr::{ColumnPath, FeatureType, SchemaFeature, TfmdSchema};
use tfxio_core::{Error, ErrorKind, Position};

/// Returns the features of a TensorFlow Metadata schema, in its order.
///
/// ```
/// use tensor_repr::TfmdSchema;
/// use tfxio_format_tfrecord::example_codec::{ExampleDecoder, FeatureKind};
/// use tfxio_format_tfrecord::example_schema;
///
/// let schema = TfmdSchema::from_text(r#"feature { name: "age" type: INT }"#)?;
/// let features = example_schema(&schema)?;
/// assert_eq!(features.features()[0].kind, Some(FeatureKind::Int64));
/// let decoder = ExampleDecoder::builder().schema(features).build()?;
/// # let _ = decoder;
/// # Ok::<(), tfxio_format_tfrecord::tfxio_core::Error>(())
/// ```
///
/// # Errors
/// `Unsupported`, with the feature's name, for a feature of type `STRUCT`, or one in use without a type: a tf.Example
/// cannot hold the one, and the other could be anything.
pub fn example_schema(schema: &TfmdSchema) -> Result<ExampleSchema, Error> {
    if let Some(feature) = schema.features().find(is_struct) {
        let message = "the schema says STRUCT, which a tf.Example cannot hold; remove the feature from the schema, or \
                       read the records as tf.SequenceExamples";
        return Err(unsupported(feature, message));
    }
    ExampleSchema::new(specs(schema.features())?)
}

/// Returns the features of a TensorFlow Metadata schema of tf.SequenceExamples, in its order. Sequence features are the children of the
/// struct of the given name, in TFX `##SEQUENCE##`; all others are context features.
///
/// # Errors
/// `Unsupported`, with the feature's name, for a feature of type `STRUCT` of another name or in the struct, for one of
/// the struct's name that is not a struct, and for one in use without a type.
pub fn sequence_example_schema(schema: &TfmdSchema, column: &str) -> Result<SequenceExampleSchema, Error> {
    let (structs, context): (Vec<_>, Vec<_>) =
        schema.features().partition(|feature| feature.name() == column);
    let sequence = match structs.first() {
        None => Vec::new(),
        Some(feature) if is_struct(feature) => specs(feature.children())?,
        Some(feature) => {
            let message = "the feature has the name of the column of sequence features, and is not a STRUCT; give that \
                           column another name";
            return Err(unsupported(*feature, message));
        }
    };
    if let Some(feature) = context.iter().find(|feature| is_struct(feature)) {
        let message = format!(
            "the schema says STRUCT, and the column of sequence features is called {column:?}; name the column as the \
             schema does"
        );
        return Err(unsupported(*feature, &message));
    }
    let (context, sequence) =
        (ExampleSchema::new(specs(context.into_iter())?)?, ExampleSchema::new(sequence)?);
    Ok(SequenceExampleSchema::new(context, sequence))
}

/// Each feature once.
fn specs<'a>(features: impl Iterator<Item = SchemaFeature<'a>>) -> Result<Vec<FeatureField>, Error> {
    let mut specs = Vec::new();
    let mut names = HashSet::new();
    for feature in features {
        let kind = match feature.feature_type() {
            Some(FeatureType::Int) => FeatureKind::Int64,
            Some(FeatureType::Float) => FeatureKind::Float,
            Some(FeatureType::Bytes) => FeatureKind::Bytes,
            Some(FeatureType::Struct) => {
                let message = "the schema says STRUCT within the struct of sequence features, which no record can hold; \
                               remove the feature from the schema";
                return Err(unsupported(feature, message));
            }
            // No tensor is made of it, and its values, if it ever has any, have no type.
            None if !feature.is_used() => {
                if names.insert(feature.name()) {
                    specs.push(FeatureField::null(feature.name()));
                }
                continue;
            }
            _ => {
                let message = "the schema does not say the feature's type; make it INT, FLOAT or BYTES";
                return Err(unsupported(feature, message));
            }
        };
        if names.insert(feature.name()) {
            let mut spec = FeatureField::new(feature.name(), kind);
            spec.fixed_len = feature.fixed_len();
            specs.push(spec);
        }
    }
    Ok(specs)
}

/// Returns features by the paths of their columns: paths of one step, paths into the struct of that name, and last all other paths.
pub(super) fn of_kinds(
    kinds: &BTreeMap<ColumnPath, FeatureKind>,
    column: Option<&Arc<str>>,
) -> (Vec<FeatureField>, Vec<FeatureField>, Vec<ColumnPath>) {
    let (mut columns, mut sequence, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (path, kind) in kinds {
        match path.steps() {
            [name] if Some(name) != column => columns.push(FeatureField::new(Arc::clone(name), *kind)),
            [first, name] if Some(first) == column => {
                sequence.push(FeatureField::new(Arc::clone(name), *kind));
            }
            _ => others.push(path.clone()),
        }
    }
    (columns, sequence, others)
}

/// Refuses paths that lead to no feature.
pub(super) fn refuse_paths(paths: &[ColumnPath], why: &str) -> Result<(), Error> {
    let Some(path) = paths.first() else { return Ok(()) };
    Err(Error::new(ErrorKind::InvalidArgument, format!("the path \"{path}\" leads to no feature: {why}")))
}

fn is_struct(feature: &SchemaFeature<'_>) -> bool {
    feature.feature_type() == Some(FeatureType::Struct)
}

fn unsupported(feature: SchemaFeature<'_>, message: &str) -> Error {
    let position = Position::new().column(feature.name());
    Error::new(ErrorKind::Unsupported, message).at(position)
}
