//! `memory`: shows that the peak of memory does not depend on the size of the file that is read or converted.
//!
//! Writes a file of 100 MB and one of 10 GB, not compressed and gzip, reads each in a process of its own, prints the
//! lines of `measure`, and deletes the files. The one that is not compressed is converted to Parquet, and so are a Parquet file of
//! the same rows read and a CSV file of them converted to TFRecord. Then loads a data set of 50 MB and the same one 20 times over, in every way
//! of loading. Fails if a large one took more memory than a small one.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use bench_sets::loading::{self, Way};
use bench_sets::sets;
use benches::measure::{self, Options};
use benches::repeated;
use clap::Parser;
use serde_json::Value;
use tfrecord_io::Compression;
use tfxio::convert::Conversion;
use tfxio::prelude::ScanRequest;

/// The word with which this program starts itself as `measure`.
const MEASURE: &str = "measure";
/// Difference between the peaks of two runs of the same program on the same file: the allocator and the system do not
/// always treat the same calls alike.
const NOISE_MB: f64 = 4.0;
/// Maximum number of measurements of a peak until it is within its bound. Differences between runs only add to a peak.
const RUNS: usize = 3;
/// Size of a loader's large data set, relative to the small one.
const TIMES: usize = 20;
/// Records in the loader's shuffle buffer.
const BUFFERED: usize = 200;
/// Difference between the peaks of two runs of a loader. A chunk of a file stays in memory as long as one of its
/// records is in the shuffle buffer; the longer a run, the rarer the draws are that it sees, and the more such chunks
/// there are at its worst.
const LOADER_NOISE_MB: f64 = 8.0;
/// Row groups of a small file and at most of a large one, in Parquet. In memory are some of them, which the small file
/// must have as well, and their metadata in the footer, which grows with their number.
const ROW_GROUPS: [u64; 2] = [10, 150];
/// Difference between the peaks of two conversions: several row groups and batches of up to 16 MiB are begun or not.
const CONVERSION_NOISE_MB: f64 = 24.0;
/// The least data of a loader: with less it would not fill its buffers.
const LOADED_MB: u64 = 4;

/// Shows that the peak of memory does not depend on the size of the file that is read.
#[derive(Debug, Parser)]
struct Arguments {
    /// Size of the small file, uncompressed, in 10^6 bytes
    #[arg(long, default_value = "100")]
    small_mb: u64,
    /// Size of the large file, uncompressed, in 10^6 bytes
    #[arg(long, default_value = "10000")]
    large_mb: u64,
    /// Measured case
    #[arg(long, value_delimiter = ',', default_value = "read,convert,load")]
    parts: Vec<String>,
    /// Folder of the files; default: the system's folder for temporary files
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
    for part in &arguments.parts {
        grown.extend(match part.as_str() {
            "read" => readings(arguments, &folder, &set)?,
            "convert" => conversions(arguments, &folder, &set)?,
            "load" => loadings(arguments, &folder)?,
            other => bail!("{other:?} is not one of read, convert and load"),
        });
    }
    if grown.is_empty() {
        Ok(())
    } else {
        bail!("takes more memory the larger the file: {}", grown.join(", "))
    }
}

/// Returns the tasks that take more memory the larger the file is: reading records, and decoding them.
fn readings(arguments: &Arguments, folder: &Path, set: &sets::Set) -> Result<Vec<String>> {
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
            repeated::write(&file.0, set, compression, megabytes * 1_000_000)?;
            let bound = |index: usize| peaks.first().and_then(|small| Some(small.get(index)? + NOISE_MB));
            let found = tasks.iter().enumerate().map(|(index, task)| peak(task, &file.0, &[], bound(index)));
            let found = found.collect::<Result<_>>()?;
            peaks.push(found);
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
    Ok(grown)
}

/// Returns the ways of loading that take more memory the larger the data set is.
fn loadings(arguments: &Arguments, folder: &Path) -> Result<Vec<String>> {
    let mut grown = Vec::new();
    for way in Way::ALL {
        let megabytes = (arguments.small_mb / 2).max(LOADED_MB);
        let [small, large] = loads(folder, way, megabytes)?;
        let times = TIMES;
        println!("load, {}: {small} MB for {megabytes} MB, {large} MB for {times} times as much", way.name());
        if large > small + LOADER_NOISE_MB {
            grown.push(format!("load {}", way.name()));
        }
    }
    Ok(grown)
}

/// Returns the conversions that take more memory the larger the file is: to Parquet, reading that, and from CSV.
fn conversions(arguments: &Arguments, folder: &Path, set: &sets::Set) -> Result<Vec<String>> {
    let [of_small, of_large] = ROW_GROUPS;
    let row_group_mb = arguments.large_mb.div_ceil(of_large).max(1);
    let row_groups = format!("row_group_bytes={}", row_group_mb * 1_000_000);
    let small_mb = arguments.small_mb.max(of_small * row_group_mb);
    let mut peaks: Vec<[f64; 3]> = Vec::new();
    for megabytes in [small_mb, arguments.large_mb] {
        let named = |ending: &str| {
            Removed(folder.join(format!("tfxio-memory-{}-{megabytes}.{ending}", std::process::id())))
        };
        let (records, table, text) = (named("tfrecord"), named("parquet"), named("csv"));
        let bounds = peaks.first().map(|small| small.map(|peak| peak + CONVERSION_NOISE_MB));
        let [of_records_bound, of_table_bound, of_text_bound] =
            bounds.map_or([None; 3], |bounds| bounds.map(Some));
        repeated::write(&records.0, set, Compression::None, megabytes * 1_000_000)?;
        let output = table.0.to_string_lossy();
        let words = ["--to", "parquet", "--threads", "2", "--set", &row_groups, "--output", &output];
        let to_table = peak("convert", &records.0, &words, of_records_bound)?;
        let of_table = peak("read", &table.0, &["--threads", "2"], of_table_bound)?;
        drop(table);
        convert(&records.0, &text.0)?;
        drop(records);
        let of_text = peak("convert", &text.0, &["--to", "tfrecord", "--threads", "2"], of_text_bound)?;
        peaks.push([to_table, of_table, of_text]);
    }
    let [small, large] = &peaks[..] else { return Ok(Vec::new()) };
    let mut grown = Vec::new();
    let names = ["convert TFRecord to Parquet", "read Parquet", "convert CSV to TFRecord"];
    for ((name, small), large) in names.iter().zip(small).zip(large) {
        println!("{name}: {small} MB for {small_mb} MB, {large} MB for {} MB", arguments.large_mb);
        if *large > small + CONVERSION_NOISE_MB {
            grown.push((*name).to_owned());
        }
    }
    Ok(grown)
}

/// Converts by the ending of a name.
fn convert(from: &Path, to: &Path) -> Result<()> {
    let request = ScanRequest::new().threads(2);
    Conversion::builder([from.to_string_lossy().into_owned()], to).request(request).build()?.run(|_| {})?;
    Ok(())
}

/// The peaks of loading a data set of about so many 10^6 bytes, once and over and over.
fn loads(folder: &Path, way: Way, megabytes: u64) -> Result<[f64; 2]> {
    let record = if way == Way::Windows { 32_000 } else { 900 };
    let records = usize::try_from(megabytes * 1_000_000 / record)?;
    let mut peaks = [0.0; 2];
    let mut bound = None;
    for (found, times) in peaks.iter_mut().zip([1, TIMES]) {
        let folder = RemovedFolder(folder.join(format!("tfxio-memory-{}-load-{times}", std::process::id())));
        std::fs::create_dir_all(&folder.0).context("cannot make a folder")?;
        let (configuration, _) = loading::write(&folder.0, way, records, BUFFERED, times)?;
        *found = peak("load", &configuration, &[], bound)?;
        bound = Some(*found + LOADER_NOISE_MB);
    }
    Ok(peaks)
}

/// The peak of memory of reading a file, in 10^6 bytes: the least of some runs, until one is within the bound.
fn peak(task: &str, file: &Path, more: &[&str], bound: Option<f64>) -> Result<f64> {
    let mut least = measured(task, file, more)?;
    for _ in 1..RUNS {
        if bound.is_none_or(|bound| least.0 <= bound) {
            break;
        }
        let next = measured(task, file, more)?;
        if next.0 < least.0 {
            least = next;
        }
    }
    print!("{}", least.1);
    Ok(least.0)
}

/// The peak of memory of one run, in 10^6 bytes, and its line.
fn measured(task: &str, file: &Path, more: &[&str]) -> Result<(f64, String)> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    // One run that is not timed, one that is: the second finds what the first left in memory.
    let output = Command::new(program)
        .args([MEASURE, task])
        .arg(file)
        .args(["--from", "file", "--repeat", "1"])
        .args(more)
        .output()
        .context("cannot start this program again")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let line: Value = serde_json::from_str(&text).context("no line of JSON came out")?;
    let peak = line["peak_rss_mb"].as_f64().context("this system does not tell the peak of memory")?;
    Ok((peak, text.into_owned()))
}

/// A folder that is removed when it goes out of scope.
struct RemovedFolder(PathBuf);

impl Drop for RemovedFolder {
    fn drop(&mut self) {
        // As with a file.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A file that is removed when it goes out of scope.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // If it is not there, or cannot be removed, there is nobody to tell.
        let _ = std::fs::remove_file(&self.0);
    }
}
