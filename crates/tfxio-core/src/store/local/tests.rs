//! Any announced ranges, read in any way.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use tfxio_base::Cancel;

use super::*;

fn file(bytes: usize) -> (tempfile::NamedTempFile, Vec<u8>) {
    let content = (0..bytes).map(|at| (at * 31 % 251) as u8).collect::<Vec<_>>();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&content).unwrap();
    (file, content)
}

fn open(file: &tempfile::NamedTempFile) -> Box<dyn Input> {
    LocalStore.open(file.path().to_str().unwrap(), 0..u64::MAX, &Cancel::default()).unwrap()
}

/// Reads as far as `out` reaches, or the file.
fn fill(input: &mut dyn Input, mut out: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while !out.is_empty() {
        let count = input.read(out)?;
        if count == 0 {
            break;
        }
        filled += count;
        out = &mut out[count..];
    }
    Ok(filled)
}

/// The same bytes come, whatever was announced and whatever is read.
#[test]
fn ranges_that_were_announced_read_as_others() {
    let (file, content) = file(1_000_000);
    let near = (0..900u64).map(|at| at * 1000..at * 1000 + 300).collect::<Vec<_>>();
    let far = (0..9u64).map(|at| at * 100_000..at * 100_000 + 300).collect::<Vec<_>>();
    let long = vec![0..500_000, 500_010..900_000, 900_100..900_200];
    let odd = vec![700..700, 5..9, 3..7, 999_990..u64::MAX, 2_000_000..2_000_001, 0..1];
    for announced in [near, far, long, odd, Vec::new()] {
        let mut input = open(&file);
        input.will_read(&announced);
        let beside =
            announced.iter().map(|range| range.start.saturating_sub(7)..range.start.saturating_add(20_000));
        for range in announced.iter().cloned().chain(beside) {
            let len = usize::try_from(range.end.min(1_100_000).saturating_sub(range.start)).unwrap();
            let mut out = vec![0; len];
            assert_eq!(input.seek(SeekFrom::Start(range.start)).unwrap(), range.start);
            let count = fill(&mut *input, &mut out).unwrap();
            let from = content.len().min(usize::try_from(range.start).unwrap());
            let wanted = &content[from..content.len().min(from + len)];
            assert_eq!(&out[..count], wanted, "{range:?}");
            assert_eq!(input.stream_position().unwrap(), range.start + count as u64);
        }
        assert_eq!(input.seek(SeekFrom::End(-3)).unwrap(), 999_997);
        assert_eq!(input.seek(SeekFrom::Current(-2)).unwrap(), 999_995);
        let mut rest = Vec::new();
        input.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, content[999_995..]);
        assert!(input.seek(SeekFrom::Current(-2_000_000)).is_err());
    }
}

/// Near ranges are read together, and ranges announced anew replace earlier ones.
#[test]
fn near_ranges_are_joined() {
    let joined = |ranges: &[Range<u64>]| {
        let (file, _) = file(200_000);
        let mut local = LocalFile::new(file.reopen().unwrap(), Some(200_000), 0);
        local.will_read(&[0..10, 20..30]);
        local.will_read(ranges);
        local.coming.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>()
    };
    assert_eq!(joined(&[0..300, 5_000..5_300, 100_000..100_300]), [(0, 5_300)]);
    assert_eq!(joined(&[100_000..100_300, 90_000..90_300, 0..1, 150_000..u64::MAX]), [(90_000, 100_300)]);
    assert_eq!(joined(&[0..300, 16_384 + 301..20_000]), []);
    assert_eq!(joined(&[0..100_000, 100_000..200_000]), [], "long ones are read to where they are wanted");
    assert_eq!(joined(&[]), []);
}

#[test]
fn a_file_that_was_cut_after_it_was_opened() {
    let (file, _) = file(10_000);
    let mut input = open(&file);
    input.will_read(&[0..100, 5_000..9_000]);
    file.as_file().set_len(6_000).unwrap();
    input.seek(SeekFrom::Start(5_000)).unwrap();
    let error = fill(&mut *input, &mut [0; 4_000]).unwrap_err();
    let what =
        "the file ends after 6000 bytes, and had 10000 when it was opened: it was cut while it was read";
    assert!(error.to_string().starts_with(what), "{error}");
}
