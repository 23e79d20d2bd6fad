//! Decoding against prost-reflect, which reads the same bytes into messages.

use message_codec::{DescriptorSet, Enums, ErrorKind, Layout, Limits, MessageEncoder, MessagePlan, Origin};
use proptest::prelude::*;
use prost::Message as _;
use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _,
};

use crate::generate::{self, Random};
use crate::render::{self, Value};

/// Options of a plan, as the model knows them.
pub(crate) struct Model {
    pub(crate) layout: Layout,
    pub(crate) enums: Enums,
    pub(crate) max_depth: usize,
}

impl Model {
    /// Returns the columns of a message.
    pub(crate) fn row(&self, message: &DynamicMessage, within: &mut Vec<String>) -> Value {
        let descriptor = message.descriptor();
        within.push(descriptor.full_name().to_owned());
        let fields = descriptor.fields();
        let fields = fields.map(|field| (field.name().to_owned(), self.field(message, &field, within)));
        let row = render::sorted(fields.collect());
        within.pop();
        row
    }

    fn field(&self, message: &DynamicMessage, field: &FieldDescriptor, within: &mut Vec<String>) -> Value {
        let is_structured = self.layout == Layout::Structured;
        let found = message.get_field(field);
        if field.is_map() {
            let Kind::Message(entry) = field.kind() else { panic!("an entry is a message") };
            let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
            within.push(entry.full_name().to_owned());
            let wrap = |value| if is_structured { Value::List(vec![value]) } else { value };
            let entries = found.as_map().unwrap().iter().map(|(found, of)| {
                let found = self.value(&key, &prost_reflect::Value::from(found.clone()), within);
                let of = self.value(&value, of, within);
                render::sorted(vec![("key".to_owned(), wrap(found)), ("value".to_owned(), wrap(of))])
            });
            let entries = entries.collect();
            within.pop();
            return Value::Map(entries);
        }
        if field.cardinality() == Cardinality::Repeated {
            let values = found.as_list().unwrap().iter().map(|value| self.value(field, value, within));
            return Value::List(values.collect());
        }
        if field.supports_presence() && !message.has_field(field) {
            return Value::Null;
        }
        let value = self.value(field, &found, within);
        if is_structured { Value::List(vec![value]) } else { value }
    }

    fn value(
        &self,
        field: &FieldDescriptor,
        value: &prost_reflect::Value,
        within: &mut Vec<String>,
    ) -> Value {
        use prost_reflect::Value as Found;
        match value {
            Found::Bool(value) => Value::Bool(*value),
            Found::I32(value) => Value::Int((*value).into()),
            Found::I64(value) => Value::Int((*value).into()),
            Found::U32(value) => Value::Int((*value).into()),
            Found::U64(value) => Value::Int((*value).into()),
            Found::F32(value) => Value::Float(value.to_bits().into()),
            Found::F64(value) => Value::Float(value.to_bits()),
            Found::String(value) => Value::Text(value.clone()),
            Found::Bytes(value) => Value::Bytes(value.to_vec()),
            Found::EnumNumber(number) if self.enums == Enums::Numbers => Value::Int((*number).into()),
            Found::EnumNumber(number) => {
                let Kind::Enum(of) = field.kind() else { panic!("an enum") };
                let name = of.get_value(*number).map(|value| value.name().to_owned());
                Value::Text(name.unwrap_or_else(|| number.to_string()))
            }
            Found::Message(message) => {
                let name = message.descriptor().full_name().to_owned();
                if within.iter().filter(|within| **within == name).count() > self.max_depth {
                    return Value::Kept(message.clone());
                }
                self.row(message, within)
            }
            Found::List(_) | Found::Map(_) => panic!("not a value"),
        }
    }
}

/// Decodes random records of a random message, and compares them with the model.
fn compare(seed: u64) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let set = generate::descriptors(&mut random);
    let pool = DescriptorPool::from_file_descriptor_set(set.clone()).unwrap();
    let ours = DescriptorSet::parse(&set.encode_to_vec()).unwrap();
    let descriptor = pool.get_message_by_name("p.M0").unwrap();
    let model = Model {
        layout: if random.one_in(2) { Layout::Plain } else { Layout::Structured },
        enums: if random.one_in(2) { Enums::Names } else { Enums::Numbers },
        max_depth: random.below(3) as usize,
    };
    let plan = MessagePlan::builder(ours.message("p.M0").unwrap())
        .layout(model.layout)
        .enums(model.enums)
        .large_offsets(random.one_in(2))
        .max_depth(model.max_depth as u32)
        .limits(Limits::default().columns(2_000))
        .build();
    let plan = match plan {
        Err(error) if error.kind() == ErrorKind::LimitExceeded => return Ok(()),
        plan => plan.unwrap(),
    };
    let mut decoder = plan.decoder();
    for _ in 0..2 {
        let mut expected = Vec::new();
        for index in 0..random.below(12) {
            let record = generate::bytes(&mut random, &descriptor, 0);
            let message = DynamicMessage::decode(descriptor.clone(), record.as_slice()).unwrap();
            expected.push(model.row(&message, &mut Vec::new()));
            decoder.push(&record, Origin::record(index)).unwrap();
            // A record that is refused changes nothing.
            let mut bad = record;
            bad.push(0x07);
            prop_assert!(decoder.push(&bad, Origin::record(index)).is_err());
        }
        let batch = decoder.flush().unwrap();
        prop_assert_eq!(batch.num_rows(), expected.len());
        // What is written is read again, by us and by them.
        let encoder = MessageEncoder::builder(ours.message("p.M0").unwrap(), batch.schema()).build().unwrap();
        let records = encoder.encode_to_vec(&batch).unwrap();
        for ((index, record), expected) in (0..).zip(&records).zip(&expected) {
            decoder.push(record, Origin::record(index)).unwrap();
            let message = DynamicMessage::decode(descriptor.clone(), record.as_slice()).unwrap();
            let found = model.row(&message, &mut Vec::new());
            prop_assert_eq!(render::without_order(expected), render::without_order(&found));
        }
        prop_assert_eq!(&decoder.flush().unwrap(), &batch);
        prop_assert_eq!(encoder.encode_to_vec(&batch).unwrap(), records);
        for (expected, found) in expected.iter().zip(render::rows(&batch)) {
            prop_assert!(render::matches(expected, &found), "{:?}\n{:?}", expected, found);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn columns_are_what_prost_reflect_reads(seed: u64) {
        compare(seed)?;
    }
}
