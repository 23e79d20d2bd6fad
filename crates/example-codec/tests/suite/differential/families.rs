//! Records that look alike, as in a real data set.

use example_codec::{ExampleSchema, FeatureField, FeatureKind};

use super::random::Random;
use super::tree::{Node, varint};

/// Number of values of a feature.
#[derive(Clone, Copy, Debug)]
enum Count {
    Exactly(u64),
    UpTo(u64),
}

#[derive(Clone, Debug)]
struct Feature {
    name: String,
    kind: FeatureKind,
    count: Count,
    /// Percentage of records without it.
    absent: u64,
    /// The most bits of an integer, the most bytes of a string.
    size: u64,
    packed: bool,
}

/// The features of records that look alike.
#[derive(Clone, Debug)]
pub struct Family {
    features: Vec<Feature>,
    /// Percentage of records with another order of features.
    shuffled: u64,
    /// Odd entries per thousand.
    odd: u64,
}

impl Family {
    pub fn new(random: &mut Random) -> Self {
        let features = 1 + random.skewed(5) as usize + random.below(6) as usize;
        let mut names = names(random, features);
        names.sort_unstable();
        names.dedup();
        random.shuffle(&mut names);
        let usual = [0, 0, 5, 50][random.below(4) as usize];
        let features = names.into_iter().map(|name| feature(random, name, usual)).collect();
        let shuffled = [0, 0, 3, 100][random.below(4) as usize];
        Self { features, shuffled, odd: [0, 2, 20, 200][random.below(4) as usize] }
    }

    /// Returns the number of features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns the schema. Of some features the length is fixed, some are required where `strict`, and some that records
    /// have are left out where `partial`.
    pub fn schema(&self, strict: bool, partial: bool) -> ExampleSchema {
        let features = self.features.iter().enumerate();
        let features = features.filter(|(index, _)| !partial || index % 4 != 3).map(|(index, feature)| {
            let mut spec = FeatureField::new(feature.name.as_str(), feature.kind);
            if let Count::Exactly(count) = feature.count {
                spec = spec.fixed_len(count as u32);
            }
            if strict && feature.absent == 0 && index % 2 == 0 { spec.required() } else { spec }
        });
        ExampleSchema::new(features).unwrap()
    }

    /// Returns the same without fixed lengths.
    pub fn plain_schema(&self) -> ExampleSchema {
        let specs =
            self.features.iter().map(|feature| FeatureField::new(feature.name.as_str(), feature.kind));
        ExampleSchema::new(specs).unwrap()
    }

    /// Returns every third name.
    pub fn some_names(&self) -> Vec<String> {
        self.features.iter().step_by(3).map(|feature| feature.name.clone()).collect()
    }

    /// Returns an Example.
    pub fn example(&self, random: &mut Random) -> Vec<Node> {
        let mut nodes = vec![Node::field(1, self.entries(random, one))];
        self.oddity(random, &mut nodes);
        nodes
    }

    /// Returns a `SequenceExample`: some features are its context, the lists have the same names.
    pub fn sequence_example(&self, random: &mut Random) -> Vec<Node> {
        let context = Self { features: self.features.iter().step_by(3).cloned().collect(), ..self.clone() };
        let lists = Self { features: self.features.iter().take(6).cloned().collect(), ..self.clone() };
        let context = Node::field(1, context.entries(random, one));
        let lists = Node::field(2, lists.entries(random, steps));
        let mut nodes = vec![context, lists];
        self.oddity(random, &mut nodes);
        nodes
    }

    fn oddity(&self, random: &mut Random, nodes: &mut Vec<Node>) {
        if self.odd == 0 || !random.percent(1) {
            return;
        }
        match random.below(5) {
            0 => nodes.push(unknown(random)),
            1 => nodes.insert(0, unknown(random)),
            2 => nodes.extend(nodes.clone()),
            3 => nodes.clear(),
            // Examples are taken for SequenceExamples, and the other way round.
            _ => nodes.push(Node::field(1 + random.below(3) as u8, self.entries(random, steps))),
        }
    }

    fn entries(&self, random: &mut Random, value: fn(&mut Random, &Feature, u64) -> Vec<Node>) -> Vec<Node> {
        let mut entries = Vec::with_capacity(self.features.len());
        for feature in &self.features {
            if feature.absent > 0 && random.percent(feature.absent) {
                continue;
            }
            let name = Node::field(1, vec![Node::Bytes(feature.name.clone().into_bytes())]);
            let mut body = vec![name, Node::field(2, value(random, feature, self.odd))];
            let is_odd = random.below(1000) < self.odd;
            if is_odd {
                match random.below(8) {
                    0 => body.reverse(),
                    1 => body.truncate(1),
                    2 => body.push(Node::field(2, value(random, feature, self.odd))),
                    3 => body.push(unknown(random)),
                    4 => body.insert(1, unknown(random)),
                    5 => entries.push(Node::field(1, body.clone())),
                    6 => body[0] = Node::field(1, vec![Node::Bytes(altered(random, &feature.name))]),
                    _ => entries.push(unknown(random)),
                }
            }
            entries.push(Node::field(1, body));
        }
        if self.shuffled > 0 && random.percent(self.shuffled) {
            random.shuffle(&mut entries);
        }
        entries
    }
}

/// Returns the name with one byte changed, which may make it no text.
fn altered(random: &mut Random, name: &str) -> Vec<u8> {
    let mut name = name.as_bytes().to_vec();
    let at = random.below(name.len() as u64) as usize;
    if let Some(byte) = name.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
    name
}

fn names(random: &mut Random, count: usize) -> Vec<String> {
    let letters = |random: &mut Random, length: u64| -> String {
        (0..length).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
    };
    let style = random.below(6);
    let (first, last) = (letters(random, 16), letters(random, 16));
    let length = [1, 2, 8, 12, 16, 24, 31, 40, 60, 100, 127, 128, 200][random.below(13) as usize];
    let stem = letters(random, length);
    (0..count)
        .map(|index| match style {
            // Short ones, as most are.
            0 | 1 => {
                let length = 1 + random.below(12);
                letters(random, length)
            }
            2 => format!("f{index}"),
            // One byte differs.
            3 => {
                let at = random.below(length) as usize;
                let other = char::from(b'A' + (index % 26) as u8);
                format!("{}{other}{}", &stem[..at], &stem[at + 1..])
            }
            // The first and last 16 bytes are the same.
            4 => format!("{first}{}{last}", letters(random, 1 + index as u64 / 20)),
            _ => {
                let length = 1 + random.below(200);
                letters(random, length)
            }
        })
        .collect()
}

fn feature(random: &mut Random, name: String, usual_absent: u64) -> Feature {
    let kind = FeatureKind::ALL[random.below(3) as usize];
    let count = match random.below(10) {
        0..=5 => Count::Exactly(1),
        6 | 7 => Count::UpTo(20),
        8 => Count::Exactly(2 + random.below(6)),
        _ => Count::Exactly(1 + random.below(59)),
    };
    let size = match kind {
        FeatureKind::Bytes => [1, 8, 15, 17, 40, 130, 300][random.below(7) as usize],
        _ => [1, 7, 14, 21, 28, 35, 42, 49, 56, 63, 64][random.below(11) as usize],
    };
    let absent = if random.percent(30) { usual_absent } else { 0 };
    Feature { name, kind, count, absent, size, packed: !random.percent(20) }
}

/// Returns the value of a map entry of an Example.
fn one(random: &mut Random, feature: &Feature, odd: u64) -> Vec<Node> {
    let mut list = |kind: FeatureKind, packed: bool| {
        let count = match feature.count {
            Count::Exactly(count) if random.below(1000) < odd => count + 1,
            Count::Exactly(count) => count,
            Count::UpTo(most) => random.below(most + 1),
        };
        let number = match kind {
            FeatureKind::Bytes => 1,
            FeatureKind::Float => 2,
            FeatureKind::Int64 => 3,
        };
        Node::field(number, values(random, kind, count, feature.size, packed))
    };
    let usual = list(feature.kind, feature.packed);
    let other = list(FeatureKind::ALL[(feature.size % 3) as usize], feature.packed);
    let unlike = list(feature.kind, !feature.packed);
    if random.below(1000) >= odd {
        return vec![usual];
    }
    match random.below(7) {
        0 => Vec::new(),
        1 => vec![other],
        2 => vec![unlike],
        3 => vec![unlike, usual],
        4 => vec![other, usual],
        5 => vec![unknown(random), usual],
        _ => vec![usual, unknown(random)],
    }
}

/// Returns the value of a map entry of feature lists.
fn steps(random: &mut Random, feature: &Feature, odd: u64) -> Vec<Node> {
    let mut steps: Vec<Node> =
        (0..random.below(8)).map(|_| Node::field(1, one(random, feature, odd / 4))).collect();
    if random.below(1000) < odd {
        steps.push(unknown(random));
        random.shuffle(&mut steps);
    }
    steps
}

fn values(random: &mut Random, kind: FeatureKind, count: u64, size: u64, packed: bool) -> Vec<Node> {
    if kind == FeatureKind::Bytes {
        let bytes = |random: &mut Random| {
            let length = if random.percent(50) { size } else { random.below(size + 1) };
            let fill = random.bits();
            (0..length).map(|at| (fill >> (at % 8 * 8)) as u8 ^ at as u8).collect()
        };
        return (0..count).map(|_| Node::field(1, vec![Node::Bytes(bytes(random))])).collect();
    }
    let mut run = Vec::new();
    for _ in 0..count {
        if kind == FeatureKind::Float {
            if !packed {
                run.push(0x0d);
            }
            run.extend_from_slice(&(random.bits() as u32).to_le_bytes());
        } else {
            if !packed {
                run.push(0x08);
            }
            varint(&mut run, random.skewed(size.min(64) as u32) as u64);
        }
    }
    match packed {
        // TensorFlow writes no field for an empty list.
        true if count > 0 => vec![Node::field(1, vec![Node::Bytes(run)])],
        _ => vec![Node::Bytes(run)],
    }
}

/// Returns a field that no message here has; of a group too, and of a number that does not exist.
fn unknown(random: &mut Random) -> Node {
    let bytes: &[u8] = match random.below(6) {
        0 => &[0x78, 0x05],
        1 => &[0x7a, 0x02, 1, 2],
        2 => &[0x7d, 1, 2, 3, 4],
        3 => &[0x79, 1, 2, 3, 4, 5, 6, 7, 8],
        4 => &[0x7b, 0x08, 0x01, 0x7c],
        _ => &[0x02, 0x00],
    };
    Node::Bytes(bytes.to_vec())
}
