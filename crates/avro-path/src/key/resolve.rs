//! Resolution of key expressions with a schema: names become numbers, and all type errors are found.

use super::filter::ELEMENT;
use super::leaf::{Leaf, Take, Wanted};
use super::print::Name;
use super::{Branch, Key, KeyStep, Segment, Span, Test};
use crate::schema::{AvroSchema, RecordField, Type, TypeId};
use crate::{Error, Result};
use tfxio_core::suggest::{hint, nearest};

/// Move from a value to one within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Move<'k> {
    /// To the field of this number.
    Field(usize),
    /// To the value of a union, if it is of the branch of this number.
    Branch(usize),
    /// To an element of an array; negative numbers count from the end.
    Index(i64),
    /// To the first value of this key of a map.
    MapKey(&'k str),
    /// To all elements of an array or values of a map.
    All,
    /// To the elements or values that pass the tests.
    Filter(&'k [Test]),
    /// To the key of the entry of a map; the last of all.
    EntryKey,
}

/// Moves, and the type to which each leads.
pub(crate) type Moves<'k> = Vec<(Move<'k>, TypeId)>;

/// Resolved path of a key.
#[derive(Clone, Debug)]
pub(crate) struct Path<'k> {
    /// Whether it begins at the root of the datum, not at the element of a filter.
    pub(crate) from_root: bool,
    pub(crate) moves: Moves<'k>,
    pub(crate) take: Take,
    pub(crate) leaf: Leaf,
}

/// Resolved moves, before it is decided what is read at their end.
pub(super) struct Walked<'k> {
    moves: Moves<'k>,
    /// The type to which they lead.
    pub(super) end: TypeId,
    /// The last position in the text.
    pub(super) span: Span,
}

/// Resolves a key from the root of a schema.
pub(crate) fn resolve<'k>(schema: &AvroSchema, key: &'k Key) -> Result<Path<'k>> {
    let resolver = Resolver { schema, key, in_filter: None };
    let walked = resolver.walk(key.segments(), Span { start: 0 })?;
    resolver.path(walked, key.dtype.map_or(Wanted::Any, Wanted::Dtype))
}

/// Returns the type at the end of a key, which need not be a single value.
pub(crate) fn end(schema: &AvroSchema, key: &Key) -> Result<TypeId> {
    let resolver = Resolver { schema, key, in_filter: None };
    Ok(resolver.walk(key.segments(), Span { start: 0 })?.end)
}

/// Returns the types of the values that a column of the key has: several if it ends at a union.
pub(super) fn ends(schema: &AvroSchema, key: &Key) -> Result<Vec<TypeId>> {
    let path = resolve(schema, key)?;
    Ok(match path.take {
        Take::Branches(branches) | Take::Only(branches, _) => {
            branches.into_iter().map(|(_, id)| id).collect()
        }
        // The key of an entry is a text.
        _ if matches!(path.moves.last(), Some((Move::EntryKey, _))) => Vec::new(),
        _ => vec![path.moves.last().map_or_else(|| schema.root(), |(_, id)| *id)],
    })
}

#[derive(Clone, Copy)]
pub(super) struct Resolver<'s, 'k> {
    pub(super) schema: &'s AvroSchema,
    pub(super) key: &'k Key,
    /// For a path from the element of a filter: the array or map whose elements are tested, and the path.
    pub(super) in_filter: Option<(TypeId, &'k [Segment])>,
}

impl<'k> Resolver<'_, 'k> {
    /// Walks from the root of the datum, or from the element of a filter.
    pub(super) fn walk(&self, segments: &'k [Segment], from: Span) -> Result<Walked<'k>> {
        // The array or map that the last step went into.
        let mut container = self.in_filter.map(|(container, _)| container);
        let mut at = match container.map(|container| self.schema.get(container)) {
            Some(Type::Array(items) | Type::Map(items)) => *items,
            _ => self.schema.root(),
        };
        let mut moves = Vec::with_capacity(segments.len());
        let mut span = from;
        let mut last: Option<&KeyStep> = None;
        for segment in segments {
            span = segment.span;
            match &segment.step {
                KeyStep::EntryKey => {
                    at = self.entry_key(container, span)?;
                    moves.push((Move::EntryKey, at));
                }
                KeyStep::Element => {}
                step => {
                    let whole = self.only_branch(at, span, &mut moves)?;
                    let (next, to) =
                        self.step(step, whole).ok_or_else(|| self.no_step(step, whole, span, last))?;
                    moves.push((next, to));
                    at = to;
                    container = Some(whole);
                    last = Some(step);
                }
            }
            for branch in &segment.branches {
                at = self.branch(at, branch, &mut moves)?;
                span = branch.span;
            }
        }
        Ok(Walked { moves, end: at, span })
    }

    pub(super) fn path(&self, walked: Walked<'k>, wanted: Wanted) -> Result<Path<'k>> {
        let (leaf, take) = self.leaf(&walked, wanted)?;
        Ok(Path { from_root: self.in_filter.is_none(), moves: walked.moves, take, leaf })
    }

    /// Returns the type of the keys of a map.
    fn entry_key(&self, container: Option<TypeId>, span: Span) -> Result<TypeId> {
        let is_map = |id: &TypeId| matches!(self.schema.get(*id), Type::Map(_));
        let string = self.schema.types().find(|(_, ty)| matches!(ty, Type::String));
        match (container.filter(is_map), string) {
            (Some(_), Some((string, _))) => Ok(string),
            _ => {
                let of =
                    container.map_or_else(String::new, |id| format!(" of an {}", self.schema.describe(id)));
                let error = self.key.wrong(span, format!("the keys{of}"));
                Err(error.help("only the entries of a map have keys"))
            }
        }
    }

    /// Moves into the one branch that a union has beside null.
    fn only_branch(&self, at: TypeId, span: Span, moves: &mut Moves<'k>) -> Result<TypeId> {
        let Type::Union(branches) = self.schema.get(at) else { return Ok(at) };
        if let Some((number, branch)) = self.schema.only_value(at) {
            moves.push((Move::Branch(number), branch));
            return Ok(branch);
        }
        let described = self.schema.describe(at);
        if self.schema.values(branches).next().is_none() {
            return Err(self.key.wrong(span, format!("there is nothing in a {described}")));
        }
        let error = self.key.wrong(span, format!("the value is a {described}"));
        Err(error.help(self.branch_hint(branches)))
    }

    pub(super) fn branch_hint(&self, branches: &[TypeId]) -> String {
        let branches = self.schema.values(branches).map(|(_, id)| id);
        format!("name a branch before going on: {}", self.branch_names(branches))
    }

    pub(super) fn branch_names(&self, branches: impl Iterator<Item = TypeId>) -> String {
        let names = branches.map(|id| format!(":{}", Name(self.schema.branch_name(id))));
        names.take(10).collect::<Vec<_>>().join(", ")
    }

    /// Returns the help for a field that a record within a filter does not have: often it is a text without quotes.
    fn unknown_operand<'a>(
        &self,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<String> {
        let (_, [Segment { step: KeyStep::Field(field), branches, .. }]) = self.in_filter? else {
            return None;
        };
        if field != name || !branches.is_empty() {
            return None;
        }
        let text = format!(
            "a text needs quotes, and the shell its own around the key: \"[…='{}']\"",
            name.escape_debug()
        );
        Some(match nearest(name, known) {
            Some(near) => format!("did you mean {near:?}? {text}"),
            None => text,
        })
    }

    /// Returns the move from a value of a type, and the type to which it leads.
    fn step(&self, step: &'k KeyStep, at: TypeId) -> Option<(Move<'k>, TypeId)> {
        Some(match (step, self.schema.get(at)) {
            (KeyStep::Field(name), Type::Record(record)) => {
                let (number, field) = record.field(name)?;
                (Move::Field(number), field.type_id())
            }
            (KeyStep::Index(index), Type::Array(items)) => (Move::Index(*index), *items),
            (KeyStep::MapKey(key), Type::Map(values)) => (Move::MapKey(key), *values),
            (KeyStep::All, Type::Array(below) | Type::Map(below)) => (Move::All, *below),
            (KeyStep::Filter(tests), Type::Array(below) | Type::Map(below)) => (Move::Filter(tests), *below),
            _ => return None,
        })
    }

    /// Returns the error for a step that a type does not have.
    #[cold]
    fn no_step(&self, step: &KeyStep, at: TypeId, span: Span, last: Option<&KeyStep>) -> Error {
        let described = self.schema.describe(at);
        let (what, help) = match (step, self.schema.get(at)) {
            (KeyStep::Field(name), Type::Record(record)) => {
                let known = record.fields().iter().map(RecordField::name);
                let of_filter = self.unknown_operand(name, known.clone());
                let help = of_filter.unwrap_or_else(|| hint(name, known, "fields"));
                return self.key.wrong(span, format!("no field {name:?} in {described}")).help(help);
            }
            (KeyStep::Field(name), Type::Map(_)) => (
                format!("no field {name:?} in a {described}"),
                "the value of a key is named by ['key'], all values by [*]",
            ),
            (KeyStep::Field(name), Type::Array(_)) => (
                format!("no field {name:?} in an {described}"),
                "all elements are named by [*], one by its index",
            ),
            (KeyStep::Field(name), _) => {
                let error = self.key.wrong(span, format!("no field {name:?} in {described}"));
                let is_element = self.in_filter.is_some() && last.is_none();
                return if is_element { error.help(ELEMENT) } else { error };
            }
            (KeyStep::Index(_), Type::Map(_)) => {
                (format!("an index into a {described}"), "the key of a map is a text in quotes")
            }
            (KeyStep::MapKey(_), Type::Array(_)) => (
                format!("a map key for an {described}"),
                "an element is named by its index, without quotes; those that are equal to a text by [.='…']",
            ),
            (KeyStep::Filter(_), Type::Record(_)) if matches!(last, Some(KeyStep::Filter(_))) => {
                (format!("a second filter after {described}"), "several tests are joined by &: [a='x'&b='y']")
            }
            (_, Type::Record(_)) => (
                format!("brackets after {described}"),
                "a field is named after a point, an array or a map needs the brackets",
            ),
            _ => (format!("brackets after {described}"), "only arrays and maps have elements"),
        };
        self.key.wrong(span, what).help(help)
    }

    /// Moves into the branch of a name; a type that is not a union has itself as its only branch.
    fn branch(&self, at: TypeId, branch: &Branch, moves: &mut Moves<'k>) -> Result<TypeId> {
        let itself = [at];
        let (branches, is_union) = match self.schema.get(at) {
            Type::Union(branches) => (&branches[..], true),
            _ => (&itself[..], false),
        };
        let name = branch.name.as_str();
        let exact = |&id: &TypeId| self.schema.branch_name(id) == name;
        let short = |&id: &TypeId| self.schema.get(id).definition().is_some_and(|it| it.name.short() == name);
        let mut found = branches.iter().enumerate().filter(|(_, id)| exact(id)).collect::<Vec<_>>();
        if found.is_empty() {
            found = branches.iter().enumerate().filter(|(_, id)| short(id)).collect();
        }
        match *found {
            [(number, &id)] => {
                if is_union {
                    moves.push((Move::Branch(number), id));
                }
                Ok(id)
            }
            [] => {
                let described = self.schema.describe(at);
                if !is_union {
                    let what = format!("no branch {name:?}: the value is always of type {described}");
                    return Err(self.key.wrong(branch.span, what));
                }
                let known = branches.iter().map(|&id| self.schema.branch_name(id));
                let error = self.key.wrong(branch.span, format!("no branch {name:?} in the {described}"));
                Err(error.help(hint(name, known, "branches")))
            }
            _ => {
                let names = found.iter().map(|(_, id)| format!("'{}'", self.schema.branch_name(**id)));
                let names = names.collect::<Vec<_>>().join(" and ");
                let error =
                    self.key.wrong(branch.span, format!("{name:?} is the short name of several branches"));
                Err(error.help(format!("write one of the full names {names}, with the quotes")))
            }
        }
    }
}
