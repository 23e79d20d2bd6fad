// Made from proto/ by `cargo xtask codegen`. Change the .proto files, not this one.

/// Where a feature is found: the name of a column, then the name of a field for each struct entered.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct Path {
    /// The names, from the outside in. A step may hold any text, dots included.
    #[prost(string, repeated, tag = "1")]
    pub step: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
/// The origin of a derived feature.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DerivedFeatureSource {
    /// The name of the deriver that computes the feature.
    #[prost(string, tag = "1")]
    pub deriver_name: ::prost::alloc::string::String,
    /// What the feature means, for people.
    #[prost(string, tag = "2")]
    pub description: ::prost::alloc::string::String,
    /// The features it is computed from.
    #[prost(message, repeated, tag = "3")]
    pub source_path: ::prost::alloc::vec::Vec<Path>,
    /// Whether `config` alone says how to compute the feature.
    #[prost(bool, tag = "4")]
    pub declaratively_configured: bool,
    /// The settings of the deriver.
    #[prost(message, optional, tag = "5")]
    pub config: ::core::option::Option<DerivedFeatureConfig>,
}
/// The settings of one of the known derivers.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DerivedFeatureConfig {
    /// Which deriver.
    #[prost(oneof = "derived_feature_config::Type", tags = "1, 2, 3, 4, 5")]
    pub r#type: ::core::option::Option<derived_feature_config::Type>,
}
/// Nested message and enum types in `DerivedFeatureConfig`.
pub mod derived_feature_config {
    /// Which deriver.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Type {
        /// Keeps listed values only.
        #[prost(message, tag = "1")]
        Allowlist(super::AllowlistDeriver),
        /// The indices of the largest values.
        #[prost(message, tag = "2")]
        ArgmaxTopK(super::ArgmaxTopK),
        /// Reduces a list to one value.
        #[prost(message, tag = "3")]
        ReduceOp(super::ReduceOp),
        /// The result of an SQL expression over a slice.
        #[prost(message, tag = "4")]
        SliceSql(super::SliceSql),
        /// A quality score of images.
        #[prost(message, tag = "5")]
        ImageQuality(super::ImageQualityDeriver),
    }
}
/// Replaces every value that is not listed by a placeholder.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AllowlistDeriver {
    /// The values that stay.
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub allowed_bytes_value: ::prost::alloc::vec::Vec<::prost::alloc::vec::Vec<u8>>,
    /// What every other value becomes.
    #[prost(bytes = "vec", tag = "2")]
    pub placeholder_value: ::prost::alloc::vec::Vec<u8>,
}
/// The indices of the `k` largest values of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ArgmaxTopK {
    /// How many indices.
    #[prost(uint32, tag = "1")]
    pub k: u32,
}
/// Reduces the values of a feature to one.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ReduceOp {
    /// The name of the reduction.
    #[prost(string, tag = "1")]
    pub op_name: ::prost::alloc::string::String,
}
/// Computes a feature with an SQL expression.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SliceSql {
    /// The expression.
    #[prost(string, tag = "1")]
    pub expression: ::prost::alloc::string::String,
    /// The type of the result.
    #[prost(enumeration = "SliceValueTypes", tag = "2")]
    pub feature_value_type: i32,
    /// Whether the name of the struct is left out of the name of the result.
    #[prost(bool, tag = "3")]
    pub drop_struct_name: bool,
    /// The value of rows for which the expression fails.
    #[prost(oneof = "slice_sql::DefaultFeatureValueForFailedSql", tags = "4, 5, 6")]
    pub default_feature_value_for_failed_sql:
        ::core::option::Option<slice_sql::DefaultFeatureValueForFailedSql>,
}
/// Nested message and enum types in `SliceSql`.
pub mod slice_sql {
    /// The value of rows for which the expression fails.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum DefaultFeatureValueForFailedSql {
        /// An integer.
        #[prost(int64, tag = "4")]
        Int64DefaultFeatureValue(i64),
        /// A float.
        #[prost(float, tag = "5")]
        FloatDefaultFeatureValue(f32),
        /// A string.
        #[prost(string, tag = "6")]
        StringDefaultFeatureValue(::prost::alloc::string::String),
    }
}
/// Rates the quality of images with a model.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ImageQualityDeriver {
    /// The name of the model.
    #[prost(string, tag = "1")]
    pub model_name: ::prost::alloc::string::String,
}
/// The type of what an SQL expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum SliceValueTypes {
    /// Not stated.
    ValueTypeDefault = 0,
    /// An integer.
    ValueTypeInteger = 1,
    /// A float.
    ValueTypeFloat = 2,
    /// A type that cannot be used.
    ValueTypeUnsupported = 3,
}
impl SliceValueTypes {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::ValueTypeDefault => "VALUE_TYPE_DEFAULT",
            Self::ValueTypeInteger => "VALUE_TYPE_INTEGER",
            Self::ValueTypeFloat => "VALUE_TYPE_FLOAT",
            Self::ValueTypeUnsupported => "VALUE_TYPE_UNSUPPORTED",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "VALUE_TYPE_DEFAULT" => Some(Self::ValueTypeDefault),
            "VALUE_TYPE_INTEGER" => Some(Self::ValueTypeInteger),
            "VALUE_TYPE_FLOAT" => Some(Self::ValueTypeFloat),
            "VALUE_TYPE_UNSUPPORTED" => Some(Self::ValueTypeUnsupported),
            _ => None,
        }
    }
}
/// The statistics of several data sets, or of several slices of one.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DatasetFeatureStatisticsList {
    /// One entry for each data set or slice.
    #[prost(message, repeated, tag = "1")]
    pub datasets: ::prost::alloc::vec::Vec<DatasetFeatureStatistics>,
}
/// The statistics of one data set or slice.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DatasetFeatureStatistics {
    /// The name of the data set, or the key of the slice.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    /// How many examples there are.
    #[prost(uint64, tag = "2")]
    pub num_examples: u64,
    /// The sum of their weights.
    #[prost(double, tag = "4")]
    pub weighted_num_examples: f64,
    /// One entry for each feature.
    #[prost(message, repeated, tag = "3")]
    pub features: ::prost::alloc::vec::Vec<FeatureNameStatistics>,
    /// One entry for each pair of features that was looked at.
    #[prost(message, repeated, tag = "5")]
    pub cross_features: ::prost::alloc::vec::Vec<CrossFeatureStatistics>,
}
/// The statistics of a pair of features.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CrossFeatureStatistics {
    /// The first feature.
    #[prost(message, optional, tag = "1")]
    pub path_x: ::core::option::Option<Path>,
    /// The second feature.
    #[prost(message, optional, tag = "2")]
    pub path_y: ::core::option::Option<Path>,
    /// How many examples have both.
    #[prost(uint64, tag = "3")]
    pub count: u64,
    /// By the types of the features.
    #[prost(oneof = "cross_feature_statistics::CrossStats", tags = "4, 5")]
    pub cross_stats: ::core::option::Option<cross_feature_statistics::CrossStats>,
}
/// Nested message and enum types in `CrossFeatureStatistics`.
pub mod cross_feature_statistics {
    /// By the types of the features.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum CrossStats {
        /// Two numeric features.
        #[prost(message, tag = "4")]
        NumCrossStats(super::NumericCrossStatistics),
        /// Two categorical features.
        #[prost(message, tag = "5")]
        CategoricalCrossStats(super::CategoricalCrossStatistics),
    }
}
/// The statistics of two numeric features.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct NumericCrossStatistics {
    /// Pearson's correlation.
    #[prost(float, tag = "1")]
    pub correlation: f32,
    /// The covariance, E\[(x - E[x\]) (y - E\[y\])].
    #[prost(float, tag = "2")]
    pub covariance: f32,
}
/// The statistics of two categorical features.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CategoricalCrossStatistics {
    /// How much more often values occur together than they would by chance.
    #[prost(message, optional, tag = "1")]
    pub lift: ::core::option::Option<LiftStatistics>,
}
/// Lift of the values of one feature by those of another.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct LiftStatistics {
    /// By examples.
    #[prost(message, repeated, tag = "1")]
    pub lift_series: ::prost::alloc::vec::Vec<LiftSeries>,
    /// By weights.
    #[prost(message, repeated, tag = "2")]
    pub weighted_lift_series: ::prost::alloc::vec::Vec<LiftSeries>,
}
/// Lift for one value of y.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct LiftSeries {
    /// One entry for each value of x.
    #[prost(message, repeated, tag = "6")]
    pub lift_values: ::prost::alloc::vec::Vec<lift_series::LiftValue>,
    /// The value of y.
    #[prost(oneof = "lift_series::YValue", tags = "1, 2, 3")]
    pub y_value: ::core::option::Option<lift_series::YValue>,
    /// How often y has it.
    #[prost(oneof = "lift_series::YCountValue", tags = "4, 5")]
    pub y_count_value: ::core::option::Option<lift_series::YCountValue>,
}
/// Nested message and enum types in `LiftSeries`.
pub mod lift_series {
    /// A range of values.
    #[derive(Clone, Copy, PartialEq, ::prost::Message)]
    pub struct Bucket {
        /// The lower bound, included.
        #[prost(double, tag = "1")]
        pub low_value: f64,
        /// The upper bound, excluded.
        #[prost(double, tag = "2")]
        pub high_value: f64,
    }
    /// Lift for one value of x: P(x | y) / P(x).
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct LiftValue {
        /// The lift.
        #[prost(double, tag = "3")]
        pub lift: f64,
        /// The value of x.
        #[prost(oneof = "lift_value::XValue", tags = "1, 2")]
        pub x_value: ::core::option::Option<lift_value::XValue>,
        /// How often x has it.
        #[prost(oneof = "lift_value::XCountValue", tags = "4, 5")]
        pub x_count_value: ::core::option::Option<lift_value::XCountValue>,
        /// How often both occur.
        #[prost(oneof = "lift_value::XAndYCountValue", tags = "6, 7")]
        pub x_and_y_count_value: ::core::option::Option<lift_value::XAndYCountValue>,
    }
    /// Nested message and enum types in `LiftValue`.
    pub mod lift_value {
        /// The value of x.
        #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
        pub enum XValue {
            /// An integer.
            #[prost(int32, tag = "1")]
            XInt(i32),
            /// A string.
            #[prost(string, tag = "2")]
            XString(::prost::alloc::string::String),
        }
        /// How often x has it.
        #[derive(Clone, Copy, PartialEq, ::prost::Oneof)]
        pub enum XCountValue {
            /// In examples.
            #[prost(uint64, tag = "4")]
            XCount(u64),
            /// In weights.
            #[prost(double, tag = "5")]
            WeightedXCount(f64),
        }
        /// How often both occur.
        #[derive(Clone, Copy, PartialEq, ::prost::Oneof)]
        pub enum XAndYCountValue {
            /// In examples.
            #[prost(uint64, tag = "6")]
            XAndYCount(u64),
            /// In weights.
            #[prost(double, tag = "7")]
            WeightedXAndYCount(f64),
        }
    }
    /// The value of y.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum YValue {
        /// An integer.
        #[prost(int32, tag = "1")]
        YInt(i32),
        /// A string.
        #[prost(string, tag = "2")]
        YString(::prost::alloc::string::String),
        /// A range.
        #[prost(message, tag = "3")]
        YBucket(Bucket),
    }
    /// How often y has it.
    #[derive(Clone, Copy, PartialEq, ::prost::Oneof)]
    pub enum YCountValue {
        /// In examples.
        #[prost(uint64, tag = "4")]
        YCount(u64),
        /// In weights.
        #[prost(double, tag = "5")]
        WeightedYCount(f64),
    }
}
/// The statistics of one feature.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FeatureNameStatistics {
    /// The type of the values.
    #[prost(enumeration = "feature_name_statistics::Type", tag = "2")]
    pub r#type: i32,
    /// Whatever else was computed.
    #[prost(message, repeated, tag = "6")]
    pub custom_stats: ::prost::alloc::vec::Vec<CustomStatistic>,
    /// How the feature was computed, if it is not in the data.
    #[prost(message, optional, tag = "10")]
    pub validation_derived_source: ::core::option::Option<DerivedFeatureSource>,
    /// Which feature.
    #[prost(oneof = "feature_name_statistics::FieldId", tags = "1, 8")]
    pub field_id: ::core::option::Option<feature_name_statistics::FieldId>,
    /// By the type of the values.
    #[prost(oneof = "feature_name_statistics::Stats", tags = "3, 4, 5, 7")]
    pub stats: ::core::option::Option<feature_name_statistics::Stats>,
}
/// Nested message and enum types in `FeatureNameStatistics`.
pub mod feature_name_statistics {
    /// The type of the values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// Integers.
        Int = 0,
        /// Floats.
        Float = 1,
        /// Text.
        String = 2,
        /// Byte strings.
        Bytes = 3,
        /// Structs.
        Struct = 4,
    }
    impl Type {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Int => "INT",
                Self::Float => "FLOAT",
                Self::String => "STRING",
                Self::Bytes => "BYTES",
                Self::Struct => "STRUCT",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "INT" => Some(Self::Int),
                "FLOAT" => Some(Self::Float),
                "STRING" => Some(Self::String),
                "BYTES" => Some(Self::Bytes),
                "STRUCT" => Some(Self::Struct),
                _ => None,
            }
        }
    }
    /// Which feature.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum FieldId {
        /// Its name.
        #[prost(string, tag = "1")]
        Name(::prost::alloc::string::String),
        /// Its path.
        #[prost(message, tag = "8")]
        Path(super::Path),
    }
    /// By the type of the values.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Stats {
        /// Of numbers.
        #[prost(message, tag = "3")]
        NumStats(super::NumericStatistics),
        /// Of text.
        #[prost(message, tag = "4")]
        StringStats(super::StringStatistics),
        /// Of byte strings.
        #[prost(message, tag = "5")]
        BytesStats(super::BytesStatistics),
        /// Of structs.
        #[prost(message, tag = "7")]
        StructStats(super::StructStatistics),
    }
}
/// Counts of values, by weight.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct WeightedCommonStatistics {
    /// The weight of the examples that have the feature.
    #[prost(double, tag = "1")]
    pub num_non_missing: f64,
    /// The weight of those that lack it.
    #[prost(double, tag = "2")]
    pub num_missing: f64,
    /// The mean number of values.
    #[prost(double, tag = "3")]
    pub avg_num_values: f64,
    /// The number of values.
    #[prost(double, tag = "4")]
    pub tot_num_values: f64,
}
/// A statistic with a name.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CustomStatistic {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: ::prost::alloc::string::String,
    /// The value.
    #[prost(oneof = "custom_statistic::Val", tags = "2, 3, 4, 5, 6")]
    pub val: ::core::option::Option<custom_statistic::Val>,
}
/// Nested message and enum types in `CustomStatistic`.
pub mod custom_statistic {
    /// The value.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Val {
        /// A number.
        #[prost(double, tag = "2")]
        Num(f64),
        /// A text.
        #[prost(string, tag = "3")]
        Str(::prost::alloc::string::String),
        /// A histogram.
        #[prost(message, tag = "4")]
        Histogram(super::Histogram),
        /// A histogram of ranks.
        #[prost(message, tag = "5")]
        RankHistogram(super::RankHistogram),
        /// Any message.
        #[prost(message, tag = "6")]
        Any(super::super::super::super::google::protobuf::Any),
    }
}
/// The statistics of numbers.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NumericStatistics {
    /// Counts.
    #[prost(message, optional, tag = "1")]
    pub common_stats: ::core::option::Option<CommonStatistics>,
    /// The mean.
    #[prost(double, tag = "2")]
    pub mean: f64,
    /// The standard deviation.
    #[prost(double, tag = "3")]
    pub std_dev: f64,
    /// How many values are 0.
    #[prost(uint64, tag = "4")]
    pub num_zeros: u64,
    /// The least value.
    #[prost(double, tag = "5")]
    pub min: f64,
    /// The median.
    #[prost(double, tag = "6")]
    pub median: f64,
    /// The largest value.
    #[prost(double, tag = "7")]
    pub max: f64,
    /// Histograms, of equal width or of quantiles.
    #[prost(message, repeated, tag = "8")]
    pub histograms: ::prost::alloc::vec::Vec<Histogram>,
    /// The same by weight.
    #[prost(message, optional, tag = "9")]
    pub weighted_numeric_stats: ::core::option::Option<WeightedNumericStatistics>,
}
/// The statistics of text.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct StringStatistics {
    /// Counts.
    #[prost(message, optional, tag = "1")]
    pub common_stats: ::core::option::Option<CommonStatistics>,
    /// How many values are distinct.
    #[prost(uint64, tag = "2")]
    pub unique: u64,
    /// The most frequent values, the most frequent first.
    #[prost(message, repeated, tag = "3")]
    pub top_values: ::prost::alloc::vec::Vec<string_statistics::FreqAndValue>,
    /// The mean length.
    #[prost(float, tag = "4")]
    pub avg_length: f32,
    /// How often values occur, by rank.
    #[prost(message, optional, tag = "5")]
    pub rank_histogram: ::core::option::Option<RankHistogram>,
    /// The same by weight.
    #[prost(message, optional, tag = "6")]
    pub weighted_string_stats: ::core::option::Option<WeightedStringStatistics>,
    /// The file of the vocabulary.
    #[prost(string, tag = "7")]
    pub vocabulary_file: ::prost::alloc::string::String,
    /// How many values are not UTF-8.
    #[prost(uint64, tag = "8")]
    pub invalid_utf8_count: u64,
}
/// Nested message and enum types in `StringStatistics`.
pub mod string_statistics {
    /// A value and how often it occurs.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct FreqAndValue {
        /// The value.
        #[prost(string, tag = "2")]
        pub value: ::prost::alloc::string::String,
        /// How often it occurs.
        #[prost(double, tag = "3")]
        pub frequency: f64,
    }
}
/// The statistics of natural language.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NaturalLanguageStatistics {
    /// The part of tokens that are in the vocabulary.
    #[prost(double, tag = "1")]
    pub feature_coverage: f64,
    /// The mean length of tokens.
    #[prost(double, tag = "2")]
    pub avg_token_length: f64,
    /// The lengths of tokens.
    #[prost(message, optional, tag = "3")]
    pub token_length_histogram: ::core::option::Option<Histogram>,
    /// The least number of tokens in a sequence.
    #[prost(int64, tag = "10")]
    pub min_sequence_length: i64,
    /// The largest number of tokens in a sequence.
    #[prost(int64, tag = "11")]
    pub max_sequence_length: i64,
    /// The numbers of tokens in sequences.
    #[prost(message, optional, tag = "9")]
    pub sequence_length_histogram: ::core::option::Option<Histogram>,
    /// How many sequences lack a token where one is expected.
    #[prost(int64, tag = "4")]
    pub location_misses: i64,
    /// Some sequences.
    #[prost(string, repeated, tag = "5")]
    pub reported_sequences: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// One entry for each token that was asked for.
    #[prost(message, repeated, tag = "6")]
    pub token_statistics: ::prost::alloc::vec::Vec<natural_language_statistics::TokenStatistics>,
    /// How often tokens occur, by rank.
    #[prost(message, optional, tag = "7")]
    pub rank_histogram: ::core::option::Option<RankHistogram>,
    /// The same by weight.
    #[prost(message, optional, tag = "8")]
    pub weighted_nl_statistics: ::core::option::Option<WeightedNaturalLanguageStatistics>,
}
/// Nested message and enum types in `NaturalLanguageStatistics`.
pub mod natural_language_statistics {
    /// Statistics of single tokens.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct TokenStatistics {
        /// How often it occurs.
        #[prost(double, tag = "3")]
        pub frequency: f64,
        /// The part of sequences that have it.
        #[prost(double, tag = "4")]
        pub fraction_of_sequences: f64,
        /// The least frequency in a sequence.
        #[prost(double, tag = "5")]
        pub per_sequence_min_frequency: f64,
        /// The mean frequency in a sequence.
        #[prost(double, tag = "6")]
        pub per_sequence_avg_frequency: f64,
        /// The largest frequency in a sequence.
        #[prost(double, tag = "7")]
        pub per_sequence_max_frequency: f64,
        /// Where in sequences it occurs, from 0 to 1.
        #[prost(message, optional, tag = "8")]
        pub positions: ::core::option::Option<super::Histogram>,
        /// The token.
        #[prost(oneof = "token_statistics::Token", tags = "1, 2")]
        pub token: ::core::option::Option<token_statistics::Token>,
    }
    /// Nested message and enum types in `TokenStatistics`.
    pub mod token_statistics {
        /// The token.
        #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
        pub enum Token {
            /// As text.
            #[prost(string, tag = "1")]
            StringToken(::prost::alloc::string::String),
            /// As a number.
            #[prost(int64, tag = "2")]
            IntToken(i64),
        }
    }
}
/// The statistics of numbers, by weight.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct WeightedNumericStatistics {
    /// The mean.
    #[prost(double, tag = "1")]
    pub mean: f64,
    /// The standard deviation.
    #[prost(double, tag = "2")]
    pub std_dev: f64,
    /// The median.
    #[prost(double, tag = "3")]
    pub median: f64,
    /// Histograms.
    #[prost(message, repeated, tag = "4")]
    pub histograms: ::prost::alloc::vec::Vec<Histogram>,
}
/// The statistics of text, by weight.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct WeightedStringStatistics {
    /// The values of the largest weight, the largest first.
    #[prost(message, repeated, tag = "1")]
    pub top_values: ::prost::alloc::vec::Vec<string_statistics::FreqAndValue>,
    /// The weights of values, by rank.
    #[prost(message, optional, tag = "2")]
    pub rank_histogram: ::core::option::Option<RankHistogram>,
}
/// The statistics of natural language, by weight.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct WeightedNaturalLanguageStatistics {
    /// The part of tokens that are in the vocabulary.
    #[prost(double, tag = "1")]
    pub feature_coverage: f64,
    /// The mean length of tokens.
    #[prost(double, tag = "2")]
    pub avg_token_length: f64,
    /// The lengths of tokens.
    #[prost(message, optional, tag = "3")]
    pub token_length_histogram: ::core::option::Option<Histogram>,
    /// The numbers of tokens in sequences.
    #[prost(message, optional, tag = "9")]
    pub sequence_length_histogram: ::core::option::Option<Histogram>,
    /// The weight of sequences that lack a token where one is expected.
    #[prost(double, tag = "4")]
    pub location_misses: f64,
    /// Statistics of a token.
    #[prost(message, optional, tag = "5")]
    pub token_statistics: ::core::option::Option<natural_language_statistics::TokenStatistics>,
    /// The weights of tokens, by rank.
    #[prost(message, optional, tag = "6")]
    pub rank_histogram: ::core::option::Option<RankHistogram>,
}
/// The statistics of byte strings.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct BytesStatistics {
    /// Counts.
    #[prost(message, optional, tag = "1")]
    pub common_stats: ::core::option::Option<CommonStatistics>,
    /// How many values are distinct.
    #[prost(uint64, tag = "2")]
    pub unique: u64,
    /// The mean length.
    #[prost(float, tag = "3")]
    pub avg_num_bytes: f32,
    /// The least length.
    #[prost(float, tag = "4")]
    pub min_num_bytes: f32,
    /// The largest length.
    #[prost(float, tag = "5")]
    pub max_num_bytes: f32,
    /// The largest length, exactly.
    #[prost(int64, tag = "6")]
    pub max_num_bytes_int: i64,
}
/// The statistics of structs.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct StructStatistics {
    /// Counts.
    #[prost(message, optional, tag = "1")]
    pub common_stats: ::core::option::Option<CommonStatistics>,
}
/// Counts of values at one level of nested lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct PresenceAndValencyStatistics {
    /// How many lists are not missing.
    #[prost(uint64, tag = "1")]
    pub num_non_missing: u64,
    /// How many are missing.
    #[prost(uint64, tag = "2")]
    pub num_missing: u64,
    /// The least number of values.
    #[prost(uint64, tag = "3")]
    pub min_num_values: u64,
    /// The largest number of values.
    #[prost(uint64, tag = "4")]
    pub max_num_values: u64,
    /// The number of values.
    #[prost(uint64, tag = "5")]
    pub tot_num_values: u64,
}
/// Counts of values.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct CommonStatistics {
    /// How many examples have the feature.
    #[prost(uint64, tag = "1")]
    pub num_non_missing: u64,
    /// How many lack it.
    #[prost(uint64, tag = "2")]
    pub num_missing: u64,
    /// The least number of values.
    #[prost(uint64, tag = "3")]
    pub min_num_values: u64,
    /// The largest number of values.
    #[prost(uint64, tag = "4")]
    pub max_num_values: u64,
    /// The mean number of values.
    #[prost(float, tag = "5")]
    pub avg_num_values: f32,
    /// The number of values.
    #[prost(uint64, tag = "8")]
    pub tot_num_values: u64,
    /// The numbers of values.
    #[prost(message, optional, tag = "6")]
    pub num_values_histogram: ::core::option::Option<Histogram>,
    /// The same by weight.
    #[prost(message, optional, tag = "7")]
    pub weighted_common_stats: ::core::option::Option<WeightedCommonStatistics>,
    /// The numbers of steps of sequences.
    #[prost(message, optional, tag = "9")]
    pub feature_list_length_histogram: ::core::option::Option<Histogram>,
    /// The same for each level of nested lists, the outermost first.
    #[prost(message, repeated, tag = "10")]
    pub presence_and_valency_stats: ::prost::alloc::vec::Vec<PresenceAndValencyStatistics>,
    /// The same by weight.
    #[prost(message, repeated, tag = "11")]
    pub weighted_presence_and_valency_stats: ::prost::alloc::vec::Vec<WeightedCommonStatistics>,
}
/// A histogram of numbers.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Histogram {
    /// How many values are NaN.
    #[prost(uint64, tag = "1")]
    pub num_nan: u64,
    /// How many values are not defined.
    #[prost(uint64, tag = "2")]
    pub num_undefined: u64,
    /// The buckets, in ascending order.
    #[prost(message, repeated, tag = "3")]
    pub buckets: ::prost::alloc::vec::Vec<histogram::Bucket>,
    /// How the buckets were chosen.
    #[prost(enumeration = "histogram::HistogramType", tag = "4")]
    pub r#type: i32,
    /// What the histogram is of.
    #[prost(string, tag = "5")]
    pub name: ::prost::alloc::string::String,
}
/// Nested message and enum types in `Histogram`.
pub mod histogram {
    /// One bucket.
    #[derive(Clone, Copy, PartialEq, ::prost::Message)]
    pub struct Bucket {
        /// The lower bound, included.
        #[prost(double, tag = "1")]
        pub low_value: f64,
        /// The upper bound, excluded but in the last bucket.
        #[prost(double, tag = "2")]
        pub high_value: f64,
        /// How many values are in it.
        #[prost(double, tag = "4")]
        pub sample_count: f64,
    }
    /// How the buckets were chosen.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum HistogramType {
        /// Buckets of equal width.
        Standard = 0,
        /// Buckets of equal count.
        Quantiles = 1,
    }
    impl HistogramType {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Standard => "STANDARD",
                Self::Quantiles => "QUANTILES",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "STANDARD" => Some(Self::Standard),
                "QUANTILES" => Some(Self::Quantiles),
                _ => None,
            }
        }
    }
}
/// A histogram of values by rank.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct RankHistogram {
    /// The buckets, in ascending order of rank.
    #[prost(message, repeated, tag = "1")]
    pub buckets: ::prost::alloc::vec::Vec<rank_histogram::Bucket>,
    /// What the histogram is of.
    #[prost(string, tag = "2")]
    pub name: ::prost::alloc::string::String,
}
/// Nested message and enum types in `RankHistogram`.
pub mod rank_histogram {
    /// One bucket.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct Bucket {
        /// The lower bound of ranks, included.
        #[prost(uint64, tag = "1")]
        pub low_rank: u64,
        /// The upper bound of ranks, excluded.
        #[prost(uint64, tag = "2")]
        pub high_rank: u64,
        /// The value, where the bucket has one.
        #[prost(string, tag = "4")]
        pub label: ::prost::alloc::string::String,
        /// How often the values occur.
        #[prost(double, tag = "5")]
        pub sample_count: f64,
    }
}
