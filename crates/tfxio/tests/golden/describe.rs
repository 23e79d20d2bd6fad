//! Kind `tfxio_describe`: the columns and the representations of a data set.

use std::collections::BTreeMap;
use std::sync::Arc;

use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tfxio::prelude::*;
use tfxio::tensor_repr::Representation;

use super::dataset::{File, open};

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    #[cfg(feature = "parquet")]
    if case.inputs["format"] == "parquet" {
        return super::parquet::describe(&case.inputs, expected);
    }
    let file = File::new(&[]);
    let raw = case.inputs["raw_record_column_name"].as_str();
    let described = open(&case.inputs, &file, raw)
        .and_then(|dataset| Ok((Arc::clone(dataset.schema()), dataset.representations()?)));
    check(described.map_err(Failure::early), expected, |(columns, representations), ok| {
        if case.inputs["method"] == "ArrowSchema" {
            return equal(columns.fields(), arrow::schema(ok).fields());
        }
        equal(representations, &recorded(ok))
    })
}

/// The representations of a result.
pub(super) fn recorded(ok: &Value) -> BTreeMap<String, Representation> {
    let expected = ok["tensor_representations"].as_object().expect("representations").iter();
    let of = |value: &Value| Representation::from_proto(&base64(&value["b64"])).unwrap();
    expected.map(|(name, value)| (name.clone(), of(value))).collect()
}
