//! The progress bar: bytes, records a second, what remains. Silent when standard error is not a terminal.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// A bar over the bytes of the input.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Returns a bar for that many bytes. It draws to standard error, and only when that is a terminal.
    pub(crate) fn new(bytes: u64, title: &'static str) -> Self {
        let bar = ProgressBar::new(bytes);
        let template = "{msg} {wide_bar} {bytes}/{total_bytes}  {prefix}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(title);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Says how far it is.
    pub(crate) fn set(&self, bytes: u64, records: u64) {
        let seconds = self.0.elapsed().as_secs_f64();
        let speed = if seconds > 0.0 { (records as f64 / seconds) as u64 } else { 0 };
        self.0.set_position(bytes);
        self.0.set_prefix(format!("{} records/s", HumanCount(speed)));
    }

    /// Begins again, with another title.
    pub(crate) fn restart(&self, title: &'static str) {
        self.0.reset();
        self.0.set_message(title);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Whether anybody sees the bar.
pub(crate) fn is_shown() -> bool {
    std::io::stderr().is_terminal()
}
