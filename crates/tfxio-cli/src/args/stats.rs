//! Arguments of `stats`.

use std::path::PathBuf;

use clap::{Args as Arguments, ValueEnum};
use tfxio::Predicate;

use super::{OnDamage, Opening, path, threads};

/// Show statistics of the columns, compare them with others, and check them against a schema.
///
/// All files are taken together as one data set and read once. Of numbers there are mean, deviation, zeros, extremes, quantiles
/// and histograms, of texts the distinct and the most frequent values, of all how many rows and values there are. Statistics
/// that were written before, by this command or by TensorFlow Data Validation, are shown like data.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio stats train.tfrecord
  tfxio stats 'train@16.tfrecord' --html report.html
  tfxio stats train.tfrecord -o before.tfrecord
  tfxio stats eval.tfrecord --compare before.tfrecord --html drift.html
  tfxio stats 'train@16.tfrecord' --infer-schema inferred.pbtxt
  tfxio stats eval.tfrecord --schema inferred.pbtxt
  tfxio stats train.tfrecord --by label --columns label,image
  tfxio stats people.avro --columns age --where 'age >= 30' --format json | jq '.statistics[0].features'
  tfxio stats train.tfrecord --sample 100 --seed 1 --format proto > sample.pb

The exit code is 1 where --schema finds an anomaly that is an error, and where --compare finds drift:
a distance above --l-infinity or --jensen-shannon, which are 0.1 where they are not given, a column of
another type, a new one, or one that is gone. With --format json it is one
object; proto is a DatasetFeatureStatisticsList of TensorFlow Metadata. Files of statistics
end with .pb, and hold the message, or with .tfrecord, and hold it as a record, as TensorFlow Data
Validation writes it. https://github.com/tfxio/tfxio/blob/main/docs/statistics.md explains the numbers.")]
pub(crate) struct Stats {
    /// Files or patterns, or one file of statistics
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Columns, or patterns such as 'user.*' [default: all]
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) columns: Option<Vec<String>>,
    /// Only rows that satisfy this: comparisons with and, or, not, in, is null
    #[arg(id = "where", long = "where", value_name = "PREDICATE")]
    pub(crate) filter: Option<Predicate>,
    /// Sample of N random rows [default: all rows]
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<u64>,
    /// Seed of the sample [default: 0]
    #[arg(long, value_name = "S", requires = "sample")]
    pub(crate) seed: Option<u64>,
    /// Also of the rows with each value of this column
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    /// The column with the weight of each row
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    /// Also how pairs of columns of numbers correlate
    #[arg(long)]
    pub(crate) correlations: bool,
    /// Threads; 0 is one a processor [default: 0]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u16>,
    /// Output format
    #[arg(long, value_enum, default_value_t = StatsFormat::Table)]
    pub(crate) format: StatsFormat,
    /// Also write the statistics to this file: .pb, or .tfrecord
    #[arg(short = 'o', long, value_name = "FILE", value_parser = path())]
    pub(crate) output: Option<PathBuf>,
    /// Also write a page for the browser that needs nothing else
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub(crate) html: Option<PathBuf>,
    /// Also say how far this data set, or these earlier statistics, are from the files, and end with 1 where
    /// it is too far [may be repeated: files of one data set]
    #[arg(long, value_name = "OTHER")]
    pub(crate) compare: Vec<String>,
    /// The largest L-infinity distance of the shares of a value that is not drift [default: 0.1]
    #[arg(long, value_name = "X", requires = "compare", value_parser = distance)]
    pub(crate) l_infinity: Option<f64>,
    /// The largest Jensen-Shannon divergence that is not drift [default: 0.1]
    #[arg(long, value_name = "X", requires = "compare", value_parser = distance)]
    pub(crate) jensen_shannon: Option<f64>,
    /// Check against this schema of TensorFlow Metadata, text or binary
    #[arg(long, value_name = "SCHEMA")]
    pub(crate) schema: Option<String>,
    /// The environment that the data are of, such as SERVING [default: all features count]
    #[arg(long, value_name = "NAME", requires = "schema")]
    pub(crate) environment: Option<String>,
    /// Also write the schema that follows from the statistics, as text
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub(crate) infer_schema: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) opening: Opening,
    #[command(flatten)]
    pub(crate) on_damage: OnDamage,
}

/// Output format of statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsFormat {
    /// For people
    Table,
    /// One JSON object
    Json,
    /// The message of TensorFlow Metadata
    Proto,
}

/// Reads a distance, which is from 0 to 1.
fn distance(text: &str) -> Result<f64, &'static str> {
    let distance = text.parse().ok().filter(|distance| (0.0..=1.0).contains(distance));
    distance.ok_or("give a number from 0 to 1")
}
