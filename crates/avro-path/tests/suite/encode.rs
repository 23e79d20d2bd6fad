//! Arrow batches as Avro: each type, given schemas, names, errors, and what another implementation reads.

mod back;
use crate::random::choices;
mod errors;
mod files;
mod given;
mod names;
mod others;
mod random;
mod same;
mod test_data;
mod types;
