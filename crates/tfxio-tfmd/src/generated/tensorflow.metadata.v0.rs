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
/// What is wrong with one feature, or with the data set.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct AnomalyInfo {
    /// The feature.
    #[prost(message, optional, tag = "8")]
    pub path: ::core::option::Option<Path>,
    /// The severity of the worst reason.
    #[prost(enumeration = "anomaly_info::Severity", optional, tag = "5")]
    pub severity: ::core::option::Option<i32>,
    /// All reasons in sentences.
    #[prost(string, optional, tag = "2")]
    pub description: ::core::option::Option<::prost::alloc::string::String>,
    /// In a few words.
    #[prost(string, optional, tag = "6")]
    pub short_description: ::core::option::Option<::prost::alloc::string::String>,
    /// How the schema would have to change, as text.
    #[prost(message, repeated, tag = "4")]
    pub diff_regions: ::prost::alloc::vec::Vec<DiffRegion>,
    /// The reasons, each by itself.
    #[prost(message, repeated, tag = "7")]
    pub reason: ::prost::alloc::vec::Vec<anomaly_info::Reason>,
}
/// Nested message and enum types in `AnomalyInfo`.
pub mod anomaly_info {
    /// One thing that is wrong.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
    pub struct Reason {
        /// What.
        #[prost(enumeration = "Type", optional, tag = "1", default = "UnknownType")]
        pub r#type: ::core::option::Option<i32>,
        /// In a few words.
        #[prost(string, optional, tag = "2")]
        pub short_description: ::core::option::Option<::prost::alloc::string::String>,
        /// In a sentence.
        #[prost(string, optional, tag = "3")]
        pub description: ::core::option::Option<::prost::alloc::string::String>,
    }
    /// How bad it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Severity {
        /// Not stated.
        Unknown = 0,
        /// Worth a look.
        Warning = 1,
        /// Not to be used.
        Error = 2,
    }
    impl Severity {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unknown => "UNKNOWN",
                Self::Warning => "WARNING",
                Self::Error => "ERROR",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNKNOWN" => Some(Self::Unknown),
                "WARNING" => Some(Self::Warning),
                "ERROR" => Some(Self::Error),
                _ => None,
            }
        }
    }
    /// What is wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// Not stated.
        UnknownType = 0,
        /// A boolean that is an integer above 1.
        BoolTypeBigInt = 1,
        /// A boolean in integers that is bytes.
        BoolTypeBytesNotInt = 2,
        /// A boolean in text that is bytes.
        BoolTypeBytesNotString = 3,
        /// A boolean in integers that is a float.
        BoolTypeFloatNotInt = 4,
        /// A boolean in text that is a float.
        BoolTypeFloatNotString = 5,
        /// A boolean in text that is an integer.
        BoolTypeIntNotString = 6,
        /// A boolean that is an integer below 0.
        BoolTypeSmallInt = 7,
        /// A boolean in integers that is text.
        BoolTypeStringNotInt = 8,
        /// A boolean with a text that is neither true nor false.
        BoolTypeUnexpectedString = 9,
        /// A vocabulary, and bytes.
        EnumTypeBytesNotString = 10,
        /// A vocabulary, and floats.
        EnumTypeFloatNotString = 11,
        /// A vocabulary, and integers.
        EnumTypeIntNotString = 12,
        /// A vocabulary, and strings that are not UTF-8.
        EnumTypeInvalidUtf8 = 13,
        /// Strings that the vocabulary does not have.
        EnumTypeUnexpectedStringValues = 14,
        /// Examples with more values than allowed.
        FeatureTypeHighNumberValues = 15,
        /// The feature is in too small a share of examples.
        FeatureTypeLowFractionPresent = 16,
        /// The feature is in too few examples.
        FeatureTypeLowNumberPresent = 17,
        /// Examples with fewer values than allowed.
        FeatureTypeLowNumberValues = 18,
        /// The feature is in no example.
        FeatureTypeNotPresent = 19,
        /// The feature has no values.
        FeatureTypeNoValues = 20,
        /// More than one value where one is expected.
        FeatureTypeUnexpectedRepeated = 21,
        /// A float above the domain.
        FloatTypeBigFloat = 22,
        /// A float domain, and other values.
        FloatTypeNotFloat = 23,
        /// A float below the domain.
        FloatTypeSmallFloat = 24,
        /// A text that is not a float where the domain asks for one.
        FloatTypeStringNotFloat = 25,
        /// Floats as text are expected, and there are other values.
        FloatTypeNonString = 26,
        /// A float domain, and values of an unknown type.
        FloatTypeUnknownTypeNumber = 27,
        /// An integer above the domain.
        IntTypeBigInt = 28,
        /// An integer domain, and other values.
        IntTypeIntExpected = 29,
        /// A text that is not an integer where the domain asks for one.
        IntTypeNotIntString = 30,
        /// Integers as text are expected, and there are other values.
        IntTypeNotString = 31,
        /// An integer below the domain.
        IntTypeSmallInt = 32,
        /// Text is expected, and there are integers.
        IntTypeStringExpected = 33,
        /// An integer domain, and values of an unknown type.
        IntTypeUnknownTypeNumber = 34,
        /// A feature of the schema that the data does not have.
        SchemaMissingColumn = 35,
        /// A feature that the schema does not have.
        SchemaNewColumn = 36,
        /// Training data and serving data differ.
        SchemaTrainingServingSkew = 37,
        /// Text that has become floats.
        StringTypeNowFloat = 38,
        /// Text that has become integers.
        StringTypeNowInt = 39,
        /// The data to compare with does not have the feature.
        ComparatorControlDataMissing = 40,
        /// The data does not have the feature that is compared.
        ComparatorTreatmentDataMissing = 41,
        /// The largest difference of shares is above its bound.
        ComparatorLInftyHigh = 42,
        /// A span without data.
        NoDataInSpan = 43,
        /// A sparse feature without its values.
        SparseFeatureMissingValue = 44,
        /// A sparse feature without an index.
        SparseFeatureMissingIndex = 45,
        /// A sparse feature with more or fewer values than indices.
        SparseFeatureLengthMismatch = 46,
        /// A sparse feature with the name of a feature.
        SparseFeatureNameCollision = 47,
        /// The data suggests a domain.
        SemanticDomainUpdate = 48,
        /// Too few examples beside an earlier data set.
        ComparatorLowNumExamples = 49,
        /// Too many examples beside an earlier data set.
        ComparatorHighNumExamples = 50,
        /// Too few examples.
        DatasetLowNumExamples = 51,
        /// A boolean with a float that is neither 0 nor 1.
        BoolTypeUnexpectedFloat = 52,
        /// NaN where it is forbidden.
        FloatTypeHasNan = 53,
        /// A weighted feature with the name of a feature.
        WeightedFeatureNameCollision = 54,
        /// A weighted feature without its values.
        WeightedFeatureMissingValue = 55,
        /// A weighted feature without its weights.
        WeightedFeatureMissingWeight = 56,
        /// A weighted feature with more or fewer values than weights.
        WeightedFeatureLengthMismatch = 57,
        /// Too many examples.
        DatasetHighNumExamples = 58,
        /// More different values than allowed.
        FeatureTypeHighUnique = 59,
        /// Fewer different values than allowed.
        FeatureTypeLowUnique = 60,
        /// Different values that were to be counted were not.
        FeatureTypeNoUnique = 61,
        /// Infinities where they are forbidden.
        FloatTypeHasInf = 62,
        /// The Jensen-Shannon divergence is above its bound.
        ComparatorJensenShannonDivergenceHigh = 63,
        /// Too small a share of images in a supported format.
        LowSupportedImageFraction = 64,
        /// Another number of levels of lists.
        ValueNestednessMismatch = 65,
        /// A domain that does not go with the type.
        DomainInvalidForType = 66,
        /// A feature of the schema without a name.
        FeatureMissingName = 67,
        /// A feature of the schema without a type.
        FeatureMissingType = 68,
        /// A feature of the schema that makes no sense.
        InvalidSchemaSpecification = 69,
        /// Values of another type.
        UnexpectedDataType = 70,
        /// A value that is too rare in a sequence.
        SequenceValueTooFewOccurrences = 71,
        /// A value that is too frequent in a sequence.
        SequenceValueTooManyOccurrences = 72,
        /// A value that is in too few sequences.
        SequenceValueTooSmallFraction = 73,
        /// A value that is in too many sequences.
        SequenceValueTooLargeFraction = 74,
        /// The vocabulary covers too little of the text.
        FeatureCoverageTooLow = 75,
        /// Tokens that are too short on average.
        FeatureCoverageTooShortAvgTokenLength = 76,
        /// Tokens in the wrong position.
        NlpWrongLocation = 77,
        /// An embedding of the wrong shape.
        EmbeddingShapeInvalid = 78,
        /// An image of too many bytes.
        MaxImageByteSizeExceeded = 79,
        /// Examples that are not of the shape.
        InvalidFeatureShape = 80,
        /// A domain of the schema that makes no sense.
        InvalidDomainSpecification = 81,
        /// More than one; see `reason`.
        MultipleReasons = 82,
        /// Statistics that are needed are not there.
        StatsNotAvailable = 83,
        /// A derived feature in the wrong stage.
        DerivedFeatureBadLifecycle = 84,
        /// A derived feature whose origin the schema does not have.
        DerivedFeatureInvalidSource = 85,
        /// A condition of the user that does not hold.
        CustomValidation = 86,
        /// The largest difference of counts, by all counts, is above its bound.
        ComparatorNormalizedAbsoluteDifferenceHigh = 87,
        /// A boolean whose domain makes no sense.
        BoolTypeInvalidConfig = 88,
    }
    impl Type {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::UnknownType => "UNKNOWN_TYPE",
                Self::BoolTypeBigInt => "BOOL_TYPE_BIG_INT",
                Self::BoolTypeBytesNotInt => "BOOL_TYPE_BYTES_NOT_INT",
                Self::BoolTypeBytesNotString => "BOOL_TYPE_BYTES_NOT_STRING",
                Self::BoolTypeFloatNotInt => "BOOL_TYPE_FLOAT_NOT_INT",
                Self::BoolTypeFloatNotString => "BOOL_TYPE_FLOAT_NOT_STRING",
                Self::BoolTypeIntNotString => "BOOL_TYPE_INT_NOT_STRING",
                Self::BoolTypeSmallInt => "BOOL_TYPE_SMALL_INT",
                Self::BoolTypeStringNotInt => "BOOL_TYPE_STRING_NOT_INT",
                Self::BoolTypeUnexpectedString => "BOOL_TYPE_UNEXPECTED_STRING",
                Self::EnumTypeBytesNotString => "ENUM_TYPE_BYTES_NOT_STRING",
                Self::EnumTypeFloatNotString => "ENUM_TYPE_FLOAT_NOT_STRING",
                Self::EnumTypeIntNotString => "ENUM_TYPE_INT_NOT_STRING",
                Self::EnumTypeInvalidUtf8 => "ENUM_TYPE_INVALID_UTF8",
                Self::EnumTypeUnexpectedStringValues => "ENUM_TYPE_UNEXPECTED_STRING_VALUES",
                Self::FeatureTypeHighNumberValues => "FEATURE_TYPE_HIGH_NUMBER_VALUES",
                Self::FeatureTypeLowFractionPresent => "FEATURE_TYPE_LOW_FRACTION_PRESENT",
                Self::FeatureTypeLowNumberPresent => "FEATURE_TYPE_LOW_NUMBER_PRESENT",
                Self::FeatureTypeLowNumberValues => "FEATURE_TYPE_LOW_NUMBER_VALUES",
                Self::FeatureTypeNotPresent => "FEATURE_TYPE_NOT_PRESENT",
                Self::FeatureTypeNoValues => "FEATURE_TYPE_NO_VALUES",
                Self::FeatureTypeUnexpectedRepeated => "FEATURE_TYPE_UNEXPECTED_REPEATED",
                Self::FloatTypeBigFloat => "FLOAT_TYPE_BIG_FLOAT",
                Self::FloatTypeNotFloat => "FLOAT_TYPE_NOT_FLOAT",
                Self::FloatTypeSmallFloat => "FLOAT_TYPE_SMALL_FLOAT",
                Self::FloatTypeStringNotFloat => "FLOAT_TYPE_STRING_NOT_FLOAT",
                Self::FloatTypeNonString => "FLOAT_TYPE_NON_STRING",
                Self::FloatTypeUnknownTypeNumber => "FLOAT_TYPE_UNKNOWN_TYPE_NUMBER",
                Self::IntTypeBigInt => "INT_TYPE_BIG_INT",
                Self::IntTypeIntExpected => "INT_TYPE_INT_EXPECTED",
                Self::IntTypeNotIntString => "INT_TYPE_NOT_INT_STRING",
                Self::IntTypeNotString => "INT_TYPE_NOT_STRING",
                Self::IntTypeSmallInt => "INT_TYPE_SMALL_INT",
                Self::IntTypeStringExpected => "INT_TYPE_STRING_EXPECTED",
                Self::IntTypeUnknownTypeNumber => "INT_TYPE_UNKNOWN_TYPE_NUMBER",
                Self::SchemaMissingColumn => "SCHEMA_MISSING_COLUMN",
                Self::SchemaNewColumn => "SCHEMA_NEW_COLUMN",
                Self::SchemaTrainingServingSkew => "SCHEMA_TRAINING_SERVING_SKEW",
                Self::StringTypeNowFloat => "STRING_TYPE_NOW_FLOAT",
                Self::StringTypeNowInt => "STRING_TYPE_NOW_INT",
                Self::ComparatorControlDataMissing => "COMPARATOR_CONTROL_DATA_MISSING",
                Self::ComparatorTreatmentDataMissing => "COMPARATOR_TREATMENT_DATA_MISSING",
                Self::ComparatorLInftyHigh => "COMPARATOR_L_INFTY_HIGH",
                Self::NoDataInSpan => "NO_DATA_IN_SPAN",
                Self::SparseFeatureMissingValue => "SPARSE_FEATURE_MISSING_VALUE",
                Self::SparseFeatureMissingIndex => "SPARSE_FEATURE_MISSING_INDEX",
                Self::SparseFeatureLengthMismatch => "SPARSE_FEATURE_LENGTH_MISMATCH",
                Self::SparseFeatureNameCollision => "SPARSE_FEATURE_NAME_COLLISION",
                Self::SemanticDomainUpdate => "SEMANTIC_DOMAIN_UPDATE",
                Self::ComparatorLowNumExamples => "COMPARATOR_LOW_NUM_EXAMPLES",
                Self::ComparatorHighNumExamples => "COMPARATOR_HIGH_NUM_EXAMPLES",
                Self::DatasetLowNumExamples => "DATASET_LOW_NUM_EXAMPLES",
                Self::BoolTypeUnexpectedFloat => "BOOL_TYPE_UNEXPECTED_FLOAT",
                Self::FloatTypeHasNan => "FLOAT_TYPE_HAS_NAN",
                Self::WeightedFeatureNameCollision => "WEIGHTED_FEATURE_NAME_COLLISION",
                Self::WeightedFeatureMissingValue => "WEIGHTED_FEATURE_MISSING_VALUE",
                Self::WeightedFeatureMissingWeight => "WEIGHTED_FEATURE_MISSING_WEIGHT",
                Self::WeightedFeatureLengthMismatch => "WEIGHTED_FEATURE_LENGTH_MISMATCH",
                Self::DatasetHighNumExamples => "DATASET_HIGH_NUM_EXAMPLES",
                Self::FeatureTypeHighUnique => "FEATURE_TYPE_HIGH_UNIQUE",
                Self::FeatureTypeLowUnique => "FEATURE_TYPE_LOW_UNIQUE",
                Self::FeatureTypeNoUnique => "FEATURE_TYPE_NO_UNIQUE",
                Self::FloatTypeHasInf => "FLOAT_TYPE_HAS_INF",
                Self::ComparatorJensenShannonDivergenceHigh => "COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH",
                Self::LowSupportedImageFraction => "LOW_SUPPORTED_IMAGE_FRACTION",
                Self::ValueNestednessMismatch => "VALUE_NESTEDNESS_MISMATCH",
                Self::DomainInvalidForType => "DOMAIN_INVALID_FOR_TYPE",
                Self::FeatureMissingName => "FEATURE_MISSING_NAME",
                Self::FeatureMissingType => "FEATURE_MISSING_TYPE",
                Self::InvalidSchemaSpecification => "INVALID_SCHEMA_SPECIFICATION",
                Self::UnexpectedDataType => "UNEXPECTED_DATA_TYPE",
                Self::SequenceValueTooFewOccurrences => "SEQUENCE_VALUE_TOO_FEW_OCCURRENCES",
                Self::SequenceValueTooManyOccurrences => "SEQUENCE_VALUE_TOO_MANY_OCCURRENCES",
                Self::SequenceValueTooSmallFraction => "SEQUENCE_VALUE_TOO_SMALL_FRACTION",
                Self::SequenceValueTooLargeFraction => "SEQUENCE_VALUE_TOO_LARGE_FRACTION",
                Self::FeatureCoverageTooLow => "FEATURE_COVERAGE_TOO_LOW",
                Self::FeatureCoverageTooShortAvgTokenLength => "FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH",
                Self::NlpWrongLocation => "NLP_WRONG_LOCATION",
                Self::EmbeddingShapeInvalid => "EMBEDDING_SHAPE_INVALID",
                Self::MaxImageByteSizeExceeded => "MAX_IMAGE_BYTE_SIZE_EXCEEDED",
                Self::InvalidFeatureShape => "INVALID_FEATURE_SHAPE",
                Self::InvalidDomainSpecification => "INVALID_DOMAIN_SPECIFICATION",
                Self::MultipleReasons => "MULTIPLE_REASONS",
                Self::StatsNotAvailable => "STATS_NOT_AVAILABLE",
                Self::DerivedFeatureBadLifecycle => "DERIVED_FEATURE_BAD_LIFECYCLE",
                Self::DerivedFeatureInvalidSource => "DERIVED_FEATURE_INVALID_SOURCE",
                Self::CustomValidation => "CUSTOM_VALIDATION",
                Self::ComparatorNormalizedAbsoluteDifferenceHigh => {
                    "COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH"
                }
                Self::BoolTypeInvalidConfig => "BOOL_TYPE_INVALID_CONFIG",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNKNOWN_TYPE" => Some(Self::UnknownType),
                "BOOL_TYPE_BIG_INT" => Some(Self::BoolTypeBigInt),
                "BOOL_TYPE_BYTES_NOT_INT" => Some(Self::BoolTypeBytesNotInt),
                "BOOL_TYPE_BYTES_NOT_STRING" => Some(Self::BoolTypeBytesNotString),
                "BOOL_TYPE_FLOAT_NOT_INT" => Some(Self::BoolTypeFloatNotInt),
                "BOOL_TYPE_FLOAT_NOT_STRING" => Some(Self::BoolTypeFloatNotString),
                "BOOL_TYPE_INT_NOT_STRING" => Some(Self::BoolTypeIntNotString),
                "BOOL_TYPE_SMALL_INT" => Some(Self::BoolTypeSmallInt),
                "BOOL_TYPE_STRING_NOT_INT" => Some(Self::BoolTypeStringNotInt),
                "BOOL_TYPE_UNEXPECTED_STRING" => Some(Self::BoolTypeUnexpectedString),
                "ENUM_TYPE_BYTES_NOT_STRING" => Some(Self::EnumTypeBytesNotString),
                "ENUM_TYPE_FLOAT_NOT_STRING" => Some(Self::EnumTypeFloatNotString),
                "ENUM_TYPE_INT_NOT_STRING" => Some(Self::EnumTypeIntNotString),
                "ENUM_TYPE_INVALID_UTF8" => Some(Self::EnumTypeInvalidUtf8),
                "ENUM_TYPE_UNEXPECTED_STRING_VALUES" => Some(Self::EnumTypeUnexpectedStringValues),
                "FEATURE_TYPE_HIGH_NUMBER_VALUES" => Some(Self::FeatureTypeHighNumberValues),
                "FEATURE_TYPE_LOW_FRACTION_PRESENT" => Some(Self::FeatureTypeLowFractionPresent),
                "FEATURE_TYPE_LOW_NUMBER_PRESENT" => Some(Self::FeatureTypeLowNumberPresent),
                "FEATURE_TYPE_LOW_NUMBER_VALUES" => Some(Self::FeatureTypeLowNumberValues),
                "FEATURE_TYPE_NOT_PRESENT" => Some(Self::FeatureTypeNotPresent),
                "FEATURE_TYPE_NO_VALUES" => Some(Self::FeatureTypeNoValues),
                "FEATURE_TYPE_UNEXPECTED_REPEATED" => Some(Self::FeatureTypeUnexpectedRepeated),
                "FLOAT_TYPE_BIG_FLOAT" => Some(Self::FloatTypeBigFloat),
                "FLOAT_TYPE_NOT_FLOAT" => Some(Self::FloatTypeNotFloat),
                "FLOAT_TYPE_SMALL_FLOAT" => Some(Self::FloatTypeSmallFloat),
                "FLOAT_TYPE_STRING_NOT_FLOAT" => Some(Self::FloatTypeStringNotFloat),
                "FLOAT_TYPE_NON_STRING" => Some(Self::FloatTypeNonString),
                "FLOAT_TYPE_UNKNOWN_TYPE_NUMBER" => Some(Self::FloatTypeUnknownTypeNumber),
                "INT_TYPE_BIG_INT" => Some(Self::IntTypeBigInt),
                "INT_TYPE_INT_EXPECTED" => Some(Self::IntTypeIntExpected),
                "INT_TYPE_NOT_INT_STRING" => Some(Self::IntTypeNotIntString),
                "INT_TYPE_NOT_STRING" => Some(Self::IntTypeNotString),
                "INT_TYPE_SMALL_INT" => Some(Self::IntTypeSmallInt),
                "INT_TYPE_STRING_EXPECTED" => Some(Self::IntTypeStringExpected),
                "INT_TYPE_UNKNOWN_TYPE_NUMBER" => Some(Self::IntTypeUnknownTypeNumber),
                "SCHEMA_MISSING_COLUMN" => Some(Self::SchemaMissingColumn),
                "SCHEMA_NEW_COLUMN" => Some(Self::SchemaNewColumn),
                "SCHEMA_TRAINING_SERVING_SKEW" => Some(Self::SchemaTrainingServingSkew),
                "STRING_TYPE_NOW_FLOAT" => Some(Self::StringTypeNowFloat),
                "STRING_TYPE_NOW_INT" => Some(Self::StringTypeNowInt),
                "COMPARATOR_CONTROL_DATA_MISSING" => Some(Self::ComparatorControlDataMissing),
                "COMPARATOR_TREATMENT_DATA_MISSING" => Some(Self::ComparatorTreatmentDataMissing),
                "COMPARATOR_L_INFTY_HIGH" => Some(Self::ComparatorLInftyHigh),
                "NO_DATA_IN_SPAN" => Some(Self::NoDataInSpan),
                "SPARSE_FEATURE_MISSING_VALUE" => Some(Self::SparseFeatureMissingValue),
                "SPARSE_FEATURE_MISSING_INDEX" => Some(Self::SparseFeatureMissingIndex),
                "SPARSE_FEATURE_LENGTH_MISMATCH" => Some(Self::SparseFeatureLengthMismatch),
                "SPARSE_FEATURE_NAME_COLLISION" => Some(Self::SparseFeatureNameCollision),
                "SEMANTIC_DOMAIN_UPDATE" => Some(Self::SemanticDomainUpdate),
                "COMPARATOR_LOW_NUM_EXAMPLES" => Some(Self::ComparatorLowNumExamples),
                "COMPARATOR_HIGH_NUM_EXAMPLES" => Some(Self::ComparatorHighNumExamples),
                "DATASET_LOW_NUM_EXAMPLES" => Some(Self::DatasetLowNumExamples),
                "BOOL_TYPE_UNEXPECTED_FLOAT" => Some(Self::BoolTypeUnexpectedFloat),
                "FLOAT_TYPE_HAS_NAN" => Some(Self::FloatTypeHasNan),
                "WEIGHTED_FEATURE_NAME_COLLISION" => Some(Self::WeightedFeatureNameCollision),
                "WEIGHTED_FEATURE_MISSING_VALUE" => Some(Self::WeightedFeatureMissingValue),
                "WEIGHTED_FEATURE_MISSING_WEIGHT" => Some(Self::WeightedFeatureMissingWeight),
                "WEIGHTED_FEATURE_LENGTH_MISMATCH" => Some(Self::WeightedFeatureLengthMismatch),
                "DATASET_HIGH_NUM_EXAMPLES" => Some(Self::DatasetHighNumExamples),
                "FEATURE_TYPE_HIGH_UNIQUE" => Some(Self::FeatureTypeHighUnique),
                "FEATURE_TYPE_LOW_UNIQUE" => Some(Self::FeatureTypeLowUnique),
                "FEATURE_TYPE_NO_UNIQUE" => Some(Self::FeatureTypeNoUnique),
                "FLOAT_TYPE_HAS_INF" => Some(Self::FloatTypeHasInf),
                "COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH" => {
                    Some(Self::ComparatorJensenShannonDivergenceHigh)
                }
                "LOW_SUPPORTED_IMAGE_FRACTION" => Some(Self::LowSupportedImageFraction),
                "VALUE_NESTEDNESS_MISMATCH" => Some(Self::ValueNestednessMismatch),
                "DOMAIN_INVALID_FOR_TYPE" => Some(Self::DomainInvalidForType),
                "FEATURE_MISSING_NAME" => Some(Self::FeatureMissingName),
                "FEATURE_MISSING_TYPE" => Some(Self::FeatureMissingType),
                "INVALID_SCHEMA_SPECIFICATION" => Some(Self::InvalidSchemaSpecification),
                "UNEXPECTED_DATA_TYPE" => Some(Self::UnexpectedDataType),
                "SEQUENCE_VALUE_TOO_FEW_OCCURRENCES" => Some(Self::SequenceValueTooFewOccurrences),
                "SEQUENCE_VALUE_TOO_MANY_OCCURRENCES" => Some(Self::SequenceValueTooManyOccurrences),
                "SEQUENCE_VALUE_TOO_SMALL_FRACTION" => Some(Self::SequenceValueTooSmallFraction),
                "SEQUENCE_VALUE_TOO_LARGE_FRACTION" => Some(Self::SequenceValueTooLargeFraction),
                "FEATURE_COVERAGE_TOO_LOW" => Some(Self::FeatureCoverageTooLow),
                "FEATURE_COVERAGE_TOO_SHORT_AVG_TOKEN_LENGTH" => {
                    Some(Self::FeatureCoverageTooShortAvgTokenLength)
                }
                "NLP_WRONG_LOCATION" => Some(Self::NlpWrongLocation),
                "EMBEDDING_SHAPE_INVALID" => Some(Self::EmbeddingShapeInvalid),
                "MAX_IMAGE_BYTE_SIZE_EXCEEDED" => Some(Self::MaxImageByteSizeExceeded),
                "INVALID_FEATURE_SHAPE" => Some(Self::InvalidFeatureShape),
                "INVALID_DOMAIN_SPECIFICATION" => Some(Self::InvalidDomainSpecification),
                "MULTIPLE_REASONS" => Some(Self::MultipleReasons),
                "STATS_NOT_AVAILABLE" => Some(Self::StatsNotAvailable),
                "DERIVED_FEATURE_BAD_LIFECYCLE" => Some(Self::DerivedFeatureBadLifecycle),
                "DERIVED_FEATURE_INVALID_SOURCE" => Some(Self::DerivedFeatureInvalidSource),
                "CUSTOM_VALIDATION" => Some(Self::CustomValidation),
                "COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH" => {
                    Some(Self::ComparatorNormalizedAbsoluteDifferenceHigh)
                }
                "BOOL_TYPE_INVALID_CONFIG" => Some(Self::BoolTypeInvalidConfig),
                _ => None,
            }
        }
    }
}
/// How far two distributions of a feature are apart.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct DriftSkewInfo {
    /// The feature.
    #[prost(message, optional, tag = "1")]
    pub path: ::core::option::Option<Path>,
    /// Distances from earlier data.
    #[prost(message, repeated, tag = "2")]
    pub drift_measurements: ::prost::alloc::vec::Vec<drift_skew_info::Measurement>,
    /// Distances from serving data.
    #[prost(message, repeated, tag = "3")]
    pub skew_measurements: ::prost::alloc::vec::Vec<drift_skew_info::Measurement>,
}
/// Nested message and enum types in `DriftSkewInfo`.
pub mod drift_skew_info {
    /// One distance.
    #[derive(Clone, Copy, PartialEq, ::prost::Message)]
    pub struct Measurement {
        /// The kind.
        #[prost(enumeration = "measurement::Type", optional, tag = "1")]
        pub r#type: ::core::option::Option<i32>,
        /// The distance.
        #[prost(double, optional, tag = "2")]
        pub value: ::core::option::Option<f64>,
        /// The largest that the schema allows.
        #[prost(double, optional, tag = "3")]
        pub threshold: ::core::option::Option<f64>,
    }
    /// Nested message and enum types in `Measurement`.
    pub mod measurement {
        /// The kinds of distances.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
        #[repr(i32)]
        pub enum Type {
            /// Not stated.
            Unknown = 0,
            /// The largest difference of the shares of a value.
            LInfty = 1,
            /// The Jensen-Shannon divergence.
            JensenShannonDivergence = 2,
            /// The largest difference of the counts of a value, by all counts.
            NormalizedAbsoluteDifference = 3,
        }
        impl Type {
            /// String value of the enum field names used in the ProtoBuf definition.
            ///
            /// The values are not transformed in any way and thus are considered stable
            /// (if the ProtoBuf definition does not change) and safe for programmatic use.
            pub fn as_str_name(&self) -> &'static str {
                match self {
                    Self::Unknown => "UNKNOWN",
                    Self::LInfty => "L_INFTY",
                    Self::JensenShannonDivergence => "JENSEN_SHANNON_DIVERGENCE",
                    Self::NormalizedAbsoluteDifference => "NORMALIZED_ABSOLUTE_DIFFERENCE",
                }
            }
            /// Creates an enum from field names used in the ProtoBuf definition.
            pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
                match value {
                    "UNKNOWN" => Some(Self::Unknown),
                    "L_INFTY" => Some(Self::LInfty),
                    "JENSEN_SHANNON_DIVERGENCE" => Some(Self::JensenShannonDivergence),
                    "NORMALIZED_ABSOLUTE_DIFFERENCE" => Some(Self::NormalizedAbsoluteDifference),
                    _ => None,
                }
            }
        }
    }
}
/// All that is wrong with a data set.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Anomalies {
    /// How the keys of `anomaly_info` are written.
    #[prost(enumeration = "anomalies::AnomalyNameFormat", optional, tag = "7")]
    pub anomaly_name_format: ::core::option::Option<i32>,
    /// What is wrong, by feature.
    #[prost(btree_map = "string, message", tag = "2")]
    pub anomaly_info: ::prost::alloc::collections::BTreeMap<::prost::alloc::string::String, AnomalyInfo>,
    /// What is wrong with the data set as a whole.
    #[prost(message, optional, tag = "8")]
    pub dataset_anomaly_info: ::core::option::Option<AnomalyInfo>,
    /// Whether there are no examples.
    #[prost(bool, optional, tag = "3")]
    pub data_missing: ::core::option::Option<bool>,
    /// Distances from other data, whether they are too large or not.
    #[prost(message, repeated, tag = "9")]
    pub drift_skew_info: ::prost::alloc::vec::Vec<DriftSkewInfo>,
    /// The schema that the data was compared with.
    #[prost(oneof = "anomalies::BaselineSchema", tags = "1, 6")]
    pub baseline_schema: ::core::option::Option<anomalies::BaselineSchema>,
}
/// Nested message and enum types in `Anomalies`.
pub mod anomalies {
    /// How the keys of `anomaly_info` are written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
    #[repr(i32)]
    pub enum AnomalyNameFormat {
        /// Not stated.
        Unknown = 0,
        /// The steps of the path with dots between them, in quotes where they need it.
        SerializedPath = 1,
    }
    impl AnomalyNameFormat {
        /// String value of the enum field names used in the ProtoBuf definition.
        ///
        /// The values are not transformed in any way and thus are considered stable
        /// (if the ProtoBuf definition does not change) and safe for programmatic use.
        pub fn as_str_name(&self) -> &'static str {
            match self {
                Self::Unknown => "UNKNOWN",
                Self::SerializedPath => "SERIALIZED_PATH",
            }
        }
        /// Creates an enum from field names used in the ProtoBuf definition.
        pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
            match value {
                "UNKNOWN" => Some(Self::Unknown),
                "SERIALIZED_PATH" => Some(Self::SerializedPath),
                _ => None,
            }
        }
    }
    /// The schema that the data was compared with.
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum BaselineSchema {
        /// The schema.
        #[prost(message, tag = "1")]
        Baseline(super::Schema),
        /// An older form of it.
        #[deprecated]
        #[prost(message, tag = "6")]
        BaselineV1(super::Schema),
    }
}
/// Lines of two texts that are, or are not, the same.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DiffRegion {
    /// In what way.
    #[prost(oneof = "diff_region::Details", tags = "1, 2, 3, 4, 5")]
    pub details: ::core::option::Option<diff_region::Details>,
}
/// Nested message and enum types in `DiffRegion`.
pub mod diff_region {
    /// In what way.
    #[derive(Clone, PartialEq, Eq, Hash, ::prost::Oneof)]
    pub enum Details {
        /// The same in both.
        #[prost(message, tag = "1")]
        Unchanged(super::UnchangedRegion),
        /// In the left text alone.
        #[prost(message, tag = "2")]
        Removed(super::OneSideRegion),
        /// In the right text alone.
        #[prost(message, tag = "3")]
        Added(super::OneSideRegion),
        /// In both, and different.
        #[prost(message, tag = "4")]
        Changed(super::ChangedRegion),
        /// The same in both, and not shown.
        #[prost(message, tag = "5")]
        Hidden(super::HiddenRegion),
    }
}
/// Lines that are the same.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct UnchangedRegion {
    /// The number of the first line on the left.
    #[prost(int32, optional, tag = "1")]
    pub left_start: ::core::option::Option<i32>,
    /// The number of the first line on the right.
    #[prost(int32, optional, tag = "2")]
    pub right_start: ::core::option::Option<i32>,
    /// The lines.
    #[prost(string, repeated, tag = "3")]
    pub contents: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
/// Lines that one text has.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct OneSideRegion {
    /// The number of the first line.
    #[prost(int32, optional, tag = "1")]
    pub start: ::core::option::Option<i32>,
    /// The lines.
    #[prost(string, repeated, tag = "2")]
    pub contents: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
/// Lines that differ.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ChangedRegion {
    /// The number of the first line on the left.
    #[prost(int32, optional, tag = "1")]
    pub left_start: ::core::option::Option<i32>,
    /// The lines on the left.
    #[prost(string, repeated, tag = "2")]
    pub left_contents: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    /// The number of the first line on the right.
    #[prost(int32, optional, tag = "3")]
    pub right_start: ::core::option::Option<i32>,
    /// The lines on the right.
    #[prost(string, repeated, tag = "4")]
    pub right_contents: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
/// Lines that are the same, without their text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct HiddenRegion {
    /// The number of the first line on the left.
    #[prost(int32, optional, tag = "1")]
    pub left_start: ::core::option::Option<i32>,
    /// The number of the first line on the right.
    #[prost(int32, optional, tag = "2")]
    pub right_start: ::core::option::Option<i32>,
    /// How many there are.
    #[prost(int32, optional, tag = "3")]
    pub size: ::core::option::Option<i32>,
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
