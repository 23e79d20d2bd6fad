//! Schemas of TensorFlow Metadata, as TFX keeps them, as schemas of features.

mod file;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use example_codec::{ExampleSchema, FeatureKind, FeatureSpec, SequenceExampleSchema};
use tensor_repr::ColumnPath;
use tensor_repr::proto::metadata::v0::feature::DomainInfo;
use tensor_repr::proto::metadata::v0::{Feature, FeatureType, Schema, feature};
use tfxio_core::{Error, ErrorKind, Position};

pub use self::file::read;
pub(crate) use self::file::read_or_parse;

/// The features of a TensorFlow Metadata schema, in its order.
///
/// | in the schema | here |
/// | --- | --- |
/// | type `INT`, `FLOAT`, `BYTES` | `int64_list`, `float_list`, `bytes_list` |
/// | `shape` with fixed sizes | a fixed length: their product |
/// | `value_count` with `min` equal to `max` | a fixed length |
/// | no type, in a stage such as `PLANNED` | a feature without values, as `tfxio schema` writes one that never had any |
/// | `presence` | nothing: a schema describes the data it was made from, and the next record may lack the feature |
/// | a second feature of the same name | nothing: the first counts, as in TFX |
///
/// A fixed length makes a difference only where `FixedSizeList` columns are asked for.
///
/// ```
/// use tfxio_formats::example_codec::FeatureKind;
/// use tfxio_formats::schema::example_schema;
/// use tfxio_formats::tensor_repr::proto::metadata::v0::{Feature, FeatureType, Schema};
///
/// let label = Feature {
///     name: Some("label".to_owned()),
///     r#type: Some(FeatureType::Int.into()),
///     ..Feature::default()
/// };
/// let schema = example_schema(&Schema { feature: vec![label], ..Schema::default() })?;
/// assert_eq!(schema.feature("label").and_then(|feature| feature.kind), Some(FeatureKind::Int64));
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
///
/// # Errors
/// `Unsupported`, with the feature's name, for a feature of type `STRUCT`, or one in use without a type: a tf.Example
/// cannot hold the one, and the other could be anything.
pub fn example_schema(schema: &Schema) -> Result<ExampleSchema, Error> {
    if let Some(feature) = schema.feature.iter().find(|feature| feature.r#type() == FeatureType::Struct) {
        let message = "the schema says STRUCT, which a tf.Example cannot hold; remove the feature from the schema, or \
                       read the records as tf.SequenceExamples";
        return Err(unsupported(feature, message));
    }
    ExampleSchema::new(specs(&schema.feature)?)
}

/// The features of a TensorFlow Metadata schema of tf.SequenceExamples, in its order. Sequence features are those in the
/// struct of the given name, in TFX `##SEQUENCE##`; all others are context features.
///
/// ```
/// use tfxio_formats::schema::sequence_example_schema;
/// let schema = tfxio_formats::tensor_repr::Schema::from_text(
///     r###"feature { name: "user" type: INT }
///        feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "clicks" type: INT } } }"###,
/// )?;
/// let schema = sequence_example_schema(schema.proto(), "##SEQUENCE##")?;
/// assert_eq!(schema.context().features().len(), 1);
/// assert_eq!(schema.sequence().features().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `Unsupported`, with the feature's name, for a feature of type `STRUCT` of another name or in the struct, for one of
/// the struct's name that is none, and for one in use without a type.
pub fn sequence_example_schema(schema: &Schema, column: &str) -> Result<SequenceExampleSchema, Error> {
    let (structs, context): (Vec<_>, Vec<_>) =
        schema.feature.iter().cloned().partition(|feature| feature.name() == column);
    let sequence = match structs.first() {
        None => Vec::new(),
        Some(feature) if feature.r#type() == FeatureType::Struct => match &feature.domain_info {
            Some(DomainInfo::StructDomain(domain)) => specs(&domain.feature)?,
            _ => Vec::new(),
        },
        Some(feature) => {
            let message = "the feature has the name of the column of sequence features, and is no STRUCT; give that \
                           column another name";
            return Err(unsupported(feature, message));
        }
    };
    if let Some(feature) = context.iter().find(|feature| feature.r#type() == FeatureType::Struct) {
        let message = format!(
            "the schema says STRUCT, and the column of sequence features is called {column:?}; name the column as the \
             schema does"
        );
        return Err(unsupported(feature, &message));
    }
    let (context, sequence) = (ExampleSchema::new(specs(&context)?)?, ExampleSchema::new(sequence)?);
    Ok(SequenceExampleSchema::new(context, sequence))
}

/// Each feature once.
fn specs(features: &[Feature]) -> Result<Vec<FeatureSpec>, Error> {
    let mut specs = Vec::with_capacity(features.len());
    let mut names = HashSet::new();
    for feature in features {
        let kind = match feature.r#type() {
            FeatureType::Int => FeatureKind::Int64,
            FeatureType::Float => FeatureKind::Float,
            FeatureType::Bytes => FeatureKind::Bytes,
            FeatureType::Struct => {
                let message = "the schema says STRUCT within the struct of sequence features, which no record can hold; \
                               remove the feature from the schema";
                return Err(unsupported(feature, message));
            }
            // No tensor is made of it, and its values, if it ever has any, have no type.
            FeatureType::TypeUnknown if !feature.is_used() => {
                if names.insert(feature.name()) {
                    specs.push(FeatureSpec::null(feature.name()));
                }
                continue;
            }
            FeatureType::TypeUnknown => {
                let message = "the schema does not say the feature's type; make it INT, FLOAT or BYTES";
                return Err(unsupported(feature, message));
            }
        };
        if names.insert(feature.name()) {
            specs.push(FeatureSpec {
                fixed_len: fixed_len(feature),
                ..FeatureSpec::new(feature.name(), kind)
            });
        }
    }
    Ok(specs)
}

/// Features by the paths of their columns: those of one step, and those in the struct of that name. What else there is
/// comes last.
pub(crate) fn of_kinds(
    kinds: &BTreeMap<ColumnPath, FeatureKind>,
    column: Option<&Arc<str>>,
) -> (Vec<FeatureSpec>, Vec<FeatureSpec>, Vec<ColumnPath>) {
    let (mut columns, mut sequence, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (path, kind) in kinds {
        match path.steps() {
            [name] if Some(name) != column => columns.push(FeatureSpec::new(Arc::clone(name), *kind)),
            [first, name] if Some(first) == column => {
                sequence.push(FeatureSpec::new(Arc::clone(name), *kind));
            }
            _ => others.push(path.clone()),
        }
    }
    (columns, sequence, others)
}

/// Refuses paths that lead to no feature.
pub(crate) fn refuse_paths(paths: &[ColumnPath], why: &str) -> Result<(), Error> {
    let Some(path) = paths.first() else { return Ok(()) };
    Err(Error::new(ErrorKind::InvalidArgument, format!("the path \"{path}\" leads to no feature: {why}")))
}

/// The number of values, where the schema fixes it to one that a column can have.
pub(crate) fn fixed_len(feature: &Feature) -> Option<u32> {
    let values = match feature.shape_type.as_ref()? {
        feature::ShapeType::Shape(shape) => {
            let mut sizes = shape.dim.iter().map(|dim| dim.size.filter(|size| *size > 0));
            sizes.try_fold(1i64, |product, size| product.checked_mul(size?))?
        }
        feature::ShapeType::ValueCount(count) => {
            let (min, max) = (count.min?, count.max?);
            if min != max {
                return None;
            }
            max
        }
        feature::ShapeType::ValueCounts(_) => return None,
    };
    u32::try_from(values).ok().filter(|values| *values > 0 && i32::try_from(*values).is_ok())
}

fn unsupported(feature: &Feature, message: &str) -> Error {
    let position = Position::new().column(feature.name());
    Error::new(ErrorKind::Unsupported, message).at(position)
}
