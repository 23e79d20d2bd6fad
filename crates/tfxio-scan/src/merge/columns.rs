//! The columns of a set of files.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{FieldRef, Fields, Schema, SchemaRef};
use tfxio_core::{Column, Error, ErrorKind, Position, Result};

use super::types::{self, Unlike};

/// Words in which messages speak of what is read together.
#[derive(Clone, Copy, Debug)]
struct Words {
    /// One of them.
    it: &'static str,
    /// Remedy for types that have none in common.
    types: &'static str,
    /// Remedy for a column that is missing.
    missing: &'static str,
}

const FILES: Words = Words {
    it: "file",
    types: "cast the column in one of the files, or leave it out",
    missing: "set the option union_by_name to read it as null, or leave the column out",
};
const DATA_SETS: Words = Words {
    it: "data set",
    types: "cast the column of one of the data sets, or select others",
    missing: "select columns that all data sets have",
};

/// The columns of files that are read together.
#[derive(Clone, Debug)]
pub struct Merged {
    schema: SchemaRef,
    first: Arc<str>,
    is_union: bool,
    /// Columns that cannot be read, each by the first file that hinders it.
    unlike: HashMap<String, (Arc<str>, Unlike)>,
    /// Whether a file has other columns than the set.
    is_mixed: bool,
    /// Whether the columns were given, so that files may have others.
    is_given: bool,
    words: Words,
}

impl Merged {
    /// Returns the columns of the first file. With `is_union` a column may be missing in others.
    pub fn new(first: Arc<str>, schema: SchemaRef, is_union: bool) -> Self {
        Self {
            schema,
            first,
            is_union,
            unlike: HashMap::new(),
            is_mixed: false,
            is_given: false,
            words: FILES,
        }
    }

    /// Returns the columns of the first of several data sets.
    pub fn of_data_sets(first: Arc<str>, schema: SchemaRef) -> Self {
        Self { words: DATA_SETS, ..Self::new(first, schema, false) }
    }

    /// Returns columns that were given, which are read of all files, whatever other columns these have.
    pub fn given(first: Arc<str>, schema: SchemaRef, is_union: bool) -> Self {
        Self { is_given: true, ..Self::new(first, schema, is_union) }
    }

    /// Sets what may be done about a column whose types have none in common.
    pub fn advising(mut self, advice: &'static str) -> Self {
        self.words.types = advice;
        self
    }

    /// Adds the columns of another file.
    pub fn add(&mut self, file: &Arc<str>, schema: &SchemaRef) {
        if Arc::ptr_eq(schema, &self.schema) || schema.fields() == self.schema.fields() {
            return;
        }
        self.is_mixed = true;
        let others = grouped(schema.fields());
        let known = grouped(self.schema.fields());
        let mut fields = Vec::with_capacity(self.schema.fields().len());
        let mut unlike = Vec::new();
        for own in self.schema.fields() {
            let merged = match (known.get(own.name().as_str()), others.get(own.name().as_str())) {
                (Some((_, 2..)), _) | (_, Some((_, 2..))) => Err(Unlike::Twice(Vec::new())),
                (_, Some((other, _))) => types::field(own, other, self.is_union),
                (_, None) if self.is_union => Ok(types::nullable(own)),
                (_, None) => Err(Unlike::NotInSecond(Vec::new())),
            };
            fields.push(merged.unwrap_or_else(|reason| {
                unlike.push((own.name().clone(), reason));
                Arc::clone(own)
            }));
        }
        for other in schema.fields() {
            if known.contains_key(other.name().as_str()) {
                continue;
            }
            if !self.is_union {
                unlike.push((other.name().clone(), Unlike::NotInFirst(Vec::new())));
            }
            fields.push(types::nullable(other));
        }
        let metadata = self.schema.metadata().clone();
        self.schema = Arc::new(Schema::new_with_metadata(Fields::from(fields), metadata));
        for (column, reason) in unlike {
            self.unlike.entry(column).or_insert_with(|| (Arc::clone(file), reason));
        }
    }

    /// Returns the columns of the set.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns whether a file has other columns than the set.
    pub fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    pub(super) fn is_given(&self) -> bool {
        self.is_given
    }

    pub(super) fn is_union(&self) -> bool {
        self.is_union
    }

    /// Refuses to read columns that cannot be read of all files.
    ///
    /// # Errors
    /// `SchemaMismatch` with the column and the file that hinders it.
    pub(super) fn check(&self, columns: Option<&[Column]>) -> Result<()> {
        if self.unlike.is_empty() {
            return Ok(());
        }
        let asked = |name: &str| match columns {
            Some(columns) => {
                columns.iter().any(|column| column.path.steps().first().is_some_and(|first| **first == *name))
            }
            None => true,
        };
        let refused = self
            .schema
            .fields()
            .iter()
            .find(|field| asked(field.name()) && self.unlike.contains_key(field.name()));
        match refused.and_then(|field| Some((field, self.unlike.get(field.name())?))) {
            Some((field, (file, reason))) => Err(self.refused(field, file, reason)),
            None => Ok(()),
        }
    }

    /// Returns the error of a column that cannot be read of a file.
    #[cold]
    pub(super) fn refused(&self, field: &FieldRef, file: &Arc<str>, reason: &Unlike) -> Error {
        let (first, Words { it, types, missing }) = (&*self.first, self.words);
        let leave_out = "leave the column out";
        let nested = |path: &[String]| match path {
            [] | [_] => String::new(),
            [_, inner @ ..] => format!(" (field {:?})", inner.join(".")),
        };
        let (what, help) = match reason {
            Unlike::Types(path, own, other) => {
                let nested = nested(path);
                let what = format!("the column{nested} is {other} in this {it}, and {own} in {first}");
                (what, types.to_owned())
            }
            Unlike::NotInFirst(path) | Unlike::NotInSecond(path) => {
                let is_of_file = matches!(reason, Unlike::NotInFirst(_));
                let (subject, nested) = match path.as_slice() {
                    [] | [_] => ("column", String::new()),
                    path => ("field", nested(path)),
                };
                let what = match is_of_file {
                    true => format!("the {it} has the {subject}{nested}, and {first} has none of this name"),
                    false => format!("the {it} has no {subject} of this name{nested}, and {first} has one"),
                };
                let help = match self.is_union {
                    true => format!("name this {it} first, or {leave_out}"),
                    false => missing.to_owned(),
                };
                (what, help)
            }
            Unlike::Twice(path) => {
                let nested = nested(path);
                let what = format!("several columns have this name{nested}, and {it}s are matched by names");
                (what, format!("rename one of them, or {leave_out}"))
            }
        };
        let position = Position::new().file(Arc::clone(file)).column(field.name().as_str());
        Error::new(ErrorKind::SchemaMismatch, what).help(help).at(position)
    }
}

/// Returns fields by their names, with how many of them have it.
fn grouped(fields: &Fields) -> HashMap<&str, (&FieldRef, u32)> {
    let mut grouped = HashMap::with_capacity(fields.len());
    for field in fields {
        grouped.entry(field.name().as_str()).or_insert((field, 0u32)).1 += 1;
    }
    grouped
}

/// Returns whether columns of the first hold the values of all columns of the second.
pub fn holds(first: &SchemaRef, second: &SchemaRef) -> bool {
    let (known, others) = (grouped(first.fields()), grouped(second.fields()));
    others.iter().all(|(name, (other, count))| match known.get(name) {
        Some((own, 1)) if *count == 1 => types::field(own, other, false).is_ok_and(|merged| merged == **own),
        _ => false,
    })
}
