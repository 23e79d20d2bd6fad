//! Parts that a run leaves out, and how to have them run.

use std::path::Path;

use super::selection::Selection;
use crate::workspace::Member;
use crate::{process, python};

/// Returns a line for each part that was left out.
pub fn left_out(root: &Path, members: &[Member], selection: &Selection) -> Vec<String> {
    let mut out = Vec::new();
    let others = members.iter().filter(|member| !selection.has(&member.name)).count();
    if others > 0 {
        out.push(format!("{others} of {} crates: they were not chosen", members.len()));
    }
    for (variable, what) in process::DATA_FOLDERS {
        match process::data_folder(variable) {
            None => out.push(format!("{what}: {variable} is not set")),
            Some(folder) if !folder.is_dir() => {
                out.push(format!("{what}: {variable} names {}, which is no folder", folder.display()));
            }
            Some(_) => {}
        }
    }
    out.push(
        "tests of undefined behaviour: they need Miri on a nightly toolchain (`cargo +nightly miri test -p CRATE`)"
            .to_owned(),
    );
    if root.join("fuzz").join("Cargo.toml").is_file() {
        out.push(
            "fuzzing: it has no end; `cargo fuzz run TARGET` runs one target (CONTRIBUTING.md)".to_owned(),
        );
    }
    if root.join("crates/tfxio-sql/cluster").join("Cargo.toml").is_file() {
        out.push(
            "SQL on several machines: it builds DataFusion once more (`cargo xtask sql-cluster`)".to_owned(),
        );
    }
    if root.join("crates/batch-loader/frameworks").join("Cargo.toml").is_file() {
        out.push(
            "training with candle, burn and ndarray: these are large (`cargo xtask frameworks`)".to_owned(),
        );
    }
    if members.iter().any(|member| member.has_kind("bench")) {
        out.push("benchmarks: they need a quiet machine (`cargo xtask bench`)".to_owned());
    }
    out.extend(selection.has(python::MEMBER).then(python::missing).flatten());
    out.extend(selection.has("tfxio-stats").then(missing_browser).flatten());
    out
}

/// Returns why the pages of statistics were not opened, if they were not. Where `CI` is `true`, the tests have failed then.
fn missing_browser() -> Option<String> {
    // As in crates/tfxio-stats/src/page/tests/browser.rs.
    const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
    let is_there = PROGRAMS.iter().any(|program| process::is_installed(program, &["--version"]));
    (!is_there)
        .then(|| format!("tests of HTML pages in a browser: none of {} is installed", PROGRAMS.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(members: &[Member], selection: &Selection, text: &str) -> bool {
        left_out(Path::new("no such folder"), members, selection).iter().any(|line| line.starts_with(text))
    }

    #[test]
    fn benchmarks_are_left_out_where_there_are_some() {
        let member =
            |kind: &str| Member { targets: vec![(kind.to_owned(), "t".to_owned())], ..Member::default() };
        assert!(says(&[member("bench")], &Selection::All, "benchmarks"));
        assert!(!says(&[member("lib")], &Selection::All, "benchmarks"));
    }

    #[test]
    fn crates_that_were_not_chosen_are_counted() {
        let members = ["a", "b", "c"].map(|name| Member { name: name.to_owned(), ..Member::default() });
        let some = Selection::Some { named: vec!["a".to_owned()], above: Vec::new() };
        assert!(says(&members, &some, "2 of 3 crates"));
        assert!(!says(&members, &Selection::All, "0 of"));
    }
}
