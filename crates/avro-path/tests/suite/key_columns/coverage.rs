//! Coverage of the language by the keys of the law in `oracle.rs`: a part that they never use is not tested.

use apache_avro::types::Value;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;

use crate::key_columns::interpreter::{Operand, Step, eval};
use crate::key_columns::oracle::{choices, random_case};

/// Number of times that the keys of the law use each part of the language.
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
    /// The element itself, and its own elements.
    elements: usize,
    entry_keys: usize,
    tested_entry_keys: usize,
    tested_branches: usize,
    hidden_branches: usize,
    presence: usize,
    pointed_names: usize,
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
        let path = |found: &dyn Fn(&[Step]) -> bool| {
            let is = |operand: &Operand| matches!(operand, Operand::Path { steps, from_root: false } if found(steps));
            test(&|(left, _, right)| is(left) || is(right))
        };
        self.elements += path(&|steps| !matches!(steps.first(), Some(Step::Field(_))));
        self.entry_keys += any(&|step| matches!(step, Step::EntryKey));
        let is_entry_key = |operand: &Operand| matches!(operand, Operand::EntryKey);
        self.tested_entry_keys += test(&|(left, _, right)| is_entry_key(left) || is_entry_key(right));
        self.tested_branches += path(&|steps| steps.iter().any(|step| matches!(step, Step::Branch(..))));
        self.hidden_branches += path(&|steps| matches!(steps.last(), Some(Step::Hidden(_))));
        self.presence += path(&|steps| matches!(steps.last(), Some(Step::Presence)));
        self.pointed_names += path(&|steps| matches!(steps, [Step::Field(name)] if !name.starts_with('f')));
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

/// Counts the values that are not arrays.
fn leaves(json: &Json) -> usize {
    json.as_array().map_or(1, |items| items.iter().map(leaves).sum())
}

#[test]
fn the_keys_of_the_law_cover_the_language() {
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
    let Coverage { null_tests, two_paths, deciding, elements, entry_keys, .. } = found;
    let Coverage { tested_entry_keys, tested_branches, hidden_branches, presence, pointed_names, .. } = found;
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
        elements,
        entry_keys,
        tested_entry_keys,
        tested_branches,
        hidden_branches,
        presence,
        pointed_names,
    ] {
        assert!(count > 40, "{found:?}");
    }
}
