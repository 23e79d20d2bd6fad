//! Representations of their members.

use crate::json_form::members::Members;
use crate::json_form::value;
use crate::{
    ConvertedRepresentation, DenseRepresentation, Error, LengthsRepresentation, RaggedRepresentation,
    Representation, SequenceRepresentation, SparseRepresentation, StructuredRepresentation,
    VarLenRaggedRepresentation, VarLenSparseRepresentation,
};

/// The kinds, and the members of each beside `kind`.
const KINDS: &[(&str, &[&str])] = &[
    ("dense", &["column", "shape", "flat", "default", "fill", "padding", "dim_names", "dtype"]),
    ("varlen_sparse", &["column", "rank", "dtype"]),
    (
        "sparse",
        &[
            "dense_shape",
            "index_columns",
            "value_column",
            "sort",
            "already_sorted",
            "dim_names",
            "kept_dims",
            "dtype",
        ],
    ),
    ("ragged", &["column", "partitions", "row_splits", "dtype"]),
    ("varlen_ragged", &["column", "dtype"]),
    ("structured", &["columns"]),
    ("lengths", &["column", "dtype"]),
    ("sequence", &["column", "shape", "optional", "row_splits", "dtype"]),
    ("converted", &["of", "raw", "cast"]),
];

pub(super) fn representation(members: &Members) -> Result<Representation, Error> {
    let kind = members.kind(KINDS, "representation")?;
    let column = || members.required("column", value::key);
    let dtype = || members.optional("dtype", value::dtype);
    let flag = |name| Ok::<_, Error>(members.if_given(name, value::flag)?.unwrap_or_default());
    let dim_names = || Ok::<_, Error>(members.if_given("dim_names", value::dim_names)?.unwrap_or_default());
    Ok(match kind {
        "dense" => Representation::Dense(DenseRepresentation {
            column: column()?,
            shape: members.required("shape", value::partial_shape)?,
            flat: flag("flat")?,
            default: members.optional("default", value::scalars)?,
            fill: members.if_given("fill", value::fill)?.unwrap_or_default(),
            padding: members.optional("padding", value::scalar)?,
            dim_names: dim_names()?,
            dtype: dtype()?,
        }),
        "varlen_sparse" => Representation::VarLenSparse(VarLenSparseRepresentation {
            column: column()?,
            rank: members.optional("rank", value::whole)?,
            dtype: dtype()?,
        }),
        "sparse" => Representation::Sparse(SparseRepresentation {
            dense_shape: members.required("dense_shape", value::partial_shape)?,
            index_columns: members.required("index_columns", value::columns)?,
            value_column: members.required("value_column", value::key)?,
            sort: flag("sort")?,
            already_sorted: flag("already_sorted")?,
            dim_names: dim_names()?,
            kept_dims: members.if_given("kept_dims", value::whole)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        "ragged" => Representation::Ragged(RaggedRepresentation {
            column: column()?,
            partitions: members.if_given("partitions", value::partitions)?.unwrap_or_default(),
            row_splits: members.if_given("row_splits", value::row_splits)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        "varlen_ragged" => {
            Representation::VarLenRagged(VarLenRaggedRepresentation { column: column()?, dtype: dtype()? })
        }
        "lengths" => Representation::Lengths(LengthsRepresentation { column: column()?, dtype: dtype()? }),
        "structured" => Representation::Structured(StructuredRepresentation {
            columns: members.required("columns", value::columns)?,
        }),
        "sequence" => Representation::Sequence(SequenceRepresentation {
            column: column()?,
            shape: members.required("shape", value::shape)?,
            optional: flag("optional")?,
            row_splits: members.if_given("row_splits", value::row_splits)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        _ => Representation::Converted(ConvertedRepresentation {
            of: Box::new(members.required("of", value::representation)?),
            raw: members.optional("raw", value::raw_bytes)?,
            cast: members.optional("cast", value::dtype)?,
        }),
    })
}
