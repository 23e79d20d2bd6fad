//! Kind `raw_records_to_record_batch`: records in a column of bytes.

use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tfxio::raw_records_to_record_batch;

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let records = case.inputs["raw_records_b64"].as_array().expect("records").iter().map(base64);
    let column = case.inputs["column_name"].as_str().expect("a name");
    let ours = raw_records_to_record_batch(records, column).map_err(Failure::on_call);
    check(ours, expected, |ours, ok| {
        let expected = arrow::batch(ok);
        arrow::same_batch(ours, &expected)?;
        equal(ours.schema().fields(), expected.schema().fields())
    })
}
