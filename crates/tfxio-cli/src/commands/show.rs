//! `tfxio show`: shows all of a record.

use std::io::Write as _;

use tfxio::prelude::*;
use tfxio::{Batch, ErrorKind};

use crate::args::{At, Layout, Show, Target};
use crate::context::Context;
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::selection::Selection;
use crate::table::Table;
use crate::{Done, cell, leaves, rows};

pub(crate) fn run(args: &Show, context: &Context) -> Done {
    let mut out = Output::new();
    for (number, target) in args.records.iter().enumerate() {
        let (selection, batch) = find(args, target, context)?;
        let columns = leaves::arrays(batch.columns(), &selection.leaves);
        if args.format == Layout::Json {
            writeln!(out, "{}", rows::json(&selection.leaves, batch.columns(), &columns, 0))?;
            continue;
        }
        if number > 0 {
            writeln!(out)?;
        }
        let title = match batch.origins().get(0) {
            Some(origin) => origin.position().to_string(),
            None => target.file.clone(),
        };
        let mut table = Table::new(selection.leaves.iter().map(|leaf| rows::printable(&leaf.name)));
        table.push(columns.iter().map(|column| cell::whole(column, 0)).collect());
        table.write_long(&mut out, [title])?;
    }
    Ok(out.finish()?)
}

/// Returns a batch of one row, the record.
fn find<'a>(args: &Show, target: &Target, context: &'a Context) -> Result<(Selection<'a>, Batch), Failure> {
    let files = [target.file.clone()];
    let looked_at = match target.at {
        At::Record(number) => Some(number.saturating_add(1)),
        At::Byte(_) => None,
    };
    let selection = Selection::open(&files, args.columns.as_deref(), looked_at, context)?;
    let explain = |error| selection.explain(error);
    let number = match target.at {
        At::Record(number) => number,
        At::Byte(byte) => {
            let origin = selection.dataset.record_at(byte).map_err(explain)?;
            if let Some(begin) = origin.byte.filter(|begin| *begin != byte) {
                say(format_args!(
                    "note: byte {byte} is not the first of a record; record {} begins before it, at byte {begin}",
                    origin.record
                ));
            }
            origin.record
        }
    };
    let request = selection.request.clone();
    let mut batches = selection.dataset.record(number, request).map_err(explain)?;
    match batches.next_batch().map_err(explain)? {
        Some(batch) => Ok((selection, batch.slice(0, 1))),
        None => {
            let what = format!("there is no record {number}");
            Err(tfxio::Error::new(ErrorKind::InvalidArgument, what).in_file(target.file.as_str()).into())
        }
    }
}
