//! Writes tf.Example records as TensorFlow does, so that no code of ours makes its own input.
//!
//! The messages are defined by `tensorflow/core/example/feature.proto`: `Example { features = 1 }`, `SequenceExample {
//! context = 1; feature_lists = 2 }`, `FeatureLists { map<string, FeatureList> = 1 }`, `FeatureList { repeated Feature
//! feature = 1 }`, `Features { map<string, Feature> feature = 1 }`, `Feature` with one of `bytes_list = 1`, `float_list
//! = 2` and `int64_list = 3`, each with packed (or, for bytes, repeated) `value = 1`.

/// The values of one feature.
#[derive(Clone, Debug)]
pub enum Values {
    /// `bytes_list`.
    Bytes(Vec<Vec<u8>>),
    /// `float_list`.
    Floats(Vec<f32>),
    /// `int64_list`.
    Ints(Vec<i64>),
}

/// The serialized map entry of a feature.
#[must_use]
pub fn entry(name: &str, values: &Values) -> Vec<u8> {
    map_entry(name, &feature(values))
}

/// The serialized map entry of a feature list, whose steps are these features.
#[must_use]
pub fn list_entry(name: &str, steps: &[Values]) -> Vec<u8> {
    let mut list = Vec::new();
    for step in steps {
        field(&mut list, 1, &feature(step));
    }
    map_entry(name, &list)
}

fn map_entry(name: &str, value: &[u8]) -> Vec<u8> {
    let mut entry = Vec::new();
    field(&mut entry, 1, name.as_bytes());
    field(&mut entry, 2, value);
    entry
}

fn feature(values: &Values) -> Vec<u8> {
    let mut list = Vec::new();
    let kind = match values {
        Values::Bytes(values) => {
            for value in values {
                field(&mut list, 1, value);
            }
            1
        }
        Values::Floats(values) => {
            let packed: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            if !packed.is_empty() {
                field(&mut list, 1, &packed);
            }
            2
        }
        Values::Ints(values) => {
            let mut packed = Vec::new();
            for value in values {
                varint(&mut packed, *value as u64);
            }
            if !packed.is_empty() {
                field(&mut list, 1, &packed);
            }
            3
        }
    };
    let mut feature = Vec::new();
    field(&mut feature, kind, &list);
    feature
}

/// The serialized Example of map entries.
#[must_use]
pub fn example<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    message([&map(entries)])
}

/// The serialized SequenceExample of the map entries of its context and of its feature lists.
#[must_use]
pub fn sequence_example<'a>(
    context: impl IntoIterator<Item = &'a [u8]>,
    lists: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    message([&map(context), &map(lists)])
}

fn map<'a>(entries: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut map = Vec::new();
    for entry in entries {
        field(&mut map, 1, entry);
    }
    map
}

/// A message of these fields, numbered from 1.
fn message<const N: usize>(fields: [&[u8]; N]) -> Vec<u8> {
    let mut message = Vec::new();
    for (number, bytes) in (1..).zip(fields) {
        field(&mut message, number, bytes);
    }
    message
}

/// A length-delimited field with a number up to 15.
fn field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_the_bytes_that_tensorflow_writes() {
        // tf.train.Example(features={"a": int64_list [5, 300]}).SerializeToString()
        let record = example([entry("a", &Values::Ints(vec![5, 300])).as_slice()]);
        assert_eq!(record, b"\x0a\x0e\x0a\x0c\x0a\x01a\x12\x07\x1a\x05\x0a\x03\x05\xac\x02");
        // {"b": float_list [1.0]}, {"c": bytes_list [""]} and an empty list
        assert_eq!(entry("b", &Values::Floats(vec![1.0])), b"\x0a\x01b\x12\x08\x12\x06\x0a\x04\0\0\x80\x3f");
        assert_eq!(entry("c", &Values::Bytes(vec![Vec::new()])), b"\x0a\x01c\x12\x04\x0a\x02\x0a\0");
        assert_eq!(entry("d", &Values::Floats(Vec::new())), b"\x0a\x01d\x12\x02\x12\0");
        // tf.train.SequenceExample(feature_lists={"s": [int64_list [5, 6], int64_list []]})
        let steps = list_entry("s", &[Values::Ints(vec![5, 6]), Values::Ints(Vec::new())]);
        let record = sequence_example([], [steps.as_slice()]);
        assert_eq!(
            record,
            b"\x0a\0\x12\x13\x0a\x11\x0a\x01s\x12\x0c\x0a\x06\x1a\x04\x0a\x02\x05\x06\x0a\x02\x1a\0"
        );
    }
}
