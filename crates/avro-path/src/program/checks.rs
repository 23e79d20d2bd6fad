//! The tests of a filter as checks of single values, where each of them is one.

use std::sync::Arc;

use super::check::{Against, Check};
use super::compile::{Compiler, read};
use super::draft::{Drafts, Sieve};
use super::tree::Read;
use crate::datum::SkipFields;
use crate::schema::{Type, TypeId};

/// A part of an item: a field of it, or of a record in it.
struct Part {
    name: Option<Arc<str>>,
    ty: TypeId,
    tested: Option<Tested>,
}

/// How a value is read, and for which slots; `null` is the branch of null where it is a union of that and one type.
struct Tested {
    null: Option<usize>,
    read: Read,
    slots: Vec<usize>,
}

impl<'k> Compiler<'_, 'k> {
    /// The checks, in the order of the values. `None` where a value is compared with another one of the same item, or lies
    /// within an array, a map or a union of several types.
    pub(super) fn checks(&self, sieve: &Sieve<'k>) -> Option<Box<[Check]>> {
        let mut parts = Vec::new();
        self.parts(&sieve.probe, 0, None, &mut parts)?;
        let mut checks = Vec::new();
        let mut done = 0;
        for (at, part) in parts.iter().enumerate() {
            let Some(tested) = &part.tested else { continue };
            let against = |slot: &usize| {
                let is_of_item = |slot| sieve.slots.contains(&slot);
                sieve.compiled.iter().find_map(|test| Against::of(test, *slot, is_of_item))
            };
            checks.push(Check {
                before: self.passed(parts.get(done..at)?),
                name: part.name.clone(),
                null: tested.null,
                read: tested.read.clone(),
                tests: tested.slots.iter().map(against).collect::<Option<_>>()?,
                rest: self.passed(parts.get(at + 1..)?),
            });
            done = at + 1;
        }
        Some(checks.into())
    }

    /// How to pass over parts, if there are any.
    fn passed(&self, parts: &[Part]) -> Option<SkipFields> {
        let fields = parts.iter().map(|part| (part.name.clone().unwrap_or_default(), part.ty));
        (!parts.is_empty()).then(|| SkipFields::new(&self.skip, &fields.collect::<Vec<_>>()))
    }

    fn parts(
        &self,
        drafts: &Drafts<'k>,
        at: usize,
        name: Option<Arc<str>>,
        parts: &mut Vec<Part>,
    ) -> Option<()> {
        let draft = &drafts.list[at];
        if !draft.presence.is_empty() || !draft.groups.is_empty() {
            return None;
        }
        let ty = draft.ty;
        let tested = match self.schema.get(ty) {
            Type::Record(record) => {
                for (number, field) in record.fields().iter().enumerate() {
                    let name = Some(match &name {
                        Some(outer) => format!("{outer}.{}", field.name()).into(),
                        None => Arc::from(field.name()),
                    });
                    match draft.parts.get(&number) {
                        Some(&child) => self.parts(drafts, child, name, parts)?,
                        None => parts.push(Part { name, ty: field.type_id(), tested: None }),
                    }
                }
                return Some(());
            }
            Type::Union(branches) => {
                let null = branches.iter().position(|&id| matches!(self.schema.get(id), Type::Null));
                let (&number, &child) = draft.parts.first_key_value()?;
                let child = &drafts.list[child];
                if branches.len() != 2 || draft.parts.len() != 1 || null.is_none_or(|null| null == number) {
                    return None;
                }
                Tested { null, read: read(self.schema.get(child.ty))?, slots: child.slots.clone() }
            }
            ty => Tested { null: None, read: read(ty)?, slots: draft.slots.clone() },
        };
        let tested = (!tested.slots.is_empty()).then_some(tested);
        parts.push(Part { name, ty, tested });
        Some(())
    }
}
