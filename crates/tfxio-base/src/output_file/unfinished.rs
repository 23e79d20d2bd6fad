//! The temporary files that this process is writing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all outputs that this process is writing, of every format: for the end of the process,
/// when a signal asks for it.
///
/// From then on every thread that begins, finishes or drops such a file waits for the process to end, so that nothing is
/// left and nothing is complained of meanwhile. Call it from a thread of its own, not from a signal handler.
///
/// ```no_run
/// // A thread that has been told to end the process:
/// tfxio_base::remove_unfinished();
/// std::process::exit(130);
/// ```
pub fn remove_unfinished() {
    let all = unfinished();
    for path in all.iter() {
        // Nobody could be told if this failed.
        let _ = fs::remove_file(path);
    }
    mem::forget(all);
}

/// Creates a file and registers it.
pub(super) fn create<T>(path: &Path, create: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut all = unfinished();
    let file = create()?;
    all.insert(path.to_path_buf());
    Ok(file)
}

/// Renames or removes a file, and forgets it if that went well.
pub(super) fn remove(path: &Path, remove: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mut all = unfinished();
    remove()?;
    all.remove(path);
    Ok(())
}
