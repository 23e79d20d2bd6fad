//! Arrow types of columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::{Read, Shape, Store};
use crate::Layout;
use crate::descriptor::Scalar;

/// Choice of Arrow types for columns.
#[derive(Clone, Copy)]
pub(super) struct Types {
    pub(super) layout: Layout,
    pub(super) large_offsets: bool,
}

impl Types {
    /// Returns the type of bytes.
    pub(super) fn binary(self) -> DataType {
        if self.large_offsets { DataType::LargeBinary } else { DataType::Binary }
    }

    fn text(self) -> DataType {
        if self.large_offsets { DataType::LargeUtf8 } else { DataType::Utf8 }
    }

    /// Returns the type of a value, and how it is stored.
    pub(super) fn value(self, read: Read) -> (DataType, Store) {
        match read {
            Read::EnumName => (self.text(), Store::Bytes),
            Read::EnumNumber => (DataType::Int32, Store::Bits32),
            Read::Scalar(scalar) => match scalar {
                Scalar::Double => (DataType::Float64, Store::Bits64),
                Scalar::Float => (DataType::Float32, Store::Bits32),
                Scalar::Int64 | Scalar::Sint64 | Scalar::Sfixed64 => (DataType::Int64, Store::Bits64),
                Scalar::Uint64 | Scalar::Fixed64 => (DataType::UInt64, Store::Bits64),
                Scalar::Int32 | Scalar::Sint32 | Scalar::Sfixed32 => (DataType::Int32, Store::Bits32),
                Scalar::Uint32 | Scalar::Fixed32 => (DataType::UInt32, Store::Bits32),
                Scalar::Bool => (DataType::Boolean, Store::Bool),
                Scalar::String => (self.text(), Store::Bytes),
                Scalar::Bytes => (self.binary(), Store::Bytes),
            },
        }
    }

    /// Returns the column of a field.
    pub(super) fn column(self, name: &str, shape: Shape, value: DataType, has_default: bool) -> FieldRef {
        let is_structured = self.layout == Layout::Structured;
        let data_type = match shape {
            Shape::One => return Arc::new(Field::new(name, value, !has_default)),
            Shape::Map if !is_structured => {
                DataType::Map(Arc::new(Field::new("entries", value, false)), false)
            }
            _ => {
                let item = Arc::new(Field::new_list_field(value, is_structured));
                if self.large_offsets { DataType::LargeList(item) } else { DataType::List(item) }
            }
        };
        Arc::new(Field::new(name, data_type, is_structured))
    }

    /// Returns the type of a message.
    pub(super) fn structs(self, fields: &Fields) -> DataType {
        DataType::Struct(fields.clone())
    }
}
