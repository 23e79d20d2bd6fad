//! Reading what test programs print, and passing it on.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::process;

/// The sums over the result lines of test programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were marked as ignored.
    pub ignored: u64,
}

impl Totals {
    /// Adds the counts of one line; other lines have none.
    fn add_line(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ") else { return };
        for part in counts.split([';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(count), Some(what)) = (words.next(), words.next()) else { continue };
            let Ok(count) = count.parse::<u64>() else { continue };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.ignored += count,
                _ => {}
            }
        }
    }

    /// Adds the sums of another run.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

/// Returns the name and the time of a test, if the line is the one that reports its end with a time.
fn timed(line: &str) -> Option<(&str, Duration)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = rest.rsplit_once('<')?.1.strip_suffix("s>")?.parse().ok()?;
    Some((name, Duration::try_from_secs_f64(seconds).ok()?))
}

/// Number of lines of a failed test's output that are shown once more, from its beginning, which names the failure.
const LINES_OF_A_FAILURE: usize = 30;

/// The result of one run of a test program, or of `cargo test`.
pub struct Outcome {
    /// The sums over its result lines.
    pub totals: Totals,
    /// The lines it printed to its standard output.
    pub lines: Vec<String>,
    /// Whether it called itself a success. False without a failed test means that something did not compile, or ended early.
    pub success: bool,
}

impl Outcome {
    /// Returns what each failed test printed, after a line with its name, to be read again at the end of a long run. Of tests in
    /// Python it is the line of pytest's summary.
    pub fn failures(&self) -> impl Iterator<Item = &[String]> {
        let summaries = self
            .lines
            .iter()
            .filter(|line| ["FAILED tests", "ERROR tests"].iter().any(|start| line.starts_with(start)));
        self.failed_programs().chain(summaries.map(std::slice::from_ref))
    }

    fn failed_programs(&self) -> impl Iterator<Item = &[String]> {
        let starts = |line: &String| line.starts_with("---- ") && line.ends_with(" stdout ----");
        let ends = move |line: &String| starts(line) || line == "failures:";
        self.lines.iter().enumerate().filter(move |(_, line)| starts(line)).map(move |(at, _)| {
            let rest = self.lines.get(at + 1..).unwrap_or_default();
            let length = rest.iter().position(ends).unwrap_or(rest.len()).min(LINES_OF_A_FAILURE);
            &self.lines[at..=at + length]
        })
    }

    /// Returns the tests whose times were printed.
    pub fn times(&self) -> impl Iterator<Item = (&str, Duration)> {
        self.lines.iter().filter_map(|line| timed(line))
    }
}

/// Whether a line reports a test that takes long.
fn is_of_a_long_test(line: &str) -> bool {
    line.starts_with("test ") && line.contains(" has been running for over ")
}

/// Runs the command, prints its output below its name when it has ended, so that several can run at once, and adds up the result
/// lines. A line of a test that takes long is printed at once.
pub fn run(name: &str, command: &mut Command) -> Result<Outcome> {
    let text = process::shown(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot run `{text}`"))?;
    let stdout = child.stdout.take().context("the program has no standard output")?;
    let mut totals = Totals::default();
    let mut lines = Vec::new();
    let mut printed = format!("\n== {name}\n$ {text}\n").into_bytes();
    let mut reader = BufReader::new(stdout);
    let mut bytes = Vec::new();
    // A test may print bytes that are not UTF-8; they are no reason to stop.
    while reader.read_until(b'\n', &mut bytes).with_context(|| format!("cannot read from `{text}`"))? > 0 {
        printed.extend_from_slice(&bytes);
        let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        if is_of_a_long_test(&line) {
            println!("{name}: {line}");
        }
        totals.add_line(&line);
        lines.push(line);
        bytes.clear();
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{text}`"))?;
    std::io::stdout().lock().write_all(&printed)?;
    Ok(Outcome { totals, lines, success: status.success() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_result_lines() {
        let mut totals = Totals::default();
        for line in [
            "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "running 9 tests",
            "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 4 filtered out; finished in 1.05s",
        ] {
            totals.add_line(line);
        }
        assert_eq!(totals, Totals { passed: 9, failed: 3, ignored: 1 });
    }

    #[test]
    fn a_failed_test_is_shown_with_its_output() {
        let lines = [
            "test a ... ok",
            "test b ... FAILED",
            "test c::d ... FAILED",
            "failures:",
            "---- b stdout ----",
            "thread 'b' panicked at b.rs:1:1:",
            "1 is not 2",
            "---- c::d stdout ----",
            "no",
            "failures:",
            "    b",
            "    c::d",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ];
        let lines = lines.map(str::to_owned).to_vec();
        let outcome = Outcome { totals: Totals::default(), lines, success: false };
        assert_eq!(outcome.failures().collect::<Vec<_>>(), [&outcome.lines[4..7], &outcome.lines[7..9]]);
        let cut = Outcome { lines: vec!["---- b stdout ----".to_owned(); 1], ..outcome };
        assert_eq!(cut.failures().collect::<Vec<_>>(), [&cut.lines[..]]);
    }

    #[test]
    fn failures_of_python_are_lines_of_its_summary() {
        let lines = ["FAILED tests/test_a.py::test_b - assert 1 == 2", "1 failed, 7 passed in 1.02s"];
        let outcome =
            Outcome { totals: Totals::default(), lines: lines.map(str::to_owned).to_vec(), success: false };
        assert_eq!(outcome.failures().collect::<Vec<_>>(), [&outcome.lines[..1]]);
    }

    #[test]
    fn a_long_test_is_named_while_it_runs() {
        assert!(is_of_a_long_test("test a::b has been running for over 60 seconds"));
        assert!(!is_of_a_long_test("test a::b ... ok <61.250s>"));
    }

    #[test]
    fn the_line_of_a_test_has_its_name_and_time() {
        assert_eq!(timed("test a::b ... ok <1.250s>"), Some(("a::b", Duration::from_millis(1250))));
        assert_eq!(
            timed("test a - should panic ... ok <0.001s>").map(|(name, _)| name),
            Some("a - should panic")
        );
        for line in ["test a ... ok", "a ... ok <1s>", "test a ... ok <-1s>", "test a ... ok <1 h>"] {
            assert_eq!(timed(line), None, "{line}");
        }
    }
}
