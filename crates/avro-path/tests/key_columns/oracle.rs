//! Random schemas, data and keys: the program gives what the interpreter gives.

use apache_avro::Schema as ApacheSchema;
use apache_avro::types::Value;
use apache_avro::writer::datum::GenericDatumWriter;
use avro_path::{Key, KeyProgram, Schema};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tfxio_core::Origin;

use crate::choices::Choices;
use crate::data::{Type, branch_name, field, random_item, random_record, random_value, schema};
use crate::interpreter::{Operand, Step, eval, text};
use crate::render;

fn random_root(choices: &mut Choices<'_>) -> Type {
    let names = &mut 0;
    match choices.below(8) {
        1 => Type::Array(Box::new(random_item(choices, names, 3))),
        2 => Type::Map(Box::new(random_item(choices, names, 3))),
        _ => random_record(choices, names, 4),
    }
}

/// A way from a type to a value, and the value's type.
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
                [Type::Null, inner] | [inner, Type::Null] => at = inner,
                _ if is_plain => return None,
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
                    _ => {
                        let count = 1 + choices.below(3);
                        let tests = (0..count).filter_map(|_| random_test(choices, root, inner));
                        match tests.collect::<Vec<_>>() {
                            tests if tests.is_empty() => Step::All,
                            tests => Step::Filter(tests),
                        }
                    }
                };
                // A path within a filter begins with a name.
                if is_plain && steps.is_empty() {
                    return None;
                }
                steps.push(step);
                at = inner;
            }
            leaf => return (!steps.is_empty()).then(|| (steps, leaf.clone())),
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

/// Tries that a random way may take to come to what is wanted.
const TRIES: usize = 6;

fn random_test(choices: &mut Choices<'_>, root: &Type, element: &Type) -> Option<(Operand, bool, Operand)> {
    let (steps, ty) = (0..TRIES).find_map(|_| random_path(choices, root, element, true))?;
    let left = Operand::Path { from_root: false, steps };
    let from_root = choices.below(2) == 1;
    let other = match choices.below(3) {
        0 => None,
        // Nothing but the constant is like a null.
        _ if matches!(ty, Type::Null) => None,
        _ => (0..TRIES).find_map(|_| {
            let start = if from_root { root } else { element };
            random_path(choices, root, start, true).filter(|(_, other)| class(other) == class(&ty))
        }),
    };
    let right = match other {
        Some((steps, _)) => Operand::Path { from_root, steps },
        None => Operand::Constant(match (choices.below(4), class(&ty)) {
            (3, _) | (_, 5) => Json::Null,
            (n, 0) => json!(n == 0),
            (n, 1) => json!([0, 1, -70][n]),
            (n, 2 | 3) => json!([0.0, 0.5, 2.5][n]),
            (n, _) => json!(["a", "b", "abc"][n]),
        }),
    };
    let equal = choices.below(2) == 1;
    Some(if choices.below(4) == 1 { (right, equal, left) } else { (left, equal, right) })
}

/// What one case tests.
struct Case {
    root: Type,
    keys: Vec<(String, Vec<Step>)>,
    data: Vec<Value>,
}

/// Choices of each kind, so that a large schema leaves enough for keys and data.
fn choices() -> impl Strategy<Value = [Vec<u16>; 3]> {
    let some = |most: usize| prop::collection::vec(any::<u16>(), most / 4..most);
    [some(200), some(300), some(600)]
}

fn random_case([types, keys, data]: &[Vec<u16>; 3]) -> Case {
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

        let schema = Schema::parse(&json).unwrap();
        let parsed = keys.iter().map(|(key, _)| Key::parse(key).unwrap()).collect::<Vec<_>>();
        let names = parsed.iter().map(|key| (key.text(), key));
        let options = avro_path::program::KeyOptions::default().with_large_offsets(is_large);
        let program = KeyProgram::with_options(&schema, names, options)
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

/// How often the keys of the law above use each part of the language.
#[derive(Debug, Default)]
struct Coverage {
    keys: usize,
    filters: usize,
    joined: usize,
    unequal: usize,
    roots_in_filters: usize,
    several_filters: usize,
    dimensions: usize,
    map_keys: usize,
    negative_indices: usize,
    branches: usize,
    from_root: usize,
    null_tests: usize,
    two_paths: usize,
    /// Filters that let something pass, and something not.
    deciding: usize,
}

impl Coverage {
    fn add(&mut self, key: &str, steps: &[Step], data: &[Value]) {
        let any = |found: &dyn Fn(&Step) -> bool| usize::from(steps.iter().any(found));
        let tests = steps.iter().filter_map(|step| match step {
            Step::Filter(tests) => Some(tests),
            _ => None,
        });
        let test = |found: &dyn Fn(&(Operand, bool, Operand)) -> bool| {
            usize::from(tests.clone().flatten().any(found))
        };
        let is_null = |operand: &Operand| matches!(operand, Operand::Constant(Json::Null));
        let is_root = |operand: &Operand| matches!(operand, Operand::Path { from_root: true, .. });
        let is_path = |operand: &Operand| matches!(operand, Operand::Path { .. });
        self.keys += 1;
        self.filters += usize::from(tests.clone().count() > 0);
        self.several_filters += usize::from(tests.clone().count() > 1);
        self.joined += usize::from(tests.clone().any(|tests| tests.len() > 1));
        self.unequal += test(&|(_, equal, _)| !equal);
        self.roots_in_filters += test(&|(left, _, right)| is_root(left) || is_root(right));
        self.null_tests += test(&|(left, _, right)| is_null(left) || is_null(right));
        self.two_paths += test(&|(left, _, right)| is_path(left) && is_path(right));
        self.dimensions +=
            usize::from(steps.iter().filter(|step| matches!(step, Step::All | Step::Filter(_))).count() > 1);
        self.map_keys += any(&|step| matches!(step, Step::MapKey(_)));
        self.negative_indices += any(&|step| matches!(step, Step::Index(index) if *index < 0));
        self.branches += any(&|step| matches!(step, Step::Branch(..)));
        self.from_root += usize::from(key.starts_with('@'));
        if let Some(at) = steps.iter().position(|step| matches!(step, Step::Filter(_))) {
            let count =
                |steps: &[Step]| data.iter().map(|datum| leaves(&eval(datum, datum, steps))).sum::<usize>();
            let mut all = steps.to_vec();
            all[at] = Step::All;
            let passed = count(steps);
            self.deciding += usize::from(passed > 0 && passed < count(&all));
        }
    }
}

/// Values that are no arrays.
fn leaves(json: &Json) -> usize {
    json.as_array().map_or(1, |items| items.iter().map(leaves).sum())
}

#[test]
fn the_keys_of_the_law_cover_the_language() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut found = Coverage::default();
    for _ in 0..600 {
        let case = random_case(&choices().new_tree(&mut runner).unwrap().current());
        for (key, steps) in &case.keys {
            found.add(key, steps, &case.data);
        }
    }
    println!("{found:?}");
    let Coverage { keys, filters, joined, unequal, roots_in_filters, several_filters, .. } = found;
    let Coverage { dimensions, map_keys, negative_indices, branches, from_root, .. } = found;
    let Coverage { null_tests, two_paths, deciding, .. } = found;
    assert!(keys > 1000 && filters * 4 > keys, "{found:?}");
    for count in [
        joined,
        unequal,
        roots_in_filters,
        several_filters,
        dimensions,
        map_keys,
        negative_indices,
        branches,
        from_root,
        null_tests,
        two_paths,
        deciding,
    ] {
        assert!(count > 40, "{found:?}");
    }
}
