//! Checks of single values, compiled from the tests of a filter.

use std::sync::Arc;

use super::draft::{Drafts, Sieve};
use crate::plan::compile::{Compiler, ValueSource};
use crate::plan::read::Read;
use crate::plan::{Against, Check};
use crate::schema::{Type, TypeId};

/// Part of an item: a field of it, or of a record in it.
struct Part {
    name: Option<Arc<str>>,
    ty: TypeId,
    tested: Option<Tested>,
}

/// Encoding of a value, and the slots that test it; `null` is the branch of null if it is a union of that and one type.
struct Tested {
    null: Option<usize>,
    read: Read,
    slots: Vec<usize>,
}

/// Compiles the checks of a filter over items of the reader's schema, in the order of the values. `None` if a value is
/// compared with another one of the same item, or is within an array, a map or a union of several types.
pub(super) fn checks(compiler: &Compiler<'_>, sieve: &Sieve<'_>) -> Option<Box<[Check]>> {
    let mut parts = Vec::new();
    gather(compiler, &sieve.probe, 0, None, &mut parts)?;
    // How to pass over parts, if there are any.
    let passed = |parts: &[Part]| {
        let fields = parts.iter().map(|part| (part.name.clone().unwrap_or_default(), part.ty));
        compiler.passed(&fields.collect::<Vec<_>>())
    };
    let mut checks = Vec::new();
    let mut done = 0;
    for (at, part) in parts.iter().enumerate() {
        let Some(tested) = &part.tested else { continue };
        let against = |slot: &usize| {
            let is_of_item = |slot| sieve.slots.contains(&slot);
            sieve.compiled.iter().find_map(|test| Against::of(test, *slot, is_of_item))
        };
        checks.push(Check {
            before: passed(parts.get(done..at)?),
            name: part.name.clone(),
            null: tested.null,
            read: tested.read.clone(),
            tests: tested.slots.iter().map(against).collect::<Option<_>>()?,
            rest: passed(parts.get(at + 1..)?),
        });
        done = at + 1;
    }
    Some(checks.into())
}

fn gather(
    compiler: &Compiler<'_>,
    drafts: &Drafts<'_>,
    at: usize,
    name: Option<Arc<str>>,
    parts: &mut Vec<Part>,
) -> Option<()> {
    let schema = compiler.schema;
    let draft = &drafts.list[at];
    if !draft.presence.is_empty() || !draft.groups.is_empty() {
        return None;
    }
    // Texts are compared byte by byte and not looked at otherwise.
    let read = |id| match compiler.scalar(ValueSource::Alike, id)? {
        Read::String => Some(Read::Bytes),
        read => Some(read),
    };
    let ty = draft.ty;
    let tested = match schema.get(ty) {
        Type::Record(record) => {
            for (number, field) in record.fields().iter().enumerate() {
                let name = Some(match &name {
                    Some(outer) => format!("{outer}.{}", field.name()).into(),
                    None => Arc::from(field.name()),
                });
                match draft.parts.get(&number) {
                    Some(&child) => gather(compiler, drafts, child, name, parts)?,
                    None => parts.push(Part { name, ty: field.type_id(), tested: None }),
                }
            }
            return Some(());
        }
        Type::Union(branches) => {
            let null = branches.iter().position(|&id| schema.is_null(id));
            let (&number, &child) = draft.parts.first_key_value()?;
            let child = &drafts.list[child];
            if branches.len() != 2 || draft.parts.len() != 1 || null.is_none_or(|null| null == number) {
                return None;
            }
            Tested { null, read: read(child.ty)?, slots: child.slots.clone() }
        }
        _ => Tested { null: None, read: read(ty)?, slots: draft.slots.clone() },
    };
    let tested = (!tested.slots.is_empty()).then_some(tested);
    parts.push(Part { name, ty, tested });
    Some(())
}
