//! TensorFlow Metadata schemas and tensors over Apache Arrow.
//!
//! | for | take |
//! | --- | --- |
//! | a `schema.pbtxt`, an encoded schema, or one made in code | [`TfmdSchema`]: reads and writes both, and keeps what it does not know |
//! | how columns become tensors | [`Representation`]: from a [`TfmdSchema`], from the proto, from [`json`], or from a [`FeatureSpec`] |
//! | tensors of record batches | [`Adapter`], a [`TensorAdapter`], makes a [`TensorBatch`] of each |
//! | record batches of tensors | [`TensorsToArrow`] |
//! | a schema of data, and data against a schema | [`SchemaInference`] and [`SchemaValidation`] |
//! | records that violate a schema | [`RecordValidation`] |
//! | tensors for other libraries | [`Values::try_into_vec`], `DenseTensor::ndarray` (feature `ndarray`), `dlpack` (feature `dlpack`) |
//! | functions over lists, batches and paths | [`array`](mod@array), [`table`], [`ColumnPath`] |
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, RecordBatch};
//! use arrow_array::builder::{Int64Builder, ListBuilder};
//! use tensor_repr::{Adapter, TfmdSchema};
//!
//! let schema = TfmdSchema::from_text(
//!     r#"feature { name: "label" type: INT shape { } presence { min_fraction: 1 } }
//!        feature { name: "words" type: INT }"#,
//! )?;
//! let mut label = ListBuilder::new(Int64Builder::new());
//! let mut words = ListBuilder::new(Int64Builder::new());
//! label.append_value([Some(1)]);
//! label.append_value([Some(0)]);
//! words.append_value([Some(7), Some(8)]);
//! words.append_null();
//! let batch = RecordBatch::try_from_iter([
//!     ("label", Arc::new(label.finish()) as ArrayRef),
//!     ("words", Arc::new(words.finish()) as ArrayRef),
//! ])?;
//!
//! let adapter = Adapter::builder(batch.schema(), schema.infer_representations()?).build()?;
//! let tensors = adapter.tensors(&batch)?;
//! assert_eq!(tensors.dense("label")?.shape(), [2]);
//! assert_eq!(tensors.sparse("words")?.dense_shape(), [2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod adapter;
pub mod array;
mod infer;
mod json_form;
mod kind;
mod path;
mod proto;
mod representation;
mod schema;
pub mod schema_file;
mod setters;
mod spec;
pub mod table;
mod tensor;
mod to_arrow;

pub use adapter::{Adapter, AdapterBuilder, TensorAdapter};
pub use infer::{
    ExampleSpecs, Finding, FindingKind, RecordRule, RecordValidation, RecordValidationBuilder,
    SchemaInference, SchemaInferenceOptions, SchemaValidation, SchemaValidationBuilder, SequenceExampleSpecs,
};
pub use kind::Kind;
/// ndarray, in the version of the views of tensors.
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use representation::json;
pub use representation::{
    ConvertedRepresentation, DefaultValue, DenseRepresentation, Fill, LengthsRepresentation, RaggedPartition,
    RaggedRepresentation, RawBytes, Representation, RowSplitsDType, ScalarValue, SequenceRepresentation,
    SparseRepresentation, StructuredRepresentation, VarLenRaggedRepresentation, VarLenSparseRepresentation,
};
pub use schema::{FeatureDefinition, FeatureType, SchemaBuilder, SchemaFeature, TfmdSchema};
pub use spec::{
    FeatureKeys, FeatureSpec, FixedLen, FixedLenSequence, Lengths, RaggedFeature, SparseFeature, SpecDefault,
    VarLen, feature_specs_from_json, feature_specs_to_json,
};
pub use tensor::{
    CopyCount, DenseTensor, Element, Endian, NamedTensor, RaggedTensor, RowSplits, SparseTensor, Strings,
    StringsIter, StructuredTensor, Tensor, TensorBatch, TensorSpec, Values,
};
/// The error of every fallible function; its [`detail`](Error::detail) is a [`Kind`].
pub use tfxio_base::Error;
pub use tfxio_base::Limits;
pub use tfxio_core::{ColumnPath, DType};
pub use to_arrow::{TensorsToArrow, TensorsToArrowBuilder};
/// The crates of Arrow that the signatures of this crate have types of.
pub use {arrow_array, arrow_buffer, arrow_schema};

#[cfg(feature = "dlpack")]
pub use tensor::dlpack;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
