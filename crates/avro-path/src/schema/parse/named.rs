//! Named types: records, enumerations and fixed types.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Parser, json};
use crate::Result;
use crate::schema::{Definition, Enum, Fixed, Logical, Name, Record, RecordField, Type, TypeId};

/// Fields, and the number of each by its name.
type Fields = (Vec<RecordField>, HashMap<Arc<str>, usize>);

impl<'a> Parser<'a> {
    /// Parses a record, enumeration or fixed, which may name itself.
    pub(super) fn definition(
        &mut self,
        kind: &str,
        json: &'a Map<String, Value>,
        namespace: &str,
    ) -> Result<TypeId> {
        let written = self.text(json, "name")?;
        let namespace = match json.get("namespace") {
            None | Some(Value::Null) => namespace,
            Some(Value::String(own)) => own,
            Some(_) => return Err(self.wrong("\"namespace\" is not a string")),
        };
        let name = Name::new(written, namespace);
        match self.names.get(name.full()) {
            // Writers repeat definitions.
            Some((id, before)) if *before == json => return Ok(*id),
            Some(_) => {
                return Err(self.wrong(format!("{:?} is defined a second time, differently", name.full())));
            }
            None => {}
        }
        let id = self.reserve()?;
        self.names.insert(name.shared(), (id, json));
        let ty = match kind {
            "enum" => self.symbols(json, name)?,
            "fixed" => self.fixed(json, name)?,
            _ => self.record(json, name)?,
        };
        let logical = Logical::of(&ty, json);
        self.put(id, ty, logical);
        Ok(id)
    }

    fn record(&mut self, json: &'a Map<String, Value>, name: Name) -> Result<Type> {
        let Some(Value::Array(list)) = json.get("fields") else {
            return Err(self.wrong(format!("the record {:?} has no array \"fields\"", name.full())));
        };
        let (fields, by_name) = self.at(".fields", |parser| parser.fields(list, name.namespace()))?;
        Ok(Type::Record(Record { definition: self.aliased(json, name)?, fields, by_name }))
    }

    /// Parses the fields of a record, and maps their names to their numbers.
    fn fields(&mut self, list: &'a [Value], namespace: &str) -> Result<Fields> {
        let mut fields = Vec::with_capacity(list.len());
        let mut by_name = HashMap::with_capacity(list.len());
        for (at, field) in list.iter().enumerate() {
            let field = self.at(&format!("[{at}]"), |parser| {
                let Value::Object(json) = field else {
                    return Err(parser.wrong(format!("a field is an object, not {}", json::describe(field))));
                };
                let field = parser.field(json, namespace)?;
                if let Some(first) = by_name.insert(Arc::clone(&field.name), at) {
                    return Err(parser.wrong(format!(
                        "the record has two fields {:?}, the first is [{first}]",
                        field.name
                    )));
                }
                Ok(field)
            })?;
            fields.push(field);
        }
        // A property may say anything; columns have names of their own.
        let mut columns = HashSet::with_capacity(fields.len());
        if !fields.iter().all(|field| columns.insert(field.column_name())) {
            fields.iter_mut().for_each(|field| field.arrow_name = None);
        }
        Ok((fields, by_name))
    }

    fn field(&mut self, json: &'a Map<String, Value>, namespace: &str) -> Result<RecordField> {
        let name = self.text(json, "name")?;
        let Some(ty) = json.get("type") else {
            return Err(self.wrong(format!("the field {name:?} has no \"type\"")));
        };
        let aliases = self.texts(json, "aliases")?.into_iter().map(Arc::from).collect();
        // `{"name": "a", "type": "array", "items": "int"}` says the type beside the name, which is also that of a record,
        // enum or fixed.
        let beside =
            ty.as_str().and_then(|ty| Some((ty, part(ty)?))).filter(|(_, part)| json.contains_key(*part));
        let type_id = if let Some((kind, _)) = beside {
            self.refuse_ambiguous(name, kind, json)?;
            self.object(json, namespace)?
        } else {
            self.at(".type", |parser| parser.any(ty, namespace))?
        };
        let arrow_name = json.get("arrow.name").and_then(Value::as_str).map(Arc::from);
        Ok(RecordField {
            name: Arc::from(name),
            aliases,
            type_id,
            default: json.get("default").cloned(),
            arrow_name,
        })
    }

    /// Refuses properties that could belong to the field or to its type, which is given beside its name.
    fn refuse_ambiguous(&self, name: &str, kind: &str, json: &Map<String, Value>) -> Result<()> {
        let key = match kind {
            "record" | "error" | "enum" | "fixed" if json.contains_key("aliases") => "aliases",
            "enum" if json.contains_key("default") => "default",
            _ => return Ok(()),
        };
        let what = format!(
            "the field {name:?} has its type beside its name, so that {key:?} could be that of the field or of the {kind}"
        );
        let hint =
            format!("put the {kind} into an object of its own: \"type\": {{\"type\": \"{kind}\", ...}}");
        Err(self.wrong(what).help(hint))
    }

    fn symbols(&mut self, json: &'a Map<String, Value>, name: Name) -> Result<Type> {
        if !matches!(json.get("symbols"), Some(Value::Array(_))) {
            return Err(self.wrong(format!("the enum {:?} has no array \"symbols\"", name.full())));
        }
        let symbols: Vec<Arc<str>> = self.texts(json, "symbols")?.into_iter().map(Arc::from).collect();
        let mut numbers = HashMap::with_capacity(symbols.len());
        for (at, symbol) in symbols.iter().enumerate() {
            if let Some(first) = numbers.insert(Arc::clone(symbol), at) {
                return self.at(&format!(".symbols[{at}]"), |parser| {
                    Err(parser.wrong(format!("the symbol {symbol:?} is also [{first}]")))
                });
            }
        }
        let default = match json.get("default") {
            None | Some(Value::Null) => None,
            Some(default) => match default.as_str().and_then(|default| numbers.get(default)) {
                Some(&default) => Some(default),
                None => return Err(self.wrong(format!("the default {default} is not one of the symbols"))),
            },
        };
        Ok(Type::Enum(Enum { definition: self.aliased(json, name)?, symbols, default }))
    }

    fn fixed(&mut self, json: &'a Map<String, Value>, name: Name) -> Result<Type> {
        // Avro lengths have 64 bits, but nothing of more than 31 can be meant.
        let size = json.get("size").and_then(Value::as_u64).filter(|size| i32::try_from(*size).is_ok());
        let Some(size) = size.and_then(|size| usize::try_from(size).ok()) else {
            return Err(self.wrong(format!("the fixed {:?} has no \"size\" from 0 to 2^31 - 1", name.full())));
        };
        Ok(Type::Fixed(Fixed { definition: self.aliased(json, name)?, size }))
    }

    /// Returns a name with the aliases of its type.
    fn aliased(&self, json: &'a Map<String, Value>, name: Name) -> Result<Definition> {
        let aliases = self.texts(json, "aliases")?.into_iter();
        let aliases = aliases.map(|alias| Name::new(alias, name.namespace())).collect();
        Ok(Definition { name, aliases })
    }

    fn text(&self, json: &'a Map<String, Value>, key: &str) -> Result<&'a str> {
        match json.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => {
                Err(self.wrong(format!("{key:?} is {} and has to be a string", json::describe(other))))
            }
            None => Err(self.wrong(format!("the object has no {key:?}"))),
        }
    }

    /// Returns a list of strings, which may be absent.
    fn texts(&self, json: &'a Map<String, Value>, key: &str) -> Result<Vec<&'a str>> {
        match json.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
                Ok(list.iter().filter_map(Value::as_str).collect())
            }
            Some(_) => Err(self.wrong(format!("{key:?} is not an array of strings"))),
        }
    }
}

/// Returns the property that defines the contents of a type, besides its name.
pub(super) fn part(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "array" => "items",
        "map" => "values",
        "record" | "error" => "fields",
        "enum" => "symbols",
        "fixed" => "size",
        _ => return None,
    })
}
