//! `tfxio sample`: shows rows that are drawn.

use std::hash::{BuildHasher as _, RandomState};

use tfxio::prelude::*;

use crate::args::Sample;
use crate::context::Context;
use crate::failure::say;
use crate::{Done, selection};

pub(crate) fn run(args: &Sample, context: &Context) -> Done {
    // Short enough to be typed again.
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0) % 1_000_000);
    selection::show(&args.files, &args.shown, context, |selection| {
        selection.dataset.sample(args.rows, seed, selection.request.clone())
    })?;
    if args.seed.is_none() {
        say(format_args!("note: drawn with --seed {seed}"));
    }
    Ok(())
}
