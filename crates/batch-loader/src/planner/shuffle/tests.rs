//! Contents of the buffer: all rows that came in, in little more memory than theirs.

use std::collections::HashMap;
use std::sync::Arc;

use tensor_repr::Values;

use super::Buffer;
use crate::column::{Column, RowShape};
use crate::item::{Chunk, Item, Span, Unit};
use crate::progress::Progress;

const ROWS: usize = 512;

/// The rows of a file, in chunks, each with its number as its value.
fn rows(chunks: usize) -> impl Iterator<Item = Item> {
    (0..chunks).flat_map(|chunk| {
        let numbers = (chunk * ROWS..(chunk + 1) * ROWS).map(|number| number as u64);
        let values = Values::from_vec(numbers.clone().collect::<Vec<_>>());
        let column = Column { rows: ROWS, shape: RowShape::Fixed(Vec::new()), values };
        let chunk = Arc::new(Chunk {
            records: numbers.clone().collect(),
            bytes: numbers.map(|number| 100 * number).collect(),
            columns: vec![column],
            ..Chunk::default()
        });
        (0..ROWS as u32)
            .map(move |start| Item { first: Span { chunk: Arc::clone(&chunk), start, len: 1 }, rest: None })
    })
}

/// Returns the number of a row, which equals its position.
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

/// A file of records of `steps` steps of 64 numbers, in chunks of a few records, cut into windows.
fn windows(chunks: usize, steps: usize, window: usize, stride: usize) -> Vec<Item> {
    const RECORDS: usize = 4;
    let of_chunk = RECORDS * steps;
    let chunks = (0..chunks).map(|chunk| {
        let numbers = (chunk * of_chunk..(chunk + 1) * of_chunk).flat_map(|step| [step as u64; 64]);
        let values = Values::from_vec(numbers.collect::<Vec<_>>());
        let records = (chunk * RECORDS..(chunk + 1) * RECORDS).map(|record| record as u64);
        Arc::new(Chunk {
            records: records.clone().collect(),
            bytes: records.map(|record| 100 * record).collect(),
            columns: vec![Column { rows: RECORDS, shape: RowShape::Fixed(vec![steps, 64]), values }],
            steps: Some((0..=RECORDS).map(|record| record * steps).collect()),
            ..Chunk::default()
        })
    });
    let chunks = chunks.collect::<Vec<_>>();
    let mut items = Vec::new();
    let mut at = 0;
    while at + window <= chunks.len() * of_chunk {
        let (mut from, end) = (at, at + window);
        let mut spans = Vec::new();
        while from < end {
            let (chunk, start) = (from / of_chunk, from % of_chunk);
            let len = (end - from).min(of_chunk - start);
            spans.push(Span { chunk: Arc::clone(&chunks[chunk]), start: start as u32, len: len as u32 });
            from += len;
        }
        let first = spans.remove(0);
        items.push(Item { first, rest: (!spans.is_empty()).then(|| spans.into_boxed_slice()) });
        at += stride;
    }
    items
}

/// Returns the steps of a window, by its values.
fn steps(item: &Item) -> Vec<u64> {
    let of_span = |span: &Span| {
        let values = span.chunk.columns[0].values.as_slice::<u64>().unwrap();
        let steps = span.start as usize..(span.start + span.len) as usize;
        assert!(steps.end <= span.chunk.units());
        steps.map(|step| values[step * 64]).collect::<Vec<_>>()
    };
    item.spans().flat_map(of_span).collect()
}

#[test]
fn windows_stay_what_they_are_and_chunks_go() {
    // Chunks of 4 records of 256 steps of 512 bytes: half a MiB.
    for (window, stride, elements) in
        [(1, 100, 300), (3, 100, 5000), (300, 500, 40), (7, 3, 400), (2000, 1500, 9)]
    {
        let coming = windows(60, 256, window, stride);
        let expected =
            coming.iter().map(|item| (steps(item), item.position(Unit::Steps))).collect::<HashMap<_, _>>();
        let mut coming = coming.into_iter();
        let mut buffer = Buffer::new(elements, 3, &Progress::default());
        let (mut out, mut most) = (0, 0);
        loop {
            while buffer.wants_more() {
                match coming.next() {
                    Some(item) => buffer.push(item),
                    None => buffer.drained = true,
                }
                let spans = buffer.items.iter().flat_map(Item::spans);
                let held = spans.map(|span| (Arc::as_ptr(&span.chunk), span.chunk.memory()));
                most = most.max(held.collect::<HashMap<_, _>>().values().sum::<usize>());
            }
            let Some((_, item)) = buffer.draw() else { break };
            assert_eq!(expected.get(&steps(&item)), Some(&item.position(Unit::Steps)));
            out += 1;
        }
        assert_eq!(out, expected.len());
        let needed = 512 * window * elements.min(expected.len());
        // What came in since the last look, and what was kept then: twice what is needed at most, and the overlap.
        assert!(most <= (8 << 20) + 4 * needed, "{most} bytes were held of windows of {needed}");
    }
}
