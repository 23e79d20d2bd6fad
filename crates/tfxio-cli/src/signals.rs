//! Signals that end the program: what it was writing is removed first.

use std::io::{self, Write as _};
use std::sync::atomic::AtomicBool;
#[cfg(windows)]
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
#[cfg(windows)]
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;
#[cfg(unix)]
use signal_hook::low_level;

use crate::failure::say;
use crate::progress;

/// Time for which the end waits until its reason is printed, where standard error is full.
const SAYING: Duration = Duration::from_secs(1);

/// Handler that runs on an interruption instead of the end; it returns whether that was enough.
type Instead = Box<dyn Fn() -> bool + Send>;

static INSTEAD: Mutex<Option<Instead>> = Mutex::new(None);

/// Sets a handler for interruptions, in place of the end of the program, until the guard is dropped.
#[cfg(feature = "sql")]
pub(crate) fn instead(instead: impl Fn() -> bool + Send + 'static) -> impl Drop {
    struct Until;

    impl Drop for Until {
        fn drop(&mut self) {
            *lock() = None;
        }
    }

    *lock() = Some(Box::new(instead));
    Until
}

fn lock() -> MutexGuard<'static, Option<Instead>> {
    INSTEAD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for signals in a thread of its own. Where that cannot be had, they end the program as they always do.
#[cfg(unix)]
pub(crate) fn watch() {
    // A file that becomes too long is then an error of writing, and not the end.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let ignored = ignored();
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_in(ignored, *signal));
    let Ok(mut signals) = Signals::new(heard) else { return };
    let wait = move || {
        let ends = |signal: &i32| *signal != SIGINT || !lock().as_ref().is_some_and(|instead| instead());
        let Some(signal) = signals.forever().find(ends) else { return };
        tfxio::tfxio_formats::remove_unfinished();
        // The prompt may have it read keys.
        #[cfg(feature = "sql")]
        let _ = crossterm::terminal::disable_raw_mode();
        say_why(signal);
        // As if nobody had listened, so that shells see which signal it was.
        let _ = low_level::emulate_default_handler(signal);
        low_level::exit(128 + signal);
    };
    let _ = thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

/// Looks for Ctrl-C in a thread of its own: this system calls a function and ends nothing that waits.
#[cfg(windows)]
pub(crate) fn watch() {
    const LOOK: Duration = Duration::from_millis(50);
    let pressed = Arc::new(AtomicBool::new(false));
    if flag::register(SIGINT, Arc::clone(&pressed)).is_err() {
        return;
    }
    let wait = move || {
        loop {
            thread::sleep(LOOK);
            if pressed.swap(false, Ordering::Relaxed) && !lock().as_ref().is_some_and(|instead| instead()) {
                tfxio::tfxio_formats::remove_unfinished();
                #[cfg(feature = "sql")]
                let _ = crossterm::terminal::disable_raw_mode();
                say_why(SIGINT);
                std::process::exit(128 + SIGINT);
            }
        }
    };
    let _ = thread::Builder::new().name("signals".to_owned()).spawn(wait);
}

/// Prints why the program ends, on a thread with a limited wait: another one may hold standard error, which nobody
/// reads.
fn say_why(signal: i32) {
    let what = match signal {
        SIGINT => "interrupted",
        SIGTERM => "terminated",
        // Nobody is there.
        _ => return,
    };
    let (said, wait) = mpsc::channel();
    let saying = move || {
        if progress::is_terminal() {
            // After the bar, and what the terminal shows of the key.
            let _ = writeln!(io::stderr().lock());
        }
        // Else it would be drawn once more, after the reason.
        progress::finish();
        say(format_args!("error: {what}"));
        let _ = said.send(());
    };
    if thread::Builder::new().name("why".to_owned()).spawn(saying).is_ok() {
        let _ = wait.recv_timeout(SAYING);
    }
}

/// The signals that this program was started to ignore, as `nohup` and shells without job control do; a bit each, the
/// lowest for signal 1.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    match mask {
        Some(mask) => u64::from_str_radix(mask.trim(), 16).unwrap_or(0),
        // Not known: what `nohup` means must not be undone.
        None => 1 << (SIGHUP - 1),
    }
}

#[cfg(unix)]
fn is_in(mask: u64, signal: i32) -> bool {
    mask & (1 << (signal - 1)) != 0
}
