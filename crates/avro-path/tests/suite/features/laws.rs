//! Tensors of random arrays, held against a plain reading of the rules.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::features::case::{of_l, row, tensor};
use crate::features::render;

/// Arrays in arrays of the type, as deep as said, each of which may be null.
fn arrays(depth: usize, item: Value) -> Value {
    (0..depth).fold(item, |items, _| json!(["null", {"type": "array", "items": items}]))
}

/// Generates arrays of this depth, of up to three items; every so often one is null, or an item if `nulls`.
fn lists(depth: usize, nulls: bool) -> BoxedStrategy<Value> {
    if depth == 0 {
        return (0..8u8, 0..100i64)
            .prop_map(move |(kind, value)| if nulls && kind == 0 { Value::Null } else { json!(value) })
            .boxed();
    }
    let items = prop::collection::vec(lists(depth - 1, nulls), 0..4).prop_map(Value::from);
    prop_oneof![1 => Just(Value::Null), 6 => items].boxed()
}

/// Arrays for some records, all of one depth.
fn records() -> impl Strategy<Value = (usize, Vec<Value>)> {
    (1..=3usize, any::<bool>())
        .prop_flat_map(|(depth, nulls)| (Just(depth), prop::collection::vec(lists(depth, nulls), 0..4)))
}

/// Computes the length of the longest array of each level.
fn longest(value: &Value, sizes: &mut [usize]) {
    let (Value::Array(items), Some((size, inner))) = (value, sizes.split_first_mut()) else { return };
    *size = (*size).max(items.len());
    items.iter().for_each(|item| longest(item, inner));
}

/// Substitutes for missing values, by the cell of the row: for null elements, and for elements that the row has fewer
/// of than the shape.
struct Missing<'a> {
    null: &'a dyn Fn(usize) -> Option<Value>,
    short: &'a dyn Fn(usize) -> Option<Value>,
}

/// Fills the cells of a shape. Fails if a value is missing and has no substitute, or if the row has too many.
fn fill(
    value: &Value,
    sizes: &[usize],
    missing: &Missing<'_>,
    cells: &mut Vec<Value>,
    row: usize,
) -> Option<()> {
    let Some((&size, inner)) = sizes.split_first() else {
        let cell = cells.len() - row;
        cells.push(if value.is_null() { (missing.null)(cell)? } else { value.clone() });
        return Some(());
    };
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if items.len() > size {
        return None;
    }
    for item in items {
        fill(item, inner, missing, cells, row)?;
    }
    // Something is missing even where it has no cells.
    if size > items.len() {
        (missing.short)(0)?;
    }
    for _ in 0..(size - items.len()) * inner.iter().product::<usize>() {
        cells.push((missing.short)(cells.len() - row)?);
    }
    Some(())
}

/// Returns a dense tensor by the rules.
fn dense(records: &[Value], shape: &[Option<usize>], missing: &Missing<'_>) -> Option<String> {
    let mut sizes = vec![0; shape.len()];
    records.iter().for_each(|value| longest(value, &mut sizes));
    for (size, known) in sizes.iter_mut().zip(shape) {
        *size = known.unwrap_or(*size);
    }
    let mut cells = Vec::new();
    for value in records {
        let row = cells.len();
        if value.is_null() {
            (missing.short)(0)?;
        }
        fill(value, &sizes, missing, &mut cells, row)?;
    }
    let shape = [records.len()].into_iter().chain(sizes).collect::<Vec<_>>();
    Some(format!("dense {} {}", json!(shape), render::nested(&shape, &cells)))
}

/// Finds the items of the innermost arrays, and their indices.
fn entries(value: &Value, position: &mut Vec<usize>, found: &mut Vec<(Vec<usize>, Value)>, depth: usize) {
    if depth == 0 {
        found.push((position.clone(), value.clone()));
        return;
    }
    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
        position.push(at);
        entries(item, position, found, depth - 1);
        position.pop();
    }
}

fn sparse(entries: &[(Vec<usize>, Value)], dense_shape: &[usize]) -> String {
    let entries = entries.iter().map(|(position, value)| format!("{}:{value}", json!(position)));
    format!("sparse {} {{{}}}", json!(dense_shape), entries.collect::<Vec<_>>().join(", "))
}

/// Arrays with `[]` for each that is null; fails at an item that is null.
fn without_nulls(value: &Value, depth: usize) -> Option<Value> {
    if depth == 0 {
        return (!value.is_null()).then(|| value.clone());
    }
    let items = value.as_array().into_iter().flatten().map(|item| without_nulls(item, depth - 1));
    items.collect::<Option<Vec<_>>>().map(Value::from)
}

fn of_int(depth: usize, values: &[Value], spec: &Value) -> Option<String> {
    let schema = row(&[("l", arrays(depth, json!(["null", "int"])))]);
    tensor(&schema, &of_l(values), &format!("l{}", "[*]".repeat(depth)), spec).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn dense_tensors_are_filled_by_position(
        (depth, values) in records(),
        shape in prop::collection::vec(prop::option::of(0..4usize), 3),
        kind in 0..3u8,
    ) {
        let shape = &shape[..depth];
        let cells = shape.iter().copied().product::<Option<usize>>();
        let full = cells.filter(|_| kind == 2);
        let mut spec = json!({"kind": "FixedLen", "shape": shape, "dtype": "int32"});
        let default = |cell: usize| match (kind, full) {
            (1, _) => Some(json!(-1)),
            (2, Some(cells)) => Some(json!(-1 - (cell.min(cells) as i64))),
            _ => None,
        };
        if kind == 1 {
            spec["default"] = json!(-1);
        } else if let Some(cells) = full {
            let sizes = shape.iter().flatten().copied().collect::<Vec<_>>();
            let flat = (0..cells).map(|cell| json!(-1 - (cell as i64))).collect::<Vec<_>>();
            // Lists without items do not say what their items would be: only a shape with cells has such a default.
            prop_assume!(cells > 0);
            spec["default"] = render::nested(&sizes, &flat);
        }
        let missing = Missing { null: &default, short: &default };
        prop_assert_eq!(of_int(depth, &values, &spec), dense(&values, shape, &missing), "{}", spec);
    }

    #[test]
    fn sequences_are_padded_and_null_elements_have_a_default(
        (depth, values) in records(),
        sizes in prop::collection::vec(0..4usize, 3),
        is_outermost in any::<bool>(),
        default in prop::option::of(Just(-1)),
        allow_missing in any::<bool>(),
    ) {
        // As many sizes as lists, or one less: the sequence is the outermost list.
        let is_outermost = is_outermost && depth > 1;
        let shape = &sizes[usize::from(!is_outermost)..depth];
        let mut spec = json!({"kind": "FixedLenSequence", "shape": shape, "dtype": "int32", "allow_missing": allow_missing});
        if let Some(default) = default {
            spec["default"] = json!(default);
        }
        let missing = Missing {
            null: &|_| default.filter(|_| allow_missing).map(Value::from),
            short: &|_| allow_missing.then(|| json!(default.unwrap_or(0))),
        };
        let mut row = shape.iter().copied().map(Some).collect::<Vec<_>>();
        if !is_outermost {
            row.insert(0, None);
        }
        prop_assert_eq!(of_int(depth, &values, &spec), dense(&values, &row, &missing), "{}", spec);
    }

    #[test]
    fn var_len_and_ragged_keep_what_there_is((depth, values) in records()) {
        let clean = values.iter().map(|value| without_nulls(value, depth)).collect::<Option<Vec<_>>>();
        let mut sizes = vec![0; depth];
        values.iter().for_each(|value| longest(value, &mut sizes));
        let mut found = Vec::new();
        for (number, value) in clean.iter().flatten().enumerate() {
            entries(value, &mut vec![number], &mut found, depth);
        }
        let shape = [values.len()].into_iter().chain(sizes).collect::<Vec<_>>();
        let expected = clean.as_ref().map(|_| sparse(&found, &shape));
        prop_assert_eq!(of_int(depth, &values, &json!({"kind": "VarLen", "dtype": "int32"})), expected);
        let expected = clean.map(|clean| format!("ragged {}", Value::from(clean)));
        prop_assert_eq!(of_int(depth, &values, &json!({"kind": "Ragged", "dtype": "int32"})), expected);
    }

    #[test]
    fn sparse_tensors_drop_or_keep_the_arrays((depth, values) in records(), keep in any::<bool>(), size in 40..120usize) {
        // Each number is an index and, twice, a value.
        fn of(value: &Value, depth: usize) -> Value {
            match value {
                Value::Array(items) => items.iter().map(|item| of(item, depth - 1)).collect(),
                Value::Null if depth > 0 => Value::Null,
                number => json!({"i": number.as_i64().unwrap_or_default(), "v": 2 * number.as_i64().unwrap_or_default()}),
            }
        }
        let item = json!({"type": "record", "name": "e", "fields": [{"name": "i", "type": "long"}, {"name": "v", "type": "int"}]});
        let schema = row(&[("l", arrays(depth, item))]);
        let mut sizes = vec![json!(size)];
        if keep {
            sizes.splice(0..0, vec![Value::Null; depth]);
        }
        let spec = json!({"kind": "Sparse", "index_key": "i", "value_key": "v", "dtype": "int32", "size": sizes});
        let data = values.iter().map(|value| of(value, depth)).collect::<Vec<_>>();
        let name = format!("l{}", "[*]".repeat(depth));
        let got = tensor(&schema, &of_l(&data), &name, &spec).ok();

        let mut found = Vec::new();
        for (number, value) in values.iter().enumerate() {
            entries(value, &mut vec![number], &mut found, depth);
        }
        let mut fits = true;
        for (position, value) in &mut found {
            let index = value.as_i64().unwrap_or_default();
            fits &= (index as usize) < size;
            position.truncate(if keep { depth + 1 } else { 1 });
            position.push(index as usize);
            *value = json!(2 * index);
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut lengths = vec![0; depth];
        values.iter().for_each(|value| longest(value, &mut lengths));
        lengths.truncate(if keep { depth } else { 0 });
        let shape = [values.len()].into_iter().chain(lengths).chain([size]).collect::<Vec<_>>();
        prop_assert_eq!(got, fits.then(|| sparse(&found, &shape)));
    }
}
