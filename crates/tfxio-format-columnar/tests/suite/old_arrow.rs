//! Arrow files and streams of before Arrow 1.0 and before 0.15, and their claims about themselves.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, Float32Array, Int32Array, Int64Array, NullArray, RecordBatch, StringArray, UnionArray,
};
use arrow_buffer::ScalarBuffer;
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, UnionFields};
use tfxio_core::{Error, ErrorKind, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

/// A number of rows that occurs nowhere else in a message.
const ROWS: usize = 13;

fn union(is_dense: bool) -> ArrayRef {
    let fields = UnionFields::from_iter([
        (0, Arc::new(Field::new("i", DataType::Int32, true))),
        (1, Arc::new(Field::new("f", DataType::Float32, true))),
    ]);
    let types = (0..ROWS).map(|row| (row % 2) as i8).collect::<ScalarBuffer<i8>>();
    let offsets = (0..ROWS).map(|row| (row / 2) as i32).collect::<ScalarBuffer<i32>>();
    let offsets = is_dense.then_some(offsets);
    let length = if is_dense { ROWS.div_ceil(2) } else { ROWS };
    let children: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from_iter_values((0..length).map(|row| row as i32))),
        Arc::new(Float32Array::from_iter_values((0..length).map(|row| row as f32 + 0.5))),
    ];
    Arc::new(UnionArray::try_new(fields, types, offsets, children).unwrap())
}

/// A batch with a column of each layout that the versions tell apart, and some that they do not.
fn batch(unions: bool) -> RecordBatch {
    let mut lists = ListBuilder::new(Int32Builder::new());
    let mut words = StringDictionaryBuilder::<Int32Type>::new();
    for row in 0..ROWS {
        match row % 3 {
            0 => lists.append_null(),
            count => {
                (0..count).for_each(|item| lists.values().append_value((row * item) as i32));
                lists.append(true);
            }
        }
        words.append_option((row % 4 > 0).then(|| format!("w{}", row % 4)));
    }
    let texts = (0..ROWS).map(|row| (row % 5 > 0).then(|| format!("row {row}")));
    let mut columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int64Array::from_iter_values(0..ROWS as i64))),
        ("text", Arc::new(texts.collect::<StringArray>())),
        ("list", Arc::new(lists.finish())),
        ("word", Arc::new(words.finish())),
        ("none", Arc::new(NullArray::new(ROWS))),
    ];
    if unions {
        columns.extend([("dense", union(true)), ("sparse", union(false))]);
    }
    columns.push(("last", Arc::new(Int64Array::from_iter_values((0..ROWS as i64).map(|n| -n)))));
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true)))
        .unwrap()
}

const V4: MetadataVersion = MetadataVersion::V4;
const V5: MetadataVersion = MetadataVersion::V5;

fn options(legacy: bool, version: MetadataVersion) -> IpcWriteOptions {
    IpcWriteOptions::try_new(8, legacy, version).unwrap()
}

fn stream(batches: &[RecordBatch], options: IpcWriteOptions) -> Vec<u8> {
    let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn file(batches: &[RecordBatch], options: IpcWriteOptions) -> Vec<u8> {
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batches[0].schema(), options).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

/// Returns the bytes between two places of a file.
fn footer_of(bytes: &[u8]) -> std::ops::Range<usize> {
    let tail = bytes.len() - 10;
    let length = i32::from_le_bytes(*bytes[tail..].first_chunk().unwrap()) as usize;
    tail - length..tail
}

/// Changes the version in the first field of a table at the beginning of a FlatBuffer.
fn set_version(bytes: &mut [u8], to: i16) {
    let table = u32::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
    let fields = table as i64 - i64::from(i32::from_le_bytes(*bytes[table..].first_chunk().unwrap()));
    let fields = fields as usize;
    let at = u16::from_le_bytes(*bytes[fields + 4..].first_chunk().unwrap());
    assert!(at > 0, "the version is not the default");
    bytes[table + usize::from(at)..][..2].copy_from_slice(&to.to_le_bytes());
}

/// Messages of version 4 under a footer of another one.
fn mixed(batches: &[RecordBatch], legacy: bool, footer: i16) -> Vec<u8> {
    let mut bytes = file(batches, options(legacy, V4));
    let range = footer_of(&bytes);
    set_version(&mut bytes[range], footer);
    bytes
}

fn read(path: &Path, request: ScanRequest, stated: bool) -> Result<Vec<RecordBatch>, Error> {
    let path = path.to_str().unwrap();
    let dataset =
        if stated { OpenOptions::new().format("arrow").open(path)? } else { tfxio_formats::open(path)? };
    let mut batches = Vec::new();
    for batch in dataset.read(request)? {
        batches.push(batch?);
    }
    Ok(batches)
}

/// Reads a file of these bytes under several names. Returns the rows, which are the same.
fn read_bytes(bytes: &[u8], request: &ScanRequest) -> Result<RecordBatch, Error> {
    let folder = tempfile::tempdir().unwrap();
    let mut found = None;
    for (name, stated) in
        [("a.arrows", false), ("a.arrow", false), ("a.feather", false), ("a.stream", false), ("a", true)]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let batches = read(&path, request.clone(), stated)?;
        let batch = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
        if let Some(before) = found.replace(batch) {
            assert_eq!(found.as_ref(), Some(&before), "{name}");
        }
    }
    Ok(found.unwrap())
}

#[test]
fn files_whose_footer_says_another_version_are_read() {
    for unions in [false, true] {
        let batches = [batch(unions), batch(unions).slice(0, 5)];
        let expected = read_bytes(&file(&batches, options(false, V5)), &ScanRequest::new()).unwrap();
        assert_eq!(expected.num_rows(), ROWS + 5);
        for legacy in [false, true] {
            // Version 1 is none.
            for footer in [0, 3, 4] {
                let bytes = mixed(&batches, legacy, footer);
                assert_eq!(read_bytes(&bytes, &ScanRequest::new()).unwrap(), expected, "{legacy} {footer}");
            }
        }
    }
}

#[test]
fn streams_without_markers_are_read() {
    for unions in [false, true] {
        let batches = [batch(unions), batch(unions).slice(0, 5)];
        let expected = read_bytes(&stream(&batches, options(false, V5)), &ScanRequest::new()).unwrap();
        for legacy in [false, true] {
            let bytes = stream(&batches, options(legacy, V4));
            assert_eq!(bytes.starts_with(&[0xff; 4]), !legacy);
            assert_eq!(read_bytes(&bytes, &ScanRequest::new()).unwrap(), expected);
            // Without the mark of its end a stream is whole as well.
            let end = if legacy { 4 } else { 8 };
            assert_eq!(bytes[bytes.len() - 4..], [0; 4]);
            assert_eq!(read_bytes(&bytes[..bytes.len() - end], &ScanRequest::new()).unwrap(), expected);
            // Columns after a union begin at another buffer.
            let last = ScanRequest::new().columns(["last", "n"]);
            let columns = read_bytes(&bytes, &last).unwrap();
            assert_eq!(columns.column(0), expected.column_by_name("last").unwrap());
        }
    }
}

#[test]
fn an_old_stream_that_ends_early_says_where() {
    let bytes = stream(&[batch(false), batch(false)], options(true, V4));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrows");
    for cut in [5, 60, 300] {
        std::fs::write(&path, &bytes[..bytes.len() - cut]).unwrap();
        let error = read(&path, ScanRequest::new(), false).unwrap_err().to_string();
        assert!(error.contains("the stream ends in the message of batch 1 at byte "), "{cut}: {error}");
    }
}

#[test]
fn metadata_that_are_not_read_are_named() {
    let batches = [batch(false)];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrows");
    for (version, text) in [
        (0_i16, "metadata of version 1, of Arrow before 0.8"),
        (2, "metadata of version 3, of Arrow before 0.8"),
    ] {
        let mut bytes = stream(&batches, options(true, V4));
        set_version(&mut bytes[4..], version);
        std::fs::write(&path, &bytes).unwrap();
        let error = read(&path, ScanRequest::new(), false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(text), "{error}");
        assert!(!error.to_string().contains("damaged"), "{error}");
    }
    let mut bytes = stream(&batches, options(false, V5));
    set_version(&mut bytes[8..], 7);
    std::fs::write(&path, &bytes).unwrap();
    let error = read(&path, ScanRequest::new(), false).unwrap_err().to_string();
    assert!(error.contains("metadata of version 8, which is not known"), "{error}");
}

/// Says in the last batch of a stream that its first union has a null.
fn with_null_union(mut bytes: Vec<u8>) -> Vec<u8> {
    let node = [(ROWS as i64).to_le_bytes(), 0_i64.to_le_bytes()].concat();
    let nodes = bytes.windows(16).enumerate().filter(|(_, window)| *window == node);
    // `n`, the union and `last` have as many rows and no nulls; so may its members have.
    let at = nodes.map(|(at, _)| at).nth(1).unwrap();
    bytes[at + 8] = 1;
    bytes
}

#[test]
fn unions_with_nulls_of_their_own_are_not_read_without_them() {
    for is_dense in [false, true] {
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
        let batch = RecordBatch::try_from_iter([("n", n), ("u", union(is_dense))]).unwrap();
        let batches = std::slice::from_ref(&batch);
        for bytes in [
            stream(batches, options(true, V4)),
            stream(batches, options(false, V4)),
            file(batches, options(false, V4)),
        ] {
            let bytes = with_null_union(bytes);
            let error = read_bytes(&bytes, &ScanRequest::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.to_string().contains("a union has nulls of its own"), "{error}");
            assert!(error.to_string().contains("column \"u\""), "{error}");
            // As the error says, the other columns are read.
            let other = read_bytes(&bytes, &ScanRequest::new().columns(["n"])).unwrap();
            assert_eq!(other.num_rows(), ROWS);
        }
    }
}

#[test]
fn what_is_whole_is_not_called_damaged() {
    // A batch where the schema should be.
    let bytes = stream(&[batch(false)], options(false, V5));
    let length = i32::from_le_bytes(*bytes[4..].first_chunk().unwrap()) as usize;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrows");
    std::fs::write(&path, &bytes[8 + length..]).unwrap();
    let error = read(&path, ScanRequest::new(), false).unwrap_err().to_string();
    assert!(error.contains("the stream does not begin with a schema"), "{error}");
    assert!(error.contains("nothing says that the file is damaged"), "{error}");
}

#[cfg(unix)]
mod pipes {
    use std::io::Write as _;

    use arrow_array::cast::AsArray as _;

    use super::*;

    /// Reads the column `n` of bytes that come through a named pipe.
    fn through_pipe(bytes: Vec<u8>) -> Result<Vec<i64>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = std::fs::File::options().write(true).open(to).unwrap();
            // The reader may have seen enough.
            let _ = pipe.write_all(&bytes);
        });
        let batches = read(&path, ScanRequest::new(), true);
        writer.join().unwrap();
        let numbers = |batch: &RecordBatch| batch["n"].as_primitive::<Int64Type>().values().to_vec();
        batches.map(|batches| batches.iter().flat_map(numbers).collect())
    }

    #[test]
    fn old_streams_and_files_are_read_from_pipes() {
        let batches = [batch(true), batch(true)];
        let expected = (0..ROWS as i64).chain(0..ROWS as i64).collect::<Vec<_>>();
        for legacy in [false, true] {
            let mut all = vec![stream(&batches, options(legacy, V4)), mixed(&batches, legacy, 4)];
            // A file in which nothing marks the end of the messages, as before Arrow 0.15.
            let mut bytes = file(&batches, options(legacy, V4));
            let footer = footer_of(&bytes);
            let mark = if legacy { 4 } else { 8 };
            bytes.drain(footer.start - mark..footer.start);
            all.push(bytes);
            for bytes in all {
                assert_eq!(through_pipe(bytes).unwrap(), expected, "{legacy}");
            }
        }
    }

    #[test]
    fn a_pipe_of_another_format_is_not_called_damaged() {
        for bytes in [&b"id,a\n1,2\n3,4\n"[..], b"abc", b"\0\0\0\0\0\0\0\0\0\0"] {
            let error = through_pipe(bytes.to_vec()).unwrap_err().to_string();
            assert!(error.contains("it has another format"), "{error}");
            assert!(!error.contains("damaged"), "{error}");
        }
        let error = through_pipe(Vec::new()).unwrap_err().to_string();
        assert!(error.contains("the file is empty"), "{error}");
    }
}
