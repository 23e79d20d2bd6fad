// Made from proto/ by `cargo xtask codegen`. Change the .proto files, not this one.

/// The messages, in order of their names.
pub(crate) static MESSAGES: &[MessageType] = &[
    MessageType {
        name: "google.protobuf.Any",
        fields: &[
            Field { name: "type_url", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "value", number: 2, kind: Kind::Bytes, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.AllowlistDeriver",
        fields: &[
            Field { name: "allowed_bytes_value", number: 1, kind: Kind::Bytes, repeated: true, oneof: None },
            Field { name: "placeholder_value", number: 2, kind: Kind::Bytes, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.Annotation",
        fields: &[
            Field { name: "tag", number: 1, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "comment", number: 2, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "extra_metadata", number: 3, kind: Kind::Message(0), repeated: true, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ArgmaxTopK",
        fields: &[Field { name: "k", number: 1, kind: Kind::UInt32, repeated: false, oneof: None }],
    },
    MessageType { name: "tensorflow.metadata.v0.AudioDomain", fields: &[] },
    MessageType {
        name: "tensorflow.metadata.v0.BoolDomain",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "true_value", number: 2, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "false_value", number: 3, kind: Kind::String, repeated: false, oneof: None },
        ],
    },
    MessageType { name: "tensorflow.metadata.v0.ContentChunkDomain", fields: &[] },
    MessageType {
        name: "tensorflow.metadata.v0.DatasetConstraints",
        fields: &[
            Field {
                name: "num_examples_drift_comparator",
                number: 1,
                kind: Kind::Message(28),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "num_examples_version_comparator",
                number: 2,
                kind: Kind::Message(28),
                repeated: false,
                oneof: None,
            },
            Field { name: "min_examples_count", number: 3, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max_examples_count", number: 4, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.DerivedFeatureConfig",
        fields: &[
            Field {
                name: "allowlist",
                number: 1,
                kind: Kind::Message(1),
                repeated: false,
                oneof: Some("type"),
            },
            Field {
                name: "argmax_top_k",
                number: 2,
                kind: Kind::Message(3),
                repeated: false,
                oneof: Some("type"),
            },
            Field {
                name: "reduce_op",
                number: 3,
                kind: Kind::Message(30),
                repeated: false,
                oneof: Some("type"),
            },
            Field {
                name: "slice_sql",
                number: 4,
                kind: Kind::Message(36),
                repeated: false,
                oneof: Some("type"),
            },
            Field {
                name: "image_quality",
                number: 5,
                kind: Kind::Message(21),
                repeated: false,
                oneof: Some("type"),
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.DerivedFeatureSource",
        fields: &[
            Field { name: "deriver_name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "description", number: 2, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "source_path", number: 3, kind: Kind::Message(29), repeated: true, oneof: None },
            Field {
                name: "declaratively_configured",
                number: 4,
                kind: Kind::Bool,
                repeated: false,
                oneof: None,
            },
            Field { name: "config", number: 5, kind: Kind::Message(8), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.DistributionConstraints",
        fields: &[Field {
            name: "min_domain_mass",
            number: 1,
            kind: Kind::Double,
            repeated: false,
            oneof: None,
        }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.Feature",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "deprecated", number: 2, kind: Kind::Bool, repeated: false, oneof: None },
            Field {
                name: "value_count",
                number: 5,
                kind: Kind::Message(57),
                repeated: false,
                oneof: Some("shape_type"),
            },
            Field { name: "type", number: 6, kind: Kind::Enum(0), repeated: false, oneof: None },
            Field {
                name: "domain",
                number: 7,
                kind: Kind::String,
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "int_domain",
                number: 9,
                kind: Kind::Message(23),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "float_domain",
                number: 10,
                kind: Kind::Message(18),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "string_domain",
                number: 11,
                kind: Kind::Message(40),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "bool_domain",
                number: 13,
                kind: Kind::Message(5),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "presence",
                number: 14,
                kind: Kind::Message(14),
                repeated: false,
                oneof: Some("presence_constraints"),
            },
            Field {
                name: "distribution_constraints",
                number: 15,
                kind: Kind::Message(10),
                repeated: false,
                oneof: None,
            },
            Field { name: "annotation", number: 16, kind: Kind::Message(2), repeated: false, oneof: None },
            Field {
                name: "group_presence",
                number: 17,
                kind: Kind::Message(15),
                repeated: false,
                oneof: Some("presence_constraints"),
            },
            Field {
                name: "skew_comparator",
                number: 18,
                kind: Kind::Message(12),
                repeated: false,
                oneof: None,
            },
            Field { name: "not_in_environment", number: 19, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "in_environment", number: 20, kind: Kind::String, repeated: true, oneof: None },
            Field {
                name: "drift_comparator",
                number: 21,
                kind: Kind::Message(12),
                repeated: false,
                oneof: None,
            },
            Field { name: "lifecycle_stage", number: 22, kind: Kind::Enum(2), repeated: false, oneof: None },
            Field {
                name: "shape",
                number: 23,
                kind: Kind::Message(16),
                repeated: false,
                oneof: Some("shape_type"),
            },
            Field {
                name: "natural_language_domain",
                number: 24,
                kind: Kind::Message(26),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "image_domain",
                number: 25,
                kind: Kind::Message(20),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "mid_domain",
                number: 26,
                kind: Kind::Message(25),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "url_domain",
                number: 27,
                kind: Kind::Message(55),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "time_domain",
                number: 28,
                kind: Kind::Message(53),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "struct_domain",
                number: 29,
                kind: Kind::Message(41),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "time_of_day_domain",
                number: 30,
                kind: Kind::Message(54),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "unique_constraints",
                number: 31,
                kind: Kind::Message(56),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "value_counts",
                number: 32,
                kind: Kind::Message(58),
                repeated: false,
                oneof: Some("shape_type"),
            },
            Field {
                name: "validation_derived_source",
                number: 34,
                kind: Kind::Message(9),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "sequence_metadata",
                number: 35,
                kind: Kind::Message(34),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "audio_domain",
                number: 36,
                kind: Kind::Message(4),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "video_domain",
                number: 37,
                kind: Kind::Message(59),
                repeated: false,
                oneof: Some("domain_info"),
            },
            Field {
                name: "content_chunk_domain",
                number: 38,
                kind: Kind::Message(6),
                repeated: false,
                oneof: Some("domain_info"),
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FeatureComparator",
        fields: &[
            Field { name: "infinity_norm", number: 1, kind: Kind::Message(22), repeated: false, oneof: None },
            Field {
                name: "jensen_shannon_divergence",
                number: 2,
                kind: Kind::Message(24),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "normalized_abs_difference",
                number: 3,
                kind: Kind::Message(27),
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FeatureCoverageConstraints",
        fields: &[
            Field { name: "min_coverage", number: 1, kind: Kind::Float, repeated: false, oneof: None },
            Field {
                name: "min_avg_token_length",
                number: 2,
                kind: Kind::Float,
                repeated: false,
                oneof: None,
            },
            Field {
                name: "excluded_string_tokens",
                number: 3,
                kind: Kind::String,
                repeated: true,
                oneof: None,
            },
            Field { name: "excluded_int_tokens", number: 4, kind: Kind::Int64, repeated: true, oneof: None },
            Field { name: "oov_string_tokens", number: 5, kind: Kind::String, repeated: true, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FeaturePresence",
        fields: &[
            Field { name: "min_fraction", number: 1, kind: Kind::Double, repeated: false, oneof: None },
            Field { name: "min_count", number: 2, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FeaturePresenceWithinGroup",
        fields: &[Field { name: "required", number: 1, kind: Kind::Bool, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FixedShape",
        fields: &[Field { name: "dim", number: 2, kind: Kind::Message(17), repeated: true, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FixedShape.Dim",
        fields: &[
            Field { name: "size", number: 1, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "name", number: 2, kind: Kind::String, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.FloatDomain",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "min", number: 3, kind: Kind::Float, repeated: false, oneof: None },
            Field { name: "max", number: 4, kind: Kind::Float, repeated: false, oneof: None },
            Field { name: "disallow_nan", number: 5, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "disallow_inf", number: 6, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "is_embedding", number: 7, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "is_categorical", number: 8, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "embedding_dim", number: 9, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "embedding_type", number: 10, kind: Kind::String, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.HistogramSelection",
        fields: &[Field { name: "type", number: 1, kind: Kind::Enum(1), repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ImageDomain",
        fields: &[
            Field {
                name: "minimum_supported_image_fraction",
                number: 1,
                kind: Kind::Float,
                repeated: false,
                oneof: None,
            },
            Field { name: "max_image_byte_size", number: 2, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ImageQualityDeriver",
        fields: &[Field { name: "model_name", number: 1, kind: Kind::String, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.InfinityNorm",
        fields: &[Field { name: "threshold", number: 1, kind: Kind::Double, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.IntDomain",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "min", number: 3, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max", number: 4, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "is_categorical", number: 5, kind: Kind::Bool, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.JensenShannonDivergence",
        fields: &[
            Field { name: "threshold", number: 1, kind: Kind::Double, repeated: false, oneof: None },
            Field { name: "source", number: 2, kind: Kind::Message(19), repeated: false, oneof: None },
        ],
    },
    MessageType { name: "tensorflow.metadata.v0.MIDDomain", fields: &[] },
    MessageType {
        name: "tensorflow.metadata.v0.NaturalLanguageDomain",
        fields: &[
            Field { name: "vocabulary", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "coverage", number: 2, kind: Kind::Message(13), repeated: false, oneof: None },
            Field {
                name: "token_constraints",
                number: 3,
                kind: Kind::Message(35),
                repeated: true,
                oneof: None,
            },
            Field {
                name: "sequence_length_constraints",
                number: 5,
                kind: Kind::Message(33),
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.NormalizedAbsoluteDifference",
        fields: &[Field { name: "threshold", number: 1, kind: Kind::Double, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.NumericValueComparator",
        fields: &[
            Field {
                name: "min_fraction_threshold",
                number: 1,
                kind: Kind::Double,
                repeated: false,
                oneof: None,
            },
            Field {
                name: "max_fraction_threshold",
                number: 2,
                kind: Kind::Double,
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.Path",
        fields: &[Field { name: "step", number: 1, kind: Kind::String, repeated: true, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ReduceOp",
        fields: &[Field { name: "op_name", number: 1, kind: Kind::String, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.Schema",
        fields: &[
            Field { name: "feature", number: 1, kind: Kind::Message(11), repeated: true, oneof: None },
            Field { name: "string_domain", number: 4, kind: Kind::Message(40), repeated: true, oneof: None },
            Field { name: "default_environment", number: 5, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "sparse_feature", number: 6, kind: Kind::Message(37), repeated: true, oneof: None },
            Field { name: "annotation", number: 8, kind: Kind::Message(2), repeated: false, oneof: None },
            Field { name: "float_domain", number: 9, kind: Kind::Message(18), repeated: true, oneof: None },
            Field { name: "int_domain", number: 10, kind: Kind::Message(23), repeated: true, oneof: None },
            Field {
                name: "dataset_constraints",
                number: 11,
                kind: Kind::Message(7),
                repeated: false,
                oneof: None,
            },
            Field {
                name: "weighted_feature",
                number: 12,
                kind: Kind::Message(60),
                repeated: true,
                oneof: None,
            },
            Field {
                name: "tensor_representation_group",
                number: 13,
                kind: Kind::Message(32),
                repeated: true,
                oneof: None,
            },
            Field {
                name: "represent_variable_length_as_ragged",
                number: 14,
                kind: Kind::Bool,
                repeated: false,
                oneof: None,
            },
            Field {
                name: "generate_legacy_feature_spec",
                number: 50000,
                kind: Kind::Bool,
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.Schema.TensorRepresentationGroupEntry",
        fields: &[
            Field { name: "key", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "value", number: 2, kind: Kind::Message(51), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SequenceLengthConstraints",
        fields: &[
            Field { name: "excluded_int_value", number: 1, kind: Kind::Int64, repeated: true, oneof: None },
            Field {
                name: "excluded_string_value",
                number: 2,
                kind: Kind::String,
                repeated: true,
                oneof: None,
            },
            Field { name: "min_sequence_length", number: 3, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max_sequence_length", number: 4, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SequenceMetadata",
        fields: &[
            Field { name: "sequential_status", number: 3, kind: Kind::Enum(3), repeated: false, oneof: None },
            Field { name: "joint_group", number: 4, kind: Kind::String, repeated: false, oneof: None },
            Field {
                name: "sequence_truncation_limit",
                number: 5,
                kind: Kind::Int64,
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SequenceValueConstraints",
        fields: &[
            Field { name: "int_value", number: 1, kind: Kind::Int64, repeated: false, oneof: Some("value") },
            Field {
                name: "string_value",
                number: 2,
                kind: Kind::String,
                repeated: false,
                oneof: Some("value"),
            },
            Field { name: "min_per_sequence", number: 3, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max_per_sequence", number: 4, kind: Kind::Int64, repeated: false, oneof: None },
            Field {
                name: "min_fraction_of_sequences",
                number: 5,
                kind: Kind::Float,
                repeated: false,
                oneof: None,
            },
            Field {
                name: "max_fraction_of_sequences",
                number: 6,
                kind: Kind::Float,
                repeated: false,
                oneof: None,
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SliceSql",
        fields: &[
            Field { name: "expression", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field {
                name: "feature_value_type",
                number: 2,
                kind: Kind::Enum(4),
                repeated: false,
                oneof: None,
            },
            Field { name: "drop_struct_name", number: 3, kind: Kind::Bool, repeated: false, oneof: None },
            Field {
                name: "int64_default_feature_value",
                number: 4,
                kind: Kind::Int64,
                repeated: false,
                oneof: Some("default_feature_value_for_failed_sql"),
            },
            Field {
                name: "float_default_feature_value",
                number: 5,
                kind: Kind::Float,
                repeated: false,
                oneof: Some("default_feature_value_for_failed_sql"),
            },
            Field {
                name: "string_default_feature_value",
                number: 6,
                kind: Kind::String,
                repeated: false,
                oneof: Some("default_feature_value_for_failed_sql"),
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SparseFeature",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "deprecated", number: 2, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "presence", number: 4, kind: Kind::Message(14), repeated: false, oneof: None },
            Field { name: "dense_shape", number: 5, kind: Kind::Message(16), repeated: false, oneof: None },
            Field { name: "index_feature", number: 6, kind: Kind::Message(38), repeated: true, oneof: None },
            Field { name: "lifecycle_stage", number: 7, kind: Kind::Enum(2), repeated: false, oneof: None },
            Field { name: "is_sorted", number: 8, kind: Kind::Bool, repeated: false, oneof: None },
            Field { name: "value_feature", number: 9, kind: Kind::Message(39), repeated: false, oneof: None },
            Field { name: "type", number: 10, kind: Kind::Enum(0), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SparseFeature.IndexFeature",
        fields: &[Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.SparseFeature.ValueFeature",
        fields: &[Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.StringDomain",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "value", number: 2, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "is_categorical", number: 3, kind: Kind::Enum(5), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.StructDomain",
        fields: &[
            Field { name: "feature", number: 1, kind: Kind::Message(11), repeated: true, oneof: None },
            Field { name: "sparse_feature", number: 2, kind: Kind::Message(37), repeated: true, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation",
        fields: &[
            Field {
                name: "dense_tensor",
                number: 1,
                kind: Kind::Message(44),
                repeated: false,
                oneof: Some("kind"),
            },
            Field {
                name: "varlen_sparse_tensor",
                number: 2,
                kind: Kind::Message(50),
                repeated: false,
                oneof: Some("kind"),
            },
            Field {
                name: "sparse_tensor",
                number: 3,
                kind: Kind::Message(47),
                repeated: false,
                oneof: Some("kind"),
            },
            Field {
                name: "ragged_tensor",
                number: 4,
                kind: Kind::Message(45),
                repeated: false,
                oneof: Some("kind"),
            },
            Field {
                name: "structured_tensor",
                number: 50000,
                kind: Kind::Message(48),
                repeated: false,
                oneof: Some("kind"),
            },
            Field {
                name: "varlen_ragged_tensor",
                number: 50001,
                kind: Kind::Message(49),
                repeated: false,
                oneof: Some("kind"),
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.DefaultValue",
        fields: &[
            Field {
                name: "float_value",
                number: 1,
                kind: Kind::Double,
                repeated: false,
                oneof: Some("kind"),
            },
            Field { name: "int_value", number: 2, kind: Kind::Int64, repeated: false, oneof: Some("kind") },
            Field { name: "bytes_value", number: 3, kind: Kind::Bytes, repeated: false, oneof: Some("kind") },
            Field { name: "uint_value", number: 4, kind: Kind::UInt64, repeated: false, oneof: Some("kind") },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.DenseTensor",
        fields: &[
            Field { name: "column_name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "shape", number: 2, kind: Kind::Message(16), repeated: false, oneof: None },
            Field { name: "default_value", number: 3, kind: Kind::Message(43), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.RaggedTensor",
        fields: &[
            Field { name: "feature_path", number: 1, kind: Kind::Message(29), repeated: false, oneof: None },
            Field {
                name: "row_partition_dtype",
                number: 2,
                kind: Kind::Enum(6),
                repeated: false,
                oneof: None,
            },
            Field { name: "partition", number: 3, kind: Kind::Message(46), repeated: true, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.RaggedTensor.Partition",
        fields: &[
            Field {
                name: "uniform_row_length",
                number: 1,
                kind: Kind::Int64,
                repeated: false,
                oneof: Some("kind"),
            },
            Field { name: "row_length", number: 2, kind: Kind::String, repeated: false, oneof: Some("kind") },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.SparseTensor",
        fields: &[
            Field { name: "dense_shape", number: 1, kind: Kind::Message(16), repeated: false, oneof: None },
            Field { name: "index_column_names", number: 2, kind: Kind::String, repeated: true, oneof: None },
            Field { name: "value_column_name", number: 3, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "already_sorted", number: 4, kind: Kind::Bool, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.StructuredTensor",
        fields: &[Field { name: "column", number: 1, kind: Kind::Message(29), repeated: true, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.VarLenRaggedTensor",
        fields: &[Field { name: "column", number: 1, kind: Kind::Message(29), repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentation.VarLenSparseTensor",
        fields: &[Field { name: "column_name", number: 1, kind: Kind::String, repeated: false, oneof: None }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentationGroup",
        fields: &[Field {
            name: "tensor_representation",
            number: 1,
            kind: Kind::Message(52),
            repeated: true,
            oneof: None,
        }],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TensorRepresentationGroup.TensorRepresentationEntry",
        fields: &[
            Field { name: "key", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "value", number: 2, kind: Kind::Message(42), repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TimeDomain",
        fields: &[
            Field {
                name: "string_format",
                number: 1,
                kind: Kind::String,
                repeated: false,
                oneof: Some("format"),
            },
            Field {
                name: "integer_format",
                number: 2,
                kind: Kind::Enum(7),
                repeated: false,
                oneof: Some("format"),
            },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.TimeOfDayDomain",
        fields: &[
            Field {
                name: "string_format",
                number: 1,
                kind: Kind::String,
                repeated: false,
                oneof: Some("format"),
            },
            Field {
                name: "integer_format",
                number: 2,
                kind: Kind::Enum(8),
                repeated: false,
                oneof: Some("format"),
            },
        ],
    },
    MessageType { name: "tensorflow.metadata.v0.URLDomain", fields: &[] },
    MessageType {
        name: "tensorflow.metadata.v0.UniqueConstraints",
        fields: &[
            Field { name: "min", number: 1, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max", number: 2, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ValueCount",
        fields: &[
            Field { name: "min", number: 1, kind: Kind::Int64, repeated: false, oneof: None },
            Field { name: "max", number: 2, kind: Kind::Int64, repeated: false, oneof: None },
        ],
    },
    MessageType {
        name: "tensorflow.metadata.v0.ValueCountList",
        fields: &[Field {
            name: "value_count",
            number: 1,
            kind: Kind::Message(57),
            repeated: true,
            oneof: None,
        }],
    },
    MessageType { name: "tensorflow.metadata.v0.VideoDomain", fields: &[] },
    MessageType {
        name: "tensorflow.metadata.v0.WeightedFeature",
        fields: &[
            Field { name: "name", number: 1, kind: Kind::String, repeated: false, oneof: None },
            Field { name: "feature", number: 2, kind: Kind::Message(29), repeated: false, oneof: None },
            Field {
                name: "weight_feature",
                number: 3,
                kind: Kind::Message(29),
                repeated: false,
                oneof: None,
            },
            Field { name: "lifecycle_stage", number: 4, kind: Kind::Enum(2), repeated: false, oneof: None },
        ],
    },
];

/// The enums, in order of their names.
pub(crate) static ENUMS: &[EnumType] = &[
    EnumType {
        name: "tensorflow.metadata.v0.FeatureType",
        values: &[("TYPE_UNKNOWN", 0), ("BYTES", 1), ("INT", 2), ("FLOAT", 3), ("STRUCT", 4)],
    },
    EnumType {
        name: "tensorflow.metadata.v0.HistogramSelection.Type",
        values: &[("DEFAULT", 0), ("QUANTILES", 1), ("STANDARD", 2)],
    },
    EnumType {
        name: "tensorflow.metadata.v0.LifecycleStage",
        values: &[
            ("UNKNOWN_STAGE", 0),
            ("PLANNED", 1),
            ("ALPHA", 2),
            ("BETA", 3),
            ("PRODUCTION", 4),
            ("DEPRECATED", 5),
            ("DEBUG_ONLY", 6),
            ("DISABLED", 7),
            ("VALIDATION_DERIVED", 9),
        ],
    },
    EnumType {
        name: "tensorflow.metadata.v0.SequenceMetadata.SequentialStatus",
        values: &[("SEQUENTIAL_UNSPECIFIED", 0), ("SEQUENTIAL_YES", 1), ("SEQUENTIAL_NO", 2)],
    },
    EnumType {
        name: "tensorflow.metadata.v0.SliceValueTypes",
        values: &[
            ("VALUE_TYPE_DEFAULT", 0),
            ("VALUE_TYPE_INTEGER", 1),
            ("VALUE_TYPE_FLOAT", 2),
            ("VALUE_TYPE_UNSUPPORTED", 3),
        ],
    },
    EnumType {
        name: "tensorflow.metadata.v0.StringDomain.Categorical",
        values: &[("CATEGORICAL_UNSPECIFIED", 0), ("CATEGORICAL_YES", 1), ("CATEGORICAL_NO", 2)],
    },
    EnumType {
        name: "tensorflow.metadata.v0.TensorRepresentation.RowPartitionDType",
        values: &[("UNSPECIFIED", 0), ("INT64", 1), ("INT32", 2)],
    },
    EnumType {
        name: "tensorflow.metadata.v0.TimeDomain.IntegerTimeFormat",
        values: &[
            ("FORMAT_UNKNOWN", 0),
            ("UNIX_SECONDS", 1),
            ("UNIX_MILLISECONDS", 2),
            ("UNIX_MICROSECONDS", 3),
            ("UNIX_NANOSECONDS", 4),
            ("UNIX_DAYS", 5),
        ],
    },
    EnumType {
        name: "tensorflow.metadata.v0.TimeOfDayDomain.IntegerTimeOfDayFormat",
        values: &[("FORMAT_UNKNOWN", 0), ("PACKED_64_NANOS", 1)],
    },
];
