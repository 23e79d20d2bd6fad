//! Damaged Arrow IPC and Parquet files: an error that names the file, never a panic and never more memory than the file
//! can account for.
#![cfg(all(feature = "parquet", feature = "ipc"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod claims;
mod flips;
mod legal;
mod memory;
mod mutations;
mod page_checksum;
mod table;

use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use tfxio::ErrorKind;
use tfxio::convert::Conversion;

/// Panics that were said on standard error.
static SAID: AtomicUsize = AtomicUsize::new(0);

/// Counts the panics that pass by, before the library puts its own hook before this one.
fn count_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            SAID.fetch_add(1, Ordering::Relaxed);
            before(info);
        }));
    });
}

fn convert(input: &Path, output: &Path) -> Result<u64, tfxio::Error> {
    let conversion = Conversion::builder([input.to_str().unwrap()], output).build()?;
    Ok(conversion.run(|_| {})?.records)
}

/// Converts bytes, which are damaged. Whether it went well, or else what was said.
#[track_caller]
fn try_bytes(bytes: &[u8], folder: &Path, name: &str) -> Option<String> {
    count_panics();
    let input = folder.join(name);
    std::fs::write(&input, bytes).unwrap();
    // Records take lists only.
    let output = folder.join(if name.starts_with("lists") { "o.tfrecord" } else { "o.arrow" });
    let error = convert(&input, &output).err()?;
    let text = error.to_string();
    assert!(!matches!(error.kind(), ErrorKind::Io | ErrorKind::Other), "{:?}: {text}", error.kind());
    assert_eq!(SAID.load(Ordering::Relaxed), 0, "{text}");
    Some(text)
}
