//! The native module `tfxio._lib`: types of tfxio as classes of Python, and nothing else. What a user sees is the Python
//! package in `python/tfxio`.

mod avro;
mod batch;
mod built;
mod codec;
mod columns;
mod custom;
mod dataset;
mod ending;
mod errors;
mod example;
mod imported;
mod ipc;
mod loader;
mod loader_config;
mod loading;
mod logging;
mod looking;
mod mapped;
mod numpy;
mod objects;
mod options;
mod partition;
mod reader;
mod reading;
mod records;
mod request;
mod rows;
mod schema;
mod schema_of_data;
mod skipped;
mod source;
mod statistics;
mod tensors;
mod tfx_bsl;
mod value_columns;
mod values;
mod waiting;
mod watched;
mod writing;

use pyo3::prelude::*;

/// The native module.
#[pymodule(gil_used = false)]
mod _lib {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::avro::{AvroFeatures, AvroRecordReader, avro_key_rank};
    #[pymodule_export]
    use super::batch::RecordBatch;
    #[pymodule_export]
    #[pymodule_export]
    use super::built::{array_of_lists, array_of_numpy, array_of_shape, array_of_values, batch_of_columns};
    #[pymodule_export]
    use super::codec::{RecordDecoder, encode_records};
    #[pymodule_export]
    use super::columns::Array;
    #[pymodule_export]
    use super::dataset::{Dataset, open, open_spec, wrap};
    #[pymodule_export]
    use super::example::{parse_example, serialize_example};
    #[pymodule_export]
    use super::ipc::{batch_of_ipc, ipc_of_batch};
    #[pymodule_export]
    use super::loader::{BatchLoader, LoadedBatch};
    #[pymodule_export]
    use super::logging::take_events;
    #[pymodule_export]
    use super::looking::{extract, index, inspect, repair, verify};
    #[pymodule_export]
    use super::options::option_specs;
    #[pymodule_export]
    use super::partition::Partition;
    #[pymodule_export]
    use super::reader::BatchReader;
    #[pymodule_export]
    use super::records::{RecordIndex, TFRecordReader, TFRecordWriter};
    #[pymodule_export]
    use super::request::Request;
    #[pymodule_export]
    use super::rows::rows_of_columns;
    #[pymodule_export]
    use super::schema::{Schema, schema_text};
    #[pymodule_export]
    use super::schema_of_data::{infer_schema, validate};
    #[pymodule_export]
    use super::skipped::Skipped;
    #[pymodule_export]
    use super::statistics::{Statistics, statistics};
    #[pymodule_export]
    use super::tensors::{
        DenseTensor, RaggedTensor, SparseTensor, StructuredTensor, TensorAdapter, TensorReader, Tensors,
    };
    #[pymodule_export]
    use super::tfx_bsl::arrays::{
        byte_size, coo_from_lists, count_invalid_utf8, element_lengths, fill_null_lists, index_in,
        list_lengths, lists_from_parent_indices, null_bytes, parent_indices, total_string_bytes,
    };
    #[pymodule_export]
    use super::tfx_bsl::coders::{
        ExamplesToRecordBatchDecoder, RecordBatchToExamplesEncoder, SequenceExamplesToRecordBatchDecoder,
        example_to_numpy,
    };
    #[pymodule_export]
    use super::tfx_bsl::sketches::{KmvSketch, MisraGriesSketch, OrderOnTie, QuantilesSketch};
    #[pymodule_export]
    use super::tfx_bsl::statistics::DatasetListAccumulator;
    #[pymodule_export]
    use super::tfx_bsl::tables::{batch_byte_size, merge_batches, take_rows};
    #[pymodule_export]
    use super::writing::convert::convert;
    #[pymodule_export]
    use super::writing::write;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::ending::register(module.py())
    }
}
