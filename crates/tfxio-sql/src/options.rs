//! Options for the table of a data set.

/// Options for the table of a data set.
///
/// ```
/// use tfxio_sql::TableOptions;
///
/// let options = TableOptions::new().virtual_columns(true).text(false);
/// assert!(options.scalars && options.virtual_columns && !options.text);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableOptions {
    /// Whether a feature with exactly one value a row is a column of values. Otherwise it is one of lists, as in the data set.
    /// Default true.
    pub scalars: bool,
    /// Whether a feature whose values are UTF-8 is a column of text. Otherwise it is one of bytes. Default true.
    pub text: bool,
    /// Number of rows that are read to determine which features have one value, and which are text; see also
    /// [`sample_bytes`](Self::sample_bytes). Default 10,000.
    pub sample_rows: u64,
    /// Bytes of columns after which no more rows are read. Default 32 MiB.
    pub sample_bytes: u64,
    /// Whether the table has the columns `_file`, `_record` and `_offset`, which identify the record of each row.
    /// Default false: `select *` would show them.
    pub virtual_columns: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            scalars: true,
            text: true,
            sample_rows: 10_000,
            sample_bytes: 32 << 20,
            virtual_columns: false,
        }
    }
}

impl TableOptions {
    /// Returns the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether a feature with exactly one value a row is a column of values.
    #[must_use]
    pub fn scalars(mut self, scalars: bool) -> Self {
        self.scalars = scalars;
        self
    }

    /// Sets whether a feature whose values are UTF-8 is a column of text.
    #[must_use]
    pub fn text(mut self, text: bool) -> Self {
        self.text = text;
        self
    }

    /// Sets the number of rows that are looked at.
    #[must_use]
    pub fn sample_rows(mut self, rows: u64) -> Self {
        self.sample_rows = rows;
        self
    }

    /// Sets the bytes of columns after which no more rows are looked at.
    #[must_use]
    pub fn sample_bytes(mut self, bytes: u64) -> Self {
        self.sample_bytes = bytes;
        self
    }

    /// Sets whether the table has the columns `_file`, `_record` and `_offset`.
    #[must_use]
    pub fn virtual_columns(mut self, virtual_columns: bool) -> Self {
        self.virtual_columns = virtual_columns;
        self
    }
}
