//! A struct as a tf.Example, by `#[derive(ToExample, FromExample)]` and by prost with its map.

use std::collections::BTreeMap;

use example_codec::{FromExample, ToExample};
use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{BytesList, Example, Feature, Features, FloatList, Int64List};
use prost::Message as _;

use bench_sets::random::Random;

/// A click of a user: ten features, one of them in every fourth record only; 0.6 kB a record.
#[derive(Clone, Debug, PartialEq, ToExample, FromExample)]
#[allow(missing_docs, reason = "their names say it")]
pub struct Click {
    pub label: i64,
    pub user: u32,
    pub country: String,
    pub query: String,
    pub clicked: bool,
    pub price: f32,
    pub embedding: [f32; 32],
    pub tokens: Vec<i64>,
    pub tags: Vec<String>,
    pub session: Option<String>,
}

impl Click {
    /// Returns the click of a number.
    #[must_use]
    pub fn new(number: u32) -> Self {
        let country = match number % 3 {
            0 => "de",
            1 => "fr",
            _ => "jp",
        };
        Self {
            label: i64::from(number % 2),
            user: number.wrapping_mul(2_654_435_761),
            country: country.to_owned(),
            query: format!("shoes in size {number}"),
            clicked: number.is_multiple_of(5),
            price: number as f32 / 8.0,
            embedding: std::array::from_fn(|at| at as f32 * 0.25),
            tokens: (0..20).map(|at| i64::from(number) * at % 30_000).collect(),
            tags: vec!["red".to_owned(), "new".to_owned()],
            session: number.is_multiple_of(4).then(|| format!("{number:08x}")),
        }
    }

    /// Returns the click of a record, as a program with generated code reads it.
    #[must_use]
    pub fn from_prost(record: &[u8]) -> Option<Self> {
        let mut features = Example::decode(record).ok()?.features?.feature;
        let features = &mut features;
        Some(Self {
            label: *ints(features, "label")?.first()?,
            user: (*ints(features, "user")?.first()?).try_into().ok()?,
            country: texts(features, "country")?.pop()?,
            query: texts(features, "query")?.pop()?,
            clicked: *ints(features, "clicked")?.first()? != 0,
            price: *floats(features, "price")?.first()?,
            embedding: floats(features, "embedding")?.try_into().ok()?,
            tokens: ints(features, "tokens")?,
            tags: texts(features, "tags")?,
            session: texts(features, "session").and_then(|mut values| values.pop()),
        })
    }

    /// Returns the record, as a program with generated code writes it: the features in the order of their names.
    #[must_use]
    pub fn to_prost(&self) -> Vec<u8> {
        let ints = |value| Kind::Int64List(Int64List { value });
        let floats = |value| Kind::FloatList(FloatList { value });
        let texts = |values: &[&String]| {
            let value = values.iter().map(|value| value.as_bytes().to_vec()).collect();
            Kind::BytesList(BytesList { value })
        };
        let mut features = vec![
            ("label", ints(vec![self.label])),
            ("user", ints(vec![self.user.into()])),
            ("country", texts(&[&self.country])),
            ("query", texts(&[&self.query])),
            ("clicked", ints(vec![self.clicked.into()])),
            ("price", floats(vec![self.price])),
            ("embedding", floats(self.embedding.to_vec())),
            ("tokens", ints(self.tokens.clone())),
            ("tags", texts(&self.tags.iter().collect::<Vec<_>>())),
        ];
        if let Some(session) = &self.session {
            features.push(("session", texts(&[session])));
        }
        let feature =
            features.into_iter().map(|(name, kind)| (name.to_owned(), Feature { kind: Some(kind) }));
        Example { features: Some(Features { feature: feature.collect() }) }.encode_to_vec()
    }
}

/// Returns a record with its features in random order.
#[must_use]
pub fn shuffled(record: &[u8], random: &mut Random) -> Vec<u8> {
    let features = Example::decode(record).ok().and_then(|example| example.features).unwrap_or_default();
    let alone = |(name, feature)| Features { feature: BTreeMap::from([(name, feature)]) }.encode_to_vec();
    let mut entries = features.feature.into_iter().map(alone).collect::<Vec<_>>();
    random.shuffle(&mut entries);
    let entries = entries.concat();
    let mut out = vec![0x0a];
    prost::encoding::encode_varint(entries.len() as u64, &mut out);
    out.extend(entries);
    out
}

fn ints(features: &mut BTreeMap<String, Feature>, name: &str) -> Option<Vec<i64>> {
    match features.remove(name)?.kind? {
        Kind::Int64List(list) => Some(list.value),
        _ => None,
    }
}

fn floats(features: &mut BTreeMap<String, Feature>, name: &str) -> Option<Vec<f32>> {
    match features.remove(name)?.kind? {
        Kind::FloatList(list) => Some(list.value),
        _ => None,
    }
}

fn texts(features: &mut BTreeMap<String, Feature>, name: &str) -> Option<Vec<String>> {
    match features.remove(name)?.kind? {
        Kind::BytesList(list) => list.value.into_iter().map(|value| String::from_utf8(value).ok()).collect(),
        _ => None,
    }
}
