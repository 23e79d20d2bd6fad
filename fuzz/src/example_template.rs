//! Records that are usual ones with edits: a decoder that tries a template at each makes of them what one makes that
//! never does.

use std::cell::RefCell;

use crate::harness::differential::random::Random;
use crate::harness::differential::settings::Setting;
use crate::harness::edits::{EDITS, Editor};
use crate::harness::pair::{Log, Pair};
use crate::harness::rounds::{Records, SETTINGS};
use crate::input::Input;

/// Number of families of records for each setting.
const FAMILIES: usize = 16;

thread_local! {
    /// Records of each setting and family, made when first needed.
    static RECORDS: RefCell<Vec<Option<Records>>> =
        RefCell::new((0..SETTINGS * FAMILIES).map(|_| None).collect());
}

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let setting = usize::from(input.byte()) % SETTINGS;
    let number = setting * FAMILIES + usize::from(input.byte()) % FAMILIES;
    RECORDS.with_borrow_mut(|all| {
        let make = || Records::new(&mut Random::new(number as u64), Setting::ALL[setting]);
        let records = all[number].get_or_insert_with(make);
        let mut log = Log::default();
        if let Err(text) = decode(&mut input, records, &mut log) {
            log.shorten(&records.builder);
            panic!("{:?}: {text}\n{log}", Setting::ALL[setting]);
        }
    });
}

/// Decodes the usual records, then up to 16 with edits, each with a usual one after it.
fn decode(input: &mut Input<'_>, records: &Records, log: &mut Log) -> Result<(), String> {
    let mut pair = Pair::new(&records.builder);
    for usual in records.usual.iter().chain(&records.usual) {
        pair.push(usual, log)?;
    }
    let mut editor = Editor::default();
    for _ in 0..16 {
        if input.rest.is_empty() {
            break;
        }
        let which = input.byte();
        let usual = |number: u8| &records.usual[usize::from(number) % records.usual.len()];
        let mut record = usual(which).clone();
        for _ in 0..=which >> 6 {
            edit(input, &mut editor, &mut record, usual(which >> 3));
        }
        pair.push(&record, log)?;
        pair.push(usual(which >> 3), log)?;
        if which & 0x38 == 0 {
            pair.flush(log)?;
        }
    }
    pair.flush(log)
}

/// Makes an edit at a position from the input, or a random one that depends on the input.
fn edit(input: &mut Input<'_>, editor: &mut Editor, record: &mut Vec<u8>, other: &[u8]) {
    let kind = usize::from(input.byte()) % (EDITS.len() + 5);
    let at = input.short();
    match kind.checked_sub(EDITS.len()) {
        None => editor.edit_once(&mut Random::new(at as u64), record, other, kind),
        Some(0) => {
            if let Some(byte) = record.get_mut(at) {
                *byte = input.byte();
            }
        }
        Some(1) => record.truncate(at),
        Some(2) => record.insert(at.min(record.len()), input.byte()),
        Some(3) => *record = input.take(at & 0x1ff).to_vec(),
        _ => {
            if let Some(byte) = record.get_mut(at) {
                *byte = byte.wrapping_add(input.byte() % 17).wrapping_sub(8);
            }
        }
    }
}

/// Returns each kind of edit in each setting.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(0);
    let mut seeds = Vec::new();
    for setting in 0..SETTINGS {
        for first in (0..EDITS.len() + 5).step_by(6) {
            let mut seed = vec![setting as u8, random.bits() as u8];
            for kind in first..first + 6 {
                let at = (random.below(100) as u16).to_le_bytes();
                seed.extend_from_slice(&[random.bits() as u8 & 0x3f, kind as u8, at[0], at[1]]);
            }
            seeds.push(seed);
        }
    }
    seeds
}
