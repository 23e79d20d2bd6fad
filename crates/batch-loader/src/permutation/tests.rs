//! Bijections of every small set, and how even they are.

use tfxio_core::random::{Stream, derive};

use super::Permutation;

fn key(number: u64) -> u64 {
    derive(5, "test of permutations", &[number])
}

fn order(key: u64, n: u64) -> Vec<u64> {
    let permutation = Permutation::new(key, n);
    (0..n).map(|position| permutation.at(position)).collect()
}

#[test]
fn every_number_stands_at_one_position() {
    for n in 0..=300 {
        for number in 0..10 {
            let mut order = order(key(number), n);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..n), "n = {n}");
        }
    }
    for n in [1000, 1023, 1024, 1025, 65_536, 100_003] {
        let mut order = order(key(n), n);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..n), "n = {n}");
    }
}

#[test]
fn large_bounds() {
    for n in [(1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 62) + 1, (1 << 63) - 1, 1 << 63, u64::MAX] {
        let permutation = Permutation::new(key(n), n);
        let mut stream = Stream::new(key(1));
        let mut positions =
            (0..2000).map(|_| stream.below(n)).chain([0, 1, n - 2, n - 1]).collect::<Vec<_>>();
        positions.sort_unstable();
        positions.dedup();
        let mut numbers = positions.iter().map(|&position| permutation.at(position)).collect::<Vec<_>>();
        assert!(numbers.iter().all(|&number| number < n), "n = {n}");
        // Half of them in the upper half, within five standard deviations.
        let upper = numbers.iter().filter(|&&number| number >= n / 2).count();
        assert!(upper.abs_diff(numbers.len() / 2) < 120, "n = {n}: {upper} of {}", numbers.len());
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), positions.len(), "n = {n}");
    }
}

#[test]
fn positions_outside_hold_themselves() {
    for n in [0, 1, 5, 1000] {
        let permutation = Permutation::new(key(0), n);
        assert_eq!([n, n + 1, u64::MAX].map(|position| permutation.at(position)), [n, n + 1, u64::MAX]);
    }
}

#[test]
fn orders_are_pinned() {
    assert_eq!(order(42, 10), [2, 0, 1, 5, 8, 4, 6, 7, 3, 9]);
    let large = Permutation::new(42, 1_000_000_007);
    let numbers = [0, 1, 2, 1_000_000_006].map(|position| large.at(position));
    assert_eq!(numbers, [34_742_446, 279_621_925, 572_793_593, 956_199_544]);
}

/// Returns the deviation of counts from equal ones: their chi-square as standard deviations from its mean. `share` is
/// the fraction of the sum of squares that is due to chance.
fn deviation(counts: impl Iterator<Item = u64>, expected: f64, share: f64, freedom: f64) -> f64 {
    let squares = counts.map(|count| (count as f64 - expected).powi(2) / expected).sum::<f64>();
    (squares * share - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn every_number_is_equally_likely_at_every_position() {
    const KEYS: u64 = 10_000;
    for n in [2u64, 3, 5, 8, 10, 64] {
        let size = n as usize;
        let mut cells = vec![0u64; size * size];
        // Where the second number comes after the first: neighbours must not stay together.
        let mut distances = vec![0u64; size];
        for number in 0..KEYS {
            let order = order(key(number), n);
            for (position, &number) in order.iter().enumerate() {
                cells[position * size + number as usize] += 1;
            }
            distances[((order[1] + n - order[0]) % n) as usize] += 1;
        }
        // Rows and columns of cells add up, which leaves (n - 1)² of them free.
        let freedom = ((n - 1) * (n - 1)) as f64;
        let share = (n - 1) as f64 / n as f64;
        let cells = deviation(cells.into_iter(), KEYS as f64 / n as f64, share, freedom);
        assert!(cells.abs() < 4.0, "n = {n}: {cells} standard deviations");
        assert_eq!(distances[0], 0);
        if n > 2 {
            let expected = KEYS as f64 / (n - 1) as f64;
            let distances = deviation(distances.into_iter().skip(1), expected, 1.0, (n - 2) as f64);
            assert!(distances.abs() < 4.0, "n = {n}: {distances} standard deviations between neighbours");
        }
    }
}

#[test]
fn every_order_of_few_is_equally_likely() {
    const KEYS: u64 = 60_000;
    for (n, orders) in [(3u64, 6u64), (4, 24), (5, 120)] {
        let mut counts = std::collections::HashMap::new();
        for number in 0..KEYS {
            *counts.entry(order(key(number), n)).or_insert(0u64) += 1;
        }
        assert_eq!(counts.len() as u64, orders);
        let deviation =
            deviation(counts.into_values(), KEYS as f64 / orders as f64, 1.0, (orders - 1) as f64);
        assert!(deviation.abs() < 4.0, "n = {n}: {deviation} standard deviations");
    }
}
