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
/// The schema of a data set.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Schema {
    /// The features.
    #[prost(message, repeated, tag = "1")]
    pub feature: ::prost::alloc::vec::Vec<Feature>,
    /// Sparse features, each made of index features and a value feature.
    #[prost(message, repeated, tag = "6")]
    pub sparse_feature: ::prost::alloc::vec::Vec<SparseFeature>,
    /// Weighted features, each made of a value feature and a weight feature.
    #[prost(message, repeated, tag = "12")]
    pub weighted_feature: ::prost::alloc::vec::Vec<WeightedFeature>,
    /// String domains that features refer to by name.
    #[prost(message, repeated, tag = "4")]
    pub string_domain: ::prost::alloc::vec::Vec<StringDomain>,
    /// Float domains that features refer to by name.
    #[prost(message, repeated, tag = "9")]
    pub float_domain: ::prost::alloc::vec::Vec<FloatDomain>,
    /// Integer domains that features refer to by name.
    #[prost(message, repeated, tag = "10")]
    pub int_domain: ::prost::alloc::vec::Vec<IntDomain>,
    /// The environments that a feature is expected in unless it says otherwise.
    #[prost(string, repeated, tag = "5")]
    pub default_environment: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Whether features of variable length become ragged tensors instead of sparse ones where no tensor
    /// representation says otherwise.
    #[prost(bool, optional, tag = "14")]
    pub represent_variable_length_as_ragged: ::core::option::Option<bool>,
    /// Notes on the schema.
    #[prost(message, optional, tag = "8")]
    pub annotation: ::core::option::Option<Annotation>,
    /// What must hold for the data set as a whole.
    #[prost(message, optional, tag = "11")]
    pub dataset_constraints: ::core::option::Option<DatasetConstraints>,
    /// Sets of tensors by name of the set.
    #[prost(btree_map = "string, message", tag = "13")]
    pub tensor_representation_group:
        ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, TensorRepresentationGroup>,
    /// Whether tensors are inferred by the rules that were in use before `shape` was: a fixed value_count
    /// makes a dense tensor. Not in the published file, which left the field out.
    #[prost(bool, optional, tag = "50000")]
    pub generate_legacy_feature_spec: ::core::option::Option<bool>,
}
/// Value counts of a nested feature, one for each level of nesting, from the outside in.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ValueCountList {
    /// The counts.
    #[prost(message, repeated, tag = "1")]
    pub value_count: ::prost::alloc::vec::Vec<ValueCount>,
}
/// One feature: a column of the data set.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Feature {
    /// The name. For a feature of a struct it is the name of the field.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// Superseded by `lifecycle_stage`.
    #[deprecated]
    #[prost(bool, optional, tag = "2")]
    pub deprecated: ::core::option::Option<bool>,
    /// The type of the values.
    #[prost(enumeration = "FeatureType", optional, tag = "6")]
    pub r#type: ::core::option::Option<i32>,
    /// How the values must be distributed.
    #[prost(message, optional, tag = "15")]
    pub distribution_constraints: ::core::option::Option<DistributionConstraints>,
    /// Notes on the feature.
    #[prost(message, optional, tag = "16")]
    pub annotation: ::core::option::Option<Annotation>,
    /// The allowed difference between training and serving data.
    #[prost(message, optional, tag = "18")]
    pub skew_comparator: ::core::option::Option<FeatureComparator>,
    /// The allowed difference between one span of data and the next.
    #[prost(message, optional, tag = "21")]
    pub drift_comparator: ::core::option::Option<FeatureComparator>,
    /// Environments that the feature is expected in, besides the default ones.
    #[prost(string, repeated, tag = "20")]
    pub in_environment: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Environments that the feature is not expected in.
    #[prost(string, repeated, tag = "19")]
    pub not_in_environment: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// How far the feature is ready to be used.
    #[prost(enumeration = "LifecycleStage", optional, tag = "22")]
    pub lifecycle_stage: ::core::option::Option<i32>,
    /// How many different values there may be.
    #[prost(message, optional, tag = "31")]
    pub unique_constraints: ::core::option::Option<UniqueConstraints>,
    /// The origin of a feature that is computed for validation.
    #[prost(message, optional, tag = "34")]
    pub validation_derived_source: ::core::option::Option<DerivedFeatureSource>,
    /// What is known of the feature as a sequence.
    #[prost(message, optional, tag = "35")]
    pub sequence_metadata: ::core::option::Option<SequenceMetadata>,
    /// In how many examples the feature has to be present.
    #[prost(oneof = "feature::PresenceConstraints", tags = "14, 17")]
    pub presence_constraints: ::core::option::Option<feature::PresenceConstraints>,
    /// How many values an example has.
    #[prost(oneof = "feature::ShapeType", tags = "23, 5, 32")]
    pub shape_type: ::core::option::Option<feature::ShapeType>,
    /// Which values are allowed, and what they mean.
    #[prost(
        oneof = "feature::DomainInfo",
        tags = "7, 9, 10, 11, 13, 29, 24, 25, 36, 37, 38, 26, 27, 28, 30"
    )]
    pub domain_info: ::core::option::Option<feature::DomainInfo>,
}
/// Nested message and enum types in `Feature`.
pub mod feature {
    /// In how many examples the feature has to be present.
    #[derive(Clone, Copy, PartialEq, ::prost::Oneof)]
    pub enum PresenceConstraints {
        /// The constraint over all examples.
        #[prost(message, tag = "14")]
        Presence(super::FeaturePresence),
        /// The constraint within the group or struct that holds the feature.
        #[prost(message, tag = "17")]
        GroupPresence(super::FeaturePresenceWithinGroup),
    }
    /// How many values an example has.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum ShapeType {
        /// Exactly as many as a tensor of this shape, in row-major order.
        #[prost(message, tag = "23")]
        Shape(super::FixedShape),
        /// From a least to a largest number.
        #[prost(message, tag = "5")]
        ValueCount(super::ValueCount),
        /// The same for each level of nesting.
        #[prost(message, tag = "32")]
        ValueCounts(super::ValueCountList),
    }
    /// Which values are allowed, and what they mean.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum DomainInfo {
        /// The name of a domain in the schema.
        #[prost(string, tag = "7")]
        Domain(::prost::alloc::string::String),
        /// Integers.
        #[prost(message, tag = "9")]
        IntDomain(super::IntDomain),
        /// Floats.
        #[prost(message, tag = "10")]
        FloatDomain(super::FloatDomain),
        /// Strings of a vocabulary.
        #[prost(message, tag = "11")]
        StringDomain(super::StringDomain),
        /// Two values that mean true and false.
        #[prost(message, tag = "13")]
        BoolDomain(super::BoolDomain),
        /// The fields of a struct.
        #[prost(message, tag = "29")]
        StructDomain(super::StructDomain),
        /// Text.
        #[prost(message, tag = "24")]
        NaturalLanguageDomain(super::NaturalLanguageDomain),
        /// Encoded images.
        #[prost(message, tag = "25")]
        ImageDomain(super::ImageDomain),
        /// Encoded audio.
        #[prost(message, tag = "36")]
        AudioDomain(super::AudioDomain),
        /// Encoded video.
        #[prost(message, tag = "37")]
        VideoDomain(super::VideoDomain),
        /// Chunks of mixed content.
        #[prost(message, tag = "38")]
        ContentChunkDomain(super::ContentChunkDomain),
        /// Knowledge graph identifiers.
        #[prost(message, tag = "26")]
        MidDomain(super::MidDomain),
        /// Addresses of web pages.
        #[prost(message, tag = "27")]
        UrlDomain(super::UrlDomain),
        /// Points in time.
        #[prost(message, tag = "28")]
        TimeDomain(super::TimeDomain),
        /// Times of day.
        #[prost(message, tag = "30")]
        TimeOfDayDomain(super::TimeOfDayDomain),
    }
}
/// Notes on a schema or a feature.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Annotation {
    /// Words to find it by.
    #[prost(string, repeated, tag = "1")]
    pub tag: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Free text.
    #[prost(string, repeated, tag = "2")]
    pub comment: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Messages of other packages.
    #[prost(message, repeated, tag = "3")]
    pub extra_metadata: ::prost::alloc::vec::Vec<super::super::super::google::protobuf::Any>,
}
/// The allowed change of a number: new divided by old.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct NumericValueComparator {
    /// The smallest quotient allowed.
    #[prost(double, optional, tag = "1")]
    pub min_fraction_threshold: ::core::option::Option<f64>,
    /// The largest quotient allowed.
    #[prost(double, optional, tag = "2")]
    pub max_fraction_threshold: ::core::option::Option<f64>,
}
/// What must hold for a data set as a whole.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct DatasetConstraints {
    /// The allowed change in the number of examples since the span before.
    #[prost(message, optional, tag = "1")]
    pub num_examples_drift_comparator: ::core::option::Option<NumericValueComparator>,
    /// The allowed change in the number of examples since the version before.
    #[prost(message, optional, tag = "2")]
    pub num_examples_version_comparator: ::core::option::Option<NumericValueComparator>,
    /// The least number of examples.
    #[prost(int64, optional, tag = "3")]
    pub min_examples_count: ::core::option::Option<i64>,
    /// The largest number of examples.
    #[prost(int64, optional, tag = "4")]
    pub max_examples_count: ::core::option::Option<i64>,
}
/// A tensor shape that every example has.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FixedShape {
    /// The dimensions, from the outside in. None at all is a scalar.
    #[prost(message, repeated, tag = "2")]
    pub dim: ::prost::alloc::vec::Vec<fixed_shape::Dim>,
}
/// Nested message and enum types in `FixedShape`.
pub mod fixed_shape {
    /// One dimension.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Dim {
        /// The number of elements along it.
        #[prost(int64, optional, tag = "1")]
        pub size: ::core::option::Option<i64>,
        /// Its name, for people.
        #[prost(string, optional, tag = "2")]
        pub name: ::core::option::Option<::prost::alloc::string::String>,
    }
}
/// How many values an example may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ValueCount {
    /// The least number.
    #[prost(int64, optional, tag = "1")]
    pub min: ::core::option::Option<i64>,
    /// The largest number.
    #[prost(int64, optional, tag = "2")]
    pub max: ::core::option::Option<i64>,
}
/// A feature whose values have weights, which stand in another feature.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct WeightedFeature {
    /// The name of the pair. It must differ from those of the features.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// The values.
    #[prost(message, optional, tag = "2")]
    pub feature: ::core::option::Option<Path>,
    /// The weights, one for each value.
    #[prost(message, optional, tag = "3")]
    pub weight_feature: ::core::option::Option<Path>,
    /// How far the pair is ready to be used.
    #[prost(enumeration = "LifecycleStage", optional, tag = "4")]
    pub lifecycle_stage: ::core::option::Option<i32>,
}
/// A sparse tensor whose indices and values stand in features of their own.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SparseFeature {
    /// The name of the sparse feature. It must differ from those of the features.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// Superseded by `lifecycle_stage`.
    #[deprecated]
    #[prost(bool, optional, tag = "2")]
    pub deprecated: ::core::option::Option<bool>,
    /// How far the feature is ready to be used.
    #[prost(enumeration = "LifecycleStage", optional, tag = "7")]
    pub lifecycle_stage: ::core::option::Option<i32>,
    /// Superseded: the presence of the parts counts.
    #[deprecated]
    #[prost(message, optional, tag = "4")]
    pub presence: ::core::option::Option<FeaturePresence>,
    /// The shape of the tensor of one example.
    #[prost(message, optional, tag = "5")]
    pub dense_shape: ::core::option::Option<FixedShape>,
    /// The indices, one feature for each dimension.
    #[prost(message, repeated, tag = "6")]
    pub index_feature: ::prost::alloc::vec::Vec<sparse_feature::IndexFeature>,
    /// Whether the indices of every example are sorted.
    #[prost(bool, optional, tag = "8")]
    pub is_sorted: ::core::option::Option<bool>,
    /// The values.
    #[prost(message, optional, tag = "9")]
    pub value_feature: ::core::option::Option<sparse_feature::ValueFeature>,
    /// Superseded: the type of the value feature counts.
    #[deprecated]
    #[prost(enumeration = "FeatureType", optional, tag = "10")]
    pub r#type: ::core::option::Option<i32>,
}
/// Nested message and enum types in `SparseFeature`.
pub mod sparse_feature {
    /// A feature that holds indices.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct IndexFeature {
        /// Its name.
        #[prost(string, optional, tag = "1")]
        pub name: ::core::option::Option<::prost::alloc::string::String>,
    }
    /// A feature that holds values.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct ValueFeature {
        /// Its name.
        #[prost(string, optional, tag = "1")]
        pub name: ::core::option::Option<::prost::alloc::string::String>,
    }
}
/// How the values of a feature must be distributed.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct DistributionConstraints {
    /// The least share of values that must lie in the domain.
    #[prost(double, optional, tag = "1", default = "1")]
    pub min_domain_mass: ::core::option::Option<f64>,
}
/// How much of a text feature a vocabulary must cover.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FeatureCoverageConstraints {
    /// The least share of tokens that the vocabulary must hold.
    #[prost(float, optional, tag = "1")]
    pub min_coverage: ::core::option::Option<f32>,
    /// The least mean length of a token.
    #[prost(float, optional, tag = "2")]
    pub min_avg_token_length: ::core::option::Option<f32>,
    /// Tokens that do not count, as text.
    #[prost(string, repeated, tag = "3")]
    pub excluded_string_tokens: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Tokens that do not count, as numbers.
    #[prost(int64, repeated, tag = "4")]
    pub excluded_int_tokens: ::prost::alloc::vec::Vec<i64>,
    /// Tokens that stand for what the vocabulary does not hold.
    #[prost(string, repeated, tag = "5")]
    pub oov_string_tokens: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
/// How often one value must occur in sequences.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct SequenceValueConstraints {
    /// The least number of times in a sequence.
    #[prost(int64, optional, tag = "3")]
    pub min_per_sequence: ::core::option::Option<i64>,
    /// The largest number of times in a sequence.
    #[prost(int64, optional, tag = "4")]
    pub max_per_sequence: ::core::option::Option<i64>,
    /// The least share of sequences that hold the value.
    #[prost(float, optional, tag = "5")]
    pub min_fraction_of_sequences: ::core::option::Option<f32>,
    /// The largest share of sequences that hold the value.
    #[prost(float, optional, tag = "6")]
    pub max_fraction_of_sequences: ::core::option::Option<f32>,
    /// The value.
    #[prost(oneof = "sequence_value_constraints::Value", tags = "1, 2")]
    pub value: ::core::option::Option<sequence_value_constraints::Value>,
}
/// Nested message and enum types in `SequenceValueConstraints`.
pub mod sequence_value_constraints {
    /// The value.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Value {
        /// As a number.
        #[prost(int64, tag = "1")]
        IntValue(i64),
        /// As text.
        #[prost(string, tag = "2")]
        StringValue(::prost::alloc::string::String),
    }
}
/// How long sequences must be.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SequenceLengthConstraints {
    /// Values that do not count, as numbers.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub excluded_int_value: ::prost::alloc::vec::Vec<i64>,
    /// Values that do not count, as text.
    #[prost(string, repeated, tag = "2")]
    pub excluded_string_value: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// The least length.
    #[prost(int64, optional, tag = "3")]
    pub min_sequence_length: ::core::option::Option<i64>,
    /// The largest length.
    #[prost(int64, optional, tag = "4")]
    pub max_sequence_length: ::core::option::Option<i64>,
}
/// A range of integers.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct IntDomain {
    /// The name, when features refer to the domain.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// The smallest value, itself allowed.
    #[prost(int64, optional, tag = "3")]
    pub min: ::core::option::Option<i64>,
    /// The largest value, itself allowed.
    #[prost(int64, optional, tag = "4")]
    pub max: ::core::option::Option<i64>,
    /// Whether the integers stand for categories.
    #[prost(bool, optional, tag = "5")]
    pub is_categorical: ::core::option::Option<bool>,
}
/// A range of floats.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct FloatDomain {
    /// The name, when features refer to the domain.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// The smallest value, itself allowed.
    #[prost(float, optional, tag = "3")]
    pub min: ::core::option::Option<f32>,
    /// The largest value, itself allowed.
    #[prost(float, optional, tag = "4")]
    pub max: ::core::option::Option<f32>,
    /// Whether NaN is forbidden.
    #[prost(bool, optional, tag = "5")]
    pub disallow_nan: ::core::option::Option<bool>,
    /// Whether infinities are forbidden.
    #[prost(bool, optional, tag = "6")]
    pub disallow_inf: ::core::option::Option<bool>,
    /// Whether the floats are an embedding.
    #[prost(bool, optional, tag = "7")]
    pub is_embedding: ::core::option::Option<bool>,
    /// Whether the floats stand for categories.
    #[prost(bool, optional, tag = "8")]
    pub is_categorical: ::core::option::Option<bool>,
    /// The number of elements of an embedding.
    #[prost(int64, optional, tag = "9")]
    pub embedding_dim: ::core::option::Option<i64>,
    /// The kind of embedding, for people.
    #[prost(string, optional, tag = "10")]
    pub embedding_type: ::core::option::Option<::prost::alloc::string::String>,
}
/// The fields of a struct.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct StructDomain {
    /// The features in the struct.
    #[prost(message, repeated, tag = "1")]
    pub feature: ::prost::alloc::vec::Vec<Feature>,
    /// The sparse features in the struct.
    #[prost(message, repeated, tag = "2")]
    pub sparse_feature: ::prost::alloc::vec::Vec<SparseFeature>,
}
/// A vocabulary.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StringDomain {
    /// The name, when features refer to the domain.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// The strings.
    #[prost(string, repeated, tag = "2")]
    pub value: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// Whether the strings stand for categories.
    #[prost(enumeration = "string_domain::Categorical", optional, tag = "3")]
    pub is_categorical: ::core::option::Option<i32>,
}
/// Nested message and enum types in `StringDomain`.
pub mod string_domain {
    /// Whether the strings stand for categories.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Categorical {
        /// Not stated.
        Unspecified = 0,
        /// They do.
        Yes = 1,
        /// They do not.
        No = 2,
    }
    impl Categorical {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unspecified => "CATEGORICAL_UNSPECIFIED",
                Self::Yes => "CATEGORICAL_YES",
                Self::No => "CATEGORICAL_NO",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "CATEGORICAL_UNSPECIFIED" => Some(Self::Unspecified),
                "CATEGORICAL_YES" => Some(Self::Yes),
                "CATEGORICAL_NO" => Some(Self::No),
                _ => None,
            }
        }
    }
}
/// Two values that mean true and false.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct BoolDomain {
    /// The name, when features refer to the domain.
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    /// What means true.
    #[prost(string, optional, tag = "2")]
    pub true_value: ::core::option::Option<::prost::alloc::string::String>,
    /// What means false.
    #[prost(string, optional, tag = "3")]
    pub false_value: ::core::option::Option<::prost::alloc::string::String>,
}
/// Text in a natural language.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NaturalLanguageDomain {
    /// The name of the vocabulary.
    #[prost(string, optional, tag = "1")]
    pub vocabulary: ::core::option::Option<::prost::alloc::string::String>,
    /// How much of the text the vocabulary must cover.
    #[prost(message, optional, tag = "2")]
    pub coverage: ::core::option::Option<FeatureCoverageConstraints>,
    /// How often single tokens must occur.
    #[prost(message, repeated, tag = "3")]
    pub token_constraints: ::prost::alloc::vec::Vec<SequenceValueConstraints>,
    /// How long the texts must be.
    #[prost(message, optional, tag = "5")]
    pub sequence_length_constraints: ::core::option::Option<SequenceLengthConstraints>,
}
/// Encoded images.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct ImageDomain {
    /// The least share of values that must be images of a supported format.
    #[prost(float, optional, tag = "1")]
    pub minimum_supported_image_fraction: ::core::option::Option<f32>,
    /// The largest size of an image in bytes.
    #[prost(int64, optional, tag = "2")]
    pub max_image_byte_size: ::core::option::Option<i64>,
}
/// Encoded audio.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct AudioDomain {}
/// Encoded video.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct VideoDomain {}
/// Chunks of mixed content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ContentChunkDomain {}
/// Identifiers of a knowledge graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct MidDomain {}
/// Addresses of web pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct UrlDomain {}
/// Points in time.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TimeDomain {
    /// How the time is written.
    #[prost(oneof = "time_domain::Format", tags = "1, 2")]
    pub format: ::core::option::Option<time_domain::Format>,
}
/// Nested message and enum types in `TimeDomain`.
pub mod time_domain {
    /// How integers count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum IntegerTimeFormat {
        /// Not stated.
        FormatUnknown = 0,
        /// Days since 1970.
        UnixDays = 5,
        /// Seconds since 1970.
        UnixSeconds = 1,
        /// Milliseconds since 1970.
        UnixMilliseconds = 2,
        /// Microseconds since 1970.
        UnixMicroseconds = 3,
        /// Nanoseconds since 1970.
        UnixNanoseconds = 4,
    }
    impl IntegerTimeFormat {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::FormatUnknown => "FORMAT_UNKNOWN",
                Self::UnixDays => "UNIX_DAYS",
                Self::UnixSeconds => "UNIX_SECONDS",
                Self::UnixMilliseconds => "UNIX_MILLISECONDS",
                Self::UnixMicroseconds => "UNIX_MICROSECONDS",
                Self::UnixNanoseconds => "UNIX_NANOSECONDS",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "FORMAT_UNKNOWN" => Some(Self::FormatUnknown),
                "UNIX_DAYS" => Some(Self::UnixDays),
                "UNIX_SECONDS" => Some(Self::UnixSeconds),
                "UNIX_MILLISECONDS" => Some(Self::UnixMilliseconds),
                "UNIX_MICROSECONDS" => Some(Self::UnixMicroseconds),
                "UNIX_NANOSECONDS" => Some(Self::UnixNanoseconds),
                _ => None,
            }
        }
    }
    /// How the time is written.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Format {
        /// Text in this strptime format.
        #[prost(string, tag = "1")]
        StringFormat(::prost::alloc::string::String),
        /// An integer.
        #[prost(enumeration = "IntegerTimeFormat", tag = "2")]
        IntegerFormat(i32),
    }
}
/// Times of day.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct TimeOfDayDomain {
    /// How the time is written.
    #[prost(oneof = "time_of_day_domain::Format", tags = "1, 2")]
    pub format: ::core::option::Option<time_of_day_domain::Format>,
}
/// Nested message and enum types in `TimeOfDayDomain`.
pub mod time_of_day_domain {
    /// How integers count.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum IntegerTimeOfDayFormat {
        /// Not stated.
        FormatUnknown = 0,
        /// Hours, minutes, seconds and nanoseconds packed into 64 bits.
        Packed64Nanos = 1,
    }
    impl IntegerTimeOfDayFormat {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::FormatUnknown => "FORMAT_UNKNOWN",
                Self::Packed64Nanos => "PACKED_64_NANOS",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "FORMAT_UNKNOWN" => Some(Self::FormatUnknown),
                "PACKED_64_NANOS" => Some(Self::Packed64Nanos),
                _ => None,
            }
        }
    }
    /// How the time is written.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Format {
        /// Text in this strptime format.
        #[prost(string, tag = "1")]
        StringFormat(::prost::alloc::string::String),
        /// An integer.
        #[prost(enumeration = "IntegerTimeOfDayFormat", tag = "2")]
        IntegerFormat(i32),
    }
}
/// In how many examples a feature has to be present.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct FeaturePresence {
    /// The least share of examples. 1 means every example.
    #[prost(double, optional, tag = "1")]
    pub min_fraction: ::core::option::Option<f64>,
    /// The least number of examples.
    #[prost(int64, optional, tag = "2")]
    pub min_count: ::core::option::Option<i64>,
}
/// Presence within the group or struct that holds the feature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct FeaturePresenceWithinGroup {
    /// Whether the feature must be there when the group is.
    #[prost(bool, optional, tag = "1")]
    pub required: ::core::option::Option<bool>,
}
/// A bound on the largest difference between two normalised histograms.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct InfinityNorm {
    /// The largest difference allowed.
    #[prost(double, optional, tag = "1")]
    pub threshold: ::core::option::Option<f64>,
}
/// Which histogram is compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HistogramSelection {
    /// The kind.
    #[prost(enumeration = "histogram_selection::Type", optional, tag = "1")]
    pub r#type: ::core::option::Option<i32>,
}
/// Nested message and enum types in `HistogramSelection`.
pub mod histogram_selection {
    /// The kinds of histogram.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// Left to the comparer.
        Default = 0,
        /// Buckets of equal counts.
        Quantiles = 1,
        /// Buckets of equal width.
        Standard = 2,
    }
    impl Type {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Default => "DEFAULT",
                Self::Quantiles => "QUANTILES",
                Self::Standard => "STANDARD",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "DEFAULT" => Some(Self::Default),
                "QUANTILES" => Some(Self::Quantiles),
                "STANDARD" => Some(Self::Standard),
                _ => None,
            }
        }
    }
}
/// A bound on the Jensen-Shannon divergence of two distributions.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct JensenShannonDivergence {
    /// The largest divergence allowed.
    #[prost(double, optional, tag = "1")]
    pub threshold: ::core::option::Option<f64>,
    /// The histogram it is computed from.
    #[prost(message, optional, tag = "2")]
    pub source: ::core::option::Option<HistogramSelection>,
}
/// A bound on the normalised absolute difference of two histograms.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct NormalizedAbsoluteDifference {
    /// The largest difference allowed.
    #[prost(double, optional, tag = "1")]
    pub threshold: ::core::option::Option<f64>,
}
/// How two distributions of a feature are compared.
#[derive(Clone, Copy, PartialEq, ::prost::Message)]
pub struct FeatureComparator {
    /// By the infinity norm.
    #[prost(message, optional, tag = "1")]
    pub infinity_norm: ::core::option::Option<InfinityNorm>,
    /// By the Jensen-Shannon divergence.
    #[prost(message, optional, tag = "2")]
    pub jensen_shannon_divergence: ::core::option::Option<JensenShannonDivergence>,
    /// By the normalised absolute difference.
    #[prost(message, optional, tag = "3")]
    pub normalized_abs_difference: ::core::option::Option<NormalizedAbsoluteDifference>,
}
/// How many different values a feature may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct UniqueConstraints {
    /// The least number.
    #[prost(int64, optional, tag = "1")]
    pub min: ::core::option::Option<i64>,
    /// The largest number.
    #[prost(int64, optional, tag = "2")]
    pub max: ::core::option::Option<i64>,
}
/// How a tensor is made of columns.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TensorRepresentation {
    /// The kind of tensor.
    #[prost(oneof = "tensor_representation::Kind", tags = "1, 2, 3, 4, 50000, 50001")]
    pub kind: ::core::option::Option<tensor_representation::Kind>,
}
/// Nested message and enum types in `TensorRepresentation`.
pub mod tensor_representation {
    /// The value of elements that are absent.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct DefaultValue {
        /// The value, of the kind that the column's type asks for.
        #[prost(oneof = "default_value::Kind", tags = "1, 2, 3, 4")]
        pub kind: ::core::option::Option<default_value::Kind>,
    }
    /// Nested message and enum types in `DefaultValue`.
    pub mod default_value {
        /// The value, of the kind that the column's type asks for.
        #[derive(Clone, PartialEq, ::prost::Oneof)]
        pub enum Kind {
            /// For floats.
            #[prost(double, tag = "1")]
            FloatValue(f64),
            /// For signed integers.
            #[prost(int64, tag = "2")]
            IntValue(i64),
            /// For bytes and strings.
            #[prost(bytes, tag = "3")]
            BytesValue(::prost::alloc::vec::Vec<u8>),
            /// For integers that a signed one cannot hold.
            #[prost(uint64, tag = "4")]
            UintValue(u64),
        }
    }
    /// A dense tensor: every row has the same shape.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct DenseTensor {
        /// The column that holds the values.
        #[prost(string, optional, tag = "1")]
        pub column_name: ::core::option::Option<::prost::alloc::string::String>,
        /// The shape of one row, without the batch dimension.
        #[prost(message, optional, tag = "2")]
        pub shape: ::core::option::Option<super::FixedShape>,
        /// What fills rows that are absent. Without it they are an error.
        #[prost(message, optional, tag = "3")]
        pub default_value: ::core::option::Option<DefaultValue>,
    }
    /// A sparse tensor made of one column: the index is the position in the row.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct VarLenSparseTensor {
        /// The column that holds the values.
        #[prost(string, optional, tag = "1")]
        pub column_name: ::core::option::Option<::prost::alloc::string::String>,
    }
    /// A sparse tensor made of index columns and a value column.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct SparseTensor {
        /// The shape of one row, without the batch dimension. -1 is a size that is not known.
        #[prost(message, optional, tag = "1")]
        pub dense_shape: ::core::option::Option<super::FixedShape>,
        /// The columns that hold the indices, one for each dimension.
        #[prost(string, repeated, tag = "2")]
        pub index_column_names: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
        /// The column that holds the values.
        #[prost(string, optional, tag = "3")]
        pub value_column_name: ::core::option::Option<::prost::alloc::string::String>,
        /// Whether the indices of every row are sorted.
        #[prost(bool, optional, tag = "4")]
        pub already_sorted: ::core::option::Option<bool>,
    }
    /// A ragged tensor: values and the partitions that divide them.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct RaggedTensor {
        /// The path to the values. Nested lists on the way are partitions of their own.
        #[prost(message, optional, tag = "1")]
        pub feature_path: ::core::option::Option<super::Path>,
        /// The partitions below those of the path, from the outside in.
        #[prost(message, repeated, tag = "3")]
        pub partition: ::prost::alloc::vec::Vec<ragged_tensor::Partition>,
        /// The integer type of the partitions.
        #[prost(enumeration = "RowPartitionDType", optional, tag = "2")]
        pub row_partition_dtype: ::core::option::Option<i32>,
    }
    /// Nested message and enum types in `RaggedTensor`.
    pub mod ragged_tensor {
        /// One partition.
        #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
        pub struct Partition {
            /// Where its lengths come from.
            #[prost(oneof = "partition::Kind", tags = "1, 2")]
            pub kind: ::core::option::Option<partition::Kind>,
        }
        /// Nested message and enum types in `Partition`.
        pub mod partition {
            /// Where its lengths come from.
            #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
            pub enum Kind {
                /// Every row of this level has the same length.
                #[prost(int64, tag = "1")]
                UniformRowLength(i64),
                /// The column that holds the row lengths.
                #[prost(string, tag = "2")]
                RowLength(::prost::alloc::string::String),
            }
        }
    }
    /// Several columns as the fields of one tensor. From RFC 162; not in the published file.
    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct StructuredTensor {
        /// The columns, each a field of the tensor.
        #[prost(message, repeated, tag = "1")]
        pub column: ::prost::alloc::vec::Vec<super::Path>,
    }
    /// A ragged tensor of all nested lists of one column. From RFC 162; not in the published file.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct VarLenRaggedTensor {
        /// The column that holds the values.
        #[prost(message, optional, tag = "1")]
        pub column: ::core::option::Option<super::Path>,
    }
    /// The integer type of row partitions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum RowPartitionDType {
        /// Not stated: 64 bits.
        Unspecified = 0,
        /// 64 bits.
        Int64 = 1,
        /// 32 bits.
        Int32 = 2,
    }
    impl RowPartitionDType {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unspecified => "UNSPECIFIED",
                Self::Int64 => "INT64",
                Self::Int32 => "INT32",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNSPECIFIED" => Some(Self::Unspecified),
                "INT64" => Some(Self::Int64),
                "INT32" => Some(Self::Int32),
                _ => None,
            }
        }
    }
    /// The kind of tensor.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum Kind {
        /// Dense.
        #[prost(message, tag = "1")]
        DenseTensor(DenseTensor),
        /// Sparse, of one column.
        #[prost(message, tag = "2")]
        VarlenSparseTensor(VarLenSparseTensor),
        /// Sparse, of index and value columns.
        #[prost(message, tag = "3")]
        SparseTensor(SparseTensor),
        /// Ragged.
        #[prost(message, tag = "4")]
        RaggedTensor(RaggedTensor),
        /// Structured. From RFC 162; not in the published file.
        #[prost(message, tag = "50000")]
        StructuredTensor(StructuredTensor),
        /// Ragged, of one column. From RFC 162; not in the published file.
        #[prost(message, tag = "50001")]
        VarlenRaggedTensor(VarLenRaggedTensor),
    }
}
/// A set of tensors.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TensorRepresentationGroup {
    /// Name of the tensor to how it is made.
    #[prost(btree_map = "string, message", tag = "1")]
    pub tensor_representation:
        ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, TensorRepresentation>,
}
/// What is known of a feature as a sequence.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct SequenceMetadata {
    /// Whether the order of the values means something.
    #[prost(enumeration = "sequence_metadata::SequentialStatus", optional, tag = "3")]
    pub sequential_status: ::core::option::Option<i32>,
    /// Features of the same group are sequences in step with each other.
    #[prost(string, optional, tag = "4")]
    pub joint_group: ::core::option::Option<::prost::alloc::string::String>,
    /// The number of values after which the sequence is cut.
    #[prost(int64, optional, tag = "5")]
    pub sequence_truncation_limit: ::core::option::Option<i64>,
}
/// Nested message and enum types in `SequenceMetadata`.
pub mod sequence_metadata {
    /// Whether the order of the values means something.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum SequentialStatus {
        /// Not stated.
        SequentialUnspecified = 0,
        /// It does.
        SequentialYes = 1,
        /// It does not.
        SequentialNo = 2,
    }
    impl SequentialStatus {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::SequentialUnspecified => "SEQUENTIAL_UNSPECIFIED",
                Self::SequentialYes => "SEQUENTIAL_YES",
                Self::SequentialNo => "SEQUENTIAL_NO",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "SEQUENTIAL_UNSPECIFIED" => Some(Self::SequentialUnspecified),
                "SEQUENTIAL_YES" => Some(Self::SequentialYes),
                "SEQUENTIAL_NO" => Some(Self::SequentialNo),
                _ => None,
            }
        }
    }
}
/// How far a feature is ready to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum LifecycleStage {
    /// Not stated. Counts as ready.
    UnknownStage = 0,
    /// Planned; there may be no data yet.
    Planned = 1,
    /// First tests; not for general use.
    Alpha = 2,
    /// Ready for experiments.
    Beta = 3,
    /// Ready for use.
    Production = 4,
    /// No longer to be used.
    Deprecated = 5,
    /// Only for looking into problems; not for training.
    DebugOnly = 6,
    /// Switched off.
    Disabled = 7,
    /// Computed for validation; not part of the data as stored.
    ValidationDerived = 9,
}
impl LifecycleStage {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::UnknownStage => "UNKNOWN_STAGE",
            Self::Planned => "PLANNED",
            Self::Alpha => "ALPHA",
            Self::Beta => "BETA",
            Self::Production => "PRODUCTION",
            Self::Deprecated => "DEPRECATED",
            Self::DebugOnly => "DEBUG_ONLY",
            Self::Disabled => "DISABLED",
            Self::ValidationDerived => "VALIDATION_DERIVED",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "UNKNOWN_STAGE" => Some(Self::UnknownStage),
            "PLANNED" => Some(Self::Planned),
            "ALPHA" => Some(Self::Alpha),
            "BETA" => Some(Self::Beta),
            "PRODUCTION" => Some(Self::Production),
            "DEPRECATED" => Some(Self::Deprecated),
            "DEBUG_ONLY" => Some(Self::DebugOnly),
            "DISABLED" => Some(Self::Disabled),
            "VALIDATION_DERIVED" => Some(Self::ValidationDerived),
            _ => None,
        }
    }
}
/// The type of the values of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum FeatureType {
    /// Not stated.
    TypeUnknown = 0,
    /// Byte strings, text included.
    Bytes = 1,
    /// 64-bit integers.
    Int = 2,
    /// 32-bit floats.
    Float = 3,
    /// A struct of features.
    Struct = 4,
}
impl FeatureType {
    /// String value of the enum field names used in the ProtoBuf definition.
    ///
    /// The values are not transformed in any way and thus are considered stable
    /// (if the ProtoBuf definition does not change) and safe for programmatic use.
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::TypeUnknown => "TYPE_UNKNOWN",
            Self::Bytes => "BYTES",
            Self::Int => "INT",
            Self::Float => "FLOAT",
            Self::Struct => "STRUCT",
        }
    }
    /// Creates an enum from field names used in the ProtoBuf definition.
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "TYPE_UNKNOWN" => Some(Self::TypeUnknown),
            "BYTES" => Some(Self::Bytes),
            "INT" => Some(Self::Int),
            "FLOAT" => Some(Self::Float),
            "STRUCT" => Some(Self::Struct),
            _ => None,
        }
    }
}
