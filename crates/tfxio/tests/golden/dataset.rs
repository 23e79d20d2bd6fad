//! Kind `tfxio_dataset`: the tensors of a data set, batch by batch, as TensorFlow's own parsers make them.

use std::sync::Arc;

use golden_cases::{Case, Failure, base64, check};
use serde_json::Value;
use tfxio::Error;
use tfxio::prelude::*;
use tfxio::tensor_repr::NamedTensor;
use tfxio::tfrecord_io::FileWriter;

use super::tensors;

/// A TFRecord file in a folder of its own.
pub(super) struct File(tempfile::TempDir);

impl File {
    pub(super) fn new(records: &[Vec<u8>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = FileWriter::create(folder.path().join("a.tfrecord")).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
        Self(folder)
    }

    pub(super) fn name(&self) -> String {
        self.0.path().join("a.tfrecord").to_str().unwrap().to_owned()
    }
}

/// Opens a file of records with the schema of a case.
pub(super) fn open(inputs: &Value, file: &File, raw: Option<&str>) -> Result<Arc<dyn Dataset>, Error> {
    let format = match inputs["format"].as_str() {
        Some("raw_record") => {
            return OpenOptions::new().format("raw").set("column", raw.expect("a column"))?.open(file.name());
        }
        Some("tf_example") => "example",
        Some("tf_sequence_example") => "sequence_example",
        other => panic!("a data set of {other:?}"),
    };
    let schema = file.0.path().join("schema.pb");
    std::fs::write(&schema, base64(&inputs["schema"]["b64"])).unwrap();
    let mut options = OpenOptions::new().format(format).set("schema", schema.to_str().unwrap())?;
    if let Some(raw) = raw {
        options = options.set("raw_record_column", raw)?;
    }
    options.open(file.name())
}

/// TensorFlow makes a data set and reads it in one: an error of ours may come in either.
pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    check(read(&case.inputs).map_err(Failure::early), expected, |ours, ok| {
        same(ours, &case.inputs, ok["batches"].as_array().expect("batches"))
    })
}

fn read(inputs: &Value) -> Result<Vec<Vec<NamedTensor>>, Error> {
    let records = inputs["records"].as_array().expect("records").iter().map(|record| base64(&record["b64"]));
    let file = File::new(&records.collect::<Vec<_>>());
    let size = usize::try_from(inputs["batch_size"].as_u64().expect("a size")).unwrap();
    let dataset = open(inputs, &file, None)?;
    let batches = dataset.tensors(dataset.representations()?)?.read(ScanRequest::new().batch_rows(size))?;
    let mut batches = batches.map(|batch| Ok(batch?.into_tensors())).collect::<Result<Vec<_>, Error>>()?;
    if inputs["drop_final_batch"] == true {
        batches.retain(|batch| batch.iter().all(|(_, tensor)| tensor.rows() == size));
    }
    Ok(batches)
}

fn same(ours: &[Vec<NamedTensor>], inputs: &Value, expected: &[Value]) -> Result<(), String> {
    if ours.len() != expected.len() {
        return Err(format!("{} batches instead of {}", ours.len(), expected.len()));
    }
    for (ours, expected) in ours.iter().zip(expected) {
        // The label stands beside the features, without its name.
        let mut tensors = expected["features"].as_object().expect("features").clone();
        if let Some(label) = expected.get("label") {
            tensors.insert(inputs["label_key"].as_str().expect("a label").to_owned(), label.clone());
        }
        let names = ours.iter().map(|(name, _)| &**name).collect::<Vec<_>>();
        let mut known = tensors.keys().map(String::as_str).collect::<Vec<_>>();
        known.sort_unstable();
        if names != known {
            return Err(format!("tensors {names:?} instead of {known:?}"));
        }
        for (name, tensor) in ours {
            let expected = tensors::tensor(&tensors[&**name]).unwrap();
            if *tensor != expected {
                return Err(format!("{name} is {tensor:?} instead of {expected:?}"));
            }
        }
    }
    Ok(())
}
