//! `api`: the list of what each crate makes public, `crates/*/public-api.txt`.
//!
//! rustdoc writes JSON, which the crate `public-api` makes a list of. That rustdoc counts as unstable, so
//! it is called through this program, which allows it: set for cargo, the variable would rebuild every dependency that looks
//! at it.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::process;
use crate::workspace::{self, Member, Metadata};

/// Set where this program is called in place of rustdoc: the rustdoc to run.
const RUSTDOC: &str = "XTASK_RUSTDOC";
/// The file of each crate.
const LIST: &str = "public-api.txt";

/// Writes the lists.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let metadata = Metadata::load_members(&root)?;
    // What is public is so with and without broken links.
    document(&root, "warn")?;
    for member in libraries(&metadata.members()) {
        let path = member.folder.join(LIST);
        let now = list(member, &metadata.target_directory())?;
        // A new file has rustdoc run again: what it reads is in the same folder.
        if fs::read_to_string(&path).ok().as_ref() != Some(&now) {
            fs::write(&path, now).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

/// Has rustdoc check the documentation of all libraries, and write JSON. `warnings` is the level of all of them.
pub fn document(root: &Path, warnings: &str) -> Result<()> {
    // No binaries: the command's has the same name as the umbrella crate. With the examples come the features that tests need,
    // so that what clippy has checked is not checked again.
    process::run(
        process::checking_cargo(root)
            .args(["doc", "--quiet", "--workspace", "--lib", "--examples", "--no-deps", "--all-features"])
            .env("RUSTDOCFLAGS", format!("--{warnings} warnings -Z unstable-options --output-format json"))
            .env(RUSTDOC, std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()))
            .env("RUSTDOC", std::env::current_exe().context("cannot tell where this program is")?),
    )
}

/// The lists that differ from those on disk, after [`document`]. Fails where this toolchain writes another JSON.
pub fn differences(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for member in libraries(&metadata.members()) {
        let now = list(member, &metadata.target_directory())?;
        let then = fs::read_to_string(member.folder.join(LIST)).unwrap_or_default();
        let only = |one: &str, other: &str, sign| {
            let lines = one.lines().filter(|line| !other.lines().any(|known| known == *line));
            lines.map(|line| format!("\n    {sign} {line}")).collect::<String>()
        };
        if now != then {
            let name = member.folder.strip_prefix(root).unwrap_or(&member.folder).display();
            let lines = only(&then, &now, '-') + &only(&now, &then, '+');
            out.push(format!("{name}/{LIST}: `cargo xtask api` changes it:{lines}"));
        }
    }
    Ok(out)
}

/// Runs rustdoc, if cargo calls this program in its place.
pub fn as_rustdoc() -> Option<ExitCode> {
    let rustdoc = std::env::var_os(RUSTDOC)?;
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let status = Command::new(rustdoc).args(&args).env("RUSTC_BOOTSTRAP", "1").status();
    let code = status.ok().and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok());
    // Without a page cargo takes the documentation for missing, and makes it again each time.
    let after = |name: &str| args.iter().skip_while(|arg| *arg != name).nth(1);
    if let (Some(0), Some(folder), Some(name)) = (code, after("-o"), after("--crate-name")) {
        let folder = Path::new(folder).join(name);
        let page = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("index.html"), ""));
        page.is_err().then(|| eprintln!("warning: cannot write into {}", folder.display()));
    }
    Some(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

fn libraries(members: &[Member]) -> impl Iterator<Item = &Member> {
    members.iter().filter(|member| member.published && member.has_kind("lib"))
}

/// The list of a crate, one item a line, without implementations that the compiler derives or that every type has.
fn list(member: &Member, target: &Path) -> Result<String> {
    let path = target.join("doc").join(format!("{}.json", member.lib_target().replace('-', "_")));
    if !path.is_file() {
        bail!("rustdoc has not written {}", path.display());
    }
    let api = public_api::Builder::from_rustdoc_json(&path)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .with_context(|| {
            format!("cannot read {}; the lists are made with another toolchain", path.display())
        })?;
    Ok(api.items().map(|item| format!("{item}\n")).collect())
}
