//! Representations of their members.

use crate::json_form::members::Members;
use crate::json_form::value;
use crate::{
    ConvertedRepresentation, DenseRepresentation, Error, LengthsRepresentation, RaggedRepresentation,
    Representation, SequenceRepresentation, SparseRepresentation, StructuredRepresentation,
    VarLenRaggedRepresentation, VarLenSparseRepresentation,
};

#[derive(Clone, Copy)]
enum Kind {
    Dense,
    VarLenSparse,
    Sparse,
    Ragged,
    VarLenRagged,
    Structured,
    Lengths,
    Sequence,
    Converted,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Dense,
        Self::VarLenSparse,
        Self::Sparse,
        Self::Ragged,
        Self::VarLenRagged,
        Self::Structured,
        Self::Lengths,
        Self::Sequence,
        Self::Converted,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::VarLenSparse => "varlen_sparse",
            Self::Sparse => "sparse",
            Self::Ragged => "ragged",
            Self::VarLenRagged => "varlen_ragged",
            Self::Structured => "structured",
            Self::Lengths => "lengths",
            Self::Sequence => "sequence",
            Self::Converted => "converted",
        }
    }

    fn members(self) -> &'static [&'static str] {
        match self {
            Self::Dense => {
                &["kind", "column", "shape", "flat", "default", "fill", "padding", "dim_names", "dtype"]
            }
            Self::VarLenSparse => &["kind", "column", "rank", "dtype"],
            Self::Sparse => &[
                "kind",
                "dense_shape",
                "index_columns",
                "value_column",
                "sort",
                "already_sorted",
                "dim_names",
                "kept_dims",
                "dtype",
            ],
            Self::Ragged => &["kind", "column", "partitions", "row_splits", "dtype"],
            Self::VarLenRagged | Self::Lengths => &["kind", "column", "dtype"],
            Self::Structured => &["kind", "columns"],
            Self::Sequence => &["kind", "column", "shape", "optional", "row_splits", "dtype"],
            Self::Converted => &["kind", "of", "raw", "cast"],
        }
    }
}

pub(super) fn representation(members: &Members) -> Result<Representation, Error> {
    let kind = members.required("kind", value::one_of(Kind::ALL, Kind::name))?;
    members.only(kind.members(), &format!("{} representation", kind.name()))?;
    let column = || members.required("column", value::key);
    let dtype = || members.optional("dtype", value::dtype);
    let flag = |name| Ok::<_, Error>(members.if_given(name, value::flag)?.unwrap_or_default());
    let dim_names = || Ok::<_, Error>(members.if_given("dim_names", value::dim_names)?.unwrap_or_default());
    Ok(match kind {
        Kind::Dense => Representation::Dense(DenseRepresentation {
            column: column()?,
            shape: members.required("shape", value::partial_shape)?,
            flat: flag("flat")?,
            default: members.optional("default", value::scalars)?,
            fill: members.if_given("fill", value::fill)?.unwrap_or_default(),
            padding: members.optional("padding", value::scalar)?,
            dim_names: dim_names()?,
            dtype: dtype()?,
        }),
        Kind::VarLenSparse => Representation::VarLenSparse(VarLenSparseRepresentation {
            column: column()?,
            rank: members.optional("rank", value::whole)?,
            dtype: dtype()?,
        }),
        Kind::Sparse => Representation::Sparse(SparseRepresentation {
            dense_shape: members.required("dense_shape", value::partial_shape)?,
            index_columns: members.required("index_columns", value::columns)?,
            value_column: members.required("value_column", value::key)?,
            sort: flag("sort")?,
            already_sorted: flag("already_sorted")?,
            dim_names: dim_names()?,
            kept_dims: members.if_given("kept_dims", value::whole)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        Kind::Ragged => Representation::Ragged(RaggedRepresentation {
            column: column()?,
            partitions: members.if_given("partitions", value::partitions)?.unwrap_or_default(),
            row_splits: members.if_given("row_splits", value::row_splits)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        Kind::VarLenRagged => {
            Representation::VarLenRagged(VarLenRaggedRepresentation { column: column()?, dtype: dtype()? })
        }
        Kind::Lengths => {
            Representation::Lengths(LengthsRepresentation { column: column()?, dtype: dtype()? })
        }
        Kind::Structured => Representation::Structured(StructuredRepresentation {
            columns: members.required("columns", value::columns)?,
        }),
        Kind::Sequence => Representation::Sequence(SequenceRepresentation {
            column: column()?,
            shape: members.required("shape", value::shape)?,
            optional: flag("optional")?,
            row_splits: members.if_given("row_splits", value::row_splits)?.unwrap_or_default(),
            dtype: dtype()?,
        }),
        Kind::Converted => Representation::Converted(ConvertedRepresentation {
            of: Box::new(members.required("of", value::representation)?),
            raw: members.optional("raw", value::raw_bytes)?,
            cast: members.optional("cast", value::dtype)?,
        }),
    })
}
