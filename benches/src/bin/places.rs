//! `places`: how fast objects are read over a network with latency, beside a loop of parallel requests for the same bytes.
//!
//! Starts the S3-compatible server of the tests (`TFXIO_S3_SERVER`) and a proxy that delays every answer, puts 1 GB of
//! TFRecord data in shards there, and reads them in each way by turns, each in a process of its own. Prints a line of JSON for
//! each way; fails where the records are read at less than `--least` of the speed of the loop, in the median turn.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use benches::places::{Bed, Ran, Size, Traffic, Way};
use clap::Parser;
use serde_json::json;

/// Measures reading over a network with latency.
#[derive(Debug, Parser)]
struct Arguments {
    /// Number of objects
    #[arg(long, default_value = "16")]
    shards: u64,
    /// Size of each in 10^6 bytes
    #[arg(long, default_value = "64")]
    shard_mb: u64,
    /// Delay of answers
    #[arg(long, default_value = "64")]
    latency_ms: u64,
    /// Number of runs of each way
    #[arg(long, default_value = "3")]
    turns: usize,
    /// The ways
    #[arg(long, value_delimiter = ',', default_value = "loop,scan,decode,small")]
    ways: Vec<String>,
    /// The least quotient of the speeds of `scan` and `loop`
    #[arg(long, default_value = "0")]
    least: f64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let result = match words.get(1..) {
        Some([word, way, shards]) if word == benches::places::READER => reader(way, shards),
        _ => measure(&Arguments::parse()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("places: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn reader(way: &str, shards: &str) -> Result<()> {
    println!("{}", serde_json::to_string(&Way::parse(way)?.run(shards.parse()?)?)?);
    Ok(())
}

fn measure(arguments: &Arguments) -> Result<()> {
    let size = Size { shards: arguments.shards, shard_bytes: arguments.shard_mb * 1_000_000 };
    let ways = arguments.ways.iter().map(|name| Way::parse(name)).collect::<Result<Vec<_>>>()?;
    let Some(bed) = Bed::start(size, Duration::from_millis(arguments.latency_ms))? else {
        bail!("TFXIO_S3_SERVER does not name the server (CONTRIBUTING.md says how it is built)");
    };
    let mut turns = vec![Vec::new(); ways.len()];
    for _ in 0..arguments.turns.max(1) {
        for (way, ran) in ways.iter().zip(&mut turns) {
            ran.push(bed.run(*way)?);
        }
    }
    for (way, ran) in ways.iter().zip(&turns) {
        print(arguments, *way, ran);
    }
    let of = |way| ways.iter().position(|each| *each == way).and_then(|at| turns.get(at));
    let (Some(scan), Some(looped)) = (of(Way::Scan), of(Way::Loop)) else { return Ok(()) };
    let mut quotients: Vec<f64> =
        looped.iter().zip(scan).map(|((a, _), (b, _))| a.seconds / b.seconds).collect();
    quotients.sort_by(f64::total_cmp);
    let median = quotients.get(quotients.len() / 2).copied().unwrap_or_default();
    if median < arguments.least {
        bail!("records were read at {median:.2} of the speed of the loop; wanted are {}", arguments.least);
    }
    Ok(())
}

/// Prints the figures of one way.
fn print(arguments: &Arguments, way: Way, turns: &[(Ran, Traffic)]) {
    let mut seconds: Vec<f64> = turns.iter().map(|(ran, _)| ran.seconds).collect();
    let all = seconds.clone();
    seconds.sort_by(f64::total_cmp);
    let (min, median) = (seconds.first(), seconds.get(seconds.len() / 2));
    let Some((ran, traffic)) = turns.first() else { return };
    let peak = turns.iter().filter_map(|(ran, _)| ran.peak_rss_mb).fold(0.0, f64::max);
    let figure = json!({
        "task": "places", "way": way.name(), "latency_ms": arguments.latency_ms, "shards": arguments.shards,
        "bytes": ran.bytes, "seconds_min": min, "seconds_median": median, "seconds": all,
        "mb_per_s": min.map(|min| (ran.bytes as f64 / min / 1e4).round() / 100.0),
        "peak_rss_mb": peak, "requests": traffic.requests, "reads": traffic.reads, "asked": traffic.asked,
    });
    println!("{figure}");
}
