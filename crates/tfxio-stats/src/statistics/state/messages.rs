//! The messages of a state. They are read by this crate alone, of the same version.

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct State {
    /// [`VERSION`](super::VERSION).
    #[prost(uint32, tag = "1")]
    pub(super) version: u32,
    #[prost(double, tag = "2")]
    pub(super) epsilon: f64,
    #[prost(uint64, tag = "3")]
    pub(super) exact_values: u64,
    /// Columns of weights, slices and categories.
    #[prost(string, tag = "4")]
    pub(super) columns_named: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) slices: Vec<Slice>,
    #[prost(message, repeated, tag = "6")]
    pub(super) columns: Vec<Column>,
    #[prost(message, repeated, tag = "7")]
    pub(super) pairs: Vec<Pair>,
}

/// Names, and count, both means, both squares and products.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Pair {
    #[prost(string, tag = "1")]
    pub(super) x: String,
    #[prost(string, tag = "2")]
    pub(super) y: String,
    #[prost(double, repeated, tag = "3")]
    pub(super) sums: Vec<f64>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Slice {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) value: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(super) rows: u64,
    #[prost(double, tag = "3")]
    pub(super) weight: f64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Column {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    /// Node of all rows, and node of each slice.
    #[prost(message, repeated, tag = "2")]
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Node {
    #[prost(message, repeated, tag = "1")]
    pub(super) levels: Vec<Level>,
    #[prost(message, optional, tag = "2")]
    pub(super) numbers: Option<Numbers>,
    #[prost(message, optional, tag = "3")]
    pub(super) texts: Option<Texts>,
    /// The kind of the numbers that `texts` are.
    #[prost(uint32, optional, tag = "4")]
    pub(super) categories: Option<u32>,
    #[prost(bool, tag = "5")]
    pub(super) is_struct: bool,
    #[prost(string, optional, tag = "6")]
    pub(super) other: Option<String>,
    #[prost(message, repeated, tag = "7")]
    pub(super) fields: Vec<Field>,
    #[prost(uint64, tag = "8")]
    pub(super) null_values: u64,
    #[prost(uint64, tag = "9")]
    pub(super) rows: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Field {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) node: Option<Node>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Level {
    #[prost(uint64, tag = "1")]
    pub(super) non_missing: u64,
    #[prost(uint64, tag = "2")]
    pub(super) values: u64,
    #[prost(message, optional, tag = "3")]
    pub(super) lengths: Option<Lengths>,
    #[prost(message, optional, tag = "4")]
    pub(super) own_lengths: Option<Lengths>,
    #[prost(double, tag = "5")]
    pub(super) weighted_non_missing: f64,
    #[prost(double, tag = "6")]
    pub(super) weighted_values: f64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Lengths {
    #[prost(uint64, repeated, tag = "1")]
    pub(super) small: Vec<u64>,
    #[prost(message, optional, tag = "2")]
    pub(super) large: Option<Spread>,
    #[prost(uint64, tag = "3")]
    pub(super) min: u64,
    #[prost(uint64, tag = "4")]
    pub(super) max: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Spread {
    /// Keys that are counted exactly, and their counts.
    #[prost(fixed64, repeated, tag = "1")]
    pub(super) keys: Vec<u64>,
    #[prost(uint64, repeated, tag = "2")]
    pub(super) counts: Vec<u64>,
    #[prost(message, repeated, tag = "3")]
    pub(super) levels: Vec<SampleLevel>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(super) distinct: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SampleLevel {
    #[prost(fixed64, repeated, tag = "1")]
    pub(super) keys: Vec<u64>,
    #[prost(uint64, tag = "2")]
    pub(super) firsts: u64,
    #[prost(uint64, tag = "3")]
    pub(super) lasts: u64,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Moments {
    #[prost(double, tag = "1")]
    pub(super) weight: f64,
    #[prost(double, tag = "2")]
    pub(super) mean: f64,
    #[prost(double, tag = "3")]
    pub(super) squares: f64,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Numbers {
    #[prost(uint32, tag = "1")]
    pub(super) kind: u32,
    #[prost(uint64, tag = "2")]
    pub(super) nan: u64,
    #[prost(uint64, tag = "3")]
    pub(super) positive_infinite: u64,
    #[prost(uint64, tag = "4")]
    pub(super) negative_infinite: u64,
    #[prost(uint64, tag = "5")]
    pub(super) zeros: u64,
    #[prost(double, tag = "6")]
    pub(super) min: f64,
    #[prost(double, tag = "7")]
    pub(super) max: f64,
    #[prost(message, optional, tag = "8")]
    pub(super) moments: Option<Moments>,
    #[prost(message, optional, tag = "9")]
    pub(super) spread: Option<Spread>,
    #[prost(message, optional, tag = "10")]
    pub(super) weighted: Option<Weighted>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Weighted {
    #[prost(message, optional, tag = "1")]
    pub(super) moments: Option<Moments>,
    #[prost(double, tag = "2")]
    pub(super) positive_infinite: f64,
    #[prost(double, tag = "3")]
    pub(super) negative_infinite: f64,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) quantiles: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Texts {
    #[prost(uint64, tag = "1")]
    pub(super) count: u64,
    #[prost(uint64, tag = "2")]
    pub(super) bytes: u64,
    #[prost(uint64, tag = "3")]
    pub(super) not_utf8: u64,
    #[prost(message, repeated, tag = "4")]
    pub(super) words: Vec<Word>,
    #[prost(uint64, optional, tag = "5")]
    pub(super) subtracted: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(super) distinct: Option<Vec<u8>>,
    #[prost(message, optional, tag = "7")]
    pub(super) lengths: Option<Lengths>,
    #[prost(bytes = "vec", optional, tag = "8")]
    pub(super) weighted: Option<Vec<u8>>,
    #[prost(message, optional, tag = "9")]
    pub(super) images: Option<Images>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Images {
    /// Counts, in the order of the names of the formats.
    #[prost(uint64, repeated, tag = "1")]
    pub(super) formats: Vec<u64>,
    #[prost(uint64, tag = "2")]
    pub(super) sized: u64,
    /// Sum, minimum and maximum.
    #[prost(uint64, repeated, tag = "3")]
    pub(super) widths: Vec<u64>,
    #[prost(uint64, repeated, tag = "4")]
    pub(super) heights: Vec<u64>,
    #[prost(message, repeated, tag = "5")]
    pub(super) sizes: Vec<Word>,
    #[prost(uint64, optional, tag = "6")]
    pub(super) subtracted: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "7")]
    pub(super) distinct: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Word {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) text: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(super) count: u64,
    /// Fingerprint of a string that is too long, instead of its text.
    #[prost(fixed64, optional, tag = "3")]
    pub(super) fingerprint: Option<u64>,
    #[prost(uint32, tag = "4")]
    pub(super) length: u32,
}
