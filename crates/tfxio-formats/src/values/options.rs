//! Options for the columns that become scalars or text.

use tfxio_core::{FormatOptions, OptionSpec, OptionType, OptionValue, ScanRequest};

/// Key of the columns that are scalars, of any format.
pub(crate) const SCALARS: &str = "scalars";
/// Key of the columns that are text, of any format.
pub(crate) const TEXT: &str = "text";

/// Options of the opener.
pub(crate) const OPTIONS: [OptionSpec; 2] = [
    OptionSpec::new(
        SCALARS,
        OptionType::Columns,
        "Columns of lists that are columns of values: true for those that have one value in each record that has them, as the \
         schema says it or the records show that are looked at; or names of columns. Default: false.",
    ),
    OptionSpec::new(
        TEXT,
        OptionType::Columns,
        "Columns of bytes that are columns of text: true for those that are UTF-8, as the records show that are looked at; or names of \
         columns. Default: false.",
    ),
];

/// Columns that are scalars, or text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueColumns {
    /// None.
    #[default]
    Nothing,
    /// Columns for which the schema declares it, or the sampled records show it.
    Found,
    /// These, by their names. A struct selects all columns within it; a column within a struct is named by the path to it, with dots
    /// between the names.
    Named(Vec<String>),
}

impl From<bool> for ValueColumns {
    fn from(found: bool) -> Self {
        if found { Self::Found } else { Self::Nothing }
    }
}

impl From<Vec<String>> for ValueColumns {
    fn from(names: Vec<String>) -> Self {
        Self::Named(names)
    }
}

impl From<ValueColumns> for OptionValue {
    fn from(columns: ValueColumns) -> Self {
        match columns {
            ValueColumns::Nothing => Self::Bool(false),
            ValueColumns::Found => Self::Bool(true),
            ValueColumns::Named(names) => Self::List(names),
        }
    }
}

impl ValueColumns {
    /// Returns the columns of an option.
    fn of(value: Option<OptionValue>) -> Self {
        match value {
            Some(OptionValue::Bool(found)) => found.into(),
            Some(OptionValue::List(names)) => Self::Named(names),
            _ => Self::Nothing,
        }
    }
}

/// Columns of a data set that become scalars, and columns that become text.
///
/// ```
/// use tfxio_formats::{ValueOptions, ValuesExt, open};
/// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
///
/// let digits = open(digits)?.values(&ValueOptions::new().scalars(true).text(true))?;
/// let types = digits.schema().fields().iter().map(|field| field.data_type().to_string()).collect::<Vec<_>>();
/// assert_eq!(types, ["LargeUtf8", "LargeList(Float32)", "Int64"]);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValueOptions {
    /// Columns of lists that become columns of values. A column is found if it has one value in each record that has it. A record that does
    /// not have the feature is null. Default: none.
    pub scalars: ValueColumns,
    /// Columns of bytes that become columns of text. A column is found if it is UTF-8, in lists and structs, too. Default: none.
    pub text: ValueColumns,
    /// Number of records that are looked at to find these columns. Default: all where the files are local and together have at most
    /// 256 MiB, else 10,000.
    pub infer_records: Option<u64>,
    /// Bytes of columns after which no more records are looked at. Default: no bound.
    pub infer_bytes: Option<u64>,
    /// Request for reading the sampled records: limits, threads, handling of damage.
    pub request: ScanRequest,
}

impl ValueOptions {
    /// Returns options by which nothing changes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the columns of lists that become columns of values.
    #[must_use]
    pub fn scalars(mut self, columns: impl Into<ValueColumns>) -> Self {
        self.scalars = columns.into();
        self
    }

    /// Sets the columns of bytes that become columns of text.
    #[must_use]
    pub fn text(mut self, columns: impl Into<ValueColumns>) -> Self {
        self.text = columns.into();
        self
    }

    /// Sets the number of records that are looked at.
    #[must_use]
    pub fn infer_records(mut self, records: u64) -> Self {
        self.infer_records = Some(records);
        self
    }

    /// Sets the bytes of columns after which no more records are looked at.
    #[must_use]
    pub fn infer_bytes(mut self, bytes: u64) -> Self {
        self.infer_bytes = Some(bytes);
        self
    }

    /// Sets how the records are read that are looked at.
    #[must_use]
    pub fn request(mut self, request: ScanRequest) -> Self {
        self.request = request;
        self
    }

    /// Takes the options out of the options of a format. An option that a foreign format has under one of these names is left to that
    /// format.
    pub(crate) fn take(options: &mut FormatOptions, of_format: &[OptionSpec]) -> Self {
        let is_foreign = |key: &str| of_format.iter().any(|spec| spec.key == key);
        let taken = |key| if is_foreign(key) { None } else { options.take(key) };
        let [scalars, text] = [SCALARS, TEXT].map(taken).map(ValueColumns::of);
        let (infer_records, request) = (options.count("infer_records"), options.request.clone());
        Self { scalars, text, infer_records, infer_bytes: None, request }
    }

    /// Returns whether nothing changes.
    pub(crate) fn is_nothing(&self) -> bool {
        let is_nothing = |columns: &ValueColumns| match columns {
            ValueColumns::Nothing => true,
            ValueColumns::Found => false,
            ValueColumns::Named(names) => names.is_empty(),
        };
        is_nothing(&self.scalars) && is_nothing(&self.text)
    }
}

/// Columns that would be scalars, and that would be text: names as [`ValueColumns::Named`] has them, in the order of the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundValues {
    /// Columns of lists that have one value in each record that has them.
    pub scalars: Vec<String>,
    /// Bytes that are UTF-8.
    pub text: Vec<String>,
}
