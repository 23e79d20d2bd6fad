//! Files as tables.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeListBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use datafusion::prelude::SessionContext;
use tfxio_core::{FormatOptions, Formats};
use tfxio_formats::OpenOptions;
use tfxio_sql::{Answer, FileTables, Session, SessionContextExt as _, TableOptions};

use crate::sql::session::{digits, failure, fixtures, rows, session};

#[tokio::test]
async fn files_are_tables_by_their_names() {
    let context = session(2, TableOptions::new());
    let digits = digits();
    let statement = format!("select label, count(*) from '{digits}' where label < 3 group by 1 order by 1");
    assert_eq!(rows(&context, &statement).await, "0 178; 1 182; 2 177");
    let pattern = digits.replace("@3", "-*");
    assert_eq!(rows(&context, &format!("select count(*) from '{pattern}'")).await, "1797");
}

#[tokio::test]
async fn each_format_has_a_function() {
    let context = session(2, TableOptions::new());
    let digits = digits();
    let more = digits.replace("digits/", "digits-gzip/");
    for (call, expected) in [
        (format!("read_tfrecord('{digits}')"), "1797"),
        (format!("read_tfxio('{digits}')"), "1797"),
        (format!("read_tfxio('{digits}', 'format=raw')"), "1797"),
        (format!("read_tfrecord('{digits}', '{more}', 'infer_records=100')"), "3594"),
    ] {
        assert_eq!(rows(&context, &format!("select count(*) from {call}")).await, expected, "{call}");
    }
}

#[tokio::test]
async fn what_does_not_exist_is_said_with_the_nearest_name() {
    let context = session(2, TableOptions::new());
    tfxio_sql::SessionContextExt::register_tfxio(&context, "digits", tfxio_formats::open(digits()).unwrap())
        .unwrap();
    for (table, expected) in [
        ("digts", "there is no table \"digts\"; did you mean \"digits\"?"),
        (
            "unlike",
            "there is no table \"unlike\"; name files between quotes, with their ending or a folder: 'train-*.tfrecord', './train'",
        ),
        ("read_tfrecord('{}', 'no_option=1')", "there is no option \"no_option\""),
        (
            "read_tfrecord(1)",
            "read_tfrecord takes names of files, and options of formats; write them between quotes",
        ),
    ] {
        let found = failure(&context, &format!("select * from {table}")).await;
        assert!(found.starts_with(expected), "{table}: {found}");
    }
    let found = failure(&context, "select * from 'none-*.tfrecord'").await;
    assert!(found.contains("none-*.tfrecord"), "{found}");
}

#[tokio::test]
async fn a_statement_creates_a_table() {
    let session = Session::new(FileTables::new(), 1);
    let run = async |text: &str| {
        let mut counts = Vec::new();
        for statement in Session::parse(text).unwrap() {
            let Answer::Rows(rows) = session.run(statement, &[]).await? else { panic!("rows") };
            let batches = datafusion::physical_plan::common::collect(rows).await?;
            counts.push(batches.iter().map(RecordBatch::num_rows).sum::<usize>());
        }
        Ok::<_, datafusion::error::DataFusionError>(counts)
    };
    let text = format!(
        "create table Sevens as select id from '{}' where label = 7; create or replace table \"One Row\" as select 1;
         select * from sevens; select * from \"One Row\"; drop table sevens",
        digits()
    );
    assert_eq!(run(&text).await.unwrap(), [0, 0, 179, 1, 0]);
    // Only that one need not exist.
    let error = run("create table kept as select * from keptt").await.unwrap_err();
    assert!(error.to_string().contains("there is no table \"keptt\""), "{error}");
}

#[tokio::test]
async fn damage_is_said_with_its_record() {
    let context = session(1, TableOptions::new().sample_rows(0));
    let file = fixtures().join("damaged/bit-in-payload.tfrecord");
    let found =
        failure(&context, &format!("select * from read_tfxio('{}', 'format=raw')", file.display())).await;
    assert!(found.contains("bit-in-payload.tfrecord, byte ") && found.contains("record "), "{found}");
}

/// A file of 10,002 records with the number `n`, of which the last two have another feature as well: `late`.
fn with_late_feature(folder: &tempfile::TempDir) -> String {
    let mut numbers = LargeListBuilder::new(Int64Builder::new());
    let mut late = LargeListBuilder::new(Int64Builder::new());
    for row in 0..10_002 {
        numbers.append_value([Some(row)]);
        late.append_option((row >= 10_000).then_some([Some(1)]));
    }
    let columns: [(&str, ArrayRef); 2] =
        [("n", Arc::new(numbers.finish())), ("late", Arc::new(late.finish()))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = folder.path().join("late.tfrecord").to_str().unwrap().to_owned();
    let formats = tfxio_formats::formats();
    let format = formats.file_format("tfrecord").unwrap();
    let mut sink = format.sink(&file, &batch.schema(), &FormatOptions::default()).unwrap();
    sink.write(&batch.into()).unwrap();
    sink.finish().unwrap();
    file
}

#[tokio::test]
async fn the_schema_of_large_files_is_that_of_their_first_records() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_late_feature(&folder);
    let whole = session(2, TableOptions::new());
    assert_eq!(rows(&whole, &format!("select count(*), count(late) from '{file}'")).await, "10002 2");
    // As if the file were too large.
    let open = OpenOptions::new().set("infer_bytes", 1).unwrap();
    let first = SessionContext::new();
    first.enable_files(FileTables::new().open(open));
    let statement = format!("select count(*), sum(n) from '{file}'");
    assert_eq!(rows(&first, &statement).await, rows(&whole, &statement).await);
    let found = failure(&first, &format!("select * from '{file}'")).await;
    let expected = "record 10000, column \"late\": the value is an int64_list, the schema says no value; infer the schema from \
                    more records, or give the feature a kind in it";
    assert!(found.ends_with(expected), "{found}");
    let call = format!("read_tfrecord('{file}', 'infer_records=20000')");
    assert_eq!(rows(&first, &format!("select count(late) from {call}")).await, "2");
}

#[tokio::test]
async fn the_last_options_of_files_count() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_late_feature(&folder);
    let context = SessionContext::new();
    let options =
        |records: u64| FileTables::new().open(OpenOptions::new().set("infer_records", records).unwrap());
    let statements = [
        format!("select count(late) from '{file}'"),
        format!("select count(late) from read_tfrecord('{file}')"),
    ];
    context.enable_files(options(1));
    for statement in &statements {
        assert!(failure(&context, statement).await.contains("late"));
    }
    context.enable_files(options(20_000));
    for statement in &statements {
        assert_eq!(rows(&context, statement).await, "2");
    }
    // Functions are those of the formats.
    context.enable_files(FileTables::new().formats(&Formats::empty()));
    for statement in &statements {
        let found = failure(&context, statement).await;
        assert!(found.contains("format") || found.contains("read_tfrecord"), "{found}");
    }
    // What is registered stays.
    context.enable_files(options(20_000));
    context.register_tfxio("kept", tfxio_formats::open(digits()).unwrap()).unwrap();
    context.enable_files(options(20_000));
    assert_eq!(rows(&context, "select count(*) from kept").await, "1797");
    assert_eq!(rows(&context, &statements[0]).await, "2");
}

/// The virtual columns of a [`Session`] stay.
#[tokio::test]
async fn a_session_takes_other_options() {
    let file = fixtures().join("digits/digits-00000-of-00003.tfrecord").to_str().unwrap().to_owned();
    let session = Session::new(FileTables::new(), 1);
    session.context().enable_files(FileTables::new().table(TableOptions::new().text(false)));
    let statement =
        Session::parse(&format!("select id, _record from '{file}' limit 1")).unwrap().remove(0).unwrap();
    let Answer::Rows(rows) = session.run(statement, &[]).await.unwrap() else { panic!("rows") };
    assert_eq!(rows.schema().field(0).data_type().to_string(), "LargeBinary");
}
