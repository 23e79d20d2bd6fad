//! Shapes and slices as messages show them.

use crate::config::{Slice, SliceAxis};

/// `[?, 3]`: a dimension that differs from record to record is a question mark.
pub(crate) fn shape_text(shape: &[Option<usize>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}

/// `[3,:,4:,:-2,1:4]`, as it is written in a configuration.
pub(crate) fn slice_text(slice: &Slice) -> String {
    let end = |place: Option<i64>| place.map(|place| place.to_string()).unwrap_or_default();
    let axis = |axis: &SliceAxis| match *axis {
        SliceAxis::Index(index) => index.to_string(),
        SliceAxis::Range { start, stop, step: 1 } => format!("{}:{}", end(start), end(stop)),
        SliceAxis::Range { start, stop, step } => format!("{}:{}:{step}", end(start), end(stop)),
    };
    format!("[{}]", slice.axes.iter().map(axis).collect::<Vec<_>>().join(","))
}
