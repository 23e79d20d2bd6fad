//! Avro containers of any bytes: how the bytes come or are pushed changes neither the blocks nor the error; salvage gives what the
//! reader gives before its error, and reports a loss exactly when the reader has an error; splits cut anywhere give
//! each block once; and what our writer writes comes back.

use std::io::{Cursor, Read};

use avro_path::container::{self, Codec, ContainerReader, ReaderBuilder, WriterBuilder};
use avro_path::datum::{DatumReader, write};
use avro_path::{Kind, Limits, AvroSchema};

use crate::input::{Dribble, Input};
use crate::rows::sound;

const MARKER: [u8; 16] = *b"\xf1sync\0marker\xa0\x0b\xcd\xff";

/// Offset of a block, its records and their bytes.
type Block = (u64, u64, Vec<u8>);

/// Blocks, and the machine-readable part of an error.
#[derive(Debug, PartialEq)]
struct Outcome {
    blocks: Vec<Block>,
    error: Option<Said>,
}

/// Kind of an error, its block and byte.
type Said = (Option<Kind>, Option<u64>, Option<u64>);

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let (kind, step, cut) = (input.byte(), input.byte(), input.short() as u64);
    let mut damage = Input::new(input.take(5));
    let mut written = None;
    let mut file = if kind.is_multiple_of(4) {
        input.rest.to_vec()
    } else {
        let (file, records) = made(kind, &mut input);
        written = Some(records);
        file
    };
    let whole = file.clone();
    damage.damage(&mut file);

    let found = read(open(Dribble::new(&file, 255)));
    assert_eq!(found, read(open(Dribble::new(&file, step))), "how the bytes come");
    assert_eq!(found, push(file.chunks(usize::from(step) + 1)), "how the bytes are pushed");
    if let (Some(written), true) = (written, file == whole) {
        assert_eq!(found.error, None);
        assert_eq!(records(&found.blocks), written, "what was written");
    }
    salvage(&file, &found);
    // Bytes of records that look like the marker are what a split can fall for.
    let markers = file.windows(16).filter(|window| *window == MARKER).count();
    if found.error.is_none() && markers == found.blocks.len() + 1 {
        let part = |start, end| read(builder().source(Cursor::new(&file)).build_range(start..end));
        let (first, second) = (part(0, cut), part(cut, u64::MAX));
        assert_eq!((&first.error, &second.error), (&None, &None));
        assert_eq!([first.blocks, second.blocks].concat(), found.blocks, "cut at {cut}");
    }
}

fn builder() -> ReaderBuilder {
    let limits = Limits::default().record_bytes(1 << 20).list_items(1 << 16);
    ReaderBuilder::default().limits(limits).name("x.avro")
}

fn open(source: Dribble<'_>) -> avro_path::Result<ContainerReader<Dribble<'_>>> {
    builder().source(source).build()
}

fn read<R: Read>(opened: avro_path::Result<ContainerReader<R>>) -> Outcome {
    let mut blocks = Vec::new();
    let all = || -> avro_path::Result<()> {
        let mut reader = opened?;
        while let Some(block) = reader.next_block()? {
            blocks.push(owned(&block));
        }
        Ok(())
    };
    let result = all();
    Outcome { blocks, error: result.err().map(said) }
}

fn push<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Outcome {
    let mut blocks = Vec::new();
    let mut decoder = builder().build_decoder();
    let all = || {
        for mut chunk in chunks {
            while let Some(block) = decoder.next_block(&mut chunk)? {
                blocks.push(owned(&block));
            }
        }
        while let Some(block) = decoder.finish()? {
            blocks.push(owned(&block));
        }
        Ok(())
    };
    let result: avro_path::Result<()> = all();
    Outcome { blocks, error: result.err().map(said) }
}

fn owned(block: &container::Block<'_>) -> Block {
    (block.position().offset, block.count(), block.bytes().to_vec())
}

/// Returns the machine-readable part of an error.
fn said(error: avro_path::Error) -> Said {
    assert!(error.to_string().starts_with("x.avro"), "{error}");
    (error.detail().copied(), error.position().block, error.position().byte)
}

/// Makes a container of byte strings, and returns it with these.
fn made(kind: u8, input: &mut Input<'_>) -> (Vec<u8>, Vec<Vec<u8>>) {
    let codec = [Codec::Null, Codec::Deflate, Codec::Snappy][usize::from(kind / 4) % 3];
    let mut records = Vec::new();
    let schema = AvroSchema::parse("\"bytes\"");
    let file = schema.and_then(|schema| {
        let builder = WriterBuilder::default().codec(codec).sync_marker(MARKER);
        let mut writer = builder.block_bytes(usize::from(input.byte())).target(Vec::new(), &schema).build()?;
        while !input.rest.is_empty() && records.len() < 100 {
            let length = usize::from(input.byte());
            let record = input.take(length).to_vec();
            writer.write_with(|out| {
                write::bytes(out, &record);
                Ok(())
            })?;
            records.push(record);
        }
        writer.finish()
    });
    (sound(file), records)
}

fn records(blocks: &[Block]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for (_, count, bytes) in blocks {
        let mut reader = DatumReader::new(bytes);
        for _ in 0..*count {
            out.push(sound(reader.bytes()).to_vec());
        }
    }
    out
}

fn salvage(file: &[u8], found: &Outcome) {
    let Ok(reader) = builder().source(file).build_salvage() else {
        assert!(found.error.is_some() && found.blocks.is_empty(), "only salvage refuses the header");
        return;
    };
    // A reader of blocks does not look at values.
    let mut reader = reader.check_values(false);
    let mut blocks = Vec::new();
    while let Some(block) = sound(reader.next_block()) {
        blocks.push(owned(&block));
    }
    let report = reader.report();
    if report.is_clean() {
        let with_records = found.blocks.iter().filter(|block| block.1 > 0);
        assert!(blocks.iter().eq(with_records), "nothing is lost: {blocks:?} {found:?}");
    }
    assert!(!report.is_clean() || found.error.is_none(), "{found:?}");
    let mut end = 0;
    for damage in &report.damages {
        assert!(end <= damage.start && damage.start < damage.end, "{report}");
        end = damage.end;
    }
    assert!(end <= file.len() as u64);
    // The blocks that the reader gives, as far as their records are good.
    let mut given = found.blocks.iter();
    let last = found.blocks.last().map_or(0, |block| block.0);
    for block in blocks.iter().filter(|block| block.0 <= last) {
        let same = given.find(|given| given.0 == block.0);
        assert!(same.is_some_and(|same| same.1 >= block.1 && same.2.starts_with(&block.2)), "{block:?}");
    }
}

/// Returns whole and damaged containers of each codec, and containers with false headers.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for codec in [1, 5, 9] {
        for damage in [[0; 5], [1, 110, 0, 1, 0], [2, 150, 0, 0, 0], [3, 90, 0, 7, 0]] {
            let mut seed = vec![codec, 6, 130, 0];
            seed.extend_from_slice(&damage);
            seed.extend_from_slice(b"\x06\x03one\x00\x0aten bytes.\x05after\x04text");
            seeds.push(seed);
        }
    }
    for schema in ["\"null\"", "\"int\"", "[\"null\",{\"type\":\"array\",\"items\":\"string\"}]"] {
        let mut seed = vec![0, 3, 60, 0, 0, 0, 0, 0, 0];
        seed.extend_from_slice(b"Obj\x01\x02\x16avro.schema");
        write::string(&mut seed, schema);
        seed.push(0);
        seed.extend_from_slice(&MARKER);
        seed.extend_from_slice(b"\x02\x02\x02");
        seed.extend_from_slice(&MARKER);
        seed.extend_from_slice(b"\x04\x04\x02\x02");
        seed.extend_from_slice(&MARKER);
        seeds.push(seed);
    }
    seeds
}
