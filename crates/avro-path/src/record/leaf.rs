//! Columns of scalar types.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use tfxio_core::Count;

use super::Layout;
use super::shape::{Builder, next};
use crate::buffers::Binary;
use crate::plan::logical_type;
use crate::plan::shape::Kind;
use crate::schema::{Logical, Type, TypeId};
use crate::{Error, ErrorKind, Result};

impl Builder<'_> {
    /// Returns the buffers for values of a type, and their Arrow type.
    pub(super) fn leaf(&mut self, id: TypeId) -> Result<(Kind, DataType)> {
        let is_large = self.options.large_offsets;
        let fixed_size = |size: usize| match i32::try_from(size) {
            Ok(size) => Ok(DataType::FixedSizeBinary(size)),
            Err(_) => {
                let what = format!("a fixed has {}, Arrow allows {}", Count::of(size, "byte"), i32::MAX);
                Err(Error::new(ErrorKind::LimitExceeded, what))
            }
        };
        let logical =
            self.options.logical_types.then(|| logical_type(self.schema, id, self.options.arrow_names));
        if let Some((data_type, width)) = logical.flatten() {
            let is_uuid = self.schema.logical(id) == Some(Logical::Uuid);
            return Ok((Kind::Fixed { values: self.values(), width, is_uuid }, data_type));
        }
        let (data_type, width) = match self.schema.get(id) {
            Type::Boolean => return Ok((Kind::Boolean(next(&mut self.counts.bits)), DataType::Boolean)),
            Type::Int => (DataType::Int32, 4),
            Type::Long => (DataType::Int64, 8),
            Type::Float => (DataType::Float32, 4),
            Type::Double => (DataType::Float64, 8),
            Type::Fixed(fixed) => (fixed_size(fixed.size())?, fixed.size()),
            Type::Enum(symbols) if self.options.layout == Layout::Plain => {
                let kind = Kind::Symbols { values: self.values(), symbols: dictionary(symbols.symbols())? };
                let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                return Ok((kind, data_type));
            }
            Type::Bytes => {
                let data_type = if is_large { DataType::LargeBinary } else { DataType::Binary };
                return Ok((Kind::Binary(next(&mut self.counts.binaries)), data_type));
            }
            _ => {
                let data_type = if is_large { DataType::LargeUtf8 } else { DataType::Utf8 };
                return Ok((self.strings(), data_type));
            }
        };
        Ok((Kind::Fixed { values: self.values(), width, is_uuid: false }, data_type))
    }
}

/// Returns the values of a dictionary.
fn dictionary(symbols: &[Arc<str>]) -> Result<ArrayRef> {
    let mut strings = Binary::<i32>::default();
    symbols.iter().for_each(|symbol| strings.push_text(symbol));
    let array = strings.finish_strings(None);
    array.map_err(|error| Error::new(ErrorKind::Other, "the symbols make no column").because(error))
}
