//! Avro data of any schema and any bytes: passing over, showing, resolving and decoding agree on where a datum ends; a
//! push that fails leaves the decoder as it was; and columns that were written as Avro and read again are written as the
//! same bytes.

use arrow_array::RecordBatch;
use avro_path::datum::{DatumReader, SkipPlan, write_json};
use avro_path::encode::EncodePlan;
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, ErrorKind, Key, KeyProgram, Limits, Resolution, AvroSchema};
use tfxio_core::Origin;

use crate::input::Input;
use crate::rows::sound;

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let mut make = Maker { input: Input::new(input.take(24)), names: 0, keys: Vec::new() };
    let text = make.record("", 3);
    let keys = make.keys;
    let schema = sound(AvroSchema::parse(&text));
    let limits = Limits::default().record_bytes(1 << 16).list_items(1 << 12);

    let mut rest = input.rest;
    let mut good = Vec::new();
    while !rest.is_empty() && good.len() < 8 {
        let Some(length) = datum(&schema, rest, &limits) else { break };
        good.push(&rest[..length]);
        rest = &rest[length..];
    }
    keyed(&schema, &keys, &good, rest, limits);
    for layout in [Layout::Plain, Layout::Structured] {
        let options = RecordOptions::default().layout(layout);
        recorded(&schema, &options, &good, rest, limits);
    }
}

/// Returns the length of the datum with which the bytes begin, on which all readers that take it agree.
fn datum(schema: &AvroSchema, bytes: &[u8], limits: &Limits) -> Option<usize> {
    let mut reader = DatumReader::new(bytes);
    let mut json = Vec::new();
    let shown = write_json(schema, &mut reader, limits, &mut json);
    let length = reader.position();
    let mut skipped = DatumReader::new(bytes);
    let skip = SkipPlan::new(schema).skip(schema.root(), &mut skipped);
    let resolution = Resolution::builder(schema, schema).limits(*limits).build().ok()?;
    let (mut resolved, mut copy) = (DatumReader::new(bytes), Vec::new());
    let resolve = resolution.apply(&mut resolved, &mut copy);
    if let Err(error) = shown {
        assert!(error.position().record_byte.is_some_and(|byte| byte <= bytes.len() as u64), "{error}");
        return None;
    }
    assert!(skip.is_ok() && skipped.position() == length, "{skip:?}");
    assert!(resolve.is_ok() && resolved.position() == length, "{resolve:?}");
    assert!(length >= schema.least_bytes(schema.root()));
    assert!(!json.contains(&b'\n'));
    Some(length)
}

fn keyed(schema: &AvroSchema, keys: &[String], good: &[&[u8]], bad: &[u8], limits: Limits) {
    let parsed = keys.iter().map(|key| sound(Key::parse(key))).collect::<Vec<_>>();
    let program = sound(KeyProgram::new(schema, &parsed));
    decoded(|| program.decoder(), good, bad, limits);
}

/// Checks that everything shown is taken, and that a push that fails changes nothing; returns the batch, unless the bad
/// bytes were taken.
fn decoded(
    decoder: impl Fn() -> AvroDecoder,
    good: &[&[u8]],
    bad: &[u8],
    limits: Limits,
) -> Option<RecordBatch> {
    let mut first = decoder().limits(limits);
    let mut taken = Vec::new();
    for (record, bytes) in good.iter().enumerate() {
        match first.push(bytes, Origin::record(record as u64)) {
            Ok(()) => taken.push(*bytes),
            Err(error) => assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}"),
        }
        // Cut off it is no datum any more.
        if let Some(cut) = bytes.len().checked_sub(1) {
            assert!(first.push_first(&bytes[..cut], Origin::record(0)).is_err());
        }
    }
    // Not asked for, a text need not be UTF-8: what is shown as an error may be taken here.
    if first.push_first(bad, Origin::record(9)).is_ok() {
        return None;
    }
    assert_eq!(first.rows(), taken.len());
    let batch = sound(first.flush());
    let mut again = decoder();
    for bytes in taken {
        assert_eq!(sound(again.push_first(bytes, Origin::record(0))), bytes.len());
    }
    assert_eq!(sound(again.flush()), batch, "a failed push left something behind");
    Some(batch)
}

/// Decodes whole records: the taken ones are written, read and written again.
fn recorded(schema: &AvroSchema, options: &RecordOptions, good: &[&[u8]], bad: &[u8], limits: Limits) {
    let plan = sound(RecordPlan::builder(schema).options(options.clone()).build());
    let Some(batch) = decoded(|| plan.decoder(), good, bad, limits) else { return };
    let (schema, first) = written(&batch);
    let mut again =
        sound(RecordPlan::builder(&schema).options(RecordOptions::default().layout(Layout::Plain)).build()).decoder();
    for bytes in &first {
        sound(again.push(bytes, Origin::record(0)));
    }
    assert_eq!(written(&sound(again.flush())).1, first, "written, read and written again");
}

/// Returns the records that the rows of a batch become.
fn written(batch: &RecordBatch) -> (AvroSchema, Vec<Vec<u8>>) {
    let plan = sound(EncodePlan::builder(&batch.schema()).build());
    let rows = sound(plan.rows(batch));
    let record = |row| {
        let mut record = Vec::new();
        sound(rows.append(row, &mut record));
        record
    };
    let records = (0..rows.len()).map(record).collect();
    (plan.avro_schema().clone(), records)
}

/// Makes schemas, and keys that fit them.
struct Maker<'a> {
    input: Input<'a>,
    names: u32,
    keys: Vec<String>,
}

impl Maker<'_> {
    fn record(&mut self, key: &str, depth: u8) -> String {
        self.names += 1;
        let name = self.names;
        let fields = (0..1 + self.input.byte() % 3).map(|number| {
            let key = if key.is_empty() { format!("f{number}") } else { format!("{key}.f{number}") };
            format!(r#"{{"name":"f{number}","type":{}}}"#, self.any(&key, depth))
        });
        let fields = fields.collect::<Vec<_>>().join(",");
        format!(r#"{{"type":"record","name":"n{name}","fields":[{fields}]}}"#)
    }

    fn any(&mut self, key: &str, depth: u8) -> String {
        let kinds = if depth == 0 { 10 } else { 16 };
        let kind = self.input.byte() % kinds;
        if kind < 10 {
            if self.keys.len() < 12 {
                self.keys.push(key.to_owned());
            }
            return self.leaf(kind);
        }
        match kind {
            10 | 11 => {
                let below = ["[*]", "[0]", "[-2]"][usize::from(self.input.byte() % 3)];
                format!(r#"{{"type":"array","items":{}}}"#, self.any(&format!("{key}{below}"), depth - 1))
            }
            12 => {
                let below = ["[*]", "['a']"][usize::from(self.input.byte() % 2)];
                format!(r#"{{"type":"map","values":{}}}"#, self.any(&format!("{key}{below}"), depth - 1))
            }
            13 => match self.any(key, depth - 1) {
                plain if plain == "\"null\"" || plain.starts_with('[') => plain,
                plain => format!(r#"["null",{plain}]"#),
            },
            _ => self.record(key, depth - 1),
        }
    }

    fn leaf(&mut self, kind: u8) -> String {
        const PRIMITIVES: [&str; 8] =
            ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];
        match PRIMITIVES.get(usize::from(kind)) {
            Some(name) => format!("\"{name}\""),
            None => {
                self.names += 1;
                let name = self.names;
                match kind {
                    8 => format!(r#"{{"type":"enum","name":"n{name}","symbols":["A","B","C"]}}"#),
                    _ => format!(r#"{{"type":"fixed","name":"n{name}","size":{}}}"#, self.input.byte() % 4),
                }
            }
        }
    }
}

/// Returns schemas of each kind with small numbers, which are good for most types, after them.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for first in 0..16 {
        for second in [0, 2, 7, 10, 12, 13, 15] {
            let mut seed = vec![
                1, first, second, 3, 7, 2, first, 1, 6, 13, 4, 10, 8, 11, 12, 0, 5, 2, 9, 1, 3, 14, 2, 7,
            ];
            seed.extend_from_slice(&[
                2, 2, b'a', 0, 2, 0, 4, b'b', b'c', 2, 1, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ]);
            seeds.push(seed);
        }
    }
    // An array of longs in a block with its size, true and not.
    for size in [4, 2, 6] {
        let mut seed = vec![0, 10, 0, 3];
        seed.resize(24, 0);
        seed.extend_from_slice(&[3, size, 2, 4, 0, 3, size, 2, 4, 0]);
        seeds.push(seed);
    }
    seeds
}
