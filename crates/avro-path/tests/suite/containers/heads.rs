//! Heads of blocks, and readers that enter a file at a block.

use std::io::Cursor;
use std::sync::Arc;

use avro_path::container::{
    BlockHead, BlockHeads, BlockPosition, Codec, ContainerReader, ContainerWriter, Header,
};
use avro_path::datum::write;
use avro_path::{AvroSchema, Error, Kind, Limits};

fn made(codec: Codec, block_bytes: usize) -> (Vec<u8>, Arc<Header>) {
    let schema = AvroSchema::parse("\"string\"").unwrap();
    let mut writer =
        ContainerWriter::builder(Vec::new(), &schema).codec(codec).block_bytes(block_bytes).build().unwrap();
    for n in 0..200 {
        let write = |out: &mut Vec<u8>| {
            write::string(out, &"x".repeat(n));
            Ok(())
        };
        writer.write_with(write).unwrap();
    }
    let file = writer.finish().unwrap();
    let header = Arc::clone(ContainerReader::new(&file[..]).unwrap().header());
    (file, header)
}

fn heads(file: &[u8], header: &Arc<Header>) -> (Vec<BlockHead>, Option<Error>) {
    let mut heads = BlockHeads::new(Cursor::new(file), Arc::clone(header), Limits::default());
    let mut out = Vec::new();
    loop {
        match heads.next_head() {
            Ok(Some(head)) => out.push(head),
            Ok(None) => return (out, None),
            Err(error) => {
                assert!(heads.next_head().unwrap().is_none(), "nothing follows an error");
                return (out, Some(error));
            }
        }
    }
}

#[test]
fn heads_are_those_of_the_blocks_and_readers_enter_there() {
    for codec in [Codec::Null, Codec::Deflate] {
        // Blocks within a read, and larger than several.
        for block_bytes in [1, 300, 9000] {
            let (file, header) = made(codec, block_bytes);
            let (heads, error) = heads(&file, &header);
            assert!(error.is_none(), "{error:?}");
            let mut reader = ContainerReader::new(&file[..]).unwrap();
            for (number, head) in heads.iter().enumerate() {
                let block = reader.next_block().unwrap().expect("a block");
                let position = block.position();
                assert_eq!(
                    (head.offset, head.first_record, head.count),
                    (position.offset, position.first_record, block.count())
                );
                let position = BlockPosition { number: number as u64, ..position.clone() };
                let at = usize::try_from(head.offset).unwrap();
                let entered = ContainerReader::builder(&file[at..]).build_at(
                    Arc::clone(&header),
                    position.clone(),
                    head.end,
                );
                let mut entered = entered.unwrap();
                let again = entered.next_block().unwrap().expect("the same block");
                assert_eq!((again.bytes(), again.position()), (block.bytes(), &position));
                assert!(entered.next_block().unwrap().is_none(), "it ends before the next");
            }
            assert!(reader.next_block().unwrap().is_none());
            assert_eq!(heads.last().map(|head| head.end), Some(file.len() as u64));
            for from in (0..file.len() as u64 + 5).step_by(97) {
                let found = ContainerReader::builder(Cursor::new(&file))
                    .find_block(Arc::clone(&header), from)
                    .unwrap();
                assert_eq!(
                    found,
                    heads.iter().map(|head| head.offset).find(|offset| *offset >= from),
                    "{from}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_true_is_an_error() {
    let (file, header) = made(Codec::Null, 1000);
    let (all, _) = heads(&file, &header);
    let at = |offset: u64| usize::try_from(offset).unwrap();
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut file = file.clone();
        change(&mut file);
        let (heads, error) = heads(&file, &header);
        let error = error.expect("an error");
        (heads.len(), error.detail().copied(), error.position().block)
    };
    assert_eq!(damaged(&|file| file[at(all[1].end) - 1] ^= 1), (2, Some(Kind::Sync), Some(2)));
    assert_eq!(damaged(&|file| file.truncate(at(all[3].end) - 1)), (4, Some(Kind::Truncated), Some(4)));
    assert_eq!(damaged(&|file| file.truncate(at(all[3].end) + 1)), (4, Some(Kind::Truncated), Some(4)));
    // As many records as the file has bytes, squared.
    let many = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 2, 0];
    assert_eq!(damaged(&|file| _ = file.splice(at(all[1].offset).., many)), (1, Some(Kind::Block), Some(1)));
    let claims = [&file[..at(all[0].offset)], &many].concat();
    let (_, error) = heads(&claims, &header);
    let text = "the block claims 140737488355327 records and has 1 byte; raise Limits::decompression_ratio if this is meant; \
                otherwise the file is damaged here";
    assert!(error.expect("an error").to_string().ends_with(text));
}
