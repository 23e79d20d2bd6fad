//! Arguments of `schema` and `tensors`.

use clap::{Args as Arguments, ValueEnum};

use super::Opening;

/// Show the columns of a data set, or hold its rows against a schema.
///
/// All files are taken together as one data set. A feature that has several kinds is shown with the number of records of each,
/// and the exit code is 1. Where the files contain the schema, only their headers are read.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio schema train.tfrecord
  tfxio schema -n 10000 'train@16.tfrecord'
  tfxio schema --format json train.tfrecord | jq -r .name
  tfxio schema --format pbtxt 'train@16.tfrecord' > schema.pbtxt
  tfxio schema --validate schema.pbtxt --group serving eval.tfrecord
  tfxio schema --format own people.avro | jq .fields
  tfxio schema --list-keys people.avro

With --format pbtxt the output is a schema of TensorFlow Metadata: types, numbers of values,
presence, shapes, small sets of strings, and a proposal for the default group of tensor
representations. --validate prints a line for each feature and each tensor that the records no
longer satisfy, and ends with the exit code 1 if there is any.

--format own prints the schema as it stands in the files, of formats that have one. --list-keys lists all
key expressions that end at a single value, for head --keys; --list-keys=3 those with three names of
fields at most, through records that contain themselves too, which are not gone into again otherwise.")]
pub(crate) struct Schema {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Look at the first N records only [default: all]
    #[arg(short = 'n', long = "rows", alias = "records", value_name = "N")]
    pub(crate) sample: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = SchemaFormat::Table)]
    pub(crate) format: SchemaFormat,
    /// List key expressions with their types instead [with a depth: of at most that many names]
    #[arg(
        long = "list-keys",
        alias = "keys",
        value_name = "DEPTH",
        num_args = 0..=1,
        default_missing_value = "0",
        require_equals = true,
        conflicts_with = "validate"
    )]
    pub(crate) keys: Option<usize>,
    /// Hold the records against this schema, text or binary, instead
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) validate: Option<String>,
    /// The group of tensor representations that must hold [default: the one without a name, and
    /// inferred ones]
    #[arg(long, value_name = "NAME", requires = "validate")]
    pub(crate) group: Option<String>,
    /// The environment that the records are of, such as SERVING [default: all features count]
    #[arg(long, value_name = "NAME", requires = "validate")]
    pub(crate) environment: Option<String>,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// Output format of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormat {
    /// For people
    Table,
    /// One JSON object a feature
    Json,
    /// A schema of TensorFlow Metadata as text
    Pbtxt,
    /// The Arrow columns, one a line
    Arrow,
    /// The schema as it is in the files
    #[value(alias = "avro")]
    Own,
}

/// Show the first rows as tensors.
///
/// A schema of TensorFlow Metadata or feature specs describe the tensors; where a format has key expressions, the keys of
/// specs are such. The rows make one batch.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio tensors train.tfrecord --schema schema.pbtxt
  tfxio tensors train.tfrecord --schema schema.pbtxt --group serving --tensors image,label -n 3
  tfxio tensors sessions.tfrecord --schema sessions.pbtxt --format json | jq .row_splits
  tfxio tensors train.tfrecord --features specs.json -n 0
  tfxio tensors people.avro --features people.json

-n 0 shows what the tensors will be and reads no record. With --format json there is one object
a tensor: its spec, and values in row-major order; sparse tensors have indices and dense_shape,
ragged ones row_splits, outermost first, and inner_shape. https://github.com/tfxio/tfxio/blob/main/docs/tensors.md
explains schemas and feature specs.")]
pub(crate) struct Tensors {
    /// Files or patterns
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// A schema of TensorFlow Metadata, text or binary, of formats whose records have none
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) schema: Option<String>,
    /// Take the tensors of this group of the schema [default: those of the one without a name, and
    /// inferred ones]
    #[arg(long, value_name = "NAME", requires = "schema", conflicts_with = "features")]
    pub(crate) group: Option<String>,
    /// Feature specs as JSON, in place of the schema's tensors
    #[arg(long, alias = "specs", value_name = "JSON")]
    pub(crate) features: Option<String>,
    /// Representations as JSON, in place of the schema's tensors
    #[arg(long, value_name = "JSON", conflicts_with_all = ["features", "group"])]
    pub(crate) representations: Option<String>,
    /// Number of rows
    #[arg(short = 'n', long = "rows", visible_alias = "limit", default_value_t = 10, value_name = "N")]
    pub(crate) rows: usize,
    /// Tensors to show, in this order [default: all, sorted]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) tensors: Option<Vec<String>>,
    /// Output format
    #[arg(long, value_enum, default_value_t = TensorFormat::Text)]
    pub(crate) format: TensorFormat,
    #[command(flatten)]
    pub(crate) opening: Opening,
}

/// Output format of tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TensorFormat {
    /// For people
    Text,
    /// One JSON object a tensor
    Json,
}
