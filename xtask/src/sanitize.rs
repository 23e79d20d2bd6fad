//! `sanitize`: the tests of crates with `unsafe` code, and of files that other libraries read, with AddressSanitizer.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{process, workspace};

/// Crates with `unsafe` code whose tests are of Rust alone, and their features.
const CRATES: [(&str, &str); 8] = [
    ("avro-path", ""),
    ("example-codec", ""),
    ("tensor-repr", ""),
    ("tfrecord-io", ""),
    ("tfxio-core", ""),
    ("tfxio-format-columnar", ""),
    ("tfxio-format-text", ""),
    (
        "tfxio-formats",
        "tfxio-formats/avro,tfxio-formats/csv,tfxio-formats/ipc,tfxio-formats/jsonl,tfxio-formats/parquet,tfxio-formats/tensors",
    ),
];

/// Builds with the sanitizer, in a folder of its own, and runs the tests.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let toolchain = Toolchain::find(&root)?;
    let target = workspace::Metadata::load_members(&root)?.target_directory().join("sanitize");
    let test = |args: &[&str]| {
        let mut command = process::cargo(&root);
        command.args(["test", "--locked", "--target", &toolchain.host]).args(args);
        // The sanitizer is an option of the compiler that is not stable yet.
        command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
        command.env("CARGO_TARGET_DIR", &target).env("CARGO_INCREMENTAL", "0");
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
        // What cannot be had is an error of ours and not the end; frames are several times as large.
        command.env("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=0:detect_odr_violation=0");
        command.env("RUST_MIN_STACK", (64 << 20).to_string());
        process::run(&mut command)
    };
    for (name, features) in CRATES {
        test(&["-p", name, "--features", features, "--lib", "--tests"])?;
    }
    // One of its tests bounds the address space, most of which the sanitizer takes for itself.
    let features = "tfxio/avro,tfxio/csv,tfxio/ipc,tfxio/jsonl,tfxio/parquet";
    test(&["-p", "tfxio", "--features", features, "--test", "damaged", "--", "--skip", "memory::"])
}

/// The compiler, and whether it can do it.
struct Toolchain {
    host: String,
}

impl Toolchain {
    fn find(root: &Path) -> Result<Self> {
        let said = |args: &[&str]| {
            let output = Command::new("rustc").args(args).current_dir(root).output();
            let output = output.context("cannot run rustc")?;
            String::from_utf8(output.stdout).context("what rustc says is no text")
        };
        let version = said(&["-vV"])?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc does not say for what it builds")?.to_owned();
        let libraries = Path::new(said(&["--print", "sysroot"])?.trim())
            .join("lib")
            .join("rustlib")
            .join(&host)
            .join("lib");
        let has_runtime = std::fs::read_dir(&libraries)
            .with_context(|| format!("cannot list {}", libraries.display()))?
            .filter_map(Result::ok)
            .any(|file| file.file_name().to_string_lossy().ends_with("_rt.asan.a"));
        if !has_runtime {
            bail!(
                "this toolchain has no runtime of AddressSanitizer for {host}: use one of rustup, on Linux or macOS"
            );
        }
        Ok(Self { host })
    }
}
