//! `templates`: records with a few edits, each decoded by a decoder that tries a template and by one that never does.
//!
//! Rounds are as in the test `mutation` of example-codec. A round is determined by the seed and its number, so that one
//! that fails can be run alone. Without a fuzzer nothing guides the edits; the counts show what they reach.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tfxio_fuzz::harness::differential::settings::Setting;
use tfxio_fuzz::harness::edits::EDITS;
use tfxio_fuzz::harness::rounds::{Counts, Difference, OUTCOMES, round};

/// Number of executions of one round.
const ROUND: u64 = 4000;
/// Executions after which a line is printed.
const REPORT: u64 = 1_000_000;

/// Command line arguments.
struct Arguments {
    executions: u64,
    threads: u64,
    seed: u64,
    /// Only this round.
    round: Option<u64>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut arguments = Self { executions: 100_000_000, threads: 1, seed: 1, round: None };
        while let Some(name) = words.next() {
            let value = words.next()?.parse().ok()?;
            match name.as_str() {
                "--executions" => arguments.executions = value,
                "--threads" => arguments.threads = value,
                "--seed" => arguments.seed = value,
                "--round" => arguments.round = Some(value),
                _ => return None,
            }
        }
        Some(arguments)
    }
}

fn main() -> ExitCode {
    let Some(arguments) = Arguments::parse(std::env::args().skip(1)) else {
        eprintln!("usage: templates [--executions N] [--threads N] [--seed N] [--round N]");
        return ExitCode::FAILURE;
    };
    let Arguments { executions, threads, seed, .. } = arguments;
    let rounds = match arguments.round {
        Some(round) => round..round.saturating_add(1),
        None => 0..executions.div_ceil(ROUND),
    };
    // What panics is reported at the end, with the records.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let next = AtomicU64::new(rounds.start);
    let found: Mutex<Option<(u64, Difference)>> = Mutex::new(None);
    let total = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= rounds.end {
                        break;
                    }
                    let mut counts = Counts::default();
                    let result = round(seed, number, ROUND, &mut counts);
                    add(&total, &counts, started);
                    if let Err(difference) = result {
                        next.store(rounds.end, Ordering::Relaxed);
                        if let Ok(mut found) = found.lock() {
                            found.get_or_insert((number, difference));
                        }
                    }
                }
            });
        }
    });
    print(&total.into_inner().unwrap_or_default(), started.elapsed().as_secs_f64());
    match found.into_inner() {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some((number, difference))) => {
            let Difference { setting, text, log } = difference;
            eprintln!("round {number}, {setting:?}: {text}\n{log}again: --seed {seed} --round {number}");
            ExitCode::FAILURE
        }
        Err(_) => ExitCode::FAILURE,
    }
}

/// Adds to the total, and prints a line now and then.
fn add(total: &Mutex<Counts>, counts: &Counts, started: Instant) {
    let Ok(mut total) = total.lock() else { return };
    let before = total.executions();
    total.add(counts);
    let all = total.executions();
    if before / REPORT != all / REPORT {
        let seconds = started.elapsed().as_secs_f64();
        println!("{all} executions, {:.0} a second: {}", all as f64 / seconds, shares(&total.outcomes()));
    }
}

/// Describes in per cent how many executions ended how.
fn shares(tally: &[u64]) -> String {
    let all = tally.iter().sum::<u64>().max(1) as f64;
    let share = |(outcome, count): (&&str, &u64)| format!("{outcome} {:.1} %", *count as f64 / all * 100.0);
    OUTCOMES.iter().zip(tally).map(share).collect::<Vec<_>>().join("; ")
}

fn print(counts: &Counts, seconds: f64) {
    let table = |title: &str, rows: &[(String, &[u64])]| {
        println!("\n{title:36}{}", OUTCOMES.map(|outcome| format!(" {outcome:>15}")).concat());
        for (name, tally) in rows {
            let counts: String = tally.iter().map(|count| format!(" {count:>15}")).collect();
            println!("{name:36}{counts}");
        }
    };
    let settings = Setting::ALL.iter().zip(&counts.settings);
    table("setting", &settings.map(|(name, tally)| (format!("{name:?}"), &tally[..])).collect::<Vec<_>>());
    let edits = EDITS.iter().zip(&counts.edits);
    table("edit", &edits.map(|(name, tally)| (name.to_string(), &tally[..])).collect::<Vec<_>>());
    println!(
        "\n{} executions in {} batches, {} taken by name as well, in {seconds:.0} s: {}",
        counts.executions(),
        counts.batches,
        counts.by_name,
        shares(&counts.outcomes())
    );
}
