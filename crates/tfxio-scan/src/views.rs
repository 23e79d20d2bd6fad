//! Views of data sets: some columns or rows, columns cast to other types or made by a function, or several data sets as one.

mod cast;
mod concat;
mod filtered;
mod layered;
mod mapped;
mod numbered;
mod ranged;
mod selection;
mod zipped;

pub use self::cast::CastColumns;
pub use self::concat::Concat;
pub use self::filtered::Filtered;
pub(crate) use self::mapped::{Mapped, kept};
pub use self::ranged::{Ranged, Wanted};
pub use self::selection::Selection;
pub use self::zipped::Zipped;
