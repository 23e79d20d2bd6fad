//! Arrays of numbers, which are appended together, beside arrays of records of one number, which have the same bytes.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use avro_path::datum::write;
use avro_path::record::{AvroDecoder, RecordPlan};
use avro_path::{AvroSchema, Error, ErrorKind};
use proptest::prelude::*;
use serde_json::{Value, json};
use tfxio_core::Origin;

use crate::records::render;

/// Returns a decoder of a number and two arrays.
fn decoder(item: impl Fn(&str) -> Value) -> AvroDecoder {
    let array = |name: &str| json!({"name": name, "type": {"type": "array", "items": item(name)}});
    let fields = json!([{"name": "before", "type": "long"}, array("list"), array("after")]);
    let schema = json!({"type": "record", "name": "row", "fields": fields});
    RecordPlan::builder(&AvroSchema::parse(&schema.to_string()).unwrap())
        .options(render::plain())
        .build()
        .unwrap()
        .decoder()
}

/// Returns the kind of an error, its byte, and its path without the field of the item.
fn parts(error: &Error) -> (ErrorKind, Option<u64>, Option<String>) {
    let position = error.position();
    let path = position.path.as_deref().map(|path| path.trim_end_matches(".x").to_owned());
    (error.kind(), position.record_byte, path)
}

/// Returns the items of a list, and the ends of its lists.
fn items(list: &ArrayRef, is_struct: bool) -> (Vec<i32>, ArrayRef) {
    let list = list.as_list::<i32>();
    let items = if is_struct { list.values().as_struct().column(0) } else { list.values() };
    (list.value_offsets().to_vec(), ArrayRef::clone(items))
}

fn same(number: &str, data: &[Vec<u8>]) {
    let mut fast = decoder(|_| json!(number));
    let mut slow = decoder(
        |name| json!({"type": "record", "name": format!("of_{name}"), "fields": [{"name": "x", "type": number}]}),
    );
    for datum in data {
        match (fast.push_first(datum, Origin::record(7)), slow.push_first(datum, Origin::record(7))) {
            (Ok(fast), Ok(slow)) => assert_eq!(fast, slow),
            (Err(fast), Err(slow)) => assert_eq!(parts(&fast), parts(&slow), "{fast}, {slow}"),
            (fast, slow) => panic!("{number}: {fast:?}, {slow:?}"),
        }
    }
    let (fast, slow) = (fast.flush().unwrap(), slow.flush().unwrap());
    assert_eq!(fast.column(0), slow.column(0));
    for column in 1..3 {
        let (fast, slow) = (items(fast.column(column), false), items(slow.column(column), true));
        assert_eq!(fast.0, slow.0);
        // Bits and all, of what is not a number too.
        assert_eq!(fast.1.to_data().buffers()[0].as_slice(), slow.1.to_data().buffers()[0].as_slice());
    }
}

/// Writes a number as the type `number`, or as a long that may be too large for it.
fn write_number(out: &mut Vec<u8>, number: &str, value: i64) {
    match number {
        "float" => write::float(out, f32::from_bits(value as u32)),
        "double" => write::double(out, f64::from_bits(value.cast_unsigned())),
        "int" if value % 64 != 0 => write::long(out, i64::from(value as i32)),
        _ => write::long(out, value),
    }
}

fn write_array(out: &mut Vec<u8>, number: &str, blocks: &[(bool, Vec<i64>)]) {
    for (is_sized, values) in blocks {
        let mut items = Vec::new();
        values.iter().for_each(|value| write_number(&mut items, number, *value));
        let count = values.len() as i64;
        match (is_sized, count) {
            (_, 0) => continue,
            (true, _) => {
                write::long(out, -count);
                write::long(out, items.len() as i64);
            }
            (false, _) => write::long(out, count),
        }
        out.extend(items);
    }
    write::long(out, 0);
}

fn number() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64_u32).prop_map(|(value, shift)| value >> shift)
}

fn array() -> impl Strategy<Value = Vec<(bool, Vec<i64>)>> {
    let values =
        prop_oneof![4 => prop::collection::vec(number(), 0..12), 1 => prop::collection::vec(number(), 0..90)];
    prop::collection::vec((prop::bool::weighted(0.2), values), 0..3)
}

proptest! {
    #[test]
    fn arrays_of_numbers_are_those_of_records_of_one(
        rows in prop::collection::vec((number(), array(), array()), 1..12),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..4), 0..6),
    ) {
        for number in ["long", "int", "float", "double"] {
            let mut data = rows.iter().map(|(before, list, after)| {
                let mut out = Vec::new();
                write::long(&mut out, *before);
                write_array(&mut out, number, list);
                write_array(&mut out, number, after);
                out
            }).collect::<Vec<_>>();
            // Some with what follows in a block.
            let next = data.concat();
            data.iter_mut().step_by(2).for_each(|datum| datum.extend(&next));
            for (row, at, byte, how) in &damages {
                let datum = row.get(&data[..rows.len()]);
                let at = at.index(datum.len());
                let mut damaged = datum.clone();
                match how {
                    0 => damaged.truncate(at),
                    1 => damaged.insert(at, *byte),
                    2 => drop(damaged.remove(at)),
                    _ => damaged[at] = *byte,
                }
                data.push(damaged);
            }
            same(number, &data);
        }
    }
}
