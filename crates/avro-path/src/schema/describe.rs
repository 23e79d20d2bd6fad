//! Types in words, for messages.

use super::{AvroSchema, Type, TypeId};

/// Returns the name of a type as the branch of a union.
pub(super) fn branch_name(ty: &Type) -> &str {
    match ty {
        Type::Null => "null",
        Type::Boolean => "boolean",
        Type::Int => "int",
        Type::Long => "long",
        Type::Float => "float",
        Type::Double => "double",
        Type::Bytes => "bytes",
        Type::String => "string",
        Type::Array(_) => "array",
        Type::Map(_) => "map",
        Type::Union(_) => "union",
        Type::Record(record) => record.name().full(),
        Type::Enum(symbols) => symbols.name().full(),
        Type::Fixed(fixed) => fixed.name().full(),
    }
}

/// Maximum number of branches of a union that a message names.
const BRANCHES: usize = 8;

pub(super) fn describe(schema: &AvroSchema, id: TypeId) -> String {
    match schema.get(id) {
        Type::Array(items) => format!("array of {}", short(schema, *items)),
        Type::Map(values) => format!("map of {}", short(schema, *values)),
        Type::Union(branches) => {
            let mut names =
                branches.iter().take(BRANCHES).map(|&id| schema.branch_name(id)).collect::<Vec<_>>();
            if branches.len() > BRANCHES {
                names.push("others");
            }
            match names.split_last() {
                None => "union of nothing".to_owned(),
                Some((last, [])) => format!("union of {last}"),
                Some((last, rest)) => format!("union of {} and {last}", rest.join(", ")),
            }
        }
        _ => short(schema, id),
    }
}

fn short(schema: &AvroSchema, id: TypeId) -> String {
    let ty = schema.get(id);
    let name = branch_name(ty);
    match ty {
        Type::Record(_) => format!("record {name}"),
        Type::Enum(_) => format!("enum {name}"),
        Type::Fixed(_) => format!("fixed {name}"),
        _ => name.to_owned(),
    }
}
