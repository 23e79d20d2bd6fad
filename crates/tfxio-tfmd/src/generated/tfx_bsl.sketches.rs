// Made from proto/ by `cargo xtask codegen`. Change the .proto files, not this one.

/// What a sketch was given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct InputType {}
/// Nested message and enum types in `InputType`.
pub mod input_type {
    /// The kinds of values. A sketch has values of one kind.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// No values yet.
        Unset = 0,
        /// Byte strings, kept as they are.
        RawString = 1,
        /// Floats, kept as the text of C's `%a`.
        Float = 2,
        /// Integers, kept as decimal text.
        Int = 3,
    }
    impl Type {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unset => "UNSET",
                Self::RawString => "RAW_STRING",
                Self::Float => "FLOAT",
                Self::Int => "INT",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNSET" => Some(Self::Unset),
                "RAW_STRING" => Some(Self::RawString),
                "FLOAT" => Some(Self::Float),
                "INT" => Some(Self::Int),
                _ => None,
            }
        }
    }
}
/// A sketch of k minimum values.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Kmv {
    /// The most hashes that the sketch keeps.
    #[prost(int32, tag = "1")]
    pub num_buckets: i32,
    /// The least hashes, in ascending order.
    #[prost(fixed64, repeated, tag = "2")]
    pub hashes: ::prost::alloc::vec::Vec<u64>,
    /// The largest of them when there are `num_buckets`, else the largest integer.
    #[prost(fixed64, tag = "3")]
    pub max_limit: u64,
    /// What was hashed.
    #[prost(enumeration = "input_type::Type", tag = "4")]
    pub input_type: i32,
}
/// A Misra-Gries sketch.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct MisraGries {
    /// The most items that the sketch counts.
    #[prost(int32, tag = "1")]
    pub num_buckets: i32,
    /// The items, in no order.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub items: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    /// For each item, the least that its count can be.
    #[prost(double, repeated, tag = "3")]
    pub weights: ::prost::alloc::vec::Vec<f64>,
    /// Items whose count fell to zero in the last reduction.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub extra_items: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    /// The most that a count can be too low by.
    #[prost(double, tag = "4")]
    pub delta: f64,
    /// Whether strings that are not UTF-8 count as the placeholder.
    #[prost(bool, tag = "5")]
    pub replace_invalid_utf8_values: bool,
    /// The item that strings that are not UTF-8 count as.
    #[prost(string, tag = "6")]
    pub invalid_utf8_placeholder: ::prost::alloc::string::String,
    /// The most bytes of a string that counts as itself; negative: no bound.
    #[prost(int32, tag = "7")]
    pub large_string_threshold: i32,
    /// The item that longer strings count as.
    #[prost(string, tag = "8")]
    pub large_string_placeholder: ::prost::alloc::string::String,
    /// What was counted.
    #[prost(enumeration = "input_type::Type", tag = "11")]
    pub input_type: i32,
    /// The order of items of equal count.
    #[prost(enumeration = "misra_gries::OrderOnTie", tag = "12")]
    pub order_on_tie: i32,
}
/// Nested message and enum types in `MisraGries`.
pub mod misra_gries {
    /// The order of items of equal count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum OrderOnTie {
        /// As LEXICOGRAPHICAL.
        Default = 0,
        /// Ascending bytes.
        Lexicographical = 1,
        /// Descending bytes.
        ReverseLexicographical = 2,
    }
    impl OrderOnTie {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Default => "DEFAULT",
                Self::Lexicographical => "LEXICOGRAPHICAL",
                Self::ReverseLexicographical => "REVERSE_LEXICOGRAPHICAL",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "DEFAULT" => Some(Self::Default),
                "LEXICOGRAPHICAL" => Some(Self::Lexicographical),
                "REVERSE_LEXICOGRAPHICAL" => Some(Self::ReverseLexicographical),
                _ => None,
            }
        }
    }
}
/// A sketch of quantiles.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Quantiles {
    /// The streams. All have the same parameters.
    #[prost(message, repeated, tag = "1")]
    pub streams: ::prost::alloc::vec::Vec<quantiles::Stream>,
}
/// Nested message and enum types in `Quantiles`.
pub mod quantiles {
    /// One stream of values.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct Stream {
        /// The levels from the lowest on, and an empty summary after them.
        #[prost(message, repeated, tag = "1")]
        pub summaries: ::prost::alloc::vec::Vec<stream::Summary>,
        /// Values that are in no summary yet.
        #[prost(message, optional, tag = "2")]
        pub buffer: ::core::option::Option<stream::Buffer>,
        /// The error of one step: a third of that of the sketch.
        #[prost(double, tag = "3")]
        pub eps: f64,
        /// How many values were expected.
        #[prost(int64, tag = "4")]
        pub max_num_elements: i64,
        /// Whether the summaries were compacted.
        #[prost(bool, tag = "5")]
        pub compacted: bool,
    }
    /// Nested message and enum types in `Stream`.
    pub mod stream {
        /// Values in ascending order, each with what is known of its rank.
        #[derive(Clone, PartialEq, ::prost::Message)]
        pub struct Summary {
            /// The values.
            #[prost(double, repeated, tag = "1")]
            pub value: ::prost::alloc::vec::Vec<f64>,
            /// The weight of each value itself.
            #[prost(double, repeated, tag = "2")]
            pub weight: ::prost::alloc::vec::Vec<f64>,
            /// The least that the weight of all smaller values can be.
            #[prost(double, repeated, tag = "3")]
            pub min_rank: ::prost::alloc::vec::Vec<f64>,
            /// The most that the weight of the value and all smaller ones can be.
            #[prost(double, repeated, tag = "4")]
            pub max_rank: ::prost::alloc::vec::Vec<f64>,
        }
        /// Values that are in no summary yet.
        #[derive(Clone, PartialEq, ::prost::Message)]
        pub struct Buffer {
            /// The values, in the order of arrival.
            #[prost(double, repeated, tag = "1")]
            pub value: ::prost::alloc::vec::Vec<f64>,
            /// The weight of each.
            #[prost(double, repeated, tag = "2")]
            pub weight: ::prost::alloc::vec::Vec<f64>,
        }
    }
}
