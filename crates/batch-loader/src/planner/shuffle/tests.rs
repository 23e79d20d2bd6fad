//! What the buffer holds: the rows that came in, and little more memory than theirs.

use std::collections::HashMap;
use std::sync::Arc;

use tensor_repr::Values;

use super::Buffer;
use crate::column::{Column, RowShape};
use crate::item::{Chunk, Held, Item, Piece};
use crate::progress::Progress;

const ROWS: usize = 512;

/// The rows of a file, in chunks, each with its number as its value.
fn rows(chunks: usize) -> impl Iterator<Item = Item> {
    (0..chunks).flat_map(|chunk| {
        let numbers = (chunk * ROWS..(chunk + 1) * ROWS).map(|number| number as u64);
        let values = Values::from_vec(numbers.clone().collect::<Vec<_>>());
        let column = Column { rows: ROWS, shape: RowShape::Fixed(Vec::new()), values };
        let chunk = Arc::new(Chunk {
            file: 0,
            records: numbers.clone().collect(),
            bytes: numbers.map(|number| 100 * number).collect(),
            columns: vec![column],
            steps: None,
            held: Held::default(),
        });
        (0..ROWS as u32)
            .map(move |start| Item { first: Piece { chunk: Arc::clone(&chunk), start, len: 1 }, rest: None })
    })
}

/// The number of a row: its place says the same.
fn number(item: &Item) -> u64 {
    let (chunk, row) = (&item.first.chunk, item.first.start as usize);
    let number = chunk.columns[0].values.as_slice::<u64>().unwrap()[row];
    assert_eq!((chunk.records[row], chunk.bytes[row]), (number, 100 * number));
    number
}

#[test]
fn rows_stay_what_they_are_and_chunks_go() {
    for elements in [1500, 5000] {
        let mut buffer = Buffer::new(elements, 3, &Progress::default());
        let (mut rows, mut out, mut most) = (rows(60), Vec::new(), 0);
        loop {
            while buffer.wants_more() {
                match rows.next() {
                    Some(item) => buffer.push(item),
                    None => buffer.drained = true,
                }
            }
            let Some((_, item)) = buffer.draw() else { break };
            out.push(number(&item));
            if out.len().is_multiple_of(500) {
                let held =
                    buffer.items.iter().map(|item| (Arc::as_ptr(&item.first.chunk), item.first.chunk.rows()));
                most = most.max(held.collect::<HashMap<_, _>>().values().sum::<usize>());
            }
        }
        // Twice as many dead ones, those since the last look, and those of the chunk that comes in.
        assert!(most < 5 * elements, "{most} rows were held for {elements}");
        assert_eq!(buffer.dead, 0, "all that were held were counted");
        out.sort_unstable();
        assert_eq!(out, (0..60 * ROWS as u64).collect::<Vec<_>>());
    }
}
