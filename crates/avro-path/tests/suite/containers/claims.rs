//! Counts, sizes and lengths that cannot be true, in headers and blocks.

use std::io::Cursor;
use std::sync::Arc;

use avro_path::container::{BlockHeads, ContainerReader, Header, SalvageReader};
use avro_path::datum::write;
use avro_path::schema::{SchemaLimits, Type};
use avro_path::{ErrorKind, Kind, Limits};

const SYNC: [u8; 16] = *b"0123456789abcdef";

fn header(schema: &str) -> Vec<u8> {
    let mut out = b"Obj\x01".to_vec();
    write::long(&mut out, 1);
    write::string(&mut out, "avro.schema");
    write::string(&mut out, schema);
    write::long(&mut out, 0);
    out.extend_from_slice(&SYNC);
    out
}

/// Returns a good block of an int, then a head with these numbers and the bytes after it.
fn file(count: i64, size: i64, bytes: &[u8]) -> Vec<u8> {
    let mut out = header("\"int\"");
    out.extend_from_slice(&[2, 2, 4]);
    out.extend_from_slice(&SYNC);
    write::long(&mut out, count);
    write::long(&mut out, size);
    out.extend_from_slice(bytes);
    out.extend_from_slice(&SYNC);
    out
}

#[test]
fn counts_and_sizes_of_blocks() {
    let salvage = "; the file is damaged here; salvage reads what follows";
    let claims = |count: i64| format!("the block claims {count} records and has 1 byte{salvage}");
    let too_large = |size: i64| {
        format!(
            "the block claims {size} bytes, more than 2147483647; raise Limits::record_bytes and Limits::batch_bytes if this is meant; \
             otherwise the file is damaged here"
        )
    };
    for (count, size, kind, text) in [
        (-1, 1, Some(Kind::Block), format!("the block claims -1 objects{salvage}")),
        (i64::MIN, 1, Some(Kind::Block), format!("the block claims {} objects{salvage}", i64::MIN)),
        (i64::MAX, 1, Some(Kind::Block), claims(i64::MAX)),
        (2, 1, Some(Kind::Block), claims(2)),
        (0, 1, Some(Kind::Block), format!("the block claims no records and has 1 byte{salvage}")),
        (1, -1, Some(Kind::Block), format!("the block claims -1 bytes{salvage}")),
        (1, i64::MIN, Some(Kind::Block), format!("the block claims {} bytes{salvage}", i64::MIN)),
        (1, i64::MAX, Some(Kind::BlockTooLarge), too_large(i64::MAX)),
        (1, 1 << 31, Some(Kind::BlockTooLarge), too_large(1 << 31)),
        (
            1,
            1 << 30,
            Some(Kind::Truncated),
            "the file ends within a block of 1073741824 bytes; the file is not complete; copy it again, or salvage \
             what is there"
                .to_owned(),
        ),
        (
            1,
            0,
            Some(Kind::Sync),
            format!("the block does not end with the file's sync marker{salvage}"),
        ),
    ] {
        let file = file(count, size, &[4]);
        let mut reader = ContainerReader::builder(&file[..]).name("x.avro").build().unwrap();
        let second = reader.header().len() + 19;
        assert_eq!(reader.next_block().unwrap().unwrap().bytes(), [4]);
        let error = reader.next_block().unwrap_err();
        assert_eq!(error.detail().copied(), kind, "{error}");
        assert_eq!(error.to_string(), format!("x.avro, byte {second}, block 1: {text}"));
        assert!(reader.next_block().unwrap().is_none());

        let mut salvage = SalvageReader::new(&file[..]).unwrap();
        assert_eq!(salvage.next_block().unwrap().unwrap().bytes(), [4]);
        while salvage.next_block().unwrap().is_some() {}
        assert_eq!(salvage.report().damages[0].start, second, "{}", salvage.report());
    }
}

#[test]
fn records_without_bytes_are_limited() {
    for schema in [r#""null""#, r#"{"type": "record", "name": "r", "fields": []}"#] {
        let blocks = |counts: &[i64]| {
            let mut file = header(schema);
            for count in counts {
                write::long(&mut file, *count);
                write::long(&mut file, 0);
                file.extend_from_slice(&SYNC);
            }
            file
        };
        let said = "the blocks up to here claim more than 67108864 records without bytes; raise Limits::empty_rows if this is meant";
        // One block, and small ones that add up.
        for (counts, good) in [(&[i64::MAX][..], 0), (&[1 << 26, 1], 1), (&[1 << 24; 5], 4)] {
            let file = blocks(counts);
            let mut reader = ContainerReader::new(&file[..]).unwrap();
            for _ in 0..good {
                reader.next_block().unwrap().unwrap();
            }
            let error = reader.next_block().unwrap_err().to_string();
            assert!(error.ends_with(&format!("block {good}: {said}")), "{error}");
            // Their heads alone say so, too.
            let header = Arc::clone(ContainerReader::new(&file[..]).unwrap().header());
            let mut heads = BlockHeads::new(Cursor::new(&file), header, Limits::default());
            for _ in 0..good {
                heads.next_head().unwrap().unwrap();
            }
            let error = heads.next_head().unwrap_err().to_string();
            assert!(error.ends_with(said), "{error}");
        }
        let limits = Limits::default().empty_rows(u64::MAX);
        let file = blocks(&[i64::MAX]);
        let mut reader = ContainerReader::builder(&file[..]).limits(limits).build().unwrap();
        assert_eq!(reader.next_block().unwrap().unwrap().count(), i64::MAX as u64);
    }
}

#[test]
fn counts_and_lengths_of_the_header() {
    let entries = |count: i64, rest: &[i64]| {
        let mut out = b"Obj\x01".to_vec();
        write::long(&mut out, count);
        rest.iter().for_each(|&number| write::long(&mut out, number));
        out.extend_from_slice(&[b'x'; 40]);
        out
    };
    for (file, kind) in [
        (entries(i64::MAX, &[]), Some(Kind::Truncated)),
        (entries(i64::MIN, &[4]), Some(Kind::Header)),
        (entries(-1, &[i64::MIN, 4]), Some(Kind::Truncated)),
        (entries(1, &[i64::MAX]), Some(Kind::Truncated)),
        (entries(1, &[-1]), Some(Kind::Header)),
        (entries(1, &[i64::MIN]), Some(Kind::Header)),
    ] {
        let error = ContainerReader::builder(&file[..]).name("x.avro").build().unwrap_err();
        assert_eq!(error.detail().copied(), kind, "{error}");
        assert_eq!(error.position().file.as_deref(), Some("x.avro"));
    }
}

#[test]
fn schemas_beyond_the_limits_are_read_when_they_are_raised() {
    let objects = SchemaLimits::default().objects;
    let fields = (0..objects).map(|number| format!(r#"{{"name":"f{number}","type":"int"}}"#));
    let fields = fields.collect::<Vec<_>>().join(",");
    let file = header(&format!(r#"{{"type":"record","name":"wide","fields":[{fields}]}}"#));
    let text = "the schema's JSON has 250001 objects, more than 250000; raise SchemaLimits::objects if this is meant";
    let builder = ContainerReader::builder(&file[..]).name("x.avro");
    let raised = builder.clone().schema_limits(SchemaLimits::default().objects(objects + 1));
    assert_eq!(builder.clone().build().unwrap_err().to_string(), format!("x.avro: {text}"));
    assert_eq!(builder.build_salvage().unwrap_err().to_string(), format!("x.avro: {text}"));
    let number = |header: &Header| match header.schema().get(header.schema().root()) {
        Type::Record(record) => record.fields().len(),
        _ => 0,
    };
    assert_eq!(number(raised.clone().build().unwrap().header()), objects);
    assert_eq!(number(raised.clone().build_salvage().unwrap().header()), objects);
    let mut decoder = raised.source(()).build_decoder();
    assert!(decoder.next_block(&mut &file[..]).unwrap().is_none());
    assert_eq!(number(decoder.header().unwrap()), objects);
}

#[test]
fn schemas_that_are_no_text_or_nest_without_end() {
    let with = |schema: &[u8]| {
        let mut out = b"Obj\x01".to_vec();
        write::long(&mut out, 1);
        write::string(&mut out, "avro.schema");
        write::bytes(&mut out, schema);
        write::long(&mut out, 0);
        out.extend_from_slice(&SYNC);
        out
    };
    let broken = with(b"{\"type\": \"record\", \"name\": \"\xff\", \"fields\": []}");
    let error = ContainerReader::new(&broken[..]).unwrap_err();
    assert_eq!(
        (error.detail().copied(), error.what()),
        (Some(Kind::Header), "the header of the file has a schema that is not UTF-8")
    );
    for bomb in ["[", "{\"type\":", "{\"type\": \"array\", \"items\": "] {
        let error = ContainerReader::new(&with(bomb.repeat(100_000).as_bytes())[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    }
}
