//! Every format is loaded like TFRecord: the same records give the same batches, in every order, on any number of threads and
//! hosts, and after every restore.
#![cfg(all(
    feature = "loader",
    feature = "avro",
    feature = "csv",
    feature = "ipc",
    feature = "jsonl",
    feature = "parquet",
    feature = "proto"
))]

mod absent;
mod empty_lists;
mod filters;
mod formats;
#[allow(dead_code, reason = "its main is not run here")]
#[path = "../../examples/own_format.rs"]
mod own_format;
mod single;
mod test_records;

use std::sync::Arc;

use tfxio::batch_loader::{Batch, LoaderBuilder};
use tfxio::prelude::*;
use tfxio::{BatchLoader, LoaderConfig, LoaderState};

/// Returns a configuration of these features, with `more` keys: batches of four, two epochs.
fn config(features: &[&str], more: &str) -> LoaderConfig {
    let features = features.iter().map(|name| format!(r#"{{"from_name": "{name}", "to_name": "{name}"}}"#));
    let text = format!(
        r#"{{"type": "independent", "dataset": null, "target_batch_size": 4, "epochs": 2, "seed": 5,
            "primary_features": [{}]{more}}}"#,
        features.collect::<Vec<_>>().join(", ")
    );
    LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}")).into_inner()
}

fn loader(dataset: &Arc<dyn Dataset>, config: &LoaderConfig) -> LoaderBuilder {
    dataset.loader(config.clone()).inputs(config.tensor_names())
}

/// A tensor whatever the width of its numbers: shape and values.
type Plain = (Vec<usize>, Vec<String>);

/// The tensors of a batch, in the order of their names.
fn plain(batch: &Batch) -> Vec<Plain> {
    let tensor = |(_, tensor): (_, &tensor_repr::DenseTensor)| {
        let values = tensor.values();
        let texts = if let Some(strings) = values.as_strings() {
            (0..values.len()).map(|at| format!("{:?}", strings.get(at).unwrap())).collect()
        } else if let Some(ints) = values.as_slice::<i64>() {
            ints.iter().map(ToString::to_string).collect()
        } else if let Some(ints) = values.as_slice::<i32>() {
            ints.iter().map(ToString::to_string).collect()
        } else if let Some(floats) = values.as_slice::<f32>() {
            floats.iter().map(ToString::to_string).collect()
        } else {
            values.as_slice::<f64>().unwrap().iter().map(ToString::to_string).collect()
        };
        (tensor.shape().to_vec(), texts)
    };
    batch.inputs().map(tensor).collect()
}

fn rest(loader: &mut BatchLoader) -> Vec<Vec<Plain>> {
    let mut all = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        all.push(plain(&batch));
    }
    all
}

/// Loads on one thread, on three, and from a state after every batch: all give what the first gives.
fn in_every_way(build: &dyn Fn() -> LoaderBuilder, what: &str) -> Vec<Vec<Plain>> {
    let all = rest(&mut build().threads(1).build().unwrap_or_else(|error| panic!("{what}: {error}")));
    assert_eq!(rest(&mut build().threads(3).build().unwrap()), all, "{what}, three threads");
    let mut loader = build().threads(1).build().unwrap();
    for stop in 0..=all.len() {
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        let mut restored = build().state(state).threads(2).build().unwrap();
        let next = restored.next_batch().unwrap_or_else(|error| panic!("{what}, after {stop}: {error}"));
        assert_eq!(next.as_ref().map(plain).as_ref(), all.get(stop), "{what}, after {stop}");
        assert_eq!(rest(&mut restored), all.get(stop + 1..).unwrap_or_default(), "{what}, after {stop}");
        loader.next_batch().unwrap();
    }
    all
}
