//! Of which run figures are: when, at which commit, on which machine.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::process;

/// This run: its date, its commit and its machine.
pub fn stamp(root: &Path, pinned: bool) -> String {
    let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    let rustc = process::output(Command::new("rustc").arg("--version"));
    let rustc = rustc.map_or_else(|_| "rustc".to_owned(), |text| text.trim().to_owned());
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    format!(
        "{}{}, on {count} × {}, {}, {rustc}{}",
        date(days),
        commit(root),
        name.as_deref().unwrap_or(std::env::consts::ARCH),
        std::env::consts::OS,
        if pinned { "" } else { ", processes not bound to processors" }
    )
}

fn commit(root: &Path) -> String {
    let git = |words: &[&str]| process::output(Command::new("git").args(words).current_dir(root));
    match git(&["rev-parse", "--short=10", "HEAD"]) {
        Ok(commit) => {
            let changed = git(&["status", "--porcelain", "--", "crates", "benches/src"]);
            let changed = changed.is_ok_and(|lines| !lines.trim().is_empty());
            format!(", commit {}{}", commit.trim(), if changed { " and changes" } else { "" })
        }
        Err(_) => String::new(),
    }
}

/// The date so many days after the first of January 1970, in the Gregorian calendar.
fn date(days: u64) -> String {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, wanted) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(date(days), wanted);
        }
    }
}
