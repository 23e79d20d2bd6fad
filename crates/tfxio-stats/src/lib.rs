//! Statistics of data sets and of Arrow columns, and the mergeable sketches that they are made of.
//!
//! | for | take | error |
//! | --- | --- | --- |
//! | how many distinct values | [`Kmv`] | relative standard error about 1/√k, k buckets; exact below k |
//! | the most frequent values, by count or weight | [`MisraGries`] | no count off by more than W / (k + 1), W the weight of all |
//! | quantiles of numbers, of one or many streams, weighted | [`Quantiles`] | ranks off by at most eps · W |
//! | statistics of a data set | [`StatisticsExt`] | counts and moments are exact; it is said where something is estimated |
//! | statistics of record batches | [`Statistics`] | the same |
//! | statistics that were computed in shards, in one list | [`DatasetListAccumulator`] | – |
//! | statistics as a page of HTML, or as numbers | [`Page`], [`StatisticsList::summaries`] | – |
//! | a schema of statistics, with tensors | [`infer_schema`], [`propose_representations`] | – |
//! | statistics against a schema | [`validate`] | – |
//! | how far two data sets are apart | [`drift`](drift()) | – |
//!
//! A sketch is made, given arrays, merged with others and asked, in any order. The sketches of parts, merged, keep the
//! error bound of the sketch of the whole. Their states are bytes (`to_bytes`, `from_bytes`), and match
//! [tfx-bsl](https://github.com/tensorflow/tfx-bsl) 1.21: each reads what the other writes, and both give the same results.
//!
//! # Example
//!
//! ```
//! use arrow_array::Float64Array;
//! use arrow_array::cast::AsArray;
//! use arrow_array::types::Float64Type;
//! use tfxio_stats::Quantiles;
//!
//! let mut sketch = Quantiles::new(0.01, 1 << 20, 1)?;
//! sketch.add(&Float64Array::from_iter_values((0..=1000).map(f64::from)))?;
//! let quartiles = sketch.quantiles(4)?;
//! let quartiles = quartiles.value(0);
//! assert_eq!(quartiles.as_primitive::<Float64Type>().values(), &[0.0, 250.0, 500.0, 750.0, 1000.0]);
//! # Ok::<(), tfxio_stats::Error>(())
//! ```

mod accumulator;
mod anomalies;
mod correlation;
mod drift;
mod feature;
mod json;
mod kind;
mod kmv;
mod list;
mod misra_gries;
mod number_text;
mod page;
mod path_text;
mod proto;
mod quantiles;
mod row_counts;
mod run;
mod schema;
mod seeded_hash;
mod statistics;
mod summary;
#[cfg(test)]
mod test_data;
mod value_text;
mod value_type;
mod view;

pub use accumulator::DatasetListAccumulator;
pub use anomalies::{Anomalies, Anomaly, Severity, ValidateOptions, validate};
pub use correlation::Correlation;
pub use drift::{DriftOptions, DriftReport, FeatureDrift, drift};
pub use kind::{Conflict, Kind, SketchOption};
pub use kmv::Kmv;
pub use list::StatisticsList;
pub use misra_gries::{MisraGries, MisraGriesBuilder, OrderOnTie};
pub use page::Page;
pub use quantiles::{QuantileSummary, Quantiles};
pub use run::StatisticsExt;
pub use schema::{InferOptions, infer_schema, propose_representations};
pub use statistics::{Statistics, StatisticsBuilder, StatisticsOptions};
pub use summary::{FeatureSummary, ImageSummary, NumberSummary, TextSummary};
/// The error of every fallible function; its [`detail`](Error::detail) is a [`Kind`].
pub use tfxio_base::Error;
pub use value_type::ValueType;
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_schema};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
