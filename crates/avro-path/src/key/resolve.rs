//! A key expression meets a schema: names become numbers, and every error of types is found.

use super::filter::ELEMENT;
use super::leaf::{Leaf, Take, Wanted};
use super::print::Name;
use super::{Branch, Key, Segment, Span, Step, Test};
use crate::Result;
use crate::schema::{Schema, Type, TypeId};
use tfxio_core::suggest::{hint, nearest};

/// From a value to one that it holds.
#[derive(Clone, Copy, Debug)]
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
    /// To those that pass the tests, at which item type they are made.
    Filter(&'k [Test]),
    /// To the key of the entry of a map; the last of all.
    EntryKey,
}

/// The way to what a path names.
#[derive(Clone, Debug)]
pub(crate) struct Path<'k> {
    pub(crate) moves: Vec<Move<'k>>,
    pub(crate) take: Take,
    pub(crate) leaf: Leaf,
}

/// The key's way from the root of a schema.
pub(crate) fn resolve<'k>(schema: &Schema, key: &'k Key) -> Result<Path<'k>> {
    let resolver = Resolver { schema, key, in_filter: None };
    let (moves, end, span) = resolver.walk(schema.root(), key.segments(), Span { start: 0 })?;
    let (leaf, take) = resolver.leaf(end, span, key.dtype.map_or(Wanted::Any, Wanted::Dtype))?;
    Ok(Path { moves, take, leaf })
}

/// The type of what a key names, which need not be a single value.
pub(crate) fn end(schema: &Schema, key: &Key) -> Result<TypeId> {
    let resolver = Resolver { schema, key, in_filter: None };
    let (_, end, _) = resolver.walk(schema.root(), key.segments(), Span { start: 0 })?;
    Ok(end)
}

#[derive(Clone, Copy)]
pub(super) struct Resolver<'s, 'k> {
    pub(super) schema: &'s Schema,
    pub(super) key: &'k Key,
    /// For a path from the element of a filter: the array or map whose elements are tested, and the path.
    pub(super) in_filter: Option<(TypeId, &'k [Segment])>,
}

impl<'k> Resolver<'_, 'k> {
    /// What an array or a map holds.
    pub(super) fn element(&self, container: TypeId) -> TypeId {
        match self.schema.get(container) {
            Type::Array(items) | Type::Map(items) => *items,
            _ => container,
        }
    }

    /// Returns the moves, the type where they end, and the last position in the text.
    pub(super) fn walk(
        &self,
        start: TypeId,
        segments: &'k [Segment],
        from: Span,
    ) -> Result<(Vec<Move<'k>>, TypeId, Span)> {
        let mut moves = Vec::with_capacity(segments.len());
        let mut at = start;
        let mut span = from;
        // The array or map that the last step went into.
        let mut container = self.in_filter.map(|(container, _)| container);
        let mut last: Option<&Step> = None;
        for segment in segments {
            span = segment.span;
            match &segment.step {
                Step::EntryKey => {
                    at = self.entry_key(container, span)?;
                    moves.push(Move::EntryKey);
                }
                Step::Element => {}
                step => {
                    let whole = self.only_branch(at, span, &mut moves)?;
                    at = self.step(whole, segment, last, &mut moves)?;
                    container = Some(whole);
                    last = Some(step);
                }
            }
            for branch in &segment.branches {
                at = self.branch(at, branch, &mut moves)?;
                span = branch.span;
            }
        }
        Ok((moves, at, span))
    }

    /// The type of the keys of a map.
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

    /// Into the one branch that a union has beside null.
    fn only_branch(&self, at: TypeId, span: Span, moves: &mut Vec<Move<'k>>) -> Result<TypeId> {
        let Type::Union(branches) = self.schema.get(at) else { return Ok(at) };
        let mut others = branches.iter().enumerate().filter(|&(_, &id)| !self.is_null(id));
        match (others.next(), others.next()) {
            (Some((number, &branch)), None) => {
                moves.push(Move::Branch(number));
                Ok(branch)
            }
            (None, _) => {
                Err(self.key.wrong(span, format!("there is nothing in a {}", self.schema.describe(at))))
            }
            (Some(_), Some(_)) => {
                let what = format!("the value is a {}", self.schema.describe(at));
                Err(self.key.wrong(span, what).help(self.branch_hint(branches)))
            }
        }
    }

    pub(super) fn branch_hint(&self, branches: &[TypeId]) -> String {
        let branches = branches.iter().copied().filter(|&id| !self.is_null(id));
        format!("name a branch before going on: {}", self.branch_names(branches))
    }

    pub(super) fn branch_names(&self, branches: impl Iterator<Item = TypeId>) -> String {
        let names = branches.map(|id| format!(":{}", Name(self.schema.branch_name(id))));
        names.take(10).collect::<Vec<_>>().join(", ")
    }

    /// What to do about a field that a record within a filter does not have: often it is a text without quotes.
    fn unknown_operand<'a>(
        &self,
        name: &str,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<String> {
        let (_, [Segment { step: Step::Field(field), branches, .. }]) = self.in_filter? else { return None };
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

    fn step(
        &self,
        at: TypeId,
        segment: &'k Segment,
        last: Option<&Step>,
        moves: &mut Vec<Move<'k>>,
    ) -> Result<TypeId> {
        let wrong = |what: String| self.key.wrong(segment.span, what);
        let described = || self.schema.describe(at);
        let (step, below) = match (&segment.step, self.schema.get(at)) {
            (Step::Field(name), Type::Record(record)) => match record.field(name) {
                Some((number, field)) => (Move::Field(number), field.type_id()),
                None => {
                    let what = format!("no field {name:?} in record {}", record.name());
                    let known = record.fields().iter().map(|field| field.name());
                    let of_filter = self.unknown_operand(name, known.clone());
                    return Err(wrong(what).help(of_filter.unwrap_or_else(|| hint(name, known, "fields"))));
                }
            },
            (Step::Field(name), Type::Map(_)) => {
                let error = wrong(format!("no field {name:?} in a {}", described()));
                return Err(error.help("the value of a key is named by ['key'], all values by [*]"));
            }
            (Step::Field(name), Type::Array(_)) => {
                let error = wrong(format!("no field {name:?} in an {}", described()));
                return Err(error.help("all elements are named by [*], one by its index"));
            }
            (Step::Field(name), _) => {
                let error = wrong(format!("no field {name:?} in {}", described()));
                return Err(match self.in_filter {
                    Some(_) if last.is_none() => error.help(ELEMENT),
                    _ => error,
                });
            }
            (Step::Index(index), Type::Array(items)) => (Move::Index(*index), *items),
            (Step::Index(_), Type::Map(_)) => {
                let error = wrong(format!("an index into a {}", described()));
                return Err(error.help("the key of a map is a text in quotes"));
            }
            (Step::MapKey(key), Type::Map(values)) => (Move::MapKey(key), *values),
            (Step::MapKey(_), Type::Array(_)) => {
                let error = wrong(format!("a map key for an {}", described()));
                return Err(error.help(
                    "an element is named by its index, without quotes; those that are equal to a text by [.='…']",
                ));
            }
            (Step::All, Type::Array(below) | Type::Map(below)) => (Move::All, *below),
            (Step::Filter(tests), Type::Array(below) | Type::Map(below)) => (Move::Filter(tests), *below),
            (Step::Filter(_), Type::Record(_)) if matches!(last, Some(Step::Filter(_))) => {
                let error = wrong(format!("a second filter after {}", described()));
                return Err(error.help("several tests are joined by &: [a='x'&b='y']"));
            }
            (_, Type::Record(_)) => {
                let error = wrong(format!("brackets after {}", described()));
                return Err(
                    error.help("a field is named after a point, an array or a map needs the brackets")
                );
            }
            _ => {
                let error = wrong(format!("brackets after {}", described()));
                return Err(error.help("only arrays and maps have elements"));
            }
        };
        moves.push(step);
        Ok(below)
    }

    /// Into the branch of a name; a type that is not a union has itself as its only branch.
    fn branch(&self, at: TypeId, branch: &Branch, moves: &mut Vec<Move<'k>>) -> Result<TypeId> {
        let itself = [at];
        let (branches, is_union) = match self.schema.get(at) {
            Type::Union(branches) => (&branches[..], true),
            _ => (&itself[..], false),
        };
        let name = branch.name.as_str();
        let exact = |&id: &TypeId| self.schema.branch_name(id) == name;
        let short = |&id: &TypeId| match self.schema.get(id) {
            Type::Record(record) => record.name().short() == name,
            Type::Enum(symbols) => symbols.name().short() == name,
            Type::Fixed(fixed) => fixed.name().short() == name,
            _ => false,
        };
        let mut found = branches.iter().enumerate().filter(|(_, id)| exact(id)).collect::<Vec<_>>();
        if found.is_empty() {
            found = branches.iter().enumerate().filter(|(_, id)| short(id)).collect();
        }
        match *found {
            [(number, &id)] => {
                if is_union {
                    moves.push(Move::Branch(number));
                }
                Ok(id)
            }
            [] => {
                let what = match is_union {
                    true => format!("no branch {name:?} in the {}", self.schema.describe(at)),
                    false => format!(
                        "no branch {name:?}: the value is always of type {}",
                        self.schema.describe(at)
                    ),
                };
                let known = branches.iter().map(|&id| self.schema.branch_name(id));
                let error = self.key.wrong(branch.span, what);
                Err(if is_union { error.help(hint(name, known, "branches")) } else { error })
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

    pub(super) fn is_null(&self, id: TypeId) -> bool {
        matches!(self.schema.get(id), Type::Null)
    }
}
