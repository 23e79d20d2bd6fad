//! Settings that nobody states.

use std::path::PathBuf;

use tfrecord_io::{
    Compression, ErrorKind, FileWriter, Kind, Reader, ShardedWriter, Sharding, SliceReader, SplitReader,
    Writer,
};

fn compression_of(path: &std::path::Path) -> Compression {
    let mut reader = Reader::open(path).unwrap();
    assert_eq!(reader.next_record().unwrap().unwrap().data, b"payload");
    reader.compression().unwrap()
}

#[test]
fn the_name_of_a_file_chooses_its_compression() {
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in [
        ("a.tfrecord", Compression::None),
        ("a.tfrecord.gz", Compression::Gzip),
        ("a.gzip", Compression::Gzip),
        ("a.zz", Compression::Zlib),
    ] {
        let path = folder.path().join(name);
        let mut writer = FileWriter::create(&path).unwrap();
        writer.write(b"payload").unwrap();
        writer.finish().unwrap();
        assert_eq!(compression_of(&path), expected, "{name}");
        // What is stated counts, as the type or as an option of it.
        let mut writer = Writer::builder(&path).compression(Some(Compression::Zlib)).create().unwrap();
        writer.write(b"payload").unwrap();
        writer.finish().unwrap();
        assert_eq!(compression_of(&path), Compression::Zlib, "{name}");
    }
    let set: PathBuf = folder.path().join("b@2.tfrecord.gz");
    let mut writer = Writer::builder(set).create_sharded(Sharding::RoundRobin).unwrap();
    (0..2).for_each(|_| writer.write(b"payload").unwrap());
    writer.finish().unwrap();
    let first = folder.path().join("b-00000-of-00002.tfrecord.gz");
    assert_eq!(compression_of(&first), Compression::Gzip);
}

#[cfg(unix)]
#[test]
fn a_set_whose_name_is_not_unicode_is_refused() {
    use std::os::unix::ffi::OsStringExt as _;
    let name = PathBuf::from(std::ffi::OsString::from_vec(b"\xff@2".to_vec()));
    let error = Writer::builder(name).create_sharded(Sharding::RoundRobin).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().ends_with("the name of the set is not valid Unicode; choose another name"),
        "{error}"
    );
}

#[test]
fn a_dropped_writer_has_written_its_records() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        let mut file = Vec::new();
        let mut writer = Writer::builder(&mut file).compression(compression).build().unwrap();
        writer.write(b"one").unwrap();
        writer.write(b"two").unwrap();
        drop(writer);
        let records =
            Reader::new(&file[..]).into_iter().map(|record| record.unwrap().data).collect::<Vec<_>>();
        assert_eq!(records, [b"one", b"two"], "{compression}");
    }
    // A file that is not finished does not appear.
    let folder = tempfile::tempdir().unwrap();
    let mut writer = FileWriter::create(folder.path().join("a")).unwrap();
    writer.write(b"one").unwrap();
    drop(writer);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// A target that takes one write.
struct Once(usize);

impl std::io::Write for Once {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += 1;
        if self.0 > 1 { Err(std::io::Error::other("full")) } else { Ok(bytes.len().min(10)) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_is_written_after_a_failure() {
    let mut target = Once(0);
    let mut writer = Writer::builder(&mut target).buffer_bytes(1).build().unwrap();
    writer.write(b"payload").unwrap_err();
    let error = writer.write(b"payload").unwrap_err();
    assert_eq!(
        error.to_string(),
        "an earlier write to this target has failed; drop the writer and write the file again"
    );
    writer.flush().unwrap_err();
    drop(writer);
    assert_eq!(target.0, 2, "half a record, and no more");
}

#[test]
fn compressed_records_are_not_cut_by_bytes() {
    let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).build().unwrap();
    writer.write(b"payload").unwrap();
    let file = writer.finish().unwrap();
    let error = SliceReader::new(&file).next_record().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotTfRecord));
    assert_eq!(
        error.to_string(),
        "byte 0, record 0: the records are compressed: the file begins like a gzip stream; read them with `Reader`, which \
         detects it; a compressed file is not cut by bytes, but by an index"
    );
}

#[test]
fn readers_and_writers_may_cross_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Writer<Vec<u8>>>();
    shared::<FileWriter>();
    shared::<ShardedWriter>();
    shared::<Reader<std::fs::File>>();
    shared::<SplitReader<std::fs::File>>();
}
