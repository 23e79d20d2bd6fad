//! One tf.Example of Rust values.

use std::collections::BTreeMap;

/// The fields of a `Feature` message.
const BYTES_LIST: u8 = 1;
const FLOAT_LIST: u8 = 2;
const INT64_LIST: u8 = 3;

/// One tf.Example of Rust values, feature by feature.
///
/// Features are written in the order of their names, whatever the order of the calls, so that equal examples are equal
/// bytes: those that TensorFlow's deterministic serialisation gives. A name that is given again takes the later values,
/// as in a map. To write many rows of columns, take [`ExampleEncoder`](crate::ExampleEncoder).
///
/// ```
/// use example_codec::{Example, ExampleDecoder, Origin};
///
/// let example = Example::new()
///     .int64("label", [5])
///     .float("scores", [0.5, 1.5])
///     .bytes("words", ["red", "shoes"])
///     .to_vec();
///
/// let mut decoder = ExampleDecoder::builder().build()?;
/// decoder.push(&example, Origin::record(0))?;
/// let batch = decoder.flush()?;
/// assert_eq!(batch.schema().fields().iter().map(|field| field.name()).collect::<Vec<_>>(), ["label", "scores", "words"]);
/// # Ok::<(), example_codec::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// The encoded `Feature` of each name.
    features: BTreeMap<String, Vec<u8>>,
}

impl Example {
    /// Returns an example without features.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a feature of integers. Without values it is an empty list, which is not an absent feature.
    #[must_use]
    pub fn int64<I>(self, name: impl Into<String>, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<i64>,
    {
        let mut packed = Vec::new();
        values.into_iter().for_each(|value| varint(&mut packed, value.into() as u64));
        self.packed(name.into(), INT64_LIST, &packed)
    }

    /// Adds a feature of floats.
    #[must_use]
    pub fn float(self, name: impl Into<String>, values: impl IntoIterator<Item = f32>) -> Self {
        let packed = values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>();
        self.packed(name.into(), FLOAT_LIST, &packed)
    }

    /// Adds a feature of byte strings, or of texts, which are their UTF-8.
    #[must_use]
    pub fn bytes<I>(mut self, name: impl Into<String>, values: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<[u8]>,
    {
        let mut list = Vec::new();
        values.into_iter().for_each(|value| field(&mut list, 1, value.as_ref()));
        self.insert(name.into(), BYTES_LIST, &list);
        self
    }

    /// Returns the encoded message, as a TFRecord file holds it.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        let (mut entry, mut features, mut example) = (Vec::new(), Vec::new(), Vec::new());
        for (name, feature) in &self.features {
            entry.clear();
            field(&mut entry, 1, name.as_bytes());
            field(&mut entry, 2, feature);
            field(&mut features, 1, &entry);
        }
        if !self.features.is_empty() {
            field(&mut example, 1, &features);
        }
        example
    }

    /// Adds a list of numbers, which protobuf packs into one field.
    fn packed(mut self, name: String, kind: u8, packed: &[u8]) -> Self {
        let mut list = Vec::new();
        if !packed.is_empty() {
            field(&mut list, 1, packed);
        }
        self.insert(name, kind, &list);
        self
    }

    fn insert(&mut self, name: String, kind: u8, list: &[u8]) {
        let mut feature = Vec::new();
        field(&mut feature, kind, list);
        self.features.insert(name, feature);
    }
}

/// Appends a length-delimited field, whose number is below 16.
pub(crate) fn field(out: &mut Vec<u8>, number: u8, content: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, content.len() as u64);
    out.extend_from_slice(content);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
