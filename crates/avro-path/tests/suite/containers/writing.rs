//! Written containers, read by us and by others.

use avro_path::container::{BlockEncoder, Codec, ContainerReader, ContainerWriter};
use avro_path::{AvroSchema, ErrorKind, Kind};
use proptest::prelude::*;

use crate::containers::test_data::{codecs, numbers, row_schema, rows};

#[test]
fn another_reader_reads_what_we_write() {
    // Theirs of xz needs a library in C.
    for codec in codecs().filter(|codec| *codec != Codec::Xz) {
        let file = rows(codec, 100, 7);
        let reader = apache_avro::Reader::new(&file[..]).unwrap();
        let values: Vec<_> = reader.map(Result::unwrap).collect();
        assert_eq!(values.len(), 100, "{codec:?}");
        let apache_avro::types::Value::Record(fields) = &values[42] else { panic!("{:?}", values[42]) };
        assert_eq!(fields[0], ("i".to_owned(), apache_avro::types::Value::Long(42_000)));
    }
}

#[test]
fn we_read_what_another_writer_writes() {
    let schema = apache_avro::Schema::parse_str(row_schema().text()).unwrap();
    let mut writer = apache_avro::Writer::new(&schema, Vec::new()).unwrap();
    for number in 0..50_i64 {
        let mut record = apache_avro::types::Record::new(&schema).unwrap();
        record.put("i", number * 1000);
        record.put("s", "text");
        writer.append_value(record).unwrap();
    }
    assert_eq!(numbers(&writer.into_inner().unwrap()).unwrap(), (0..50).collect::<Vec<i64>>());
}

#[test]
fn levels_are_checked() {
    for (codec, level, text) in [
        (Codec::Null, 1, "the codec null has no levels"),
        (Codec::Deflate, 10, "the codec deflate has the levels 0 to 9, not 10"),
        (Codec::Zstandard, 0, "the codec zstandard has the levels 1 to 22, not 0"),
    ] {
        if codec.is_supported() {
            let builder = ContainerWriter::builder(Vec::new(), &row_schema()).codec(codec).level(level);
            let error = builder.build().unwrap_err();
            assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, text));
        }
    }
    for codec in codecs().filter(|codec| !matches!(codec, Codec::Null | Codec::Snappy)) {
        let mut writer =
            ContainerWriter::builder(Vec::new(), &row_schema()).codec(codec).level(1).build().unwrap();
        writer.write(&[2, 0]).unwrap();
        assert_eq!(numbers(&writer.finish().unwrap()).unwrap(), [0], "{codec}");
    }
}

#[test]
fn a_file_appears_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.avro");
    let schema = row_schema();
    let mut writer = ContainerWriter::builder(&path, &schema).create().unwrap();
    writer.write(&[2, 0]).unwrap();
    assert!(!path.exists());
    drop(writer);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    let mut writer = ContainerWriter::builder(&path, &schema).create().unwrap();
    writer.write(&[2, 0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(ContainerReader::open(&path).unwrap().next_block().unwrap().unwrap().count(), 1);

    let error = ContainerWriter::builder(&path, &schema).create().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let text = error.to_string();
    assert!(text.ends_with(
        "rows.avro: the output file exists already; remove it, choose another name, or allow overwriting"
    ));
    let writer = ContainerWriter::builder(&path, &schema).overwrite(true).create().unwrap();
    writer.finish().unwrap();
    assert!(ContainerReader::open(&path).unwrap().next_block().unwrap().is_none());
}

#[test]
fn a_target_that_came_into_being_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.avro");
    let writer = ContainerWriter::builder(&path, &row_schema()).create().unwrap();
    std::fs::write(&path, "another").unwrap();
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&path).unwrap(), b"another");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn records_that_are_none_are_refused_and_left_out() {
    let mut writer = ContainerWriter::builder(Vec::new(), &row_schema()).build().unwrap();
    writer.write(&[2, 0]).unwrap();
    for (bytes, text) in [
        (&[2][..], "record 1, byte of the record 1: the record is not a datum of the schema"),
        (&[2, 4, 0], "record 1, byte of the record 1: the record is not a datum of the schema"),
        (&[2, 0, 0], "record 1, byte of the record 2: the record has more bytes than a datum of the schema"),
    ] {
        let error = writer.write(bytes).unwrap_err();
        assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::ValueMismatch), text));
    }
    writer.write(&[4, 0]).unwrap();
    assert_eq!(numbers(&writer.finish().unwrap()).unwrap().len(), 2);
}

#[test]
fn blocks_are_compressed_apart_from_the_writer() {
    let schema = AvroSchema::parse("\"boolean\"").unwrap();
    let marker = [7; 16];
    for codec in codecs() {
        let builder = || {
            ContainerWriter::builder(Vec::new(), &schema).codec(codec).block_bytes(100).sync_marker(marker)
        };
        let mut whole = builder().build().unwrap();
        (0..250).for_each(|row| whole.write(&[row % 2]).unwrap());
        let mut writer = builder().build().unwrap();
        let mut encoder = builder().block_encoder().unwrap();
        for rows in [0..100u8, 100..200, 200..200, 200..250] {
            let data = rows.clone().map(|row| row % 2).collect::<Vec<_>>();
            writer.write_block(&encoder.encode(&data, data.len() as u64).unwrap()).unwrap();
        }
        assert_eq!((writer.records_written(), writer.bytes_written()), (250, 250));
        assert_eq!(writer.finish().unwrap(), whole.finish().unwrap(), "{codec}");
    }
    // Records at hand come first.
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
    writer.write(&[1]).unwrap();
    let mut encoder = BlockEncoder::new(Codec::Null, None).unwrap();
    writer.write_block(&encoder.encode(&[0, 0], 2).unwrap()).unwrap();
    let file = writer.finish().unwrap();
    let mut reader = ContainerReader::new(&file[..]).unwrap();
    let mut counts = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        counts.push(block.count());
    }
    assert_eq!(counts, [1, 2]);
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Deflate).build().unwrap();
    let error = writer.write_block(&encoder.encode(&[0], 1).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the block is compressed with null, and the container has the codec deflate"
    );
    assert!(BlockEncoder::new(Codec::Deflate, Some(10)).is_err());
}

#[test]
fn avros_own_metadata_are_refused() {
    let builder = ContainerWriter::builder(Vec::new(), &row_schema()).metadata("avro.codec", "null");
    let error = builder.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the metadata key \"avro.codec\" is one of Avro's own; choose a key that does not begin with \"avro.\""
    );
}

proptest! {
    #[test]
    fn bytes_come_back(
        records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..50),
        block in 1_usize..2000,
        codec in prop::sample::select(codecs().collect::<Vec<_>>()),
    ) {
        let schema = AvroSchema::parse("\"bytes\"").unwrap();
        let builder = ContainerWriter::builder(Vec::new(), &schema).codec(codec).block_bytes(block);
        let mut writer = builder.build().unwrap();
        for record in &records {
            writer.write_with(|out| { avro_path::datum::write::bytes(out, record); Ok(()) }).unwrap();
        }
        let file = writer.finish().unwrap();
        let mut reader = ContainerReader::new(&file[..]).unwrap();
        let mut found = Vec::new();
        while let Some(block) = reader.next_block().unwrap() {
            let mut datums = avro_path::datum::DatumReader::new(block.bytes());
            for _ in 0..block.count() {
                found.push(datums.bytes().unwrap().to_vec());
            }
            block.finish(&datums).unwrap();
        }
        prop_assert_eq!(found, records);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>()) {
        let mut file = rows(Codec::Null, 6, 3);
        let at = at.index(file.len());
        file.splice(at.., bytes);
        let _ = numbers(&file);
    }
}
