//! What is known of a column before the first batch.

use std::collections::HashSet;

use arrow_schema::{DataType, Schema};

use super::cell::Head;
use super::options::EncoderOptions;
use crate::{Error, ErrorKind, FeatureKind};

/// A column that is encoded.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its number in the batch.
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) data_type: DataType,
    pub(super) head: Head,
}

/// The columns that are encoded, in order.
pub(super) fn columns(schema: &Schema, options: &EncoderOptions) -> Result<Vec<Plan>, Error> {
    for name in &options.ignored {
        if !schema.fields().iter().any(|field| field.name() == name) {
            return Err(Error::unknown_column(name, schema.fields().iter().map(|f| f.name().as_str())));
        }
    }
    let mut names = HashSet::new();
    let mut plans = Vec::with_capacity(schema.fields().len());
    for (index, field) in schema.fields().iter().enumerate() {
        let name = field.name();
        if options.ignored.contains(name) {
            continue;
        }
        if !names.insert(name) {
            return Err(Error::new(
                ErrorKind::InvalidSchema,
                format!("two columns are named {name:?}; an example can hold only one feature of a name"),
            ));
        }
        let kind =
            kind(field.data_type(), options.text).map_err(|why| unsupported(name, field.data_type(), why))?;
        let head = Head::new(name, kind);
        plans.push(Plan { index, name: name.clone(), data_type: field.data_type().clone(), head });
    }
    Ok(plans)
}

/// The kind of feature that a column becomes, or what to do about it.
fn kind(data_type: &DataType, text: bool) -> Result<Option<FeatureKind>, &'static str> {
    let item = match data_type {
        DataType::Null => return Ok(None),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => item,
        DataType::Struct(_) => return Err("leave it out, or take its fields apart"),
        _ => return Err("make it a list, with one value a row"),
    };
    match item.data_type() {
        DataType::Int64 => Ok(Some(FeatureKind::Int64)),
        DataType::Float32 => Ok(Some(FeatureKind::Float)),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Ok(Some(FeatureKind::Bytes)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if text => Ok(Some(FeatureKind::Bytes)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Err("cast it to binary, or allow text in the options")
        }
        DataType::Boolean => Err("cast it to lists of Int64"),
        item if item.is_integer() => Err("cast it to lists of Int64"),
        item if item.is_floating() => Err("cast it to lists of Float32"),
        _ => Err("cast it to lists of Int64, Float32 or Binary"),
    }
}

fn unsupported(name: &str, data_type: &DataType, what_to_do: &str) -> Error {
    let error = Error::new(
        ErrorKind::UnsupportedColumn,
        format!("tf.Example has no equivalent of a column of type {data_type}; {what_to_do}"),
    );
    error.in_feature(name)
}
