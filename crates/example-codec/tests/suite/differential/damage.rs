//! Damaged records of a family.

use super::random::Random;
use super::tree::Node;

/// Kinds of damage.
pub const DAMAGES: [&str; 10] = [
    "none",
    "flip",
    "set",
    "cut",
    "insert",
    "remove",
    "copy",
    "shifted lengths",
    "one length",
    "padded lengths",
];

/// Writes a record, damaged: the bytes, and which of [`DAMAGES`] that is.
pub fn write(random: &mut Random, mut nodes: Vec<Node>, percent: u64) -> (Vec<u8>, usize) {
    let damage = if random.percent(percent) { 1 + random.below(9) as usize } else { 0 };
    match damage {
        7 => {
            let by = delta(random);
            let levels = 1 + random.below(5);
            descend(random, &mut nodes, levels, &mut |length| length.lie = by);
        }
        8 => {
            let by = delta(random);
            let levels = 1 + random.below(6);
            let mut level = 0;
            descend(random, &mut nodes, levels, &mut |length| {
                level += 1;
                length.lie = if level == levels { by } else { 0 };
            });
        }
        9 => {
            let padding = 1 + random.below(9) as usize;
            let levels = 1 + random.below(6);
            descend(random, &mut nodes, levels, &mut |length| length.padding = padding);
        }
        _ => {}
    }
    let mut record = Node::to_vec(&nodes);
    let at = random.below(record.len() as u64) as usize;
    if !record.is_empty() {
        match damage {
            1 => record[at] ^= 1 << random.below(8),
            2 => record[at] = random.bits() as u8,
            3 => record.truncate(at),
            4 => record.insert(at, random.bits() as u8),
            5 => drop(record.remove(at)),
            6 => {
                let length = 1 + random.below(24) as usize;
                let from = random.below(record.len() as u64) as usize;
                let copied = record[from..record.len().min(from + length)].to_vec();
                let end = record.len().min(at + copied.len());
                record.splice(at..end, copied);
            }
            _ => {}
        }
    }
    (record, damage)
}

fn delta(random: &mut Random) -> i64 {
    [-128, -16, -2, -1, 1, 2, 16, 128][random.below(8) as usize]
}

/// Visits the lengths from a field down to one within, at most so many.
fn descend(
    random: &mut Random,
    nodes: &mut [Node],
    levels: u64,
    visit: &mut dyn FnMut(&mut super::tree::Length),
) {
    let at = random.below(nodes.len() as u64) as usize;
    let Some(Node::Field { length, body, .. }) = nodes.get_mut(at) else { return };
    visit(length);
    if levels > 1 {
        descend(random, body, levels - 1, visit);
    }
}
