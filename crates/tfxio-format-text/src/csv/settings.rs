//! Options of the format CSV, for reading and writing, and their values.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, FormatOptions, OptionSpec, OptionType, OptionValue, Result};
use tfxio_scan::merge::UNION_BY_NAME;

use super::cells::{Cells, Dialect};
use crate::lines::{self, Blank};

/// Key of the option that keeps spreadsheets from running texts.
pub(super) const ESCAPE_FORMULAS: &str = "output_escape_formulas";

/// The options, in the order in which they are shown.
const OPTIONS: &[OptionSpec] = &[
    UNION_BY_NAME,
    OptionSpec::new(
        "delimiter",
        OptionType::Text,
        "Character between cells; tab is a word for it. Default: a comma, a tab for names in .tsv.",
    ),
    OptionSpec::new(
        "header",
        OptionType::Bool,
        "Whether the first row of each file has the names of the columns. Default: true, false where they are given.",
    ),
    OptionSpec::new(
        "column_names",
        OptionType::List,
        "Names of the columns, in the order of the cells; one text may hold several, as a row does. Default: those of the \
         header; without a header column_0, column_1 and so on.",
    ),
    OptionSpec::new(
        "quoting",
        OptionType::OneOf(&["rfc4180", "none"]),
        "Whether cells may stand in double quotes, or quotes are text. Default: rfc4180.",
    ),
    OptionSpec::new(
        "escape",
        OptionType::Text,
        "Character before a quote or itself within quotes, which then are text, as Spark, MySQL and PostgreSQL write them: \\, or the \
         word backslash. Quotes written twice are read as well. Where it is written, so are cells that hold it. Default: none.",
    ),
    OptionSpec::new(
        "quoted_newlines",
        OptionType::Bool,
        "Whether cells in quotes may hold line breaks. Then cutting a file reads it once from its beginning, and objects are \
         not cut. Default: true.",
    ),
    OptionSpec::new(
        "blank_lines",
        OptionType::OneOf(&["skip", "null"]),
        "Whether an empty line is passed over or is a row of nulls. Default: null where there is one column, else skip.",
    ),
    OptionSpec::new(
        "multivalent_columns",
        OptionType::List,
        "Columns whose cells hold several values, with secondary_delimiter between them. Default: none.",
    ),
    OptionSpec::new(
        "text_columns",
        OptionType::List,
        "Columns whose cells are texts where types are inferred, such as numbers that begin with zeros. Default: none.",
    ),
    OptionSpec::new(
        "secondary_delimiter",
        OptionType::Text,
        "Character between the values of a cell of a multivalent column. Default: |.",
    ),
    OptionSpec::new(
        "layout",
        OptionType::OneOf(&["structured", "plain"]),
        "Columns: every one a list of int64, 32-bit floats or bytes, as of tf.Example, or values as they are: int64, 64-bit \
         floats, bools and texts. Default: structured.",
    ),
    OptionSpec::new(
        ESCAPE_FORMULAS,
        OptionType::Bool,
        "Whether a ' is written before names and texts that begin with =, +, -, @, a tab or a carriage return, which spreadsheets \
         take for formulas and run. The ' is read back as part of the text. Default: false.",
    )
    .of_output(),
];

/// Returns all options, in the order in which they are shown.
pub(super) fn options() -> Vec<OptionSpec> {
    #[allow(unused_mut, reason = "a feature adds one")]
    let mut options = [OPTIONS, lines::INPUT_OPTIONS.as_slice(), lines::OUTPUT_OPTIONS.as_slice()].concat();
    #[cfg(feature = "tensors")]
    options.push(tfxio_core::shared_options::SCHEMA_OPTION);
    options
}

/// Values of the options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) dialect: Dialect,
    pub(super) has_header: bool,
    pub(super) column_names: Option<Vec<String>>,
    pub(super) quoted_newlines: bool,
    blank_lines: Option<Blank>,
    pub(super) multivalent: Vec<String>,
    /// Names of columns that are texts, whatever their cells look like.
    pub(super) texts: Vec<String>,
    pub(super) secondary_delimiter: u8,
    pub(super) is_plain: bool,
    pub(super) infer_records: Option<u64>,
    pub(super) raw_record: Option<Arc<str>>,
}

impl Settings {
    /// # Errors
    /// `InvalidArgument` for delimiters that are not one character of ASCII each, or the same.
    pub(super) fn new(options: &FormatOptions, file: Option<&str>) -> Result<Self> {
        let flag = |key: &str| match options.values().get(key) {
            Some(OptionValue::Bool(value)) => Some(*value),
            _ => None,
        };
        let quote = Some(b'"').filter(|_| options.text("quoting") != Some("none"));
        let is_tsv = file.is_some_and(is_tsv);
        let delimiter = character(options, "delimiter")?.unwrap_or(if is_tsv { b'\t' } else { b',' });
        let secondary_delimiter = character(options, "secondary_delimiter")?.unwrap_or(b'|');
        let multivalent = options.list("multivalent_columns").unwrap_or_default().to_vec();
        if delimiter == secondary_delimiter && !multivalent.is_empty() {
            let what = "the options \"delimiter\" and \"secondary_delimiter\" are the same character";
            return Err(Error::new(ErrorKind::InvalidArgument, what).help("choose another for one of them"));
        }
        let escape = escape(options, delimiter)?;
        let dialect = Dialect::new(delimiter, quote).escape(escape);
        let column_names = options.list("column_names").map(|names| names_of(names, &dialect)).transpose()?;
        Ok(Self {
            has_header: flag("header").unwrap_or(column_names.is_none()),
            column_names,
            dialect,
            quoted_newlines: flag("quoted_newlines").unwrap_or(true),
            blank_lines: match options.text("blank_lines") {
                Some("skip") => Some(Blank::Empty),
                Some("null") => Some(Blank::None),
                _ => None,
            },
            multivalent,
            texts: options.list("text_columns").unwrap_or_default().to_vec(),
            secondary_delimiter,
            is_plain: options.text("layout") == Some("plain"),
            infer_records: options.count("infer_records"),
            raw_record: options.text(lines::RAW_RECORD_COLUMN).map(Into::into),
        })
    }

    /// Returns which lines are not records, of files with this many columns.
    pub(super) fn blank(&self, columns: usize) -> Blank {
        self.blank_lines.unwrap_or(if columns == 1 { Blank::None } else { Blank::Empty })
    }
}

/// Returns whether the name of a file implies tabs between cells.
pub(super) fn is_tsv(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(".tsv") || name.ends_with(".tsv.gz")
}

/// Returns the names that an option lists, or that its only text holds as a row does.
fn names_of(names: &[String], dialect: &Dialect) -> Result<Vec<String>> {
    let [row] = names else { return Ok(names.to_vec()) };
    let mut cells = Cells::default();
    cells.split(row.as_bytes(), dialect).map_err(|bad| {
        let what = format!("the option \"column_names\" cannot be read as a row: {}", bad.what);
        Error::new(ErrorKind::InvalidArgument, what).help(bad.help)
    })?;
    let name = |index| String::from_utf8_lossy(cells.get(row.as_bytes(), index).0).into_owned();
    Ok((0..cells.len()).map(name).collect())
}

/// Returns the character that escapes quotes, if one does.
///
/// # Errors
/// `InvalidArgument` for what is not one character of ASCII, the delimiter, or where quotes are text.
pub(super) fn escape(options: &FormatOptions, delimiter: u8) -> Result<Option<u8>> {
    let escape = match options.text("escape") {
        // A quote that escapes itself is one that is written twice.
        None | Some("\"") => return Ok(None),
        Some("backslash") => Some(b'\\'),
        Some(_) => character(options, "escape")?,
    };
    let refused = |what: &str, help: &str| {
        Err(Error::new(ErrorKind::InvalidArgument, what.to_owned()).help(help.to_owned()))
    };
    if escape == Some(delimiter) {
        let what = "the options \"delimiter\" and \"escape\" are the same character";
        return refused(what, "choose another for one of them");
    }
    if options.text("quoting") == Some("none") {
        let what =
            "the option \"escape\" is about quotes, and the option \"quoting\" says that quotes are text";
        return refused(what, "leave out one of them");
    }
    Ok(escape)
}

/// Returns the character that an option names.
pub(super) fn character(options: &FormatOptions, key: &str) -> Result<Option<u8>> {
    let Some(text) = options.text(key) else { return Ok(None) };
    match text.as_bytes() {
        _ if matches!(text, "tab" | "\\t") => Ok(Some(b'\t')),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Some(*byte)),
        _ => {
            let what = format!("the option {key:?} is one ASCII character, and not {text:?}");
            let help = "give a character that is neither a quote nor a line break, or the word tab";
            Err(Error::new(ErrorKind::InvalidArgument, what).help(help))
        }
    }
}
