//! Files that are pushed in chunks.

use tfrecord_io::{Compression, FileDecoder, Kind, Reader, ReaderBuilder, Result, Writer, frame::Verify};

fn file(compression: Compression) -> Vec<u8> {
    let mut writer = Writer::builder(Vec::new()).compression(compression).member_bytes(300).build().unwrap();
    for length in 0..60 {
        writer.write(&vec![7; length * 3]).unwrap();
    }
    writer.finish().unwrap()
}

/// Offset and payload of each record.
type Records = Vec<(u64, Vec<u8>)>;

fn push(mut decoder: FileDecoder, file: &[u8], piece: usize) -> Result<(Records, u64)> {
    let mut records = Vec::new();
    for mut piece in file.chunks(piece) {
        while let Some(record) = decoder.next_record(&mut piece)? {
            records.push((record.offset, record.data.to_vec()));
        }
        assert!(piece.is_empty(), "all is taken");
    }
    Ok((records, decoder.finish()?))
}

#[test]
fn pieces_of_any_size_give_the_records_of_a_reader() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        let file = file(compression);
        let expected = Reader::new(&file[..]).into_iter().map(|record| record.map(|it| (it.offset, it.data)));
        let expected = expected.collect::<Result<Vec<_>>>().unwrap();
        for piece in [1, 2, 13, 1000, usize::MAX] {
            let (records, count) = push(FileDecoder::new(), &file, piece).unwrap();
            assert_eq!((records, count), (expected.clone(), 60), "{compression}, {piece}");
        }
        // Nothing at all is a file without records.
        assert_eq!(FileDecoder::new().finish().unwrap(), 0);
    }
}

#[test]
fn a_file_that_ends_early_is_refused_at_its_end() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        let file = file(compression);
        let error = push(FileDecoder::new(), &file[..file.len() - 3], 100).unwrap_err();
        let read = Reader::new(&file[..file.len() - 3]).into_iter().find_map(Result::err).unwrap();
        assert_eq!(error.to_string(), read.to_string(), "{compression}");
    }
}

#[test]
fn settings_are_those_of_a_reader() {
    let mut file = file(Compression::None);
    let at = file.len() - 1;
    file[at] ^= 1;
    assert!(push(FileDecoder::new(), &file, 100).unwrap_err().is(Kind::PayloadCrc));
    let decoder = ReaderBuilder::default().verify(Verify::Headers).decoder();
    assert_eq!(push(decoder, &file, 100).unwrap().1, 60);
    let decoder = ReaderBuilder::default().name("socket").compression(Compression::Gzip).decoder();
    let error = push(decoder, &file, 100).unwrap_err();
    assert!(error.to_string().starts_with("socket, byte 0, record 0: "), "{error}");
}
