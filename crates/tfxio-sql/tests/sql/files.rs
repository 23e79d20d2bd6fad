//! Files as tables.

use tfxio_sql::TableOptions;

use crate::session::{digits, failure, fixtures, rows, session};

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
async fn damage_is_said_with_its_record() {
    let context = session(1, TableOptions::new().sample_rows(0));
    let file = fixtures().join("damaged/bit-in-payload.tfrecord");
    let found =
        failure(&context, &format!("select * from read_tfxio('{}', 'format=raw')", file.display())).await;
    assert!(found.contains("bit-in-payload.tfrecord, byte ") && found.contains("record "), "{found}");
}
