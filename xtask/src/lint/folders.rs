//! The rule on folders: the folders of a crate depend on each other in one direction.
//!
//! Imports are read as text: what follows `crate::`, through the names that the root of the crate re-exports. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::{Context, Remarks, none};
use crate::workspace;

/// Circles of modules with folders that are allowed, by member, each with the reason.
const CIRCLES: &[(&str, &str)] = &[
    // An expression and the program of it are one idea.
    ("avro-path", "key program"),
    // A configuration may hold a manifest, and a manifest is drafted with a configuration for it.
    ("tfxio-batch-loader", "config manifest"),
    // A schema is inferred by decoding, and decoded by.
    ("example-codec", "decode example foreign infer"),
    ("message-codec", "decode plan"),
    // A representation, the spec of its tensor, and their JSON, which are not cut yet.
    ("tensor-repr", "json_form representation spec tensor"),
    ("tensor-repr", "infer schema"),
    // Frames within compressed streams.
    ("tfrecord-io", "compression frame"),
];

/// Imports between the modules of a crate: of each, the others that it names.
type Imports = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let mut findings = Vec::new();
    for member in context.members {
        let src = member.folder.join("src");
        let found = circles(&imports(&src)?);
        let with_folders = found
            .into_iter()
            .filter(|circle| circle.iter().filter(|name| src.join(name).is_dir()).count() > 1);
        let names = with_folders.map(|circle| circle.into_iter().collect::<Vec<_>>().join(" "));
        let names = names.collect::<Vec<_>>();
        findings.extend(names.iter().filter(|circle| !is_allowed(&member.name, circle)).map(|circle| {
            format!("{}: these modules depend on each other in a circle: {circle}; move what they share below them", member.name)
        }));
        let gone = CIRCLES
            .iter()
            .filter(|(name, circle)| *name == member.name && !names.iter().any(|found| found == circle));
        findings.extend(gone.map(|(name, circle)| {
            format!(
                "{name}: the circle {circle} is gone; take it out of the table in xtask/src/lint/folders.rs"
            )
        }));
    }
    none(findings)
}

fn is_allowed(member: &str, circle: &str) -> bool {
    CIRCLES.iter().any(|(name, allowed)| *name == member && *allowed == circle)
}

/// Reads the imports of all files below `src`.
fn imports(src: &Path) -> Result<Imports> {
    let mut imports = Imports::new();
    let mut texts = Vec::new();
    for path in workspace::files_under(src, "rs")? {
        let name = path.strip_prefix(src)?.to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        texts.push((name, text));
    }
    let module = |name: &str| name.split('/').next().unwrap_or(name).trim_end_matches(".rs").to_owned();
    let modules =
        texts.iter().map(|(name, _)| module(name)).filter(|name| !matches!(&**name, "lib" | "main"));
    let modules = modules.collect::<BTreeSet<_>>();
    let roots = texts.iter().filter(|(name, _)| matches!(&**name, "lib.rs" | "main.rs"));
    let exports = roots.flat_map(|(_, text)| exports(text)).collect::<BTreeMap<_, _>>();
    for (name, text) in &texts {
        let own = module(name);
        if !modules.contains(&own) || name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let named = names_after_crate(&code(text));
        let others = named.into_iter().map(|name| exports.get(&name).cloned().unwrap_or(name));
        let others = others.filter(|other| *other != own && modules.contains(other));
        imports.entry(own.clone()).or_default().extend(others);
    }
    Ok(imports)
}

/// Returns the text without comments and without the module of tests at its end.
fn code(text: &str) -> String {
    let end = text.find("\nmod tests {").unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the first names after each `crate::`.
fn names_after_crate(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, found) in code.match_indices("crate::") {
        let after = &code[at + found.len()..];
        match after.strip_prefix('{') {
            Some(group) => names.extend(firsts(group)),
            None => names.extend(ident(after)),
        }
    }
    names
}

/// Returns the first names of the paths of a group in braces.
fn firsts(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut begins) = (0, Vec::new(), true);
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            _ if begins && (char.is_alphanumeric() || char == '_') => {
                names.extend(ident(&group[at..]));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn ident(text: &str) -> Option<String> {
    let end = text.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

/// Returns the names that the root of a crate re-exports, each with its module.
fn exports(root: &str) -> Vec<(String, String)> {
    let mut exports = Vec::new();
    let code = code(root);
    for statement in code.split(';') {
        let Some((_, path)) = statement.split_once("use ") else { continue };
        let path = path.trim().trim_start_matches("self::");
        let Some((module, names)) = path.split_once("::") else { continue };
        let names = names.trim_matches(['{', '}', '\n', ' ']);
        for name in names.split(',') {
            let last = name.trim().rsplit([':', ' ']).next().unwrap_or(name);
            exports.push((last.to_owned(), module.to_owned()));
        }
    }
    exports
}

/// Returns the sets of modules each of which reaches all others of its set.
fn circles(imports: &Imports) -> Vec<BTreeSet<String>> {
    let reached = |from: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(next) = left.pop() {
            for other in imports.get(&next).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    left.push(other.clone());
                }
            }
        }
        seen
    };
    let all = imports.keys().map(|name| (name.clone(), reached(name))).collect::<BTreeMap<_, _>>();
    let mut circles = BTreeSet::new();
    for (name, seen) in all.iter().filter(|(name, seen)| seen.contains(*name)) {
        let both = seen.iter().filter(|other| all.get(*other).is_some_and(|seen| seen.contains(name)));
        circles.insert(both.cloned().collect::<BTreeSet<_>>());
    }
    circles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn imports_are_read_from_text() {
        let text = "use crate::a::B;\nuse crate::{C, d::{E, F}, g};\n// crate::no\nfn f() { crate::h::i(); }\n\
                    #[cfg(test)]\nmod tests {\n    use crate::only_tests;\n}\n";
        assert_eq!(names_after_crate(&code(text)), set(&["C", "a", "d", "g", "h"]));
    }

    #[test]
    fn names_of_the_root_lead_to_their_modules() {
        let root = "mod a;\npub use self::a::{B, c::D};\npub(crate) use e::F as G;\n";
        let expected = [("B", "a"), ("D", "a"), ("G", "e")];
        assert_eq!(exports(root), expected.map(|(name, module)| (name.to_owned(), module.to_owned())));
    }

    #[test]
    fn circles_are_found() {
        let arrows = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("e", "a")];
        let mut imports = Imports::new();
        for (from, to) in arrows {
            imports.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
        assert_eq!(circles(&imports), [set(&["b", "c"])]);
    }
}
