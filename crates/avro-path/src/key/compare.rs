//! Resolution of the tests of a filter with a schema.

use super::leaf::{Leaf, Wanted};
use super::resolve::{Path, Resolver, Walked};
use super::{Key, Operand, OperandValue, Test};
use crate::schema::{AvroSchema, TypeId};
use crate::{Error, Result};

/// Resolves the sides of a test, each from the root or from an element of an array or a map of this type; constants
/// have none. Sides are made sure to be of one type.
pub(crate) fn resolve_test<'k>(
    schema: &AvroSchema,
    key: &'k Key,
    container: TypeId,
    test: &'k Test,
) -> Result<[Option<Path<'k>>; 2]> {
    let walk = |operand: &'k Operand| {
        let OperandValue::Path { from_root, segments } = &operand.value else { return Ok(None) };
        let in_filter = (!from_root).then_some((container, segments.as_slice()));
        let resolver = Resolver { schema, key, in_filter };
        let walked = resolver.walk(segments, operand.span)?;
        Ok::<_, Error>(Some((resolver, walked)))
    };
    let (left, right) = (walk(&test.left)?, walk(&test.right)?);
    // What the other side is decides of which branch of a union the value is compared.
    let beside = |operand: &Operand, side: &Option<(Resolver<'_, '_>, Walked<'_>)>| match (
        &operand.value,
        side.as_ref().map(|(resolver, walked)| resolver.leaf(walked, Wanted::Any)),
    ) {
        (OperandValue::Null, _) => Wanted::Null,
        (_, Some(Ok((Leaf::Null, _)) | Err(_))) => Wanted::Any,
        (_, Some(Ok((leaf, _)))) => Wanted::Compared(leaf.compared()),
        (value, None) => Wanted::Compared(constant(value)),
    };
    let (beside_left, beside_right) = (beside(&test.right, &right), beside(&test.left, &left));
    let left = left.map(|(resolver, walked)| resolver.path(walked, beside_left)).transpose()?;
    let right = right.map(|(resolver, walked)| resolver.path(walked, beside_right)).transpose()?;
    check_test(key, test, left.as_ref().map(|path| path.leaf), right.as_ref().map(|path| path.leaf))?;
    Ok([left, right])
}

/// Checks that two operands can be compared: of equal type, a path and a path or a path and a constant.
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
