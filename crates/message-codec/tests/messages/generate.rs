//! Random descriptors, and random bytes of their messages.

use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FieldOptions,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, OneofDescriptorProto,
};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// Numbers of all lengths.
    fn number(&mut self) -> u64 {
        let bits = self.below(65);
        let number = if bits == 0 { 0 } else { self.next() >> (64 - bits) };
        if self.one_in(4) { number.wrapping_neg() } else { number }
    }
}

const SCALARS: [Type; 15] = [
    Type::Double,
    Type::Float,
    Type::Int64,
    Type::Uint64,
    Type::Int32,
    Type::Fixed64,
    Type::Fixed32,
    Type::Bool,
    Type::String,
    Type::Bytes,
    Type::Uint32,
    Type::Sfixed32,
    Type::Sfixed64,
    Type::Sint32,
    Type::Sint64,
];

const KEYS: [Type; 12] = [
    Type::Int64,
    Type::Uint64,
    Type::Int32,
    Type::Fixed64,
    Type::Fixed32,
    Type::Bool,
    Type::String,
    Type::Uint32,
    Type::Sfixed32,
    Type::Sfixed64,
    Type::Sint32,
    Type::Sint64,
];

/// Returns a set of one file with the messages `M0`, `M1`, … and the enum `E`.
pub(crate) fn descriptors(random: &mut Random) -> FileDescriptorSet {
    let is_proto3 = random.one_in(2);
    let count = 1 + random.below(4);
    let value = |name: &str, number| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    };
    let file = FileDescriptorProto {
        name: Some("m.proto".to_owned()),
        package: Some("p".to_owned()),
        message_type: (0..count).map(|at| message(random, at, count, is_proto3)).collect(),
        enum_type: vec![EnumDescriptorProto {
            name: Some("E".to_owned()),
            value: vec![value("ZERO", 0), value("FIVE", 5), value("LESS", -3), value("MUCH", 70_000)],
            ..EnumDescriptorProto::default()
        }],
        syntax: Some(if is_proto3 { "proto3" } else { "proto2" }.to_owned()),
        ..FileDescriptorProto::default()
    };
    FileDescriptorSet { file: vec![file] }
}

fn message(random: &mut Random, at: u64, messages: u64, is_proto3: bool) -> DescriptorProto {
    let mut message = DescriptorProto { name: Some(format!("M{at}")), ..DescriptorProto::default() };
    let is_sparse = random.one_in(4);
    let mut number = 0;
    for index in 0..random.below(7) {
        number += 1 + if is_sparse { random.below(3_000_000) as i32 } else { random.below(3) as i32 };
        // These are reserved.
        if (19_000..20_000).contains(&number) {
            number += 1_000;
        }
        let mut field = FieldDescriptorProto {
            name: Some(format!("f{index}")),
            number: Some(number),
            label: Some(Label::Optional as i32),
            ..FieldDescriptorProto::default()
        };
        if random.one_in(3) {
            field.label = Some(Label::Repeated as i32);
        }
        match random.below(8) {
            0 => {
                let entry = format!("F{index}Entry");
                field.label = Some(Label::Repeated as i32);
                field.r#type = Some(Type::Message as i32);
                field.type_name = Some(format!(".p.M{at}.{entry}"));
                let mut key = FieldDescriptorProto { number: Some(1), ..named("key", random.pick(&KEYS)) };
                let mut value =
                    FieldDescriptorProto { number: Some(2), ..named("value", random.pick(&SCALARS)) };
                if random.one_in(3) {
                    value.r#type = Some(Type::Message as i32);
                    value.type_name = Some(format!(".p.M{}", random.below(messages)));
                }
                key.label = Some(Label::Optional as i32);
                value.label = Some(Label::Optional as i32);
                message.nested_type.push(DescriptorProto {
                    name: Some(entry),
                    field: vec![key, value],
                    options: Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() }),
                    ..DescriptorProto::default()
                });
            }
            1 | 2 => {
                let is_group = !is_proto3 && random.one_in(3);
                field.r#type = Some(if is_group { Type::Group } else { Type::Message } as i32);
                field.type_name = Some(format!(".p.M{}", random.below(messages)));
            }
            3 => {
                field.r#type = Some(Type::Enum as i32);
                field.type_name = Some(".p.E".to_owned());
            }
            _ => field.r#type = Some(random.pick(&SCALARS) as i32),
        }
        let is_repeated = field.label == Some(Label::Repeated as i32);
        if is_repeated && random.one_in(2) && is_packable(&field) {
            let packed = Some(random.one_in(2));
            field.options = Some(FieldOptions { packed, ..FieldOptions::default() });
        }
        if !is_repeated && random.one_in(3) {
            if message.oneof_decl.is_empty() {
                let name = Some("choice".to_owned());
                message.oneof_decl.push(OneofDescriptorProto { name, options: None });
            }
            field.oneof_index = Some(0);
        }
        message.field.push(field);
    }
    message
}

fn named(name: &str, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        r#type: Some(kind as i32),
        ..FieldDescriptorProto::default()
    }
}

fn is_packable(field: &FieldDescriptorProto) -> bool {
    let unpackable = [Type::String, Type::Bytes, Type::Message, Type::Group].map(|kind| Some(kind as i32));
    !unpackable.contains(&field.r#type)
}

/// Bytes of a message: fields in any order, several times, packed and not, and some that it does not have.
pub(crate) fn bytes(random: &mut Random, of: &MessageDescriptor, depth: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let fields = of.fields().collect::<Vec<_>>();
    let most = if depth > 4 { 1 } else { 8 };
    for _ in 0..random.below(most) {
        if fields.is_empty() || random.one_in(12) {
            // Number 19,999 is one that no field may have.
            tag(&mut out, 19_999, 2);
            blob(&mut out, b"unknown");
            continue;
        }
        let field = &fields[random.below(fields.len() as u64) as usize];
        occurrence(random, field, depth, &mut out);
    }
    out
}

fn occurrence(random: &mut Random, field: &FieldDescriptor, depth: u32, out: &mut Vec<u8>) {
    let number = field.number();
    let kind = field.kind();
    match &kind {
        Kind::Message(message) if field.is_group() => {
            tag(out, number, 3);
            out.extend(bytes(random, message, depth + 1));
            tag(out, number, 4);
        }
        Kind::Message(message) => {
            tag(out, number, 2);
            let inner = bytes(random, message, depth + 1);
            blob(out, &inner);
        }
        Kind::String => {
            tag(out, number, 2);
            let text = random.pick(&["", "a", "žluť", "a longer text than sixteen bytes"]);
            blob(out, text.as_bytes());
        }
        Kind::Bytes => {
            tag(out, number, 2);
            let bytes: [u8; 3] = [random.below(256) as u8, 0xff, 0];
            blob(out, &bytes[..random.below(4) as usize]);
        }
        _ if field.is_list() && random.one_in(2) => {
            let mut run = Vec::new();
            for _ in 0..random.below(20) {
                number_of(random, &kind, &mut run);
            }
            tag(out, number, 2);
            blob(out, &run);
        }
        _ => {
            tag(out, number, wire(&kind));
            number_of(random, &kind, out);
        }
    }
}

fn wire(kind: &Kind) -> u32 {
    match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => 1,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => 5,
        _ => 0,
    }
}

fn number_of(random: &mut Random, kind: &Kind, out: &mut Vec<u8>) {
    match wire(kind) {
        1 => out.extend(random.number().to_le_bytes()),
        5 => out.extend((random.number() as u32).to_le_bytes()),
        _ => match kind {
            Kind::Enum(_) => varint(out, random.pick(&[0, 5, 70_000, 9, (-3i64).cast_unsigned()])),
            _ => varint(out, random.number()),
        },
    }
}

pub(crate) fn tag(out: &mut Vec<u8>, number: u32, wire: u32) {
    varint(out, u64::from(number) << 3 | u64::from(wire));
}

pub(crate) fn blob(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
