//! Decoders that try a template at each record make of it what the two passes make, also of records with a few edits.
//! The program `templates` of the fuzz targets runs the same over many more.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "harness.rs"]
mod harness;

use harness::rounds::{Counts, OUTCOMES, SETTINGS, round};

#[test]
fn templates_and_two_passes_agree() {
    let mut counts = Counts::default();
    for number in 0..10 * SETTINGS as u64 {
        round(1, number, 400, &mut counts).unwrap_or_else(|difference| {
            panic!("round {number}, {:?}: {}\n{}", difference.setting, difference.text, difference.log)
        });
    }
    assert!(counts.by_name > counts.executions() / 8, "{counts:?}");
    for tally in counts.settings {
        let all: u64 = tally.iter().sum();
        // Templates take many, and many are undone.
        for outcome in [0, 1, 3] {
            assert!(tally[outcome] > all / 50, "{}: {tally:?}", OUTCOMES[outcome]);
        }
    }
}
