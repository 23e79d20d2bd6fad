//! The command itself, run as its users run it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod appended;
mod avro;
mod bad_input;
mod changed_files;
#[cfg(feature = "cloud")]
mod cloud;
mod color;
mod completions;
mod convert;
mod damaged;
mod directories;
mod empty_lists;
mod estimates;
mod extract;
mod head;
mod hints;
mod hostile_names;
mod index;
mod inspect;
#[cfg(all(unix, feature = "cloud"))]
mod interrupt;
mod load;
mod load_init;
mod load_validate;
#[cfg(feature = "proto")]
mod logical_kinds;
mod looking;
mod losses;
mod no_checksums;
mod odd_files;
mod old_arrow;
mod on_error;
mod outputs;
mod pairs;
mod pipes;
#[cfg(feature = "cloud")]
mod places;
mod preserved_types;
mod progress;
#[cfg(feature = "sql")]
mod prompt;
#[cfg(feature = "proto")]
mod proto;
mod readme;
mod realdata;
mod repair;
mod resume;
mod run;
mod schema;
mod sequence;
#[cfg(feature = "cloud")]
mod server;
mod sets;
mod spark_csv;
#[cfg(feature = "sql")]
mod sql;
mod stats;
mod stdio;
mod tables;
mod tensors;
mod terminal;
mod threads;
mod types;
mod types_of_columns;
mod urls;
mod usage;
mod verbosity;
mod verify;
