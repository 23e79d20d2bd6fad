//! Schemas of TensorFlow Metadata, as TFX keeps them.

use example_codec::{ExampleSchema, FeatureKind, FeatureSpec};
use prost::Message as _;
use tensor_repr::proto::metadata::v0::{Feature, FeatureType, Schema, feature};
use tfxio_core::{Error, ErrorKind, Position};

/// The features of a TensorFlow Metadata schema, in its order.
///
/// | in the schema | here |
/// | --- | --- |
/// | type `INT`, `FLOAT`, `BYTES` | `int64_list`, `float_list`, `bytes_list` |
/// | `shape` with fixed sizes | a fixed length: their product |
/// | `value_count` with `min` equal to `max` | a fixed length |
/// | `presence` | nothing: a schema describes the data it was made from, and the next record may lack the feature |
/// | a second feature of the same name | nothing: the first counts, as in TFX |
///
/// A fixed length makes a difference only where `FixedSizeList` columns are asked for.
///
/// ```
/// use tfxio::example_codec::FeatureKind;
/// use tfxio::schema::example_schema;
/// use tfxio::tensor_repr::proto::metadata::v0::{Feature, FeatureType, Schema};
///
/// let label = Feature {
///     name: Some("label".to_owned()),
///     r#type: Some(FeatureType::Int.into()),
///     ..Feature::default()
/// };
/// let schema = example_schema(&Schema { feature: vec![label], ..Schema::default() })?;
/// assert_eq!(schema.feature("label").and_then(|feature| feature.kind), Some(FeatureKind::Int64));
/// # Ok::<(), tfxio::Error>(())
/// ```
///
/// # Errors
/// `Unsupported`, with the feature's name, for a feature of type `STRUCT` or without a type: a tf.Example cannot hold
/// the one, and the other could be anything.
pub fn example_schema(schema: &Schema) -> Result<ExampleSchema, Error> {
    let mut specs: Vec<FeatureSpec> = Vec::with_capacity(schema.feature.len());
    let mut names = std::collections::HashSet::new();
    for feature in &schema.feature {
        let kind = match feature.r#type() {
            FeatureType::Int => FeatureKind::Int64,
            FeatureType::Float => FeatureKind::Float,
            FeatureType::Bytes => FeatureKind::Bytes,
            FeatureType::Struct => {
                let message = "the schema says STRUCT, which a tf.Example cannot hold; remove the feature from the schema";
                return Err(unsupported(feature, message));
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
    Ok(ExampleSchema::new(specs)?)
}

/// As [`example_schema`], from the bytes of a serialised `tensorflow.metadata.v0.Schema`.
///
/// # Errors
/// `Malformed` for bytes that are no such message, and as [`example_schema`].
pub fn example_schema_from_bytes(bytes: &[u8]) -> Result<ExampleSchema, Error> {
    let schema = Schema::decode(bytes).map_err(|error| {
        let message = "the schema cannot be read: it is not a serialised tensorflow.metadata.v0.Schema";
        Error::new(ErrorKind::Malformed, message).because(error)
    })?;
    example_schema(&schema)
}

/// The number of values, where the schema fixes it to one that a column can have.
fn fixed_len(feature: &Feature) -> Option<u32> {
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
    let position = Position { column: Some(feature.name().into()), ..Position::default() };
    Error::new(ErrorKind::Unsupported, message).at(position)
}
