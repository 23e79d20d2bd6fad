//! Imports of nearly every program: the traits with the methods of data sets, and the two types that are passed to
//! them.
//!
//! ```
//! use tfxio::prelude::*;
//! ```

#[cfg(feature = "example")]
pub use crate::{FromExample, FromSequenceExample, ToExample, ToSequenceExample};
#[cfg(feature = "loader")]
pub use batch_loader::LoaderExt;
pub use tfxio_core::{Dataset, Scan, ScanRequest};
#[cfg(feature = "tensors")]
pub use tfxio_formats::TensorsExt;
pub use tfxio_formats::{DatasetExt, OpenOptions, SpecExt, ValuesExt};
