//! Random schemas, data and keys: the program gives what the interpreter gives.

use apache_avro::Schema as ApacheSchema;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use avro_path::{AvroSchema, Key, KeyProgram};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tfxio_core::Origin;

use crate::key_columns::choices::Choices;
use crate::key_columns::data::{Type, branch_name, field, random_item, random_record, random_value, schema};
use crate::key_columns::interpreter::{Operand, Step, eval, text};
use crate::key_columns::render;

fn random_root(choices: &mut Choices<'_>) -> Type {
    let names = &mut 0;
    match choices.below(8) {
        1 => Type::Array(Box::new(random_item(choices, names, 3))),
        2 => Type::Map(Box::new(random_item(choices, names, 3))),
        _ => random_record(choices, names, 4),
    }
}

/// Returns a random path from a type to a value, and the value's type.
fn random_path(
    choices: &mut Choices<'_>,
    root: &Type,
    start: &Type,
    is_plain: bool,
) -> Option<(Vec<Step>, Type)> {
    let mut steps = Vec::new();
    let mut at = start;
    loop {
        match at {
            Type::Union(branches) => match &branches[..] {
                [Type::Null, _] | [_, Type::Null] if is_plain && choices.below(10) == 1 => {
                    steps.push(Step::Presence);
                    return Some((steps, Type::Null));
                }
                [Type::Null, inner] | [inner, Type::Null] => at = inner,
                [Type::Null] => return (is_plain || !steps.is_empty()).then_some((steps, Type::Null)),
                _ => {
                    let others = branches.iter().enumerate();
                    let others = others.filter(|(_, branch)| !matches!(branch, Type::Null));
                    let others = others.collect::<Vec<_>>();
                    let (number, branch) = others[choices.below(others.len())];
                    at = branch;
                    steps.push(Step::Branch(number as u32, branch_name(at)));
                }
            },
            Type::Record(_, fields) => {
                let number = choices.below(fields.len());
                steps.push(Step::Field(field(number)));
                at = &fields[number];
            }
            Type::Array(inner) | Type::Map(inner) => {
                let is_map = matches!(at, Type::Map(_));
                let step = match choices.below(if is_plain { 1 } else { 10 }) {
                    0..3 if is_map => Step::MapKey(["k", "l", "n", ""][choices.below(4)].to_owned()),
                    0..3 => Step::Index([0, 1, -1, -2, 7][choices.below(5)]),
                    3 | 4 => Step::All,
                    5 if is_map => {
                        steps.extend([Step::All, Step::EntryKey]);
                        return Some((steps, Type::String));
                    }
                    _ => {
                        let count = 1 + choices.below(3);
                        let tests = (0..count).filter_map(|_| random_test(choices, root, inner, is_map));
                        match tests.collect::<Vec<_>>() {
                            tests if tests.is_empty() => Step::All,
                            tests if is_map && choices.below(4) == 1 => {
                                steps.extend([Step::Filter(tests), Step::EntryKey]);
                                return Some((steps, Type::String));
                            }
                            tests => Step::Filter(tests),
                        }
                    }
                };
                steps.push(step);
                at = inner;
            }
            leaf => return (is_plain || !steps.is_empty()).then(|| (steps, leaf.clone())),
        }
    }
}

fn class(ty: &Type) -> u8 {
    match ty {
        Type::Boolean => 0,
        Type::Int | Type::Long => 1,
        Type::Float => 2,
        Type::Double => 3,
        Type::Null => 5,
        _ => 4,
    }
}

/// Maximum number of attempts of a random walk to reach its goal.
const TRIES: usize = 6;

/// Returns a random path of a filter: from the root it begins with a name, a key or an index.
fn random_side(
    choices: &mut Choices<'_>,
    root: &Type,
    element: &Type,
    from_root: bool,
) -> Option<(Vec<Step>, Type)> {
    let start = if from_root { root } else { element };
    let (steps, ty) = random_path(choices, root, start, true)?;
    let begins = matches!(steps.first(), Some(Step::Field(_) | Step::Index(_) | Step::MapKey(_)));
    (begins || !from_root).then_some((steps, ty))
}

/// Returns a path without the branch at its end, if the other side of the comparison determines it.
fn hide_branch(choices: &mut Choices<'_>, mut steps: Vec<Step>, ty: &Type) -> Vec<Step> {
    // No other branch of the unions in these tests is like one of these.
    if let (Some(Step::Branch(number, _)), Type::Long | Type::String) = (steps.last(), ty)
        && choices.below(3) > 0
    {
        let number = *number;
        steps.pop();
        steps.push(Step::Hidden(number));
    }
    steps
}

/// Returns a path that ends at a union of several types, compared with null.
fn present(choices: &mut Choices<'_>, mut steps: Vec<Step>) -> Vec<Step> {
    if matches!(steps.last(), Some(Step::Branch(..))) && choices.below(4) > 0 {
        steps.pop();
        steps.push(Step::Presence);
    }
    steps
}

fn random_test(
    choices: &mut Choices<'_>,
    root: &Type,
    element: &Type,
    is_map: bool,
) -> Option<(Operand, bool, Operand)> {
    let (steps, ty) = match choices.below(if is_map { 4 } else { 3 }) {
        3 => (None, Type::String),
        _ => {
            let found = (0..TRIES).find_map(|_| random_side(choices, root, element, false))?;
            (Some(found.0), found.1)
        }
    };
    let is_union = matches!(steps.as_deref(), Some([.., Step::Branch(..)]));
    let from_root = choices.below(2) == 1;
    let other = match choices.below(3) {
        0 => None,
        // Nothing but the constant is like a null.
        _ if matches!(ty, Type::Null) => None,
        _ => (0..TRIES).find_map(|_| {
            let side = random_side(choices, root, element, from_root);
            side.filter(|(_, other)| class(other) == class(&ty))
        }),
    };
    let right = match other {
        Some((steps, _)) => Operand::Path { from_root, steps },
        None => Operand::Constant(match (choices.below(4), class(&ty)) {
            (3, _) | (_, 5) => Json::Null,
            _ if is_union && choices.below(2) == 1 => Json::Null,
            (n, 0) => json!(n == 0),
            (n, 1) => json!([0, 1, -70][n]),
            (n, 2 | 3) => json!([0.0, 0.5, 2.5][n]),
            (n, _) => json!([["a", "b", "abc"], ["k", "l", "schlüssel"]][usize::from(steps.is_none())][n]),
        }),
    };
    let left = match (steps, &right) {
        (None, _) => Operand::EntryKey,
        (Some(steps), Operand::Constant(Json::Null)) => {
            Operand::Path { from_root: false, steps: present(choices, steps) }
        }
        (Some(steps), _) => Operand::Path { from_root: false, steps: hide_branch(choices, steps, &ty) },
    };
    let equal = choices.below(2) == 1;
    Some(if choices.below(4) == 1 { (right, equal, left) } else { (left, equal, right) })
}

/// Random case: a schema, keys and data.
pub struct Case {
    pub root: Type,
    pub keys: Vec<(String, Vec<Step>)>,
    pub data: Vec<Value>,
}

/// Choices of each kind, so that a large schema leaves enough for keys and data.
pub fn choices() -> impl Strategy<Value = [Vec<u16>; 3]> {
    let some = |most: usize| prop::collection::vec(any::<u16>(), most / 4..most);
    [some(200), some(300), some(600)]
}

pub fn random_case([types, keys, data]: &[Vec<u16>; 3]) -> Case {
    let root = random_root(&mut Choices(types.iter()));
    let choices = &mut Choices(keys.iter());
    let mut keys: Vec<(String, Vec<Step>)> = Vec::new();
    for _ in 0..1 + choices.below(6) {
        let Some((steps, _)) = random_path(choices, &root, &root, false) else { continue };
        let start = ["", "", "", "@", "@ . "][choices.below(5)];
        let start =
            if matches!(steps.first(), Some(Step::Field(_))) { start } else { start.trim_end_matches(" . ") };
        let key = format!("{start}{}", text(&steps));
        if keys.iter().all(|(known, _)| *known != key) {
            keys.push((key, steps));
        }
    }
    let choices = &mut Choices(data.iter());
    let data = (0..3).map(|_| random_value(choices, &root)).collect();
    Case { root, keys, data }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn the_program_gives_what_the_interpreter_gives(
        choices in choices(),
        is_large in any::<bool>(),
        block_size in prop_oneof![Just(None), Just(Some(1)), Just(Some(6))],
    ) {
        let Case { root, keys, data } = random_case(&choices);
        let json = schema(&root).to_string();
        let apache = ApacheSchema::parse_str(&json).unwrap();
        // In blocks with and without their size.
        let writer =
            GenericDatumWriter::builder(&apache).maybe_target_block_size(block_size).build().unwrap();

        let schema = AvroSchema::parse(&json).unwrap();
        let parsed = keys.iter().map(|(key, _)| Key::parse(key).unwrap()).collect::<Vec<_>>();
        let names = parsed.iter().map(|key| (key.text(), key));
        let options = avro_path::program::KeyOptions::stored().large_offsets(is_large);
        let program = KeyProgram::builder(&schema, names).options(options).build()
            .unwrap_or_else(|error| panic!("{error}\n{json}"));
        let mut decoder = program.decoder();
        for (row, datum) in data.iter().enumerate() {
            let mut bytes = Vec::new();
            writer.write_value_ref(&mut bytes, datum).unwrap();
            let length = bytes.len();
            bytes.push(7);
            let origin = Origin::record(row as u64);
            prop_assert_eq!(decoder.push_first(&bytes, origin).unwrap(), length);
        }
        let batch = decoder.flush().unwrap();
        for ((key, steps), column) in keys.iter().zip(batch.columns()) {
            let expected = data.iter().map(|datum| eval(datum, datum, steps)).collect::<Vec<_>>();
            let got = render::rows(column);
            prop_assert_eq!(got, expected, "{} of {}", key, json);
        }
    }
}
