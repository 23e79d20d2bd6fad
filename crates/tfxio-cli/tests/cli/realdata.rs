//! Files of other writers, when `TFXIO_REALDATA_DIR` names a folder of them with a manifest.

use std::path::{Path, PathBuf};

use crate::run::{json_lines, tfxio};

#[test]
fn realdata() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_REALDATA_DIR is not set");
        return;
    };
    // Relative to where the test was started, while the command runs in the root.
    let folder = Path::new(&folder).canonicalize().unwrap();
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let mut read = 0;
    for entry in json_lines(&manifest) {
        if entry["format"] != "TFRecord" && entry["format"] != "Avro object container" {
            continue;
        }
        let file: PathBuf = folder.join(entry["file"].as_str().unwrap());
        let run = tfxio(["inspect".as_ref(), "--json".as_ref(), file.as_os_str()]);
        let [report] = json_lines(&run.out).try_into().unwrap();
        let expected = &entry["expected"];
        let fails = !expected["must_fail"].is_null() && expected["must_fail"] != false;
        let errors = report["errors"].as_array().unwrap();
        assert_eq!((run.code != 0, !errors.is_empty()), (fails, fails), "{report}");
        if !fails {
            for (ours, theirs) in
                [("records", "records"), ("payload_bytes", "total_bytes"), ("crc32_of_payloads", "crc32")]
            {
                assert_eq!(report[ours], expected[theirs], "{report}");
            }
        }
        if entry["format"] != "TFRecord" {
            convert(&file, fails, &expected["records"]);
        }
        read += 1;
    }
    assert!(read > 0, "no such file in the manifest");
    println!("{read} files read");
}

/// An Avro file to Arrow and back to Avro, which is as long.
fn convert(file: &Path, fails: bool, records: &serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let (between, back) = (folder.path().join("o.arrow"), folder.path().join("o.avro"));
    let run = |from: &Path, to: &Path| tfxio(["convert".as_ref(), from.as_os_str(), to.as_os_str()]);
    let first = run(file, &between);
    if fails || first.err.contains("the schema is recursive") {
        assert_ne!(first.code, 0, "{file:?}");
        return;
    }
    first.ok();
    run(&between, &back).ok();
    let report = json_lines(&tfxio(["inspect".as_ref(), "--json".as_ref(), back.as_os_str()]).ok()).remove(0);
    assert_eq!(report["records"], *records, "{file:?}");
}
