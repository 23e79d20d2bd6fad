//! `soak`: many records, each decoded by a decoder that has seen many others and by one that has seen none.
//!
//! The rounds are the same as in the test `differential` of example-codec. The seed and the number of a round determine
//! it, so that one that fails can be run alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;

use harness::damage::DAMAGES;
use harness::rounds::{Counts, Difference, round};
use harness::settings::Setting;

#[path = "../../../crates/example-codec/tests/suite/differential/harness.rs"]
mod harness;

/// Records of one decoder.
const ROUND: u64 = 2000;

/// Compares decoders that have seen many records with ones that have seen none.
#[derive(Debug, Parser)]
struct Arguments {
    /// Approximate number of records
    #[arg(long, default_value = "10000000")]
    records: u64,
    /// Seed of the records
    #[arg(long, default_value = "1")]
    seed: u64,
    /// Number of threads
    #[arg(long, default_value = "1")]
    threads: usize,
    /// Only this round
    #[arg(long)]
    round: Option<u64>,
    /// File of the record at which decoders differ
    #[arg(long, default_value = "soak-difference.bin")]
    file: std::path::PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let rounds = match arguments.round {
        Some(round) => round..round.saturating_add(1),
        None => 0..arguments.records.div_ceil(ROUND),
    };
    let started = Instant::now();
    let next = AtomicU64::new(rounds.start);
    let found: Mutex<Option<(u64, Option<Difference>)>> = Mutex::new(None);
    let total = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..arguments.threads.max(1) {
            scope.spawn(|| {
                let mut counts = Counts::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= rounds.end {
                        break;
                    }
                    let run = AssertUnwindSafe(|| round(arguments.seed, number, ROUND, &mut counts));
                    let difference = match catch_unwind(run) {
                        Ok(Ok(())) => continue,
                        Ok(Err(difference)) => Some(difference),
                        Err(_) => None,
                    };
                    next.store(rounds.end, Ordering::Relaxed);
                    if let Ok(mut found) = found.lock() {
                        found.get_or_insert((number, difference));
                    }
                    break;
                }
                if let Ok(mut total) = total.lock() {
                    total.add(&counts);
                }
            });
        }
    });
    let counts = total.into_inner().unwrap_or_default();
    print(&counts, started.elapsed().as_secs_f64());
    match found.into_inner() {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some((number, difference))) => {
            explain(&arguments, number, difference.as_ref());
            ExitCode::FAILURE
        }
        Err(_) => ExitCode::FAILURE,
    }
}

fn print(counts: &Counts, seconds: f64) {
    println!("{:24} {:>12} {:>12}", "setting", "records", "refused");
    for (setting, (records, refused)) in Setting::ALL.iter().zip(counts.settings) {
        println!("{:24} {records:>12} {refused:>12}", format!("{setting:?}"));
    }
    println!("\n{:24} {:>12} {:>12}", "damage", "records", "refused");
    for (damage, (records, refused)) in DAMAGES.iter().zip(counts.damages) {
        println!("{damage:24} {records:>12} {refused:>12}");
    }
    let refused: u64 = counts.settings.iter().map(|(_, refused)| refused).sum();
    println!(
        "\n{} records in {} batches, {refused} refused by both, in {seconds:.0} s",
        counts.records(),
        counts.batches
    );
}

fn explain(arguments: &Arguments, number: u64, difference: Option<&Difference>) {
    match difference {
        None => eprintln!("round {number} panicked"),
        Some(difference) => {
            eprintln!("round {number}, {:?}: {}", difference.setting, difference.text);
            match std::fs::write(&arguments.file, &difference.record) {
                Ok(()) => eprintln!("the last record is in {}", arguments.file.display()),
                Err(error) => eprintln!("{}: {error}", arguments.file.display()),
            }
        }
    }
    let seed = arguments.seed;
    eprintln!("again: cargo run --release -p benches --bin soak -- --seed {seed} --round {number}");
}
