//! Files with a few records.

use std::collections::BTreeMap;

use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample,
};
use prost::Message as _;
use tfxio::tfrecord_io::FileWriter;

/// A TFRecord file in a folder of its own.
pub(crate) struct File(tempfile::TempDir);

impl File {
    pub(crate) fn new(records: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = FileWriter::create(folder.path().join("a.tfrecord")).unwrap();
        records.into_iter().for_each(|record| writer.write(&record).unwrap());
        writer.finish().unwrap();
        Self(folder)
    }

    pub(crate) fn name(&self) -> String {
        self.path("a.tfrecord")
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

pub(crate) fn ints(values: &[i64]) -> Feature {
    Feature { kind: Some(Kind::Int64List(Int64List { value: values.to_vec() })) }
}

pub(crate) fn floats(values: &[f32]) -> Feature {
    Feature { kind: Some(Kind::FloatList(FloatList { value: values.to_vec() })) }
}

pub(crate) fn strings(values: &[&str]) -> Feature {
    let value = values.iter().map(|value| value.as_bytes().to_vec()).collect();
    Feature { kind: Some(Kind::BytesList(BytesList { value })) }
}

fn features<const N: usize>(features: [(&str, Feature); N]) -> Option<Features> {
    Some(Features { feature: named(features) })
}

fn named<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(crate) fn example<const N: usize>(entries: [(&str, Feature); N]) -> Vec<u8> {
    Example { features: features(entries) }.encode_to_vec()
}

pub(crate) fn sequence_example<const N: usize, const M: usize>(
    context: [(&str, Feature); N],
    lists: [(&str, Vec<Feature>); M],
) -> Vec<u8> {
    let lists = lists.map(|(name, feature)| (name, FeatureList { feature }));
    let feature_lists = Some(FeatureLists { feature_list: named(lists) });
    SequenceExample { context: features(context), feature_lists }.encode_to_vec()
}
