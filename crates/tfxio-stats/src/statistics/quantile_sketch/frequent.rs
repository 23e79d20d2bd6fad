//! Counts of keys that are frequent.

/// Counts of keys that are frequent: so few that they stay in the nearest caches.
///
/// A key is in one of both slots of the bucket of its hash. A bucket with more frequent keys than slots leaves the others out.
#[derive(Clone, Debug)]
pub(super) struct Frequent {
    buckets: Box<[[Slot; 2]; BUCKETS]>,
    /// Keys that were looked up, and the ones that were found, since this was last asked.
    seen: u64,
    found: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    count: u64,
}

const BUCKETS: usize = 1 << BITS;
const BITS: u32 = 9;

/// Keys that are frequent, at most.
const MOST: usize = 512;

/// Number of keys of which at least one has to be found for looking them up to be worth it.
const WORTH: u64 = 3;

/// Keys that are looked up until it is asked whether that is worth it.
const ASKED: u64 = 1 << 15;

fn bucket(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize
}

/// Returns the key of a free slot, which is not one of its bucket.
fn free(of: usize) -> u64 {
    u64::from(bucket(0) == of)
}

impl Frequent {
    /// Returns the most frequent of counted keys, without counts, if many of all keys are among them.
    pub(super) fn of(counts: &[(u64, u64)]) -> Option<Self> {
        let least = if counts.len() > MOST {
            let mut all: Vec<u64> = counts.iter().map(|(_, count)| *count).collect();
            *all.select_nth_unstable_by(MOST, |a, b| b.cmp(a)).1
        } else {
            0
        };
        let mut buckets = Box::new([[Slot { key: 0, count: 0 }; 2]; BUCKETS]);
        for (number, slots) in buckets.iter_mut().enumerate() {
            slots.iter_mut().for_each(|slot| slot.key = free(number));
        }
        let (mut all, mut found) = (0u64, 0u64);
        for (key, count) in counts {
            all = all.saturating_add(*count);
            let number = bucket(*key);
            if *count > least
                && let Some(slot) = buckets[number].iter_mut().find(|slot| slot.key == free(number))
            {
                slot.key = *key;
                found = found.saturating_add(*count);
            }
        }
        (found >= all / WORTH).then_some(Self { buckets, seen: 0, found: 0 })
    }

    /// Counts keys, and returns the number of keys that are not frequent, which are put into `missed`.
    pub(super) fn add<const N: usize>(&mut self, keys: &[u64], missed: &mut [u64; N]) -> usize {
        let mut others = 0;
        for key in keys {
            let [first, second] = &mut self.buckets[bucket(*key)];
            let (is_first, is_second) = (first.key == *key, second.key == *key);
            // Numbers instead of branches, which could not be predicted.
            let slot = if is_second { second } else { first };
            slot.count += u64::from(is_first | is_second);
            if let Some(missed) = missed.get_mut(others) {
                *missed = *key;
            }
            others += usize::from(!(is_first | is_second));
        }
        self.seen += keys.len() as u64;
        self.found += (keys.len() - others) as u64;
        others
    }

    /// Returns whether looking keys up is not worth it any more.
    pub(super) fn is_worthless(&mut self) -> bool {
        if self.seen < ASKED {
            return false;
        }
        let (seen, found) = (std::mem::take(&mut self.seen), std::mem::take(&mut self.found));
        found < seen / WORTH
    }

    /// Takes the counts out, in ascending order of keys.
    pub(super) fn take(&mut self) -> Vec<(u64, u64)> {
        let mut counts = Vec::new();
        for slot in self.buckets.as_flattened_mut() {
            let count = std::mem::take(&mut slot.count);
            if count > 0 {
                counts.push((slot.key, count));
            }
        }
        counts.sort_unstable();
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::Frequent;

    #[test]
    fn frequent_keys_are_counted_and_the_others_come_out() {
        let counts: Vec<(u64, u64)> = (0..1000).map(|key| (key, if key < 100 { 1000 } else { 1 })).collect();
        let mut frequent = Frequent::of(&counts).expect("nearly all are among a hundred");
        let keys: Vec<u64> = (0..1000).chain(0..50).collect();
        let mut missed = [0; 2000];
        let others = frequent.add(&keys, &mut missed);
        let mut all = frequent.take();
        assert!(all.len() > 80, "{}", all.len());
        all.extend(missed[..others].iter().map(|key| (*key, 1)));
        let mut exact = vec![0; 1000];
        all.iter().for_each(|(key, count)| exact[*key as usize] += count);
        assert!((0..1000).all(|key| exact[key] == if key < 50 { 2 } else { 1 }));
        assert!(frequent.take().is_empty());
    }

    #[test]
    fn it_is_not_worth_it_where_few_are_frequent() {
        let counts: Vec<(u64, u64)> = (0..4000).map(|key| (key, 1)).collect();
        assert!(Frequent::of(&counts).is_none());
        let mut frequent = Frequent::of(&[(7, 1)]).expect("all are");
        let mut missed = [0; 64];
        for key in 0..1 << 15 {
            assert!(!frequent.is_worthless());
            frequent.add(&[key], &mut missed);
        }
        assert!(frequent.is_worthless());
    }
}
