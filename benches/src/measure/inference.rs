//! The schema that the peers are given, from the data: names and kinds.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Fields};
use example_codec::{
    ExampleDecoder, ExampleSchema, FeatureKind, FeatureSpec, SequenceExampleDecoder, SequenceExampleSchema,
    UnknownFeatures,
};
use tfxio_core::{Origin, RecordDecoder};

/// Names and what is known of their kinds.
type Kinds = BTreeMap<Arc<str>, Option<FeatureKind>>;

/// Records of a batch while inferring: many, because each batch costs the more the more features there are.
const BATCH: usize = 4096;

/// The schema of these records: every feature's name and kind.
///
/// # Errors
/// A record is no tf.Example, or a feature has more than one kind.
pub fn schema<'a>(records: impl Iterator<Item = &'a [u8]>) -> Result<ExampleSchema> {
    let mut kinds = Kinds::new();
    each_batch(ExampleDecoder::builder().build()?, records, |batch| {
        merge(&mut kinds, batch.schema_ref().fields())
    })?;
    example_schema(kinds)
}

/// The schema of these SequenceExamples: every feature's name and kind, of the context and of the lists.
///
/// # Errors
/// A record is no tf.SequenceExample, or a feature has more than one kind.
pub fn sequence_schema<'a>(records: impl Iterator<Item = &'a [u8]>) -> Result<SequenceExampleSchema> {
    let (mut context, mut lists) = (Kinds::new(), Kinds::new());
    each_batch(SequenceExampleDecoder::builder().build()?, records, |batch| {
        for field in batch.schema_ref().fields() {
            match field.data_type() {
                DataType::Struct(fields) => merge(&mut lists, &steps(fields)?)?,
                _ => merge(&mut context, &Fields::from(vec![field.clone()]))?,
            }
        }
        Ok(())
    })?;
    Ok(SequenceExampleSchema::new(example_schema(context)?, example_schema(lists)?))
}

fn each_batch<'a>(
    mut decoder: impl RecordDecoder,
    records: impl Iterator<Item = &'a [u8]>,
    mut look: impl FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    for (index, record) in records.enumerate() {
        decoder.push(record, Origin::record(index as u64))?;
        if decoder.rows() == BATCH {
            look(&decoder.flush()?)?;
        }
    }
    look(&decoder.flush()?)
}

fn example_schema(kinds: Kinds) -> Result<ExampleSchema> {
    let features = kinds.into_iter().map(|(name, kind)| match kind {
        Some(kind) => FeatureSpec::new(name, kind),
        None => FeatureSpec::null(name),
    });
    Ok(ExampleSchema::new(features)?)
}

/// The fields of the struct column as columns of steps.
fn steps(lists: &Fields) -> Result<Fields> {
    let step = |list: &Arc<Field>| match list.data_type() {
        DataType::LargeList(step) => Ok(Field::new(list.name(), step.data_type().clone(), true)),
        other => bail!("a decoder without a schema made a sequence feature of type {other}"),
    };
    lists.iter().map(step).collect()
}

/// A decoder for this schema, to which the same applies as to the other.
pub(super) fn sequence_decoder(schema: &SequenceExampleSchema) -> Result<SequenceExampleDecoder> {
    let builder = SequenceExampleDecoder::builder().schema(schema.clone());
    Ok(builder.unknown_features(UnknownFeatures::Refuse).build()?)
}

/// A decoder for this schema that reads these columns, or all. A feature that the schema does not have is
/// an error, so that a schema from the first records only cannot make decoding look faster than it is.
pub(super) fn decoder(schema: &ExampleSchema, columns: Option<&[String]>) -> Result<ExampleDecoder> {
    let mut builder =
        ExampleDecoder::builder().schema(schema.clone()).unknown_features(UnknownFeatures::Refuse);
    if let Some(columns) = columns {
        builder = builder.projection(columns.iter().map(String::as_str));
    }
    Ok(builder.build()?)
}

fn merge(kinds: &mut Kinds, fields: &Fields) -> Result<()> {
    for field in fields {
        let kind = kind(field.data_type())?;
        let known = kinds.entry(Arc::from(field.name().as_str())).or_default();
        match (*known, kind) {
            (Some(before), Some(now)) if before != now => {
                bail!("the feature {:?} is {before} in some records and {now} in others", field.name());
            }
            (None, Some(now)) => *known = Some(now),
            _ => {}
        }
    }
    Ok(())
}

fn kind(column: &DataType) -> Result<Option<FeatureKind>> {
    Ok(match column {
        DataType::Null => None,
        DataType::LargeList(item) => match item.data_type() {
            DataType::Int64 => Some(FeatureKind::Int64),
            DataType::Float32 => Some(FeatureKind::Float),
            DataType::LargeBinary => Some(FeatureKind::Bytes),
            other => bail!("a decoder without a schema made a column of lists of {other}"),
        },
        other => bail!("a decoder without a schema made a column of {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY_A: &[u8] = b"\x0a\x07\x0a\x05\x0a\x01a\x12\x00";
    const INT_A: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
    const BYTES_B: &[u8] = b"\x0a\x0c\x0a\x0a\x0a\x01b\x12\x05\x0a\x03\x0a\x01x";

    #[test]
    fn kinds_come_from_whichever_batch_knows_them() {
        let early = [EMPTY_A; BATCH];
        let all = schema(early.into_iter().chain([INT_A, BYTES_B])).unwrap();
        let found: Vec<_> = all.features().iter().map(|feature| (&*feature.name, feature.kind)).collect();
        assert_eq!(found, [("a", Some(FeatureKind::Int64)), ("b", Some(FeatureKind::Bytes))]);
        let none = schema([EMPTY_A].into_iter()).unwrap();
        assert_eq!(none.features().iter().map(|feature| feature.kind).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn a_feature_that_the_sample_did_not_have_is_an_error() {
        let schema = schema([INT_A].into_iter()).unwrap();
        let mut all = decoder(&schema, None).unwrap();
        assert!(all.push(BYTES_B, Origin::record(0)).is_err());
        assert!(decoder(&schema, Some(&["c".to_owned()])).is_err());
    }
}
