//! Raw `FileDescriptorSet`s, parsed from their bytes.
//!
//! Field numbers are from `google/protobuf/descriptor.proto`.

use proto_wire::{Reader, Tag, WireType, Writer, varint_size};
use tfxio_base::{Error, Result};

use super::KeptFile;
use super::features::Features;
use crate::Kind;

/// Levels of messages declared in messages.
const NESTING: u32 = 64;
/// Field of a set that holds a file, and of a file that holds its comments and positions.
const FILE: u32 = 1;
const SOURCE_CODE_INFO: u32 = 9;

/// A file.
#[derive(Default)]
pub(super) struct RawFile {
    pub(super) name: String,
    pub(super) package: String,
    pub(super) syntax: String,
    pub(super) edition: i32,
    pub(super) dependencies: Vec<String>,
    pub(super) messages: Vec<RawMessage>,
    pub(super) enums: Vec<RawEnum>,
    pub(super) extensions: Vec<RawField>,
    pub(super) features: Features,
    /// The file without its comments.
    pub(super) bytes: Vec<u8>,
}

/// A message type.
#[derive(Default)]
pub(super) struct RawMessage {
    pub(super) name: String,
    pub(super) fields: Vec<RawField>,
    pub(super) messages: Vec<RawMessage>,
    pub(super) enums: Vec<RawEnum>,
    pub(super) extensions: Vec<RawField>,
    pub(super) oneofs: Vec<Features>,
    pub(super) is_map_entry: bool,
    pub(super) features: Features,
}

/// A field or an extension.
#[derive(Default)]
pub(super) struct RawField {
    pub(super) name: String,
    pub(super) extendee: String,
    pub(super) number: i32,
    pub(super) label: i32,
    pub(super) kind: i32,
    pub(super) type_name: String,
    pub(super) default: Option<String>,
    pub(super) oneof: Option<i32>,
    pub(super) is_proto3_optional: bool,
    pub(super) packed: Option<bool>,
    pub(super) features: Features,
}

/// An enum.
#[derive(Default)]
pub(super) struct RawEnum {
    pub(super) name: String,
    pub(super) values: Vec<(String, i32)>,
}

/// Reads the files of a set.
pub(super) fn file_descriptor_set(bytes: &[u8]) -> Result<Vec<RawFile>> {
    let mut files = Vec::new();
    each(bytes, |tag, reader| {
        if (tag.field, tag.wire) == (FILE, WireType::Len) {
            files.push(file(reader.bytes().map_err(bad)?)?);
            return Ok(());
        }
        Err(not_a_set(&format!("it has a field {} that no set has", tag.field)))
    })?;
    if files.is_empty() {
        return Err(not_a_set("it has no file"));
    }
    Ok(files)
}

/// Returns a set of files and all that they need, each after the files that it needs itself.
pub(super) fn descriptor_set_of(files: &[KeptFile], roots: impl IntoIterator<Item = usize>) -> Vec<u8> {
    let mut is_seen = vec![false; files.len()];
    let mut out = Vec::new();
    for root in roots {
        // Files on the way, each with the number of those it needs that were followed.
        let mut way = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(at) = next.take()
                && let Some(seen) = is_seen.get_mut(at)
                && !std::mem::replace(seen, true)
            {
                way.push((at, 0));
            }
            let Some((at, followed)) = way.last_mut() else { break };
            let Some(kept) = files.get(*at) else { break };
            next = kept.needs.get(*followed).copied();
            *followed += 1;
            if next.is_none() {
                append_bytes(&mut out, FILE, &kept.bytes);
                way.pop();
            }
        }
    }
    out
}

/// Appends a length-delimited field.
fn append_bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    let tag = Tag::new(field, WireType::Len);
    let head = varint_size(u64::from(tag.bits())) + varint_size(bytes.len() as u64);
    let start = out.len();
    out.resize(start + head + bytes.len(), 0);
    if let Some(room) = out.get_mut(start..) {
        // The room is what the sizes say.
        let _ = Writer::new(room).bytes_field(field, bytes);
    }
}

fn file(bytes: &[u8]) -> Result<RawFile> {
    let mut file = RawFile::default();
    let mut reader = Reader::new(bytes);
    let mut start = 0;
    while let Some(tag) = reader.tag().map_err(bad)? {
        match (tag.field, tag.wire) {
            (1, WireType::Len) => file.name = text(&mut reader)?,
            (2, WireType::Len) => file.package = text(&mut reader)?,
            (3, WireType::Len) => file.dependencies.push(text(&mut reader)?),
            (4, WireType::Len) => file.messages.push(message(reader.bytes().map_err(bad)?, 0)?),
            (5, WireType::Len) => file.enums.push(enumeration(reader.bytes().map_err(bad)?)?),
            (7, WireType::Len) => file.extensions.push(field(reader.bytes().map_err(bad)?)?),
            (8, WireType::Len) => {
                file.features.merge(&Features::of_options(reader.bytes().map_err(bad)?, 50)?);
            }
            (12, WireType::Len) => file.syntax = text(&mut reader)?,
            (14, WireType::Varint) => file.edition = number(&mut reader)?,
            _ => reader.skip(tag).map_err(bad)?,
        }
        if tag.field != SOURCE_CODE_INFO {
            file.bytes.extend_from_slice(bytes.get(start..reader.position()).unwrap_or_default());
        }
        start = reader.position();
    }
    if file.name.is_empty() {
        return Err(not_a_set("it has a file without a name"));
    }
    Ok(file)
}

fn message(bytes: &[u8], depth: u32) -> Result<RawMessage> {
    if depth > NESTING {
        return Err(not_a_set("it declares messages in messages more than 64 deep"));
    }
    let mut message = RawMessage::default();
    each(bytes, |tag, reader| {
        match (tag.field, tag.wire) {
            (1, WireType::Len) => message.name = text(reader)?,
            (2, WireType::Len) => message.fields.push(field(reader.bytes().map_err(bad)?)?),
            (3, WireType::Len) => {
                message.messages.push(self::message(reader.bytes().map_err(bad)?, depth + 1)?);
            }
            (4, WireType::Len) => message.enums.push(enumeration(reader.bytes().map_err(bad)?)?),
            (6, WireType::Len) => message.extensions.push(field(reader.bytes().map_err(bad)?)?),
            (7, WireType::Len) => {
                let options = reader.bytes().map_err(bad)?;
                message.features.merge(&Features::of_options(options, 12)?);
                message.is_map_entry |= flag(options, 7)? == Some(true);
            }
            (8, WireType::Len) => {
                let mut features = Features::default();
                each(reader.bytes().map_err(bad)?, |tag, reader| match (tag.field, tag.wire) {
                    (2, WireType::Len) => {
                        features.merge(&Features::of_options(reader.bytes().map_err(bad)?, 1)?);
                        Ok(())
                    }
                    _ => reader.skip(tag).map_err(bad),
                })?;
                message.oneofs.push(features);
            }
            _ => reader.skip(tag).map_err(bad)?,
        }
        Ok(())
    })?;
    Ok(message)
}

fn field(bytes: &[u8]) -> Result<RawField> {
    let mut field = RawField::default();
    each(bytes, |tag, reader| {
        match (tag.field, tag.wire) {
            (1, WireType::Len) => field.name = text(reader)?,
            (2, WireType::Len) => field.extendee = text(reader)?,
            (3, WireType::Varint) => field.number = number(reader)?,
            (4, WireType::Varint) => field.label = number(reader)?,
            (5, WireType::Varint) => field.kind = number(reader)?,
            (6, WireType::Len) => field.type_name = text(reader)?,
            (7, WireType::Len) => field.default = Some(text(reader)?),
            (8, WireType::Len) => {
                let options = reader.bytes().map_err(bad)?;
                field.features.merge(&Features::of_options(options, 21)?);
                field.packed = flag(options, 2)?.or(field.packed);
            }
            (9, WireType::Varint) => field.oneof = Some(number(reader)?),
            (17, WireType::Varint) => field.is_proto3_optional = number(reader)? != 0,
            _ => reader.skip(tag).map_err(bad)?,
        }
        Ok(())
    })?;
    Ok(field)
}

fn enumeration(bytes: &[u8]) -> Result<RawEnum> {
    let mut found = RawEnum::default();
    each(bytes, |tag, reader| {
        match (tag.field, tag.wire) {
            (1, WireType::Len) => found.name = text(reader)?,
            (2, WireType::Len) => {
                let mut value = (String::new(), 0);
                each(reader.bytes().map_err(bad)?, |tag, reader| {
                    match (tag.field, tag.wire) {
                        (1, WireType::Len) => value.0 = text(reader)?,
                        (2, WireType::Varint) => value.1 = number(reader)?,
                        _ => reader.skip(tag).map_err(bad)?,
                    }
                    Ok(())
                })?;
                found.values.push(value);
            }
            _ => reader.skip(tag).map_err(bad)?,
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns a switch among options.
fn flag(options: &[u8], field: u32) -> Result<Option<bool>> {
    let mut found = None;
    each(options, |tag, reader| {
        match (tag.field == field, tag.wire) {
            (true, WireType::Varint) => found = Some(reader.varint().map_err(bad)? != 0),
            _ => reader.skip(tag).map_err(bad)?,
        }
        Ok(())
    })?;
    Ok(found)
}

/// Passes each field of a message to `take`, which reads its value.
pub(super) fn each<'a>(
    bytes: &'a [u8],
    mut take: impl FnMut(Tag, &mut Reader<'a>) -> Result<()>,
) -> Result<()> {
    let mut reader = Reader::new(bytes);
    while let Some(tag) = reader.tag().map_err(bad)? {
        take(tag, &mut reader)?;
    }
    Ok(())
}

fn text(reader: &mut Reader<'_>) -> Result<String> {
    let bytes = reader.bytes().map_err(bad)?;
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| not_a_set("a text in it is not UTF-8"))
}

/// Reads an enum or a 32-bit integer: the low bits of a varint.
#[allow(clippy::cast_possible_truncation, reason = "what protobuf does with a varint of more than 32 bits")]
pub(super) fn number(reader: &mut Reader<'_>) -> Result<i32> {
    Ok(reader.varint().map_err(bad)? as i32)
}

pub(super) fn bad(error: proto_wire::Error) -> Error {
    not_a_set(error.kind().description())
}

/// Returns the error of bytes that are not a set.
pub(super) fn not_a_set(why: &str) -> Error {
    Error::new(Kind::BadDescriptor, format!("this is not a FileDescriptorSet: {why}"))
        .help("write one by `protoc --include_imports --descriptor_set_out=FILE`")
}
