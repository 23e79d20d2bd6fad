//! The anomalies of a batch.

use std::sync::Arc;

use crate::item::{Item, Unit};
use crate::packing::Packing;

/// Number of records of a batch that break a rule.
#[derive(Debug)]
pub(crate) struct Tallied {
    pub(crate) rule: u32,
    pub(crate) count: u64,
    /// The first record: its file, its number, and its byte.
    pub(crate) part: u32,
    pub(crate) record: u64,
    pub(crate) byte: Option<u64>,
    /// Description of its wrong value.
    pub(crate) text: Option<Arc<str>>,
}

/// Counts the anomalies of the records of examples, each example once: where it begins, if it is split.
pub(crate) fn tally(items: &[Item], packing: Option<&Packing>, unit: Unit) -> Vec<Tallied> {
    let mut tallied: Vec<Tallied> = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let part = packing.and_then(|packing| packing.parts.get(number));
        if part.is_some_and(|(from, _)| *from > 0) {
            continue;
        }
        for span in item.spans().filter(|span| !span.chunk.anomalies.is_empty()) {
            let chunk = &span.chunk;
            let last = span.start.saturating_add(span.len.saturating_sub(1)) as usize;
            let rows = chunk.row_of(unit, span.start as usize).0..=chunk.row_of(unit, last).0;
            for found in chunk.anomalies_in(rows) {
                match tallied.iter_mut().find(|known| known.rule == found.rule) {
                    Some(known) => known.count = known.count.saturating_add(1),
                    None => tallied.push(Tallied {
                        rule: found.rule,
                        count: 1,
                        part: chunk.file_of(found.row),
                        record: chunk.records.get(found.row).copied().unwrap_or_default(),
                        byte: chunk.bytes.get(found.row).copied(),
                        text: found.text.clone(),
                    }),
                }
            }
        }
    }
    tallied
}
