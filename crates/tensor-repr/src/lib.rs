//! TensorFlow Metadata schemas and tensors over Apache Arrow.
//!
//! So far the crate holds one thing: [`proto`], the messages of tf.Example and of the TensorFlow
//! Metadata schema, as [prost](https://docs.rs/prost) types. No `protoc` is needed to build it.
//!
//! # Example
//!
//! ```
//! use prost::Message as _;
//! use tensor_repr::proto::metadata::v0::{Feature, FeatureType, Schema};
//!
//! let schema = Schema {
//!     feature: vec![Feature {
//!         name: Some("label".to_owned()),
//!         r#type: Some(FeatureType::Int.into()),
//!         ..Feature::default()
//!     }],
//!     ..Schema::default()
//! };
//! let bytes = schema.encode_to_vec();
//! assert_eq!(Schema::decode(bytes.as_slice())?, schema);
//! # Ok::<(), prost::DecodeError>(())
//! ```

mod adapter;
pub mod array;
mod error;
mod infer;
mod path;
pub mod proto;
mod representation;
mod schema;
mod spec;
pub mod table;
mod tensor;
mod to_arrow;

pub use adapter::{CopyCount, DefaultTensorAdapter, NamedTensor, TensorAdapter};
pub use error::{Error, ErrorKind};
pub use infer::{
    ExampleSpecs, Finding, FindingKind, SchemaInference, SchemaInferenceOptions, SchemaValidation,
    SchemaValidationOptions, SequenceExampleSpecs,
};
pub use path::ColumnPath;
pub use representation::json;
pub use representation::{
    DefaultValue, DenseRepresentation, Fill, Partition, RaggedRepresentation, Representation, RowSplitsDType,
    Scalar, SparseRepresentation, StructuredRepresentation, VarLenRaggedRepresentation,
    VarLenSparseRepresentation,
};
pub use schema::Schema;
pub use spec::{
    FeatureSpec, FixedLen, FixedLenSequence, RaggedFeature, SparseFeature, SpecDefault, VarLen,
    feature_specs_from_json,
};
pub use tensor::{
    DenseTensor, Element, RaggedTensor, RowSplits, SparseTensor, Strings, StringsIter, StructuredTensor,
    Tensor, TensorSpec, Values,
};
pub use to_arrow::{TensorsToArrow, TensorsToArrowOptions};
