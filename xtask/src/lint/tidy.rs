//! Rules on the text of files: length, names, ends of lines, what every crate has.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none, shown};
use crate::workspace;

/// Lines of a Rust file above which it is worth a look.
const LONG: usize = 300;
/// Lines of a Rust file above which the rule fails.
const TOO_LONG: usize = 800;
/// Module names that describe no purpose.
const VAGUE: &[&str] = &["utils", "util", "common", "helpers", "helper", "misc"];
/// Extensions of files that people write.
const TEXT: &[&str] = &["rs", "toml", "md", "proto", "py", "yml", "yaml", "sh", "txt"];
/// Folders that hold no text of ours.
const SKIPPED: &[&str] = &["target", ".git", "corpus", "artifacts", "__pycache__", "node_modules"];

pub(super) fn check(context: &Context<'_>, remarks: &mut Remarks) -> Result<()> {
    let mut findings = Vec::new();
    for path in text_files(context.root)? {
        let name = shown(context.root, &path);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name} as UTF-8"))?;
        findings.extend(blanks(&text).map(|finding| format!("{name}{finding}")));
        if path.extension().is_some_and(|extension| extension == "rs") && !is_generated(&name) {
            match length(&text) {
                Length::Fine => {}
                Length::Long(lines) => {
                    remarks.warnings.push(format!("{name}: {lines} lines; most files have under {LONG}"));
                }
                Length::TooLong(lines) => {
                    findings.push(format!("{name}: {lines} lines; split it, {TOO_LONG} is the most"))
                }
            }
            if !text.starts_with("//!") {
                findings.push(format!("{name}:1: must begin with `//!` and what the file is for"));
            }
            if let Some(vague) = vague_name(&name) {
                findings.push(format!("{name}: a module called `{vague}` says nothing of its subject"));
            }
            if is_inside_its_folder(&name) {
                findings.push(format!("{name}: a module is a file beside its folder, `x.rs` and `x/`"));
            }
            findings.extend(rust_lines(&text).map(|finding| format!("{name}{finding}")));
        }
    }
    for member in context.members.iter().filter(|member| member.published) {
        for file in ["README.md", "CHANGELOG.md"] {
            if !member.folder.join(file).is_file() {
                findings.push(format!("{}: has no {file}", shown(context.root, &member.folder)));
            }
        }
        let changes = fs::read_to_string(member.folder.join("CHANGELOG.md")).unwrap_or_default();
        let heading = format!("## {}", member.version);
        if !changes.lines().any(|line| line.split(" (").next() == Some(&heading)) {
            let folder = shown(context.root, &member.folder);
            findings.push(format!("{folder}/CHANGELOG.md: has no heading `{heading}`"));
        }
    }
    none(findings)
}

enum Length {
    Fine,
    Long(usize),
    TooLong(usize),
}

fn length(text: &str) -> Length {
    match text.lines().count() {
        lines if lines > TOO_LONG => Length::TooLong(lines),
        lines if lines > LONG => Length::Long(lines),
        _ => Length::Fine,
    }
}

/// Blanks at the end of lines, and a last line that does not end.
fn blanks(text: &str) -> impl Iterator<Item = String> + '_ {
    let trailing = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.ends_with([' ', '\t']))
        .map(|(at, _)| format!(":{}: blanks at the end of the line", at + 1));
    let end = (!text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")))
        .then(|| ": must end with exactly one line end".to_owned());
    trailing.chain(end)
}

/// Returns lines that are forbidden in Rust files: vague modules, and tests that never run.
fn rust_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().enumerate().filter_map(|(at, line)| {
        let code = line.trim_start();
        // Split in two, so that this file does not find itself.
        // One in place of the tests of a feature names the command that runs them.
        let is_of_feature = code.ends_with(" --all-features\"]");
        if code.starts_with(concat!("#[", "ignore")) && !is_of_feature {
            return Some(format!(":{}: an ignored test tests nothing; make it run or remove it", at + 1));
        }
        let name = declared_module(code)?;
        VAGUE
            .contains(&name)
            .then(|| format!(":{}: a module called `{name}` says nothing of its subject", at + 1))
    })
}

/// The name in `mod name;` or `mod name {`, whatever its visibility.
fn declared_module(code: &str) -> Option<&str> {
    let mut words = code.split_whitespace();
    let mut word = words.next()?;
    if word.starts_with("pub") {
        word = words.next()?;
    }
    if word != "mod" {
        return None;
    }
    words.next().map(|name| name.trim_end_matches([';', '{']))
}

/// The vague part of a path, if it has one.
fn vague_name(path: &str) -> Option<&'static str> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    VAGUE.iter().copied().find(|vague| path.split('/').any(|part| part == *vague))
}

/// Whether a module is `x/mod.rs`, which only tests are, so that it is not a test of its own.
fn is_inside_its_folder(path: &str) -> bool {
    path.ends_with("/mod.rs") && path.split('/').any(|part| part == "src")
}

fn is_generated(name: &str) -> bool {
    name.contains("/generated/")
}

/// Every file of the repository that people write, sorted.
pub(super) fn text_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut out = workspace::files(root, SKIPPED)?;
    out.retain(|path| is_text(path));
    Ok(out)
}

/// Fixtures are data, whatever their extension: a damaged file may well be called `.txt`.
fn is_text(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let in_fixtures = path.components().any(|part| part.as_os_str() == "fixtures");
    let text = if in_fixtures { matches!(extension, "py" | "md") } else { TEXT.contains(&extension) };
    text || (path.ends_with("run")
        && path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".ci"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_blanks_with_their_line() {
        let found: Vec<_> = blanks("a\nb \n\tc\n").collect();
        assert_eq!(found, [":2: blanks at the end of the line"]);
        assert_eq!(blanks("a").collect::<Vec<_>>(), [": must end with exactly one line end"]);
        assert_eq!(blanks("a\n\n").count(), 1);
        assert_eq!(blanks("").count(), 0);
    }

    #[test]
    fn finds_vague_modules() {
        assert_eq!(declared_module("pub(crate) mod frame;"), Some("frame"));
        assert_eq!(declared_module("mod tests {"), Some("tests"));
        assert_eq!(declared_module("modern();"), None);
        let text = format!("mod {};\n", VAGUE[0]);
        assert_eq!(rust_lines(&text).count(), 1);
        assert_eq!(vague_name("crates/x/src/utils.rs"), Some("utils"));
        assert_eq!(vague_name("crates/x/tests/common/mod.rs"), Some("common"));
        assert_eq!(vague_name("crates/x/src/commonplace.rs"), None);
    }

    #[test]
    fn finds_modules_inside_their_folders() {
        assert!(is_inside_its_folder("crates/x/src/store/mod.rs"));
        assert!(!is_inside_its_folder("crates/x/src/store.rs"));
        assert!(!is_inside_its_folder("crates/x/tests/data/mod.rs"));
    }

    #[test]
    fn finds_tests_that_never_run() {
        let text = format!("    {}]\n", concat!("#[", "ignore"));
        assert_eq!(rust_lines(&text).count(), 1);
        let of_feature =
            format!("    {} = \"stores: cargo test -p a --all-features\"]\n", concat!("#[", "ignore"));
        assert_eq!(rust_lines(&of_feature).count(), 0);
    }

    #[test]
    fn counts_lines() {
        assert!(matches!(length(&"\n".repeat(LONG)), Length::Fine));
        assert!(matches!(length(&"\n".repeat(LONG + 1)), Length::Long(301)));
        assert!(matches!(length(&"\n".repeat(TOO_LONG + 1)), Length::TooLong(801)));
    }
}
