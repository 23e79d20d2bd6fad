//! Selection of rows and columns to show from files.

use std::sync::Arc;

use arrow_schema::FieldRef;
use tfxio::prelude::*;
use tfxio::{Batches, Error, OnError, OpenOptions, Predicate, Remedy, Skip, SkipBudget};

use crate::args::Shown;
use crate::context::Context;
use crate::failure::{self, Failure, with_mark};
use crate::leaves::{self, Leaf};
use crate::output::Output;
use crate::progress::{self, Guard};
use crate::rows::PrintedRows;
use crate::table::counted;
use crate::{Done, losses, on_error};

/// Levels to which a record that contains itself is shown.
const DEPTH: u64 = 4;

/// Open files, and the columns and rows to show of them.
pub(crate) struct Selection<'a> {
    pub(crate) dataset: Arc<dyn Dataset>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) request: ScanRequest,
    context: &'a Context,
    /// Shows how far it is, until the rows are there.
    _progress: Guard,
}

impl<'a> Selection<'a> {
    /// Opens files and chooses columns. Columns that are inferred from records are inferred from the first `looked_at`
    /// of them, if that is given.
    pub(crate) fn open(
        files: &[String],
        columns: Option<&[String]>,
        looked_at: Option<u64>,
        context: &'a Context,
    ) -> Result<Self, Failure> {
        let progress = context.watch("looking at", files);
        let mut preferred = context.clone().prefer("layout", "plain");
        if let Some(records) = looked_at {
            preferred = preferred.prefer("infer_records", records);
        }
        let dataset = open(files, columns, &preferred)?;
        let all = leaves::leaves(dataset.schema())?;
        context.tell(&*dataset);
        progress::phase("reading");
        let request = ScanRequest::new();
        let mut selection = Self { dataset, leaves: all, request, context, _progress: progress };
        if let Some(names) = columns {
            // What was not looked at may have further columns.
            let of = match looked_at {
                Some(records) if Context::has(&*selection.dataset, "infer_records") => {
                    format!(" (in the first {})", counted(records, "record"))
                }
                _ => String::new(),
            };
            selection.leaves = leaves::choose(&selection.leaves, names, &of)?;
            let paths = selection.leaves.iter().map(|leaf| leaf.path.clone());
            selection.request = selection.request.columns(paths);
        }
        selection.say_losses();
        Ok(selection)
    }

    /// Prints the losses of columns of key expressions.
    fn say_losses(&self) {
        if self.context.options.iter().all(|(key, _)| key != "keys") {
            return;
        }
        let mut losses = self.dataset.losses();
        losses.retain(|loss| self.leaves.iter().any(|leaf| leaf.name == loss.column));
        losses::say(&losses, "");
    }

    /// As [`open`](Self::open), with the rows that are asked for and what is done about damage.
    pub(crate) fn of_rows(
        files: &[String],
        shown: &Shown,
        looked_at: Option<u64>,
        skip: Option<&Skip>,
        context: &'a Context,
    ) -> Result<Self, Failure> {
        // The first row that satisfies a predicate may be anywhere.
        let looked_at = looked_at.filter(|_| shown.filter.is_none());
        let mut selection = Self::open(files, shown.columns.as_deref(), looked_at, context)?;
        selection.set_rows(shown.filter.as_ref(), skip);
        if skip.is_some() {
            // What is skipped is counted once, so that the rows before the budget is used up are not found by reading again.
            selection.request = selection.request.batch_rows(1);
        }
        Ok(selection)
    }

    /// Sets which rows are read, and what is done about damage.
    pub(crate) fn set_rows(&mut self, filter: Option<&Predicate>, skip: Option<&Skip>) {
        self.request.filter = filter.cloned();
        if let Some(skip) = skip {
            self.request.on_error = OnError::Skip(skip.clone());
        }
    }

    /// Returns whether there are several files.
    pub(crate) fn has_files(&self) -> bool {
        self.dataset.local_spec().is_ok_and(|spec| spec.files.len() > 1)
    }

    /// Adds the remedy on the command line to an error.
    pub(crate) fn explain(&self, error: Error) -> Failure {
        self.context.explain(error, Some(self.dataset.schema())).into()
    }
}

/// Shows rows that are read at once, and reports skipped ranges.
pub(crate) fn show(
    files: &[String],
    shown: &Shown,
    context: &Context,
    read: impl FnOnce(&Selection<'_>) -> Result<Batches, Error>,
) -> Done {
    let skip = shown.on_damage.skip()?;
    let rows = || -> Result<u64, Failure> {
        let mut selection = Selection::of_rows(files, shown, None, skip.as_ref(), context)?;
        if skip.is_some() {
            // Nothing is shown before all is read.
            selection.request = selection.request.batch_rows(ScanRequest::new().batch_rows);
        }
        let mut batches = read(&selection).map_err(|error| selection.explain(error))?;
        let mut out = Output::new();
        let mut rows = PrintedRows::new(&selection.leaves, shown.format, selection.has_files());
        let ended = loop {
            match batches.next_batch() {
                Ok(Some(batch)) => rows.push(&batch, 0..batch.num_rows(), &mut out)?,
                Ok(None) => break Ok(()),
                Err(error) => break Err(selection.explain(error)),
            }
        };
        let is_clean = skip.as_ref().is_none_or(|skip| skip.report().is_clean());
        let shown = rows.finish(out, ended.is_ok() && is_clean)?;
        ended.map(|()| shown)
    };
    let done = rows();
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

/// Opens files, with records that contain themselves to a bounded depth.
fn open(
    files: &[String],
    columns: Option<&[String]>,
    context: &Context,
) -> Result<Arc<dyn Dataset>, Failure> {
    // Damage is of the scan, which says it after the rows before it.
    let options = context.open_options()?.on_error(OnError::Skip(Skip::new(SkipBudget::default())));
    let error = match options.open(files) {
        Ok(dataset) => return Ok(dataset),
        Err(error) => error,
    };
    if error.remedy() != Some(Remedy::BoundDepth) {
        return Err(with_mark(context.explain(error, None)));
    }
    open_to_depth(files, columns, &options)
}

fn open_to_depth(
    files: &[String],
    columns: Option<&[String]>,
    options: &OpenOptions,
) -> Result<Arc<dyn Dataset>, Failure> {
    let dataset = options.clone().prefer("max_depth", DEPTH).open(files)?;
    let deeper = options.clone().prefer("max_depth", DEPTH + 1).open(files)?;
    let names = |dataset: &Arc<dyn Dataset>| -> Result<Vec<FieldRef>, Failure> {
        let all = leaves::leaves(dataset.schema())?;
        let chosen = columns.map_or(Ok(all.clone()), |names| leaves::choose(&all, names, ""))?;
        let is_shown = |field: &FieldRef| {
            chosen.iter().any(|leaf| leaf.path.steps().first().is_some_and(|first| **first == **field.name()))
        };
        Ok(dataset.schema().fields().iter().filter(|field| is_shown(field)).cloned().collect())
    };
    if names(&dataset)? != names(&deeper)? {
        failure::say(format_args!(
            "note: records that contain themselves are shown {DEPTH} deep; --max-depth N shows more"
        ));
    }
    Ok(dataset)
}
