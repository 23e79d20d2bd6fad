//! The tests of a filter meet a schema.

use super::leaf::{Leaf, Wanted};
use super::resolve::{Path, Resolver};
use super::{Key, Operand, OperandValue, Test};
use crate::schema::{Schema, TypeId};
use crate::{Error, Result};

/// The ways of a test's sides, each from the root or from an element of an array or a map of this type; constants have
/// none. Sides are made sure to be of one type.
pub(crate) fn resolve_test<'k>(
    schema: &Schema,
    key: &'k Key,
    container: TypeId,
    test: &'k Test,
) -> Result<[Option<(bool, Path<'k>)>; 2]> {
    let sides = [&test.left, &test.right];
    let walked = sides.map(|operand| {
        let OperandValue::Path { from_root, segments } = &operand.value else { return Ok(None) };
        let in_filter = (!from_root).then_some((container, segments.as_slice()));
        let resolver = Resolver { schema, key, in_filter };
        let start = if *from_root { schema.root() } else { resolver.element(container) };
        let (moves, end, span) = resolver.walk(start, segments, operand.span)?;
        Ok::<_, Error>(Some((resolver, *from_root, moves, end, span)))
    });
    let [left, right] = walked;
    let walked = [left?, right?];
    // What the other side is decides of which branch of a union the value is compared.
    let leaves = walked
        .each_ref()
        .map(|side| side.as_ref().map(|(resolver, .., end, span)| resolver.leaf(*end, *span, Wanted::Any)));
    let wanted = |other: usize| match (&sides[other].value, &leaves[other]) {
        (OperandValue::Null, _) => Wanted::Null,
        (_, Some(Ok((Leaf::Null, _))) | Some(Err(_))) => Wanted::Any,
        (_, Some(Ok((leaf, _)))) => Wanted::Compared(leaf.compared()),
        (value, None) => Wanted::Compared(constant(value)),
    };
    let wanted = [wanted(1), wanted(0)];
    let mut paths = [None, None];
    for (at, side) in walked.into_iter().enumerate() {
        if let Some((resolver, from_root, moves, end, span)) = side {
            let (leaf, take) = resolver.leaf(end, span, wanted[at])?;
            paths[at] = Some((from_root, Path { moves, take, leaf }));
        }
    }
    let [left, right] = paths.each_ref().map(|side| side.as_ref().map(|(_, path)| path.leaf));
    check_test(key, test, left, right)?;
    Ok(paths)
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
    let error = key.wrong(test.right.span, format!("{is} is compared with {other}"));
    Err(match (is, other) {
        ("null", _) | (_, "null") => error.help("null equals nothing but the constant null"),
        ("a float", "an integer") if right.is_none() => {
            error.help("write the number with a point, as in 1.0")
        }
        ("an integer", "a float") if left.is_none() => error.help("write the number with a point, as in 1.0"),
        ("a string", _) if right.is_none() => error.help("a text stands in quotes"),
        (_, "a string") if left.is_none() => error.help("a text stands in quotes"),
        (_, "a string") if right.is_none() => error.help("what stands in quotes is a text"),
        ("a string", _) if left.is_none() => error.help("what stands in quotes is a text"),
        _ => error.help("only values of equal types are compared"),
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
