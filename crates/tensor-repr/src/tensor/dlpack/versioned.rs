//! The structs of version 1 of DLPack, which have a version and flags.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::{DLTensor, Held};
use crate::{DenseTensor, Error};

/// The flag of a tensor whose values must not be written to.
pub const READ_ONLY: u64 = 1;

/// The flag of a tensor whose values are a copy that the consumer alone has.
const IS_COPIED: u64 = 1 << 1;

/// The version of DLPack that a struct follows: 1.0 is the first with this struct, and consumers of any version 1 read it.
const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };

/// A version of DLPack. A consumer reads what has its own major number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    /// Changes with the layout of structs.
    pub major: u32,
    /// Changes with additions.
    pub minor: u32,
}

/// A tensor, how to release it, and what may be done with it.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version that this struct follows.
    pub version: DLPackVersion,
    /// Context of the deleter.
    pub manager_ctx: *mut c_void,
    /// Deleter, to be called once, with this very struct, after the last use of the tensor.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bits: [`READ_ONLY`]; 2 for a copy that the consumer alone has.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

/// A [`DLManagedTensorVersioned`] that is released when it is dropped, unless it is given away.
#[derive(Debug)]
pub struct VersionedTensor(NonNull<DLManagedTensorVersioned>);

impl DenseTensor {
    /// Returns the tensor for consumers of DLPack 1, without a copy. It keeps the values alive, and is marked [`READ_ONLY`].
    ///
    /// # Errors
    /// `Unsupported` for strings, which DLPack does not have; `Overflow` for a size that it cannot count.
    ///
    /// ```
    /// use tensor_repr::dlpack::READ_ONLY;
    /// use tensor_repr::{DenseTensor, Values};
    ///
    /// let tensor = DenseTensor::try_new(vec![2], Values::from_vec(vec![1.0f32, 2.0]))?;
    /// assert_eq!(tensor.to_dlpack_versioned()?.flags(), READ_ONLY);
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    pub fn to_dlpack_versioned(&self) -> Result<VersionedTensor, Error> {
        VersionedTensor::new(self, READ_ONLY)
    }

    /// Returns a copy of the tensor for consumers of DLPack 1, which alone have it and may write to it.
    ///
    /// # Errors
    /// As [`DenseTensor::to_dlpack_versioned`].
    pub fn to_dlpack_copied(&self) -> Result<VersionedTensor, Error> {
        VersionedTensor::new(&self.copied()?, IS_COPIED)
    }
}

impl VersionedTensor {
    fn new(tensor: &DenseTensor, flags: u64) -> Result<Self, Error> {
        let (dl_tensor, manager_ctx) = tensor.lent()?;
        let tensor = DLManagedTensorVersioned {
            version: VERSION,
            manager_ctx,
            deleter: Some(release),
            flags,
            dl_tensor,
        };
        Ok(Self(NonNull::from(Box::leak(Box::new(tensor)))))
    }

    /// Returns the tensor. Its pointers live as long as this value.
    #[must_use]
    pub fn tensor(&self) -> &DLTensor {
        &self.managed().dl_tensor
    }

    /// Returns the version that the struct follows.
    #[must_use]
    pub fn version(&self) -> DLPackVersion {
        self.managed().version
    }

    /// Returns the flags.
    #[must_use]
    pub fn flags(&self) -> u64 {
        self.managed().flags
    }

    /// Returns whether the values begin at a multiple of 64 bytes. Some consumers copy or refuse what does not: slices may
    /// begin anywhere.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.tensor().is_aligned()
    }

    /// Gives the struct away. Whoever takes it must call its `deleter`, once; otherwise the values stay in memory.
    #[must_use]
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }

    fn managed(&self) -> &DLManagedTensorVersioned {
        // SAFETY: the struct lives until this value is dropped or given away, and nobody writes to it.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for VersionedTensor {
    fn drop(&mut self) {
        // SAFETY: the struct was made by `new` and has not been given away.
        unsafe { release(self.0.as_ptr()) }
    }
}

/// Releases a tensor of ours.
unsafe extern "C" fn release(tensor: *mut DLManagedTensorVersioned) {
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
