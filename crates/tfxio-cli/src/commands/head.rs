//! `tfxio head`: shows the first rows.

use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use tfxio::prelude::*;
use tfxio::{OnError, Remedy, Skip, SkipBudget};

use crate::args::{Head, Layout};
use crate::context::Context;
use crate::failure::{self, Failure, with_mark};
use crate::json::Object;
use crate::leaves::{self, Leaf};
use crate::output::{self, Output};
use crate::table::{Table, counted};
use crate::{Done, cell, on_error, value};

/// Rows of a table.
const CHUNK: usize = 4096;
/// Characters of a cell in a table.
const CELL: usize = 44;
/// Characters of a cell that has a line for itself.
const LINE: usize = 90;
/// How often a record that contains itself is shown within itself.
const DEPTH: u64 = 4;

pub(crate) fn run(args: &Head, context: &Context) -> Done {
    let skip = args.on_damage.skip()?;
    let done = show(args, context, skip.as_ref());
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

/// Shows the rows, and returns their number.
fn show(args: &Head, context: &Context, skip: Option<&Skip>) -> Result<u64, Failure> {
    let dataset = open(args, context)?;
    let all = leaves::leaves(dataset.schema())?;
    let (mut chosen, mut request) = (all, ScanRequest::new());
    if let Some(names) = &args.columns {
        // What was not looked at may have further columns.
        let of = match Context::has(&*dataset, "infer_records") {
            true => format!(" (in the first {})", counted(args.rows.max(1), "record")),
            false => String::new(),
        };
        chosen = leaves::choose(&chosen, names, &of)?;
        request = request.columns(chosen.iter().map(|leaf| leaf.path.clone()));
    }
    request = request.limit(args.rows);
    if let Some(skip) = skip {
        // What is skipped is counted once, so that the rows before the budget is used up are not found by reading again.
        request = request.on_error(OnError::Skip(skip.clone())).batch_rows(1);
    }
    let mut out = Output::new();
    let mut rows = Rows { leaves: &chosen, layout: args.format, cells: Vec::new(), shown: 0, pending: 0 };
    let mut ended = read_on(&dataset, request.clone(), &mut rows, &mut out)?;
    if ended.is_err() && skip.is_none() {
        // Row by row, so that those of the same batch before a damage are shown.
        ended = read_on(&dataset, request.batch_rows(1), &mut rows, &mut out)?;
    }
    let ended = ended.map_err(|error| context.explain(error, Some(dataset.schema())).into());
    rows.write(&mut out)?;
    let nothing_skipped = skip.is_none_or(|skip| skip.report().is_clean());
    if ended.is_ok() && rows.shown == 0 && args.rows > 0 && args.format == Layout::Table && nothing_skipped {
        writeln!(out, "0 records")?;
    }
    // What is good is shown before what is wrong is said.
    out.finish()?;
    ended.map(|()| rows.shown)
}

/// Shows the rows that were not read before; the inner result is that of reading.
fn read_on(
    dataset: &Arc<dyn Dataset>,
    request: ScanRequest,
    rows: &mut Rows<'_>,
    out: &mut Output,
) -> Result<Result<(), tfxio::Error>, Failure> {
    let mut at = 0;
    let batches = match dataset.read(request) {
        Ok(batches) => batches,
        Err(error) => return Ok(Err(error)),
    };
    for batch in batches {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => return Ok(Err(error)),
        };
        let known = usize::try_from(rows.read().saturating_sub(at)).unwrap_or(usize::MAX);
        at = at.saturating_add(batch.num_rows() as u64);
        rows.push(&leaves::arrays(&batch, rows.leaves), known..batch.num_rows(), out)?;
    }
    Ok(Ok(()))
}

/// Opens the files with the columns of the rows that are shown.
fn open(args: &Head, context: &Context) -> Result<Arc<dyn Dataset>, Failure> {
    let context = context.clone().prefer("infer_records", args.rows.max(1)).prefer("layout", "plain");
    // Damage is of the scan, which says it after the rows before it.
    let options = context.open_options()?.on_error(OnError::Skip(Skip::new(SkipBudget::default())));
    let error = match options.open(&args.file) {
        Ok(dataset) => return Ok(dataset),
        Err(error) => error,
    };
    if error.remedy() != Some(Remedy::BoundDepth) {
        return Err(with_mark(context.explain(error, None)));
    }
    let dataset = options.clone().prefer("max_depth", DEPTH).open(&args.file)?;
    let deeper = options.prefer("max_depth", DEPTH + 1).open(&args.file)?;
    let names = |dataset: &Arc<dyn Dataset>| {
        let fields = dataset.schema().fields().iter().cloned();
        let is_shown = |name: &String| args.columns.as_ref().is_none_or(|columns| columns.contains(name));
        fields.filter(|field| is_shown(field.name())).collect::<Vec<_>>()
    };
    if names(&dataset) != names(&deeper) {
        failure::say(format_args!(
            "note: records that contain themselves are shown {DEPTH} deep; --max-depth N shows more"
        ));
    }
    Ok(dataset)
}

/// Rows on their way out.
struct Rows<'a> {
    leaves: &'a [Leaf],
    layout: Layout,
    /// Values of the rows that are still to be written, in a short form and in a longer one.
    cells: Vec<Vec<(String, String)>>,
    pending: u64,
    shown: u64,
}

impl Rows<'_> {
    /// Returns the number of rows that were read.
    fn read(&self) -> u64 {
        self.shown.saturating_add(self.pending)
    }

    fn push(&mut self, columns: &[ArrayRef], rows: Range<usize>, out: &mut Output) -> Done {
        for row in rows {
            self.pending += 1;
            match self.layout {
                Layout::Json => {
                    let mut line = String::new();
                    let mut object = Object::new(&mut line);
                    for (leaf, column) in self.leaves.iter().zip(columns) {
                        value::json(object.key(&leaf.name), column, row);
                    }
                    object.finish();
                    writeln!(out, "{line}")?;
                }
                Layout::Table => {
                    let cells =
                        |column: &ArrayRef| (cell::text(column, row, CELL), cell::text(column, row, LINE));
                    self.cells.push(columns.iter().map(cells).collect());
                }
            }
            if self.pending == CHUNK as u64 {
                self.write(out)?;
            }
        }
        Ok(())
    }

    /// Writes a table with a line a row; where that is too wide, a line a column.
    fn write(&mut self, out: &mut Output) -> Done {
        let rows = std::mem::take(&mut self.cells);
        let (first, count) = (self.shown, std::mem::take(&mut self.pending));
        self.shown += count;
        if rows.is_empty() {
            return Ok(());
        }
        if self.leaves.is_empty() {
            writeln!(out, "{} without columns", counted(count, "record"))?;
            return Ok(());
        }
        if first > 0 {
            writeln!(out)?;
        }
        let table = |of: fn(&(String, String)) -> &String| {
            let mut table = Table::new(self.leaves.iter().map(|leaf| printable(&leaf.name)));
            rows.iter().for_each(|row| table.push(row.iter().map(of).cloned().collect()));
            table
        };
        let short = table(|(short, _)| short);
        if short.width() <= output::width() {
            short.write(out)?;
        } else {
            table(|(_, long)| long).write_long(out, "record", first)?;
        }
        Ok(())
    }
}

fn printable(name: &str) -> String {
    // Control characters are escaped in tables.
    if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
}
