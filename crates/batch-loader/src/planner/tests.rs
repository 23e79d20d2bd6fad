//! Whether what goes through a shuffle buffer comes out as it does in the textbook: fill the buffer; give out a slot,
//! each equally likely, and fill it with what comes next, until nothing does; give out the rest in any order.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tfxio_core::random::{Stream, derive};

use super::order::shuffled;
use super::shuffle::Buffer;
use crate::item::{Chunk, Item, Span};
use crate::progress::Progress;

/// The order in which the examples of an epoch leave the loader's shuffle buffer.
fn examples(count: u32, elements: usize, seed: u64) -> Vec<u32> {
    let chunk = Arc::new(Chunk::default());
    let mut coming =
        (0..count).map(|start| Item { first: Span { chunk: Arc::clone(&chunk), start, len: 1 }, rest: None });
    let mut buffer = Buffer::new(elements, seed, &Progress::default());
    let mut out = Vec::new();
    loop {
        while buffer.wants_more() {
            match coming.next() {
                Some(item) => buffer.push(item),
                None => buffer.drained = true,
            }
        }
        match buffer.draw() {
            Some((_, item)) => out.push(item.first.start),
            None => return out,
        }
    }
}

/// The order in which file names leave theirs.
fn files(count: u32, elements: usize, seed: u64) -> Vec<u32> {
    shuffled((0..count).collect(), elements, &mut Stream::new(derive(seed, "test of file names", &[])))
}

/// Returns the exact probability that an item comes out at a position: it comes in when the buffer has room, stays each
/// time with a probability of 1 - 1/b, and is one of b when nothing comes in any more.
fn likelihood(item: usize, position: usize, count: usize, elements: usize) -> f64 {
    let first = (item + 1).saturating_sub(elements);
    if position < first {
        return 0.0;
    }
    let stays = position.min(count - elements) - first;
    (1.0 - 1.0 / elements as f64).powi(stays as i32) / elements as f64
}

/// Holds an order of many seeds against the textbook, cell by cell.
fn check(order: impl Fn(u32, usize, u64) -> Vec<u32>) {
    const SEEDS: u64 = 8_000;
    const COUNT: usize = 20;
    for elements in [1, 2, COUNT / 10 + 1, COUNT / 2, COUNT - 1, COUNT] {
        let mut counts = [[0u64; COUNT]; COUNT];
        for seed in 0..SEEDS {
            for (position, item) in order(COUNT as u32, elements, seed).into_iter().enumerate() {
                counts[item as usize][position] += 1;
            }
        }
        let (mut squares, mut expected_squares, mut cells) = (0.0, 0.0, 0.0);
        for (item, counts) in counts.iter().enumerate() {
            assert_eq!(counts.iter().sum::<u64>(), SEEDS, "item {item} is lost or doubled");
            for (position, &found) in counts.iter().enumerate() {
                let likelihood = likelihood(item, position, COUNT, elements);
                let expected = likelihood * SEEDS as f64;
                let deviation = (expected * (1.0 - likelihood)).sqrt();
                let distance = (found as f64 - expected).abs();
                assert!(
                    distance <= 5.0 * deviation + 1e-6,
                    "buffer of {elements}: item {item} came out at {position} {found} times, {expected} expected"
                );
                if expected > 5.0 && deviation > 0.0 {
                    squares += distance * distance / expected;
                    expected_squares += 1.0 - likelihood;
                    cells += 1.0;
                }
            }
        }
        let distance = (squares - expected_squares).abs() / (2.0f64 * cells).sqrt().max(1.0);
        assert!(distance < 4.0, "buffer of {elements}: all cells are {distance} standard deviations off");
    }
}

#[test]
fn examples_come_out_as_in_the_textbook() {
    check(examples);
}

#[test]
fn file_names_come_out_as_in_the_textbook() {
    check(files);
}

#[test]
fn a_buffer_larger_than_the_data_gives_every_order() {
    let mut counts = std::collections::HashMap::new();
    for seed in 0..24_000 {
        *counts.entry(examples(4, 100, seed)).or_insert(0u64) += 1;
    }
    assert_eq!(counts.len(), 24);
    assert!(counts.values().all(|&count| count.abs_diff(1000) < 155), "{counts:?}");
}

/// The statistics of tf.data's shuffle, in the folder `loader` of recorded cases.
fn recorded() -> Option<Value> {
    let folder = std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty())?;
    let text = std::fs::read_to_string(PathBuf::from(folder).join("loader/loader_stats.json")).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

#[test]
fn displacements_are_those_of_tf_data() {
    const SEEDS: u64 = 200;
    let Some(recorded) = recorded() else {
        println!("left out: TFXIO_GOLDEN_DIR is not set");
        return;
    };
    let shuffle = &recorded["shuffle"];
    let (count, their_seeds) = (shuffle["n"].as_u64().unwrap(), shuffle["seeds"].as_f64().unwrap());
    let tenth = count as usize / 10;
    for (elements, expected) in shuffle["buffers"].as_object().unwrap() {
        let mut displacement = 0.0;
        let (mut least, mut most) = (0, 0);
        let mut grid = [[0u64; 10]; 10];
        for seed in 0..SEEDS {
            let order = examples(count as u32, elements.parse().unwrap(), seed);
            for (position, item) in order.into_iter().enumerate() {
                let distance = position as i64 - i64::from(item);
                displacement += distance.abs() as f64;
                (least, most) = (distance.min(least), distance.max(most));
                grid[item as usize / tenth][position / tenth] += 1;
            }
        }
        // The tolerances are those that stand beside the statistics.
        let mean = displacement / (SEEDS * count) as f64;
        let (their_mean, deviation) = (
            expected["mean_abs_displacement"].as_f64().unwrap(),
            expected["std_over_seeds_of_mean_abs_displacement"].as_f64().unwrap(),
        );
        let tolerance = 5.0 * deviation / (SEEDS as f64).sqrt() + 5.0 * deviation / their_seeds.sqrt();
        assert!(
            (mean - their_mean).abs() <= tolerance,
            "buffer of {elements}: {mean}, {their_mean} expected"
        );
        // No item comes earlier than the buffer lets it.
        assert!(least >= expected["min_displacement"].as_i64().unwrap(), "buffer of {elements}: {least}");
        assert!(most < count as i64);
        let theirs = expected["grid_probability_item_decile_i_to_position_decile_j"].as_array().unwrap();
        for (grid, theirs) in grid.iter().zip(theirs) {
            for (&found, theirs) in grid.iter().zip(theirs.as_array().unwrap()) {
                let (found, theirs) = (found as f64 / (SEEDS * count / 10) as f64, theirs.as_f64().unwrap());
                let tolerance = 5.0 * (theirs * (1.0 - theirs) / (100.0 * SEEDS as f64)).sqrt() + 0.001;
                assert!(
                    (found - theirs).abs() <= tolerance,
                    "buffer of {elements}: {found}, {theirs} expected"
                );
            }
        }
    }
}
