//! Versions of the metadata of messages.
//!
//! Version 4 came with Arrow 0.8, version 5 with Arrow 1.0. They differ in unions, which had a validity bitmap in version 4. Each message
//! contains its version; the version in the footer may be another one (old writers of files, and pyarrow where it is asked for version 4)
//! and is not looked at.

use std::sync::Arc;

use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{FieldNode, Message, MetadataVersion};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use tfxio_core::{Error, ErrorKind, Position};

use super::block::message;

/// Returns a decoder that goes by the version of each message, which [`check`] has looked at.
pub(super) fn decoder(schema: &SchemaRef) -> FileDecoder {
    // To arrow-ipc, version 1 is a footer that does not say it.
    FileDecoder::new(Arc::clone(schema), MetadataVersion::V1)
}

/// Refuses a message whose layout is not known.
pub(super) fn check(message: &Message<'_>) -> Result<(), ArrowError> {
    let version = message.version();
    if matches!(version, MetadataVersion::V4 | MetadataVersion::V5) {
        return Ok(());
    }
    let (what, help) = match version.0 {
        version @ 0..=2 => (
            format!(
                "a message has metadata of version {}, of Arrow before 0.8, which are not read",
                version + 1
            ),
            "write it again with a later version of Arrow",
        ),
        version => (
            format!("a message has metadata of version {}, which is not known", i32::from(version) + 1),
            "write it again with metadata of version 5",
        ),
    };
    Err(external(Error::new(ErrorKind::Unsupported, what).help(help)))
}

/// Refuses messages of version 4 with a union that is null itself, which version 5 cannot express, and of which arrow-ipc drops the nulls.
#[derive(Debug)]
pub(super) struct Unions {
    schema: SchemaRef,
    /// Whether there are any.
    any: bool,
}

impl Unions {
    pub(super) fn of(schema: &SchemaRef) -> Self {
        let is_union = |field: &&Field| match field.data_type() {
            DataType::Dictionary(_, values) => matches!(**values, DataType::Union(..)),
            other => matches!(other, DataType::Union(..)),
        };
        Self { any: schema.flattened_fields().iter().any(is_union), schema: Arc::clone(schema) }
    }

    /// Refuses such a message. Columns that are not read do not matter.
    pub(super) fn check(&self, bytes: &[u8], projection: Option<&[usize]>) -> Result<(), ArrowError> {
        if !self.any {
            return Ok(());
        }
        let message = message(bytes)?;
        if message.version() >= MetadataVersion::V5 {
            return Ok(());
        }
        if let Some(batch) = message.header_as_record_batch() {
            let mut nodes = batch.nodes().into_iter().flatten();
            for (index, field) in self.schema.fields().iter().enumerate() {
                let has_nulls = has_null_union(field, &mut nodes);
                if has_nulls && projection.is_none_or(|columns| columns.contains(&index)) {
                    return Err(null_union(Some(field)));
                }
            }
            return Ok(());
        }
        // A dictionary, whose identifier may be that of any column: of values that are unions there are hardly any.
        let batch = message.header_as_dictionary_batch().and_then(|batch| batch.data());
        let nodes = batch.and_then(|batch| batch.nodes());
        for field in self.schema.flattened_fields() {
            let DataType::Dictionary(_, values) = field.data_type() else { continue };
            let values = Field::new_list_field((**values).clone(), true);
            if has_null_union(&values, &mut nodes.into_iter().flatten()) {
                return Err(null_union(None));
            }
        }
        Ok(())
    }
}

/// Passes over the nodes of a field. Returns whether one of a union has nulls.
fn has_null_union<'a>(field: &Field, nodes: &mut impl Iterator<Item = &'a FieldNode>) -> bool {
    let nulls = nodes.next().map_or(0, FieldNode::null_count);
    let mut any = matches!(field.data_type(), DataType::Union(..)) && nulls > 0;
    match field.data_type() {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => any |= has_null_union(item, nodes),
        DataType::Struct(fields) => fields.iter().for_each(|field| any |= has_null_union(field, nodes)),
        DataType::Union(fields, _) => {
            fields.iter().for_each(|(_, field)| any |= has_null_union(field, nodes));
        }
        DataType::RunEndEncoded(ends, values) => {
            any |= has_null_union(ends, nodes);
            any |= has_null_union(values, nodes);
        }
        _ => {}
    }
    any
}

#[cold]
fn null_union(field: Option<&Field>) -> ArrowError {
    let what = "a union has nulls of its own, as before Arrow 1.0, which are not read";
    let error = Error::new(ErrorKind::Unsupported, what)
        .help("read the other columns, or write it again with the nulls in the members of the union");
    external(match field {
        Some(field) => error.at(Position::new().column(field.name().as_str())),
        None => error,
    })
}

fn external(error: Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}
