//! Memory of reading files that become far more than they are: within a multiple of the limit of a batch.
//!
//! A build without optimisation writes and reads lists in one compression of each format, as most of its time is spent in compressing.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use tfxio::convert::BatchOutput;
use tfxio::{DatasetExt as _, ErrorKind, Limits, OpenOptions, ScanRequest};

/// The limit of a batch.
const LIMIT: u64 = 8 << 20;
/// Memory in limits of a batch, and beside it what any read takes.
const MULTIPLE: u64 = 12;
const BESIDE: u64 = 24 << 20;
/// Address space of a process that reads. Threads and allocators reserve much of it that they never touch.
const SPACE: u64 = 2 << 30;
/// Bytes of what files become.
const BYTES: usize = 256 << 20;
const ROWS: usize = 4096;
/// Name under which a child is told what to read.
const FILE: &str = "TFXIO_MEMORY_FILE";

const FILES: &[(&str, &[&str])] = &[
    ("a.tfrecord", &["none", "gzip", "zlib"]),
    ("a.avro", &["null", "deflate", "snappy", "bzip2", "xz", "zstandard"]),
    ("a.parquet", &["none", "snappy", "gzip", "lz4", "zstd"]),
    ("a.arrow", &["none", "lz4", "zstd"]),
    ("a.arrows", &["none", "lz4", "zstd"]),
    ("a.csv", &["none", "gzip"]),
    ("a.jsonl", &["none", "gzip"]),
];

/// Rows of a long text of one letter.
fn texts() -> RecordBatch {
    let text = "a".repeat(BYTES / ROWS);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|_| text.as_str())));
    RecordBatch::try_from_iter([("t", texts)]).unwrap()
}

/// Rows of long lists of zeros.
fn lists() -> RecordBatch {
    let mut lists = ListBuilder::new(Int64Builder::new());
    let zeros = vec![0; BYTES / ROWS / size_of::<i64>()];
    for _ in 0..ROWS {
        lists.values().append_slice(&zeros);
        lists.append(true);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    RecordBatch::try_from_iter([("l", lists)]).unwrap()
}

/// Returns a number of kilobytes that the system has of this process.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Reads a file; prints how each read ended and the memory that it took.
fn read(path: &str) {
    let limits = Limits::default().batch_bytes(LIMIT);
    let before = status("VmRSS");
    let mut ends = Vec::new();
    for threads in [1, 3] {
        let request = ScanRequest::new().threads(threads).limits(limits);
        let opened = OpenOptions::new().limits(limits).open(path);
        let rows = opened.and_then(|dataset| {
            dataset.read(request)?.try_fold(0, |rows, batch| Ok(rows + batch?.num_rows()))
        });
        ends.push(match rows {
            Ok(rows) => rows.to_string(),
            Err(error) if error.kind() == ErrorKind::LimitExceeded => {
                println!("\n{error}");
                "refused".to_owned()
            }
            Err(error) => error.to_string(),
        });
    }
    println!("\n@ {} {}", ends.join("/"), (status("VmHWM") - before) << 10);
}

/// Reads a file in a process of its own. Returns how it ended, and its memory.
fn child(path: &Path) -> (String, u64) {
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {}; exec \"$@\"", SPACE >> 10), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["memory::", "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let said = || {
        format!("{}: {}\n{text}{}", path.display(), output.status, String::from_utf8_lossy(&output.stderr))
    };
    let line = text.lines().find_map(|line| line.strip_prefix("@ ")).unwrap_or_else(|| panic!("{}", said()));
    let (end, memory) = line.rsplit_once(' ').unwrap();
    (end.to_owned(), memory.parse().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_takes_a_multiple_of_the_limit_of_a_batch() {
    if let Some(file) = std::env::var_os(FILE) {
        return read(file.to_str().unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (kind, batch) in [("texts", texts()), ("lists", lists())] {
        if cfg!(debug_assertions) && kind == "texts" {
            continue;
        }
        for (name, codecs) in FILES {
            let is_there = match name.rsplit('.').next() {
                Some("avro") => {
                    cfg!(all(feature = "avro-bzip2", feature = "avro-xz", feature = "avro-zstandard"))
                }
                Some("csv") => cfg!(feature = "csv"),
                Some("jsonl") => cfg!(feature = "jsonl"),
                _ => true,
            };
            if !is_there {
                continue;
            }
            if kind == "lists" && name.ends_with(".csv") {
                // Its cells are texts.
                continue;
            }
            let codecs =
                if cfg!(debug_assertions) { codecs.get(codecs.len() - 1..).unwrap() } else { codecs };
            for codec in codecs {
                let path = folder.path().join(format!("{kind}-{codec}-{name}"));
                let output = BatchOutput::new(path.to_str().unwrap())
                    .set(if name.ends_with("avro") { "codec" } else { "output_compression" }, *codec)
                    .unwrap();
                let whole = name.contains("arrow");
                let step = if whole { ROWS } else { 64 };
                let all = batch.clone();
                let mut rows = (0..ROWS).step_by(step).map(move |row| all.slice(row, step));
                output.write(&batch.schema(), move || Ok(rows.next().map(Into::into))).unwrap();
                let size = std::fs::metadata(&path).unwrap().len();
                let (end, memory) = child(&path);
                println!(
                    "{kind} {name} {codec}: {size} bytes, {end}, {:.1} limits",
                    memory as f64 / LIMIT as f64
                );
                let expected = if whole { "refused/refused".to_owned() } else { format!("{ROWS}/{ROWS}") };
                if end != expected || memory > MULTIPLE * LIMIT + BESIDE {
                    wrong.push(format!("{kind} {name} {codec}: {end}, {memory} bytes"));
                }
                std::fs::remove_file(&path).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
