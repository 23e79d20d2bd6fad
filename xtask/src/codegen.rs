//! `codegen`: the `.proto` files of `proto/` become checked-in Rust and descriptors, in the crates that use them.
//!
//! The files are compiled by `protox`, so no `protoc` is needed, and the Rust is checked in, so that
//! users of the crate need neither. `--check` writes nothing and fails when the files would change.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{process, workspace};

/// Code that a crate generates from `proto/`.
struct Target {
    /// Folder of the generated files, from the root.
    out: &'static str,
    /// The files, from `proto/`, or folders of them; what they import comes along.
    sources: &'static [&'static str],
    /// Form of the output.
    form: Form,
}

/// Output of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Messages in Rust.
    Rust,
    /// The encoded `FileDescriptorSet`.
    Descriptors,
}

const TARGETS: &[Target] = &[
    Target {
        out: "crates/tensor-repr/src/proto/generated",
        sources: &[
            "tensorflow",
            "tensorflow_metadata/proto/v0/derived_feature.proto",
            "tensorflow_metadata/proto/v0/path.proto",
            "tensorflow_metadata/proto/v0/schema.proto",
        ],
        form: Form::Descriptors,
    },
    Target { out: "crates/golden-cases/src/generated", sources: &["tensorflow"], form: Form::Rust },
    Target {
        out: "crates/tfxio-tfmd/src/generated",
        sources: &["tensorflow_metadata", "tfx_bsl"],
        form: Form::Rust,
    },
];

/// Name of the file of descriptors.
const DESCRIPTORS: &str = "descriptors.bin";

const HEADER: &str =
    "// Made from proto/ by `cargo xtask codegen`. Change the .proto files, not this one.\n\n";

/// Runs the command.
pub fn run(check: bool) -> Result<()> {
    let root = workspace::root();
    if check { self::check(&root) } else { TARGETS.iter().try_for_each(|target| write(&root, target)) }
}

/// Fails, naming the files, when the checked-in Rust is not what `proto/` gives.
pub fn check(root: &Path) -> Result<()> {
    for target in TARGETS {
        let differences = differences(&generate(root, target)?, &present(&root.join(target.out))?);
        if !differences.is_empty() {
            bail!(
                "the checked-in Rust in {} is not what proto/ gives:\n  {}\n\
                 run `cargo xtask codegen` and commit the result",
                target.out,
                differences.join("\n  ")
            )
        }
        println!("codegen: {} is up to date", target.out);
    }
    unused(root)
}

/// Fails where a file of `proto/` is in no target.
fn unused(root: &Path) -> Result<()> {
    let include = root.join("proto");
    let mut unused = workspace::files_under(&include, "proto")?;
    for target in TARGETS {
        for file in compile(&include, target)?.file_descriptor_set().file {
            unused.retain(|path| *path != include.join(file.name()));
        }
    }
    match unused.first() {
        None => Ok(()),
        Some(file) => bail!("{}: no crate uses it (TARGETS in xtask/src/codegen.rs)", file.display()),
    }
}

fn write(root: &Path, target: &Target) -> Result<()> {
    let out = root.join(target.out);
    let wanted = generate(root, target)?;
    let found = present(&out)?;
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    for name in found.keys().filter(|name| !wanted.contains_key(*name)) {
        fs::remove_file(out.join(name)).with_context(|| format!("cannot remove {}/{name}", target.out))?;
        println!("removed {}/{name}", target.out);
    }
    for (name, content) in &wanted {
        if found.get(name) != Some(content) {
            fs::write(out.join(name), content)
                .with_context(|| format!("cannot write {}/{name}", target.out))?;
            println!("wrote {}/{name}", target.out);
        }
    }
    println!("codegen: {} files in {}", wanted.len(), target.out);
    Ok(())
}

/// Returns the differences between the wanted and the present files, a line each.
fn differences(wanted: &Files, present: &Files) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, content) in wanted {
        match present.get(name) {
            None => lines.push(format!("{name}: missing")),
            Some(found) if found != content => {
                let pairs = content.split(|&byte| byte == b'\n').zip(found.split(|&byte| byte == b'\n'));
                let line = pairs.take_while(|(wanted, found)| wanted == found).count();
                lines.push(format!("{name}: differs from line {} on", line + 1));
            }
            Some(_) => {}
        }
    }
    for name in present.keys().filter(|name| !wanted.contains_key(*name)) {
        lines.push(format!("{name}: nothing in proto/ makes it"));
    }
    lines
}

/// The generated files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// Returns the compiled files of a target.
fn compile(include: &Path, target: &Target) -> Result<protox::Compiler> {
    let mut files = Vec::new();
    for source in target.sources.iter().map(|source| include.join(source)) {
        if source.is_dir() {
            files.extend(workspace::files_under(&source, "proto")?);
        } else {
            files.push(source);
        }
    }
    if files.is_empty() {
        bail!("there is no .proto file of {} in {}", target.out, include.display());
    }
    let mut compiler = protox::Compiler::new([include]).context("cannot set up the compiler")?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(&files).context("proto/ does not compile")?;
    Ok(compiler)
}

/// Returns the files that `proto/` gives.
fn generate(root: &Path, target: &Target) -> Result<Files> {
    let mut compiler = compile(&root.join("proto"), target)?;
    if target.form == Form::Descriptors {
        // Comments are for the Rust alone.
        compiler.include_source_info(false);
        return Ok(BTreeMap::from([(DESCRIPTORS.to_owned(), compiler.encode_file_descriptor_set())]));
    }
    let mut config = prost_build::Config::new();
    config
        // Sorted maps make the bytes of an encoded message a function of the message.
        .btree_map(["."])
        // google.protobuf.Any is generated too, which saves the dependency on prost-types.
        .compile_well_known_types();
    let requests = compiler
        .file_descriptor_set()
        .file
        .into_iter()
        .map(|file| (prost_build::Module::from_protobuf_package_name(file.package()), file))
        .collect();
    let modules = config.generate(requests).context("the .proto files cannot be made into Rust")?;
    let mut out = BTreeMap::new();
    for (module, text) in modules {
        let name = module.to_file_name_or("root");
        // rustfmt leaves files alone that carry prost's marker; our header says the same.
        let text = text.trim_start_matches("// This file is @generated by prost-build.\n");
        let text =
            format(root, &format!("{HEADER}{text}")).with_context(|| format!("cannot format {name}"))?;
        out.insert(name, text.into_bytes());
    }
    Ok(out)
}

/// The text as rustfmt lays it out with the workspace's settings.
fn format(root: &Path, text: &str) -> Result<String> {
    let rustfmt = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    if !process::is_installed(&rustfmt, &["--version"]) {
        bail!("rustfmt is not installed: add it with `rustup component add rustfmt`");
    }
    let mut file = tempfile::tempfile().context("cannot make a temporary file")?;
    file.write_all(text.as_bytes()).and_then(|()| file.rewind()).context("cannot write a temporary file")?;
    let mut command = Command::new(rustfmt);
    process::output(command.current_dir(root).args(["--edition", workspace::EDITION]).stdin(file))
}

/// Returns the files of the folder by name; none if the folder does not exist.
fn present(folder: &Path) -> Result<Files> {
    let mut out = BTreeMap::new();
    for ending in ["rs", "bin"] {
        for path in workspace::files_under(folder, ending)? {
            let mut content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if ending == "rs" {
                // A checkout on Windows may have other line ends.
                content.retain(|&byte| byte != b'\r');
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            out.insert(name, content);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|&(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn differences_name_the_file_and_the_line() {
        let wanted = files(&[("a.rs", "1\n2\n"), ("b.rs", "1\n"), ("c.rs", "")]);
        let found = files(&[("a.rs", "1\n3\n"), ("c.rs", ""), ("d.rs", "")]);
        assert_eq!(
            differences(&wanted, &found),
            ["a.rs: differs from line 2 on", "b.rs: missing", "d.rs: nothing in proto/ makes it"]
        );
    }

    #[test]
    fn the_checked_in_files_are_up_to_date() {
        check(&workspace::root()).unwrap();
    }
}
