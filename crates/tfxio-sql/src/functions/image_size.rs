//! `image_size(x)`: the width and height of images.

use std::sync::Arc;

use arrow_array::builder::Int64Builder;
use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::compute;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use tfxio_formats::media::Media;

/// `{width, height}` of bytes that begin like a PNG, JPEG, WebP, GIF or BMP; null of others. Nothing is decoded but the header.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ImageSize(Signature);

impl Default for ImageSize {
    fn default() -> Self {
        Self(Signature::any(1, Volatility::Immutable))
    }
}

fn fields() -> Fields {
    ["width", "height"].into_iter().map(|name| Field::new(name, DataType::Int64, true)).collect()
}

impl ScalarUDFImpl for ImageSize {
    fn name(&self) -> &str {
        "image_size"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null] => {
                Ok(DataType::Struct(fields()))
            }
            [other, ..] => plan_err!("image_size takes the bytes of an image, and not {other}"),
            [] => plan_err!("image_size takes the bytes of an image"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let Some(array) = arrays.first() else { return plan_err!("image_size takes the bytes of an image") };
        let bytes = compute::cast(array, &DataType::LargeBinary)?;
        let sizes = bytes.as_binary::<i64>().iter().map(|bytes| Media::of(bytes?)?.size);
        let (mut widths, mut heights) = (Int64Builder::new(), Int64Builder::new());
        let mut is_known = Vec::with_capacity(bytes.len());
        for size in sizes {
            is_known.push(size.is_some());
            widths.append_option(size.map(|(width, _)| i64::from(width)));
            heights.append_option(size.map(|(_, height)| i64::from(height)));
        }
        let columns: Vec<ArrayRef> = vec![Arc::new(widths.finish()), Arc::new(heights.finish())];
        let sizes = StructArray::try_new(fields(), columns, Some(NullBuffer::from(is_known)))?;
        Ok(ColumnarValue::Array(Arc::new(sizes)))
    }
}
