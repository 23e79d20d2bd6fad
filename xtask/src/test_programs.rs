//! Test programs: building them, and running each once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::outcome::{self, Outcome};
use crate::workspace::{self, Member};
use crate::{process, python};

/// One program of tests.
#[derive(Debug, PartialEq, Eq)]
pub struct Program {
    /// The member that it tests.
    pub package: String,
    /// The name of its target: of a library, a binary or a file of tests.
    pub target: String,
    /// Whether it is the program of integration tests, not of a library or binary.
    pub is_integration: bool,
    /// The folder of the member, in which it runs.
    pub folder: PathBuf,
    /// The program itself.
    pub path: PathBuf,
}

/// Programs that were built, and the size of that build.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The programs, member by member in the order of the root manifest.
    pub programs: Vec<Program>,
    /// Crates that were compiled, build scripts included.
    pub compiled: usize,
    /// Crates that an earlier build had compiled.
    pub fresh: usize,
    /// The library of the Python package, if it is among what was built.
    pub python: Option<PathBuf>,
}

/// Builds what the arguments of `cargo build` choose, test programs and what they need.
pub fn build(root: &Path, members: &[Member], args: &[String]) -> Result<Built> {
    let mut command = process::cargo(root);
    command.arg("build").args(args).args(["--message-format", "json-render-diagnostics"]);
    command.stderr(Stdio::inherit());
    println!("$ {}", process::shown(&command));
    Ok(read(&process::output(&mut command)?, members))
}

/// Reads the messages of cargo.
fn read(messages: &str, members: &[Member]) -> Built {
    let mut built = Built::default();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        match message["fresh"].as_bool() {
            Some(true) => built.fresh += 1,
            _ => built.compiled += 1,
        }
        built.programs.extend(program(&message, members));
        built.python = built.python.or_else(|| python_library(&message, members));
    }
    let index = |program: &Program| members.iter().position(|member| member.name == program.package);
    built.programs.sort_by(|a, b| {
        let key = |program: &Program| (index(program), program.is_integration, program.target.clone());
        key(a).cmp(&key(b))
    });
    built
}

/// Returns the member that a message is about.
fn member<'a>(message: &Value, members: &'a [Member]) -> Option<&'a Member> {
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    members.iter().find(|member| member.folder == folder)
}

fn python_library(message: &Value, members: &[Member]) -> Option<PathBuf> {
    member(message, members).filter(|member| member.name == python::MEMBER)?;
    message["target"]["crate_types"].as_array()?.iter().find(|kind| *kind == "cdylib")?;
    Some(message["filenames"][0].as_str()?.into())
}

fn program(message: &Value, members: &[Member]) -> Option<Program> {
    let path = PathBuf::from(message["executable"].as_str()?);
    message["profile"]["test"].as_bool().filter(|is_test| *is_test)?;
    let member = member(message, members)?;
    let target = &message["target"];
    Some(Program {
        package: member.name.clone(),
        target: workspace::text(&target["name"]).to_owned(),
        is_integration: target["kind"].as_array()?.iter().any(|kind| kind == "test"),
        folder: member.folder.clone(),
        path,
    })
}

impl Program {
    /// Returns the name under which its tests are listed.
    pub fn name(&self) -> String {
        match self.is_integration {
            true => format!("{} {}", self.package, self.target),
            false => self.package.clone(),
        }
    }

    /// Runs the tests whose names have `filter` in them, all where it is empty.
    pub fn run(&self, filter: &str, environment: impl FnOnce(&mut Command)) -> Result<Outcome> {
        let mut command = process::program(&self.path, &self.folder);
        environment(&mut command);
        // Programs of the tests of a macro need the libraries of the compiler.
        command.env("LD_LIBRARY_PATH", library_path(&self.folder)?);
        // To report times counts as unstable, and is allowed to this program alone: set for cargo, the variable would rebuild
        // every dependency that looks at it.
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "unstable-options", "--report-time"]);
        if self.target == crate::golden::TARGET && self.is_integration {
            // Its lines are read.
            command.args(["--nocapture", "--test-threads", "2"]);
        }
        command.args((!filter.is_empty()).then_some(filter));
        outcome::run(&self.name(), &mut command)
    }
}

/// Returns the folders in which a program finds shared libraries: the folders that are set, followed by the compiler's.
fn library_path(folder: &Path) -> Result<std::ffi::OsString> {
    let sysroot = process::output(process::program("rustc", folder).args(["--print", "sysroot"]))?;
    let mut folders = std::env::var_os("LD_LIBRARY_PATH")
        .map(|value| std::env::split_paths(&value).collect::<Vec<_>>())
        .unwrap_or_default();
    folders.push(Path::new(sysroot.trim()).join("lib"));
    std::env::join_paths(folders).context("a folder of shared libraries has a colon in its name")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str) -> Member {
        Member { name: name.to_owned(), folder: format!("/w/{name}").into(), ..Member::default() }
    }

    fn artifact(member: &str, kind: &str, name: &str, test: bool, executable: &str) -> String {
        format!(
            r#"{{"reason": "compiler-artifact", "manifest_path": "/w/{member}/Cargo.toml", "fresh": false, "profile": {{"test": {test}}}, "target": {{"name": "{name}", "kind": ["{kind}"], "crate_types": ["{kind}"]}}, "filenames": ["/t/lib{name}.so"], "executable": {executable}}}"#
        )
    }

    #[test]
    fn programs_come_member_by_member() {
        let messages = [
            artifact("b", "test", "suite", true, "\"/t/3\""),
            artifact("b", "bin", "b", false, "\"/t/b\""),
            artifact("a", "test", "suite", true, "\"/t/2\""),
            artifact("a", "lib", "a", true, "\"/t/1\""),
            artifact("a", "lib", "a", false, "null"),
            artifact(python::MEMBER, "cdylib", "_lib", false, "null"),
            r#"{"reason": "compiler-artifact", "fresh": true, "target": {}, "executable": null}"#.to_owned(),
            r#"{"reason": "build-finished", "success": true}"#.to_owned(),
            "not JSON".to_owned(),
        ];
        let built = read(&messages.join("\n"), &[member("a"), member("b"), member(python::MEMBER)]);
        let programs = built.programs.iter().map(|program| (program.name(), program.path.clone()));
        let expected = [("a", "/t/1"), ("a suite", "/t/2"), ("b suite", "/t/3")];
        assert_eq!(
            programs.collect::<Vec<_>>(),
            expected.map(|(name, path)| (name.to_owned(), PathBuf::from(path)))
        );
        assert_eq!((built.compiled, built.fresh), (6, 1));
        assert_eq!(built.python, Some("/t/lib_lib.so".into()));
    }
}
