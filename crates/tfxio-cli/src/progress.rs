//! Progress of a command: a bar on standard error, where that is a terminal, after a second.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{escape, verbosity};

/// Delay before the bar appears.
const DELAY: Duration = Duration::from_secs(1);
/// Interval at which a bar is redrawn.
const TICK: Duration = Duration::from_millis(200);

/// The bar of the command, of which there is one.
static BAR: Mutex<Option<Bar>> = Mutex::new(None);
/// Bytes that were read of all files.
static READ: AtomicU64 = AtomicU64::new(0);

/// A bar, and what it counts.
struct Bar {
    bar: ProgressBar,
    /// Bytes of all files; `None` where nobody knows.
    total: Option<u64>,
    /// Bytes that were read before the bar began again.
    before: u64,
    is_drawn: bool,
    counts_records: bool,
}

/// Takes the bar away when it goes.
#[must_use]
#[derive(Debug)]
pub(crate) struct Guard(());

impl Drop for Guard {
    fn drop(&mut self) {
        finish();
    }
}

/// Returns whether anybody sees a bar.
pub(crate) fn is_shown() -> bool {
    is_terminal() && !verbosity::is_quiet()
}

/// Returns whether standard error is a terminal.
pub(crate) fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Begins a bar over `total` bytes, or over an unknown number of them.
pub(crate) fn begin(title: impl Into<String>, total: Option<u64>) -> Guard {
    if !is_shown() {
        return Guard(());
    }
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    bar.set_message(shown(title));
    let bar =
        Bar { bar, total, before: READ.load(Ordering::Relaxed), is_drawn: false, counts_records: false };
    bar.style();
    let waiting = bar.bar.downgrade();
    *lock() = Some(bar);
    // Where no thread can be had, there is no bar.
    let _ = thread::Builder::new().name("progress".to_owned()).spawn(move || {
        thread::sleep(DELAY);
        let mut bar = lock();
        let is_ours = |bar: &Bar| waiting.upgrade().is_some_and(|ours| !ours.is_finished() && !bar.is_drawn);
        if let Some(bar) = bar.as_mut().filter(|bar| is_ours(bar)) {
            bar.is_drawn = true;
            bar.bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.bar.enable_steady_tick(TICK);
        }
    });
    Guard(())
}

/// Begins the bar again, with another title: what follows reads the files once more.
pub(crate) fn phase(title: impl Into<String>) {
    if let Some(bar) = lock().as_mut() {
        bar.before = READ.load(Ordering::Relaxed);
        bar.counts_records = false;
        bar.bar.set_message(shown(title));
        bar.bar.reset();
        bar.style();
    }
}

/// Sets the title of the bar, such as the name of the current file.
pub(crate) fn title(title: impl Into<String>) {
    if let Some(bar) = lock().as_ref() {
        bar.bar.set_message(shown(title));
    }
}

/// Returns a title as a terminal may have it: names of files may hold anything.
fn shown(title: impl Into<String>) -> String {
    escape::line(&title.into()).into_owned()
}

/// Counts bytes that were read.
pub(crate) fn read(bytes: u64) {
    let read = READ.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    if let Some(bar) = lock().as_mut() {
        let here = read.saturating_sub(bar.before);
        if bar.total.is_some_and(|total| here > total) {
            // The files are read more than once.
            bar.total = None;
            bar.style();
        }
        bar.bar.set_position(here);
    }
}

/// Returns the number of bytes that were read.
pub(crate) fn bytes_read() -> u64 {
    READ.load(Ordering::Relaxed)
}

/// Sets the progress of a conversion, in bytes and, once some were written, in records.
pub(crate) fn at(bytes: u64, records: u64) {
    if let Some(bar) = lock().as_mut() {
        if records > 0 && !bar.counts_records {
            bar.counts_records = true;
            bar.style();
        }
        let seconds = bar.bar.elapsed().as_secs_f64();
        let speed = if seconds > 0.0 { (records as f64 / seconds) as u64 } else { 0 };
        bar.bar.set_position(bytes);
        bar.bar.set_prefix(format!("{} records/s", HumanCount(speed)));
    }
}

/// Takes the bar away.
pub(crate) fn finish() {
    if let Some(bar) = lock().take() {
        bar.bar.finish_and_clear();
    }
}

/// Writes to the terminal while the bar is not there. Where a line is not ended, the bar does not come back.
pub(crate) fn suspend<T>(ends_line: bool, write: impl FnOnce() -> T) -> T {
    let mut bar = lock();
    match bar.as_ref() {
        Some(Bar { bar, is_drawn: true, .. }) if ends_line => bar.suspend(write),
        Some(Bar { is_drawn: true, .. }) => {
            if let Some(bar) = bar.take() {
                bar.bar.finish_and_clear();
            }
            write()
        }
        _ => {
            drop(bar);
            write()
        }
    }
}

fn lock() -> MutexGuard<'static, Option<Bar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bar {
    /// Sets what is shown: bytes or records a second, and what remains, where that is known.
    fn style(&self) {
        let template = match (self.total.is_some_and(|total| total > 0), self.counts_records) {
            (true, true) => "{msg} {wide_bar} {bytes}/{total_bytes}  {prefix}  {eta} left",
            (true, false) => "{msg} {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left",
            (false, true) => "{spinner} {msg}  {bytes}  {prefix}",
            (false, false) => "{spinner} {msg}  {bytes} read  {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }
}
