//! Kind `tfxio_describe`: the columns and the representations of a data set.

use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tfxio::tensor_repr::Representation;
use tfxio::{Error, ExampleTfxIo, RawRecordTfxIo, SequenceExampleTfxIo, TensorTfxIo};

use super::dataset::{File, schema};

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let file = File::new(&[]);
    let described = open(&case.inputs, &file).and_then(|dataset| {
        let columns = dataset.arrow_schema()?;
        Ok((columns, dataset.tensor_representations()?))
    });
    check(described.map_err(Failure::early), expected, |(columns, representations), ok| {
        if case.inputs["method"] == "ArrowSchema" {
            return equal(columns.fields(), arrow::schema(ok).fields());
        }
        let expected = ok["tensor_representations"].as_object().expect("representations").iter();
        let expected = expected
            .map(|(name, value)| (name.clone(), Representation::from_proto(&base64(&value["b64"])).unwrap()));
        equal(representations, &expected.collect())
    })
}

fn open(inputs: &Value, file: &File) -> Result<Box<dyn TensorTfxIo>, Error> {
    let raw = inputs["raw_record_column_name"].as_str();
    Ok(match inputs["format"].as_str() {
        Some("raw_record") => {
            Box::new(RawRecordTfxIo::new([file.name()])?.with_column(raw.expect("a column")))
        }
        Some("tf_example") => {
            let builder = ExampleTfxIo::builder([file.name()]).metadata_schema(schema(inputs));
            let builder = match raw {
                Some(raw) => builder.raw_record_column(raw),
                None => builder,
            };
            Box::new(builder.build()?)
        }
        Some("tf_sequence_example") => {
            let builder = SequenceExampleTfxIo::builder([file.name()]).metadata_schema(schema(inputs));
            let builder = match raw {
                Some(raw) => builder.raw_record_column(raw),
                None => builder,
            };
            Box::new(builder.build()?)
        }
        other => panic!("a data set of {other:?}"),
    })
}
