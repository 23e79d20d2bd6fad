//! The Rust types of elements.

use std::fmt::Debug;

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
        match $dtype {
            ::tfxio_core::DType::Int8 => {
                type $T = i8;
                $body
            }
            ::tfxio_core::DType::Int16 => {
                type $T = i16;
                $body
            }
            ::tfxio_core::DType::Int32 => {
                type $T = i32;
                $body
            }
            ::tfxio_core::DType::Int64 => {
                type $T = i64;
                $body
            }
            ::tfxio_core::DType::UInt8 => {
                type $T = u8;
                $body
            }
            ::tfxio_core::DType::UInt16 => {
                type $T = u16;
                $body
            }
            ::tfxio_core::DType::UInt32 => {
                type $T = u32;
                $body
            }
            ::tfxio_core::DType::UInt64 => {
                type $T = u64;
                $body
            }
            ::tfxio_core::DType::Float16 => {
                type $T = ::half::f16;
                $body
            }
            ::tfxio_core::DType::BFloat16 => {
                type $T = ::half::bf16;
                $body
            }
            ::tfxio_core::DType::Float32 => {
                type $T = f32;
                $body
            }
            ::tfxio_core::DType::Float64 => {
                type $T = f64;
                $body
            }
            _ => $rest,
        }
    };
}
pub(crate) use with_element;
