//! Kind `merge_statistics`: shards of statistics, and the list that is made of them.

use golden_cases::{Case, base64, equal, proto};
use serde_json::Value;
use tfxio_stats::DatasetListAccumulator;

use super::check;

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let include = case.inputs["include_empty_placeholder"].as_bool().expect("a flag");
    let mut accumulator = DatasetListAccumulator::new().include_empty_placeholder(include);
    let mut shards = case.inputs["shards"].as_array().expect("shards").iter();
    let ours =
        shards.try_for_each(|shard| accumulator.merge(&base64(&shard["b64"]))).map(|()| accumulator.finish());
    check(ours, expected, |ours, ok| equal(&proto::statistics(ours), &proto::statistics(&base64(&ok["b64"]))))
}
