//! Resolution of the names of types, and of labels and features.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_base::{Error, Result};

use super::check::{check_fields, check_map_entry, check_name, is_identifier};
use super::features::{DELIMITED, Features, IMPLICIT, LEGACY_REQUIRED, PACKED};
use super::names::{Names, Type};
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
    let mut by_name = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        if by_name.insert(&*file.name, index).is_some() {
            return Err(not_a_set(&format!("it has the file {:?} twice", file.name)));
        }
        check_name(&file.package)?;
    }
    let mut needs = files.iter().map(|file| imports(file, &by_name)).collect::<Vec<_>>();
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
            resolver.declare_enum(&file.package, found, index)?;
        }
        resolver.extensions.extend(file.extensions.iter().map(|field| (file.package.clone(), scope, field)));
    }
    let messages = std::mem::take(&mut resolver.declared);
    let names = Names::new(&resolver.known);
    let mut lookup = Lookup { files: &files, names, messages: &messages };
    let mut resolved = Vec::with_capacity(messages.len());
    // In the order of their scopes; put back after that.
    for at in in_order(&messages, |declared| &declared.full_name) {
        let Some(declared) = messages.get(at) else { continue };
        let message = declared.resolve(&mut lookup)?;
        for field in &message.fields {
            need(&mut needs, message.file, file_of(&messages, &resolver.enums, field.kind));
        }
        resolved.push((at, message));
    }
    resolved.sort_unstable_by_key(|(at, _)| *at);
    let mut resolved = resolved.into_iter().map(|(_, message)| message).collect::<Vec<_>>();
    let mut extensions = Vec::with_capacity(resolver.extensions.len());
    for at in in_order(&resolver.extensions, |(package, ..)| package) {
        let Some((package, scope, field)) = resolver.extensions.get(at) else { continue };
        let (extendee, _) = lookup.find(&field.extendee, package, field, scope.file)?;
        let mut extension = resolve_field(field, package, scope, &[], false, &mut lookup)?;
        extension.name = format!("[{}]", joined(package, &field.name)).into();
        if extension.presence == Presence::Implicit {
            extension.presence = Presence::Explicit;
        }
        extensions.push((at, scope.file, extendee, extension));
    }
    extensions.sort_unstable_by_key(|(at, ..)| *at);
    for (_, file, extendee, extension) in extensions {
        let message = match extendee {
            Type::Message(index) => resolved.get_mut(index).filter(|message| !message.is_map_entry),
            Type::Enum(_) => None,
        };
        let Some(message) = message else {
            return Err(not_a_set(&format!("{} extends what is not a message", extension.name)));
        };
        // The file of the message does not need the one that extends it.
        need(&mut needs, file, Some(message.file));
        need(&mut needs, file, file_of(&messages, &resolver.enums, extension.kind));
        message.extension_files.push(file);
        message.fields.push(extension);
    }
    for message in &mut resolved {
        check_fields(message)?;
        if message.is_map_entry {
            check_map_entry(message)?;
        }
    }
    let enums = resolver.enums;
    let files = files.into_iter().zip(needs).map(|(RawFile { bytes, .. }, needs)| KeptFile { bytes, needs });
    Ok(Pool { messages: resolved, enums, files: files.collect() })
}

/// Returns the indices of items in the order of names.
fn in_order<T>(items: &[T], name: impl Fn(&T) -> &String) -> Vec<usize> {
    let mut order = (0..items.len()).collect::<Vec<_>>();
    order.sort_by_key(|&at| items.get(at).map(&name));
    order
}

/// Returns the files that a file imports, as far as there are some.
fn imports(file: &RawFile, by_name: &HashMap<&str, usize>) -> Vec<usize> {
    file.dependencies.iter().filter_map(|name| by_name.get(&**name)).copied().collect()
}

/// Notes that a file names a type of another one. A set may have it without an import.
fn need(needs: &mut [Vec<usize>], file: usize, other: Option<usize>) {
    if let (Some(needs), Some(other)) = (needs.get_mut(file), other)
        && other != file
        && needs.last() != Some(&other)
    {
        needs.push(other);
    }
}

/// Returns the file that declares the type of a field.
fn file_of(messages: &[Declared<'_>], enums: &[Enum], kind: FieldKind) -> Option<usize> {
    match kind {
        FieldKind::Scalar(_) => None,
        FieldKind::Message(index) => messages.get(index).map(|message| message.scope.file),
        FieldKind::Enum(index) => enums.get(index).map(|found| found.file),
    }
}

/// Scope that encloses a type.
#[derive(Clone, Copy)]
struct Scope {
    file: usize,
    features: Features,
    is_root: bool,
    is_top: bool,
    is_proto3: bool,
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
            self.declare_enum(&full_name, found, scope.file)?;
        }
        self.extensions.extend(raw.extensions.iter().map(|field| (full_name.clone(), inner, field)));
        Ok(())
    }

    fn declare_enum(&mut self, parent: &str, raw: &RawEnum, file: usize) -> Result<()> {
        let full_name = joined(parent, &raw.name);
        self.name(&full_name, Type::Enum(self.enums.len()))?;
        if raw.values.is_empty() {
            return Err(not_a_set(&format!("the enum {full_name} has no values")));
        }
        for (name, _) in &raw.values {
            check_name(name)?;
        }
        if let Some((name, _)) = raw.values.iter().find(|(name, _)| !is_identifier(name)) {
            let why = format!("the enum {full_name} has a value {name:?}, which is not an identifier");
            return Err(not_a_set(&why));
        }
        let values = raw.values.iter().map(|(name, number)| (Arc::from(name.as_str()), *number));
        let mut by_number = HashMap::new();
        for (index, (_, number)) in raw.values.iter().enumerate() {
            by_number.entry(*number).or_insert(index);
        }
        self.enums.push(Enum { full_name: full_name.into(), values: values.collect(), by_number, file });
        Ok(())
    }

    fn name(&mut self, full_name: &str, found: Type) -> Result<()> {
        if full_name.is_empty() || full_name.ends_with('.') {
            return Err(not_a_set("it has a type without a name"));
        }
        check_name(full_name)?;
        match self.known.insert(full_name.to_owned(), found) {
            None => Ok(()),
            Some(_) => Err(not_a_set(&format!("it declares {full_name} twice"))),
        }
    }
}

impl Declared<'_> {
    fn resolve(&self, lookup: &mut Lookup<'_>) -> Result<Message> {
        let Self { full_name, raw, scope } = self;
        let fields = raw.fields.iter();
        let fields = fields
            .map(|field| resolve_field(field, full_name, scope, &raw.oneofs, raw.is_map_entry, lookup))
            .collect::<Result<Vec<_>>>()?;
        let is_candidate = scope.is_root && scope.is_top;
        let full_name = Arc::from(full_name.as_str());
        Ok(Message {
            full_name,
            fields,
            is_map_entry: raw.is_map_entry,
            is_candidate,
            file: scope.file,
            extension_files: Vec::new(),
        })
    }
}

/// Resolves a field of a message, or an extension that is declared in it.
fn resolve_field(
    raw: &RawField,
    parent: &str,
    scope: &Scope,
    oneofs: &[Features],
    is_map_entry: bool,
    lookup: &mut Lookup<'_>,
) -> Result<Field> {
    check_name(&raw.name)?;
    let at = joined(parent, &raw.name);
    if raw.name.is_empty() || !(1..=MAX_NUMBER).contains(&raw.number) {
        return Err(not_a_set(&format!(
            "the field {at} has no name, or its number {} is not one",
            raw.number
        )));
    }
    let oneof = raw.oneof.map(|oneof| usize::try_from(oneof).unwrap_or(usize::MAX));
    let of_oneof = match oneof.map(|oneof| oneofs.get(oneof)) {
        None => Features::default(),
        Some(Some(features)) => *features,
        Some(None) => {
            return Err(not_a_set(&format!(
                "the field {at} is in a oneof that its message does not declare"
            )));
        }
    };
    let features = scope.features.merged(&of_oneof).merged(&raw.features);
    let (kind, is_map) = kind_of(raw, &at, parent, scope, lookup)?;
    let is_message = matches!(kind, FieldKind::Message(_));
    let is_in_oneof = raw.oneof.is_some() && !raw.is_proto3_optional;
    let presence = presence_of(raw, features, is_map_entry, is_message);
    if oneof.is_some() && matches!(presence, Presence::Repeated | Presence::Required) {
        return Err(not_a_set(&format!("the field {at} is in a oneof, and repeated or required")));
    }
    if is_map && presence != Presence::Repeated {
        return Err(not_a_set(&format!("the field {at} is a map, and not repeated")));
    }
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

/// Returns the type of a field, and whether it is a map.
fn kind_of(
    raw: &RawField,
    at: &str,
    parent: &str,
    scope: &Scope,
    lookup: &mut Lookup<'_>,
) -> Result<(FieldKind, bool)> {
    if let Some(scalar) = scalar(raw.kind) {
        return Ok((FieldKind::Scalar(scalar), false));
    }
    if !matches!(raw.kind, 0 | TYPE_GROUP | TYPE_MESSAGE | TYPE_ENUM) {
        let why = format!("the field {at} has the type {}, which does not exist", raw.kind);
        return Err(not_a_set(&why));
    }
    let (found, is_map) = lookup.find(&raw.type_name, parent, raw, scope.file)?;
    match found {
        Type::Message(index) if raw.kind != TYPE_ENUM => Ok((FieldKind::Message(index), is_map)),
        Type::Enum(index) if matches!(raw.kind, 0 | TYPE_ENUM) => Ok((FieldKind::Enum(index), is_map)),
        Type::Message(_) => Err(not_a_set(&format!("the field {at} is an enum, and its type a message"))),
        Type::Enum(_) => Err(not_a_set(&format!("the field {at} is a message, and its type an enum"))),
    }
}

/// Returns the presence of a field by its label, its features and the message that it is in.
fn presence_of(raw: &RawField, features: Features, is_map_entry: bool, is_message: bool) -> Presence {
    if raw.label == LABEL_REPEATED {
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
    }
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

/// Names and files in which the types of fields are looked up.
struct Lookup<'a> {
    files: &'a [RawFile],
    names: Names<'a>,
    messages: &'a [Declared<'a>],
}

impl Lookup<'_> {
    /// Returns the type of a name, and whether it is the entry of a map.
    fn find(&mut self, name: &str, scope: &str, field: &RawField, file: usize) -> Result<(Type, bool)> {
        check_name(name)?;
        let Some(found) = self.names.find(name, scope) else {
            return Err(self.missing(name, scope, field, file));
        };
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
