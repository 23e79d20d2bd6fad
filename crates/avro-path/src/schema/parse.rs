//! Parser of schemas in JSON.

mod json;
mod named;

use std::collections::{HashMap, HashSet};
use std::mem::discriminant;
use std::sync::Arc;

use serde_json::{Map, Value};
use tfxio_core::Count;

use super::{AvroSchema, Logical, Name, SchemaNode, Table, Type, TypeId, size};
use crate::{Error, Result, error};

/// Bounds on what a schema's text can make the parser hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaLimits {
    /// Bytes of the text. Default 64 MiB.
    pub bytes: usize,
    /// Brackets of the JSON in each other: one for an array, a map or a union, three for a record. Default 127, which
    /// is also the most.
    pub nesting: usize,
    /// Types. Default 1,000,000.
    pub types: usize,
    /// Objects of the JSON: fields, and types with properties. Each takes about 1 KiB while the schema is parsed. Default
    /// 250,000.
    pub objects: usize,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self { bytes: 64 << 20, nesting: json::NESTING, types: 1_000_000, objects: 250_000 }
    }
}

impl SchemaLimits {
    /// Sets the most bytes of the text.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the most brackets in each other.
    #[must_use]
    pub fn nesting(mut self, nesting: usize) -> Self {
        self.nesting = nesting;
        self
    }

    /// Sets the most types.
    #[must_use]
    pub fn types(mut self, types: usize) -> Self {
        self.types = types;
        self
    }

    /// Sets the most objects.
    #[must_use]
    pub fn objects(mut self, objects: usize) -> Self {
        self.objects = objects;
        self
    }
}

/// The types that every schema begins with, in the order of their numbers.
const PRIMITIVES: [(&str, Type); 8] = [
    ("null", Type::Null),
    ("boolean", Type::Boolean),
    ("int", Type::Int),
    ("long", Type::Long),
    ("float", Type::Float),
    ("double", Type::Double),
    ("bytes", Type::Bytes),
    ("string", Type::String),
];

pub(super) fn parse(text: &str, limits: SchemaLimits) -> Result<AvroSchema> {
    let value = json::parse(text, limits)?;
    let nodes = PRIMITIVES.into_iter().map(|(_, ty)| SchemaNode { ty, logical: None, zone: None }).collect();
    let mut parser = Parser { nodes, names: HashMap::new(), path: "$".to_owned(), types: limits.types };
    let root = parser.any(&value, "")?;
    let least = size::least(&parser.nodes);
    Ok(AvroSchema(Arc::new(Table { nodes: parser.nodes, root, text: Box::from(text), least })))
}

struct Parser<'a> {
    nodes: Vec<SchemaNode>,
    /// Named types, and the JSON that defined each.
    names: HashMap<Arc<str>, (TypeId, &'a Map<String, Value>)>,
    /// Current path in the JSON: `$.fields[1].type`.
    path: String,
    types: usize,
}

impl<'a> Parser<'a> {
    /// Parses a schema within a namespace.
    fn any(&mut self, json: &'a Value, namespace: &str) -> Result<TypeId> {
        match json {
            Value::String(name) => self.reference(name, namespace),
            Value::Array(branches) => self.union(branches, namespace),
            Value::Object(object) => self.object(object, namespace),
            other => Err(self.wrong(format!(
                "a schema is a JSON string, object or array, this is {}",
                json::describe(other)
            ))),
        }
    }

    /// Parses the name of a primitive type or of a type defined before.
    fn reference(&mut self, written: &str, namespace: &str) -> Result<TypeId> {
        if let Some(id) = primitive(written) {
            return Ok(id);
        }
        let name = Name::new(written, namespace);
        // Writers leave out that a name is in no namespace.
        let found = self.names.get(name.full()).or_else(|| self.names.get(written));
        match found {
            Some((id, _)) => Ok(*id),
            None => {
                if let Some(part) = named::part(written) {
                    let what = format!("{written:?} is the kind of a type, not a type");
                    let hint = format!(
                        "write an object with what it consists of: {{\"type\": {written:?}, {part:?}: ...}}"
                    );
                    return Err(self.wrong(what).help(hint));
                }
                let error = self.wrong(format!("there is no type {written:?}"));
                Err(error.help(
                    "a record, enum or fixed has to be defined before it is named; \
                     the types without definition are null, boolean, int, long, float, double, bytes and string",
                ))
            }
        }
    }

    fn union(&mut self, json: &'a [Value], namespace: &str) -> Result<TypeId> {
        let id = self.reserve()?;
        let mut branches = Vec::with_capacity(json.len());
        let mut kinds = HashSet::with_capacity(json.len());
        for (at, branch) in json.iter().enumerate() {
            let shown = branch;
            let branch = self.at(&format!("[{at}]"), |parser| {
                let branch = parser.any(branch, namespace)?;
                let ty = parser.node(branch);
                if matches!(ty, Type::Union(_)) {
                    return Err(parser.wrong("a union stands directly in a union"));
                }
                // What has a name is the same only if it is the same definition, which may not be complete yet.
                let is_open = matches!(ty, Type::Null) && branch.index() >= PRIMITIVES.len();
                let is_named = is_open || ty.definition().is_some();
                let kind = (discriminant(ty), is_named.then_some(branch));
                if !kinds.insert(kind) {
                    return Err(parser.wrong(format!("the union has the branch {shown} twice")));
                }
                Ok(branch)
            })?;
            branches.push(branch);
        }
        self.put(id, Type::Union(branches.into()), None);
        Ok(id)
    }

    fn object(&mut self, json: &'a Map<String, Value>, namespace: &str) -> Result<TypeId> {
        let Some(kind) = json.get("type") else {
            return Err(self.wrong("the object has no \"type\""));
        };
        let Value::String(kind) = kind else {
            // `{"type": {"type": "int"}}` says the same as what is inside.
            return self.at(".type", |parser| parser.any(kind, namespace));
        };
        match kind.as_str() {
            "record" | "error" | "enum" | "fixed" => self.definition(kind, json, namespace),
            "array" => self.collection(json, namespace, "items", Type::Array),
            "map" => self.collection(json, namespace, "values", Type::Map),
            name => {
                let id = self.at(".type", |parser| parser.reference(name, namespace))?;
                let ty = self.node(id).clone();
                let logical = Logical::of(&ty, json);
                if primitive(name).is_none() || logical.is_none() {
                    return Ok(id);
                }
                let id = self.reserve()?;
                self.put(id, ty, logical);
                if let Some(node) = self.nodes.get_mut(id.index()) {
                    node.zone = logical.and_then(|logical| logical.zone(json));
                }
                Ok(id)
            }
        }
    }

    fn collection(
        &mut self,
        json: &'a Map<String, Value>,
        namespace: &str,
        key: &str,
        make: fn(TypeId) -> Type,
    ) -> Result<TypeId> {
        let id = self.reserve()?;
        let Some(below) = json.get(key) else {
            return Err(self.wrong(format!("the object has no {key:?}")));
        };
        let below = self.at(&format!(".{key}"), |parser| parser.any(below, namespace))?;
        self.put(id, make(below), None);
        Ok(id)
    }

    fn node(&self, id: TypeId) -> &Type {
        self.nodes.get(id.index()).map_or(&Type::Null, |node| &node.ty)
    }

    /// Reserves a number for a type whose parts are not known yet.
    fn reserve(&mut self) -> Result<TypeId> {
        if self.nodes.len() >= self.types {
            let what = format!("the schema has more than {}", Count::of(self.types, "type"));
            return Err(json::too_much(&what, "types").at_path(self.path.as_str()));
        }
        let id = u32::try_from(self.nodes.len()).map_err(|_| self.wrong("the schema has too many types"))?;
        self.nodes.push(SchemaNode { ty: Type::Null, logical: None, zone: None });
        Ok(TypeId(id))
    }

    fn put(&mut self, id: TypeId, ty: Type, logical: Option<Logical>) {
        if let Some(node) = self.nodes.get_mut(id.index()) {
            *node = SchemaNode { ty, logical, zone: None };
        }
    }

    /// Parses a part of the JSON, so that errors have its path.
    fn at<T>(&mut self, part: &str, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let length = self.path.len();
        self.path.push_str(part);
        let result = work(self);
        self.path.truncate(length);
        result
    }

    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::new(error::Kind::Schema, what).at_path(self.path.as_str())
    }
}

fn primitive(name: &str) -> Option<TypeId> {
    (0..).zip(PRIMITIVES).find(|(_, (primitive, _))| *primitive == name).map(|(at, _)| TypeId(at))
}
