//! The records of a file as values of a type of serde.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use serde_core::de::DeserializeOwned;

use crate::container::ContainerReader;
use crate::datum::{DatumReader, from_datum};
use crate::{AvroSchema, Result};

/// The records of a [`Reader`](crate::Reader) as values of a type of serde, by the rules of [`from_datum`]. Nothing comes after an error.
pub struct AvroValues<R, T> {
    container: ContainerReader<R>,
    schema: AvroSchema,
    /// Records of the block that was lent last which were read, and the byte after them.
    read: u64,
    at: usize,
    has_ended: bool,
    of: PhantomData<fn() -> T>,
}

impl<R: Read, T> AvroValues<R, T> {
    pub(crate) fn new(container: ContainerReader<R>) -> Self {
        let schema = container.header().schema().clone();
        Self { container, schema, read: 0, at: 0, has_ended: false, of: PhantomData }
    }
}

impl<R: Read, T: DeserializeOwned> AvroValues<R, T> {
    fn read(&mut self) -> Result<Option<T>> {
        loop {
            if let Some(block) = self.container.last_block() {
                let mut reader = DatumReader::at(block.bytes(), self.at);
                if self.read < block.count() {
                    let value = from_datum(&self.schema, &mut reader, &self.container.limits());
                    let value = value.map_err(|error| block.locate(error, self.read, self.at))?;
                    (self.read, self.at) = (self.read.saturating_add(1), reader.position());
                    return Ok(Some(value));
                }
                block.finish(&reader)?;
            }
            (self.read, self.at) = (0, 0);
            if self.container.next_block()?.is_none() {
                return Ok(None);
            }
        }
    }
}

impl<R: Read, T: DeserializeOwned> Iterator for AvroValues<R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let value = self.read().transpose();
        self.has_ended = !matches!(value, Some(Ok(_)));
        value
    }
}

impl<R, T> fmt::Debug for AvroValues<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroValues").field("schema", &self.schema).finish_non_exhaustive()
    }
}
