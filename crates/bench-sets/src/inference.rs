//! Schemas of tf.Examples from their records: names and kinds, as peers are given them.

use anyhow::Result;
use example_codec::{
    ExampleDecoder, ExampleSchema, ExampleSchemaInference, FeatureField, FeatureKind, SequenceExampleDecoder,
    SequenceExampleSchema, SequenceExampleSchemaInference, UnknownFeatures,
};
use tfxio_core::Origin;

/// Returns the schema of these records: every feature's name and kind.
///
/// # Errors
/// A record is not a tf.Example, or a feature has more than one kind.
pub fn schema<'a>(records: impl Iterator<Item = &'a [u8]>) -> Result<ExampleSchema> {
    let mut inference = ExampleSchemaInference::default();
    for (record, number) in records.zip(0..) {
        inference.push(record, Origin::record(number))?;
    }
    of_kinds(inference.features().map(|feature| (feature.name, feature.kind)))
}

/// Returns the schema of these SequenceExamples: every feature's name and kind, of the context and of the lists.
///
/// # Errors
/// A record is not a tf.SequenceExample, or a feature has more than one kind.
pub fn sequence_schema<'a>(records: impl Iterator<Item = &'a [u8]>) -> Result<SequenceExampleSchema> {
    let mut inference = SequenceExampleSchemaInference::default();
    for (record, number) in records.zip(0..) {
        inference.push(record, Origin::record(number))?;
    }
    let context = of_kinds(inference.context_features().map(|feature| (feature.name, feature.kind)))?;
    let lists = of_kinds(inference.sequence_features().map(|feature| (feature.name, feature.kind)))?;
    Ok(SequenceExampleSchema::new(context, lists))
}

fn of_kinds<'a>(features: impl Iterator<Item = (&'a str, Option<FeatureKind>)>) -> Result<ExampleSchema> {
    Ok(ExampleSchema::new(features.map(|(name, kind)| match kind {
        Some(kind) => FeatureField::new(name, kind),
        None => FeatureField::null(name),
    }))?)
}

/// Returns a decoder for this schema, which refuses other features.
///
/// # Errors
/// The schema makes no decoder.
pub fn sequence_decoder(schema: &SequenceExampleSchema) -> Result<SequenceExampleDecoder> {
    let builder = SequenceExampleDecoder::builder().schema(schema.clone());
    Ok(builder.unknown_features(UnknownFeatures::Refuse).build()?)
}

/// Returns a decoder for this schema that reads these columns, or all. A feature that the schema does not have is
/// an error, so that a schema from the first records only cannot make decoding look faster than it is.
///
/// # Errors
/// The schema makes no decoder.
pub fn decoder(schema: &ExampleSchema, columns: Option<&[String]>) -> Result<ExampleDecoder> {
    let mut builder =
        ExampleDecoder::builder().schema(schema.clone()).unknown_features(UnknownFeatures::Refuse);
    if let Some(columns) = columns {
        builder = builder.projection(columns.iter().map(String::as_str));
    }
    Ok(builder.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY_A: &[u8] = b"\x0a\x07\x0a\x05\x0a\x01a\x12\x00";
    const INT_A: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
    const BYTES_A: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01x";
    const BYTES_B: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01b\x12\x05\x0a\x03\x0a\x01x";

    #[test]
    fn the_kind_comes_from_the_first_record_with_values() {
        let all = schema([EMPTY_A, INT_A, BYTES_B].into_iter()).unwrap();
        let found: Vec<_> = all.features().iter().map(|feature| (&*feature.name, feature.kind)).collect();
        assert_eq!(found, [("a", Some(FeatureKind::Int64)), ("b", Some(FeatureKind::Bytes))]);
        let none = schema([EMPTY_A].into_iter()).unwrap();
        assert_eq!(none.features().iter().map(|feature| feature.kind).collect::<Vec<_>>(), [None]);
        assert!(schema([INT_A, BYTES_A].into_iter()).is_err());
    }

    #[test]
    fn a_feature_that_the_sample_did_not_have_is_an_error() {
        let schema = schema([INT_A].into_iter()).unwrap();
        let mut all = decoder(&schema, None).unwrap();
        assert!(all.push(BYTES_B, Origin::record(0)).is_err());
        assert!(decoder(&schema, Some(&["c".to_owned()])).is_err());
    }
}
