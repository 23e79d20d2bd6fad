//! What a schema says about tensors, and what data says about a schema.
//!
//! [`features`] are the rules about features that the others share; [`group`] reads and writes the
//! representations that a schema states, [`representations`] infers those that it does not, [`usage`] holds
//! the ones against the features, [`project`] cuts a schema down to some tensors, and [`specs`] says it all in
//! TensorFlow's terms.

mod features;
mod group;
mod legacy;
mod project;
mod representations;
mod specs;
mod usage;

pub use self::specs::{ExampleSpecs, SequenceExampleSpecs};
