//! Examples built on the wire, in every form that protobuf allows.
#![allow(dead_code, reason = "each test target uses a part of it")]

use proptest::collection::vec;
use proptest::prelude::*;

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Returns a length-delimited field.
pub fn field(number: u64, body: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(body.len() as u64), body.to_vec()].concat()
}

/// Returns an example of these features, each a serialised `Feature`.
pub fn example(features: &[(&str, Vec<u8>)]) -> Vec<u8> {
    field(1, &map(features))
}

/// Returns a sequence example of these context features and these feature lists, each of serialised steps.
pub fn sequence_example(context: &[(&str, Vec<u8>)], lists: &[(&str, &[Vec<u8>])]) -> Vec<u8> {
    let lists = lists.iter().map(|(name, steps)| (*name, steps_of(steps))).collect::<Vec<_>>();
    let lists = if lists.is_empty() { Vec::new() } else { field(2, &map(&lists)) };
    [field(1, &map(context)), lists].concat()
}

/// Returns the `FeatureList` of these steps.
pub fn steps_of(steps: &[Vec<u8>]) -> Vec<u8> {
    steps.iter().flat_map(|step| field(1, step)).collect()
}

/// Returns the entries of a map.
fn map(values: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entry =
        |(name, value): &(&str, Vec<u8>)| field(1, &[field(1, name.as_bytes()), field(2, value)].concat());
    values.iter().flat_map(entry).collect()
}

pub fn ints(values: &[i64]) -> Vec<u8> {
    let run = values.iter().flat_map(|value| varint(*value as u64)).collect::<Vec<_>>();
    field(3, &if values.is_empty() { run } else { field(1, &run) })
}

pub fn floats(values: &[f32]) -> Vec<u8> {
    let run = values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    field(2, &if values.is_empty() { run } else { field(1, &run) })
}

pub fn bytes(values: &[&[u8]]) -> Vec<u8> {
    field(1, &values.iter().flat_map(|value| field(1, value)).collect::<Vec<_>>())
}

/// Fields that no message of an example has: numbers 4 to 9, of every wire type.
fn unknown() -> impl Strategy<Value = Vec<u8>> {
    let number = 4..10u64;
    prop_oneof![
        (number.clone(), any::<u64>()).prop_map(|(n, v)| [varint(n << 3), varint(v)].concat()),
        (number.clone(), any::<[u8; 8]>()).prop_map(|(n, v)| [varint(n << 3 | 1), v.to_vec()].concat()),
        (number.clone(), any::<[u8; 4]>()).prop_map(|(n, v)| [varint(n << 3 | 5), v.to_vec()].concat()),
        (number.clone(), vec(any::<u8>(), 0..4)).prop_map(|(n, v)| field(n, &v)),
        (number, 0..90u64)
            .prop_map(|(n, v)| [varint(n << 3 | 3), vec![8, v as u8], varint(n << 3 | 4)].concat()),
    ]
}

/// Returns some of the parts, and now and then something unknown between them.
fn message(piece: BoxedStrategy<Vec<u8>>, count: std::ops::Range<usize>) -> BoxedStrategy<Vec<u8>> {
    vec(prop_oneof![8 => piece, 1 => unknown()], count).prop_map(|pieces| pieces.concat()).boxed()
}

fn int() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -2..200i64]
}

fn int_list() -> BoxedStrategy<Vec<u8>> {
    let packed = vec(int(), 0..12).prop_map(|values| {
        field(1, &values.iter().flat_map(|value| varint(*value as u64)).collect::<Vec<_>>())
    });
    let single = int().prop_map(|value| [varint(1 << 3), varint(value as u64)].concat());
    message(prop_oneof![packed, single].boxed(), 0..3).prop_map(|list| field(3, &list)).boxed()
}

fn float_list() -> BoxedStrategy<Vec<u8>> {
    let packed = vec(super::model::float(), 0..6).prop_map(|values| {
        field(1, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>())
    });
    let single =
        super::model::float().prop_map(|value| [varint(1 << 3 | 5), value.to_le_bytes().to_vec()].concat());
    message(prop_oneof![packed, single].boxed(), 0..3).prop_map(|list| field(2, &list)).boxed()
}

fn bytes_list() -> BoxedStrategy<Vec<u8>> {
    let value = vec(any::<u8>(), 0..24).prop_map(|value| field(1, &value));
    message(value.boxed(), 0..3).prop_map(|list| field(1, &list)).boxed()
}

/// Returns a `Feature`: mostly one list, seldom none, or several of the same or of different kinds.
fn feature() -> BoxedStrategy<Vec<u8>> {
    let list = || prop_oneof![int_list(), float_list(), bytes_list()].boxed();
    prop_oneof![6 => list(), 2 => message(list(), 0..4)].boxed()
}

/// Returns a `FeatureList`: mostly steps of one kind in the form in which writers put them, seldom anything.
fn feature_list() -> BoxedStrategy<Vec<u8>> {
    let plain = prop_oneof![
        vec(vec(int(), 0..9).prop_map(|values| ints(&values)), 0..6),
        vec(vec(super::model::float(), 0..9).prop_map(|values| floats(&values)), 0..6),
        vec(
            vec(vec(any::<u8>(), 0..24), 0..6)
                .prop_map(|values| { bytes(&values.iter().map(Vec::as_slice).collect::<Vec<_>>()) }),
            0..6
        ),
    ];
    let plain = plain.prop_map(|steps| steps_of(&steps)).boxed();
    let unset = vec(Just(Vec::new()), 0..3).prop_map(|steps| steps_of(&steps)).boxed();
    let one_kind = prop_oneof![int_list(), float_list(), bytes_list()]
        .prop_flat_map(|list| message(prop_oneof![Just(field(1, &list)), Just(field(1, &[]))].boxed(), 0..5));
    let any_kind = message(feature().prop_map(|step| field(1, &step)).boxed(), 0..4);
    prop_oneof![4 => plain, 1 => unset, 3 => one_kind, 1 => any_kind].boxed()
}

/// Returns a map entry: mostly a key and a value, seldom in another order, missing or several times.
fn entry(value: fn() -> BoxedStrategy<Vec<u8>>) -> BoxedStrategy<Vec<u8>> {
    let key = || "[a-d]{1,2}|[a-c]{17,40}".prop_map(|name| field(1, name.as_bytes())).boxed();
    let value = || value().prop_map(|value| field(2, &value)).boxed();
    let usual = (key(), value()).prop_map(|(key, value)| [key, value].concat());
    let odd = message(prop_oneof![key(), value()].boxed(), 0..4);
    prop_oneof![6 => usual, 1 => odd].prop_map(|entry| field(1, &entry)).boxed()
}

/// Returns an `Example`: mostly one map, seldom none or several.
pub fn any_example() -> BoxedStrategy<Vec<u8>> {
    let features = || message(entry(feature), 0..6).prop_map(|features| field(1, &features)).boxed();
    prop_oneof![6 => features(), 1 => message(features(), 0..3)].boxed()
}

/// Returns a `SequenceExample`: mostly a context and feature lists, seldom none or several of them.
pub fn any_sequence_example() -> BoxedStrategy<Vec<u8>> {
    let context = || message(entry(feature), 0..4).prop_map(|map| field(1, &map)).boxed();
    let lists = || message(entry(feature_list), 0..4).prop_map(|map| field(2, &map)).boxed();
    let usual = (context(), lists()).prop_map(|(context, lists)| [context, lists].concat());
    prop_oneof![6 => usual, 1 => message(prop_oneof![context(), lists()].boxed(), 0..4)].boxed()
}
