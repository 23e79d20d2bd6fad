//! Statistics of files: read from files of statistics, or made of data.

use tfxio::prelude::*;
use tfxio::stats::{Statistics, StatisticsExt as _, StatisticsList, StatisticsOptions};
use tfxio::{ColumnPath, Skip};

use super::files;
use crate::args::Stats;
use crate::context::Context;
use crate::failure::{Failure, say};
use crate::selection::Selection;
use crate::table::{count, counted};
use crate::{leaves, on_error, verbosity};

/// Returns statistics of data, or the statistics that the files contain.
pub(super) fn measure(names: &[String], args: &Stats, context: &Context) -> Result<StatisticsList, Failure> {
    if let Some(list) = files::read(names)? {
        return refuse_flags(args, names).map(|()| list);
    }
    let skip = args.on_damage.skip()?;
    let done = read(names, args, context, skip.as_ref());
    on_error::report(skip.as_ref());
    let list = done?;
    on_error::refuse_nothing(skip.as_ref(), list.num_examples(0).unwrap_or_default())?;
    Ok(list)
}

/// Refuses what can be asked of data only.
fn refuse_flags(args: &Stats, names: &[String]) -> Result<(), Failure> {
    let flags = [
        ("--columns", args.columns.is_some()),
        ("--where", args.filter.is_some()),
        ("--sample", args.sample.is_some()),
        ("--by", args.by.is_some()),
        ("--weight", args.weight.is_some()),
        ("--correlations", args.correlations),
    ];
    // Files that are compared with can be of statistics where the flags are for the data.
    match flags.iter().find(|(_, is_given)| *is_given && names == args.files) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::Usage(format!(
            "{}: these are statistics, of which rows and columns cannot be chosen any more: leave out {flag}",
            names.join(", ")
        ))),
    }
}

fn read(
    names: &[String],
    args: &Stats,
    context: &Context,
    skip: Option<&Skip>,
) -> Result<StatisticsList, Failure> {
    let mut selection = Selection::open(names, args.columns.as_deref(), None, context)?;
    selection.set_rows(args.filter.as_ref(), skip);
    let all = leaves::leaves(selection.dataset.schema())?;
    let column = |name: &String| -> Result<ColumnPath, Failure> {
        let chosen = leaves::choose(&all, std::slice::from_ref(name), "")?;
        match chosen.as_slice() {
            [one] => Ok(one.path.clone()),
            several => Err(Failure::Usage(format!(
                "{name:?} names {}; name one",
                counted(several.len() as u64, "column")
            ))),
        }
    };
    let by = args.by.as_ref().map(column).transpose()?;
    let weight = args.weight.as_ref().map(column).transpose()?;
    let mut options = StatisticsOptions::default().correlations(args.correlations);
    options.by = by.clone();
    options.weight = weight.clone();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(processors, usize::from);
    verbosity::tell(format_args!("{}", counted(threads as u64, "thread")));
    let mut request = selection.request.clone().threads(threads);
    let explain = |error| selection.explain(error);
    let Some(rows) = args.sample else {
        return selection.dataset.stats(options, request).map_err(explain);
    };
    // What rows are put into slices by, and weighed with, is read, too.
    if let Some(columns) = &mut request.columns {
        for path in by.into_iter().chain(weight) {
            if columns.iter().all(|column| column.path != path) {
                columns.push(path.into());
            }
        }
    }
    let mut batches =
        selection.dataset.sample(rows, args.seed.unwrap_or_default(), request).map_err(explain)?;
    let mut statistics: Option<Statistics> = None;
    while let Some(batch) = batches.next_batch().map_err(explain)? {
        let of = |batch: &tfxio::Batch| {
            Statistics::builder(&batch.columns().schema()).options(options.clone()).build()
        };
        statistics.get_or_insert_with(|| of(&batch)).update(batch.columns()).map_err(explain)?;
    }
    let statistics = statistics
        .unwrap_or_else(|| Statistics::builder(selection.dataset.schema()).options(options.clone()).build());
    let drawn = statistics.num_rows();
    if drawn < rows && args.filter.is_none() && skip.is_none() {
        say(format_args!(
            "note: {} were to be drawn, and there are {}",
            count(rows),
            counted(drawn, "record")
        ));
    }
    Ok(statistics.finish())
}
