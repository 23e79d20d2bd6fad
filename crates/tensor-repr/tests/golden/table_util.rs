//! Kind `table_util`: functions over batches.

use golden_cases::{Case, Failure, check};
use serde_json::Value;
use tensor_repr::Error;
use tensor_repr::table::{
    EnumerateOptions, FlatStructs, batch_byte_size, canonical_batch, column_at, column_at_with_rows,
    enumerate_columns, merge_batches, take_rows,
};

use super::values::{Arguments, Tagged};

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let function = case.inputs["function"].as_str().expect("a function");
    let ours = call(function, &Arguments::of(&case.inputs)).map_err(Failure::on_call);
    check(ours, expected, |ours, ok| ours.same(&Tagged::parse(ok)))
}

fn call(function: &str, args: &Arguments) -> Result<Tagged, Error> {
    let batch = || args.at(0).batch();
    Ok(match function {
        "MergeRecordBatches" => {
            let batches: Vec<_> = args.at(0).list().iter().map(|value| value.batch().clone()).collect();
            Tagged::Batch(merge_batches(&batches)?)
        }
        "RecordBatchTake" => Tagged::Batch(take_rows(batch(), args.at(1).array())?),
        "TotalByteSize" => Tagged::Int(i64::try_from(batch_byte_size(batch())?).unwrap()),
        "CanonicalizeRecordBatch" => Tagged::Batch(canonical_batch(batch())?),
        "enumerate_arrays" => {
            let options = EnumerateOptions::default()
                .leaves_only(args.flag(1, "enumerate_leaves_only", false))
                .flat_structs(flat_structs(args, 2));
            let pairs = enumerate_columns(batch(), options)?.into_iter();
            let pair = |(path, array)| Tagged::List(vec![Tagged::Path(path), Tagged::Array(array)]);
            Tagged::List(pairs.map(pair).collect())
        }
        "get_array" => {
            let path = args.get(1, "query_path").expect("a path").path();
            let flat = flat_structs(args, 3);
            if args.flag(2, "return_example_indices", false) {
                let (array, rows) = column_at_with_rows(batch(), path, flat)?;
                Tagged::List(vec![Tagged::Array(array), Tagged::Indices(rows.values().to_vec())])
            } else {
                Tagged::List(vec![Tagged::Array(column_at(batch(), path, flat)?), Tagged::None])
            }
        }
        other => panic!("the harness does not know the function {other}"),
    })
}

fn flat_structs(args: &Arguments, position: usize) -> FlatStructs {
    if args.flag(position, "wrap_flat_struct_in_list", true) {
        FlatStructs::InLists
    } else {
        FlatStructs::AsTheyAre
    }
}
