//! Columns of files that are read together and differ in their columns.
//!
//! The columns of a set are matched by their names, in the order of the first file. A column that files have in different types
//! has the narrowest type that holds the values of all of them:
//!
//! | types | merged |
//! | --- | --- |
//! | nullable or not | nullable |
//! | null and any other | the other |
//! | a dictionary or runs, and their values | the values |
//! | texts of 32-bit and 64-bit offsets, and views | texts of 64-bit offsets; bytes as well |
//! | bytes of a fixed size and of others | bytes of 64-bit offsets |
//! | integers of two widths | the wider; of signed and unsigned ones, a signed one that holds both; none for 64 unsigned bits |
//! | floats of two widths | the wider |
//! | integers and floats | a float that holds the integers; of 64-bit integers, each must be a 64-bit float exactly |
//! | decimals | as many digits as both have, before and after the point |
//! | timestamps, times, durations of two units | the finer unit |
//! | timestamps of two time zones | timestamps in UTC; with and without a time zone, none |
//! | dates of days and of milliseconds | dates of milliseconds |
//! | lists of any kind | lists with 64-bit offsets of the merged items; of one kind, lists of that kind |
//! | structs | structs of the merged fields, matched by name |
//! | maps | maps of the merged keys and values |
//!
//! Types that have no such type in common, and a column that a file lacks, are an error of whoever reads that column. With the
//! option `union_by_name` a column is null where a file lacks it.

mod columns;
mod fitting;
mod inspect;
mod scan;
mod types;

use tfxio_core::{OptionSpec, OptionType};

pub use self::columns::Merged;
pub use self::columns::holds;
pub use self::fitting::Fitting;
pub use self::inspect::find_in_files;
pub use self::scan::fitted;

/// Option that specifies whether columns may be missing in files.
pub const UNION_BY_NAME: OptionSpec = OptionSpec::new(
    "union_by_name",
    OptionType::Bool,
    "Whether a column that only some of the files have is null in the others. Default: false, which refuses to read it.",
);
