//! Options of formats: names, types, help and values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use serde::{Deserialize, Serialize};
use tfxio_base::{Error, ErrorKind, Result, suggest};

use crate::{Formats, ScanRequest, Store};

/// An option that a format takes: it becomes a key of `OpenOptions::set`, a flag of the command and a keyword of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionSpec {
    /// Name, in snake case.
    pub key: &'static str,
    /// Type of its value.
    pub value: OptionType,
    /// Help in one sentence, with the unit and the default.
    pub help: &'static str,
    /// Whether it is of files that are written only.
    pub is_output: bool,
}

impl OptionSpec {
    /// Returns an option.
    #[must_use]
    pub const fn new(key: &'static str, value: OptionType, help: &'static str) -> Self {
        Self { key, value, help, is_output: false }
    }

    /// Marks the option as one of written files only: a conversion does not give it to the format of its inputs.
    #[must_use]
    pub const fn of_output(mut self) -> Self {
        self.is_output = true;
        self
    }
}

/// The type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionType {
    /// `true` or `false`.
    Bool,
    /// A whole number that is not negative.
    Count,
    /// Text.
    Text,
    /// The path or URL of a file.
    File,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Several texts.
    List,
    /// `true` for all columns that fit, `false`, or the names of columns.
    Columns,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum OptionValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Count(u64),
    /// Text, a word, or a file.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

/// Options that a format is opened with, and their context beside the files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FormatOptions {
    values: BTreeMap<String, OptionValue>,
    /// Keys of `values` that a format need not have.
    preferred: BTreeSet<String>,
    /// Schema that was fixed when the data set was opened before, in this or another process. Nothing is inferred then.
    pub schema: Option<SchemaRef>,
    /// Request for reading the data to infer a schema: limits, threads, the policy for damage.
    pub request: ScanRequest,
    /// Store that holds the files that options name, for sinks; data sets take that of their [`Files`](crate::Files).
    /// Default: none, which leaves it to the format, for the formats of this project paths and URLs.
    pub store: Option<Arc<dyn Store>>,
    /// Whether a sink replaces a file that has the name of the output. Otherwise it fails with
    /// [`AlreadyExists`](crate::ErrorKind::AlreadyExists), at the latest when the output is whole. Default: true.
    pub overwrite: bool,
    /// Formats that are registered, for a format whose records have formats of their own.
    pub formats: Formats,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self {
            values: BTreeMap::new(),
            preferred: BTreeSet::new(),
            schema: None,
            request: ScanRequest::default(),
            store: None,
            overwrite: true,
            formats: Formats::default(),
        }
    }
}

impl FormatOptions {
    /// Sets an option to a value. A text is parsed when the option's type is known.
    #[must_use]
    pub fn option(mut self, key: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        let key = key.into();
        self.preferred.remove(&key);
        self.values.insert(key, value.into());
        self
    }

    /// Sets an option that is not set yet. [`checked`](Self::checked) drops it where the format does not have it.
    #[must_use]
    pub fn prefer(mut self, key: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        let key = key.into();
        if !self.values.contains_key(&key) {
            self.preferred.insert(key.clone());
            self.values.insert(key, value.into());
        }
        self
    }

    /// Returns the values that were set, by name.
    #[must_use]
    pub fn values(&self) -> &BTreeMap<String, OptionValue> {
        &self.values
    }

    /// Removes an option and returns its value, if it was set.
    pub fn take(&mut self, key: &str) -> Option<OptionValue> {
        self.values.remove(key)
    }

    /// Checks names and types against the options that a format takes. A text becomes the type that the option has. What is
    /// only [preferred](Self::prefer) is dropped where the format does not have it.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that the format does not have, with the nearest one, and for a value of another type.
    pub fn checked(mut self, format: &str, specs: &[OptionSpec]) -> Result<Self> {
        let Self { values, preferred, .. } = &mut self;
        values.retain(|key, _| !preferred.contains(key) || specs.iter().any(|spec| spec.key == *key));
        for (key, value) in &mut self.values {
            let Some(spec) = specs.iter().find(|spec| spec.key == *key) else {
                let what = format!("the format {format} has no option {key:?}");
                let hint = suggest::hint(key, specs.iter().map(|spec| spec.key), "options");
                return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
            };
            *value = spec.value.check(key, std::mem::replace(value, OptionValue::Bool(false)))?;
        }
        Ok(self)
    }

    /// Returns a switch; `false` if it was not set.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.values.get(key), Some(OptionValue::Bool(true)))
    }

    /// Returns a number, if it was set.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.values.get(key) {
            Some(OptionValue::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// Returns a text, if it was set.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            Some(OptionValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns a list of texts, if it was set.
    #[must_use]
    pub fn list(&self, key: &str) -> Option<&[String]> {
        match self.values.get(key) {
            Some(OptionValue::List(list)) => Some(list),
            _ => None,
        }
    }
}

impl OptionType {
    /// Returns the value in this type, parsed if it is given as a text.
    fn check(self, key: &str, value: OptionValue) -> Result<OptionValue> {
        let wrong = |value: &dyn fmt::Display| {
            let what = format!("the option {key:?} is {self}, and not {value}");
            Error::new(ErrorKind::InvalidArgument, what)
        };
        match (self, value) {
            (Self::Bool, value @ OptionValue::Bool(_))
            | (Self::Count, value @ OptionValue::Count(_))
            | (Self::Text | Self::File, value @ OptionValue::Text(_))
            | (Self::List, value @ OptionValue::List(_)) => Ok(value),
            (Self::Bool, OptionValue::Text(text)) => {
                text.parse().map(OptionValue::Bool).map_err(|_| wrong(&format_args!("{text:?}")))
            }
            (Self::Count, OptionValue::Text(text)) => {
                text.parse().map(OptionValue::Count).map_err(|_| wrong(&format_args!("{text:?}")))
            }
            (Self::List, OptionValue::Text(text)) => Ok(OptionValue::List(vec![text])),
            (Self::Columns, value @ (OptionValue::Bool(_) | OptionValue::List(_))) => Ok(value),
            (Self::Columns, OptionValue::Text(text)) => Ok(match text.parse() {
                Ok(all) => OptionValue::Bool(all),
                Err(_) => OptionValue::List(vec![text]),
            }),
            (Self::OneOf(words), OptionValue::Text(text)) if words.contains(&text.as_str()) => {
                Ok(OptionValue::Text(text))
            }
            (Self::OneOf(words), OptionValue::Text(text)) => {
                let hint = suggest::hint(&text, words.iter().copied(), "values");
                Err(wrong(&format_args!("{text:?}")).help(hint))
            }
            (_, value) => Err(wrong(&value)),
        }
    }
}

impl fmt::Display for OptionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true or false"),
            Self::Count => f.write_str("a whole number"),
            Self::Text => f.write_str("a text"),
            Self::File => f.write_str("a file"),
            Self::OneOf(_) => f.write_str("one of a few words"),
            Self::List => f.write_str("a list of texts"),
            Self::Columns => f.write_str("true, false or names of columns"),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Count(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::List(value) => write!(f, "{value:?}"),
        }
    }
}

impl From<bool> for OptionValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for OptionValue {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl From<&str> for OptionValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for OptionValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<String>> for OptionValue {
    fn from(value: Vec<String>) -> Self {
        Self::List(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{FormatOptions, OptionSpec, OptionType, OptionValue};

    const SPECS: &[OptionSpec] = &[
        OptionSpec::new("schema", OptionType::File, "Schema."),
        OptionSpec::new("infer_records", OptionType::Count, "Records to infer from."),
        OptionSpec::new("offsets", OptionType::OneOf(&["32", "64"]), "Width of offsets."),
        OptionSpec::new("keys", OptionType::List, "Key expressions."),
        OptionSpec::new("scalars", OptionType::Columns, "Columns of one value."),
    ];

    #[test]
    fn texts_become_what_an_option_takes() {
        let options = FormatOptions::default()
            .option("infer_records", "12")
            .option("keys", "a.b")
            .option("offsets", "32");
        let options = options.checked("avro", SPECS).expect("valid options");
        assert_eq!(options.count("infer_records"), Some(12));
        assert_eq!(options.list("keys"), Some(["a.b".to_owned()].as_slice()));
        assert_eq!(options.text("offsets"), Some("32"));
    }

    #[test]
    fn columns_are_all_of_them_none_or_named() {
        let value = |value: OptionValue| {
            let options = FormatOptions::default().option("scalars", value).checked("avro", SPECS);
            options.expect("valid options").values()["scalars"].clone()
        };
        let named = OptionValue::List(vec!["label".to_owned()]);
        assert_eq!(value("true".into()), true.into());
        assert_eq!(value(false.into()), false.into());
        assert_eq!(value("label".into()), named);
        assert_eq!(value(named.clone()), named);
        let error =
            FormatOptions::default().option("scalars", 3).checked("avro", SPECS).expect_err("a number");
        assert_eq!(error.to_string(), "the option \"scalars\" is true, false or names of columns, and not 3");
    }

    #[test]
    fn what_is_preferred_need_not_be_known() {
        let options =
            FormatOptions::default().option("offsets", "64").prefer("offsets", "32").prefer("codec", "null");
        let options = options.checked("avro", SPECS).expect("valid options");
        assert_eq!(options.text("offsets"), Some("64"));
        assert!(!options.values().contains_key("codec"));
        assert!(FormatOptions::default().prefer("offsets", "16").checked("avro", SPECS).is_err());
        assert!(
            FormatOptions::default()
                .prefer("codec", "null")
                .option("codec", "null")
                .checked("avro", SPECS)
                .is_err()
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let text = |options: FormatOptions| options.checked("avro", SPECS).expect_err("wrong").to_string();
        let options = FormatOptions::default;
        assert_eq!(
            text(options().option("shema", "x")),
            "the format avro has no option \"shema\"; did you mean \"schema\"?"
        );
        assert_eq!(
            text(options().option("infer_records", "all")),
            "the option \"infer_records\" is a whole number, and not \"all\""
        );
        assert_eq!(
            text(options().option("offsets", "16")),
            "the option \"offsets\" is one of a few words, and not \"16\"; the values are \"32\", \"64\""
        );
        assert_eq!(text(options().option("schema", true)), "the option \"schema\" is a file, and not true");
    }
}
