//! Each kind of representation as a representation.

use super::{
    DenseRepresentation, LengthsRepresentation, RaggedRepresentation, Representation, SparseRepresentation,
    StructuredRepresentation, VarLenRaggedRepresentation, VarLenSparseRepresentation,
};

macro_rules! from {
    ($($kind:ident: $type:ty),* $(,)?) => {$(
        impl From<$type> for Representation {
            fn from(representation: $type) -> Self {
                Self::$kind(representation)
            }
        }
    )*};
}

from! {
    Dense: DenseRepresentation,
    VarLenSparse: VarLenSparseRepresentation,
    Sparse: SparseRepresentation,
    Ragged: RaggedRepresentation,
    VarLenRagged: VarLenRaggedRepresentation,
    Structured: StructuredRepresentation,
    Lengths: LengthsRepresentation,
}
