//! A key expression meets a schema: names become numbers, and every error of types is found.

use super::nearest::hint;
use super::{Branch, Key, Operand, OperandValue, Segment, Span, Step, Test};
use crate::schema::{Schema, Type, TypeId};
use crate::{Error, Result};

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
}

/// What a column or an operand holds: the Avro types that give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    /// String, bytes, fixed, and the symbols of enums.
    Binary,
}

impl Leaf {
    fn of(ty: &Type) -> Option<Self> {
        Some(match ty {
            Type::Null => Self::Null,
            Type::Boolean => Self::Boolean,
            Type::Int => Self::Int,
            Type::Long => Self::Long,
            Type::Float => Self::Float,
            Type::Double => Self::Double,
            Type::String | Type::Bytes | Type::Fixed(_) | Type::Enum(_) => Self::Binary,
            _ => return None,
        })
    }

    /// What filters compare with each other, in words.
    fn compared(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Int | Self::Long => "an integer",
            Self::Float | Self::Double => "a float",
            Self::Binary => "a string",
        }
    }
}

/// The way to what a path names.
#[derive(Clone, Debug)]
pub(crate) struct Path<'k> {
    pub(crate) moves: Vec<Move<'k>>,
    /// What stands at its end: not a union unless all its branches but null give `leaf`.
    pub(crate) end: TypeId,
    pub(crate) leaf: Leaf,
}

/// The key's way from the root of a schema.
pub(crate) fn resolve<'k>(schema: &Schema, key: &'k Key) -> Result<Path<'k>> {
    Resolver { schema, key, is_filter: false }.path(schema.root(), key.segments(), Span { start: 0 })
}

/// The type of what a key names, which need not be a single value.
pub(crate) fn end(schema: &Schema, key: &Key) -> Result<TypeId> {
    let resolver = Resolver { schema, key, is_filter: false };
    let (_, end, _) = resolver.walk(schema.root(), key.segments(), Span { start: 0 })?;
    Ok(end)
}

/// The way of a filter's operand, from an element of the type or from the root.
pub(crate) fn resolve_operand<'k>(
    schema: &Schema,
    key: &'k Key,
    element: TypeId,
    operand: &'k Operand,
) -> Result<Option<(bool, Path<'k>)>> {
    let OperandValue::Path { from_root, segments } = &operand.value else { return Ok(None) };
    let start = if *from_root { schema.root() } else { element };
    let path = Resolver { schema, key, is_filter: true }.path(start, segments, operand.span)?;
    Ok(Some((*from_root, path)))
}

/// Whether two operands can be compared: of equal type, a path and a path or a path and a constant.
pub(crate) fn check_test(key: &Key, test: &Test, left: Option<Leaf>, right: Option<Leaf>) -> Result<()> {
    if left.is_none() && right.is_none() {
        let error = key.wrong(test.left.span, "two constants are compared");
        return Err(error.with_hint("one side has to be a path; a name in quotes is a text, not a field"));
    }
    if test.left.value == OperandValue::Null || test.right.value == OperandValue::Null {
        return Ok(());
    }
    let of =
        |leaf: Option<Leaf>, operand: &Operand| leaf.map_or_else(|| constant(&operand.value), Leaf::compared);
    let (is, other) = (of(left, &test.left), of(right, &test.right));
    if is == other && is != "null" {
        return Ok(());
    }
    let error = key.wrong(test.right.span, format!("{is} is compared with {other}"));
    Err(match (is, other) {
        ("null", _) | (_, "null") => error.with_hint("null equals nothing but the constant null"),
        ("a float", "an integer") if right.is_none() => {
            error.with_hint("write the number with a point, as in 1.0")
        }
        ("an integer", "a float") if left.is_none() => {
            error.with_hint("write the number with a point, as in 1.0")
        }
        ("a string", _) if right.is_none() => error.with_hint("a text stands in quotes"),
        (_, "a string") if left.is_none() => error.with_hint("a text stands in quotes"),
        (_, "a string") if right.is_none() => error.with_hint("what stands in quotes is a text"),
        ("a string", _) if left.is_none() => error.with_hint("what stands in quotes is a text"),
        _ => error.with_hint("only values of equal types are compared"),
    })
}

fn constant(value: &OperandValue) -> &'static str {
    match value {
        OperandValue::Path { .. } | OperandValue::Null => "null",
        OperandValue::Text(_) => Leaf::Binary.compared(),
        OperandValue::Integer(_) => Leaf::Long.compared(),
        OperandValue::Float(_) => Leaf::Double.compared(),
        OperandValue::Boolean(_) => Leaf::Boolean.compared(),
    }
}

struct Resolver<'s, 'k> {
    schema: &'s Schema,
    key: &'k Key,
    /// Within a filter no branch can be named.
    is_filter: bool,
}

impl<'k> Resolver<'_, 'k> {
    fn path(&self, start: TypeId, segments: &'k [Segment], from: Span) -> Result<Path<'k>> {
        let (moves, end, span) = self.walk(start, segments, from)?;
        let leaf = self.leaf(end, span)?;
        Ok(Path { moves, end, leaf })
    }

    /// The moves, where they end, and the last place in the text.
    fn walk(
        &self,
        start: TypeId,
        segments: &'k [Segment],
        from: Span,
    ) -> Result<(Vec<Move<'k>>, TypeId, Span)> {
        let mut moves = Vec::with_capacity(segments.len());
        let mut at = start;
        let mut span = from;
        for segment in segments {
            span = segment.span;
            at = self.only_branch(at, span, &mut moves)?;
            at = self.step(at, segment, &mut moves)?;
            for branch in &segment.branches {
                at = self.branch(at, branch, &mut moves)?;
                span = branch.span;
            }
        }
        Ok((moves, at, span))
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
                Err(self.key.wrong(span, what).with_hint(self.branch_hint(branches)))
            }
        }
    }

    fn branch_hint(&self, branches: &[TypeId]) -> String {
        if self.is_filter {
            return "a filter compares values that have one type; unions of several stand outside of filters"
                .to_owned();
        }
        let names = branches.iter().filter(|&&id| !self.is_null(id)).map(|&id| self.schema.branch_name(id));
        let names =
            names.map(|name| if name.contains('.') { format!(":'{name}'") } else { format!(":{name}") });
        let names = names.take(10).collect::<Vec<_>>().join(", ");
        format!("name a branch before going on: {names}")
    }

    fn step(&self, at: TypeId, segment: &'k Segment, moves: &mut Vec<Move<'k>>) -> Result<TypeId> {
        let wrong = |what: String| self.key.wrong(segment.span, what);
        let described = || self.schema.describe(at);
        let (step, below) = match (&segment.step, self.schema.get(at)) {
            (Step::Field(name), Type::Record(record)) => match record.field(name) {
                Some((number, field)) => (Move::Field(number), field.type_id()),
                None => {
                    let what = format!("no field {name:?} in record {}", record.name());
                    let known = record.fields().iter().map(|field| field.name());
                    return Err(wrong(what).with_hint(hint(name, known, "fields")));
                }
            },
            (Step::Field(name), Type::Map(_)) => {
                let error = wrong(format!("no field {name:?} in a {}", described()));
                return Err(error.with_hint("the value of a key is named by ['key'], all values by [*]"));
            }
            (Step::Field(name), Type::Array(_)) => {
                let error = wrong(format!("no field {name:?} in an {}", described()));
                return Err(error.with_hint("all elements are named by [*], one by its index"));
            }
            (Step::Field(name), _) => return Err(wrong(format!("no field {name:?} in {}", described()))),
            (Step::Index(index), Type::Array(items)) => (Move::Index(*index), *items),
            (Step::Index(_), Type::Map(_)) => {
                let error = wrong(format!("an index into a {}", described()));
                return Err(error.with_hint("the key of a map is a text in quotes"));
            }
            (Step::MapKey(key), Type::Map(values)) => (Move::MapKey(key), *values),
            (Step::MapKey(_), Type::Array(_)) => {
                let error = wrong(format!("a map key for an {}", described()));
                return Err(error.with_hint("an element is named by its index, without quotes"));
            }
            (Step::All, Type::Array(below) | Type::Map(below)) => (Move::All, *below),
            (Step::Filter(tests), Type::Array(below) | Type::Map(below)) => (Move::Filter(tests), *below),
            (_, Type::Record(_)) => {
                let error = wrong(format!("brackets after {}", described()));
                return Err(
                    error.with_hint("a field is named after a point, an array or a map needs the brackets")
                );
            }
            _ => {
                let error = wrong(format!("brackets after {}", described()));
                return Err(error.with_hint("only arrays and maps have elements"));
            }
        };
        moves.push(step);
        Ok(below)
    }

    /// Into the branch of a name; a type that is no union has itself as its only branch.
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
                Err(if is_union { error.with_hint(hint(name, known, "branches")) } else { error })
            }
            _ => {
                let names = found.iter().map(|(_, id)| format!("'{}'", self.schema.branch_name(**id)));
                let names = names.collect::<Vec<_>>().join(" and ");
                let error =
                    self.key.wrong(branch.span, format!("{name:?} is the short name of several branches"));
                Err(error.with_hint(format!("write one of the full names {names}, with the quotes")))
            }
        }
    }

    /// What the end of a path gives.
    fn leaf(&self, at: TypeId, span: Span) -> Result<Leaf> {
        let ty = self.schema.get(at);
        if let Some(leaf) = Leaf::of(ty) {
            return Ok(leaf);
        }
        let ends = || self.key.wrong(span, format!("the path ends at {}", self.schema.describe(at)));
        let Type::Union(branches) = ty else {
            return Err(match ty {
                Type::Record(record) => {
                    let fields = record.fields().iter().take(10).map(|field| format!("{:?}", field.name()));
                    let fields = fields.collect::<Vec<_>>().join(", ");
                    ends().with_hint(format!(
                        "a column needs a single value: go on to one of its fields {fields}"
                    ))
                }
                Type::Map(_) => {
                    ends().with_hint("go on to one of its values with ['key'] or to all with [*]")
                }
                _ => ends().with_hint("go on to one of its elements with [0] or to all with [*]"),
            });
        };
        let mut leaves =
            branches.iter().filter(|&&id| !self.is_null(id)).map(|&id| Leaf::of(self.schema.get(id)));
        match leaves.next() {
            None => Ok(Leaf::Null),
            Some(first) if leaves.all(|leaf| leaf == first) => match (first, &branches[..]) {
                (Some(leaf), _) => Ok(leaf),
                (None, _) => {
                    // One branch that is no leaf, or several that all are none.
                    let inner = branches.iter().find(|&&id| !self.is_null(id));
                    match inner {
                        Some(&inner) if branches.len() <= 2 => self.leaf(inner, span),
                        _ => Err(ends().with_hint(self.branch_hint(branches))),
                    }
                }
            },
            Some(_) => Err(self.different(at, branches, span)),
        }
    }

    #[cold]
    fn different(&self, at: TypeId, branches: &[TypeId], span: Span) -> Error {
        let what = format!("the values are of different types: a {}", self.schema.describe(at));
        self.key.wrong(span, what).with_hint(self.branch_hint(branches))
    }

    fn is_null(&self, id: TypeId) -> bool {
        matches!(self.schema.get(id), Type::Null)
    }
}
