//! `tfxio show`: shows all of a record.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::tfxio_core::Count;
use tfxio::{Batch, Cancel, ErrorKind, Files};

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
        table.push(columns.iter().map(|(field, column)| cell::whole(field, column, 0)).collect());
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
            refuse_beyond(&selection, &files, byte, context)?;
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

/// Refuses a byte that is not in the file.
fn refuse_beyond(
    selection: &Selection<'_>,
    files: &[String],
    byte: u64,
    context: &Context,
) -> Result<(), Failure> {
    let found = context.open_options()?.files(files)?;
    let [name] = found.names() else { return Ok(()) };
    let Some(size) = stored_size(&found, name)?.filter(|size| byte >= *size) else { return Ok(()) };
    let (bytes, records) = (Count::of(size, "byte"), Count::of(selection.dataset.count()?, "record"));
    let what = format!("there is no byte {byte}: the file has {bytes}, and {records}");
    let error = tfxio::Error::new(ErrorKind::InvalidArgument, what);
    Err(error.help("take the bytes from the file as it is now").in_file(Arc::clone(name)).into())
}

/// Returns the size of a file whose offsets count stored bytes; `None` for gzip and zlib files, whose offsets count
/// decompressed bytes.
fn stored_size(files: &Files, name: &str) -> Result<Option<u64>, tfxio::Error> {
    let Some(size) = files.store().size(name)? else { return Ok(None) };
    let mut first = [0; 2];
    let read = files.store().open(name, 0..2, &Cancel::new())?.read_exact(&mut first);
    let is_gzip = first == [0x1f, 0x8b];
    let is_zlib = first[0] & 0x0f == 8 && u16::from_be_bytes(first).is_multiple_of(31);
    Ok((read.is_ok() && !is_gzip && !is_zlib).then_some(size))
}
