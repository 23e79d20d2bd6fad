//! Views of data sets: some columns or rows, columns cast to other types, or several data sets as one.

mod cast;
mod concat;
mod filtered;
mod layered;
mod numbered;
mod ranged;
mod selection;
mod zipped;

pub use self::cast::CastColumns;
pub use self::concat::Concat;
pub use self::filtered::Filtered;
pub use self::ranged::{Ranged, Wanted};
pub use self::selection::Selection;
pub use self::zipped::Zipped;
