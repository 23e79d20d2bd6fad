//! Sessions that run statements over files.

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt as _;
use tfxio_formats::DatasetExt as _;
use tfxio_sql::{Answer, FileTables, Session, dataset_error, mark};

use crate::sql::session::{digits, fixtures};

/// Runs the statements of a text; returns the cells of rows, or the number of records written.
async fn run(session: &Session, text: &str) -> Result<String, String> {
    let said = |error: datafusion::error::DataFusionError| {
        let text = match (dataset_error(&error), mark(&error, text)) {
            (Some(found), _) => found.to_string(),
            (None, Some(mark)) => format!("{}\n{mark}", error.strip_backtrace()),
            (None, None) => error.strip_backtrace(),
        };
        Err(text)
    };
    let mut out = Vec::new();
    for statement in Session::parse(text).or_else(|error| said(error).map(|()| Default::default()))? {
        match session.run(statement, &[("label".to_owned(), 7i64.into())]).await {
            Ok(Answer::Written(summary)) => out.push(summary.records.to_string()),
            Ok(Answer::Rows(rows)) => {
                let batches = rows.try_collect::<Vec<_>>().await;
                let batches = batches.or_else(|error| said(error).map(|()| Vec::new()))?;
                let text = pretty_format_batches(&batches).unwrap().to_string();
                let lines = text.lines().filter(|line| line.starts_with('|')).skip(1);
                out.extend(lines.map(|line| {
                    line.split('|').map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned()
                }));
            }
            Err(error) => return said(error).map(|()| String::new()),
        }
    }
    Ok(out.join("; "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_appear_whole_in_every_format() {
    let session = Session::new(FileTables::new(), 2);
    let folder = tempfile::tempdir().unwrap();
    let (digits, folder) = (digits(), folder.path().to_str().unwrap());
    for (output, options, read) in [
        ("a.parquet", "", "a.parquet"),
        ("b.tfrecord", "(shards 8)", "b@8.tfrecord"),
        ("c.tfrecord", "options (shards 2)", "c@2.tfrecord"),
        ("d.arrow", "", "d.arrow"),
        ("e", "(format avro)", "e"),
        ("f", "stored as parquet", "f"),
    ] {
        let copy = format!(
            "copy (select id, label from '{digits}' where label = $label) to '{folder}/{output}' {options}"
        );
        assert_eq!(run(&session, &copy).await.unwrap(), "179", "{output}");
        let back = format!("select sum(label), min(id), count(*) from '{folder}/{read}'");
        assert_eq!(run(&session, &back).await.unwrap(), "1253 digit-0007 179", "{output}");
    }
    let view = format!("create view v as select * from '{digits}' limit 5; copy v to '{folder}/v.parquet'");
    assert_eq!(run(&session, &view).await.unwrap(), "5");
    assert_eq!(tfxio_formats::open(format!("{folder}/v.parquet")).unwrap().count().unwrap(), 5);
}

#[tokio::test]
async fn a_copy_that_fails_leaves_nothing() {
    let session = Session::new(FileTables::new(), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let damaged = fixtures().join("damaged/bit-in-payload.tfrecord");
    let copy = format!(
        "copy (select * from read_tfxio('{}', 'format=raw')) to '{path}/x.parquet'",
        damaged.display()
    );
    let found = run(&session, &copy).await.unwrap_err();
    assert!(found.contains("bit-in-payload.tfrecord, byte "), "{found}");
    for (options, expected) in [
        ("(shard 8)", "there is no option \"shard\"; did you mean \"shards\"?"),
        ("(shards many)", "the value of shards is a number of files, and not \"many\""),
        ("(no_such_thing 1)", "there is no option \"no_such_thing\""),
    ] {
        let found =
            run(&session, &format!("copy (select 1) to '{path}/x.parquet' {options}")).await.unwrap_err();
        assert!(found.starts_with(expected), "{found}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn virtual_columns_are_there_where_they_are_named() {
    let session = Session::new(FileTables::new(), 2);
    let digits = digits();
    let found =
        run(&session, &format!("select id, _record from '{digits}' where label = $label order by 1 limit 1"))
            .await;
    assert_eq!(found.unwrap(), "digit-0007 7");
    let columns = run(&session, &format!("describe select * from '{digits}'")).await.unwrap();
    assert!(!columns.contains("_record"), "{columns}");
}

#[tokio::test]
async fn functions_over_features() {
    let session = Session::new(FileTables::new(), 2);
    let digits = digits();
    for (call, expected) in [
        ("feature_len(image)", "64"),
        ("feature_len(label)", "1"),
        ("element_at(image, 3)", "5.0"),
        ("element_at(image, -1) = image[64]", "true"),
        ("element_at(image, 65)", ""),
        ("element_at(label, 1)", "0"),
        ("element_at(label, 2)", ""),
        ("element_at(map(['a'], [1]), 'a')", "[1]"),
        ("bucket('id-17', 1000) = bucket(arrow_cast('id-17', 'Binary'), 1000)", "true"),
        ("bucket(17, 1000) = bucket('17', 1000)", "true"),
        ("image_size(arrow_cast('no image', 'Binary'))", ""),
        (
            "image_size(decode('89504e470d0a1a0a0000000d494844520000001c0000000d08000000005756f428', 'hex'))",
            "{width: 28, height: 13}",
        ),
        ("encode(sha256('abc'), 'hex')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ] {
        let found = run(&session, &format!("select {call} from '{digits}' where id = 'digit-0000'")).await;
        assert_eq!(found.as_deref(), Ok(expected), "{call}");
    }
    for (call, expected) in [
        ("bucket('a', 0)", "bucket takes a positive number of buckets, and not 0"),
        ("bucket(1.5, 10)", "bucket takes text, bytes or an integer, and not Float64"),
        ("image_size('a')", "image_size takes the bytes of an image, and not Utf8"),
    ] {
        let found = run(&session, &format!("select {call}")).await.unwrap_err();
        assert!(found.contains(expected), "{call}: {found}");
    }
}

#[tokio::test]
async fn errors_mark_their_place() {
    let session = Session::new(FileTables::new(), 2);
    let digits = digits();
    for (text, expected) in [
        ("select 1 fro t".to_owned(), "  select 1 fro t\n               ^"),
        (format!("select\n  lable\nfrom '{digits}'"), "    lable\n    ^^^^^"),
        ("select nothing(1)".to_owned(), "  select nothing(1)\n         ^^^^^^^"),
    ] {
        let found = run(&session, &text).await.unwrap_err();
        assert!(found.ends_with(expected), "{text}: {found}");
    }
}
