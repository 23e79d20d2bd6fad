//! Kind `raw_records_to_record_batch`: records in a column of bytes.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use tfxio::raw_records_to_record_batch;

use super::cases::{Case, base64};

pub(super) fn run(case: &Case) -> Result<(), String> {
    let records = case.inputs["raw_records_b64"].as_array().expect("records").iter().map(base64);
    let column = case.inputs["column_name"].as_str().expect("a name");
    let ours = raw_records_to_record_batch(records, column);
    match (ours, case.expected.get("ok"), case.expected.get("error")) {
        (Ok(ours), Some(ok), None) => same(&ours, &batch(&base64(&ok["ipc"]))),
        (Err(_), None, Some(error)) if error["phase"] == "call" => Ok(()),
        (Ok(_), None, Some(error)) => Err(format!("no error instead of {}", error["message"])),
        (Err(error), ..) => Err(format!("error: {error}")),
        _ => Err("the case expects neither a result nor an error".to_owned()),
    }
}

fn batch(stream: &[u8]) -> RecordBatch {
    let mut reader = StreamReader::try_new(stream, None).unwrap();
    let batch = reader.next().expect("a batch").unwrap();
    assert!(reader.next().is_none(), "more than one batch");
    batch
}

/// Names, types, order, values and validity.
fn same(ours: &RecordBatch, expected: &RecordBatch) -> Result<(), String> {
    for column in ours.columns() {
        column.to_data().validate_full().map_err(|error| error.to_string())?;
    }
    let fields = |batch: &RecordBatch| {
        let schema = batch.schema();
        schema.fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect::<Vec<_>>()
    };
    if fields(ours) != fields(expected) {
        return Err(format!("columns {:?} instead of {:?}", fields(ours), fields(expected)));
    }
    let data = |batch: &RecordBatch| batch.columns().iter().map(|c| c.to_data()).collect::<Vec<_>>();
    if data(ours) == data(expected) { Ok(()) } else { Err(format!("{ours:?} instead of {expected:?}")) }
}
