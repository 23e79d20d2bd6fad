//! JSON text, and the positions of the values in it.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::Subject;
use super::members::{Member, Members};
use super::value::found;
use crate::kind::{Locate as _, line_and_column};
use crate::{Error, Kind};

/// Position of a value, or of the error in a text that is not JSON. Lines and columns count from 1. Columns are characters,
/// but bytes where the text is not JSON.
#[derive(Clone, Copy)]
pub(crate) struct TextPosition {
    line: usize,
    column: usize,
}

/// Returns the error about the text at a position.
pub(crate) fn malformed(position: impl Into<Option<TextPosition>>, message: impl fmt::Display) -> Error {
    let error = Error::new(Kind::MalformedText, message.to_string());
    match position.into() {
        Some(TextPosition { line, column }) => error.at(line_and_column(line, column)),
        None => error,
    }
}

/// Text that is JSON.
pub(crate) struct Text<'a> {
    whole: &'a str,
    root: &'a RawValue,
}

impl<'a> Text<'a> {
    pub(crate) fn new(whole: &'a str) -> Result<Self, Error> {
        // Raw values are looked at less strictly than values.
        serde_json::from_str::<Value>(whole).map_err(no_json)?;
        Ok(Self { whole, root: serde_json::from_str(whole).map_err(no_json)? })
    }

    /// Reads the subject that the whole text describes.
    pub(crate) fn read<T>(
        &self,
        subject: Subject,
        read: impl Fn(&Members) -> Result<T, Error>,
    ) -> Result<T, Error> {
        read(&self.members(self.root, subject)?)
    }

    /// Reads the subjects that the text describes by name, each name once.
    pub(crate) fn read_named<T>(
        &self,
        subject: Subject,
        read: impl Fn(&Members) -> Result<T, Error>,
    ) -> Result<BTreeMap<String, T>, Error> {
        let (what, owner) = (subject.name(), subject.owner());
        let entries = self.entries(self.root)?.ok_or_else(|| {
            let found = found(self.root.get());
            let needed = format!("an object with a {what} for the name of each {owner}");
            malformed(self.position(self.root), format!("the text is {found}; it must be {needed}"))
        })?;
        let mut all = BTreeMap::new();
        for (name, value) in entries {
            let one = if all.contains_key(&name) {
                let message = format!("a {owner} of that name stands before; a name may stand once");
                Err(malformed(self.position(value), message))
            } else {
                self.members(value, subject).and_then(|members| read(&members))
            };
            let one = one.map_err(|error| error.in_tensor(&name))?;
            all.insert(name, one);
        }
        Ok(all)
    }

    /// Returns the error about the whole text.
    pub(crate) fn refused(&self, message: &str) -> Error {
        malformed(self.position(self.root), message)
    }

    /// Returns the position of a value of the text.
    fn position(&self, value: &RawValue) -> TextPosition {
        let offset = value.get().as_ptr().addr().saturating_sub(self.whole.as_ptr().addr());
        let before = self.whole.get(..offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        TextPosition { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }

    /// Returns the members of an object, in their order; `None` of another value.
    fn entries(&self, value: &'a RawValue) -> Result<Option<Vec<(String, &'a RawValue)>>, Error> {
        if !value.get().starts_with('{') {
            return Ok(None);
        }
        serde_json::from_str::<Entries<'a>>(value.get()).map(|entries| Some(entries.0)).map_err(no_json)
    }

    fn members(&self, value: &'a RawValue, subject: Subject) -> Result<Members, Error> {
        let position = Some(self.position(value));
        let Some(entries) = self.entries(value)? else {
            return Err(Members::none(position, value.get(), subject));
        };
        let members = entries.into_iter().map(|(name, value)| {
            let position = Some(self.position(value));
            Ok(Member { name, value: serde_json::from_str(value.get()).map_err(no_json)?, position })
        });
        Members::new(position, members.collect::<Result<_, Error>>()?)
    }
}

fn no_json(error: serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let message = match error.classify() {
        Category::Eof => "the text ends before its JSON does",
        _ => text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text),
    };
    malformed(
        TextPosition { line, column: column.max(1) },
        format!("the text cannot be read as JSON: {message}"),
    )
    .because(error)
}

/// The members of an object, duplicates included.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = members.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Each)
    }
}
