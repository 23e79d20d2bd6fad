//! CSV as a format of files.

use std::sync::Arc;

use arrow_schema::{Field, SchemaRef};
use tfxio_core::{
    Dataset, Error, ErrorKind, FileFormat, FileReport, Files, FormatOptions, Inspect, OptionSpec,
    RecordPlanner as _, Result, Sink,
};

use super::cells::Dialect;
use super::decoder::CsvPlanner;
use super::settings::{self, Settings};
use super::{cells, header, mixed, sink};
use crate::lines::{self, Blank, Data, Quotes, Syntax, TextFiles};

/// CSV: rows of cells with a delimiter between them, quoted by the rules of [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180); plain or
/// gzip.
///
/// ```
/// use tfxio_formats::tfxio_core::ScanRequest;
/// use tfxio_formats::{DatasetExt, OpenOptions};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("people.csv");
/// std::fs::write(&path, "name,age\n\"Lovelace, Ada\",36\nGrace,\n")?;
/// let people = OpenOptions::new().set("layout", "plain")?.open(&path)?;
/// assert_eq!(people.schema().field(1).data_type().to_string(), "Int64");
/// let batch = people.read(ScanRequest::new())?.next().transpose()?.expect("a batch");
/// assert_eq!((batch.num_rows(), batch.column(1).null_count()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CsvFormat;

const NAME: &str = "csv";

impl FileFormat for CsvFormat {
    fn name(&self) -> &str {
        NAME
    }

    fn endings(&self) -> &[&str] {
        &[".csv", ".tsv", ".csv.gz", ".tsv.gz"]
    }

    fn is_text(&self) -> bool {
        true
    }

    fn options(&self) -> Vec<OptionSpec> {
        settings::options()
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        let options = options.clone().checked(NAME, &settings::options())?;
        mixed::open_set(files, &options)
    }

    /// Writes a file, or the shards of a pattern such as `train@16.csv`, with a row of cells for each row. Lists of several
    /// values need the option `secondary_delimiter`.
    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        let options = options.clone().checked(NAME, &settings::options())?;
        sink::sink(output, schema, &options)
    }

    fn takes(&self, column: &Field, _: &FormatOptions) -> bool {
        sink::is_written(column.data_type(), true)
    }

    fn losses(&self, column: &Field, _: &FormatOptions) -> Vec<String> {
        lines::losses(column, &sink::loss)
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }
}

impl Inspect for CsvFormat {
    /// Decodes every row.
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = options.clone().checked(NAME, &settings::options())?;
        // A part without a row has the names of the others.
        Ok(lines::inspect(files, &options, |part, options| open(part, files, options)))
    }
}

/// Opens files: fixes the names of the columns and their types. Where none of them has a row, the names are from the set that they belong
/// to.
pub(super) fn open(files: Files, set: &Files, options: &FormatOptions) -> Result<TextFiles> {
    let options = options.clone().checked(NAME, &settings::options())?;
    let Some(first) = files.names().first().cloned() else {
        return Err(Error::new(ErrorKind::InvalidArgument, "no file is named"));
    };
    let settings = Settings::new(&options, Some(&first))?;
    let (names, named): (Arc<[String]>, _) = match (&options.schema, &settings.column_names) {
        (Some(schema), _) => {
            let names = schema.fields().iter().map(|field| field.name().clone());
            (names.filter(|name| settings.raw_record.as_deref() != Some(name)).collect(), first.clone())
        }
        (None, Some(names)) => (names.as_slice().into(), first.clone()),
        (None, None) => {
            let (file, names) = match names_of(&files, &settings, &options)? {
                Some(found) => found,
                None => names_of(set, &settings, &options)?.ok_or_else(|| without_row(&first, &settings))?,
            };
            (names.into(), file)
        }
    };
    header::check(&names, &options.request.limits).map_err(|error| {
        let is_of_file = settings.has_header && settings.column_names.is_none();
        if is_of_file { error.in_file(named) } else { error }
    })?;
    let dialect = &settings.dialect;
    let syntax = Syntax {
        quotes: quotes(&settings),
        blank: settings.blank(names.len()),
        header: settings
            .has_header
            .then(|| header::checker(Arc::clone(&names), dialect, settings.column_names.is_some())),
    };
    let data = Arc::new(Data::new(files, syntax));
    let other = other_delimiter(&data, &names, &settings, &options);
    let infer_records = settings.infer_records;
    let mut planner = CsvPlanner::new(names, Arc::new(settings), &options)?;
    if planner.needs_records() {
        let inferred = lines::infer(&data, &mut planner, infer_records, &options.request);
        // Commas may be those of numbers.
        inferred.map_err(|error| match &other {
            Some(other) if error.kind() == ErrorKind::Malformed => error.help(other.clone()),
            _ => error,
        })?;
    }
    let notes = other.map(|other| format!("{first}: the rows are one column; {other}"));
    Ok(TextFiles {
        data,
        plan: Box::new(planner).finish()?,
        format: NAME,
        options,
        notes: notes.into_iter().collect(),
    })
}

/// Returns what may be done where the header of the first file makes one column, and another character would make several of it and of
/// the first rows.
fn other_delimiter(
    data: &Data,
    names: &[String],
    settings: &Settings,
    options: &FormatOptions,
) -> Option<String> {
    /// Rows that are looked at.
    const ROWS: u64 = 100;
    let is_read = settings.has_header && settings.column_names.is_none() && options.schema.is_none();
    let [header] = names else { return None };
    if !is_read || options.text("delimiter").is_some() {
        return None;
    }
    let mut cells = cells::Cells::default();
    let mut count = |row: &[u8], dialect: &Dialect| cells.split(row, dialect).ok().map(|()| cells.len());
    let mut dialects = Vec::new();
    for delimiter in [b',', b';', b'\t', b'|'] {
        let dialect = Dialect::new(delimiter, settings.dialect.quote).escape(settings.dialect.escape);
        let cells = count(header.as_bytes(), &dialect).filter(|cells| *cells > 1);
        dialects.extend(cells.map(|cells| (dialect, cells)));
    }
    if dialects.is_empty() {
        return None;
    }
    let mut looked_at = 0u64;
    // What is damaged is said by whoever reads it.
    let _ = lines::look_at(data, ROWS, &options.request, &mut |row| {
        dialects.retain(|(dialect, cells)| count(row, dialect) == Some(*cells));
        looked_at += 1;
    });
    let (dialect, cells) = dialects.first().filter(|_| looked_at > 0)?;
    let (character, name) = match dialect.delimiter {
        b'\t' => ("a tab".to_owned(), "tab".to_owned()),
        other => (format!("{:?}", char::from(other)), format!("{:?}", char::from(other))),
    };
    Some(format!(
        "with {character} between cells, the header and the rows have {cells} each: set the option delimiter to {name}"
    ))
}

fn quotes(settings: &Settings) -> Option<Quotes> {
    let quote = settings.dialect.quote.filter(|_| settings.quoted_newlines)?;
    let Dialect { delimiter, escape, .. } = settings.dialect;
    Some(Quotes { quote, delimiter, escape })
}

/// Returns the names in the header of the first file with a row, or numbers for the cells of its first row, and the file. Nothing where
/// no file has a row.
pub(super) fn names_of(
    files: &Files,
    settings: &Settings,
    options: &FormatOptions,
) -> Result<Option<(Arc<str>, Vec<String>)>> {
    let syntax = Syntax { quotes: quotes(settings), blank: Blank::Spaces, header: None };
    let data = Data::new(files.clone(), syntax);
    let Some((file, row)) = lines::first_row(&data, &options.request)? else { return Ok(None) };
    if settings.has_header {
        let names =
            header::names(&row, &settings.dialect).map_err(|error| error.in_file(Arc::clone(&file)))?;
        return Ok(Some((file, names)));
    }
    let mut cells = cells::Cells::default();
    cells.split(&row, &settings.dialect).map_err(|bad| {
        Error::new(ErrorKind::Malformed, bad.what)
            .help(settings.dialect.escape_help(&row).unwrap_or(bad.help))
            .in_file(Arc::clone(&file))
            .at_record(0)
            .at_record_byte(bad.at)
    })?;
    Ok(Some((file, (0..cells.len()).map(|index| format!("column_{index}")).collect())))
}

/// Returns the error of files without a row to count the columns of.
#[cold]
fn without_row(first: &Arc<str>, settings: &Settings) -> Error {
    let what = match settings.has_header {
        true => "the file is empty: it has no header row",
        false => "the file is empty, so that it does not say how many columns there are",
    };
    let error = Error::new(ErrorKind::Malformed, what);
    error.help("check the file, or name the columns with the option column_names").in_file(Arc::clone(first))
}
