//! Maps in the form of structs, each field an entry, as readers of JSON make them of objects.

use std::collections::HashSet;

use arrow_array::StructArray;
use proto_wire::WireType;
use tfxio_base::{Error, Result};

use super::bind::{Binder, Column};
use super::other::integer;
use super::write::{sized, tag, varint, wire};
use crate::Kind;
use crate::descriptor::{Field, FieldKind, Message, Scalar};

/// The entries of one key.
pub(super) struct Entry<'a> {
    /// The field of the key, with its tag.
    key: Vec<u8>,
    value: Column<'a>,
}

impl<'a> Entry<'a> {
    /// Returns the entries of a map, in the order of the fields; a field is called as its key is written.
    pub(super) fn all(
        binder: &Binder<'a>,
        entry: &'a Message,
        structs: &'a StructArray,
    ) -> Result<Vec<Self>> {
        let field = |number: u32| entry.fields.iter().find(|field| field.number == number);
        let (Some(key), Some(value)) = (field(1), field(2)) else { return Ok(Vec::new()) };
        let mut seen = HashSet::new();
        let entries = structs.fields().iter().zip(structs.columns()).map(|(column, array)| {
            let name = column.name().as_str();
            let wrong = |what: &str| {
                Error::new(Kind::UnsupportedColumn, what).help("correct the key, or leave the column out")
            };
            let bytes =
                written(key, name).ok_or_else(|| wrong("the key is not one of the type of the map's"))?;
            if !seen.insert(bytes.clone()) {
                return Err(wrong("the key comes twice"));
            }
            Ok(Self { key: bytes, value: binder.column(value, name, &**array)? })
        });
        let names = structs.fields().iter().map(|column| column.name());
        entries.zip(names).map(|(entry, name)| entry.map_err(|error| error.within(name))).collect()
    }

    /// Appends the entry of a row. A key whose value is null is not in the map.
    pub(super) fn write(&self, field: &Field, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.value.is_null(row) {
            return Ok(());
        }
        tag(out, field.number, WireType::Len);
        let written = sized(out, |out| {
            out.extend_from_slice(&self.key);
            self.value.write(row, true, out)
        });
        written.map_err(|error| error.within(self.value.name))
    }
}

/// Returns the field of a key, with its tag, of a text; `None` where the type is written otherwise.
fn written(field: &Field, text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match field.kind {
        FieldKind::Scalar(Scalar::String) => {
            tag(&mut out, field.number, WireType::Len);
            varint(&mut out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        FieldKind::Scalar(Scalar::Bool) => {
            tag(&mut out, field.number, WireType::Varint);
            varint(&mut out, text.parse::<bool>().ok()?.into());
        }
        FieldKind::Scalar(scalar) => {
            // As it is written: another text could be another key.
            let number = text.parse::<i128>().ok().filter(|number| number.to_string() == text)?;
            tag(&mut out, field.number, wire(field.kind));
            integer(number, scalar, &mut out)?;
        }
        FieldKind::Enum(_) | FieldKind::Message(_) => return None,
    }
    Some(out)
}
