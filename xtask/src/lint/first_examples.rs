//! The first example of each README compiles alone: as a package whose dependencies are the lines that the README shows.
//!
//! The packages are in one folder of the target directory. They share its lock, which begins as ours, and our target
//! directory and profile, so that only code that their features change is built again. Dependencies on our crates come
//! from here, not from the git repository. Small dependencies at the bottom have the features of [`builds::SHARED_FEATURES`].

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::{Context, Remarks, builds, none, readmes};
use crate::process;
use crate::workspace::{EDITION, Member};

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let target = context.metadata.target_directory();
    let folder = target.join("readmes");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let members = || context.members.iter().filter(|member| member.published);
    let shared = context.root.join("xtask").join(builds::SHARED_FEATURES).display().to_string();
    for member in members() {
        let readme = fs::read_to_string(member.folder.join("README.md"))?;
        let mut dependencies = local(readmes::dependencies(&readme), context.members);
        let _ = writeln!(dependencies, "{} = {{ path = {shared:?} }}", builds::SHARED_FEATURES);
        let example = readmes::examples(&readme).next().unwrap_or_default();
        write(&folder.join(&member.name), &member.name, &dependencies, example)?;
    }
    let names = members().map(|member| format!("{:?}", member.name)).collect::<Vec<_>>().join(", ");
    let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = [{names}]\n");
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(context.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let profile = context.metadata.development_profile(context.root)?;
    let mut failed = Vec::new();
    // One by one: together, the features of one would hide what another lacks.
    for member in members() {
        let mut command = process::checking_cargo(&folder);
        command.arg("--config").arg(&profile).args(["check", "--quiet", "-p", &package(&member.name)]);
        command.env("CARGO_TARGET_DIR", &target);
        if let Err(error) = process::run(&mut command) {
            failed.push(format!("crates/{}/README.md: {error:#}", member.name));
        }
    }
    none(failed)
}

/// The name of the package of a README.
fn package(name: &str) -> String {
    format!("readme-of-{name}")
}

/// Returns the dependencies as lines of a manifest, with our crates from their folders.
fn local<'a>(dependencies: impl Iterator<Item = (&'a str, &'a str)>, members: &[Member]) -> String {
    let mut lines = String::new();
    for (name, requirement) in dependencies {
        let ours = members.iter().find(|member| member.name == name);
        let requirement = match (ours, requirement.split_once("git = \"")) {
            (Some(member), Some((before, rest))) => {
                let rest = rest.split_once('"').map_or("", |(_, rest)| rest);
                format!("{before}path = {:?}{rest}", member.folder.display().to_string())
            }
            _ => requirement.to_owned(),
        };
        let _ = writeln!(lines, "{name} = {requirement}");
    }
    lines
}

/// Writes a package: a program, or a library where the example has no `main`.
fn write(folder: &Path, name: &str, dependencies: &str, example: &str) -> Result<()> {
    if example.lines().any(|line| line.starts_with("# ")) {
        bail!("crates/{name}/README.md: the first example has lines that only rustdoc hides");
    }
    let file = if example.contains("fn main()") { "main.rs" } else { "lib.rs" };
    let package = package(name);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = {package:?}\nversion = \"0.0.0\"\nedition = {EDITION:?}\n\n[dependencies]\n{dependencies}"
        ),
    )?;
    fs::write(folder.join("src").join(file), format!("{example}\n"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_crates_come_from_their_folders() {
        let members = [Member { name: "ours".to_owned(), folder: "/a/ours".into(), ..Member::default() }];
        let readme = "```toml\n[dependencies]\nours = { git = \"https://x\", features = [\"f\"] }\nother = \"1\" # why\n```\n";
        assert_eq!(
            local(readmes::dependencies(readme), &members),
            "ours = { path = \"/a/ours\", features = [\"f\"] }\nother = \"1\" # why\n"
        );
    }
}
