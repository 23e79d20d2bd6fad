//! The push decoder: wherever the chunks of a container end, the blocks and the error are as for the whole.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use avro_path::container::{Block, BlockDecoder, BlockPosition, Codec, ReaderBuilder, WriterBuilder};
use avro_path::datum::write;
use avro_path::{AvroSchema, Limits, Result};
use proptest::prelude::*;

use crate::containers::test_data::{codecs, rows};

/// The place, the count and the bytes of each block, and the error that follows.
type Found = (Vec<(BlockPosition, u64, Vec<u8>)>, Option<String>);

fn builder() -> ReaderBuilder {
    ReaderBuilder::default().name("x.avro").limits(Limits::default().record_bytes(1 << 20))
}

fn copy(block: &Block<'_>) -> (BlockPosition, u64, Vec<u8>) {
    (block.position().clone(), block.count(), block.bytes().to_vec())
}

/// Reads a file with a reader.
fn read(file: &[u8]) -> Found {
    let mut blocks = Vec::new();
    let mut all = || -> Result<()> {
        let mut reader = builder().source(file).build()?;
        while let Some(block) = reader.next_block()? {
            blocks.push(copy(&block));
        }
        Ok(())
    };
    let error = all().err().map(|error| error.to_string());
    (blocks, error)
}

/// Reads chunks with the push decoder.
fn push<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Found {
    let mut decoder = builder().build_decoder();
    let mut blocks = Vec::new();
    let all = || -> Result<()> {
        for mut chunk in chunks {
            while let Some(block) = decoder.next_block(&mut chunk)? {
                blocks.push(copy(&block));
            }
            assert!(chunk.is_empty() || decoder.has_ended());
        }
        while let Some(block) = decoder.finish()? {
            blocks.push(copy(&block));
        }
        Ok(())
    };
    let error = all().err().map(|error| error.to_string());
    assert!(decoder.has_ended());
    // Nothing follows.
    assert!(decoder.next_block(&mut &b"more"[..]).unwrap().is_none());
    assert!(decoder.finish().unwrap().is_none());
    (blocks, error)
}

/// Returns a chunk for each range between the cuts.
fn cut<'a>(file: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (file.len() + 1)).collect();
    cuts.extend([0, file.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &file[pair[0]..pair[1]]).collect()
}

#[test]
fn chunks_of_any_size_give_the_blocks_of_a_reader() {
    for codec in codecs() {
        let file = rows(codec, 60, 3);
        let expected = read(&file);
        assert!(expected.0.len() == 20 && expected.1.is_none());
        for size in [1, 7, 100, 4096] {
            assert_eq!(push(file.chunks(size)), expected, "{codec}: chunks of {size}");
        }
        for at in 0..=file.len() {
            assert_eq!(push([&file[..at], &[], &file[at..]]), expected, "{codec}: cut at {at}");
        }
    }
}

#[test]
fn an_end_anywhere_is_the_error_of_a_reader() {
    for codec in codecs() {
        let file = rows(codec, 9, 3);
        for end in 0..file.len() {
            let expected = read(&file[..end]);
            assert_eq!(push([&file[..end]]), expected, "{codec}: until {end}");
            assert_eq!(push(file[..end].chunks(1)), expected, "{codec}: until {end}");
        }
    }
}

#[test]
fn damage_is_the_error_of_a_reader() {
    let file = rows(Codec::Null, 12, 3);
    for byte in 0..file.len() {
        let mut file = file.clone();
        file[byte] ^= 1 << (byte % 8);
        let expected = read(&file);
        for size in [1, 50, usize::MAX] {
            assert_eq!(push(file.chunks(size.min(file.len()))), expected, "byte {byte}, chunks of {size}");
        }
    }
}

#[test]
fn a_damaged_marker_in_the_header_is_found_out() {
    let mut file = rows(Codec::Null, 300_000, 3);
    let first = builder().source(&file[..]).build().unwrap().header().len() as usize;
    file[first - 1] ^= 1;
    let expected = read(&file);
    assert!(expected.1.as_ref().unwrap().contains("the sync marker in the file's header"), "{expected:?}");
    for size in [1000, 1 << 20, file.len()] {
        assert_eq!(push(file.chunks(size)), expected, "chunks of {size}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn cuts_change_nothing(
        codec in 0_usize..6,
        (count, per_block) in (0_u32..200, 1_u32..40),
        damage in proptest::option::of((any::<usize>(), 1_u8..)),
        length in proptest::option::of(any::<usize>()),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let codec = Codec::ALL[codec];
        prop_assume!(codec.is_supported());
        let mut file = rows(codec, count, per_block);
        if let Some((at, turned)) = damage {
            let at = at % file.len();
            file[at] ^= turned;
        }
        if let Some(length) = length {
            file.truncate(length % file.len());
        }
        let expected = push([&file[..]]);
        prop_assert_eq!(&push(cut(&file, &cuts)), &expected);
        prop_assert_eq!(&read(&file), &expected);
    }

    #[test]
    fn ranges_have_each_block_once(
        (count, per_block) in (1_u32..100, 1_u32..20),
        border in any::<usize>(),
        cuts in prop::collection::vec(any::<usize>(), 0..10),
    ) {
        let file = rows(Codec::Null, count, per_block);
        let border = (border % (file.len() + 2)) as u64;
        let mut found = Vec::new();
        for (start, end) in [(0, border), (border, u64::MAX)] {
            let mut decoder = BlockDecoder::new();
            prop_assert_eq!(decoder.restrict(start, end), None);
            let mut at = 0;
            while decoder.header().is_none() {
                prop_assert!(decoder.next_block(&mut &file[at..=at]).unwrap().is_none());
                at += 1;
            }
            let at = usize::try_from(decoder.restrict(start, end).unwrap()).unwrap();
            for mut chunk in cut(&file[at.min(file.len())..], &cuts) {
                while let Some(block) = decoder.next_block(&mut chunk).unwrap() {
                    prop_assert!((start..end).contains(&block.position().offset));
                    found.push((block.position().offset, block.bytes().to_vec()));
                }
            }
            while let Some(block) = decoder.finish().unwrap() {
                found.push((block.position().offset, block.bytes().to_vec()));
            }
        }
        let expected = read(&file).0.into_iter().map(|(position, _, bytes)| (position.offset, bytes));
        prop_assert_eq!(found, expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_block_in_the_callers_memory_is_lent_from_there() {
    let file = rows(Codec::Null, 60, 3);
    let range = file.as_ptr_range();
    let is_lent = |block: Block<'_>| range.contains(&block.bytes().as_ptr());
    let lent_of = |chunks: &[&[u8]]| {
        let (mut decoder, mut lent) = (BlockDecoder::new(), Vec::new());
        for mut chunk in chunks.iter().copied() {
            while let Some(block) = decoder.next_block(&mut chunk).unwrap() {
                lent.push(is_lent(block));
            }
        }
        assert!(decoder.finish().unwrap().is_none());
        lent
    };
    assert_eq!(lent_of(&[&file]), [true; 20]);
    // Only the blocks that a cut divides are copied.
    let blocks = read(&file).0;
    let inside = |number: usize| blocks[number].0.offset as usize + 5;
    let chunks = [&file[..inside(3)], &file[inside(3)..inside(9)], &file[inside(9)..]];
    assert_eq!(lent_of(&chunks), (0..20).map(|at| at != 3 && at != 9).collect::<Vec<_>>());
}

#[test]
fn a_header_is_there_as_soon_as_its_last_byte() {
    let file = rows(Codec::Null, 3, 3);
    let header = builder().source(&file[..]).build().unwrap().header().len() as usize;
    let mut decoder = BlockDecoder::new();
    for at in 0..file.len() {
        assert_eq!(decoder.header().is_some(), at >= header, "byte {at}");
        let block = decoder.next_block(&mut &file[at..=at]).unwrap();
        assert_eq!(block.is_some(), at + 1 == file.len(), "byte {at}");
    }
    assert_eq!(decoder.header().unwrap().len(), header as u64);
}

#[test]
fn claims_take_no_memory() {
    // A block that claims nearly all that the limits allow, and a little of it.
    let mut file = rows(Codec::Null, 3, 3);
    write::long(&mut file, 1);
    write::long(&mut file, 1 << 30);
    file.extend([0; 100]);
    let mut decoder = BlockDecoder::new();
    let mut input = &file[..];
    assert!(decoder.next_block(&mut input).unwrap().is_some());
    assert!(decoder.next_block(&mut input).unwrap().is_none());
    let error = decoder.finish().unwrap_err().to_string();
    assert!(error.contains("block 1: the file ends within a block of 1073741824 bytes"), "{error}");
}

/// Bytes that come now and then, as from a socket of somebody's own runtime.
#[derive(Clone, Default)]
struct Socket {
    state: Rc<RefCell<(VecDeque<u8>, bool)>>,
}

impl Socket {
    /// Waits for bytes. 0 is the end.
    async fn read(&self, buffer: &mut [u8]) -> usize {
        std::future::poll_fn(|_| {
            let (bytes, is_closed) = &mut *self.state.borrow_mut();
            if bytes.is_empty() && !*is_closed {
                return Poll::Pending;
            }
            let read = bytes.len().min(buffer.len());
            for (to, from) in buffer.iter_mut().zip(bytes.drain(..read)) {
                *to = from;
            }
            Poll::Ready(read)
        })
        .await
    }
}

#[test]
fn a_foreign_runtime_drives_the_decoder() {
    async fn numbers(socket: Socket, buffer: usize) -> Result<Vec<u64>> {
        let (mut decoder, mut counts) = (BlockDecoder::new(), Vec::new());
        let mut buffer = vec![0; buffer];
        loop {
            let read = socket.read(&mut buffer).await;
            if read == 0 {
                break;
            }
            let mut input = &buffer[..read];
            while let Some(block) = decoder.next_block(&mut input)? {
                counts.push(block.count());
            }
        }
        while let Some(block) = decoder.finish()? {
            counts.push(block.count());
        }
        Ok(counts)
    }

    let file = rows(Codec::Null, 3000, 7);
    for fed in [1, 7, 4096] {
        let socket = Socket::default();
        let mut task = pin!(numbers(socket.clone(), 1000));
        let mut context = Context::from_waker(Waker::noop());
        for chunk in file.chunks(fed) {
            assert!(task.as_mut().poll(&mut context).is_pending());
            socket.state.borrow_mut().0.extend(chunk);
        }
        assert!(task.as_mut().poll(&mut context).is_pending());
        socket.state.borrow_mut().1 = true;
        let Poll::Ready(counts) = task.as_mut().poll(&mut context) else { panic!("the task waits") };
        let counts = counts.unwrap();
        assert_eq!((counts.len(), counts.iter().sum::<u64>()), (429, 3000), "fed by {fed}");
    }
}

#[test]
fn long_headers_and_large_blocks_come_in_small_chunks() {
    let schema = AvroSchema::parse("\"bytes\"").unwrap();
    let builder = WriterBuilder::default().metadata("long", [7; 100_000]).codec(Codec::Null);
    let mut writer = builder.target(Vec::new(), &schema).build().unwrap();
    for length in [10, 300_000, 0] {
        writer
            .write_with(|out| {
                write::bytes(out, &vec![1; length]);
                Ok(())
            })
            .unwrap();
        writer.end_block().unwrap();
    }
    let file = writer.finish().unwrap();
    let expected = read(&file);
    assert_eq!(expected.0.len(), 3);
    for size in [1, 999, 65_536] {
        assert_eq!(push(file.chunks(size)), expected, "chunks of {size}");
    }
}
