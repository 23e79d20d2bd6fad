//! Arrow IPC streams, in files and pipes, and dictionaries that are written.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use proptest::prelude::*;
use tfxio_core::{Cancel, FileFormat as _, FormatOptions, Scan as _, ScanRequest, Seek};
use tfxio_formats::{DatasetExt as _, IpcFormat};

use crate::test_files::{groups, numbers};

fn stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn write(path: &Path, batches: &[RecordBatch]) {
    let options = FormatOptions::default().option("output_compression", "lz4");
    let mut sink = IpcFormat.sink(path.to_str().unwrap(), &batches[0].schema(), &options).unwrap();
    for batch in batches {
        sink.write(&batch.clone().into()).unwrap();
    }
    sink.finish().unwrap();
}

fn read(path: &Path) -> Vec<i64> {
    let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
    let mut batches = dataset.read(ScanRequest::new()).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = batches.next_batch().unwrap() {
        rows.extend(numbers(&batch));
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn streams_are_cut_and_sought_like_files(
        sizes in prop::collection::vec(0..40_i64, 1..6), target in 1..5000_u64, sought in 0..200_u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.arrows");
        std::fs::write(&path, stream(&groups(0, &sizes))).unwrap();
        let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
        let rows = sizes.iter().sum::<i64>();
        prop_assert_eq!(dataset.count().unwrap(), rows as u64);
        let mut all = Vec::new();
        for partition in dataset.partitions(target).unwrap() {
            let mut scan = dataset.scan(&partition, &ScanRequest::new().batch_rows(7)).unwrap();
            while let Some(batch) = scan.next_batch().unwrap() {
                all.extend(numbers(&batch));
            }
        }
        prop_assert_eq!(all, (0..rows).collect::<Vec<_>>());
        if sought < rows as u64 {
            let mut scan = dataset.scan(&dataset.partitions(u64::MAX).unwrap()[0], &ScanRequest::new()).unwrap();
            prop_assert_eq!(scan.seek(sought).unwrap(), Seek::Exact);
            prop_assert_eq!(numbers(&scan.next_batch().unwrap().unwrap())[0], sought as i64);
        }
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.arrow", "a.arrows"] {
        let path = folder.path().join(name);
        write(&path, &groups(0, &[5, 30, 2]));
        assert_eq!(read(&path), (0..37).collect::<Vec<_>>());
        let begins = std::fs::read(&path).unwrap();
        assert_eq!(begins.starts_with(b"ARROW1"), name == "a.arrow");
    }
}

/// Batches whose dictionaries have little in common.
fn words() -> Vec<RecordBatch> {
    let words = [vec!["a", "b", "a"], vec!["c", "b"], vec![], vec!["d", "a", "c", "e"]];
    let mut n = 0;
    let batch = |words: &Vec<&str>| {
        let numbers = Int64Array::from_iter_values(n..n + words.len() as i64);
        n += words.len() as i64;
        let words: DictionaryArray<Int32Type> = words.iter().copied().collect();
        let columns: [(&str, ArrayRef); 2] = [("n", Arc::new(numbers)), ("word", Arc::new(words))];
        RecordBatch::try_from_iter(columns).unwrap()
    };
    words.iter().map(batch).collect()
}

#[test]
fn dictionaries_of_batches_become_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.arrow", "a.arrows"] {
        let path = folder.path().join(name);
        write(&path, &words());
        let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
        assert!(matches!(dataset.schema().field(1).data_type(), arrow_schema::DataType::Dictionary(..)));
        for (word, rows) in [("a", vec![0, 2, 6]), ("b", vec![1, 4]), ("c", vec![3, 7]), ("e", vec![8])] {
            let filter = format!("word = '{word}'").parse().unwrap();
            let mut batches = dataset.read(ScanRequest::new().filter(filter)).unwrap();
            let mut found = Vec::new();
            while let Some(batch) = batches.next_batch().unwrap() {
                found.extend(numbers(&batch));
            }
            assert_eq!(found, rows, "{name} {word}");
        }
    }
}

#[cfg(unix)]
mod pipes {
    use std::io::Write as _;

    use super::*;

    /// Gives bytes through a named pipe while `read` reads it.
    fn through_pipe<T>(bytes: Vec<u8>, read: impl FnOnce(&Path) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe.arrows");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let to = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = std::fs::File::options().write(true).open(to).unwrap();
            // The reader may have seen enough.
            let _ = pipe.write_all(&bytes);
        });
        let read = read(&path);
        writer.join().unwrap();
        read
    }

    #[test]
    fn a_stream_is_read_from_a_pipe() {
        let sizes = [5, 0, 30, 2];
        let bytes = stream(&groups(0, &sizes));
        assert_eq!(through_pipe(bytes.clone(), read), (0..37).collect::<Vec<_>>());
        // A file is a stream between its magic and its footer.
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("a.arrow"), &groups(0, &sizes));
        let file = std::fs::read(folder.path().join("a.arrow")).unwrap();
        assert_eq!(through_pipe(file, read), (0..37).collect::<Vec<_>>());
        let count = through_pipe(bytes.clone(), |path| {
            tfxio_formats::open(path.to_str().unwrap()).unwrap().count().unwrap()
        });
        assert_eq!(count, 37);
        through_pipe(bytes, |path| {
            let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
            let whole = dataset.partitions(1).unwrap().remove(0);
            let mut scan =
                dataset.scan(&whole.skip(6).records(9), &ScanRequest::new().batch_rows(7)).unwrap();
            assert_eq!(scan.seek(8).unwrap(), Seek::NotOffered);
            assert_eq!(scan.try_split(0.5).unwrap(), None);
            assert_eq!(numbers(&scan.next_batch().unwrap().unwrap()), [6, 7, 8, 9, 10, 11, 12]);
            let rest = scan.remaining().unwrap();
            assert_eq!((rest.skip, rest.records, rest.first_record), (13, Some(2), Some(0)));
            assert_eq!(numbers(&scan.next_batch().unwrap().unwrap()), [13, 14]);
            assert!(scan.next_batch().unwrap().is_none());
        });
    }

    #[test]
    fn a_pipe_that_ends_early_says_where() {
        let bytes = stream(&groups(0, &[5, 30]));
        let cut = bytes[..bytes.len() - 50].to_vec();
        let at = cut.len();
        let error = through_pipe(cut, |path| {
            let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
            let batches = dataset.read(ScanRequest::new().cancel(Cancel::default())).unwrap();
            batches.collect::<Result<Vec<_>, _>>().unwrap_err().to_string()
        });
        assert!(error.contains("pipe.arrows: "), "{error}");
        assert!(error.contains("the stream ends in the message of batch 1 at byte "), "{error}");
        let byte = error.split("at byte ").nth(1).unwrap().split(':').next().unwrap();
        assert!(byte.parse::<usize>().unwrap() <= at, "{error}");
    }
}
