//! `golden`: the recorded cases of all crates.
//!
//! A crate that owns kinds of cases has a test target `golden`, which runs every case that it owns from
//! `fixtures/golden/*.jsonl` and from the folder in `TFXIO_GOLDEN_DIR`, and prints a line for each kind:
//! `KIND: N passed, N failed, N deviating`. This command runs them all and holds the lines against
//! `golden-kinds.txt` and against the number of cases in the files, so that no case is lost between the two.

mod cases;
mod kinds;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::cases::Cases;
use self::kinds::{Kinds, Owner};
use crate::process;
use crate::test_programs;
use crate::workspace::{self, Member, Metadata};

/// The variable that names a folder with further cases.
const FOLDER: &str = "TFXIO_GOLDEN_DIR";

/// The target of the programs that run them.
pub const TARGET: &str = "golden";

const TABLE: &str = "xtask/golden-kinds.txt";

/// Runs the command.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let members = Metadata::load_members(&root)?.members();
    // All at once, with the features of the tests of the workspace: built crate by crate, each would have features of its own, and
    // all dependencies once more with them.
    let args = ["--workspace", "--all-features", "--test", TARGET].map(str::to_owned);
    let mut ran = Vec::new();
    for program in test_programs::build(&root, &members, &args)?.programs {
        let outcome = program.run("", |_| {})?;
        if !outcome.success {
            bail!("{} failed", program.name());
        }
        ran.push((program.package, outcome.lines));
    }
    check(&root, &members, &|_| true, ran)
}

/// Checks that each case that a chosen member owns was run and passed, by the lines that the programs of these crates have printed.
pub fn check(
    root: &Path,
    members: &[Member],
    is_chosen: &dyn Fn(&str) -> bool,
    printed: Vec<(String, Vec<String>)>,
) -> Result<()> {
    println!("\n== recorded cases");
    let text = std::fs::read_to_string(root.join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let kinds = Kinds::parse(&text)?;
    let cases = Cases::count(&folders(root)?, &kinds)?;
    let mut faults = faults_of_table(&kinds, &cases, members);
    let mut ran = BTreeMap::new();
    for (name, lines) in printed {
        for counts in lines.iter().filter_map(|line| Counts::parse(line)) {
            ran.insert((name.clone(), counts.kind.clone()), counts);
        }
    }
    faults.extend(faults_of_runs(&kinds, &cases, members, is_chosen, &ran));
    summary(&kinds, &cases);
    if faults.is_empty() {
        return Ok(());
    }
    bail!("\n  {}", faults.join("\n  "))
}

/// The folders with cases: the repository's, and the one in the environment if it is set.
fn folders(root: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = vec![root.join("fixtures").join("golden")];
    if let Some(folder) = process::data_folder(FOLDER) {
        if !folder.is_dir() {
            bail!("{FOLDER} names {}, which is no folder", folder.display());
        }
        folders.push(folder);
    }
    Ok(folders)
}

/// Counts of one kind that a harness reports.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    kind: String,
    passed: u64,
    failed: u64,
    deviating: u64,
}

impl Counts {
    /// Reads `KIND: N passed, N failed, N deviating`, and whatever follows after a blank.
    fn parse(line: &str) -> Option<Self> {
        // The runner may have printed a dot for another test before it.
        let (kind, rest) = line.trim().trim_start_matches('.').split_once(": ")?;
        let mut parts = rest.splitn(3, ", ");
        let mut number = |what: &str| {
            let part = parts.next()?;
            let (number, rest) = part.split_once(' ')?;
            rest.split([' ', ';', ':', ',']).next().filter(|word| *word == what)?;
            number.parse().ok()
        };
        let (passed, failed, deviating) = (number("passed")?, number("failed")?, number("deviating")?);
        Some(Self { kind: kind.to_owned(), passed, failed, deviating })
    }

    fn all(&self) -> u64 {
        self.passed + self.failed + self.deviating
    }
}

/// Returns the faults of the table, before anything has run.
fn faults_of_table(kinds: &Kinds, cases: &Cases, members: &[Member]) -> Vec<String> {
    let mut out = Vec::new();
    for (kind, file) in &cases.unknown {
        out.push(format!("kind `{kind}` ({file}) is not in {TABLE}"));
    }
    for (kind, owner) in kinds.owned() {
        if cases.owned.get(kind).copied().unwrap_or(0) == 0 && !kinds.elsewhere(kind) {
            out.push(format!("kind `{kind}` belongs to {owner} and has no case"));
        }
        match members.iter().find(|member| member.name == owner) {
            None => out.push(format!("kind `{kind}` belongs to {owner}, which is no crate of ours")),
            Some(member) if !member.has_target("test", TARGET) => {
                out.push(format!("kind `{kind}` belongs to {owner}, which has no test target `golden`"));
            }
            Some(_) => {}
        }
    }
    out.dedup();
    out
}

/// Returns the faults of the harnesses' reports.
fn faults_of_runs(
    kinds: &Kinds,
    cases: &Cases,
    members: &[Member],
    is_chosen: &dyn Fn(&str) -> bool,
    ran: &BTreeMap<(String, String), Counts>,
) -> Vec<String> {
    let mut out = Vec::new();
    for (kind, owner) in kinds.owned() {
        let has_harness =
            members.iter().any(|member| member.name == owner && member.has_target("test", TARGET));
        // Without a harness it was said already.
        if !has_harness || !is_chosen(owner) {
            continue;
        }
        let wanted = cases.owned.get(kind).copied().unwrap_or(0);
        match ran.get(&(owner.to_owned(), kind.to_owned())) {
            None => out.push(format!("{owner}: the harness said nothing of `{kind}` ({wanted} cases)")),
            Some(counts) if counts.all() != wanted => out.push(format!(
                "{owner}: the harness counted {} cases of `{kind}`, the files hold {wanted}",
                counts.all()
            )),
            Some(counts) if counts.failed > 0 => {
                out.push(format!("{owner}: {} cases of `{kind}` failed", counts.failed));
            }
            Some(_) => {}
        }
    }
    out
}

/// Prints the number of cases that wait, or are recorded for comparison only.
fn summary(kinds: &Kinds, cases: &Cases) {
    let sum = |wanted: &Owner| -> u64 {
        cases.others.iter().filter(|(kind, _)| kinds.rest(kind) == Some(wanted)).map(|(_, n)| n).sum()
    };
    let owned: u64 = cases.owned.values().sum();
    println!(
        "recorded cases: {owned} owned, {} for later, {} for comparison only",
        sum(&Owner::Later),
        sum(&Owner::Compare)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &str = "a one\nb one when /inputs/schema is null\nc later\n";

    fn member(name: &str, target: &str) -> Member {
        Member {
            name: name.to_owned(),
            targets: vec![("test".to_owned(), target.to_owned())],
            ..Member::default()
        }
    }

    fn cases(owned: &[(&str, u64)]) -> Cases {
        Cases { owned: owned.iter().map(|&(kind, n)| (kind.to_owned(), n)).collect(), ..Cases::default() }
    }

    #[test]
    fn reads_the_lines_of_a_harness() {
        let counts = Counts::parse("decode_examples: 3 passed, 0 failed, 1 deviating").unwrap();
        assert_eq!(counts, Counts { kind: "decode_examples".to_owned(), passed: 3, failed: 0, deviating: 1 });
        assert!(Counts::parse("a: 1 passed, 2 failed, 0 deviating: x, y").is_some());
        assert_eq!(Counts::parse("a: 1 passed, 2 failed"), None);
        assert_eq!(Counts::parse("test result: ok. 1 passed; 0 failed"), None);
    }

    #[test]
    fn finds_unknown_kinds_and_kinds_without_a_case_or_a_harness() {
        let kinds = Kinds::parse(KINDS).unwrap();
        let mut found = cases(&[("a", 1)]);
        found.unknown.insert("z".to_owned(), "z.jsonl".to_owned());
        assert_eq!(
            faults_of_table(&kinds, &found, &[member("one", "golden")]),
            [
                "kind `z` (z.jsonl) is not in xtask/golden-kinds.txt",
                "kind `b` belongs to one and has no case"
            ]
        );
        let faults = faults_of_table(&kinds, &cases(&[("a", 1), ("b", 1)]), &[member("one", "x")]);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert_eq!(faults[0], "kind `a` belongs to one, which has no test target `golden`");
        let faults = faults_of_table(&kinds, &cases(&[("a", 1), ("b", 1)]), &[]);
        assert_eq!(faults[0], "kind `a` belongs to one, which is no crate of ours");
    }

    #[test]
    fn finds_cases_that_were_not_run() {
        let kinds = Kinds::parse(KINDS).unwrap();
        let found = cases(&[("a", 3), ("b", 1)]);
        let line = |text: &str| Counts::parse(text).unwrap();
        let key = |kind: &str| ("one".to_owned(), kind.to_owned());
        let faults = |ran| faults_of_runs(&kinds, &found, &[member("one", "golden")], &|_| true, &ran);
        let good = line("a: 2 passed, 0 failed, 1 deviating");
        assert_eq!(faults([(key("a"), good)].into()), ["one: the harness said nothing of `b` (1 cases)"]);
        let short = line("a: 2 passed, 0 failed, 0 deviating");
        let failed = line("b: 0 passed, 1 failed, 0 deviating");
        assert_eq!(
            faults([(key("a"), short), (key("b"), failed)].into()),
            ["one: the harness counted 2 cases of `a`, the files hold 3", "one: 1 cases of `b` failed"]
        );
    }
}
