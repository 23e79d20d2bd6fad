//! Descriptor sets that contradict themselves, and the files that a message needs.

use message_codec::{DescriptorSet, ErrorKind, Layout, MessagePlan};
use prost::Message as _;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, OneofDescriptorProto,
};

use crate::render::text;
use crate::test_data::decode;

fn field(name: &str, number: i32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional as i32),
        r#type: Some(kind as i32),
        ..FieldDescriptorProto::default()
    }
}

fn typed(name: &str, number: i32, kind: Type, type_name: &str) -> FieldDescriptorProto {
    FieldDescriptorProto { type_name: Some(type_name.to_owned()), ..field(name, number, kind) }
}

fn labelled(field: FieldDescriptorProto, label: Label) -> FieldDescriptorProto {
    FieldDescriptorProto { label: Some(label as i32), ..field }
}

fn in_oneof(field: FieldDescriptorProto, index: i32) -> FieldDescriptorProto {
    FieldDescriptorProto { oneof_index: Some(index), ..field }
}

fn message(name: &str, fields: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field: fields, ..DescriptorProto::default() }
}

fn file(name: &str, imports: &[&str], messages: Vec<DescriptorProto>) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        dependency: imports.iter().map(|&import| import.to_owned()).collect(),
        message_type: messages,
        ..FileDescriptorProto::default()
    }
}

fn set(files: &[FileDescriptorProto]) -> Result<DescriptorSet, message_codec::Error> {
    DescriptorSet::parse(&FileDescriptorSet { file: files.to_vec() }.encode_to_vec())
}

/// Returns the error of a set of files.
fn refused(files: &[FileDescriptorProto]) -> String {
    let error = set(files).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    let text = error.to_string();
    let text = text.strip_prefix("this is not a FileDescriptorSet: ").expect("what it is not");
    let help = "; write one by `protoc --include_imports --descriptor_set_out=FILE`";
    text.strip_suffix(help).expect("what to do").to_owned()
}

fn refused_message(message: DescriptorProto) -> String {
    refused(&[file("m.proto", &[], vec![message])])
}

#[test]
fn a_oneof_is_declared_and_has_optional_members() {
    let declared = |fields| DescriptorProto {
        oneof_decl: vec![OneofDescriptorProto { name: Some("o".to_owned()), options: None }],
        ..message("M", fields)
    };
    let member = || field("a", 1, Type::Int32);
    let undeclared = "the field M.a is in a oneof that its message does not declare";
    for index in [1, i32::MAX, -1] {
        assert_eq!(refused_message(declared(vec![in_oneof(member(), index)])), undeclared);
    }
    assert_eq!(refused_message(message("M", vec![in_oneof(member(), 0)])), undeclared);
    for label in [Label::Repeated, Label::Required] {
        assert_eq!(
            refused_message(declared(vec![in_oneof(labelled(member(), label), 0)])),
            "the field M.a is in a oneof, and repeated or required"
        );
    }
    let mut extended = file("m.proto", &[], vec![declared(vec![])]);
    let extension = in_oneof(field("x", 100, Type::Int32), 0);
    extended.extension.push(FieldDescriptorProto { extendee: Some(".M".to_owned()), ..extension });
    assert_eq!(refused(&[extended]), "the field x is in a oneof that its message does not declare");
}

#[test]
fn oneofs_without_a_field_take_nothing() {
    let mut message = message("M", vec![in_oneof(field("a", 1, Type::Int32), 99_999)]);
    message.field.push(in_oneof(field("b", 2, Type::Int32), 99_999));
    message.oneof_decl = vec![OneofDescriptorProto::default(); 100_000];
    let set = set(&[file("m.proto", &[], vec![message])]).unwrap();
    let builder = MessagePlan::builder(set.message("M").unwrap()).layout(Layout::Plain);
    assert_eq!(text(&decode(builder, &[b"\x08\x01\x10\x02"]).unwrap()), "{a: null, b: 2}");
}

fn map(entry: DescriptorProto) -> FileDescriptorProto {
    let options = Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() });
    let map = labelled(typed("m", 1, Type::Message, ".M.Entry"), Label::Repeated);
    let nested_type = vec![DescriptorProto { name: Some("Entry".to_owned()), options, ..entry }];
    file("m.proto", &[], vec![DescriptorProto { nested_type, ..message("M", vec![map]) }])
}

#[test]
fn entries_of_maps_have_a_key_and_a_value() {
    let key = |kind| field("key", 1, kind);
    let value = || field("value", 2, Type::Int32);
    let bad = [
        vec![],
        vec![key(Type::Int32)],
        vec![value()],
        vec![key(Type::Int32), value(), field("more", 3, Type::Int32)],
        vec![key(Type::Int32), field("value", 3, Type::Int32)],
        vec![key(Type::Float), value()],
        vec![key(Type::Bytes), value()],
        vec![typed("key", 1, Type::Message, ".M"), value()],
        vec![labelled(key(Type::Int32), Label::Repeated), value()],
        vec![key(Type::Int32), labelled(value(), Label::Repeated)],
        vec![key(Type::Int32), labelled(value(), Label::Required)],
        vec![key(Type::Int32), typed("value", 2, Type::Group, ".M")],
    ];
    let why = "the entry of a map M.Entry has not just an optional key 1 (an integer, a bool or a string) and an optional \
               value 2";
    for fields in bad {
        assert_eq!(refused(&[map(message("", fields.clone()))]), why, "{fields:?}");
    }
    let mut entry = message("", vec![key(Type::Int32), in_oneof(value(), 0)]);
    entry.oneof_decl.push(OneofDescriptorProto::default());
    assert_eq!(refused(&[map(entry)]), why);
    let good = || map(message("", vec![value(), key(Type::Int32)]));
    let mut extended = good();
    let extension = field("x", 3, Type::Int32);
    extended.extension.push(FieldDescriptorProto { extendee: Some(".M.Entry".to_owned()), ..extension });
    assert_eq!(refused(&[extended]), "[x] extends what is not a message");
    let mut singular = good();
    singular.message_type[0].field[0].label = Some(Label::Optional as i32);
    assert_eq!(refused(&[singular]), "the field M.m is a map, and not repeated");
    // The key is the first column, in whatever order they are declared.
    let set = set(&[good()]).unwrap();
    let builder = MessagePlan::builder(set.message("M").unwrap()).layout(Layout::Plain);
    let plan = builder.clone().build().unwrap();
    assert!(plan.schema().field(0).data_type().to_string().contains("(\"key\": non-null Int32, \"value\""));
    assert_eq!(text(&decode(builder, &[b"\x0a\x04\x10\x05\x08\x07"]).unwrap()), "{m: [{key: 7, value: 5}]}");
}

#[test]
fn types_are_what_their_fields_say() {
    let value = |name: &str| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(0),
        ..EnumValueDescriptorProto::default()
    };
    let of = |field, name: &str| {
        let mut file = file("m.proto", &[], vec![message("M", vec![field])]);
        let name_of = Some("E".to_owned());
        let found = EnumDescriptorProto { name: name_of, value: vec![value(name)], ..Default::default() };
        file.enum_type.push(found);
        file
    };
    let an_enum = || typed("a", 1, Type::Enum, ".E");
    assert_eq!(
        refused(&[of(typed("a", 1, Type::Message, ".E"), "A")]),
        "the field M.a is a message, and its type an enum"
    );
    assert_eq!(
        refused(&[of(typed("a", 1, Type::Enum, ".M"), "A")]),
        "the field M.a is an enum, and its type a message"
    );
    for name in ["", "7", "-1", "a b", "ä"] {
        let why = format!("the enum E has a value {name:?}, which is not an identifier");
        assert_eq!(refused(&[of(an_enum(), name)]), why);
    }
    assert!(set(&[of(an_enum(), "_A9")]).is_ok());
}

#[test]
fn long_names_are_refused() {
    let why =
        |start: &str| format!("the name that begins with {start:?} has more than 2048 bytes or 200 dots");
    let long = "x".repeat(2049);
    let dots = format!("a{}", ".a".repeat(201));
    for name in [&long, &dots] {
        let start = name.chars().take(40).collect::<String>();
        let package = FileDescriptorProto { package: Some(name.clone()), ..file("m.proto", &[], vec![]) };
        assert_eq!(refused(&[package]), why(&start));
        assert_eq!(refused_message(message(name, vec![])), why(&start));
        assert_eq!(refused_message(message("M", vec![typed("a", 1, Type::Message, name)])), why(&start));
    }
    let most = "x".repeat(2048);
    assert!(set(&[file("m.proto", &[], vec![message(&most, vec![])])]).is_ok());
}

#[test]
fn a_file_comes_once_in_a_set() {
    let file = || file("m.proto", &[], vec![]);
    assert_eq!(refused(&[file(), file()]), "it has the file \"m.proto\" twice");
}

/// Names of the files that another process gets, after it has read the same columns.
fn kept(files: &[FileDescriptorProto]) -> Vec<String> {
    let message = set(files).unwrap().message("M").unwrap();
    let bytes = message.to_descriptor_set();
    let again = DescriptorSet::parse(&bytes).unwrap().message("M").unwrap();
    assert_eq!(again.fields().collect::<Vec<_>>(), message.fields().collect::<Vec<_>>());
    assert_eq!(again.to_descriptor_set(), bytes);
    let files = FileDescriptorSet::decode(bytes.as_slice()).unwrap().file;
    files.iter().map(|file| file.name().to_owned()).collect()
}

#[test]
fn files_that_import_each_other_are_kept_once() {
    let root = file("a.proto", &["b.proto"], vec![message("M", vec![typed("t", 1, Type::Message, ".T")])]);
    let other = file("b.proto", &["a.proto"], vec![message("T", vec![])]);
    assert_eq!(kept(&[root, other]), ["b.proto", "a.proto"]);
}

#[test]
fn extensions_and_types_without_an_import_are_kept() {
    let extension = |name: &str, number, extendee: &str| FieldDescriptorProto {
        extendee: Some(extendee.to_owned()),
        ..typed(name, number, Type::Message, ".X")
    };
    let root = file("a.proto", &[], vec![message("M", vec![typed("t", 1, Type::Message, ".T")])]);
    let other = file("t.proto", &[], vec![message("T", vec![])]);
    let mut of_root = file("m_more.proto", &["a.proto"], vec![]);
    of_root.extension.push(extension("m", 100, ".M"));
    let mut of_other = file("t_more.proto", &[], vec![message("Holder", vec![])]);
    of_other.message_type[0].extension.push(extension("t", 100, ".T"));
    let value = file("x.proto", &[], vec![message("X", vec![])]);
    let mut unrelated = file("u.proto", &["a.proto"], vec![message("U", vec![])]);
    unrelated.extension.push(extension("u", 100, ".U"));
    assert_eq!(
        kept(&[unrelated, of_other, of_root, value, other, root]),
        ["t.proto", "a.proto", "x.proto", "m_more.proto", "t_more.proto"]
    );
}
