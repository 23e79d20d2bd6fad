//! Laws that hold for any values, cuts and states: merges of parts, error bounds, round trips, hostile bytes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{
    Array, ArrayRef, Float32Array, Float64Array, Int64Array, LargeBinaryArray, RecordBatch, StringArray,
    UInt64Array,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use tfxio_stats::{
    DatasetListAccumulator, Error, Kmv, MisraGries, Quantiles, Statistics, StatisticsList, StatisticsOptions,
};

/// Returns the parts of rows between cuts, in order.
fn parts(rows: usize, cuts: &[Index]) -> Vec<std::ops::Range<usize>> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(rows + 1)).chain([0, rows]).collect();
    at.sort_unstable();
    at.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Merges sketches of parts, every second one through its bytes.
fn merged<S>(parts: Vec<S>, merge: fn(&mut S, &S) -> Result<(), Error>, reload: impl Fn(&S) -> S) -> S {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap();
    for (index, part) in parts.enumerate() {
        if index % 2 == 0 {
            merge(&mut all, &reload(&part)).unwrap();
            all = reload(&all);
        } else {
            merge(&mut all, &part).unwrap();
        }
    }
    all
}

fn estimates(sketch: &MisraGries) -> HashMap<i64, f64> {
    let top = sketch.estimate();
    let counts = top.column(1).as_primitive::<Float64Type>().values().to_vec();
    let values = top.column(0).as_binary::<i64>().iter().flatten();
    values.map(|text| std::str::from_utf8(text).unwrap().parse().unwrap()).zip(counts).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn distinct_values_of_parts_are_those_of_the_whole(
        values in vec(0..400i64, 1..1500),
        cuts in vec(any::<Index>(), 0..5),
        buckets in 1..300usize,
    ) {
        let array = Int64Array::from(values.clone());
        let sketch = |array: &dyn Array| {
            let mut sketch = Kmv::new(buckets).unwrap();
            sketch.add(array).unwrap();
            sketch
        };
        let whole = sketch(&array);
        let of_parts = parts(values.len(), &cuts).into_iter().map(|part| sketch(&array.slice(part.start, part.len())));
        let merged = merged(of_parts.collect(), Kmv::merge, |sketch| Kmv::from_bytes(&sketch.to_bytes()).unwrap());
        prop_assert_eq!(merged.to_bytes(), whole.to_bytes());
        let distinct = values.iter().collect::<HashSet<_>>().len();
        if distinct < buckets {
            prop_assert_eq!(whole.estimate(), distinct as u64);
        }
    }

    #[test]
    fn frequent_values_of_parts_are_within_the_bound(
        rows in vec((0..60i64, 0..9u8), 1..800),
        cuts in vec(any::<Index>(), 0..5),
        buckets in 1..20usize,
        is_weighted in any::<bool>(),
    ) {
        let items = Int64Array::from_iter_values(rows.iter().map(|(item, _)| *item));
        let weight_of = |weight: u8| if is_weighted { f32::from(weight) / 4.0 } else { 1.0 };
        let weights = Float32Array::from_iter_values(rows.iter().map(|(_, weight)| weight_of(*weight)));
        let sketches = parts(rows.len(), &cuts).into_iter().map(|part| {
            let mut sketch = MisraGries::builder(buckets).build().unwrap();
            let items = items.slice(part.start, part.len());
            if is_weighted {
                sketch.add_weighted(&items, &weights.slice(part.start, part.len())).unwrap();
            } else {
                sketch.add(&items).unwrap();
            }
            sketch
        });
        let reload = |sketch: &MisraGries| MisraGries::from_bytes(&sketch.to_bytes()).unwrap();
        let sketch = merged(sketches.collect(), MisraGries::merge, reload);

        let mut counts: HashMap<i64, f64> = HashMap::new();
        for (item, weight) in &rows {
            *counts.entry(*item).or_default() += f64::from(weight_of(*weight));
        }
        let total: f64 = counts.values().sum();
        let bound = sketch.error_bound();
        prop_assert!(bound <= total / (buckets + 1) as f64 + 1e-6, "{} of {}", bound, total);
        let estimates = estimates(&sketch);
        prop_assert!(estimates.len() <= buckets);
        for (item, count) in counts {
            match estimates.get(&item) {
                Some(estimate) => {
                    prop_assert!(count <= estimate + 1e-6 && *estimate <= count + bound + 1e-6, "{} of {}", estimate, count);
                }
                None => prop_assert!(count <= bound + 1e-6, "{} is not in the result, with {}", item, count),
            }
        }
    }

    #[test]
    fn quantiles_of_parts_are_within_the_bound(
        rows in vec((-500..500i64, 0..9u8), 1..2500),
        cuts in vec(any::<Index>(), 0..6),
        eps in prop::sample::select(vec![0.5, 0.2, 0.05, 0.01]),
        number in 2..40usize,
        compacts in any::<bool>(),
    ) {
        let values = Float64Array::from_iter_values(rows.iter().map(|(value, _)| *value as f64));
        let weights = Float64Array::from_iter_values(rows.iter().map(|(_, weight)| f64::from(*weight) / 4.0));
        // The least number for which the bound is stated.
        let max_elements = rows.len().max(5) as u64;
        let sketches = parts(rows.len(), &cuts).into_iter().map(|part| {
            let mut sketch = Quantiles::new(eps, max_elements, 1).unwrap();
            let of = |array: &Float64Array| array.slice(part.start, part.len());
            sketch.add_weighted(&of(&values), &of(&weights)).unwrap();
            sketch
        });
        let reload = |sketch: &Quantiles| Quantiles::from_bytes(&sketch.to_bytes()).unwrap();
        let mut sketch = merged(sketches.collect(), Quantiles::merge, reload);
        if compacts {
            sketch.compact();
        }

        let mut sorted: Vec<(f64, f64)> =
            values.values().iter().copied().zip(weights.values().iter().copied()).filter(|(_, weight)| *weight > 0.0).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
        let (lists, cumulative) = sketch.quantiles_and_cumulative_weights(number).unwrap();
        prop_assert_eq!(sketch.summary().total_weights(), [total]);
        if sorted.is_empty() {
            prop_assert!(lists.is_null(0) && cumulative.is_null(0));
            return Ok(());
        }
        let (list, cumulative) = (lists.value(0), cumulative.value(0));
        let list = list.as_primitive::<Float64Type>().values();
        prop_assert_eq!(list.len(), number + 1);
        prop_assert_eq!((list[0], list[number]), (sorted[0].0, sorted[sorted.len() - 1].0));
        for (index, value) in list.iter().enumerate() {
            let below: f64 = sorted.iter().filter(|(other, _)| other < value).map(|(_, weight)| weight).sum();
            let with: f64 = sorted.iter().filter(|(other, _)| other <= value).map(|(_, weight)| weight).sum();
            let wanted = total * index as f64 / number as f64;
            let allowed = eps * total + 1e-6;
            prop_assert!(below - allowed <= wanted && wanted <= with + allowed, "quantile {} of {}: {}", index, number, value);
            let said = cumulative.as_primitive::<Float64Type>().value(index);
            prop_assert!((said - with).abs() <= allowed, "weight {} is said to be {}", with, said);
        }
    }

    #[test]
    fn hostile_bytes_are_an_error_or_a_state(
        mut bytes in prop_oneof![
            vec(any::<u8>(), 0..60),
            Just(states()[0].clone()), Just(states()[1].clone()), Just(states()[2].clone()), Just(states()[3].clone()),
        ],
        edits in vec((any::<Index>(), any::<u8>()), 0..4),
        length in any::<Index>(),
        is_cut in any::<bool>(),
    ) {
        for (at, byte) in edits {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        if is_cut {
            bytes.truncate(length.index(bytes.len() + 1));
        }
        if let Ok(mut sketch) = Kmv::from_bytes(&bytes) {
            prop_assert_eq!(Kmv::from_bytes(&sketch.to_bytes()).unwrap().to_bytes(), sketch.to_bytes());
            let _ = (sketch.add(&Int64Array::from(vec![1, 2, 3])), sketch.clone().merge(&sketch), sketch.estimate());
        }
        if let Ok(mut sketch) = MisraGries::from_bytes(&bytes) {
            prop_assert_eq!(MisraGries::from_bytes(&sketch.to_bytes()).unwrap().to_bytes(), sketch.to_bytes());
            let _ = (sketch.add(&Int64Array::from(vec![1, 2, 3])), sketch.clone().merge(&sketch), sketch.estimate());
        }
        if let Ok(mut sketch) = Quantiles::from_bytes(&bytes) {
            prop_assert_eq!(Quantiles::from_bytes(&sketch.to_bytes()).unwrap().to_bytes(), sketch.to_bytes());
            let _ = (sketch.add(&Int64Array::from(vec![1; 6])), sketch.clone().merge(&sketch), sketch.quantiles(5));
            sketch.compact();
        }
        let mut all = DatasetListAccumulator::new();
        let _ = (all.merge(&bytes), all.merge(&bytes));
        let _ = all.finish();
    }
}

/// The same result as of tfx-bsl 1.21, whose bound does not hold either.
#[test]
fn with_few_expected_values_two_or_three_are_kept() {
    let of = |expected: usize, number: usize| {
        let values = Float64Array::from_iter_values((0..expected).map(|value| -(value as f64)));
        let mut sketch = Quantiles::new(0.05, expected as u64, 1).unwrap();
        sketch.add(&values).unwrap();
        sketch.quantiles(number).unwrap().value(0).as_primitive::<Float64Type>().values().to_vec()
    };
    assert_eq!(of(3, 4), [-2.0, -2.0, 0.0, 0.0, 0.0]);
    assert_eq!(of(4, 4), [-3.0, -3.0, -1.0, 0.0, 0.0]);
    assert_eq!(of(5, 4), [-4.0, -3.0, -2.0, -1.0, 0.0]);
}

/// Returns a state of each sketch, and a shard of statistics.
fn states() -> [Vec<u8>; 4] {
    let values = UInt64Array::from_iter_values((0..200).map(|value| value * 7919 % 1009));
    let mut distinct = Kmv::new(5).unwrap();
    distinct.add(&values).unwrap();
    let mut frequent =
        MisraGries::builder(5).large_strings(2, "x").invalid_utf8_placeholder("y").build().unwrap();
    frequent.add(&Float64Array::from(vec![1.0, 2.0, 2.0, 3.5])).unwrap();
    let mut quantiles = Quantiles::new(0.8, 200, 2).unwrap();
    quantiles.add(&values).unwrap();
    let shard =
        b"\x0a\x01s\x10\x05\x1a\x0a\x42\x03\x0a\x01x\x1a\x03\x20\x01\x20\x2a\x06\x0a\x00\x12\x00\x18\x01"
            .to_vec();
    [distinct.to_bytes(), frequent.to_bytes(), quantiles.to_bytes(), shard]
}

/// Returns a batch of a column of numbers and of one of words, some null.
fn columns(values: &[(Option<f64>, Option<u16>)]) -> RecordBatch {
    let numbers: Float64Array = values.iter().map(|(number, _)| *number).collect();
    let words: StringArray = values.iter().map(|(_, word)| word.map(|word| format!("word {word}"))).collect();
    let columns = [("numbers", Arc::new(numbers) as ArrayRef, true), ("words", Arc::new(words), true)];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Returns the lines of a list about its columns, without estimates.
fn exact_lines(list: &StatisticsList) -> Vec<String> {
    let estimated = ["median", "numbers ", "unique", "value"];
    let text = crate::statistics::shown::shown(list);
    let lines = text.lines().filter(|line| !estimated.iter().any(|name| line.starts_with(name)));
    lines.map(str::to_owned).collect()
}

/// Images of a few formats and sizes, texts, and nulls, by number.
fn payloads(numbers: &[u16]) -> RecordBatch {
    let payload = |number: u16| {
        let (width, height) = (u32::from(number / 6 % 9), u32::from(number % 4 + 1));
        let gif = [b"GIF89a".as_slice(), &[width as u8, 0, height as u8, 0, 0x80]].concat();
        match number % 6 {
            0 | 1 => Some(
                [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &height.to_be_bytes()]
                    .concat(),
            ),
            2 => Some(gif),
            // All of its bytes are ASCII, so that it is none, whatever it is read together with.
            3 => Some(gif[..10].to_vec()),
            4 => Some(format!("text {number}").into_bytes()),
            _ => None,
        }
    };
    let values: LargeBinaryArray = numbers.iter().map(|number| payload(*number)).collect();
    RecordBatch::try_from_iter_with_nullable([("images", Arc::new(values) as ArrayRef, true)]).unwrap()
}

proptest! {
    /// Formats and sizes of images are equal, however rows are cut and merged.
    #[test]
    fn images_of_parts_are_those_of_the_whole(
        numbers in vec(0..400u16, 1..600),
        cuts in vec(any::<Index>(), 0..6),
    ) {
        let options = StatisticsOptions::default;
        let batch = payloads(&numbers);
        let of = |rows: std::ops::Range<usize>| {
            let mut statistics = Statistics::builder(&batch.schema()).options(options()).build();
            statistics.update(&batch.slice(rows.start, rows.len())).unwrap();
            statistics
        };
        let parts = parts(numbers.len(), &cuts).into_iter().map(of).collect();
        let reload = |part: &Statistics| Statistics::from_bytes(&part.to_bytes(), options()).unwrap();
        let merged = merged(parts, Statistics::merge, reload).finish();
        prop_assert_eq!(merged.to_json(), of(0..numbers.len()).finish().to_json());
    }

    /// Counts are equal, and moments up to 1e-5 of their value, however rows are cut and merged, through bytes or not; with few
    /// distinct values all is.
    #[test]
    fn statistics_of_parts_are_those_of_the_whole(
        values in vec((proptest::option::weighted(0.9, -1e6..1e6f64), proptest::option::of(0..300u16)), 1..600),
        cuts in vec(any::<Index>(), 0..6),
        few in any::<bool>(),
    ) {
        let options = || match few {
            true => StatisticsOptions::default(),
            false => StatisticsOptions::default().exact_values(64).epsilon(0.1),
        };
        let batch = columns(&values);
        let of = |rows: std::ops::Range<usize>| {
            let mut statistics = Statistics::builder(&batch.schema()).options(options()).build();
            statistics.update(&batch.slice(rows.start, rows.len())).unwrap();
            statistics
        };
        let parts = parts(values.len(), &cuts).into_iter().map(of).collect();
        let reload = |part: &Statistics| Statistics::from_bytes(&part.to_bytes(), options()).unwrap();
        let merged = merged(parts, Statistics::merge, reload).finish();
        let whole = of(0..values.len()).finish();
        if few {
            prop_assert_eq!(crate::statistics::shown::shown(&merged), crate::statistics::shown::shown(&whole));
        } else {
            prop_assert_eq!(exact_lines(&merged), exact_lines(&whole));
        }
    }
}
