//! Objects in a server on this machine, and the way to them.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use s3_bed::{ACCESS_KEY, Fault, Proxy, SECRET_KEY, Server};
use tfrecord_io::Compression;

use super::{Ran, Way};
use crate::repeated;
use bench_sets::sets;

/// The word with which a program starts itself as a reader.
pub const READER: &str = "reader";

/// Size of the bucket's contents.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of shards.
    pub shards: u64,
    /// Bytes of each, at least.
    pub shard_bytes: u64,
}

/// A server with shards of TFRecord data, and a proxy before it.
#[derive(Debug)]
pub struct Bed {
    proxy: Proxy,
    _server: Server,
    size: Size,
    bytes: u64,
    latency: Duration,
}

/// Traffic through the proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// All requests.
    pub requests: usize,
    /// Requests for bytes of objects.
    pub reads: usize,
    /// Bytes that they asked for.
    pub asked: u64,
}

impl Bed {
    /// Starts a server with shards of records of 0.7 kB; every answer through its proxy begins `latency` later. `None` where
    /// `TFXIO_S3_SERVER` does not name the program of the server.
    ///
    /// # Errors
    /// The objects cannot be written.
    pub fn start(size: Size, latency: Duration) -> Result<Option<Self>> {
        let Some(server) = Server::start() else { return Ok(None) };
        let set = sets::univalent(4000);
        let mut bytes = 0;
        for shard in 0..size.shards {
            let path = server.path(&format!("train-{shard:05}-of-{:05}", size.shards));
            bytes += repeated::write(&path, &set, Compression::None, size.shard_bytes)?;
        }
        let proxy = Proxy::start(server.url());
        Ok(Some(Self { proxy, _server: server, size, bytes, latency }))
    }

    /// Returns the bytes of all objects.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads in one way, in a process of its own.
    ///
    /// # Errors
    /// The reader fails.
    pub fn run(&self, way: Way) -> Result<(Ran, Traffic)> {
        let latency = self.latency;
        self.proxy.set_rule(move |_| Fault::Delay(latency));
        let program = std::env::current_exe().context("cannot tell where this program is")?;

        let mut command = Command::new(program);
        command.args([READER, way.name(), &self.size.shards.to_string()]);
        command.env("AWS_ENDPOINT", self.proxy.url()).env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ACCESS_KEY_ID", ACCESS_KEY).env("AWS_SECRET_ACCESS_KEY", SECRET_KEY);
        let output = command.env("AWS_REGION", "us-east-1").output().context("cannot start a reader")?;
        if !output.status.success() {
            bail!("{}: {}", way.name(), String::from_utf8_lossy(&output.stderr).trim());
        }
        let ran = serde_json::from_slice(&output.stdout).context("the reader wrote no figure")?;
        Ok((ran, self.traffic()))
    }

    fn traffic(&self) -> Traffic {
        let requests = self.proxy.requests();
        let ranges: Vec<_> = requests.iter().filter(|request| request.is_read()).collect();
        let asked = ranges.iter().filter_map(|read| read.range.clone()).map(|range| range.end - range.start);
        Traffic { requests: requests.len(), reads: ranges.len(), asked: asked.sum() }
    }
}
