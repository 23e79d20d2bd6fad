//! Messages of any descriptor and any bytes: a push that fails leaves the decoder as it was, what was decoded is encoded
//! and decoded to the same batch, and a projection gives the columns that all of them have.

use arrow_array::RecordBatch;
use message_codec::{
    DescriptorSet, Enums, ErrorKind, Layout, Limits, MessageEncoder, MessagePlan, Origin,
};
use proto_wire::{Tag, WireType, Writer};

use crate::input::Input;
use crate::rows::sound;

/// Name of the column of unknown fields.
const UNKNOWN: &str = "?";

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let options = input.byte();
    let length = input.short();
    let Ok(set) = DescriptorSet::parse(input.take(length)) else { return };
    let Some(message) = set.messages().last() else { return };
    let limits = Limits::default().columns(500).batch_bytes(1 << 22);
    let builder = MessagePlan::builder(message.clone())
        .layout(if options & 1 == 0 { Layout::Plain } else { Layout::Structured })
        .enums(if options & 2 == 0 { Enums::Names } else { Enums::Numbers })
        .large_offsets(options & 4 == 0)
        .defaults(options & 8 == 0)
        .max_depth(u32::from(options >> 6))
        .unknown_fields(UNKNOWN)
        .limits(limits);
    let Ok(plan) = builder.clone().build() else { return };
    let records = input.records();
    let mut all = plan.decoder();
    let mut taken = Vec::new();
    for record in &records {
        match all.push(record, Origin::record(0)) {
            Ok(()) => taken.push(*record),
            Err(error) => assert_eq!(error.position().record, Some(0), "{error}"),
        }
        assert_eq!(all.rows(), taken.len());
    }
    let batch = sound(all.flush());
    assert_eq!(decoded(&plan, &taken), batch, "a failed push left something");

    // A name of an enum may be that of two numbers, and a message that is bytes may be none.
    match MessageEncoder::builder(message, batch.schema()).unknown_fields(UNKNOWN).build() {
        Ok(encoder) => match encoder.encode_to_vec(&batch) {
            Ok(written) => {
                let written = written.iter().map(Vec::as_slice).collect::<Vec<_>>();
                assert_eq!(sound(encoder.encode_to_vec(&decoded(&plan, &written))), written, "written again");
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}"),
        },
        Err(error) => panic!("what was decoded has columns that cannot be encoded: {error}"),
    }
    if let Some(first) = plan.schema().fields().first() {
        let name = first.name().as_str();
        let one = decoded(&sound(builder.columns([name]).build()), &taken);
        assert_eq!(Some(one.column(0)), batch.column_by_name(name));
    }
}

fn decoded(plan: &MessagePlan, records: &[&[u8]]) -> RecordBatch {
    let mut decoder = plan.decoder();
    for record in records {
        sound(decoder.push(record, Origin::record(0)));
    }
    sound(decoder.flush())
}

/// Returns a field whose value is `parts`.
fn field(number: u32, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let mut out = vec![0; value.len() + 16];
    let mut writer = Writer::new(&mut out);
    sound(writer.bytes_field(number, &value));
    let length = writer.position();
    out.truncate(length);
    out
}

fn number(field: u32, value: u8) -> Vec<u8> {
    vec![Tag::new(field, WireType::Varint).bits() as u8, value]
}

/// Returns the declaration of a field of a message: name, number, label, type and the name of the type.
fn declared(name: &str, at: u8, label: u8, kind: u8, of: &str) -> Vec<u8> {
    let of = if of.is_empty() { Vec::new() } else { field(6, &[of.as_bytes()]) };
    field(2, &[&field(1, &[name.as_bytes()]), &number(3, at), &number(4, label), &number(5, kind), &of])
}

fn set(syntax: &str) -> Vec<u8> {
    let value = |name: &str, at| field(2, &[&field(1, &[name.as_bytes()]), &number(2, at)]);
    let of_enum = field(5, &[&field(1, &[b"E"]), &value("A", 0), &value("B", 5)]);
    let entry = [declared("key", 1, 1, 9, ""), declared("value", 2, 1, 11, ".M")].concat();
    let entry = field(3, &[&field(1, &[b"X"]), &entry, &field(7, &[&number(7, 1)])]);
    let fields = [
        declared("i", 1, 1, 17, ""),
        declared("s", 2, 1, 9, ""),
        declared("d", 3, 3, 1, ""),
        declared("v", 4, 3, 5, ""),
        declared("e", 5, 3, 14, ".E"),
        declared("m", 6, 1, 11, ".M"),
        declared("r", 7, 3, 11, ".M"),
        declared("x", 8, 3, 11, ".M.X"),
        declared("g", 9, 1, if syntax == "proto2" { 10 } else { 11 }, ".M"),
        declared("b", 10, if syntax == "proto2" { 2 } else { 1 }, 8, ""),
    ];
    let message = field(4, &[&field(1, &[b"M"]), &entry, &fields.concat()]);
    field(1, &[&field(1, &[b"f"]), &message, &of_enum, &field(12, &[syntax.as_bytes()])])
}

/// Sets of both syntaxes, with a record that has every field and one that is cut off.
pub fn seeds() -> Vec<Vec<u8>> {
    let records: [&[u8]; 3] = [
        b"\x08\x03\x12\x01s\x22\x03\x01\x02\x80\x2a\x02\x05\x07\x32\x04\x50\x01\x08\x01\x3a\x02\x50\x00\x42\x03\x0a\x01k\x50\x01",
        b"\x22\x03\x01\x02\x03\x20\x04\x1a\x08\0\0\0\0\0\0\xf0\x3f\x50\x01\x42\x07\x0a\x01k\x12\x02\x50\x01\x42\x02\x0a\0\x78\x01",
        b"\x4b\x50\x01\x4c\x4a\x02\x50\x01",
    ];
    let mut seeds = Vec::new();
    for syntax in ["proto2", "proto3"] {
        for options in [0, 1, 6, 0x4b] {
            let set = set(syntax);
            let mut seed = vec![options];
            seed.extend_from_slice(&(set.len() as u16).to_le_bytes());
            seed.extend_from_slice(&set);
            for record in records {
                seed.extend_from_slice(&(record.len() as u16).to_le_bytes());
                seed.extend_from_slice(record);
            }
            seeds.push(seed);
        }
    }
    seeds
}
