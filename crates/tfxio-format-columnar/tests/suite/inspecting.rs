//! Reports of files, and of damaged ones.

use std::path::Path;
use std::sync::Arc;

use tfxio_core::{FactValue, FileReport, FileState, Files, FormatOptions, Total};

use tfxio_core::FileFormat as _;
use tfxio_formats::ParquetFormat;

use crate::test_files::{FORMATS, groups, write};

fn report(format: &dyn tfxio_core::FileFormat, path: &Path) -> FileReport {
    let files = Files::local([path.to_str().unwrap()]).unwrap();
    let mut reports = format.inspect().unwrap().inspect(&files, &FormatOptions::default()).unwrap();
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

#[test]
fn groups_rows_and_columns_of_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    for (format, ending) in FORMATS {
        let path = folder.path().join(format!("a.{ending}"));
        write(&path, &groups(0, &[5, 30, 2]));
        let report = report(format, &path);
        assert_eq!((report.state, report.errors.len(), report.lost.len()), (FileState::Whole, 0, 0));
        let keys = report.facts.iter().map(|fact| fact.key).collect::<Vec<_>>();
        let of_groups = if ending == "arrow" { "batches" } else { "row_groups" };
        assert_eq!(keys, ["format", "compression", of_groups, "rows", "bytes", "columns", "crc32_of_file"]);
        assert_eq!(report.get("format"), Some(&ending.into()));
        assert_eq!(report.get("compression"), Some(&"none".into()));
        assert_eq!(report.get(of_groups), Some(&FactValue::Count(3)));
        assert_eq!(report.get("rows"), Some(&FactValue::Count(37)));
        assert!(report.facts[2..5].iter().all(|fact| fact.total == Total::Sum));
        let Some(FactValue::Count(bytes)) = report.get("bytes") else { panic!("no bytes") };
        assert!((200..std::fs::metadata(&path).unwrap().len()).contains(bytes), "{bytes}");
        let columns = [("n", "Int64"), ("text", "Utf8")].map(|(name, of)| (name.to_owned(), of.into()));
        assert_eq!(report.get("columns"), Some(&FactValue::Entries(columns.to_vec())));
    }
}

#[test]
fn compressions_that_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let batch = groups(0, &[50]).remove(0);
    for (format, ending) in FORMATS {
        let names = if ending == "arrow" {
            &["none", "lz4", "zstd"][..]
        } else {
            &["none", "snappy", "gzip", "zstd"]
        };
        for name in names {
            let path = folder.path().join(format!("{name}.{ending}")).to_str().unwrap().to_owned();
            let options = FormatOptions::default().option("output_compression", *name);
            let mut sink = format.sink(&path, &batch.schema(), &options).unwrap();
            sink.write(&batch.clone().into()).unwrap();
            sink.finish().unwrap();
            assert_eq!(report(format, path.as_ref()).get("compression"), Some(&(*name).into()));
        }
    }
}

#[test]
fn every_damaged_group_is_named_and_the_others_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (format, ending) in FORMATS {
        let path = folder.path().join(format!("a.{ending}"));
        write(&path, &groups(0, &[40, 40, 40, 40]));
        let mut bytes = std::fs::read(&path).unwrap();
        // In the groups 1 and 3: texts that are not UTF-8.
        for text in [&b"row 45"[..], b"row 125"] {
            while let Some(at) = bytes.windows(text.len()).position(|window| window == text) {
                bytes[at..][..text.len()].fill(0xff);
            }
        }
        std::fs::write(&path, bytes).unwrap();
        let report = report(format, &path);
        assert_eq!((report.state, report.errors.len(), report.lost.len()), (FileState::Damaged, 1, 1));
        assert_eq!(report.get("rows"), Some(&FactValue::Count(80)), "{report:?}");
        let (title, group) = if ending == "arrow" { ("Arrow", "batch") } else { ("Parquet", "row group") };
        let error = &report.errors[0];
        let starts = format!("{group} 1: the {title} file cannot be read: ");
        assert!(error.what().starts_with(&starts), "{error}");
        assert_eq!(error.position().file, Some(Arc::from(path.to_str().unwrap())));
        assert!(error.position().byte.is_some_and(|byte| byte > 0), "{error}");
        let lost = &report.lost[0];
        assert!(lost.start > error.position().byte.unwrap() && lost.end > lost.start, "{lost:?}");
        assert_eq!((lost.records_before, &*lost.reason), (80, group));
        assert_eq!(lost.records, (ending == "parquet").then_some(40));
        assert!(
            lost.detail.as_ref().is_some_and(|detail| detail.starts_with(&format!("{group} 3: "))),
            "{lost:?}"
        );
    }
}

#[test]
fn what_cannot_be_opened_has_a_report() {
    let folder = tempfile::tempdir().unwrap();
    for (format, ending) in FORMATS {
        let path = folder.path().join(format!("a.{ending}"));
        write(&path, &groups(0, &[40]));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let report = report(format, &path);
        assert_eq!((report.state, report.facts.len(), report.errors.len()), (FileState::NotRead, 0, 1));
        assert!(report.errors[0].to_string().starts_with(path.to_str().unwrap()), "{}", report.errors[0]);
    }
}

#[test]
fn options_of_parquet_files_that_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let batch = groups(0, &[50]).remove(0);
    let write = |options: FormatOptions| {
        let path = folder.path().join("a.parquet").to_str().unwrap().to_owned();
        let mut sink = ParquetFormat.sink(&path, &batch.schema(), &options)?;
        sink.write(&batch.clone().into())?;
        sink.finish()?;
        let report = report(&ParquetFormat, path.as_ref());
        Ok::<_, tfxio_core::Error>((report.get("row_groups").cloned(), report.get("compression").cloned()))
    };
    let options = || FormatOptions::default().option("output_compression", "lz4");
    let written =
        write(options().option("row_group_rows", 20_u64).option("output_dictionary", "never")).unwrap();
    assert_eq!(written, (Some(FactValue::Count(3)), Some("lz4_raw".into())));
    let written = write(
        FormatOptions::default().option("row_group_bytes", 1_u64).option("output_compression_level", 9_u64),
    );
    assert_eq!(written.unwrap(), (Some(FactValue::Count(1)), Some("zstd".into())));
    for (options, text) in [
        (options().option("output_compression_level", 3_u64), "zstd and gzip have levels; leave it out"),
        (FormatOptions::default().option("output_compression_level", 40_u64), "levels of zstd are 1 to 22"),
        (
            FormatOptions::default()
                .option("output_compression", "gzip")
                .option("output_compression_level", 10_u64),
            "levels of gzip are 0 to 9",
        ),
    ] {
        let error = write(options).unwrap_err();
        assert_eq!(error.kind(), tfxio_core::ErrorKind::InvalidArgument);
        assert!(error.to_string().ends_with(text), "{error}");
    }
}
