//! The first records of Avro files: fields as JSON.

use std::io::Write as _;
use std::sync::Arc;

use tfxio::avro_path::datum::{DatumReader, write_json_fields};
use tfxio::avro_path::schema::Type;
use tfxio::avro_path::{Limits, Schema};
use tfxio::{RecordOptions, Skip};

use super::{CELL, CHUNK};
use crate::args::{Head, Layout};
use crate::avro::{self, Records};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::{self, Output};
use crate::table::{Table, counted};
use crate::{Done, on_error, value};

/// Characters of a value that has a line for itself.
const LINE: usize = 90;

pub(super) fn run(args: &Head, files: &[Arc<str>], options: &RecordOptions) -> Done {
    if args.records.message.is_some() {
        let text = "--as says what TFRecord files hold, and this is an Avro file, which says it itself; leave it out";
        return Err(Failure::Usage(text.to_owned()));
    }
    let (skip, reader_schema) = (args.on_damage.skip()?, args.reader_schema.read()?);
    let done = show(args, files, options, skip.as_ref(), reader_schema.as_ref());
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

/// Shows the rows, and returns their number.
fn show(
    args: &Head,
    files: &[Arc<str>],
    options: &RecordOptions,
    skip: Option<&Skip>,
    reader_schema: Option<&Schema>,
) -> Result<u64, Failure> {
    let mut out = Output::new();
    let (mut left, mut shown) = (args.rows, 0);
    for file in files {
        let mut records = Records::open(file, options, skip, reader_schema)?;
        let schema = records.schema().clone();
        let chosen = choose(&schema, args.columns.as_deref())?;
        loop {
            let (rows, ended) = read(&mut records, &schema, left.min(CHUNK));
            match args.format {
                Layout::Json => write_json(&rows, &schema, &chosen, args.columns.is_some(), &mut out)?,
                Layout::Table => write_table(&rows, &schema, &chosen, shown, &mut out)?,
            }
            shown += rows.len() as u64;
            left -= rows.len() as u64;
            // What is good is shown before what is wrong is said.
            if let Err(error) = ended {
                out.finish()?;
                return Err(error.into());
            }
            if left == 0 || (rows.len() as u64) < CHUNK {
                break;
            }
        }
        if left == 0 {
            break;
        }
    }
    out.finish()?;
    Ok(shown)
}

/// The places of the fields to show.
fn choose(schema: &Schema, columns: Option<&[String]>) -> Result<Vec<usize>, Failure> {
    let fields = avro::fields(schema);
    let Some(names) = columns else { return Ok((0..fields.len()).collect()) };
    let find = |name: &String| {
        fields.iter().position(|field| field == name).ok_or_else(|| {
            let known = fields.iter().map(|field| format!("{field:?}")).collect::<Vec<_>>().join(", ");
            let of = avro::title(schema);
            let text = format!(
                "there is no field {name:?} in {of}; there are: {known} (tfxio avro-path shows what lies deeper)"
            );
            Failure::Usage(text)
        })
    };
    names.iter().map(find).collect()
}

/// The fields of the next records, and what ended them early.
fn read(records: &mut Records, schema: &Schema, most: u64) -> (Vec<Vec<String>>, Result<(), tfxio::Error>) {
    let mut rows = Vec::new();
    while (rows.len() as u64) < most {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        let next = records.next(|record| {
            let mut reader = DatumReader::new(record);
            write_json_fields(schema, &mut reader, &Limits::default(), &mut bytes, &mut ends)?;
            Ok(reader.position())
        });
        match next {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return (rows, Err(error)),
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let fields = starts.zip(&ends).map(|(start, &end)| bytes.get(start..end).unwrap_or_default());
        rows.push(fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect());
    }
    (rows, Ok(()))
}

/// An object a record; a root that is no record stands for itself.
fn write_json(
    rows: &[Vec<String>],
    schema: &Schema,
    chosen: &[usize],
    is_chosen: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let fields = avro::fields(schema);
    let is_record = matches!(schema.get(schema.root()), Type::Record(_));
    let mut line = String::new();
    for row in rows {
        line.clear();
        if is_record || is_chosen {
            let mut object = Object::new(&mut line);
            for &at in chosen {
                if let (Some(name), Some(cell)) = (fields.get(at), row.get(at)) {
                    object.key(name).push_str(cell);
                }
            }
            object.finish();
        } else {
            row.iter().for_each(|cell| line.push_str(cell));
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A table with a line a record; where that is too wide, a line a field.
fn write_table(
    rows: &[Vec<String>],
    schema: &Schema,
    chosen: &[usize],
    shown: u64,
    out: &mut Output,
) -> Result<(), Failure> {
    if rows.is_empty() {
        return Ok(());
    }
    let fields = avro::fields(schema);
    let name = |at: &usize| {
        let name = fields.get(*at).copied().unwrap_or_default();
        // Control characters are escaped in tables.
        if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
    };
    let table = |width: usize| {
        let mut table = Table::new(chosen.iter().map(name));
        for row in rows {
            let cell = |at: &usize| row.get(*at).map_or_else(String::new, |cell| value::cut(cell, width));
            table.push(chosen.iter().map(cell).collect());
        }
        table
    };
    if chosen.is_empty() {
        writeln!(out, "{} without fields", counted(rows.len() as u64, "record"))?;
        return Ok(());
    }
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
