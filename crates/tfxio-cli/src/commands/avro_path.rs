//! `tfxio avro-path`: the columns of key expressions.

use std::io::Write as _;

use arrow_array::RecordBatch;
use tfxio::avro_path::{Key, KeyProgram};
use tfxio::{Origin, RecordOptions, expand_files_with};

use crate::args::{AvroPath, Layout};
use crate::avro::Files;
use crate::failure::{Failure, at_character};
use crate::json::Object;
use crate::output::{self, Output};
use crate::table::Table;
use crate::{Done, arrow_type, escape, value};

/// Rows that are decoded at a time.
const CHUNK: u64 = 1024;
/// Characters of a cell in a table.
const CELL: usize = 44;
/// Characters of a value that has a line for itself.
const LINE: usize = 90;

pub(crate) fn run(args: &AvroPath) -> Done {
    let options = RecordOptions::default();
    let keys = args.keys.iter().map(|key| Key::parse(key));
    let keys = keys.collect::<Result<Vec<_>, _>>().map_err(|error| at_character(error, None))?;
    let is_repeated = |(at, key): &(usize, &String)| args.keys.iter().take(*at).any(|other| other == *key);
    if let Some((at, key)) = args.keys.iter().enumerate().find(is_repeated) {
        let text = format!("key {} is {key:?}, which was given before; leave it out", at + 1);
        return Err(Failure::Usage(text));
    }
    let files = expand_files_with([&args.file], &options)?;
    let mut files = Files::open(files, &options, args.reader_schema.read()?)?;
    let program = KeyProgram::new(files.schema(), &keys).map_err(|error| at_character(error, None))?;
    let mut out = Output::new();
    if args.types {
        for field in program.arrow_schema().fields() {
            let line = format!("{}: {}", field.name(), arrow_type::name(field.data_type()));
            writeln!(out, "{}", escape::line(&line))?;
        }
        return Ok(out.finish()?);
    }
    let failed = show(&mut files, &program, args, &mut out)?;
    // What is good is shown before what is wrong is said.
    out.finish()?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Shows the rows. What ended them early.
fn show(
    files: &mut Files<'_>,
    program: &KeyProgram,
    args: &AvroPath,
    out: &mut Output,
) -> Result<Option<tfxio::Error>, Failure> {
    let (mut left, mut shown) = (args.rows, 0);
    let mut decoder = program.decoder();
    loop {
        let mut ended = None;
        while ended.is_none() && (decoder.rows() as u64) < CHUNK.min(left) {
            let next = files.next(|bytes, file| {
                decoder.push_first(bytes, Origin { file: Some(file), ..Origin::default() })
            });
            match next {
                Ok(true) => {}
                Ok(false) => ended = Some(None),
                Err(error) => ended = Some(Some(error)),
            }
        }
        let batch = decoder.flush()?;
        if batch.num_rows() > 0 {
            match args.format {
                Layout::Json => write_json(&batch, out)?,
                Layout::Table => write_table(&batch, shown, out)?,
            }
        }
        shown += batch.num_rows() as u64;
        left -= batch.num_rows() as u64;
        match ended {
            Some(error) => {
                if error.is_none() && shown == 0 && args.format == Layout::Table {
                    writeln!(out, "0 records")?;
                }
                return Ok(error);
            }
            None if left == 0 => return Ok(None),
            None => {}
        }
    }
}

fn write_json(batch: &RecordBatch, out: &mut Output) -> Result<(), Failure> {
    let schema = batch.schema();
    let mut line = String::new();
    for row in 0..batch.num_rows() {
        line.clear();
        let mut object = Object::new(&mut line);
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            value::json(object.key(field.name()), column, row);
        }
        object.finish();
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A table with a line a row; where that is too wide, a line a key.
fn write_table(batch: &RecordBatch, shown: u64, out: &mut Output) -> Result<(), Failure> {
    let schema = batch.schema();
    let table = |width: usize| {
        let mut table = Table::new(schema.fields().iter().map(|field| field.name().clone()));
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| {
                let mut cell = String::new();
                value::json(&mut cell, column, row);
                value::cut(&cell, width)
            });
            table.push(cells.collect());
        }
        table
    };
    if shown > 0 {
        writeln!(out)?;
    }
    let short = table(CELL);
    if short.width() <= output::width() {
        short.write(out)?;
    } else {
        table(LINE).write_long(out, "record", shown)?;
    }
    Ok(())
}
