//! Descriptors of messages: the types of a `FileDescriptorSet`, resolved.

mod check;
mod features;
mod names;
mod raw;
mod resolve;
#[cfg(feature = "sources")]
mod sources;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tfxio_base::{Error, Result, suggest};

use crate::Kind;

/// Types of protobuf files: read from the output of `protoc --descriptor_set_out`, or, with the feature `sources`,
/// compiled from `.proto` files.
///
/// Cheap to clone, shared between threads.
#[derive(Clone)]
pub struct DescriptorSet {
    pool: Arc<Pool>,
}

impl DescriptorSet {
    /// Reads a serialized `google.protobuf.FileDescriptorSet`.
    ///
    /// # Errors
    /// `Malformed` when the bytes are not one or contradict themselves, `InvalidArgument` when a type is in none of the
    /// files, `Unsupported` for an edition later than 2024.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let files = raw::file_descriptor_set(bytes)?;
        Ok(Self { pool: Arc::new(resolve::pool(files)?) })
    }

    /// Returns the message of a full name: `my.package.Outer.Inner`, with or without a dot before it.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none, with the nearest name.
    pub fn message(&self, full_name: &str) -> Result<MessageDescriptor> {
        let name = full_name.strip_prefix('.').unwrap_or(full_name);
        let found = self.pool.messages.iter().position(|message| *message.full_name == *name);
        match found {
            Some(index) => Ok(self.at(index)),
            None => {
                let what = format!("there is no message {name:?}");
                Err(Error::new(Kind::UnknownMessage, what).help(self.nearest(name)))
            }
        }
    }

    /// Returns the only message that a file which no other imports has at its top.
    ///
    /// # Errors
    /// `InvalidArgument` if there are several, or none.
    pub fn only_message(&self) -> Result<MessageDescriptor> {
        let candidates = self.pool.messages.iter().enumerate();
        let mut candidates = candidates.filter(|(_, message)| message.is_candidate);
        match (candidates.next(), candidates.next()) {
            (Some((index, _)), None) => Ok(self.at(index)),
            (None, _) => Err(Error::new(Kind::UnknownMessage, "the descriptors have no message")),
            (Some(_), Some(_)) => {
                let names = self.pool.messages.iter().filter(|message| message.is_candidate);
                let names = suggest::list(names.map(|message| &*message.full_name), 10);
                let what = "the descriptors have several messages, and none was chosen";
                Err(Error::new(Kind::UnknownMessage, what).help(format!("name one of them: {names}")))
            }
        }
    }

    /// Returns the messages, nested ones included, without the entries of maps.
    pub fn messages(&self) -> impl Iterator<Item = MessageDescriptor> + '_ {
        let messages = self.pool.messages.iter().enumerate().filter(|(_, message)| !message.is_map_entry);
        messages.map(|(index, _)| self.at(index))
    }

    fn at(&self, index: usize) -> MessageDescriptor {
        MessageDescriptor { pool: Arc::clone(&self.pool), index }
    }

    /// Returns the hint for an unknown name. A name without its package counts as near, too.
    fn nearest(&self, name: &str) -> String {
        let names = self.pool.messages.iter().filter(|message| !message.is_map_entry);
        let names = names.map(|message| &*message.full_name);
        let last = name.rsplit('.').next().unwrap_or(name);
        let same_end = names.clone().find(|full| full.rsplit('.').next() == Some(last));
        match same_end {
            Some(full) => format!("did you mean {full:?}?"),
            None => suggest::hint(name, names, "messages"),
        }
    }
}

impl fmt::Debug for DescriptorSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.pool.messages.iter().map(|message| &message.full_name);
        f.debug_tuple("DescriptorSet").field(&names.collect::<Vec<_>>()).finish()
    }
}

/// A message type.
#[derive(Clone)]
pub struct MessageDescriptor {
    pub(crate) pool: Arc<Pool>,
    pub(crate) index: usize,
}

impl MessageDescriptor {
    /// Returns the name with package and enclosing messages: `my.package.Outer.Inner`.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.message().map_or("", |message| &message.full_name)
    }

    /// Returns the names of the fields with their numbers, in the order of the declaration; extensions come last, their full
    /// names in brackets.
    pub fn fields(&self) -> impl Iterator<Item = (&str, u32)> {
        let fields = self.message().map(|message| message.fields.as_slice()).unwrap_or_default();
        fields.iter().map(|field| (&*field.name, field.number))
    }

    /// Returns a serialized `FileDescriptorSet` of the files that the message needs, without their comments: what another
    /// process needs to read the same records. Files that extend the message, or one in it, are among them.
    #[must_use]
    pub fn to_descriptor_set(&self) -> Vec<u8> {
        raw::descriptor_set_of(&self.pool.files, self.files())
    }

    /// Returns the file of the message, then the files that extend it and the messages in it.
    fn files(&self) -> Vec<usize> {
        let mut files = self.message().map(|message| message.file).into_iter().collect::<Vec<_>>();
        let mut is_seen = vec![false; self.pool.messages.len()];
        let mut way = vec![self.index];
        while let Some(index) = way.pop() {
            let (Some(message), Some(seen)) = (self.pool.messages.get(index), is_seen.get_mut(index)) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            files.extend(&message.extension_files);
            way.extend(message.fields.iter().filter_map(|field| match field.kind {
                FieldKind::Message(inner) => Some(inner),
                FieldKind::Scalar(_) | FieldKind::Enum(_) => None,
            }));
        }
        files
    }

    fn message(&self) -> Option<&Message> {
        self.pool.messages.get(self.index)
    }
}

impl fmt::Debug for MessageDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MessageDescriptor").field(&self.full_name()).finish()
    }
}

/// All types, by index.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    pub(crate) messages: Vec<Message>,
    pub(crate) enums: Vec<Enum>,
    files: Vec<KeptFile>,
}

/// A file as its bytes.
#[derive(Debug)]
pub(crate) struct KeptFile {
    /// Without comments.
    bytes: Vec<u8>,
    /// Indices of the files that it imports, and of the files that declare types it names.
    needs: Vec<usize>,
}

/// A message type, resolved.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) full_name: Arc<str>,
    /// In the order of the declaration.
    pub(crate) fields: Vec<Field>,
    pub(crate) is_map_entry: bool,
    /// Whether it is at the top of a file that no other imports.
    is_candidate: bool,
    /// Index of its file.
    file: usize,
    /// Indices of the files that declare its extensions.
    extension_files: Vec<usize>,
}

/// A field, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) number: u32,
    pub(crate) kind: FieldKind,
    pub(crate) presence: Presence,
    /// Whether values of a repeated field are written as one run.
    pub(crate) is_packed: bool,
    /// Whether the message is written as a group.
    pub(crate) is_group: bool,
    /// Number of the oneof of its message.
    pub(crate) oneof: Option<u32>,
    /// Default of proto2, as its descriptor has it.
    pub(crate) default: Option<String>,
}

/// Number of times that a field occurs, and its value if it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Any number of times.
    Repeated,
    /// Once or not.
    Explicit,
    /// Once; if it is not written, it has the default of its type.
    Implicit,
    /// Once; if it is not written, the message is incomplete.
    Required,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Scalar(Scalar),
    /// Index of the enum.
    Enum(usize),
    /// Index of the message.
    Message(usize),
}

/// The scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Double,
    Float,
    Int64,
    Uint64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    String,
    Bytes,
    Uint32,
    Sfixed32,
    Sfixed64,
    Sint32,
    Sint64,
}

/// An enum, resolved.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) full_name: Arc<str>,
    /// In the order of the declaration: the default is the first.
    pub(crate) values: Vec<(Arc<str>, i32)>,
    /// Index of the first value of each number.
    pub(crate) by_number: HashMap<i32, usize>,
    /// Index of its file.
    file: usize,
}
