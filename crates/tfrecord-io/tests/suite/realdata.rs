//! Files of other writers: the number of records, their bytes and their checksum must be as in their manifest. Runs
//! when `TFXIO_REALDATA_DIR` names the folder.

#![cfg(feature = "gzip")]

use std::path::PathBuf;

use serde_json::Value;
use tfrecord_io::{BatchSize, Reader, RecordBuffer};

#[test]
fn files_of_other_writers() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").map(PathBuf::from) else { return };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let mut files = 0;
    for line in manifest.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        if entry["format"] != "TFRecord" {
            continue;
        }
        let name = entry["file"].as_str().unwrap();
        let mut reader = Reader::open(folder.join(name)).unwrap();
        assert_eq!(reader.compression().unwrap().name(), entry["compression"], "{name}");
        let mut batch = RecordBuffer::new();
        let mut crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32IsoHdlc);
        let (mut records, mut bytes) = (0, 0);
        let (mut least, mut most) = (u64::MAX, 0);
        let expected = &entry["expected"];
        let must_fail = expected["must_fail"] == true;
        let error = loop {
            match reader.read_batch(&mut batch, BatchSize::records(100).and_bytes(1 << 20)) {
                Ok(0) => break None,
                Ok(_) => {}
                Err(error) => break Some(error),
            }
            for record in &batch {
                crc.update(record.data);
                let length = record.data.len() as u64;
                records += 1;
                bytes += length;
                least = least.min(length);
                most = most.max(length);
            }
        };
        files += 1;
        assert_eq!(error.is_some(), must_fail, "{name}: {error:?}");
        if must_fail {
            continue;
        }
        assert_eq!(expected["records"], records, "{name}");
        assert_eq!(expected["total_bytes"], bytes, "{name}");
        assert_eq!(expected["crc32"], crc.finalize(), "{name}");
        assert_eq!(
            (&expected["min_record"], &expected["max_record"]),
            (&least.into(), &most.into()),
            "{name}"
        );
    }
    assert!(files > 0, "the manifest names no TFRecord file");
    println!("{files} files");
}
