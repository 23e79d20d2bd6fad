//! `memory`: shows that the peak of memory does not depend on the size of the file that is read.
//!
//! Writes a file of 100 MB and one of 10 GB, not compressed and gzip, reads each in a process of its own, prints the
//! lines of `measure`, and deletes the files. Fails if a large one took more memory than a small one.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use benches::measure::{self, Options};
use benches::{repeated, sets};
use clap::Parser;
use serde_json::Value;
use tfrecord_io::Compression;

/// The word with which this program starts itself as `measure`.
const MEASURE: &str = "measure";
/// How much the peaks of two runs of the same program on the same file differ: what the allocator and the system make
/// of the same calls is not always the same.
const NOISE_MB: f64 = 4.0;

/// Shows that the peak of memory does not depend on the size of the file that is read.
#[derive(Debug, Parser)]
struct Arguments {
    /// Size of the small file, uncompressed, in 10^6 bytes
    #[arg(long, default_value = "100")]
    small_mb: u64,
    /// Size of the large file, uncompressed, in 10^6 bytes
    #[arg(long, default_value = "10000")]
    large_mb: u64,
    /// Where the files are written; default: the system's folder for temporary files
    #[arg(long)]
    folder: Option<PathBuf>,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let result = if words.get(1).is_some_and(|word| word == MEASURE) {
        run_measure(&words)
    } else {
        compare(&Arguments::parse())
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memory: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_measure(words: &[String]) -> Result<()> {
    let figure = measure::measure(&Options::try_parse_from(words.iter().skip(1))?)?;
    println!("{}", figure.to_json()?);
    Ok(())
}

fn compare(arguments: &Arguments) -> Result<()> {
    let folder = arguments.folder.clone().unwrap_or_else(std::env::temp_dir);
    let set = sets::univalent(4000);
    let mut grown = Vec::new();
    for (compression, tasks) in
        [(Compression::None, &["scan", "decode"][..]), (Compression::Gzip, &["scan", "decode"])]
    {
        let mut peaks: Vec<Vec<f64>> = Vec::new();
        for megabytes in [arguments.small_mb, arguments.large_mb] {
            let file = Removed(
                folder
                    .join(format!("tfxio-memory-{}-{megabytes}.{compression}.tfrecord", std::process::id())),
            );
            repeated::write(&file.0, &set, compression, megabytes * 1_000_000)?;
            peaks.push(tasks.iter().map(|task| peak(task, &file.0)).collect::<Result<_>>()?);
        }
        if let [small, large] = &peaks[..] {
            for ((task, small), large) in tasks.iter().zip(small).zip(large) {
                println!(
                    "{task}, {compression}: {small} MB for {} MB, {large} MB for {} MB",
                    arguments.small_mb, arguments.large_mb
                );
                if *large > small + NOISE_MB {
                    grown.push(format!("{task} {compression}"));
                }
            }
        }
    }
    if grown.is_empty() {
        Ok(())
    } else {
        bail!("takes more memory the larger the file: {}", grown.join(", "))
    }
}

/// The peak of memory of one reading of a file, in 10^6 bytes.
fn peak(task: &str, file: &Path) -> Result<f64> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    // One run that is not timed, one that is: the second finds what the first left in memory.
    let output = Command::new(program)
        .args([MEASURE, task])
        .arg(file)
        .args(["--from", "file", "--repeat", "1"])
        .output()
        .context("cannot start this program again")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    print!("{text}");
    let line: Value = serde_json::from_str(&text).context("no line of JSON came out")?;
    line["peak_rss_mb"].as_f64().context("this system does not tell the peak of memory")
}

/// A file that is removed when it goes out of scope.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // If it is not there, or cannot be removed, there is nobody to tell.
        let _ = std::fs::remove_file(&self.0);
    }
}
