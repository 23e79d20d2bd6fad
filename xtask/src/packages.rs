//! `packages`: the dry run of a release. What would be published is packaged, unpacked, and tested without the rest of the repository.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::process;
use crate::workspace::{self, Member, Metadata};

/// Packages all published crates, each with those it depends on before it, and returns the folder of the files.
pub fn pack(root: &Path, metadata: &Metadata, members: &[Member]) -> Result<PathBuf> {
    let target = metadata.target_directory().join("packages");
    let mut command = process::cargo(root);
    // `--no-verify`: lint builds the same sources, and `run` what is in the packages.
    command.args(["package", "--workspace", "--no-verify", "--offline", "--allow-dirty", "--quiet"]);
    command.arg("--target-dir").arg(&target);
    for member in members.iter().filter(|member| !member.published) {
        command.args(["--exclude", &member.name]);
    }
    process::run(&mut command)?;
    Ok(target.join("package"))
}

/// Tests the packages of all published crates: unit tests, documentation tests, and examples, which are only compiled.
///
/// The unpacked packages are a workspace with our lock file. Dependencies between them, which name versions on the registry, are
/// replaced by the packages; other crates are compiled as for the tests of the repository, in the same target directory.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let metadata = Metadata::load_members(&root)?;
    let members = metadata.members();
    let packages = pack(&root, &metadata, &members)?;
    let folder = metadata.target_directory().join("unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let published = members.iter().filter(|member| member.published).collect::<Vec<_>>();
    for member in &published {
        let mut tar = process::program("tar", &folder);
        // `m`: files are of now. Those of packages have one time for ever, by which cargo would take them for what it has compiled before.
        tar.arg("-xzmf").arg(packages.join(unpacked(member) + ".crate"));
        process::output(&mut tar)?;
        let manifest = folder.join(unpacked(member)).join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        fs::write(&manifest, text.clone() + &crates_above(member, &published, &text))?;
    }
    fs::write(folder.join("Cargo.toml"), manifest(&published))?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut command = process::cargo(&folder);
    command.arg("--config").arg(metadata.development_profile(&root)?);
    command.args(["test", "--workspace", "--all-features", "--no-fail-fast", "--quiet"]);
    process::run(command.env("CARGO_TARGET_DIR", metadata.target_directory()))?;
    println!("packages: {} are complete", published.len());
    Ok(())
}

/// Returns the name of the folder in a package.
fn unpacked(member: &Member) -> String {
    format!("{}-{}", member.name, member.version)
}

/// Returns the lines for crates that depend on this one and are in its examples. Its package has them not: a crate that is published first
/// cannot name a version of a later one.
fn crates_above(member: &Member, published: &[&Member], manifest: &str) -> String {
    let is_lost = |other: &&&Member| {
        let is_named = |(name, kind): &(String, String)| *name == other.name && kind == "dev";
        member.dependencies.iter().any(is_named)
            && !manifest.contains(&format!("[dev-dependencies.{}]", other.name))
    };
    let line =
        |other: &&Member| format!("\n[dev-dependencies.{}]\nversion = {:?}\n", other.name, other.version);
    published.iter().filter(is_lost).map(line).collect()
}

/// Returns the manifest of a workspace of packages, each of which depends on the others by their versions.
fn manifest(published: &[&Member]) -> String {
    let mut text = "[workspace]\nresolver = \"3\"\nmembers = [\n".to_owned();
    for member in published {
        let _ = writeln!(text, "    {:?},", unpacked(member));
    }
    text.push_str("]\n\n[patch.crates-io]\n");
    for member in published {
        let _ = writeln!(text, "{} = {{ path = {:?} }}", member.name, unpacked(member));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_the_crates_above() {
        let dev = |name: &str| (name.to_owned(), "dev".to_owned());
        let below =
            Member { dependencies: vec![dev("above"), dev("beside"), dev("private")], ..Member::default() };
        let above = Member { name: "above".to_owned(), version: "0.1.0".to_owned(), ..Member::default() };
        let beside = Member { name: "beside".to_owned(), ..Member::default() };
        assert_eq!(
            crates_above(&below, &[&above, &beside], "[dev-dependencies.beside]\nversion = \"1\"\n"),
            "\n[dev-dependencies.above]\nversion = \"0.1.0\"\n"
        );
    }

    #[test]
    fn packages_depend_on_each_other_by_their_folders() {
        let member =
            |name: &str| Member { name: name.to_owned(), version: "0.1.0".to_owned(), ..Member::default() };
        let (below, above) = (member("below"), member("above"));
        assert_eq!(
            manifest(&[&below, &above]),
            "[workspace]\nresolver = \"3\"\nmembers = [\n    \"below-0.1.0\",\n    \"above-0.1.0\",\n]\n\n\
             [patch.crates-io]\nbelow = { path = \"below-0.1.0\" }\nabove = { path = \"above-0.1.0\" }\n"
        );
    }
}
