//! Descriptions of arrays and schemas in capsules, before they are imported.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Levels of types within each other. pyarrow takes as many.
const MOST_LEVELS: usize = 64;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Refuses a schema that was released, or is nested too deep.
pub(super) fn check_schema(capsule: &Bound<'_, PyCapsule>) -> PyResult<()> {
    let schema = capsule.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    // SAFETY: a capsule of this name holds a schema as long as it lives, by the PyCapsule interface.
    check_type(unsafe { schema.as_ref() }).map_err(PyValueError::new_err)
}

/// Refuses an array that was released, whose type is nested too deep, or that is not as its type is.
pub(super) fn check_array(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<()> {
    check_schema(schema)?;
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold a schema and an array as long as they live, by the PyCapsule interface.
    let (schema, array) = unsafe { (schema.as_ref(), array.as_ref()) };
    if array.release.is_none() {
        let what = "this capsule was read before, and a capsule is read once: call __arrow_c_array__ again for another";
        return Err(PyValueError::new_err(what));
    }
    check_values(schema, array).map_err(PyValueError::new_err)
}

/// Checks that a type is whole, and not nested too deep.
pub(super) fn check_type(schema: &FFI_ArrowSchema) -> Result<(), String> {
    let mut left = vec![(schema, 0)];
    while let Some((schema, level)) = left.pop() {
        if schema.release.is_none() || schema.format.is_null() {
            return Err("this schema was released, or is empty: ask its giver for another".to_owned());
        }
        if level > MOST_LEVELS {
            return Err(format!("the type is nested more than {MOST_LEVELS} levels deep"));
        }
        left.extend(children(schema)?.map(|child| (child, level + 1)));
        // SAFETY: it is null or points to a schema, which lives as long as the one that has it.
        left.extend(unsafe { schema.dictionary.as_ref() }.map(|values| (values, level + 1)));
    }
    Ok(())
}

/// Checks that an array has the parts that its type, which was checked, has, and no length that cannot be one.
pub(super) fn check_values(schema: &FFI_ArrowSchema, array: &FFI_ArrowArray) -> Result<(), String> {
    let mut left = vec![(schema, array)];
    while let Some((schema, array)) = left.pop() {
        let end = array.length.checked_add(array.offset);
        if array.length < 0 || array.offset < 0 || array.null_count < -1 || end.is_none() {
            return Err(format!(
                "an array of length {} at offset {} with {} nulls",
                array.length, array.offset, array.null_count
            ));
        }
        if array.n_buffers < 0 || (array.n_buffers > 0 && array.buffers.is_null()) {
            return Err(format!("an array has {} buffers, and says not where", array.n_buffers));
        }
        if array.n_children != schema.n_children || array.dictionary.is_null() != schema.dictionary.is_null()
        {
            return Err(format!(
                "an array has {} children where its type has {}, or one of them has a dictionary",
                array.n_children, schema.n_children
            ));
        }
        let count = usize::try_from(array.n_children).unwrap_or_default();
        if count > 0 && array.children.is_null() {
            return Err("an array has children, and says not where".to_owned());
        }
        for (number, child) in children(schema)?.enumerate() {
            // SAFETY: there are as many as the type has, which the giver says to be there.
            let values = unsafe { array.children.add(number).read().as_ref() };
            left.push((child, values.ok_or("a child of an array is missing")?));
        }
        // SAFETY: as the children.
        let dictionaries = unsafe { (schema.dictionary.as_ref(), array.dictionary.as_ref()) };
        left.extend(dictionaries.0.zip(dictionaries.1));
    }
    Ok(())
}

/// Returns the children of a type.
fn children(schema: &FFI_ArrowSchema) -> Result<impl Iterator<Item = &FFI_ArrowSchema>, String> {
    let count =
        usize::try_from(schema.n_children).map_err(|_| "a type has fewer than no children".to_owned())?;
    if count > 0 && schema.children.is_null() {
        return Err("a type has children, and says not where".to_owned());
    }
    let mut found = Vec::new();
    for number in 0..count {
        // SAFETY: the giver says that there are as many.
        let child = unsafe { schema.children.add(number).read().as_ref() };
        found.push(child.ok_or("a child of a type is missing")?);
    }
    Ok(found.into_iter())
}
