//! Options that the opener and formats of several crates have in common.

use crate::{OptionSpec, OptionType};

/// Key of the file of a schema of TensorFlow Metadata, or of its text.
pub const SCHEMA: &str = "schema";
/// Key of feature specs.
pub const FEATURES: &str = "features";
/// Key of representations.
pub const REPRESENTATIONS: &str = "representations";

/// Option of formats whose columns a schema of TensorFlow Metadata may declare. The opener replaces a file by its text.
pub const SCHEMA_OPTION: OptionSpec = OptionSpec::new(
    SCHEMA,
    OptionType::File,
    "File of a schema of TensorFlow Metadata, or its text. Default: the schema is inferred.",
);

/// Option of the opener, and of formats that read the columns that specs need.
pub const FEATURES_OPTION: OptionSpec = OptionSpec::new(
    FEATURES,
    OptionType::File,
    "File with feature specs as JSON, or the JSON itself: what tensors there are, and of which columns. Default: none.",
);
