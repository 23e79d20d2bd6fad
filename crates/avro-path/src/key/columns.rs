//! Columns that several callers need together, each once.

use std::collections::HashMap;

use tfxio_core::DType;

use super::{Key, resolve};
use crate::program::{KeyOptions, KeyProgram};
use crate::schema::AvroSchema;
use crate::{Error, ErrorKind, Result};

/// Gathers the keys of a request, for instance of all tensors, for one [`KeyProgram`]. Each key is answered with the
/// number of its column; the same key asked for again has the same column.
///
/// ```
/// use avro_path::AvroSchema;
/// use avro_path::key::KeyColumns;
/// use avro_path::program::KeyOptions;
///
/// let schema = AvroSchema::parse(
///     r#"{"type": "record", "name": "r", "fields": [
///         {"name": "label", "type": "int"},
///         {"name": "words", "type": {"type": "array", "items": {"type": "record", "name": "word", "fields": [
///             {"name": "id", "type": "long"}, {"name": "count", "type": "float"}]}}}]}"#,
/// )?;
/// let mut columns = KeyColumns::new(&schema);
/// assert_eq!(columns.add(None, &["label"])?, [0]);
/// assert_eq!(columns.add(Some("words"), &["id", "count", "@label"])?, [1, 2, 0]);
/// let program = columns.program(KeyOptions::default())?;
/// assert_eq!(program.arrow_schema().field(2).name(), "words[*].count");
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct KeyColumns {
    schema: AvroSchema,
    keys: Vec<Key>,
    /// Number of each key, by its shortest text and the dtype it is read as.
    known: HashMap<(Box<str>, Option<DType>), usize>,
}

impl KeyColumns {
    /// Returns an empty request.
    #[must_use]
    pub fn new(schema: &AvroSchema) -> Self {
        Self { schema: schema.clone(), keys: Vec::new(), known: HashMap::new() }
    }

    /// Requests the columns of keys and returns their numbers. With a `base`, keys begin at the record or the array of
    /// that key, as [`Key::join_within`] defines; if all of them begin with `@`, the base may be any text.
    ///
    /// # Errors
    /// When a key, or the base where it is needed, is not valid or does not fit the schema.
    pub fn add(&mut self, base: Option<&str>, keys: &[impl AsRef<str>]) -> Result<Vec<usize>> {
        self.add_as(base, keys.iter().map(|key| (key.as_ref(), None)))
    }

    /// As [`add`](Self::add), for keys whose dtype is known: if a key ends at a union of several types, the dtype
    /// chooses the branch, as [`Key::read_as`] defines.
    ///
    /// # Errors
    /// As [`add`](Self::add), and when no branch of such a union has the dtype.
    pub fn add_as<'k>(
        &mut self,
        base: Option<&str>,
        keys: impl IntoIterator<Item = (&'k str, Option<DType>)>,
    ) -> Result<Vec<usize>> {
        let mut start = None;
        let mut numbers = Vec::new();
        for (text, dtype) in keys {
            let mut key = Key::parse(text)?;
            if let Some(base) = base.filter(|_| !key.from_root) {
                let start = match &start {
                    Some(start) => start,
                    None => start.insert(Key::parse(base)?),
                };
                key = start.join_within(&self.schema, &key)?;
            }
            if let Err(error) = resolve::resolve(&self.schema, &key) {
                key = key.read_as(dtype.ok_or(error)?);
                resolve::resolve(&self.schema, &key)?;
            }
            numbers.push(self.number(key));
        }
        Ok(numbers)
    }

    fn number(&mut self, key: Key) -> usize {
        let next = self.keys.len();
        let said = key.to_string();
        // Every key begins at the root, with `@` or without.
        let said = said.strip_prefix('@').unwrap_or(&said).into();
        let number = *self.known.entry((said, key.dtype())).or_insert(next);
        if number == next {
            self.keys.push(key);
        }
        number
    }

    /// Returns the names of the columns: the texts of their keys, with the dtype if a key is read as several.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |(at, key): (usize, &Key)| match key.dtype() {
            Some(dtype) if self.keys.iter().take(at).any(|other| other.text() == key.text()) => {
                format!("{} as {dtype}", key.text())
            }
            _ => key.text().to_owned(),
        };
        self.keys.iter().enumerate().map(name).collect()
    }

    /// Returns the keys of the columns, in the order of their numbers.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Compiles the program of all columns, in the order of their numbers, with their [`names`](Self::names).
    ///
    /// # Errors
    /// Of kind [`InvalidArgument`](ErrorKind::InvalidArgument) when nothing was asked for.
    pub fn program(&self, options: KeyOptions) -> Result<KeyProgram> {
        if self.keys.is_empty() {
            let error = Error::new(ErrorKind::InvalidArgument, "no key is asked for");
            return Err(error.help("name at least one"));
        }
        let names = self.names();
        let columns = names.iter().map(String::as_str).zip(&self.keys);
        KeyProgram::builder(&self.schema, columns).options(options).build()
    }
}
