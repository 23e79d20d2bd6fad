//! Names of types become types, and labels and features what they mean.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_base::{Error, Result};

use super::features::{DELIMITED, Features, IMPLICIT, LEGACY_REQUIRED, PACKED};
use super::raw::{RawEnum, RawField, RawFile, RawMessage, not_a_set};
use super::{Enum, Field, FieldKind, KeptFile, Message, Pool, Presence, Scalar};
use crate::Kind;

/// The greatest number of a field.
const MAX_NUMBER: i32 = (1 << 29) - 1;
const LABEL_REQUIRED: i32 = 2;
const LABEL_REPEATED: i32 = 3;
const TYPE_GROUP: i32 = 10;
const TYPE_MESSAGE: i32 = 11;
const TYPE_ENUM: i32 = 14;

/// Resolves the types of files.
pub(super) fn pool(files: Vec<RawFile>) -> Result<Pool> {
    let imported: HashSet<&str> =
        files.iter().flat_map(|file| &file.dependencies).map(|name| &**name).collect();
    let mut resolver = Resolver::default();
    for (index, file) in files.iter().enumerate() {
        let is_root = !imported.contains(&*file.name);
        let features = Features::of_syntax(&file.syntax, file.edition, &file.name)?.merged(&file.features);
        let scope =
            Scope { file: index, features, is_root, is_top: true, is_proto3: file.syntax == "proto3" };
        for message in &file.messages {
            resolver.declare(&file.package, message, &scope)?;
        }
        for found in &file.enums {
            resolver.declare_enum(&file.package, found)?;
        }
        resolver.extensions.extend(file.extensions.iter().map(|field| (file.package.clone(), scope, field)));
    }
    let messages = std::mem::take(&mut resolver.declared);
    let names = Names { files: &files, known: &resolver.known, messages: &messages };
    let mut resolved = Vec::with_capacity(messages.len());
    for declared in &messages {
        resolved.push(declared.resolve(&names)?);
    }
    for (package, scope, field) in &resolver.extensions {
        let (extendee, _) = names.find(&field.extendee, package, field, scope.file)?;
        let mut extension = resolve_field(field, package, scope, &[], false, &names)?;
        extension.name = format!("[{}]", joined(package, &field.name)).into();
        if extension.presence == Presence::Implicit {
            extension.presence = Presence::Explicit;
        }
        if let Type::Message(index) = extendee
            && let Some(message) = resolved.get_mut(index)
        {
            message.fields.push(extension);
        }
    }
    for message in &resolved {
        check(message)?;
    }
    let enums = resolver.enums;
    let files = files.into_iter();
    let files = files.map(|RawFile { name, dependencies, bytes, .. }| KeptFile { name, dependencies, bytes });
    Ok(Pool { messages: resolved, enums, files: files.collect() })
}

/// No two fields of a message share a name or a number.
fn check(message: &Message) -> Result<()> {
    let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
    for field in &message.fields {
        if !names.insert(&field.name) || !numbers.insert(field.number) {
            let why = format!(
                "the message {} has two fields of the name {:?} or the number {}",
                message.full_name, field.name, field.number
            );
            return Err(not_a_set(&why));
        }
    }
    Ok(())
}

/// What encloses a type.
#[derive(Clone, Copy)]
struct Scope {
    file: usize,
    features: Features,
    is_root: bool,
    is_top: bool,
    is_proto3: bool,
}

#[derive(Clone, Copy)]
enum Type {
    Message(usize),
    Enum(usize),
}

/// A message whose name is known and whose fields are not resolved.
struct Declared<'a> {
    full_name: String,
    raw: &'a RawMessage,
    scope: Scope,
}

#[derive(Default)]
struct Resolver<'a> {
    declared: Vec<Declared<'a>>,
    enums: Vec<Enum>,
    known: HashMap<String, Type>,
    extensions: Vec<(String, Scope, &'a RawField)>,
}

impl<'a> Resolver<'a> {
    fn declare(&mut self, parent: &str, raw: &'a RawMessage, scope: &Scope) -> Result<()> {
        let full_name = joined(parent, &raw.name);
        let scope = Scope { features: scope.features.merged(&raw.features), ..*scope };
        self.name(&full_name, Type::Message(self.declared.len()))?;
        self.declared.push(Declared { full_name: full_name.clone(), raw, scope });
        let inner = Scope { is_top: false, ..scope };
        for message in &raw.messages {
            self.declare(&full_name, message, &inner)?;
        }
        for found in &raw.enums {
            self.declare_enum(&full_name, found)?;
        }
        self.extensions.extend(raw.extensions.iter().map(|field| (full_name.clone(), inner, field)));
        Ok(())
    }

    fn declare_enum(&mut self, parent: &str, raw: &RawEnum) -> Result<()> {
        let full_name = joined(parent, &raw.name);
        self.name(&full_name, Type::Enum(self.enums.len()))?;
        if raw.values.is_empty() {
            return Err(not_a_set(&format!("the enum {full_name} has no values")));
        }
        let values = raw.values.iter().map(|(name, number)| (Arc::from(name.as_str()), *number));
        let mut by_number = HashMap::new();
        for (index, (_, number)) in raw.values.iter().enumerate() {
            by_number.entry(*number).or_insert(index);
        }
        self.enums.push(Enum { full_name: full_name.into(), values: values.collect(), by_number });
        Ok(())
    }

    fn name(&mut self, full_name: &str, found: Type) -> Result<()> {
        if full_name.is_empty() || full_name.ends_with('.') {
            return Err(not_a_set("it has a type without a name"));
        }
        match self.known.insert(full_name.to_owned(), found) {
            None => Ok(()),
            Some(_) => Err(not_a_set(&format!("it declares {full_name} twice"))),
        }
    }
}

impl Declared<'_> {
    fn resolve(&self, names: &Names<'_>) -> Result<Message> {
        let Self { full_name, raw, scope } = self;
        let fields = raw.fields.iter();
        let fields = fields
            .map(|field| resolve_field(field, full_name, scope, &raw.oneofs, raw.is_map_entry, names))
            .collect::<Result<Vec<_>>>()?;
        let is_candidate = scope.is_root && scope.is_top;
        let full_name = Arc::from(full_name.as_str());
        Ok(Message { full_name, fields, is_map_entry: raw.is_map_entry, is_candidate, file: scope.file })
    }
}

/// Resolves a field of a message, or an extension that is declared in it.
fn resolve_field(
    raw: &RawField,
    parent: &str,
    scope: &Scope,
    oneofs: &[Features],
    is_map_entry: bool,
    names: &Names<'_>,
) -> Result<Field> {
    let at = joined(parent, &raw.name);
    if raw.name.is_empty() || !(1..=MAX_NUMBER).contains(&raw.number) {
        return Err(not_a_set(&format!(
            "the field {at} has no name, or its number {} is not one",
            raw.number
        )));
    }
    let oneof = raw.oneof.and_then(|oneof| usize::try_from(oneof).ok());
    let of_oneof = oneof.and_then(|oneof| oneofs.get(oneof)).copied().unwrap_or_default();
    let features = scope.features.merged(&of_oneof).merged(&raw.features);
    let (kind, is_map) = match (scalar(raw.kind), raw.kind) {
        (Some(scalar), _) => (FieldKind::Scalar(scalar), false),
        (None, 0 | TYPE_GROUP | TYPE_MESSAGE | TYPE_ENUM) => {
            let (found, is_map) = names.find(&raw.type_name, parent, raw, scope.file)?;
            let kind = match found {
                Type::Message(index) => FieldKind::Message(index),
                Type::Enum(index) => FieldKind::Enum(index),
            };
            (kind, is_map)
        }
        (None, other) => {
            return Err(not_a_set(&format!("the field {at} has the type {other}, which does not exist")));
        }
    };
    let is_message = matches!(kind, FieldKind::Message(_));
    let is_in_oneof = raw.oneof.is_some() && !raw.is_proto3_optional;
    let presence = if raw.label == LABEL_REPEATED {
        Presence::Repeated
    } else if raw.label == LABEL_REQUIRED || features.field_presence == LEGACY_REQUIRED {
        Presence::Required
    } else if is_map_entry {
        // An entry without a key or a value has the default.
        Presence::Implicit
    } else if is_message || raw.oneof.is_some() || raw.is_proto3_optional {
        Presence::Explicit
    } else if features.field_presence == IMPLICIT {
        Presence::Implicit
    } else {
        Presence::Explicit
    };
    let is_packable = !is_message
        && !matches!(kind, FieldKind::Scalar(Scalar::String | Scalar::Bytes))
        && presence == Presence::Repeated;
    let is_packed = raw.packed.unwrap_or(features.repeated_field_encoding == PACKED);
    let is_delimited = features.message_encoding == DELIMITED && !scope.is_proto3 && !is_map && !is_map_entry;
    Ok(Field {
        name: raw.name.as_str().into(),
        number: raw.number.unsigned_abs(),
        kind,
        presence,
        is_packed: is_packable && is_packed,
        is_group: is_message && (raw.kind == TYPE_GROUP || is_delimited),
        oneof: oneof.filter(|_| is_in_oneof).and_then(|oneof| u32::try_from(oneof).ok()),
        default: raw.default.clone(),
    })
}

fn scalar(kind: i32) -> Option<Scalar> {
    Some(match kind {
        1 => Scalar::Double,
        2 => Scalar::Float,
        3 => Scalar::Int64,
        4 => Scalar::Uint64,
        5 => Scalar::Int32,
        6 => Scalar::Fixed64,
        7 => Scalar::Fixed32,
        8 => Scalar::Bool,
        9 => Scalar::String,
        12 => Scalar::Bytes,
        13 => Scalar::Uint32,
        15 => Scalar::Sfixed32,
        16 => Scalar::Sfixed64,
        17 => Scalar::Sint32,
        18 => Scalar::Sint64,
        _ => return None,
    })
}

fn joined(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

/// The names of all types.
struct Names<'a> {
    files: &'a [RawFile],
    known: &'a HashMap<String, Type>,
    messages: &'a [Declared<'a>],
}

impl Names<'_> {
    /// Returns the type of a name, and whether it is the entry of a map; a name without a dot before it is looked for in the
    /// scope first, and then in those around it.
    fn find(&self, name: &str, scope: &str, field: &RawField, file: usize) -> Result<(Type, bool)> {
        let found = match name.strip_prefix('.') {
            Some(full) => self.known.get(full).copied(),
            None => {
                let mut scope = Some(scope);
                let mut found = None;
                while let (None, Some(inner)) = (found, scope) {
                    found = self.known.get(&joined(inner, name)).copied();
                    scope = match inner.rsplit_once('.') {
                        Some((outer, _)) => Some(outer),
                        None if inner.is_empty() => None,
                        None => Some(""),
                    };
                }
                found
            }
        };
        let Some(found) = found else { return Err(self.missing(name, scope, field, file)) };
        let is_entry =
            |index: usize| self.messages.get(index).is_some_and(|message| message.raw.is_map_entry);
        Ok((found, matches!(found, Type::Message(index) if is_entry(index))))
    }

    fn missing(&self, name: &str, scope: &str, field: &RawField, file: usize) -> Error {
        let name = name.trim_start_matches('.');
        let file = self.files.get(file);
        let what =
            format!("the type {name:?} of the field {} is in none of the files", joined(scope, &field.name));
        let imports = file.map(|file| file.dependencies.as_slice()).unwrap_or_default();
        let absent = imports.iter().find(|import| self.files.iter().all(|file| file.name != **import));
        let help = match (absent, file) {
            (Some(import), Some(file)) => format!(
                "{} imports {import}, which the set does not have: write it with `protoc --include_imports`",
                file.name
            ),
            _ => "write the set with `protoc --include_imports`".to_owned(),
        };
        Error::new(Kind::MissingType, what).help(help)
    }
}
