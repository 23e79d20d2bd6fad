//! Inference of tensors from a schema, and of a schema from data.
//!
//! [`features`] are the rules about features that the others share; [`group`] reads and writes the representations that a
//! schema states and compares them with the features, [`representations`] infers the ones that it does not state,
//! [`project`] cuts a schema down to some tensors, and [`specs`] expresses it all in TensorFlow's terms. [`from_data`]
//! makes a schema of batches, and [`validation`] compares batches with one.

mod features;
mod from_data;
mod group;
mod legacy;
mod project;
mod representations;
mod specs;
mod statistics;
mod strings;
mod validation;
mod walk;

pub(crate) use self::features::is_used;
pub use self::from_data::{SchemaInference, SchemaInferenceOptions};
pub use self::specs::{ExampleSpecs, SequenceExampleSpecs};
pub use self::validation::{
    Finding, FindingKind, RecordRule, RecordValidation, RecordValidationBuilder, SchemaValidation,
    SchemaValidationBuilder,
};
