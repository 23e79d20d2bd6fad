//! Key decoders over damaged containers.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use avro_path::container::{Codec, ContainerReader, ContainerWriter};
use avro_path::datum::write;
use avro_path::program::KeyOptions;
use avro_path::record::RecordOptions;
use avro_path::{AvroSchema, Error, Key, KeyProgram, Kind, Limits, Reader};

use crate::containers::test_data::{bits, codecs};

fn schema() -> AvroSchema {
    let text = r#"{"type": "record", "name": "r", "fields": [
        {"name": "name", "type": "string"},
        {"name": "kind", "type": {"type": "enum", "name": "k", "symbols": ["A", "B"]}},
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "flag", "type": "boolean"},
        {"name": "counts", "type": {"type": "map", "values": "long"}}]}"#;
    AvroSchema::parse(text).unwrap()
}

const KEYS: [&str; 5] = ["name", "kind", "tags[*]", "flag", "counts['b']"];

fn datum(number: i64) -> Vec<u8> {
    let mut out = Vec::new();
    write::string(&mut out, &format!("name {number}"));
    write::long(&mut out, number % 2);
    write::long(&mut out, 2);
    write::long(&mut out, 1);
    write::string(&mut out, &format!("tag {number}"));
    write::long(&mut out, 0);
    write::long(&mut out, 0);
    write::boolean(&mut out, true);
    write::long(&mut out, 2);
    for key in ["a", "b"] {
        write::string(&mut out, key);
        write::long(&mut out, number);
    }
    write::long(&mut out, 0);
    out
}

fn file(codec: Codec) -> Vec<u8> {
    let builder =
        ContainerWriter::builder(Vec::new(), &schema()).codec(codec).sync_marker(*b"0123456789abcdef");
    let mut writer = builder.build().unwrap();
    for number in 0..6 {
        writer.write(&datum(number)).unwrap();
        if number % 3 == 2 {
            writer.end_block().unwrap();
        }
    }
    writer.finish().unwrap()
}

/// Returns the rows up to the first error.
fn read(file: &[u8]) -> (RecordBatch, Option<Error>) {
    let keys = KEYS.map(|key| Key::parse(key).unwrap());
    let columns = KeyProgram::new(&schema(), &keys).unwrap().arrow_schema();
    let limits = Limits::default().record_bytes(1 << 20);
    let container = match ContainerReader::builder(file).name("x.avro").limits(limits).build() {
        Ok(container) => container,
        Err(error) => return (RecordBatch::new_empty(columns), Some(error)),
    };
    let mut batches = Reader::from(container).keys(KEYS).unwrap();
    let mut failed = None;
    let rows = batches.by_ref().map_while(|batch| batch.map_err(|error| failed = Some(error)).ok());
    let rows = rows.collect::<Vec<_>>();
    assert!(rows.len() <= 1 && batches.next().is_none(), "nothing comes after an error or the end");
    (rows.into_iter().next().unwrap_or_else(|| RecordBatch::new_empty(columns)), failed)
}

/// The first example of the README, and whole records.
#[test]
fn a_file_of_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.avro");
    std::fs::write(&path, file(Codec::Null)).unwrap();
    let keys = Reader::open(&path).unwrap().keys(["tags[*]"]).unwrap();
    assert_eq!(keys.schema().field(0).name(), "tags[*]");
    let whole = keys.map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(whole.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [6]);
    // Batches end within blocks of three records, and go on across them.
    let short = Reader::open(&path).unwrap().batch_rows(4).keys(["tags[*]"]).unwrap();
    let short = short.map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(short, [whole[0].slice(0, 4), whole[0].slice(4, 2)]);
    let small = KeyOptions::default().large_offsets(false);
    let small = Reader::open(&path).unwrap().keys_with(["tags[*]"], small).unwrap();
    assert!(matches!(small.schema().field(0).data_type(), DataType::List(_)));
    let small = small.map(Result::unwrap).map(|batch| batch.num_rows()).collect::<Vec<_>>();
    assert_eq!(small, [6]);
    let options = RecordOptions::default().columns(["flag", "name"]);
    let mut records = Reader::open(&path).unwrap().records(&options).unwrap();
    let batch = records.next().unwrap().unwrap();
    assert_eq!((batch.num_rows(), batch.schema().field(0).name().as_str()), (6, "name"));
    assert!(records.next().is_none());

    let unknown = Reader::open(&path).unwrap().keys(["nam"]).unwrap_err().to_string();
    assert!(unknown.contains("name"), "{unknown}");
    let syntax = Reader::open(&path).unwrap().keys(["tags["]).unwrap_err();
    assert!(syntax.is(Kind::KeySyntax), "{syntax}");
    let missing = Reader::open(folder.path().join("none")).unwrap_err().to_string();
    assert!(missing.contains("none"), "{missing}");
}

#[test]
fn cut_off_at_every_byte() {
    for codec in codecs() {
        let file = file(codec);
        let (whole, error) = read(&file);
        assert!(error.is_none() && whole.num_rows() == 6, "{codec}: {error:?}");
        for length in 0..file.len() {
            let (batch, error) = read(&file[..length]);
            assert_eq!(batch, whole.slice(0, batch.num_rows()), "{codec}: {length}");
            assert_eq!(error.is_none(), file[..length].ends_with(b"0123456789abcdef"), "{codec}: {length}");
        }
    }
}

#[test]
fn every_bit_turned() {
    for codec in codecs() {
        let file = file(codec);
        let (whole, _) = read(&file);
        let marker = b"0123456789abcdef";
        let header = file.windows(16).position(|window| window == marker).unwrap() + 16;
        // Where each record begins, if that can be seen.
        let starts = (0..6).map(|number| {
            let datum = datum(number);
            file.windows(datum.len()).position(|window| window == datum)
        });
        let starts = starts.collect::<Vec<_>>();
        assert_eq!(starts.iter().all(Option::is_some), codec == Codec::Null, "{codec}");
        for byte in header..file.len() {
            for bit in bits(codec, byte) {
                let mut damaged = file.clone();
                damaged[byte] ^= 1 << bit;
                let (batch, error) = read(&damaged);
                let before =
                    starts.iter().flatten().filter(|start| **start <= byte).count().saturating_sub(1);
                let before = before.min(batch.num_rows());
                assert_eq!(batch.slice(0, before), whole.slice(0, before), "{codec}: {byte}, {bit}");
                let Some(error) = error else { continue };
                let position = error.position();
                assert_eq!(position.file.as_deref(), Some("x.avro"), "{error}");
                assert!(
                    position.block.is_some() && position.byte.is_some_and(|at| at >= header as u64),
                    "{error}"
                );
                let of_a_datum = matches!(error.detail(), Some(&Kind::Malformed) | Some(Kind::NotUtf8));
                if of_a_datum {
                    assert!(position.record.is_some() && position.path.is_some(), "{error}");
                    assert!(position.record_byte.is_some(), "{error}");
                }
                if codec == Codec::Null && byte < file.len() - 16 {
                    // Rows of the block before the damaged one are there, whatever is wrong behind them.
                    assert!(batch.num_rows() >= before, "{byte}, {bit}: {error}");
                }
            }
        }
    }
}
