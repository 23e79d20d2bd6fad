//! Options of the formats example and sequence_example.

use std::sync::Arc;

use example_codec::{OffsetWidth, UnknownFeatures};
use tfxio_core::shared_options::{SCHEMA, SCHEMA_OPTION};
use tfxio_core::{FormatOptions, OptionSpec, OptionType};

/// Options of both formats.
const OPTIONS: [OptionSpec; 5] = [
    OptionSpec::new(
        "unknown_features",
        OptionType::OneOf(&["ignore", "refuse"]),
        "What is done with a feature that the schema does not have. Default: ignore with a schema that was given, refuse \
         with one that was inferred.",
    ),
    OptionSpec::new(
        "other_messages",
        OptionType::OneOf(&["ignore", "refuse"]),
        "What is done with a record that is another message by the looks of it. Default: refuse where the format was found \
         out from the records, ignore where it was stated.",
    ),
    OptionSpec::new(
        "offsets",
        OptionType::OneOf(&["32", "64"]),
        "Width of the offsets of lists in bits. Default: 64.",
    ),
    OptionSpec::new(
        "fixed_size_lists",
        OptionType::Bool,
        "Whether features whose length the schema fixes are FixedSizeLists. Default: false.",
    ),
    OptionSpec::new(
        RAW_RECORD_COLUMN,
        OptionType::Text,
        "Name of a further column with the record itself, which is not written. Default: none.",
    ),
];

/// Key of the name of the column with the record itself, which is not written.
pub(super) const RAW_RECORD_COLUMN: &str = "raw_record_column";
/// Key of the name of the column of sequence features.
pub(super) const SEQUENCE_COLUMN: &str = "sequence_column";

/// Returns the options of a format.
pub(super) fn specs(has_sequences: bool) -> Vec<OptionSpec> {
    let mut specs = OPTIONS.to_vec();
    if cfg!(feature = "tensors") {
        specs.push(SCHEMA_OPTION);
    }
    if has_sequences {
        specs.push(OptionSpec::new(
            SEQUENCE_COLUMN,
            OptionType::Text,
            "Name of the column of the sequence features. Default: ##SEQUENCE##.",
        ));
    }
    specs
}

/// Values of the options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) unknown_features: UnknownFeatures,
    pub(super) other_messages: UnknownFeatures,
    pub(super) offsets: OffsetWidth,
    pub(super) fixed_size_lists: bool,
    pub(super) raw_record: Option<Arc<str>>,
    /// Whether the schema was given, and not inferred in this or another process.
    pub(super) is_given: bool,
}

impl Settings {
    pub(super) fn new(options: &FormatOptions) -> Self {
        let is_given = options.text(SCHEMA).is_some() || options.text("features").is_some();
        let action = |key, default| match options.text(key) {
            Some("ignore") => UnknownFeatures::Ignore,
            Some("refuse") => UnknownFeatures::Refuse,
            _ => default,
        };
        let unknown = if is_given { UnknownFeatures::Ignore } else { UnknownFeatures::Refuse };
        Self {
            unknown_features: action("unknown_features", unknown),
            other_messages: action("other_messages", UnknownFeatures::Ignore),
            offsets: match options.text("offsets") {
                Some("32") => OffsetWidth::Bits32,
                _ => OffsetWidth::default(),
            },
            fixed_size_lists: options.flag("fixed_size_lists"),
            raw_record: options.text(RAW_RECORD_COLUMN).map(Into::into),
            is_given,
        }
    }
}
