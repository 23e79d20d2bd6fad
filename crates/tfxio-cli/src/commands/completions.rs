//! `tfxio completions`: what completes commands and flags in a shell.

use std::io::Write as _;

use tfxio::Formats;

use crate::args::Completions;
use crate::output::Output;
use crate::{Done, help};

pub(crate) fn run(args: &Completions, formats: &Formats) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::command(formats), "tfxio", &mut script);
    let mut out = Output::new();
    out.write_all(&script)?;
    Ok(out.finish()?)
}
