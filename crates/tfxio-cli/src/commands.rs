//! The commands, a file each.

pub(crate) mod avro_path;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod extract;
pub(crate) mod head;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod load;
pub(crate) mod man;
pub(crate) mod repair;
pub(crate) mod sample;
pub(crate) mod schema;
pub(crate) mod show;
#[cfg(feature = "sql")]
pub(crate) mod sql;
pub(crate) mod stats;
pub(crate) mod tail;
pub(crate) mod tensors;
pub(crate) mod verify;

use std::collections::HashSet;

use crate::args::DASH;
use crate::context::Context;
use crate::failure::{self, Failure};

/// Runs a command for each file that patterns name. A failure is printed to standard error, and the next file comes;
/// the result has the worst exit code.
fn for_each_file(
    patterns: &[String],
    context: &Context,
    mut run: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut worst = 0;
    let mut fail = |failure: Failure| match failure {
        closed @ (Failure::Closed | Failure::Output(_)) => Err(closed),
        failure => {
            failure.print();
            worst = worst.max(failure.exit_code()).max(failure::DATA);
            Ok(())
        }
    };
    let mut pipes = HashSet::new();
    for pattern in patterns {
        let files = match context.open_options()?.files(pattern) {
            Ok(files) => files,
            Err(error) => {
                fail(error.into())?;
                continue;
            }
        };
        let is_empty = |file: &str| files.store().size(file).is_ok_and(|size| size == Some(0));
        for file in files.names() {
            let is_csv = context.formats.by_ending(file).is_some_and(|format| format.name() == "csv");
            if is_csv && is_empty(file) && files.names().iter().any(|file| !is_empty(file)) {
                // As Spark writes one of a partition without rows.
                failure::say(format_args!("note: {file}: the file is empty: a part without rows"));
                continue;
            }
            let done = if pipe(file).is_some_and(|pipe| !pipes.insert(pipe)) {
                let file = if **file == *DASH { "standard input" } else { file };
                Err(Failure::Usage(format!(
                    "{file}: this is a pipe or another input that can be read once only, and it is named twice"
                )))
            } else {
                run(file)
            };
            done.or_else(&mut fail)?;
        }
    }
    if worst == 0 { Ok(()) } else { Err(Failure::Reported(worst)) }
}

/// Returns what tells a pipe or device from others.
#[cfg(unix)]
fn pipe(name: &str) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let is_stdin = name == DASH;
    let found = std::fs::metadata(if is_stdin { "/dev/stdin" } else { name });
    let is_pipe = |found: &std::fs::Metadata| is_stdin || !(found.is_file() || found.is_dir());
    match found {
        Ok(found) => is_pipe(&found).then(|| (found.dev(), found.ino())),
        Err(_) => is_stdin.then_some((0, 0)),
    }
}

/// Other systems have no other such names.
#[cfg(not(unix))]
fn pipe(name: &str) -> Option<(u64, u64)> {
    (name == DASH).then_some((0, 0))
}
