//! Values at the end of a path.

use tfxio_core::DType;

use super::Span;
use super::resolve::{Resolver, Walked};
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, Result};

/// Value type of a column or an operand, which several Avro types can share.
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
    pub(super) fn of(ty: &Type) -> Option<Self> {
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

    /// Returns the common value type of the values of a union; null if it has none.
    pub(super) fn of_all(schema: &AvroSchema, values: &[(usize, TypeId)]) -> Option<Self> {
        let mut leaves = values.iter().map(|&(_, id)| Self::of(schema.get(id)));
        let Some(first) = leaves.next() else { return Some(Self::Null) };
        first.filter(|_| leaves.all(|leaf| leaf == first))
    }

    /// Returns the value type of a dtype.
    fn of_dtype(dtype: DType) -> Option<Self> {
        Some(match dtype {
            DType::Bool => Self::Boolean,
            DType::Int32 => Self::Int,
            DType::Int64 => Self::Long,
            DType::Float32 => Self::Float,
            DType::Float64 => Self::Double,
            DType::String => Self::Binary,
            _ => return None,
        })
    }

    /// Returns the name of the type in comparisons of filters.
    pub(super) fn compared(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Int | Self::Long => "an integer",
            Self::Float | Self::Double => "a float",
            Self::Binary => "a string",
        }
    }
}

/// Values that are read at the end of a path.
#[derive(Clone, Debug)]
pub(crate) enum Take {
    /// The value, whose type is not a union, or a union of null alone.
    Value,
    /// Values of these branches of a union; other values are missing.
    Branches(Vec<(usize, TypeId)>),
    /// The same, but values of branches that are neither these nor null are errors, which begin with this text.
    Only(Vec<(usize, TypeId)>, String),
    /// Presence of a value in a union: whether it is not null.
    Presence,
}

/// Branches that a union at the end of a path may have, beside null.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// Branches of one value type.
    Any,
    /// Any: values of the dtype are read, others are errors.
    Dtype(DType),
    /// Any: values that can be compared with this are read.
    Compared(&'static str),
    /// Any: only the presence of a value matters.
    Null,
}

impl Resolver<'_, '_> {
    /// Returns the value type at the end of a path, and the values that are read there.
    pub(super) fn leaf(&self, walked: &Walked<'_>, wanted: Wanted) -> Result<(Leaf, Take)> {
        let &Walked { end: at, span, .. } = walked;
        let ty = self.schema.get(at);
        if let Some(leaf) = Leaf::of(ty) {
            return Ok((leaf, Take::Value));
        }
        let Type::Union(branches) = ty else { return Err(self.no_leaf(at, span)) };
        let values = self.schema.values(branches).collect::<Vec<_>>();
        if values.is_empty() {
            return Ok((Leaf::Null, Take::Value));
        }
        if let Some(leaf) = Leaf::of_all(self.schema, &values) {
            return Ok((leaf, Take::Branches(values)));
        }
        let of = |is: &dyn Fn(Leaf) -> bool| {
            let is = |&&(_, id): &&(usize, TypeId)| Leaf::of(self.schema.get(id)).is_some_and(is);
            values.iter().filter(is).copied().collect::<Vec<_>>()
        };
        let has_leaf = !of(&|_| true).is_empty();
        match (wanted, values.as_slice()) {
            (Wanted::Null, _) => Ok((Leaf::Null, Take::Presence)),
            (_, [(_, only)]) => Err(self.no_leaf(*only, span)),
            _ if !has_leaf => Err(self.no_leaf(at, span)),
            (Wanted::Any, _) => Err(self.different(at, branches, span)),
            (Wanted::Compared(class), _) => {
                let taken = of(&|leaf| leaf.compared() == class);
                let Some(leaf) = taken.first().and_then(|&(_, id)| Leaf::of(self.schema.get(id))) else {
                    let what = format!("{class} is compared with a {}", self.schema.describe(at));
                    return Err(self.key.wrong(span, what).help("none of its branches can be equal to it"));
                };
                // Constants are rounded to one of the two.
                let is_float = matches!(leaf, Leaf::Float | Leaf::Double);
                if is_float && Leaf::of_all(self.schema, &taken).is_none() {
                    return Err(self.different(at, branches, span));
                }
                Ok((leaf, Take::Branches(taken)))
            }
            (Wanted::Dtype(dtype), _) => {
                let wanted = Leaf::of_dtype(dtype);
                let taken = of(&|leaf| Some(leaf) == wanted);
                let Some(leaf) = wanted.filter(|_| !taken.is_empty()) else {
                    let what = format!("no branch of a {} has the dtype {dtype}", self.schema.describe(at));
                    return Err(self.key.wrong(span, what).help(self.branch_hint(branches)));
                };
                let names = self.branch_names(taken.iter().map(|&(_, id)| id)).replace(", ", " or ");
                let text = format!(
                    "and the key {:?} is read as {dtype}; to take values of other branches as missing, name the branch in the key: {}{names}",
                    self.key.text(),
                    self.key.text(),
                );
                Ok((leaf, Take::Only(taken, text)))
            }
        }
    }

    #[cold]
    fn no_leaf(&self, at: TypeId, span: Span) -> Error {
        let ends = self.key.wrong(span, format!("the path ends at {}", self.schema.describe(at)));
        ends.help(match self.schema.get(at) {
            Type::Record(record) => {
                let fields = record.fields().iter().take(10).map(|field| format!("{:?}", field.name()));
                let fields = fields.collect::<Vec<_>>().join(", ");
                format!("a column needs a single value: go on to one of its fields {fields}")
            }
            Type::Map(_) => "go on to one of its values with ['key'] or to all with [*]".to_owned(),
            Type::Union(branches) => self.branch_hint(branches),
            _ => "go on to one of its elements with [0] or to all with [*]".to_owned(),
        })
    }

    #[cold]
    fn different(&self, at: TypeId, branches: &[TypeId], span: Span) -> Error {
        let what = format!("the values are of different types: a {}", self.schema.describe(at));
        self.key.wrong(span, what).help(self.branch_hint(branches))
    }
}
