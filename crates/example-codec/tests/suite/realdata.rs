//! Files that other programs wrote, against what TFX reads in them.
//!
//! Runs when `TFXIO_REALDATA_DIR` names a folder with a `MANIFEST.jsonl`, of which each line describes a
//! file: its records, the checksum of their payloads, and the columns that tfx-bsl decodes.

mod columns;
mod schema;

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use example_codec::{
    EncoderOptions, ExampleDecoder, ExampleDecoderBuilder, ExampleEncoder, SequenceExampleDecoder,
    SequenceExampleEncoder, SequenceExampleSchema, SequenceExampleSchemaInference,
};
use serde_json::Value;
use tfrecord_io::Reader;
use tfxio_core::{Origin, RecordDecoder};

#[test]
fn files_of_other_writers() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_REALDATA_DIR is not set");
        return;
    };
    let folder = PathBuf::from(folder);
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let (mut files, mut decoded, mut with_schema) = (0, 0, 0);
    for line in manifest.lines().filter(|line| !line.trim().is_empty()) {
        let entry: Value = serde_json::from_str(line).unwrap();
        if entry["format"] != "TFRecord" {
            continue;
        }
        let name = entry["file"].as_str().unwrap();
        let expected = &entry["expected"];
        let records = read(&folder.join(name));
        if !expected["must_fail"].is_null() {
            assert!(records.is_err(), "{name} was read, and must not be");
            continue;
        }
        let records = records.unwrap_or_else(|error| panic!("{name}: {error}"));
        check_records(name, &records, expected);
        files += 1;
        let schema = expected["decode_with_schema"]["schema"].as_str();
        let schema = schema.map(|file| schema::parse(&std::fs::read_to_string(folder.join(file)).unwrap()));
        let (batch, again) = match entry["payload"].as_str() {
            Some("tf.train.Example") => {
                let decoder = |builder: ExampleDecoderBuilder| builder.build().unwrap();
                let batch = decode(name, &records, decoder(ExampleDecoder::builder()));
                check_encoded(name, &batch);
                let with =
                    |schema: SequenceExampleSchema| ExampleDecoder::builder().schema(schema.into_parts().0);
                (batch, schema.map(|schema| decode(name, &records, decoder(with(schema)))))
            }
            Some("tf.train.SequenceExample") => {
                let builder = SequenceExampleDecoder::builder;
                let batch = decode(name, &records, builder().build().unwrap());
                check_encoded_sequence(name, &batch);
                check_inferred(&records, &batch);
                let with = |schema| builder().schema(schema).build().unwrap();
                (batch, schema.map(|schema| decode(name, &records, with(schema))))
            }
            _ => continue,
        };
        check_batch(name, &batch, &expected["decode"], &folder);
        decoded += 1;
        if let Some(batch) = again {
            check_batch(name, &batch, &expected["decode_with_schema"], &folder);
            with_schema += 1;
        }
    }
    println!("{files} files read, {decoded} decoded, {with_schema} of them with a schema too");
    assert!(decoded > 0, "the folder holds examples");
}

fn read(path: &Path) -> tfrecord_io::Result<Vec<Vec<u8>>> {
    let mut reader = Reader::open(path)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record.data.to_vec());
    }
    Ok(records)
}

fn check_records(name: &str, records: &[Vec<u8>], expected: &Value) {
    let mut crc = crc32fast::Hasher::new();
    records.iter().for_each(|record| crc.update(record));
    assert_eq!(expected["records"], records.len(), "{name}");
    assert_eq!(expected["total_bytes"], records.iter().map(Vec::len).sum::<usize>(), "{name}");
    assert_eq!(expected["crc32"], crc.finalize(), "{name}");
}

fn decode(name: &str, records: &[Vec<u8>], mut decoder: impl RecordDecoder) -> RecordBatch {
    for (index, record) in records.iter().enumerate() {
        decoder.push(record, Origin::new(name, 0, index as u64)).unwrap();
    }
    decoder.flush().unwrap()
}

fn check_batch(name: &str, batch: &RecordBatch, expected: &Value, folder: &Path) {
    assert_eq!(expected["rows"], batch.num_rows(), "{name}");
    let columns = expected["columns"].as_object().unwrap();
    assert_eq!(batch.num_columns(), columns.len(), "{name}");
    for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
        let ours = columns::summary(array);
        let theirs = &columns[field.name()];
        if let Some(data_type) = theirs.as_str() {
            assert_eq!(columns::type_name(array.data_type()), data_type, "{name}, column {}", field.name());
            continue;
        }
        for (key, value) in ours.as_object().unwrap() {
            assert_eq!(value, &theirs[key], "{name}, column {}: {key}", field.name());
        }
    }
    if let Some(stream) = expected["ipc_stream"].as_str() {
        let file = std::fs::File::open(folder.join(stream)).unwrap();
        let mut reader = StreamReader::try_new(file, None).unwrap();
        let theirs = reader.next().unwrap().unwrap();
        assert_eq!(batch.num_columns(), theirs.num_columns());
        for (index, field) in theirs.schema().fields().iter().enumerate() {
            assert_eq!(batch.schema().field(index).name(), field.name(), "{name}");
            assert_eq!(batch.column(index), theirs.column(index), "{name}, column {}", field.name());
        }
    }
}

/// Checks that the encoded batch decodes to the same batch.
fn check_encoded(name: &str, batch: &RecordBatch) {
    let encoder = ExampleEncoder::builder(&batch.schema()).build().unwrap();
    let records = encoder.encode_to_vec(batch).unwrap();
    assert_eq!(&decode(name, &records, ExampleDecoder::builder().build().unwrap()), batch, "{name}");
}

/// Does the same for sequence examples.
fn check_encoded_sequence(name: &str, batch: &RecordBatch) {
    let options = EncoderOptions::default();
    let encoder =
        SequenceExampleEncoder::builder(&batch.schema(), "##SEQUENCE##").options(options).build().unwrap();
    let records = encoder.encode_to_vec(batch).unwrap();
    assert_eq!(&decode(name, &records, SequenceExampleDecoder::builder().build().unwrap()), batch, "{name}");
}

/// Checks that the schema inferred from the records is the schema of the batch.
fn check_inferred(records: &[Vec<u8>], batch: &RecordBatch) {
    let mut inference = SequenceExampleSchemaInference::default();
    for (index, record) in records.iter().enumerate() {
        inference.push(record, Origin::record(index as u64)).unwrap();
    }
    let decoder = SequenceExampleDecoder::builder().schema(inference.finish()).build().unwrap();
    assert_eq!(decoder.schema().unwrap(), batch.schema());
}
