//! The tests of a filter meet a schema.

use super::leaf::{Leaf, Take, Wanted};
use super::resolve::{Moves, Path, Resolver};
use super::{Key, Operand, OperandValue, Span, Test};
use crate::Result;
use crate::schema::{Schema, TypeId};

/// The ways of a test's sides, each from the root or from an element of an array or a map of this type; constants have
/// none. Sides are made sure to be of one type.
pub(crate) fn resolve_test<'k>(
    schema: &Schema,
    key: &'k Key,
    container: TypeId,
    test: &'k Test,
) -> Result<[Option<Path<'k>>; 2]> {
    let walk = |operand| Walked::new(schema, key, container, operand);
    let (left, right) = (walk(&test.left)?, walk(&test.right)?);
    // What the other side is decides of which branch of a union the value is compared.
    let wanted = |operand: &Operand, walked: &Option<Walked<'_, '_>>| match (
        &operand.value,
        walked.as_ref().map(|walked| walked.leaf(Wanted::Any)),
    ) {
        (OperandValue::Null, _) => Wanted::Null,
        (_, Some(Ok((Leaf::Null, _)) | Err(_))) => Wanted::Any,
        (_, Some(Ok((leaf, _)))) => Wanted::Compared(leaf.compared()),
        (value, None) => Wanted::Compared(constant(value)),
    };
    let (beside_left, beside_right) = (wanted(&test.right, &right), wanted(&test.left, &left));
    let left = left.map(|walked| walked.path(beside_left)).transpose()?;
    let right = right.map(|walked| walked.path(beside_right)).transpose()?;
    check_test(key, test, left.as_ref().map(|path| path.leaf), right.as_ref().map(|path| path.leaf))?;
    Ok([left, right])
}

/// A side of a test that is a path, as far as it does not matter what it is compared with.
struct Walked<'s, 'k> {
    resolver: Resolver<'s, 'k>,
    from_root: bool,
    moves: Moves<'k>,
    end: TypeId,
    span: Span,
}

impl<'s, 'k> Walked<'s, 'k> {
    fn new(
        schema: &'s Schema,
        key: &'k Key,
        container: TypeId,
        operand: &'k Operand,
    ) -> Result<Option<Self>> {
        let OperandValue::Path { from_root, segments } = &operand.value else { return Ok(None) };
        let in_filter = (!from_root).then_some((container, segments.as_slice()));
        let resolver = Resolver { schema, key, in_filter };
        let start = if *from_root { schema.root() } else { resolver.element(container) };
        let (moves, end, span) = resolver.walk(start, segments, operand.span)?;
        Ok(Some(Self { resolver, from_root: *from_root, moves, end, span }))
    }

    fn leaf(&self, wanted: Wanted) -> Result<(Leaf, Take)> {
        self.resolver.leaf(self.end, self.span, wanted)
    }

    fn path(self, wanted: Wanted) -> Result<Path<'k>> {
        let (leaf, take) = self.leaf(wanted)?;
        Ok(Path { from_root: self.from_root, moves: self.moves, take, leaf })
    }
}

/// Whether two operands can be compared: of equal type, a path and a path or a path and a constant.
fn check_test(key: &Key, test: &Test, left: Option<Leaf>, right: Option<Leaf>) -> Result<()> {
    if left.is_none() && right.is_none() {
        let error = key.wrong(test.left.span, "two constants are compared");
        return Err(error.help("one side has to be a path; a field of that name is written .'name'"));
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
    let (path, constant) = match (left, right) {
        (Some(_), Some(_)) => (is, None),
        (Some(_), None) => (is, Some(other)),
        (None, _) => (other, Some(is)),
    };
    let error = key.wrong(test.right.span, format!("{is} is compared with {other}"));
    Err(error.help(match (path, constant) {
        _ if is == "null" || other == "null" => "null equals nothing but the constant null",
        ("a float", Some("an integer")) => "write the number with a point, as in 1.0",
        ("a string", Some(_)) => "a text stands in quotes",
        (_, Some("a string")) => "what stands in quotes is a text",
        _ => "only values of equal types are compared",
    }))
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
