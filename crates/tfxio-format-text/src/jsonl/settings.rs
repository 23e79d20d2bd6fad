//! Options of the format JSON lines, for reading and writing, and their values.

use std::sync::Arc;

use tfxio_core::{FormatOptions, OptionSpec, OptionType};

use crate::lines;

/// The options, in the order in which they are shown.
const OPTIONS: &[OptionSpec] = &[OptionSpec::new(
    "layout",
    OptionType::OneOf(&["structured", "plain"]),
    "Columns: every value a list, of int64, 32-bit floats or bytes, as of tf.Example, or as it stands in the file. \
         Default: structured.",
)];

/// Returns all options, in the order in which they are shown.
pub(super) fn options() -> Vec<OptionSpec> {
    #[allow(unused_mut, reason = "a feature adds one")]
    let mut options = [OPTIONS, lines::INPUT_OPTIONS.as_slice(), lines::OUTPUT_OPTIONS.as_slice()].concat();
    #[cfg(feature = "tensors")]
    options.push(tfxio_core::shared_options::SCHEMA_OPTION);
    options
}

/// Values of the options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) is_plain: bool,
    pub(super) infer_records: Option<u64>,
    pub(super) raw_record: Option<Arc<str>>,
}

impl Settings {
    pub(super) fn new(options: &FormatOptions) -> Self {
        Self {
            is_plain: options.text("layout") == Some("plain"),
            infer_records: options.count("infer_records"),
            raw_record: options.text(lines::RAW_RECORD_COLUMN).map(Into::into),
        }
    }
}
