//! Sets of shards among the names of files.

use std::collections::{BTreeMap, BTreeSet};

use crate::Count;

/// Names of shards that a sentence lists.
const NAMED: usize = 5;
/// Maximum number of names generated to determine the missing shards. Sets that claim more are only counted.
const MADE: u32 = 1_000_000;

/// Sets of shards that names of files belong to: `train-00000-of-00016.tfrecord` is the first of 16.
///
/// Shards are numbered from 0, or from 1 as some programs do. A digest before the ending, as in
/// `train-00000-of-00002-a09b74b3ef9c3b56.parquet`, is not part of the name of a set.
///
/// ```
/// use tfxio_base::ShardSets;
///
/// let sets = ShardSets::of(["s/x-00000-of-00003.avro", "s/x-00002-of-00003.avro", "s/notes.txt"]);
/// assert_eq!(sets.mixed(), None);
/// let missing = sets.missing(|_| true).unwrap();
/// assert_eq!(missing, "1 of 3 shards is missing: s/x-00001-of-00003.avro");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShardSets<'a> {
    /// Sets by name, which is the text before and after the numbers, and by their number of shards.
    sets: BTreeMap<(&'a str, &'a str), BTreeMap<u32, Set>>,
}

/// A set of a number of shards.
#[derive(Clone, Debug, Default)]
struct Set {
    found: BTreeSet<u32>,
    /// A shard that two files are.
    twice: Option<u32>,
    /// Digits of the numbers.
    widths: [usize; 2],
    /// Whether there is a digest before the ending.
    has_digest: bool,
}

/// The name of a shard, taken apart.
struct Name<'a> {
    set: (&'a str, &'a str),
    index: u32,
    count: u32,
    widths: [usize; 2],
    has_digest: bool,
}

impl<'a> ShardSets<'a> {
    /// Returns the sets that names belong to. Each name is given once; other names are passed over.
    pub fn of(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for Name { set, index, count, widths, has_digest } in names.into_iter().filter_map(parse) {
            let set = all.sets.entry(set).or_default().entry(count).or_default();
            if !set.found.insert(index) {
                set.twice = Some(index);
            }
            (set.widths, set.has_digest) = (widths, has_digest);
        }
        all
    }

    /// Returns the numbers of shards of the sets, in order.
    #[must_use]
    pub fn counts(&self) -> BTreeSet<u32> {
        self.sets.values().flat_map(BTreeMap::keys).copied().collect()
    }

    /// Returns a sentence about two sets of one name, or two files that are one shard: whoever reads both reads every record twice.
    #[must_use]
    pub fn mixed(&self) -> Option<String> {
        self.sets.iter().find_map(|(name, sets)| {
            let mut several = sets.iter().map(|(count, set)| set.pattern(*name, *count));
            if let (Some(one), Some(other)) = (several.next(), several.next()) {
                return Some(format!(
                    "there are shards of several sets of one name, {one} and {other}; every record would be read twice"
                ));
            }
            let (count, set, index) = sets.iter().find_map(|(count, set)| Some((*count, set, set.twice?)))?;
            let pattern = set.pattern(*name, count);
            Some(format!(
                "there are several files of shard {index} of the set {pattern}; its records would be read twice"
            ))
        })
    }

    /// Returns a sentence about the missing shards of incomplete sets; `None` if all are there. `is_meant` returns, for the
    /// name of a missing shard, whether it would have been read: a pattern may leave it out on purpose.
    #[must_use]
    pub fn missing(&self, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let mut left = MADE;
        let mut first = None;
        let mut others = 0;
        for (name, count, set) in self.each() {
            let range = set.range(count);
            let found = set.found.range(range.clone()).count();
            let (mut missing, mut names) = (0_usize, Vec::new());
            let is_made = left >= count;
            if is_made {
                left -= count;
                for index in range.filter(|index| !set.found.contains(index)) {
                    let shard = set.shard(name, index, count);
                    if is_meant(&shard) {
                        missing += 1;
                        names.extend((names.len() < NAMED).then_some(shard));
                    }
                }
            } else {
                missing = (count as usize).saturating_sub(found);
                names.push(set.pattern(name, count));
            }
            if missing == 0 {
                continue;
            }
            if first.is_some() {
                others += 1;
                continue;
            }
            let more = match missing.saturating_sub(names.len()) {
                0 => String::new(),
                _ if !is_made => String::new(),
                more => format!(" and {more} more"),
            };
            let are = Count::of(missing, "shard").verb("is", "are");
            let shards = Count::of(u64::from(count), "shard");
            first = Some(format!("{missing} of {shards} {are} missing: {}{more}", names.join(", ")));
        }
        let first = first?;
        if others == 0 {
            return Some(first);
        }
        let others = Count::of(others, "other set");
        Some(format!("{first}; {others} {} incomplete as well", others.verb("is", "are")))
    }

    fn each(&self) -> impl Iterator<Item = ((&'a str, &'a str), u32, &Set)> {
        self.sets.iter().flat_map(|(name, sets)| sets.iter().map(move |(count, set)| (*name, *count, set)))
    }
}

impl Set {
    /// Returns the numbers of the shards of a whole set.
    fn range(&self, count: u32) -> std::ops::Range<u32> {
        let from_one = self.found.contains(&count) && !self.found.contains(&0);
        u32::from(from_one)..count.saturating_add(u32::from(from_one))
    }

    /// Returns the name of a shard.
    fn shard(&self, (before, after): (&str, &str), index: u32, count: u32) -> String {
        let ([index_width, count_width], digest) = (self.widths, if self.has_digest { "-*" } else { "" });
        format!("{before}-{index:0index_width$}-of-{count:0count_width$}{digest}{after}")
    }

    /// Returns a pattern of all shards.
    fn pattern(&self, (before, after): (&str, &str), count: u32) -> String {
        let (width, digest) = (self.widths[1], if self.has_digest { "-*" } else { "" });
        format!("{before}-*-of-{count:0width$}{digest}{after}")
    }
}

/// Takes a name apart; `None` of one that is not the name of a shard.
fn parse(name: &str) -> Option<Name<'_>> {
    let (front, rest) = name.rsplit_once("-of-")?;
    let (before, index) = front.rsplit_once('-')?;
    let (count, after) = rest.split_at_checked(rest.bytes().take_while(u8::is_ascii_digit).count())?;
    let number = |digits: &str| {
        let plain = digits.len() >= 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<u32>().ok()).flatten()
    };
    if before.is_empty() || before.ends_with(['/', '\\']) || after.contains(['/', '\\']) {
        return None;
    }
    let widths = [index.len(), count.len()];
    let (index, count) = (number(index)?, number(count).filter(|count| *count > 0)?);
    // Of no set, whether it counts from 0 or from 1.
    if index > count {
        return None;
    }
    let ending = without_digest(after);
    Some(Name { set: (before, ending.unwrap_or(after)), index, count, widths, has_digest: ending.is_some() })
}

/// Returns what follows a digest.
fn without_digest(after: &str) -> Option<&str> {
    let rest = after.strip_prefix('-')?;
    let (digest, ending) = rest.split_at_checked(rest.find('.').unwrap_or(rest.len()))?;
    let is_digest = digest.len() >= 8 && digest.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_digest.then_some(ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(indices: impl IntoIterator<Item = u32>, count: u32) -> Vec<String> {
        indices.into_iter().map(|index| format!("d/x-{index:05}-of-{count:05}.avro")).collect()
    }

    fn sets(names: &[String]) -> ShardSets<'_> {
        ShardSets::of(names.iter().map(String::as_str))
    }

    #[test]
    fn whole_sets_lack_nothing() {
        for found in [names(0..3, 3), names(1..=3, 3), names([0], 1), names([1], 1), Vec::new()] {
            let sets = sets(&found);
            assert_eq!((sets.mixed(), sets.missing(|_| true)), (None, None), "{found:?}");
        }
    }

    #[test]
    fn missing_shards_are_named() {
        let missing = |names: &[String]| sets(names).missing(|_| true);
        let of_four = "2 of 4 shards are missing: d/x-00000-of-00004.avro, d/x-00003-of-00004.avro";
        assert_eq!(missing(&names([1, 2], 4)).as_deref(), Some(of_four));
        let first = "1 of 3 shards is missing: d/x-00001-of-00003.avro";
        assert_eq!(missing(&names([2, 3], 3)).as_deref(), Some(first));
        let many = missing(&names([7], 100_000)).unwrap_or_default();
        assert!(many.starts_with("99999 of 100000 shards are missing: d/x-00000-of-100000.avro, "), "{many}");
        assert!(many.ends_with("d/x-00004-of-100000.avro and 99994 more"), "{many}");
    }

    #[test]
    fn claims_of_names_cost_no_more_than_a_bound() {
        let all = (0..2000).map(|set| format!("{set}-00000-of-1000000.avro")).collect::<Vec<_>>();
        let missing = sets(&all).missing(|_| true).unwrap_or_default();
        assert!(missing.ends_with("; 1999 other sets are incomplete as well"), "{missing}");
        let huge = ["x-00000-of-4294967295".to_owned()];
        let missing = sets(&huge).missing(|_| true).unwrap_or_default();
        assert_eq!(missing, "4294967294 of 4294967295 shards are missing: x-*-of-4294967295");
    }

    #[test]
    fn shards_that_are_not_meant_are_not_missing() {
        let found = names([0, 1, 2], 16);
        assert_eq!(sets(&found).missing(|name| name < "d/x-00003"), None);
        let missing = sets(&found).missing(|name| name < "d/x-00004").unwrap_or_default();
        assert_eq!(missing, "1 of 16 shards is missing: d/x-00003-of-00016.avro");
    }

    #[test]
    fn sets_of_one_name_are_mixed() {
        let two = [names(0..2, 2), names(0..4, 4)].concat();
        let said = "there are shards of several sets of one name, d/x-*-of-00002.avro and d/x-*-of-00004.avro; every record \
                    would be read twice";
        assert_eq!(sets(&two).mixed().as_deref(), Some(said));
        let digests = ["a09b74b3ef9c3b56", "ffffffffffffffff"];
        let again = digests.map(|digest| format!("train-00000-of-00002-{digest}.parquet"));
        let said = "there are several files of shard 0 of the set train-*-of-00002-*.parquet; its records would be read twice";
        assert_eq!(sets(&again).mixed().as_deref(), Some(said));
    }

    #[test]
    fn other_names_are_of_other_sets() {
        let apart = [
            "a/x-00000-of-00001.avro",
            "b/x-00001-of-00002.csv",
            "a/x-00000-of-00004.csv",
            "x-00000-of-00003",
        ];
        let sets = ShardSets::of(apart);
        assert_eq!((sets.mixed(), sets.counts().len()), (None, 4));
        let none = ["x-0-of-3", "x-00004-of-00003", "-00000-of-00002", "d/-00000-of-00002", "x-of-00002", ""];
        assert_eq!(ShardSets::of(none).counts().len(), 0);
    }

    #[test]
    fn digests_are_no_part_of_a_name() {
        let digests = [
            "train-00000-of-00002-a09b74b3ef9c3b56.parquet",
            "train-00001-of-00002-00ff00ff00ff00ff.parquet",
        ];
        let sets = ShardSets::of(digests);
        assert_eq!((sets.mixed(), sets.missing(|_| true)), (None, None));
    }
}
