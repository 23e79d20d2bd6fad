//! Descriptor sets: their contents, and the errors of bad ones.

use message_codec::{DescriptorSet, ErrorKind, Layout, MessagePlan};
use prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
};

use crate::generate::{blob, tag, varint};
use crate::render::text;
use crate::test_data::{compile, decode, message};

const PROTOC: &str = "write one by `protoc --include_imports --descriptor_set_out=FILE`";

fn field(name: &str, number: i32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional as i32),
        r#type: Some(kind as i32),
        ..FieldDescriptorProto::default()
    }
}

fn file(fields: Vec<FieldDescriptorProto>) -> FileDescriptorProto {
    let message = DescriptorProto { name: Some("M".to_owned()), field: fields, ..DescriptorProto::default() };
    FileDescriptorProto {
        name: Some("m.proto".to_owned()),
        message_type: vec![message],
        ..FileDescriptorProto::default()
    }
}

fn parse(files: Vec<FileDescriptorProto>) -> String {
    DescriptorSet::parse(&FileDescriptorSet { file: files }.encode_to_vec()).unwrap_err().to_string()
}

#[test]
fn bad_sets_say_what_is_wrong() {
    let bytes = |bytes: &[u8]| DescriptorSet::parse(bytes).unwrap_err().to_string();
    let not = |why: &str| format!("this is not a FileDescriptorSet: {why}; {PROTOC}");
    assert_eq!(bytes(b""), not("it has no file"));
    assert_eq!(bytes(b"message M {}"), not("it has a field 13 that no set has"));
    assert_eq!(bytes(b"\x0a\x05\x0a"), not("the bytes end before the message does"));
    assert_eq!(bytes(b"\x0a\x00"), not("it has a file without a name"));
    assert_eq!(bytes(b"\x0a\x03\x0a\x01\xff"), not("a text in it is not UTF-8"));
    let bad = |fields| parse(vec![file(fields)]);
    assert_eq!(
        bad(vec![field("a", 1, Type::Int32), field("a", 2, Type::Int32)]),
        not("the message M has two fields of the name \"a\" or the number 2")
    );
    assert_eq!(
        bad(vec![field("a", 0, Type::Int32)]),
        not("the field M.a has no name, or its number 0 is not one")
    );
    let mut odd = field("a", 1, Type::Int32);
    odd.r#type = Some(19);
    assert_eq!(bad(vec![odd]), not("the field M.a has the type 19, which does not exist"));
    let mut twice = file(vec![]);
    twice.message_type.push(twice.message_type[0].clone());
    assert_eq!(parse(vec![twice]), not("it declares M twice"));
    let mut empty = file(vec![]);
    empty
        .enum_type
        .push(EnumDescriptorProto { name: Some("E".to_owned()), ..EnumDescriptorProto::default() });
    assert_eq!(parse(vec![empty]), not("the enum E has no values"));
    let mut deep = DescriptorProto { name: Some("D".to_owned()), ..DescriptorProto::default() };
    for _ in 0..66 {
        deep = DescriptorProto {
            name: Some("D".to_owned()),
            nested_type: vec![deep],
            ..DescriptorProto::default()
        };
    }
    let mut deep_file = file(vec![]);
    deep_file.message_type.push(deep);
    assert_eq!(parse(vec![deep_file]), not("it declares messages in messages more than 64 deep"));
}

#[test]
fn missing_types_and_imports_are_named() {
    let mut typed = field("a", 1, Type::Message);
    typed.type_name = Some(".other.T".to_owned());
    let what = "the type \"other.T\" of the field M.a is in none of the files";
    let mut file = file(vec![typed]);
    assert_eq!(parse(vec![file.clone()]), format!("{what}; write the set with `protoc --include_imports`"));
    file.dependency.push("other.proto".to_owned());
    assert_eq!(
        parse(vec![file]),
        format!(
            "{what}; m.proto imports other.proto, which the set does not have: write it with `protoc --include_imports`"
        )
    );
}

#[test]
fn a_message_is_found_by_name_or_is_the_only_one() {
    let set =
        compile("syntax = \"proto3\"; package a.b; message One { message In {} } message Two {}").unwrap();
    assert_eq!(set.message("a.b.One.In").unwrap().full_name(), "a.b.One.In");
    let unknown = |name| set.message(name).unwrap_err().to_string();
    assert_eq!(unknown("One"), "there is no message \"One\"; did you mean \"a.b.One\"?");
    assert_eq!(unknown("a.b.Onne"), "there is no message \"a.b.Onne\"; did you mean \"a.b.One\"?");
    assert_eq!(
        unknown("x"),
        "there is no message \"x\"; the messages are \"a.b.One\", \"a.b.One.In\", \"a.b.Two\""
    );
    assert_eq!(
        set.only_message().unwrap_err().to_string(),
        "the descriptors have several messages, and none was chosen; name one of them: \"a.b.One\", \"a.b.Two\""
    );
    let import = "syntax = \"proto3\"; import \"google/protobuf/timestamp.proto\"; \
                  message Only { google.protobuf.Timestamp at = 1; }";
    let set = compile(import).unwrap();
    assert_eq!(set.only_message().unwrap().full_name(), "Only");
    let names = set.messages().map(|message| message.full_name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names, ["google.protobuf.Timestamp", "Only"]);
    let fields = set.only_message().unwrap();
    assert_eq!(fields.fields().collect::<Vec<_>>(), [("at", 1)]);
}

#[test]
fn sources_that_do_not_compile_say_why() {
    let text = |source: &str| {
        let error = compile(source).unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, edition) = text("// A comment.\nedition = \"2023\"; message M {}");
    assert_eq!(kind, ErrorKind::Unsupported);
    assert!(
        edition.ends_with(
            "m.proto: `.proto` sources with an edition are not compiled; write a descriptor set by `protoc \
             --include_imports --descriptor_set_out=FILE`"
        ),
        "{edition}"
    );
    let (kind, import) = text("syntax = \"proto3\"; import \"other.proto\"; message M {}");
    assert_eq!(kind, ErrorKind::Malformed);
    assert!(
        import.contains("'other.proto' not found") && import.contains("imports are looked for"),
        "{import}"
    );
    let (_, syntax) = text("syntax = \"proto3\"; message M { int32 a = }");
    assert!(syntax.contains("m.proto: the source does not compile: "), "{syntax}");
}

#[test]
fn another_process_needs_only_the_files_of_the_message() {
    let message =
        message("syntax = \"proto3\"; import \"google/protobuf/any.proto\"; message M { int32 a = 1; }");
    let set = message.to_descriptor_set();
    let again = DescriptorSet::parse(&set).unwrap();
    assert_eq!(again.message("M").unwrap().to_descriptor_set(), set);
    let files = FileDescriptorSet::decode(set.as_slice()).unwrap().file;
    let names = files.iter().map(|file| file.name()).collect::<Vec<_>>();
    assert_eq!(names, ["google/protobuf/any.proto", "m.proto"]);
}

/// Encodes a field of a set by hand: prost does not know features.
fn of(number: u32, parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    tag(&mut out, number, 2);
    blob(&mut out, &parts.concat());
    out
}

fn int(number: u32, value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    tag(&mut out, number, 0);
    varint(&mut out, value);
    out
}

fn edition_field(name: &str, number: u64, label: u64, kind: u64, features: &[u8]) -> Vec<u8> {
    let options = if features.is_empty() { Vec::new() } else { of(8, &[&of(21, &[features])]) };
    let name = of(1, &[name.as_bytes()]);
    let kind_name = if kind == 11 { of(6, &[b".M.In"]) } else { Vec::new() };
    of(2, &[&name, &int(3, number), &int(4, label), &int(5, kind), &kind_name, &options])
}

fn edition(number: u64) -> Vec<u8> {
    let inner = of(3, &[&of(1, &[b"In"]), &edition_field("v", 1, 1, 5, b"")]);
    let message = of(
        4,
        &[
            &of(1, &[b"M"]),
            &edition_field("explicit", 1, 1, 5, b""),
            &edition_field("implicit", 2, 1, 5, &int(1, 2)),
            &edition_field("required", 3, 1, 5, &int(1, 3)),
            &edition_field("delimited", 4, 1, 11, b""),
            &edition_field("prefixed", 5, 1, 11, &int(5, 1)),
            &inner,
        ],
    );
    // The file says that messages are delimited.
    let options = of(8, &[&of(50, &[&int(5, 2)])]);
    of(1, &[&of(1, &[b"e.proto"]), &message, &options, &of(12, &[b"editions"]), &int(14, number)])
}

#[test]
fn features_of_editions_are_resolved() {
    let set = DescriptorSet::parse(&edition(1000)).unwrap();
    let builder = || MessagePlan::builder(set.only_message().unwrap()).layout(Layout::Plain);
    let batch = decode(builder(), &[b"\x18\x07\x23\x08\x01\x24\x2a\x02\x08\x02"]).unwrap();
    assert_eq!(
        text(&batch),
        "{delimited: {v: 1}, explicit: null, implicit: 0, prefixed: {v: 2}, required: 7}"
    );
    assert!(
        decode(builder(), &[b""])
            .unwrap_err()
            .to_string()
            .contains("at required: a required field is absent")
    );
    assert_eq!(
        DescriptorSet::parse(&edition(9999)).unwrap_err().to_string(),
        "e.proto has an edition with the number 9999, which is not known; proto2, proto3 and the editions 2023 and 2024 are"
    );
}

#[test]
fn extensions_are_columns_of_their_full_names() {
    let source = "syntax = \"proto2\"; package p; message M { optional int32 a = 1; extensions 100 to 200; } \
                  extend M { optional string more = 100; }";
    let set = compile(source).unwrap();
    let builder = MessagePlan::builder(set.message("p.M").unwrap()).layout(Layout::Plain);
    let batch = decode(builder, &[b"\x08\x01\xa2\x06\x01x"]).unwrap();
    assert_eq!(text(&batch), "{[p.more]: \"x\", a: 1}");
}

#[test]
fn a_syntax_with_the_edition_of_another_is_refused() {
    let set = |syntax: &str, number: u64| {
        let edition = if number == 0 { Vec::new() } else { int(14, number) };
        of(1, &[&of(1, &[b"e.proto"]), &of(4, &[&of(1, &[b"M"])]), &of(12, &[syntax.as_bytes()]), &edition])
    };
    for (syntax, number) in
        [("", 0), ("", 998), ("proto2", 0), ("proto2", 998), ("proto3", 0), ("proto3", 999)]
    {
        assert!(DescriptorSet::parse(&set(syntax, number)).is_ok(), "{syntax:?} {number}");
    }
    let known = "proto2, proto3 and the editions 2023 and 2024 are";
    for (syntax, number, what) in [
        ("", 1000, "e.proto has no syntax and an edition with the number 1000"),
        ("proto2", 999, "e.proto has the syntax \"proto2\" and an edition with the number 999"),
        ("proto3", 1000, "e.proto has the syntax \"proto3\" and an edition with the number 1000"),
        ("proto4", 0, "e.proto has the syntax \"proto4\", which is not known"),
    ] {
        let error = DescriptorSet::parse(&set(syntax, number)).unwrap_err().to_string();
        assert_eq!(error, format!("{what}; {known}"));
    }
}

#[test]
fn names_of_fields_and_values_are_bounded() {
    let long = "x".repeat(2049);
    let of_field = parse(vec![file(vec![field(&long, 1, Type::Int32)])]);
    assert!(of_field.contains("the name that begins with \"xxxx"), "{of_field}");
    let value = of(2, &[&of(1, &[long.as_bytes()])]);
    let set = of(1, &[&of(1, &[b"e.proto"]), &of(5, &[&of(1, &[b"E"]), &value])]);
    let of_value = DescriptorSet::parse(&set).unwrap_err().to_string();
    assert!(of_value.contains("has more than 2048 bytes or 200 dots"), "{of_value}");
}
