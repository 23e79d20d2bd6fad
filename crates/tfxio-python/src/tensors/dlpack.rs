//! Capsules of DLPack: a pointer and its name. A consumer that takes the tensor renames its capsule; what nobody has taken is
//! released with the capsule.

use std::ffi::CStr;
use std::ptr::NonNull;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{PyCapsule_GetPointer, PyCapsule_IsValid, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tfxio::tensor_repr::dlpack::{DLManagedTensor, DLManagedTensorVersioned, ManagedTensor, VersionedTensor};

/// The names of capsules that nobody has taken.
const DLTENSOR: &CStr = c"dltensor";
const DLTENSOR_VERSIONED: &CStr = c"dltensor_versioned";

/// Returns a tensor of DLPack 1 as a capsule.
pub(super) fn versioned(py: Python<'_>, tensor: VersionedTensor) -> PyResult<Bound<'_, PyCapsule>> {
    let Some(tensor) = NonNull::new(tensor.into_raw()) else { return Err(no_tensor()) };
    // SAFETY: the pointer is valid, and the destructor releases it unless a consumer has renamed the capsule.
    unsafe {
        let release = Some(release_versioned as unsafe extern "C" fn(_));
        PyCapsule::new_with_pointer_and_destructor(py, tensor.cast(), DLTENSOR_VERSIONED, release)
    }
}

/// Returns a tensor of DLPack before version 1 as a capsule.
pub(super) fn unversioned(py: Python<'_>, tensor: ManagedTensor) -> PyResult<Bound<'_, PyCapsule>> {
    let Some(tensor) = NonNull::new(tensor.into_raw()) else { return Err(no_tensor()) };
    // SAFETY: as above.
    unsafe {
        let release = Some(release_unversioned as unsafe extern "C" fn(_));
        PyCapsule::new_with_pointer_and_destructor(py, tensor.cast(), DLTENSOR, release)
    }
}

fn no_tensor() -> PyErr {
    PyBufferError::new_err("no tensor")
}

/// Releases a tensor of DLPack 1 that no library has taken.
unsafe extern "C" fn release_versioned(capsule: *mut PyObject) {
    // SAFETY: called by Python with the capsule that it destroys; its pointer under this name is that of `versioned`.
    unsafe {
        if PyCapsule_IsValid(capsule, DLTENSOR_VERSIONED.as_ptr()) == 0 {
            return;
        }
        let tensor = PyCapsule_GetPointer(capsule, DLTENSOR_VERSIONED.as_ptr());
        let tensor = tensor.cast::<DLManagedTensorVersioned>();
        if let Some(deleter) = (*tensor).deleter {
            deleter(tensor);
        }
    }
}

/// Releases a tensor of DLPack before version 1 that no library has taken.
unsafe extern "C" fn release_unversioned(capsule: *mut PyObject) {
    // SAFETY: as above, of `unversioned`.
    unsafe {
        if PyCapsule_IsValid(capsule, DLTENSOR.as_ptr()) == 0 {
            return;
        }
        let tensor = PyCapsule_GetPointer(capsule, DLTENSOR.as_ptr()).cast::<DLManagedTensor>();
        if let Some(deleter) = (*tensor).deleter {
            deleter(tensor);
        }
    }
}
