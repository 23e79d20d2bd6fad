//! One tf.Example to a struct and back: by `#[derive(ToExample, FromExample)]`, and by prost with its map. Bytes are those of
//! the records.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::{FromExample, ToExample};
use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{BytesList, Example, Feature, Features, FloatList, Int64List};
use prost::Message as _;

mod suite;

#[derive(Clone, Debug, PartialEq, ToExample, FromExample)]
struct Click {
    label: i64,
    user: u32,
    country: String,
    query: String,
    clicked: bool,
    price: f32,
    embedding: [f32; 32],
    tokens: Vec<i64>,
    tags: Vec<String>,
    session: Option<String>,
}

impl Click {
    fn new(number: u32) -> Self {
        Self {
            label: i64::from(number % 2),
            user: number.wrapping_mul(2_654_435_761),
            country: ["de", "fr", "jp"][number as usize % 3].to_owned(),
            query: format!("shoes in size {number}"),
            clicked: number.is_multiple_of(5),
            price: number as f32 / 8.0,
            embedding: std::array::from_fn(|at| at as f32 * 0.25),
            tokens: (0..20).map(|at| i64::from(number) * at % 30_000).collect(),
            tags: vec!["red".to_owned(), "new".to_owned()],
            session: number.is_multiple_of(4).then(|| format!("{number:08x}")),
        }
    }

    /// As a program with generated code reads it.
    fn from_prost(record: &[u8]) -> Option<Self> {
        let mut features = Example::decode(record).ok()?.features?.feature;
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
                Kind::BytesList(list) => {
                    list.value.into_iter().map(|value| String::from_utf8(value).ok()).collect()
                }
                _ => None,
            }
        }
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

    /// As a program with generated code writes it.
    fn to_prost(&self) -> Vec<u8> {
        let ints = |value| Kind::Int64List(Int64List { value });
        let floats = |value| Kind::FloatList(FloatList { value });
        let texts = |values: &[&String]| {
            Kind::BytesList(BytesList {
                value: values.iter().map(|value| value.as_bytes().to_vec()).collect(),
            })
        };
        let mut feature = BTreeMap::from([
            ("label", ints(vec![self.label])),
            ("user", ints(vec![self.user.into()])),
            ("country", texts(&[&self.country])),
            ("query", texts(&[&self.query])),
            ("clicked", ints(vec![self.clicked.into()])),
            ("price", floats(vec![self.price])),
            ("embedding", floats(self.embedding.to_vec())),
            ("tokens", ints(self.tokens.clone())),
            ("tags", texts(&self.tags.iter().collect::<Vec<_>>())),
        ]);
        if let Some(session) = &self.session {
            feature.insert("session", texts(&[session]));
        }
        let feature = feature.into_iter().map(|(name, kind)| (name.to_owned(), Feature { kind: Some(kind) }));
        Example { features: Some(Features { feature: feature.collect() }) }.encode_to_vec()
    }
}

fn structs(criterion: &mut Criterion) {
    let clicks = (0..1000).map(Click::new).collect::<Vec<_>>();
    let records = clicks.iter().map(|click| click.to_example_bytes().unwrap()).collect::<Vec<_>>();
    // Maps of prost are written in random order.
    let shuffled = clicks.iter().map(Click::to_prost).collect::<Vec<_>>();
    for (click, record) in clicks.iter().zip(&records).chain(clicks.iter().zip(&shuffled)) {
        assert_eq!(Click::from_example(record).unwrap(), *click);
        assert_eq!(Click::from_prost(record).unwrap(), *click);
    }
    let mut group = criterion.benchmark_group("structs");
    group.throughput(Throughput::Bytes(records.iter().map(|record| record.len() as u64).sum()));
    for (order, records) in [("in order", &records), ("shuffled", &shuffled)] {
        group.bench_function(format!("read {order}"), |bencher| {
            bencher.iter(|| records.iter().for_each(|record| drop(black_box(Click::from_example(record)))));
        });
        group.bench_function(format!("read {order}, prost"), |bencher| {
            bencher.iter(|| records.iter().for_each(|record| drop(black_box(Click::from_prost(record)))));
        });
    }
    let mut out = Vec::new();
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            clicks.iter().for_each(|click| {
                out.clear();
                click.append_example(&mut out).unwrap();
                black_box(&out);
            });
        });
    });
    group.bench_function("write, prost", |bencher| {
        bencher.iter(|| clicks.iter().for_each(|click| drop(black_box(click.to_prost()))));
    });
    group.finish();
}

criterion_group! { name = benches; config = suite::criterion(); targets = structs }
criterion_main!(benches);
