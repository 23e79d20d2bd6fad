//! Output of the answers of statements.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use futures::StreamExt as _;
use tfxio::convert::{BatchOutput, Summary};
use tfxio::sql::datafusion::error::DataFusionError;
use tfxio::sql::datafusion::execution::SendableRecordBatchStream;
use tfxio::sql::dataset_error;
use tfxio::{Batch, Error, ErrorKind, FileFormat};

use super::SqlEngine;
use crate::Done;
use crate::args::{DASH, Layout};
use crate::commands::convert::{refuse_binary, report_losses};
use crate::failure::Failure;
use crate::leaves;
use crate::output::Output;
use crate::rows::PrintedRows;
use crate::table::counted;

/// Converts the error of a statement to a failure.
type Said<'a> = &'a dyn Fn(DataFusionError) -> Failure;

/// Output of rows: printed in a layout, or written in a format.
enum Way {
    Printed(Layout),
    Written(Arc<dyn FileFormat>),
}

/// Printer of a statement's answer.
pub(super) struct Shown<'a> {
    engine: &'a SqlEngine,
    way: Way,
}

impl<'a> Shown<'a> {
    pub(super) fn new(engine: &'a SqlEngine) -> Result<Self, Failure> {
        let name = engine.format.as_str();
        let way = match name {
            "table" => Way::Printed(Layout::Table),
            "json" => Way::Printed(Layout::Json),
            _ => {
                let by_ending = engine.formats.by_ending(&format!("rows.{name}"));
                let format = by_ending.map_or_else(|| engine.formats.file_format(name), Ok)?;
                refuse_binary(&**format, io::stdout().is_terminal())?;
                Way::Written(Arc::clone(format))
            }
        };
        Ok(Self { engine, way })
    }

    /// Shows rows.
    pub(super) fn rows(self, mut rows: SendableRecordBatchStream, said: Said<'_>) -> Done {
        let layout = match self.way {
            Way::Printed(layout) => layout,
            // Statements such as `create view` answer nothing, which a file of text cannot hold.
            Way::Written(_) if rows.schema().fields().is_empty() => Layout::Table,
            Way::Written(format) => return written(self.engine, &*format, rows, said),
        };
        let schema = rows.schema();
        let is_plan = matches!(
            schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>()[..],
            ["plan_type", "plan"]
        );
        let leaves = leaves::leaves(&schema)?;
        let mut shown = PrintedRows::new(&leaves, layout, false);
        let mut out = Output::new();
        let mut count = 0;
        let ended = loop {
            match self.engine.runtime.block_on(rows.next()) {
                None => break Ok(()),
                Some(Err(error)) => break Err(error),
                Some(Ok(batch)) if is_plan && layout == Layout::Table => {
                    count += batch.num_rows();
                    plan(&batch, &mut out)?;
                }
                Some(Ok(batch)) => {
                    count += batch.num_rows();
                    let batch = Batch::from(batch);
                    shown.push(&batch, 0..batch.num_rows(), &mut out)?;
                }
            }
        };
        // What is good is shown before what is wrong is said.
        if ended.is_ok() && count == 0 && layout == Layout::Table && !leaves.is_empty() {
            writeln!(out, "0 rows")?;
        }
        shown.finish(out, false)?;
        ended.map_err(said)
    }

    /// Prints the number of rows that were written.
    pub(super) fn written(self, summary: &Summary) -> Done {
        report_losses(&summary.losses);
        let mut out = Output::new();
        match self.way {
            Way::Printed(Layout::Json) => writeln!(out, "{{\"rows_written\": {}}}", summary.records)?,
            Way::Printed(Layout::Table) => writeln!(out, "{} written", counted(summary.records, "row"))?,
            // What reads the format expects nothing else.
            Way::Written(_) => {}
        }
        Ok(out.finish()?)
    }
}

/// Prints plans as the text that they are.
fn plan(batch: &RecordBatch, out: &mut Output) -> Done {
    let [kinds, plans] = batch.columns() else { return Ok(()) };
    let (Some(kinds), Some(plans)) = (kinds.as_string_opt::<i32>(), plans.as_string_opt::<i32>()) else {
        return Ok(());
    };
    for (kind, plan) in kinds.iter().zip(plans) {
        writeln!(out, "{}:", kind.unwrap_or_default())?;
        for line in plan.unwrap_or_default().lines() {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Writes rows to standard output in a format.
fn written(
    engine: &SqlEngine,
    format: &dyn FileFormat,
    mut rows: SendableRecordBatchStream,
    said: Said<'_>,
) -> Done {
    let output = BatchOutput::new(DASH).formats(&engine.formats).output_format(format.name());
    let (handle, schema) = (engine.runtime.handle().clone(), rows.schema());
    // An error of the statement passes the sink by.
    let (failed, failure) = std::sync::mpsc::channel();
    let next = move || match handle.block_on(rows.next()) {
        None => Ok(None),
        Some(Ok(batch)) => Ok(Some(Batch::from(batch))),
        Some(Err(error)) => {
            let what = dataset_error(&error).map_or_else(|| error.strip_backtrace(), ToString::to_string);
            let _ = failed.send(error);
            Err(Error::new(ErrorKind::Other, what))
        }
    };
    match (output.write(&schema, next), failure.try_recv()) {
        (_, Ok(error)) => Err(said(error)),
        (Err(error), Err(_)) => Err(error.into()),
        (Ok(summary), Err(_)) => {
            report_losses(&summary.losses);
            Ok(())
        }
    }
}
