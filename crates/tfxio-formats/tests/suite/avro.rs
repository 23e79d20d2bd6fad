//! Avro files behind the seam.

mod across;
mod bounded;
mod counts;
mod damage;
#[cfg(feature = "tensors")]
mod features;
mod filtering;
use crate::laws::filters;
mod hostile;
mod keeping;
mod laws;
mod made;
mod opening;
mod room;
mod serialized;
mod sets;
mod writing;
