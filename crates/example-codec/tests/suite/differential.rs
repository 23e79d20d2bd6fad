//! A decoder that has seen many records makes of each what one makes that has seen none. `soak` of the benches runs the
//! same over many more.

mod harness;

use harness::agreement::Pair;
use harness::families::Family;
use harness::random::Random;
use harness::rounds::{Counts, round};
use harness::settings::Setting;
use harness::tree::Node;

#[test]
fn learned_and_fresh_agree() {
    let mut counts = Counts::default();
    for number in 0..75 {
        round(1, number, 100, &mut counts).unwrap_or_else(|difference| {
            panic!("round {number}, {:?}: {}", difference.setting, difference.text)
        });
    }
    for (setting, (records, refused)) in Setting::ALL.iter().zip(counts.settings) {
        assert!(
            refused > 0 && records - refused > records / 4,
            "{setting:?}: {refused} of {records} refused"
        );
    }
}

/// Cut at every byte, and ended by an unknown field of every length, so that the end is at every byte of a window.
#[test]
fn records_that_end_everywhere() {
    let mut random = Random::new(2);
    for number in 0..15 {
        let setting = Setting::ALL[number % Setting::ALL.len()];
        let family = Family::new(&mut random);
        let make = setting.make(&family);
        let mut pair = Pair::new(setting, &make);
        let mut push = |record: &[u8]| {
            pair.push(record, 0).unwrap_or_else(|text| panic!("{setting:?}: {text} of {record:02x?}"));
        };
        let nodes = |random: &mut Random| {
            if setting.is_sequence() { family.sequence_example(random) } else { family.example(random) }
        };
        for _ in 0..10 {
            push(&Node::to_vec(&nodes(&mut random)));
        }
        let mut nodes = nodes(&mut random);
        let record = Node::to_vec(&nodes);
        for cut in (0..record.len()).rev().take(80) {
            push(&record[..cut]);
            push(&record);
        }
        for length in 0..70 {
            nodes.push(Node::field(15, vec![Node::Bytes(vec![0xff; length])]));
            push(&Node::to_vec(&nodes));
            nodes.pop();
        }
        pair.flush_and_encode().unwrap_or_else(|text| panic!("{setting:?}: {text}"));
    }
}
