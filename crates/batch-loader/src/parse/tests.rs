//! Records and batches of any source become the same columns; errors name their record.

mod batches;
mod records;

use std::sync::Arc;

use tfxio_core::{DType, Limits};

use super::{Parsed, RecordSource};
use crate::config::LoaderConfig;
use crate::item::Chunk;
use crate::manifest::{FeatureColumns, Manifest};
use crate::pipeline::Pipeline;

const CONTINUOUS: &str = r#""type": "continuous_sequence", "min_window": 2, "max_window": 2"#;
const INDEPENDENT: &str = r#""type": "independent""#;

/// A pipeline of all features of a manifest, under their own names.
fn pipeline(allow_var_len: bool, features: &str, loader: &str) -> Arc<Pipeline> {
    let text =
        format!(r#"{{"compression": null, "allow_var_len": {allow_var_len}, "features": [{features}]}}"#);
    let manifest = Manifest::from_json(&text).unwrap();
    let names = manifest.features.iter().map(|feature| (feature.name.clone(), feature.name.clone()));
    compile(&manifest, &names.collect::<Vec<_>>(), loader)
}

/// A pipeline of features and the names of their tensors.
fn compile(manifest: &Manifest, names: &[(Arc<str>, Arc<str>)], loader: &str) -> Arc<Pipeline> {
    let primary = names.iter().map(|(from, to)| format!(r#"{{"from_name": "{from}", "to_name": "{to}"}}"#));
    let text = format!(
        r#"{{{loader}, "dataset": {{"type": "dir", "args": {{"data_dir": "data"}}}}, "target_batch_size": 2,
            "drop_remainder": false, "epochs": 1, "num_read_buffer_bytes": 0, "num_prefetch": 1,
            "primary_features": [{}]}}"#,
        primary.collect::<Vec<_>>().join(", ")
    );
    let config = LoaderConfig::from_json(&text).unwrap();
    let inputs = names.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>();
    Arc::new(Pipeline::compile(manifest, &FeatureColumns::default(), &config, &inputs, &[]).unwrap())
}

/// A feature of a manifest.
fn feature(name: &str, dtype: DType, shape: &[usize], stored: &str, var_len: Option<bool>) -> String {
    let args = if stored.starts_with('{') {
        format!(r#""raw", "deserialize_args": {stored}"#)
    } else {
        format!("{stored:?}")
    };
    let var_len = var_len.map_or(String::new(), |on| format!(r#", "var_len": {on}"#));
    format!(
        r#"{{"name": "{name}", "dtype": "{dtype}", "shape": {shape:?}, "deserialize_type": {args}{var_len}}}"#
    )
}

/// Records number 10, 11, … of a file.
fn source(name: &Arc<str>, rows: usize) -> RecordSource<'_> {
    let records = (10..10 + rows as u64).collect::<Vec<_>>();
    let bytes = records.iter().map(|record| record * 100).collect();
    RecordSource { file: 3, name, records, bytes }
}

#[track_caller]
fn whole(Parsed { chunk, error, .. }: Parsed) -> Chunk {
    assert!(error.is_none(), "{error:?}");
    for column in &chunk.columns {
        assert_eq!(column.rows, chunk.rows());
        assert_eq!(column.cells(0..column.rows), 0..column.values.len());
    }
    chunk
}

/// The error, and the number of records before the one that it is about.
#[track_caller]
fn failed(Parsed { chunk, error, .. }: Parsed) -> (usize, String) {
    for column in &chunk.columns {
        assert_eq!(column.rows, chunk.rows());
        assert_eq!(column.cells(0..column.rows), 0..column.values.len());
    }
    (chunk.rows(), error.expect("something is wrong").to_string())
}

fn limits() -> Limits {
    Limits::default()
}
