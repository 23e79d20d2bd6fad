//! The texts of errors: what is wrong, where, and what to do.

use std::error::Error as _;

use avro_path::container::{ContainerReader, ContainerWriter};
use avro_path::datum::{DatumReader, SkipPlan, single_object, write};
use avro_path::{AvroSchema, Error, Kind};

fn header(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"Obj\x01".to_vec();
    write::long(&mut out, entries.len() as i64);
    for (key, value) in entries {
        write::string(&mut out, key);
        write::bytes(&mut out, value);
    }
    out.push(0);
    out.extend([7; 16]);
    out
}

fn open(file: &[u8]) -> Error {
    ContainerReader::builder(file).name("x.avro").build().unwrap_err()
}

#[test]
fn files_that_cannot_be_opened() {
    let schema: (&str, &[u8]) = ("avro.schema", b"\"int\"");
    let cases: [(Vec<u8>, Option<Kind>, &str); 12] = [
        (
            Vec::new(),
            Some(Kind::NotAvro),
            "the file is empty; an Avro file without records still has a header",
        ),
        (
            b"PAR1....".to_vec(),
            Some(Kind::NotAvro),
            "this is a Parquet file, not an Avro file; read it as such",
        ),
        (
            b"Obj\x02....".to_vec(),
            Some(Kind::NotAvro),
            "this is an Avro file of a version that is not 1; convert it with the program that wrote it",
        ),
        (
            b"hello".to_vec(),
            Some(Kind::NotAvro),
            "this is not an Avro file: it does not begin with \"Obj\" and 1; check the path",
        ),
        (
            header(&[schema])[..20].to_vec(),
            Some(Kind::Truncated),
            "the file ends within its header; the file is not complete; copy it again",
        ),
        (
            header(&[]),
            Some(Kind::Header),
            "the header of the file has no schema; without its header an Avro file cannot be read; copy it again",
        ),
        (
            header(&[("avro.schema", b"\xff")]),
            Some(Kind::Header),
            "the header of the file has a schema that is not UTF-8; \
             without its header an Avro file cannot be read; copy it again",
        ),
        (header(&[("avro.schema", b"{")]), Some(Kind::Schema), "the schema is not JSON (line 1, column 1)"),
        (header(&[("avro.schema", b"[{}]")]), Some(Kind::Schema), "at $[0]: the object has no \"type\""),
        (
            header(&[schema, ("avro.codec", b"lz4")]),
            Some(Kind::CodecUnknown),
            "the codec \"lz4\" is unknown; known are null, deflate, snappy, bzip2, xz and zstandard",
        ),
        (
            [b"Obj\x01".as_slice(), &[0xff; 10]].concat(),
            Some(Kind::Header),
            "the header of the file has a number of more than 64 bits; \
             without its header an Avro file cannot be read; copy it again",
        ),
        (
            b"Obj\x01\x02\x01".to_vec(),
            Some(Kind::Header),
            "the header of the file has an entry of negative length; \
             without its header an Avro file cannot be read; copy it again",
        ),
    ];
    for (file, kind, text) in cases {
        let error = open(&file);
        assert_eq!(error.detail().copied(), kind, "{error}");
        let text =
            if text.starts_with("at ") { format!("x.avro, {text}") } else { format!("x.avro: {text}") };
        assert_eq!(error.to_string(), text);
    }
    assert!(open(&header(&[("avro.schema", b"{")])).source().is_some());
}

#[test]
fn codecs_that_the_build_lacks_are_named() {
    for codec in avro_path::container::Codec::ALL {
        let file = header(&[("avro.schema", b"\"int\""), ("avro.codec", codec.name().as_bytes())]);
        match ContainerReader::new(&file[..]) {
            Ok(_) => assert!(codec.is_supported(), "{codec}"),
            Err(error) => {
                assert!(!codec.is_supported(), "{codec}");
                assert_eq!(
                    error.to_string(),
                    format!(
                        "this build cannot read or write the codec {codec}; \
                         build avro-path with the feature {codec}"
                    )
                );
            }
        }
    }
}

#[test]
fn missing_files_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let error = ContainerReader::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), tfxio_core::ErrorKind::IsDirectory);
    assert!(
        error
            .to_string()
            .contains(": opening the file failed: this is a directory; name the files in it, for example")
    );
    let error = ContainerReader::open(folder.path().join("none")).unwrap_err();
    assert_eq!(error.kind(), tfxio_core::ErrorKind::NotFound);
    assert!(error.to_string().ends_with("none: opening the file failed: no such file; check the path"));
    let error =
        ContainerWriter::builder(folder.path().join("a/b.avro"), &AvroSchema::parse("\"int\"").unwrap())
            .create()
            .unwrap_err();
    assert_eq!(error.kind(), tfxio_core::ErrorKind::NotFound);
}

#[test]
fn damaged_blocks() {
    let start = header(&[("avro.schema", b"\"int\"")]);
    let at = start.len();
    let salvage = "; the file is damaged here; salvage reads what follows";
    let again = "; the file is not complete; copy it again, or salvage what is there";
    let sync = [7; 16];
    let cases: [(Vec<u8>, Option<Kind>, String); 9] = [
        (vec![1, 2, 0], Some(Kind::Block), format!("the block claims -1 objects{salvage}")),
        (vec![2, 1, 0], Some(Kind::Block), format!("the block claims -1 bytes{salvage}")),
        (vec![0xff; 11], Some(Kind::Block), format!("the head of the block is not two numbers{salvage}")),
        (vec![2], Some(Kind::Truncated), format!("the file ends within the head of a block{again}")),
        (vec![2, 2, 2], Some(Kind::Truncated), format!("the file ends within a block of 1 byte{again}")),
        (
            [&[2, 0xfe, 0xff, 0xff, 0xff, 0x7f][..], &sync].concat(),
            Some(Kind::BlockTooLarge),
            "the block claims 17179869183 bytes, more than 2147483647; \
             raise Limits::record_bytes and Limits::batch_bytes if this is meant; otherwise the file is damaged here"
                .to_owned(),
        ),
        (
            [&[2, 2, 2][..], &[8; 16]].concat(),
            Some(Kind::Sync),
            format!("the block does not end with the file's sync marker{salvage}"),
        ),
        (
            [&[6, 4, 2, 2][..], &sync].concat(),
            Some(Kind::Block),
            format!("the block claims 3 records and has 2 bytes{salvage}"),
        ),
        (
            [&[0, 4, 2, 2][..], &sync].concat(),
            Some(Kind::Block),
            format!("the block claims no records and has 2 bytes{salvage}"),
        ),
    ];
    for (block, kind, text) in cases {
        let file = [&start[..], &block].concat();
        let mut reader = ContainerReader::builder(&file[..]).name("x.avro").build().unwrap();
        if kind == Some(Kind::Sync) {
            // The block before a wrong marker is whole, and comes first.
            assert_eq!(reader.next_block().unwrap().unwrap().count(), 1);
        }
        let error = reader.next_block().unwrap_err();
        assert_eq!(error.detail().copied(), kind, "{error}");
        assert_eq!(error.to_string(), format!("x.avro, byte {at}, block 0: {text}"));
    }
}

#[test]
fn records_that_are_none() {
    let schema = r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": {"type": "array", "items": {
        "type": "record", "name": "i", "fields": [{"name": "m", "type": {"type": "map", "values": ["null", "int"]}}]}}}]}"#;
    let schema = AvroSchema::parse(schema).unwrap();
    let mut writer =
        ContainerWriter::builder(Vec::new(), &schema).check(false).sync_marker([7; 16]).build().unwrap();
    writer.write(&[0]).unwrap();
    writer.write(&[2, 2, 2, b'k', 4, 0, 0]).unwrap(); // branch 2
    let file = writer.finish().unwrap();
    let mut reader = ContainerReader::builder(&file[..]).name("x.avro").build().unwrap();
    let at = reader.header().len();
    let block = reader.next_block().unwrap().unwrap();
    let plan = SkipPlan::new(&schema);
    let mut records = block.records(&schema, &plan);
    assert_eq!(records.next().unwrap().unwrap(), [0]);
    let error = records.next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "x.avro, byte {at}, block 0, record 1, byte of the record 4, at a[0].m[\"k\"]: a branch or symbol has the number 2, \
             there are 2"
        )
    );
    assert!(records.next().is_none());
}

#[test]
fn primitives_that_are_none() {
    let read = |bytes: &'static [u8], what: fn(&mut DatumReader<'static>) -> avro_path::Result<()>| {
        let mut reader = DatumReader::new(bytes);
        let error = what(&mut reader).unwrap_err();
        assert_eq!(reader.position(), 0, "{error}");
        error.to_string()
    };
    let at = "byte of the data 0: ";
    for (found, text) in [
        (read(b"", |r| r.boolean().map(drop)), "the datum ends within a boolean"),
        (read(b"\x02", |r| r.boolean().map(drop)), "a boolean is the byte 2, not 0 or 1"),
        (read(b"", |r| r.long().map(drop)), "the datum ends within a number"),
        (read(b"\x80", |r| r.long().map(drop)), "the datum ends within a number"),
        (read(&[0xff; 11], |r| r.long().map(drop)), "a number has more than 64 bits"),
        (
            read(b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", |r| r.long().map(drop)),
            "a number has more than 64 bits",
        ),
        (
            read(b"\x80\x80\x80\x80\x10", |r| r.int().map(drop)),
            "an int is 2147483648, which does not fit 32 bits",
        ),
        (read(b"123", |r| r.float().map(drop)), "the datum ends within a float"),
        (read(b"1234567", |r| r.double().map(drop)), "the datum ends within a double"),
        (read(b"\x06ab", |r| r.bytes().map(drop)), "bytes or a string claim 3 bytes, 2 are left"),
        (read(b"\x01ab", |r| r.bytes().map(drop)), "bytes or a string have the length -1"),
        (read(b"\x04a\xff", |r| r.string().map(drop)), "a string of 2 bytes is not UTF-8 from its byte 1"),
        (read(b"ab", |r| r.fixed(3).map(drop)), "the datum ends within 3 bytes of known length, 2 are left"),
        (read(b"\x03", |r| r.index(3).map(drop)), "a branch or symbol has the number -2, there are 3"),
        (
            read(b"\x20\x00", |r| r.item_block(1).map(drop)),
            "a block of an array or map claims 16 items, 1 byte is left",
        ),
        (
            read(b"\x03\x08\x00", |r| r.item_block(1).map(drop)),
            "a block of an array or map has the count -2 and the size 4, 1 byte is left",
        ),
        (
            read(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", |r| r.item_block(0).map(drop)),
            "a block of an array or map has the count -9223372036854775808 and the size 0, 0 bytes are left",
        ),
    ] {
        assert_eq!(found, format!("{at}{text}"));
    }
}

#[test]
fn messages_that_are_none() {
    assert_eq!(
        single_object::split(&[0xc3, 2]).unwrap_err().to_string(),
        "byte of the data 0: a message in single-object encoding begins with the bytes c3 01; \
         for a datum without header, read it with its schema"
    );
    assert_eq!(
        single_object::split(&[0xc3, 1, 0]).unwrap_err().to_string(),
        "byte of the data 2: the message ends within the fingerprint of its schema"
    );
}

#[test]
fn errors_are_one_word_and_keep_their_way() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    let core: Error = open(b"x");
    assert_eq!(core.kind(), tfxio_core::ErrorKind::Malformed);
    assert_eq!(core.position().file.as_deref(), Some("x.avro"));
    assert_eq!(core.to_string(), open(b"x").to_string());
    let io = std::io::Error::from(open(b"Obj\x01"));
    assert_eq!(io.kind(), std::io::ErrorKind::InvalidData);
}
