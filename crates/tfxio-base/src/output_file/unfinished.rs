//! The temporary files and uploads that this process is writing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::Upload;
use crate::{Cancel, Result};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Uploads, by numbers.
static UPLOADS: Mutex<BTreeMap<u64, Unpublished>> = Mutex::new(BTreeMap::new());

type Shared = Arc<Mutex<Box<dyn Upload>>>;

#[derive(Debug)]
struct Unpublished {
    upload: Shared,
    /// Ends the waits of a thread that has the upload locked.
    cancel: Cancel,
}

/// An upload, which is given up when this is dropped or the process ends.
#[derive(Debug)]
pub(super) struct Uploading {
    number: u64,
    upload: Shared,
}

impl Uploading {
    pub(super) fn new(upload: Box<dyn Upload>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let cancel = upload.cancel();
        let upload: Shared = Arc::new(Mutex::new(upload));
        lock(&UPLOADS).insert(number, Unpublished { upload: Arc::clone(&upload), cancel });
        Self { number, upload }
    }

    pub(super) fn with<T>(&mut self, work: impl FnOnce(&mut dyn Upload) -> T) -> T {
        work(&mut **lock(&self.upload))
    }

    pub(super) fn publish(mut self, overwrite: bool) -> Result<()> {
        // Not while the process ends.
        drop(lock(&UPLOADS));
        self.with(|upload| upload.publish(overwrite))?;
        lock(&UPLOADS).remove(&self.number);
        Ok(())
    }
}

impl Drop for Uploading {
    fn drop(&mut self) {
        // Not there any more if it was published.
        let Some(Unpublished { upload, .. }) = lock(&UPLOADS).remove(&self.number) else { return };
        let alone = TOGETHER.with_borrow_mut(|together| match together {
            Some(together) => {
                together.push(upload);
                None
            }
            None => Some(upload),
        });
        if let Some(upload) = alone {
            lock(&upload).abort();
        }
    }
}

thread_local! {
    /// Uploads that this thread has dropped and not yet given up.
    static TOGETHER: RefCell<Option<Vec<Shared>>> = const { RefCell::new(None) };
}

/// Does something that may drop several outputs, such as a set of shards. Those that are unfinished uploads are given up together
/// after it, on threads of their own, since each may wait for its store; by themselves they are given up one after the other.
///
/// ```
/// use tfxio_base::{OutputFile, give_up_together};
///
/// let folder = tempfile::tempdir()?;
/// let path = |shard: u32| folder.path().join(format!("part-{shard}"));
/// let shards = (0..3).map(|shard| OutputFile::create(path(shard), false)).collect::<Result<Vec<_>, _>>()?;
/// give_up_together(|| drop(shards));
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn give_up_together<T>(work: impl FnOnce() -> T) -> T {
    /// Gives up what was dropped, after a panic as well.
    struct GiveUp;

    impl Drop for GiveUp {
        fn drop(&mut self) {
            give_up(TOGETHER.take().unwrap_or_default());
        }
    }

    if TOGETHER.with_borrow(Option::is_some) {
        // Within another set.
        return work();
    }
    TOGETHER.set(Some(Vec::new()));
    let _give_up = GiveUp;
    work()
}

/// Gives uploads up together: each may wait for its store. Where no thread can be had, one after the other.
fn give_up(uploads: impl IntoIterator<Item = Shared>) {
    let mut waits = Vec::new();
    for upload in uploads {
        let shared = Arc::clone(&upload);
        let abort = move || lock(&shared).abort();
        match thread::Builder::new().name("abort".to_owned()).spawn(abort) {
            Ok(thread) => waits.push(thread),
            Err(_) => lock(&upload).abort(),
        }
    }
    for thread in waits {
        // What panicked is given up as well.
        let _ = thread.join();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    lock(&UNFINISHED)
}

/// Removes the temporary files of all outputs that this process is writing, of every format, and gives up its uploads: for the
/// end of the process, when a signal asks for it.
///
/// From then on every thread that begins, finishes or drops such a file waits for the process to end, so that nothing is
/// left and nothing is complained of meanwhile; what is written to an upload fails, and what waits for a store ends. Call it from a thread of its own, not from a signal handler.
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
    let mut uploads = lock(&UPLOADS);
    let unpublished = mem::take(&mut *uploads);
    mem::forget(uploads);
    // First of all: a thread that waits for the store has its upload locked.
    for upload in unpublished.values() {
        upload.cancel.cancel();
    }
    give_up(unpublished.into_values().map(|unpublished| unpublished.upload));
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
