//! Data sets in object stores: the same rows as from files, through failures, within bounds. Nothing here needs a network.
#![cfg(all(feature = "example", feature = "object-store"))]

mod errors;
mod flaky;
mod loader;
mod reading;
#[cfg(all(feature = "csv", feature = "jsonl"))]
mod text;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tfxio::Result;
use tfxio::prelude::*;
use tfxio::store::{Retry, Stores, object_store::ObjectStore};
use tfxio::tfrecord_io::frame;

/// Returns options under which `memory://here/` leads to the store, and failing requests are soon sent again.
fn opener(store: Arc<dyn ObjectStore>) -> OpenOptions {
    OpenOptions::new().stores(stores(store))
}

/// Opens raw records.
fn raw(name: &str, options: OpenOptions) -> Arc<dyn Dataset> {
    options.format("raw").open(name).unwrap()
}

fn stores(store: Arc<dyn ObjectStore>) -> Stores {
    let retry =
        Retry::default().first_pause(Duration::from_micros(10)).longest_pause(Duration::from_micros(100));
    Stores::default().store("memory://here", store).retry(retry)
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

/// The three shards of the digits in a folder of the fixtures, under the same names.
fn digits(folder: &str) -> Vec<(&'static str, Vec<u8>)> {
    const NAMES: [&str; 3] = [
        "data/digits-00000-of-00003.tfrecord",
        "data/digits-00001-of-00003.tfrecord",
        "data/digits-00002-of-00003.tfrecord",
    ];
    NAMES.into_iter().map(|name| (name, bytes_of(&name.replace("data", folder)))).collect()
}

/// A file of raw records that is longer than what is read ahead of a look.
fn long_file(records: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for i in 0..records {
        let payload: Vec<u8> = (0..(i * 37) % 3000).map(|j| (i * 7 + j) as u8).collect();
        frame::append(&mut file, &payload);
    }
    file
}

fn rows(dataset: &Arc<dyn Dataset>) -> usize {
    let batches = dataset.read(ScanRequest::new()).unwrap();
    batches.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<usize>>().unwrap()
}
