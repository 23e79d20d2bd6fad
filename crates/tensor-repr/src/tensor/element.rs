//! The Rust types of elements.

use std::fmt::Debug;

use arrow_array::ArrowPrimitiveType;
use arrow_buffer::ArrowNativeType;
use bytemuck::Pod;
use half::{bf16, f16};
use tfxio_core::DType;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is one element of a dtype of fixed width.
///
/// Implemented for the integers, floats, [`half::f16`] and [`half::bf16`]. Bools are bytes, see
/// [`Values::as_bools`](super::Values::as_bools).
pub trait Element: Pod + Debug + PartialEq + Send + Sync + sealed::Sealed {
    /// The dtype whose elements these are.
    const DTYPE: DType;

    /// A type of the same size and alignment that Arrow knows.
    #[doc(hidden)]
    type Native: ArrowNativeType + Pod;
}

macro_rules! elements {
    ($($type:ty, $dtype:ident, $native:ty;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            type Native = $native;
        }
    )*};
}

elements! {
    i8, Int8, i8;
    i16, Int16, i16;
    i32, Int32, i32;
    i64, Int64, i64;
    u8, UInt8, u8;
    u16, UInt16, u16;
    u32, UInt32, u32;
    u64, UInt64, u64;
    f16, Float16, u16;
    bf16, BFloat16, u16;
    f32, Float32, f32;
    f64, Float64, f64;
}

/// Runs a block with `T` as the Rust type of a dtype, and another one for bools and strings.
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr, _ => $rest:expr) => {
        with_element! { @ $dtype, $T, $body, $rest;
            Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64,
            Float16 ::half::f16, BFloat16 ::half::bf16, Float32 f32, Float64 f64
        }
    };
    (@ $dtype:expr, $T:ident, $body:expr, $rest:expr; $($name:ident $type:ty),*) => {
        match $dtype {
            $(::tfxio_core::DType::$name => {
                type $T = $type;
                $body
            })*
            _ => $rest,
        }
    };
}
pub(crate) use with_element;

/// Runs a block with `T` as the Arrow type of a numeric `DType` or `DataType`, and other arms for other types.
macro_rules! with_primitive {
    ($of:ident, $value:expr, $T:ident => $body:expr, $($rest:tt)*) => {
        with_primitive! { @ $of, $value, $T, $body, { $($rest)* };
            Int8 Int8Type, Int16 Int16Type, Int32 Int32Type, Int64 Int64Type, UInt8 UInt8Type, UInt16 UInt16Type,
            UInt32 UInt32Type, UInt64 UInt64Type, Float16 Float16Type, Float32 Float32Type, Float64 Float64Type
        }
    };
    (@ $of:ident, $value:expr, $T:ident, $body:expr, { $($rest:tt)* }; $($name:ident $type:ident),*) => {
        match $value {
            $($of::$name => {
                type $T = ::arrow_array::types::$type;
                $body
            })*
            $($rest)*
        }
    };
}
pub(crate) use with_primitive;

/// Returns the dtype of the values of an Arrow type.
pub(super) const fn dtype_of<T: ArrowPrimitiveType<Native: Element>>() -> DType {
    T::Native::DTYPE
}
