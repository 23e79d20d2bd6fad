//! The former implementation: messages of prost-reflect, whose values go to the builders of Arrow. Columns have the
//! plain layout.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use arrow_array::builder::{
    BooleanBuilder, Float32Builder, Float64Builder, Int32Builder, Int64Builder, LargeBinaryBuilder,
    LargeStringBuilder, UInt32Builder, UInt64Builder,
};
use arrow_array::{Array as _, ArrayRef, LargeListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

/// Returns a message type as prost-reflect has it.
///
/// # Errors
/// It does not know the descriptor.
pub fn descriptor(message: &message_codec::MessageDescriptor) -> Result<MessageDescriptor> {
    let pool = DescriptorPool::decode(message.to_descriptor_set().as_slice())?;
    pool.get_message_by_name(message.full_name()).context("the set has the message")
}

/// Columns of messages.
pub struct Reflected {
    message: MessageDescriptor,
    columns: Structs,
}

impl Reflected {
    /// Returns columns without rows.
    #[must_use]
    pub fn new(message: MessageDescriptor) -> Self {
        let columns = Structs::new(&message);
        Self { message, columns }
    }

    /// Appends a record.
    ///
    /// # Errors
    /// The record is not such a message.
    pub fn push(&mut self, record: &[u8]) -> Result<()> {
        let message = DynamicMessage::decode(self.message.clone(), record)?;
        self.columns.push(Some(&message));
        Ok(())
    }

    /// Returns the columns.
    pub fn finish(&mut self) -> ArrayRef {
        self.columns.finish()
    }
}

impl std::fmt::Debug for Reflected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Reflected").field(&self.message.full_name()).finish()
    }
}

struct Structs {
    fields: Vec<(FieldDescriptor, Column)>,
    valid: Vec<bool>,
}

impl Structs {
    fn new(message: &MessageDescriptor) -> Self {
        let fields = message.fields().map(|field| {
            let column = Column::new(&field);
            (field, column)
        });
        Self { fields: fields.collect(), valid: Vec::new() }
    }

    fn push(&mut self, message: Option<&DynamicMessage>) {
        self.valid.push(message.is_some());
        for (field, column) in &mut self.fields {
            let Some(message) = message else {
                column.push(None);
                continue;
            };
            if field.supports_presence() && !message.has_field(field) {
                column.push(None);
            } else {
                column.push(Some(&message.get_field(field)));
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        let rows = self.valid.len();
        let columns = self.fields.iter_mut().map(|(_, column)| column.finish()).collect::<Vec<_>>();
        let fields = self.fields.iter().zip(&columns);
        let fields =
            fields.map(|((field, _), column)| Field::new(field.name(), column.data_type().clone(), true));
        let nulls = NullBuffer::from(std::mem::take(&mut self.valid));
        let fields = fields.collect::<Fields>();
        Arc::new(
            StructArray::try_new_with_length(fields, columns, Some(nulls), rows)
                .unwrap_or_else(|_| StructArray::new_empty_fields(0, None)),
        )
    }
}

enum Column {
    Bool(BooleanBuilder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    Uint32(UInt32Builder),
    Uint64(UInt64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Text(LargeStringBuilder),
    Bytes(LargeBinaryBuilder),
    Enum(prost_reflect::EnumDescriptor, LargeStringBuilder),
    Message(Structs),
    List(Vec<i64>, Box<Column>),
    Map(Vec<i64>, Box<(Column, Column)>),
}

impl Column {
    fn new(field: &FieldDescriptor) -> Self {
        if let (true, Kind::Message(entry)) = (field.is_map(), field.kind()) {
            let columns = (Self::of(&entry.map_entry_key_field()), Self::of(&entry.map_entry_value_field()));
            return Self::Map(vec![0], Box::new(columns));
        }
        if field.is_list() { Self::List(vec![0], Box::new(Self::of(field))) } else { Self::of(field) }
    }

    fn of(field: &FieldDescriptor) -> Self {
        match field.kind() {
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Self::Int32(Int32Builder::new()),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Self::Int64(Int64Builder::new()),
            Kind::Uint32 | Kind::Fixed32 => Self::Uint32(UInt32Builder::new()),
            Kind::Uint64 | Kind::Fixed64 => Self::Uint64(UInt64Builder::new()),
            Kind::Float => Self::Float32(Float32Builder::new()),
            Kind::Double => Self::Float64(Float64Builder::new()),
            Kind::String => Self::Text(LargeStringBuilder::new()),
            Kind::Bytes => Self::Bytes(LargeBinaryBuilder::new()),
            Kind::Enum(of) => Self::Enum(of, LargeStringBuilder::new()),
            Kind::Message(message) => Self::Message(Structs::new(&message)),
        }
    }

    fn push(&mut self, value: Option<&Value>) {
        match self {
            Self::Bool(column) => column.append_option(value.and_then(Value::as_bool)),
            Self::Int32(column) => column.append_option(value.and_then(Value::as_i32)),
            Self::Int64(column) => column.append_option(value.and_then(Value::as_i64)),
            Self::Uint32(column) => column.append_option(value.and_then(Value::as_u32)),
            Self::Uint64(column) => column.append_option(value.and_then(Value::as_u64)),
            Self::Float32(column) => column.append_option(value.and_then(Value::as_f32)),
            Self::Float64(column) => column.append_option(value.and_then(Value::as_f64)),
            Self::Text(column) => column.append_option(value.and_then(Value::as_str)),
            Self::Bytes(column) => column.append_option(value.and_then(Value::as_bytes)),
            Self::Enum(of, column) => {
                let number = value.and_then(Value::as_enum_number);
                let name = number.and_then(|number| of.get_value(number));
                column.append_option(name.as_ref().map(|value| value.name()));
            }
            Self::Message(structs) => structs.push(value.and_then(Value::as_message)),
            Self::List(ends, column) => {
                let values = value.and_then(Value::as_list).unwrap_or_default();
                values.iter().for_each(|value| column.push(Some(value)));
                ends.push(ends.last().copied().unwrap_or(0) + values.len() as i64);
            }
            Self::Map(ends, columns) => {
                let mut count = 0;
                for (key, value) in value.and_then(Value::as_map).into_iter().flatten() {
                    columns.0.push(Some(&key_value(key)));
                    columns.1.push(Some(value));
                    count += 1;
                }
                ends.push(ends.last().copied().unwrap_or(0) + count);
            }
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Int32(column) => Arc::new(column.finish()),
            Self::Int64(column) => Arc::new(column.finish()),
            Self::Uint32(column) => Arc::new(column.finish()),
            Self::Uint64(column) => Arc::new(column.finish()),
            Self::Float32(column) => Arc::new(column.finish()),
            Self::Float64(column) => Arc::new(column.finish()),
            Self::Text(column) | Self::Enum(_, column) => Arc::new(column.finish()),
            Self::Bytes(column) => Arc::new(column.finish()),
            Self::Message(structs) => structs.finish(),
            Self::List(ends, column) => lists(ends, column.finish()),
            Self::Map(ends, columns) => {
                let (key, value) = (columns.0.finish(), columns.1.finish());
                let field = |name: &str, array: &ArrayRef| Field::new(name, array.data_type().clone(), true);
                let fields = [field("key", &key), field("value", &value)].into_iter().collect::<Fields>();
                lists(ends, Arc::new(StructArray::new(fields, vec![key, value], None)))
            }
        }
    }
}

fn lists(ends: &mut Vec<i64>, values: ArrayRef) -> ArrayRef {
    let ends = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
    let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Arc::new(LargeListArray::new(item, ends, values, None))
}

fn key_value(key: &MapKey) -> Value {
    Value::from(key.clone())
}
