//! Texts of errors of records: one bad record a message.

use message_codec::DescriptorSet;

use crate::test_data::{plain, refused};

const SOURCE: &str = r#"syntax = "proto2";
    message In { optional string s = 1; repeated fixed32 f = 2; repeated sint32 v = 3; }
    message M { repeated In in = 1; optional int32 n = 2; optional group G = 3 { optional int32 a = 1; } }"#;

const CHECK: &str = "check that the record is of this message type, and whole";

fn error(record: &[u8]) -> String {
    let text = refused(plain(SOURCE), record);
    text.strip_prefix("a.tfrecord, byte 16, record 1, ").expect("the position of the record").to_owned()
}

#[test]
fn what_is_not_protobuf_is_refused() {
    let truncated = format!("the bytes end before the message does; {CHECK}");
    assert_eq!(error(b"\x10"), format!("byte of the record 1, at n: {truncated}"));
    assert_eq!(error(b"\x0a\x05\x0a"), format!("byte of the record 1, at in[0]: {truncated}"));
    assert_eq!(error(b"\x0a\x00\x0a\x03\x0a\x05x"), format!("byte of the record 5, at in[1].s: {truncated}"));
    assert_eq!(error(b"\x1b\x08\x01"), format!("byte of the record 3, at g: {truncated}"));
    assert_eq!(
        error(b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        format!(
            "byte of the record 1, at n: a varint has too many bytes (a value may have 10, a tag or length 5); {CHECK}"
        )
    );
    assert_eq!(
        error(b"\x00"),
        format!("byte of the record 0: a tag has field number 0 or exceeds 32 bits; {CHECK}")
    );
    assert_eq!(
        error(b"\x0a\x01\x0f"),
        format!("byte of the record 2, at in[0]: a tag has wire type 6 or 7, which do not exist; {CHECK}")
    );
    assert_eq!(
        error(b"\x1b\x24"),
        format!("byte of the record 1, at g: a group ends that is not open; {CHECK}")
    );
    assert_eq!(error(b"\x1c"), format!("byte of the record 0: a group ends that is not open; {CHECK}"));
    assert_eq!(
        error(b"\x0a\x05\x12\x03\x00\x00\x00"),
        format!(
            "byte of the record 4, at in[0].f: the length of a packed run is not a multiple of the length of its values; \
             {CHECK}"
        )
    );
    assert_eq!(error(b"\x0a\x03\x1a\x01\x80"), format!("byte of the record 4, at in[0].v: {truncated}"));
    let deep = [[0x23; 101].as_slice(), &[0x24; 101]].concat();
    assert_eq!(
        error(&deep),
        format!("byte of the record 101: messages and groups are nested more than 100 deep; {CHECK}")
    );
}

#[test]
fn what_does_not_fit_the_descriptor_is_refused() {
    let help = "check that the descriptor is the one that the records were written with";
    assert_eq!(
        error(b"\x12\x01x"),
        format!("at n: the field 2 is written as a length and bytes, and its type as a varint; {help}")
    );
    assert_eq!(
        error(b"\x0a\x02\x08\x01"),
        format!("at in[0].s: the field 1 is written as a varint, and its type as a length and bytes; {help}")
    );
    assert_eq!(
        error(b"\x1a\x00"),
        format!("at g: the field 3 is written as a length and bytes, and its type as a group; {help}")
    );
    assert_eq!(
        error(b"\x0a\x09\x11\x01\x02\x03\x04\x05\x06\x07\x08"),
        format!("at in[0].f: the field 2 is written as 8 bytes, and its type as 4 bytes; {help}")
    );
    assert_eq!(
        error(b"\x0a\x04\x0a\x02a\xff"),
        "byte of the record 5, at in[0].s: the string is not UTF-8 from its byte 1 on; read with a descriptor in which \
         the field has the type bytes"
    );
}

/// The compiler would call itself for each bracket.
#[test]
fn sources_that_are_nested_too_deep_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.proto");
    let head = "syntax = \"proto3\";\nimport \"google/protobuf/descriptor.proto\";\n";
    for levels in [101, 3_000, 100_000] {
        let values = format!("{head}option (o) = {}{};\n", "{a:".repeat(levels), "}".repeat(levels));
        let lists = format!("{head}option (o) = {{a:{}{}}};\n", "[".repeat(levels), "]".repeat(levels));
        let messages = format!("{head}{}{}", "message A {".repeat(levels), "}".repeat(levels));
        for source in [values, lists, messages] {
            std::fs::write(&path, source).unwrap();
            std::fs::write(folder.path().join("a.proto"), "syntax = \"proto3\";\nimport \"deep.proto\";\n")
                .unwrap();
            for file in ["deep.proto", "a.proto"] {
                let error = DescriptorSet::compile([folder.path().join(file)], []).unwrap_err().to_string();
                let expected = "deep.proto, line 3: brackets are nested more than 100 deep";
                assert!(error.contains(expected), "{error}");
            }
        }
    }
}
