// Made from proto/ by `cargo xtask codegen`. Change the .proto files, not this one.

/// Byte strings. They need not be UTF-8.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct BytesList {
    /// The values, in order.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub value: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
}
/// 32-bit floats.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FloatList {
    /// The values, in order. Writers pack them; readers must accept both forms.
    #[prost(float, repeated, tag = "1")]
    pub value: ::prost::alloc::vec::Vec<f32>,
}
/// 64-bit signed integers.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Int64List {
    /// The values, in order. Writers pack them; readers must accept both forms.
    #[prost(int64, repeated, tag = "1")]
    pub value: ::prost::alloc::vec::Vec<i64>,
}
/// The values of one feature in one example.
///
/// None of the kinds set means that the feature is absent. A kind that is set and holds no values is
/// a present, empty list.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Feature {
    /// Which of the three lists this is.
    #[prost(oneof = "feature::Kind", tags = "1, 2, 3")]
    pub kind: ::core::option::Option<feature::Kind>,
}
/// Nested message and enum types in `Feature`.
pub mod feature {
    /// Which of the three lists this is.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Kind {
        /// Byte strings.
        #[prost(message, tag = "1")]
        BytesList(super::BytesList),
        /// 32-bit floats.
        #[prost(message, tag = "2")]
        FloatList(super::FloatList),
        /// 64-bit integers.
        #[prost(message, tag = "3")]
        Int64List(super::Int64List),
    }
}
/// The features of an example by name.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Features {
    /// Name to values. A name that occurs twice on the wire has the last value.
    #[prost(btree_map = "string, message", tag = "1")]
    pub feature: ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, Feature>,
}
/// One feature of a sequence: a `Feature` for each step.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FeatureList {
    /// The steps, in order.
    #[prost(message, repeated, tag = "1")]
    pub feature: ::prost::alloc::vec::Vec<Feature>,
}
/// The sequence features of an example by name.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FeatureLists {
    /// Name to steps.
    #[prost(btree_map = "string, message", tag = "1")]
    pub feature_list: ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, FeatureList>,
}
/// One row: features by name.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Example {
    /// The features of the row.
    #[prost(message, optional, tag = "1")]
    pub features: ::core::option::Option<Features>,
}
/// One row that holds a sequence: features of the whole row, and features with a value for each step.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SequenceExample {
    /// Features of the row as a whole.
    #[prost(message, optional, tag = "1")]
    pub context: ::core::option::Option<Features>,
    /// Features that have a value list for each step. Lists of different names may differ in length.
    #[prost(message, optional, tag = "2")]
    pub feature_lists: ::core::option::Option<FeatureLists>,
}
