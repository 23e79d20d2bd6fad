//! Schemas of TensorFlow Metadata as schemas of features.
#![cfg(feature = "tensors")]
#![allow(clippy::unwrap_used, reason = "a test")]

use tfxio::ErrorKind;
use tfxio::example_codec::FeatureKind;
use tfxio::schema::example_schema;
use tfxio::tensor_repr::proto::metadata::v0::feature::{PresenceConstraints, ShapeType};
use tfxio::tensor_repr::proto::metadata::v0::fixed_shape::Dim;
use tfxio::tensor_repr::proto::metadata::v0::{
    Feature, FeaturePresence, FeatureType, FixedShape, Schema, ValueCount,
};

fn feature(name: &str, kind: FeatureType, shape: Option<ShapeType>) -> Feature {
    Feature {
        name: Some(name.to_owned()),
        r#type: Some(kind.into()),
        shape_type: shape,
        ..Feature::default()
    }
}

fn shape(sizes: &[Option<i64>]) -> Option<ShapeType> {
    let dim = sizes.iter().map(|size| Dim { size: *size, ..Dim::default() }).collect();
    Some(ShapeType::Shape(FixedShape { dim }))
}

fn count(min: i64, max: i64) -> Option<ShapeType> {
    Some(ShapeType::ValueCount(ValueCount { min: Some(min), max: Some(max) }))
}

fn fixed_len(shape: Option<ShapeType>) -> Option<u32> {
    let schema = Schema { feature: vec![feature("f", FeatureType::Float, shape)], ..Schema::default() };
    example_schema(&schema.into()).unwrap().feature("f").unwrap().fixed_len
}

#[test]
fn kinds_and_order() {
    let features = vec![
        feature("z", FeatureType::Int, None),
        feature("a", FeatureType::Float, None),
        feature("m", FeatureType::Bytes, None),
        feature("a", FeatureType::Bytes, None),
    ];
    let schema = example_schema(&Schema { feature: features, ..Schema::default() }.into()).unwrap();
    let features = schema.features().iter().map(|spec| (&*spec.name, spec.kind)).collect::<Vec<_>>();
    let expected =
        [("z", Some(FeatureKind::Int64)), ("a", Some(FeatureKind::Float)), ("m", Some(FeatureKind::Bytes))];
    assert_eq!(features, expected);
}

#[test]
fn fixed_lengths() {
    assert_eq!(fixed_len(None), None);
    assert_eq!(fixed_len(shape(&[])), Some(1));
    assert_eq!(fixed_len(shape(&[Some(8), Some(8)])), Some(64));
    assert_eq!(fixed_len(shape(&[Some(8), None])), None);
    assert_eq!(fixed_len(shape(&[Some(0)])), None);
    assert_eq!(fixed_len(shape(&[Some(i64::MAX), Some(2)])), None);
    assert_eq!(fixed_len(shape(&[Some(1 << 31)])), None);
    assert_eq!(fixed_len(shape(&[Some(-1)])), None);
    assert_eq!(fixed_len(count(3, 3)), Some(3));
    assert_eq!(fixed_len(count(1, 3)), None);
    assert_eq!(fixed_len(count(0, 0)), None);
}

#[test]
fn presence_does_not_make_a_feature_required() {
    let presence = FeaturePresence { min_fraction: Some(1.0), min_count: Some(1) };
    let presence_constraints = Some(PresenceConstraints::Presence(presence));
    let feature = Feature { presence_constraints, ..feature("f", FeatureType::Int, None) };
    let schema = example_schema(&Schema { feature: vec![feature], ..Schema::default() }.into()).unwrap();
    assert!(!schema.feature("f").unwrap().required);
}

#[test]
fn what_cannot_be_said_is_an_error_that_names_the_feature() {
    let error = |kind| {
        let schema = Schema { feature: vec![feature("f", kind, None)], ..Schema::default() };
        let error = example_schema(&schema.into()).unwrap_err();
        assert_eq!((error.kind(), error.position().column.as_deref()), (ErrorKind::Unsupported, Some("f")));
        error.to_string()
    };
    assert_eq!(
        error(FeatureType::Struct),
        "column \"f\": the schema says STRUCT, which a tf.Example cannot hold; remove the feature from the schema, or read \
         the records as tf.SequenceExamples"
    );
    assert_eq!(
        error(FeatureType::TypeUnknown),
        "column \"f\": the schema does not say the feature's type; make it INT, FLOAT or BYTES"
    );
}
