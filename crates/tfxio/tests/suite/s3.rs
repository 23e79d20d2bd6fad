//! Data sets in a real S3-compatible server on this machine, reached through a proxy that makes requests fail. `cargo
//! xtask test --s3` builds the server; without it these tests report that they are skipped.
#![cfg(all(
    feature = "avro",
    feature = "cloud",
    feature = "csv",
    feature = "example",
    feature = "ipc",
    feature = "jsonl",
    feature = "parquet"
))]

mod cancel;
mod errors;
mod faults;
mod listing;
mod outputs;
mod planning;
mod requests;

use std::path::PathBuf;
use std::time::Duration;

use arrow_array::RecordBatch;
use s3_bed::{ACCESS_KEY, Proxy, SECRET_KEY, Server};
use tfxio::prelude::*;
use tfxio::store::{Retry, Stores};
use tfxio::tfrecord_io::frame;

/// A server and a proxy before it.
struct Bed {
    server: Server,
    proxy: Proxy,
}

impl Bed {
    fn start() -> Option<Self> {
        let server = Server::start()?;
        let proxy = Proxy::start(server.url());
        Some(Self { server, proxy })
    }

    /// Stores that reach the server through the proxy, with these keys, and soon send failing requests again.
    fn stores_with(&self, access_key: &str, secret_key: &str) -> Stores {
        let retry =
            Retry::default().first_pause(Duration::from_micros(10)).longest_pause(Duration::from_micros(100));
        Stores::default()
            .option("aws_endpoint", self.proxy.url())
            .option("aws_allow_http", "true")
            .option("aws_region", "us-east-1")
            .option("aws_access_key_id", access_key)
            .option("aws_secret_access_key", secret_key)
            .retry(retry)
    }

    fn stores(&self) -> Stores {
        self.stores_with(ACCESS_KEY, SECRET_KEY)
    }

    fn opener(&self) -> OpenOptions {
        OpenOptions::new().stores(self.stores())
    }
}

fn batches(options: &OpenOptions, name: &str) -> Vec<RecordBatch> {
    let dataset = options.open(name).unwrap();
    dataset.read(ScanRequest::new().batch_rows(97)).unwrap().map(Result::unwrap).collect()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// A TFRecord file of about this size, of records of many sizes.
fn records(bytes: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for i in 0usize.. {
        if file.len() >= bytes {
            break;
        }
        let payload: Vec<u8> = (0..(i * 37) % 3000).map(|j| (i * 7 + j) as u8).collect();
        frame::append(&mut file, &payload);
    }
    file
}
