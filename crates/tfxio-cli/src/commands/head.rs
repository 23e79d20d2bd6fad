//! `tfxio head`: shows the first rows.

use tfxio::prelude::*;
use tfxio::{Error, Skip};

use crate::args::Head;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::rows::PrintedRows;
use crate::selection::Selection;
use crate::{Done, on_error};

pub(crate) fn run(args: &Head, context: &Context) -> Done {
    let skip = args.shown.on_damage.skip()?;
    let done = show(args, context, skip.as_ref());
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

/// Shows the rows, and returns their number.
fn show(args: &Head, context: &Context, skip: Option<&Skip>) -> Result<u64, Failure> {
    let looked_at = args.rows.saturating_add(args.skip).max(1);
    let mut selection = Selection::of_rows(&args.files, &args.shown, Some(looked_at), skip, context)?;
    selection.request = selection.request.limit(args.rows);
    let mut out = Output::new();
    let mut rows = PrintedRows::new(&selection.leaves, args.shown.format, selection.has_files());
    let mut ended = read_on(&selection, args.skip, selection.request.clone(), &mut rows, &mut out)?;
    if ended.is_err() && skip.is_none() {
        // Row by row, so that those of the same batch before a damage are shown.
        let request = selection.request.clone().batch_rows(1);
        ended = read_on(&selection, args.skip, request, &mut rows, &mut out)?;
    }
    let nothing_skipped = skip.is_none_or(|skip| skip.report().is_clean());
    // What is good is shown before what is wrong is said.
    let shown = rows.finish(out, ended.is_ok() && args.rows > 0 && nothing_skipped)?;
    ended.map(|()| shown).map_err(|error| selection.explain(error))
}

/// Shows the rows that were not read before; the inner result is that of reading.
fn read_on(
    selection: &Selection<'_>,
    skip: u64,
    request: ScanRequest,
    rows: &mut PrintedRows<'_>,
    out: &mut Output,
) -> Result<Result<(), Error>, Failure> {
    let mut at = 0;
    let mut batches = match selection.dataset.read_after(skip, request) {
        Ok(batches) => batches,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        let batch = match batches.next_batch() {
            Ok(Some(batch)) => batch,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        };
        let known = usize::try_from(rows.read().saturating_sub(at)).unwrap_or(usize::MAX);
        at = at.saturating_add(batch.num_rows() as u64);
        rows.push(&batch, known..batch.num_rows(), out)?;
    }
}
