//! Options of the format Avro, for reading and writing, and their values.

use std::sync::Arc;

use avro_path::container::{Codec, WriterBuilder};
use avro_path::encode::EncodeOptions;
use avro_path::program::KeyOptions;
use avro_path::record::{Layout, RecordOptions};
use avro_path::{AvroSchema, Key};
use tfxio_core::option_file;
use tfxio_core::{
    DType, Error, ErrorKind, FormatOptions, OptionSpec, OptionType, OptionValue, Result, Store, suggest,
};
use tfxio_scan::merge::UNION_BY_NAME;
use tfxio_store::FileStore;
use tfxio_store::output::SHARD_BYTES_OPTION;

use super::columns::ColumnMapping;

/// The options, in the order in which they are shown.
const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "keys",
        OptionType::List,
        "Key expressions, each a column; `name=key` names it, `key as dtype` reads one type of a union. Default: a column for \
         each field.",
    ),
    OptionSpec::new(
        "reader_schema",
        OptionType::File,
        "File with the Avro schema to read all files with, or the schema itself as JSON. Default: that of the first file for \
         those that it loses nothing of, and their own for others, whose columns are merged.",
    ),
    UNION_BY_NAME,
    OptionSpec::new(
        "layout",
        OptionType::OneOf(&["structured", "plain"]),
        "Columns of whole records: every field a list, or as its type says. Default structured.",
    ),
    OptionSpec::new(
        "fields",
        OptionType::List,
        "Fields of whole records to read, `a.b` for a field of a field. Default: all.",
    ),
    OptionSpec::new(
        "max_depth",
        OptionType::Count,
        "Number of times that a record may occur within itself. Default: a record within itself is an error.",
    ),
    OptionSpec::new(
        "offsets",
        OptionType::OneOf(&["64", "32"]),
        "Bits of the offsets of lists and texts. Default 64.",
    ),
    OptionSpec::new(
        "logical_types",
        OptionType::Bool,
        "Whether logical types become the matching Arrow types. Default true.",
    ),
    OptionSpec::new(
        "arrow_names",
        OptionType::Bool,
        "Whether columns have the names that they had when the file was written, where those are not names in Avro. Default \
         true.",
    ),
    OptionSpec::new(
        "codec",
        OptionType::OneOf(&["deflate", "null", "snappy", "zstandard", "bzip2", "xz"]),
        "Codec of files that are written. Default deflate.",
    )
    .of_output(),
    OptionSpec::new(
        "level",
        OptionType::Count,
        "Compression level of files that are written. Default: that of the codec.",
    )
    .of_output(),
    OptionSpec::new(
        "block_bytes",
        OptionType::Count,
        "Bytes of a block that is written, before compression. Default 65536.",
    )
    .of_output(),
    SHARD_BYTES_OPTION,
    OptionSpec::new(
        "writer_schema",
        OptionType::File,
        "File with the Avro schema to write with, or the schema itself as JSON. Default: one derived from the columns.",
    )
    .of_output(),
];

/// Returns all options, in the order in which they are shown.
pub(super) fn options() -> Vec<OptionSpec> {
    #[allow(unused_mut, reason = "a feature adds one")]
    let mut options = OPTIONS.to_vec();
    #[cfg(feature = "tensors")]
    options.push(tfxio_core::shared_options::FEATURES_OPTION);
    options
}

/// Returns how columns of key expressions are laid out.
pub(super) fn key_options(options: &FormatOptions) -> KeyOptions {
    KeyOptions::stored().large_offsets(options.text("offsets") != Some("32"))
}

/// Returns the columns that are asked for.
pub(super) fn columns(options: &FormatOptions) -> Result<ColumnMapping> {
    if let Some(keys) = options.list("keys") {
        let keys = keys.iter().map(|text| column(text)).collect::<Result<_>>()?;
        return Ok(ColumnMapping::Keys(keys, key_options(options)));
    }
    let large_offsets = options.text("offsets") != Some("32");
    let mut layout = RecordOptions::default().large_offsets(large_offsets);
    layout.layout = match options.text("layout") {
        Some("plain") => Layout::Plain,
        _ => Layout::Structured,
    };
    layout.arrow_names = options.values().get("arrow_names") != Some(&OptionValue::Bool(false));
    layout.logical_types = options.values().get("logical_types") != Some(&OptionValue::Bool(false));
    layout.fields = options.list("fields").map(<[_]>::to_vec);
    // No schema nests as deep as the largest number.
    layout.max_depth = options.count("max_depth").map(|depth| u32::try_from(depth).unwrap_or(u32::MAX));
    Ok(ColumnMapping::Records(layout, None))
}

/// Returns the name and the key of a column: `key`, `name=key`, `key as dtype`.
fn column(text: &str) -> Result<(Arc<str>, Key)> {
    // A comparison of a key stands in brackets.
    let (name, key) = match text.split_once('=') {
        Some((name, key)) if !name.contains('[') => (name.trim(), key.trim()),
        _ => (text, text),
    };
    let key = match key.rsplit_once(" as ") {
        Some((key, dtype)) if !dtype.contains(']') => {
            let dtype = DType::from_name(dtype.trim()).ok_or_else(|| {
                let what = format!("the key {text:?} is read as {dtype:?}, which is not a dtype");
                let names = DType::ALL.iter().map(|dtype| dtype.name());
                Error::new(ErrorKind::InvalidArgument, what).help(suggest::hint(
                    dtype.trim(),
                    names,
                    "dtypes",
                ))
            })?;
            Key::parse(key.trim())?.read_as(dtype)
        }
        _ => Key::parse(key)?,
    };
    Ok((name.into(), key))
}

/// Returns the schema that an option holds, or names in a store.
pub(super) fn schema(store: &dyn Store, options: &FormatOptions, key: &str) -> Result<Option<AvroSchema>> {
    let Some(value) = options.text(key) else { return Ok(None) };
    if value.trim_start().starts_with(['{', '[', '"']) {
        return AvroSchema::parse(value).map(Some).map_err(|error| {
            let what = format!("the option {key:?} is not an Avro schema: {error}");
            Error::new(ErrorKind::Malformed, what).because(error)
        });
    }
    let text = option_file::read_text(store, value, "the schema", &options.request.cancel)?;
    AvroSchema::parse(&text).map(Some).map_err(|error| {
        let what = format!("this is not an Avro schema: {error}");
        Error::new(ErrorKind::Malformed, what).in_file(value).because(error)
    })
}

/// Returns how files are written.
pub(super) fn writer(options: &FormatOptions) -> Result<WriterBuilder> {
    let codec: Codec = options.text("codec").unwrap_or("deflate").parse()?;
    let mut builder = WriterBuilder::default().codec(codec).check(false).overwrite(true);
    if let Some(level) = options.count("level") {
        builder = builder.level(u32::try_from(level).unwrap_or(u32::MAX));
    }
    if let Some(bytes) = options.count("block_bytes") {
        builder = builder.block_bytes(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    Ok(builder)
}

/// Returns how rows become records.
pub(super) fn encoding(options: &FormatOptions) -> Result<EncodeOptions> {
    let encoding = EncodeOptions::default();
    let given = match &options.store {
        Some(store) => schema(&**store, options, "writer_schema")?,
        None => schema(&FileStore::default(), options, "writer_schema")?,
    };
    Ok(match given {
        Some(schema) => encoding.schema(schema),
        None => encoding,
    })
}
