//! Views of data sets: some columns or rows, columns cast to other types, or several data sets as one.

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
