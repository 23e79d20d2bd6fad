//! Examples that wait in buckets and open rows: all that came in, in little more memory than theirs.

use std::collections::HashMap;
use std::sync::Arc;

use tensor_repr::Values;

use super::{FEW_BYTES, Pinned};
use crate::column::{Column, RowShape};
use crate::item::{Chunk, Item, Span, Unit};
use crate::planner::bucket::{BucketPlan, Buckets};
use crate::planner::lengths::Measured;
use crate::planner::pack::{PackPlan, Packer};

const ROWS: usize = 64;
/// Numbers of a step.
const WIDTH: usize = 128;

/// A chunk of records of one step each, but for the first, which has `long` steps. All numbers of a record are its own.
fn chunk(number: usize, long: usize) -> Arc<Chunk> {
    let records = (number * ROWS..(number + 1) * ROWS).map(|record| record as u64).collect::<Vec<_>>();
    let steps = |row: usize| if row == 0 { long } else { 1 };
    let values = records.iter().enumerate().flat_map(|(row, record)| vec![*record; steps(row) * WIDTH]);
    let values = Values::from_vec(values.collect::<Vec<_>>());
    let offsets = (0..=ROWS).map(|row| if row == 0 { 0 } else { long + row - 1 }).collect();
    let column = Column { rows: ROWS, shape: RowShape::Leading { offsets, inner: vec![WIDTH] }, values };
    Arc::new(Chunk { records, columns: vec![column], ..Chunk::default() })
}

/// The records of chunks, one after the other; a chunk goes with its last record.
fn items(chunks: usize, long: usize) -> impl Iterator<Item = Item> {
    (0..chunks).map(move |number| chunk(number, long)).flat_map(|chunk| {
        let row = move |start| Item { first: Span { chunk: Arc::clone(&chunk), start, len: 1 }, rest: None };
        (0..ROWS as u32).map(row)
    })
}

fn measured() -> Measured {
    Measured { tensor: 0, steps: Vec::new(), least: 0 }
}

/// Returns the number of a record, which equals its values.
fn number(item: &Item) -> u64 {
    let column = &item.first.chunk.columns[0];
    let row = item.first.start as usize;
    let steps = column.steps(row..row + 1).unwrap();
    let values = &column.values.as_slice::<u64>().unwrap()[steps.start * WIDTH..steps.end * WIDTH];
    let record = item.position(Unit::Row).record;
    assert!(!values.is_empty() && values.iter().all(|value| *value == record));
    record
}

/// The bytes of the chunks of examples.
fn held<'a>(items: impl Iterator<Item = &'a mut Item>) -> usize {
    let chunks = items.map(|item| (Arc::as_ptr(&item.first.chunk), item.first.chunk.memory()));
    chunks.collect::<HashMap<_, _>>().values().sum()
}

#[test]
fn examples_of_a_rare_length_do_not_hold_all_that_was_read() {
    // 500 chunks of 68 kB, of each of which one record of 5 kB waits: 2.5 MB of 34 MB.
    let plan = BucketPlan {
        tensor: Some(measured()),
        boundaries: vec![2],
        batch_sizes: vec![100, usize::MAX],
        budget: None,
    };
    let (mut buckets, mut pinned) = (Buckets::new(plan), Pinned::new(|held| &held.waits));
    let (mut batches, mut most) = (0, 0);
    for item in items(500, 5) {
        pinned.add(&item);
        let tokens = buckets.tokens_of(&item);
        if let Some(batch) = buckets.push(item, tokens) {
            batch.iter().for_each(|item| _ = number(item));
            batches += 1;
        }
        if pinned.is_due() {
            pinned.compact(buckets.items_mut().collect());
        }
        most = most.max(held(buckets.items_mut()));
    }
    assert_eq!(batches, 500 * (ROWS - 1) / 100);
    // What was kept at the last look, and twice that, or the least, that came in since.
    assert!(most < 3 * 2_700_000 + FEW_BYTES, "{most} bytes were held");
    let waited = std::iter::from_fn(|| buckets.pop()).flatten().map(|item| number(&item)).collect::<Vec<_>>();
    let expected = (0..500).map(|chunk| (chunk * ROWS) as u64).collect::<Vec<_>>();
    assert_eq!(waited[waited.len() - 500..], expected);
}

#[test]
fn open_rows_do_not_hold_all_that_was_read() {
    // Rows that are open from the first to the last record, as nothing fills their last token.
    let plan = PackPlan { length: 6, open_rows: 1000, split: false, tensors: vec![measured()] };
    let (mut packer, mut pinned) = (Packer::new(plan), Pinned::new(|held| &held.waits));
    let (mut most, mut found) = (0, Vec::new());
    for item in items(500, 5).filter(|item| item.first.start == 0) {
        pinned.add(&item);
        packer.push(item, 5);
        if pinned.is_due() {
            pinned.compact(packer.items_mut().collect());
        }
        most = most.max(held(packer.items_mut()));
    }
    assert!(most < 3 * 2_700_000 + FEW_BYTES, "{most} bytes were held");
    while let Some((items, _)) = packer.take_rest(7) {
        found.extend(items.iter().map(number));
    }
    assert_eq!(found, (0..500).map(|chunk| (chunk * ROWS) as u64).collect::<Vec<_>>());
}

/// Chunks that others hold are not copied: they would be in memory twice.
#[test]
fn what_others_hold_stays() {
    let mut pinned = Pinned::new(|held| &held.waits);
    let all = items(3, 5).collect::<Vec<_>>();
    let mut waiting = all.iter().step_by(ROWS).cloned().collect::<Vec<_>>();
    let chunks = waiting.iter().map(|item| Arc::as_ptr(&item.first.chunk)).collect::<Vec<_>>();
    let same = |waiting: &[Item]| {
        waiting.iter().zip(&chunks).filter(|(item, chunk)| Arc::as_ptr(&item.first.chunk) == **chunk).count()
    };
    pinned.compact(waiting.iter_mut().collect());
    assert_eq!(same(&waiting), 3);
    drop(all);
    pinned.compact(waiting.iter_mut().collect());
    assert_eq!(same(&waiting), 0);
    assert_eq!(waiting.iter().map(number).collect::<Vec<_>>(), [0, ROWS as u64, 2 * ROWS as u64]);
}
