//! Report at the end of a run.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::jobs::{PYTHON, Ran};
use crate::outcome::{Outcome, Totals};

/// The tests that are listed with their times.
const SLOWEST: usize = 10;

/// Results of test programs, and of other tests.
pub struct Report {
    started: Instant,
    totals: Totals,
    /// Name and target of each program, and what it printed.
    ran: Vec<(String, String, Outcome)>,
    /// Failures, as lines.
    failures: Vec<String>,
}

impl Report {
    /// Returns an empty one; the time counts from now.
    pub fn new() -> Self {
        Self { started: Instant::now(), totals: Totals::default(), ran: Vec::new(), failures: Vec::new() }
    }

    /// Adds a program that ran.
    pub fn add(&mut self, Ran { name, target, command, outcome }: Ran) {
        self.totals.add(outcome.totals);
        if !outcome.success {
            self.failures.push(format!("failed: {name} ({command})"));
            self.failures.extend(outcome.failures().flatten().cloned());
        }
        self.ran.push((name, target, outcome));
    }

    /// Adds a failure that does not belong to a test.
    pub fn fail(&mut self, what: &str, error: &anyhow::Error) {
        self.failures.push(format!("failed: {what}: {error:#}"));
    }

    /// Returns whether nothing has failed so far.
    fn is_good(&self) -> bool {
        self.failures.is_empty() && self.totals.failed == 0
    }

    /// Returns the lines of the programs of a target, each with the name of its crate.
    pub fn lines_of(&self, target: &str) -> Vec<(String, Vec<String>)> {
        let of_target = self.ran.iter().filter(|(_, found, _)| found == target);
        let crate_of = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
        of_target.map(|(name, _, outcome)| (crate_of(name), outcome.lines.clone())).collect()
    }

    /// Prints it, and fails if something has failed.
    pub fn print(&self, left_out: &[String]) -> Result<()> {
        println!("\n== left out");
        left_out.iter().for_each(|line| println!("- {line}"));
        println!("\n== slowest");
        for (name, test, time) in self.slowest() {
            println!("{:7.1} s  {name}: {test}", time.as_secs_f64());
        }
        println!("\n== result");
        self.failures.iter().for_each(|line| println!("{line}"));
        if self.totals.ignored > 0 {
            println!("{} ignored", self.totals.ignored);
        }
        let seconds = self.started.elapsed().as_secs();
        println!("took {} min {} s", seconds / 60, seconds % 60);
        println!("{} passed, {} failed", self.totals.passed, self.totals.failed);
        if let Some(line) = self.of_python() {
            println!("in Python: {line}");
        }
        if !self.is_good() {
            bail!("tests failed or did not compile");
        }
        Ok(())
    }

    /// Returns the last line of pytest.
    fn of_python(&self) -> Option<&str> {
        let (.., outcome) = self.ran.iter().find(|(name, ..)| name == PYTHON)?;
        let counts = |line: &&String| {
            line.contains(" passed") && line.starts_with(|first: char| first.is_ascii_digit())
        };
        outcome.lines.iter().rev().find(counts).map(String::as_str)
    }

    fn slowest(&self) -> Vec<(&str, &str, Duration)> {
        let timed = self.ran.iter().flat_map(|(name, _, outcome)| {
            outcome.times().map(move |(test, time)| (name.as_str(), test, time))
        });
        let mut tests = timed.collect::<Vec<_>>();
        tests.sort_by_key(|(.., time)| std::cmp::Reverse(*time));
        tests.truncate(SLOWEST);
        tests
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(name: &str, target: &str, lines: &[&str], success: bool) -> Ran {
        let lines = lines.iter().map(|&line| line.to_owned()).collect();
        let totals = Totals { passed: 2, failed: u64::from(!success), ignored: 0 };
        let command = format!("/t/{name}");
        Ran {
            name: name.to_owned(),
            target: target.to_owned(),
            command,
            outcome: Outcome { totals, lines, success },
        }
    }

    #[test]
    fn the_slowest_come_first() {
        let mut report = Report::new();
        report.add(ran("a", "a", &["test x ... ok <0.500s>", "test y ... ok <2.000s>"], true));
        report.add(ran("a golden", "golden", &["k: 1 passed", "test z ... ok <1.000s>"], true));
        report.add(ran(PYTHON, "python", &["4 passed, 1 skipped in 2.00s", "wheels, built"], true));
        let slowest = report.slowest().into_iter().map(|(name, test, _)| (name, test)).collect::<Vec<_>>();
        assert_eq!(slowest, [("a", "y"), ("a golden", "z"), ("a", "x")]);
        assert_eq!((report.totals.passed, report.is_good()), (6, true));
        assert_eq!(report.of_python(), Some("4 passed, 1 skipped in 2.00s"));
        let lines = report.lines_of("golden");
        assert_eq!((lines.len(), lines[0].0.as_str(), lines[0].1.len()), (1, "a", 2));
        assert!(report.print(&[]).is_ok());
    }

    #[test]
    fn whatever_failed_fails_the_run() {
        let mut report = Report::new();
        report.add(ran("a", "a", &["---- b stdout ----", "1 is not 2"], false));
        assert_eq!(report.failures, ["failed: a (/t/a)", "---- b stdout ----", "1 is not 2"]);
        assert!(report.print(&[]).is_err());
        let mut report = Report::new();
        report.fail("recorded cases", &anyhow::anyhow!("none"));
        assert!(report.print(&[]).is_err());
        // A program that ended early says nothing of its tests.
        let mut report = Report::new();
        let mut early = ran("a", "a", &[], false);
        early.outcome.totals = Totals::default();
        report.add(early);
        assert!(report.print(&[]).is_err());
    }
}
