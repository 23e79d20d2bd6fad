//! Kind `tfxio_describe`: the columns and the representations of a data set.

use arrow_ipc::reader::StreamReader;
use prost::Message as _;
use serde_json::Value;
use tfxio::tensor_repr::Representation;
use tfxio::tensor_repr::proto::metadata::v0::TensorRepresentation;
use tfxio::{Error, ExampleTfxIo, RawRecordTfxIo, SequenceExampleTfxIo, TensorTfxIo};

use super::cases::{Case, base64};
use super::dataset::{File, schema};

pub(super) fn run(case: &Case) -> Result<(), String> {
    let file = File::new(&[]);
    let described = open(&case.inputs, &file).and_then(|dataset| {
        let columns = dataset.arrow_schema()?;
        Ok((columns, dataset.tensor_representations()?))
    });
    let (columns, representations) = match (described, case.expected.get("ok"), case.expected.get("error")) {
        (Ok(described), Some(_), None) => described,
        (Err(_), None, Some(_)) => return Ok(()),
        (Ok(_), None, Some(error)) => return Err(format!("no error instead of {}", error["message"])),
        (Err(error), ..) => return Err(format!("error: {error}")),
        _ => return Err("the case expects neither a result nor an error".to_owned()),
    };
    let expected = &case.expected["ok"];
    if case.inputs["method"] == "ArrowSchema" {
        let stream = base64(&expected["ipc"]);
        let expected = StreamReader::try_new(stream.as_slice(), None).unwrap().schema();
        return if columns.fields() == expected.fields() {
            Ok(())
        } else {
            Err(format!("columns {columns} instead of {expected}"))
        };
    }
    let expected = expected["tensor_representations"].as_object().expect("representations");
    let expected = expected.iter().map(|(name, value)| {
        let message = TensorRepresentation::decode(base64(&value["b64"]).as_slice()).unwrap();
        (name.clone(), Representation::try_from(&message).unwrap())
    });
    let expected = expected.collect::<std::collections::BTreeMap<_, _>>();
    if representations == expected {
        Ok(())
    } else {
        Err(format!("{representations:?} instead of {expected:?}"))
    }
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
