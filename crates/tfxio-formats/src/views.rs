//! Data sets that stand on others: some columns or rows of them, their columns as other types, or several of them as one.

mod cast;
mod concat;
mod filtered;
mod layered;
mod numbered;
mod ranged;
mod selection;
mod zipped;

pub(crate) use self::cast::CastColumns;
pub(crate) use self::concat::Concat;
pub(crate) use self::filtered::Filtered;
pub(crate) use self::ranged::{Ranged, Wanted};
pub(crate) use self::selection::Selection;
pub(crate) use self::zipped::Zipped;
