//! Tensors for other libraries, without a copy: [DLPack](https://dmlc.github.io/dlpack/latest/).
//!
//! The structs are defined by `dlpack.h`. A consumer (PyTorch, JAX, CuPy, NumPy) takes over the pointer of
//! [`VersionedTensor::into_raw`] and calls its `deleter` when it is done; until then the values stay alive. The values are
//! shared with Arrow columns and other tensors: a consumer must not write to them. Version 1 tells it so, by [`READ_ONLY`].
//! Versions before 1 ([`ManagedTensor`]) cannot express it, so that whoever gives such a tensor away gives a copy
//! ([`DenseTensor::copied`]), or tells it otherwise.

mod versioned;

use std::ffi::c_void;
use std::ptr::NonNull;

use arrow_buffer::Buffer;

use tfxio_core::DType;

pub use self::versioned::{DLManagedTensorVersioned, DLPackVersion, READ_ONLY, VersionedTensor};
use super::{DenseTensor, Values};
use crate::{Error, Kind};

/// Device of the values. Ours are in main memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// 1 is the main memory.
    pub device_type: i32,
    /// 0 for the main memory.
    pub device_id: i32,
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// 0 signed, 1 unsigned, 2 float, 4 bfloat, 6 bool.
    pub code: u8,
    /// Bits of an element.
    pub bits: u8,
    /// Elements of a vector; 1.
    pub lanes: u16,
}

/// A tensor that owns nothing.
#[derive(Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The first value.
    pub data: *mut c_void,
    /// Device of the values.
    pub device: DLDevice,
    /// The number of dimensions.
    pub ndim: i32,
    /// The type of an element.
    pub dtype: DLDataType,
    /// The size of each dimension.
    pub shape: *mut i64,
    /// Number of elements between neighbours of each dimension.
    pub strides: *mut i64,
    /// Bytes from `data` to the first value; 0.
    pub byte_offset: u64,
}

/// A tensor and how to release it, as versions before 1 have it.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// Context of the deleter.
    pub manager_ctx: *mut c_void,
    /// Deleter, to be called once, with this very struct, after the last use of the tensor.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// Memory that the pointers of a tensor point to.
struct Held {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _values: Values,
}

impl Held {
    /// Returns a tensor of these, and the pointer by which [`Held::release`] releases them.
    fn lend(self, data: *const u8, dtype: DLDataType, ndim: i32) -> (DLTensor, *mut c_void) {
        let held = Box::leak(Box::new(self));
        let tensor = DLTensor {
            data: data.cast_mut().cast(),
            device: DLDevice { device_type: 1, device_id: 0 },
            ndim,
            dtype,
            shape: held.shape.as_mut_ptr(),
            strides: held.strides.as_mut_ptr(),
            byte_offset: 0,
        };
        (tensor, std::ptr::from_mut(held).cast())
    }

    /// Releases what was lent.
    ///
    /// # Safety
    /// `held` is what [`Held::lend`] has returned, and is not used any more.
    unsafe fn release(held: *mut c_void) {
        // SAFETY: the pointer is that of a leaked box, which nobody else releases.
        drop(unsafe { Box::from_raw(held.cast::<Self>()) });
    }
}

/// A [`DLManagedTensor`] that is released when it is dropped, unless it is given away.
#[derive(Debug)]
pub struct ManagedTensor(NonNull<DLManagedTensor>);

impl DenseTensor {
    /// Returns the tensor for consumers of DLPack before version 1, without a copy. It keeps the values alive, and does not
    /// mark them as read-only: [`DenseTensor::to_dlpack_versioned`] does.
    ///
    /// # Errors
    /// `Unsupported` for strings, which DLPack does not have; `Overflow` for a size that it cannot count.
    pub fn to_dlpack(&self) -> Result<ManagedTensor, Error> {
        let (dl_tensor, manager_ctx) = self.lent()?;
        let tensor = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(release) };
        Ok(ManagedTensor(NonNull::from(Box::leak(Box::new(tensor)))))
    }

    /// Returns a tensor whose values are a copy that nobody else has. Strings, which no consumer writes to, are shared.
    ///
    /// # Errors
    /// Those of [`DenseTensor::try_new`].
    pub fn copied(&self) -> Result<Self, Error> {
        let Some(buffer) = self.values().buffer() else { return Ok(self.clone()) };
        let values = Values::try_new(self.dtype(), Buffer::from_slice_ref(buffer.as_slice()))?;
        Self::try_new(self.shape().to_vec(), values)
    }

    /// Returns the tensor in the terms of DLPack, and the pointer by which its memory is released.
    fn lent(&self) -> Result<(DLTensor, *mut c_void), Error> {
        let dtype = data_type(self.dtype())?;
        let overflow = |_| Error::new(Kind::Overflow, "a size of the tensor is more than DLPack counts");
        let size = |size: usize| i64::try_from(size).map_err(overflow);
        let shape = self.shape().iter().map(|&count| size(count)).collect::<Result<Vec<_>, _>>()?;
        let mut strides = vec![1i64; shape.len()];
        for at in (1..shape.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(shape[at].max(1));
        }
        let ndim = i32::try_from(shape.len()).map_err(overflow)?;
        let data = self.values().buffer().map_or(std::ptr::null(), |buffer| buffer.as_ptr());
        Ok(Held { shape, strides, _values: self.values().clone() }.lend(data, dtype, ndim))
    }
}

fn data_type(dtype: DType) -> Result<DLDataType, Error> {
    let code = match dtype {
        DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => 0,
        DType::UInt8 | DType::UInt16 | DType::UInt32 | DType::UInt64 => 1,
        DType::Float16 | DType::Float32 | DType::Float64 => 2,
        DType::BFloat16 => 4,
        DType::Bool => 6,
        other => return Err(Error::new(Kind::Unsupported, format!("DLPack has no {other}"))),
    };
    let bits = dtype.width().and_then(|width| u8::try_from(width * 8).ok()).unwrap_or_default();
    Ok(DLDataType { code, bits, lanes: 1 })
}

/// Releases a tensor of ours.
unsafe extern "C" fn release(tensor: *mut DLManagedTensor) {
    if tensor.is_null() {
        return;
    }
    // SAFETY: whoever calls a deleter gives back, once, the struct that it came with: ours is a leaked box, and so is
    // what it was lent.
    unsafe {
        let tensor = Box::from_raw(tensor);
        Held::release(tensor.manager_ctx);
    }
}

impl ManagedTensor {
    /// Returns the tensor. Its pointers live as long as this value.
    #[must_use]
    pub fn tensor(&self) -> &DLTensor {
        // SAFETY: the struct lives until this value is dropped or given away, and nobody writes to it.
        unsafe { &self.0.as_ref().dl_tensor }
    }

    /// Returns whether the values begin at a multiple of 64 bytes. Some consumers copy or refuse what does not: slices may
    /// begin anywhere.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.tensor().is_aligned()
    }

    /// Gives the struct away. Whoever takes it must call its `deleter`, once; otherwise the values stay in memory.
    #[must_use]
    pub fn into_raw(self) -> *mut DLManagedTensor {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for ManagedTensor {
    fn drop(&mut self) {
        // SAFETY: the struct was made by `to_dlpack` and has not been given away.
        unsafe { release(self.0.as_ptr()) }
    }
}

impl DLTensor {
    fn is_aligned(&self) -> bool {
        self.data.cast::<u8>().align_offset(64) == 0
    }
}
