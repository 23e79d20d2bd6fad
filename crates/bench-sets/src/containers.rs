//! Avro containers of the same kinds of records as the data sets that `benches/peers/avro_data.py` writes.

use avro_path::container::{Codec, ContainerReader, WriterBuilder};
use avro_path::datum::write;
use avro_path::{AvroSchema, Result};

use crate::random::Random;

/// An Avro object container.
#[derive(Clone, Debug)]
pub struct Container {
    /// The file.
    pub file: Vec<u8>,
    /// Its records.
    pub records: u64,
    /// The bytes of its records without compression, which is what a throughput counts.
    pub bytes: u64,
}

impl Container {
    fn of(schema: &str, codec: Codec, records: u64, mut append: impl FnMut(&mut Vec<u8>)) -> Result<Self> {
        let schema = AvroSchema::parse(schema)?;
        let builder = WriterBuilder::default().codec(codec).block_bytes(64 << 10).sync_marker([7; 16]);
        let mut writer = builder.target(Vec::new(), &schema).build()?;
        for _ in 0..records {
            writer.write_with(|out| {
                append(out);
                Ok(())
            })?;
        }
        let file = writer.finish()?;
        let mut bytes = 0;
        let mut reader = ContainerReader::new(&file[..])?;
        while let Some(block) = reader.next_block()? {
            bytes += block.bytes().len() as u64;
        }
        Ok(Self { file, records, bytes })
    }
}

/// 10 doubles `d0` to `d9`, 10 longs `l0` to `l9` and 5 strings `s0` to `s4`; 0.2 kB a record.
///
/// # Errors
/// None that is known: the records match the schema.
pub fn flat(records: u64, codec: Codec) -> Result<Container> {
    let mut random = Random::new(10);
    let names = |letter: char, count: u32, kind: &'static str| {
        (0..count).map(move |number| format!(r#"{{"name": "{letter}{number}", "type": "{kind}"}}"#))
    };
    let fields = names('d', 10, "double").chain(names('l', 10, "long")).chain(names('s', 5, "string"));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let schema = format!(r#"{{"type": "record", "name": "flat", "fields": [{fields}]}}"#);
    Container::of(&schema, codec, records, |out| {
        for _ in 0..10 {
            write::double(out, f64::from(random.unit()));
        }
        for number in 0..10 {
            let value = random.skewed(54);
            write::long(out, if number == 0 { -value } else { value });
        }
        for _ in 0..5 {
            write::string(out, &format!("s{:x}", random.below(1 << 32)));
        }
    })
}

/// Schema of the records of [`nested`].
const NESTED: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "label", "type": "int"},
    {"name": "features", "type": {"type": "array", "items": {"type": "record", "name": "pair", "fields": [
        {"name": "name", "type": "string"}, {"name": "term", "type": "string"}, {"name": "value", "type": "float"}]}}},
    {"name": "user", "type": {"type": "record", "name": "user", "fields": [
        {"name": "id", "type": "long"}, {"name": "name", "type": "string"},
        {"name": "tags", "type": {"type": "array", "items": "string"}}]}},
    {"name": "attrs", "type": {"type": "map", "values": "double"}},
    {"name": "opt", "type": ["null", "double"]}]}"#;

/// Schemas to read [`nested`] with, and what is different in them.
pub const NESTED_READERS: [(&str, &str); 2] = [
    (
        "a field with a default",
        r#"{"type": "record", "name": "row", "fields": [
    {"name": "label", "type": "int"},
    {"name": "features", "type": {"type": "array", "items": {"type": "record", "name": "pair", "fields": [
        {"name": "name", "type": "string"}, {"name": "term", "type": "string"}, {"name": "value", "type": "float"}]}}},
    {"name": "weight", "type": "float", "default": 1}]}"#,
    ),
    (
        "other fields and types",
        r#"{"type": "record", "name": "row", "fields": [
    {"name": "features", "type": {"type": "array", "items": {"type": "record", "name": "pair", "fields": [
        {"name": "value", "type": "double"}, {"name": "name", "type": ["null", "string"]}]}}},
    {"name": "label", "type": "double"}]}"#,
    ),
];

/// A label, 2 to 16 records of two strings and a float, a user with 0 to 5 tags, a map of 0 to 5 doubles, a double that
/// is missing in 30 % of the records; 0.25 kB a record.
///
/// # Errors
/// None that is known: the records match the schema.
pub fn nested(records: u64, codec: Codec) -> Result<Container> {
    let mut random = Random::new(11);
    Container::of(NESTED, codec, records, |out| {
        write::long(out, random.below(2) as i64);
        items(out, 2 + random.below(15), |out| {
            write::string(out, &format!("feat_{:03}", random.below(200)));
            write::string(out, &format!("t{:04}", random.below(2000)));
            write::float(out, random.unit());
        });
        let user = random.below(1 << 40);
        write::long(out, user as i64);
        write::string(out, &format!("user{:07}", user % 10_000_000));
        items(out, random.below(6), |out| write::string(out, &format!("tag{:02}", random.below(60))));
        items(out, random.below(6), |out| {
            write::string(out, &format!("attr_{}", random.below(12)));
            write::double(out, f64::from(random.unit()));
        });
        if random.percent(30) {
            write::long(out, 0);
        } else {
            write::long(out, 1);
            write::double(out, f64::from(random.unit()));
        }
    })
}

/// An array or a map of so many items in one block.
fn items(out: &mut Vec<u8>, count: u64, mut append: impl FnMut(&mut Vec<u8>)) {
    if count > 0 {
        write::long(out, count as i64);
        (0..count).for_each(|_| append(out));
    }
    write::long(out, 0);
}

#[cfg(test)]
mod tests {
    use avro_path::datum::SkipPlan;

    use super::*;

    #[test]
    fn the_records_are_those_of_the_schema() {
        for codec in [Codec::Null, Codec::Deflate, Codec::Snappy] {
            for (container, size) in
                [(flat(500, codec).unwrap(), 160..220), (nested(500, codec).unwrap(), 220..300)]
            {
                let mut reader = ContainerReader::new(&container.file[..]).unwrap();
                let schema = reader.header().schema().clone();
                let plan = SkipPlan::new(&schema);
                let mut records = 0;
                while let Some(block) = reader.next_block().unwrap() {
                    records += block.records(&schema, &plan).map(Result::unwrap).count() as u64;
                }
                assert_eq!(records, container.records);
                let mean = container.bytes / container.records;
                assert!(size.contains(&mean), "{mean} bytes a record");
            }
        }
    }
}
