//! Events of the library as records of `logging`.
//!
//! They happen on any thread, with locks held, where the interpreter must not be waited for. So they are kept until a thread of
//! Python that waits for the library comes back to it, which logs them.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};
use std::thread;

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Records that are kept; those after them are counted.
const KEPT: usize = 1000;
/// Maximum number of attempts to lock the records.
const TRIES: usize = 10_000;

/// The lowest level that is logged, as `logging` numbers them.
static LEVEL: AtomicU8 = AtomicU8::new(WARNING);
static BEGUN: Once = Once::new();
static IS_WAITING: AtomicBool = AtomicBool::new(false);
static WAITING: Mutex<Waiting> = Mutex::new(Waiting { records: VecDeque::new(), left_out: 0 });

const DEBUG: u8 = 10;
const INFO: u8 = 20;
const WARNING: u8 = 30;
const ERROR: u8 = 40;

struct Waiting {
    records: VecDeque<Record>,
    left_out: usize,
}

struct Record {
    level: u8,
    logger: String,
    text: String,
}

/// Takes events from now on, of the level of the logger `tfxio`. Called again when that may have changed.
#[pyfunction]
pub(crate) fn take_events(level: u8) {
    LEVEL.store(level, Relaxed);
    // Where the program has set another, that stays.
    BEGUN.call_once(|| drop(tracing::subscriber::set_global_default(Events)));
}

/// Logs what has happened since the last time.
pub(crate) fn log(py: Python<'_>) {
    if IS_WAITING.swap(false, Relaxed)
        && let Err(raised) = log_all(py)
    {
        raised.write_unraisable(py, None);
    }
}

fn log_all(py: Python<'_>) -> PyResult<()> {
    let Some((records, left_out)) = hold()
        .map(|mut waiting| (std::mem::take(&mut waiting.records), std::mem::take(&mut waiting.left_out)))
    else {
        return Ok(());
    };
    let get_logger = py.import("logging")?.getattr("getLogger")?;
    for Record { level, logger, text } in records {
        get_logger.call1((logger,))?.call_method1("log", (level, "%s", text))?;
    }
    if left_out > 0 {
        let text = format!("{left_out} more records were left out");
        get_logger.call1(("tfxio",))?.call_method1("log", (WARNING, "%s", text))?;
    }
    Ok(())
}

/// Returns the records that wait; nothing where another thread holds them for ever, as in a process that was forked meanwhile.
fn hold() -> Option<MutexGuard<'static, Waiting>> {
    for _ in 0..TRIES {
        match WAITING.try_lock() {
            Ok(waiting) => return Some(waiting),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => thread::yield_now(),
        }
    }
    None
}

/// Subscriber that takes the events.
struct Events;

impl Subscriber for Events {
    /// Has each event ask again: the level may change.
    fn register_callsite(&self, _metadata: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        level_of(*metadata.level()) >= LEVEL.load(Relaxed)
    }

    fn new_span(&self, _span: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _span: &span::Id, _values: &span::Record<'_>) {}

    fn record_follows_from(&self, _span: &span::Id, _follows: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut text = Text::default();
        event.record(&mut text);
        let record = Record {
            level: level_of(*metadata.level()),
            logger: logger(metadata.target()),
            text: text.whole(),
        };
        let Some(mut waiting) = hold() else { return };
        match waiting.records.len() < KEPT {
            true => waiting.records.push_back(record),
            false => waiting.left_out += 1,
        }
        IS_WAITING.store(true, Relaxed);
    }

    fn enter(&self, _span: &span::Id) {}

    fn exit(&self, _span: &span::Id) {}
}

fn level_of(level: Level) -> u8 {
    match level {
        Level::ERROR => ERROR,
        Level::WARN => WARNING,
        Level::INFO => INFO,
        _ => DEBUG,
    }
}

/// Returns the logger of a crate: `tfxio.batch_loader`.
fn logger(target: &str) -> String {
    let name = target.split("::").next().unwrap_or_default();
    format!("tfxio.{}", name.strip_prefix("tfxio_").unwrap_or(name))
}

/// The message of an event, and its fields after it.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Text {
    fn whole(self) -> String {
        match (self.message.is_empty(), self.fields.is_empty()) {
            (_, true) => self.message,
            (true, _) => self.fields,
            _ => format!("{} ({})", self.message, self.fields),
        }
    }
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // A text takes all that is written.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name if self.fields.is_empty() => write!(self.fields, "{name}: {value:?}"),
            name => write!(self.fields, ", {name}: {value:?}"),
        };
    }
}
