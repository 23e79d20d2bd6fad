//! Nothing is left out without a word: feature lists, other messages, features of several kinds, files that lost records.

use serde_json::json;
use tfxio::tfrecord_io::FileWriter;

use crate::run::{json_lines, names, path, root, tfxio};

/// {u: [n]}
fn context(n: u8) -> Vec<u8> {
    vec![0x0a, 0x0c, 0x0a, 0x0a, 0x0a, 1, b'u', 0x12, 5, 0x1a, 3, 0x0a, 1, n]
}

/// {s: [[…]]} with a step that is a `Feature`.
fn lists(step: &[u8]) -> Vec<u8> {
    let length = step.len() as u8;
    let head = [0x12, length + 9, 0x0a, length + 7, 0x0a, 1, b's', 0x12, length + 2, 0x0a, length];
    [&head[..], step].concat()
}

const INT: &[u8] = b"\x1a\x03\x0a\x01\x01";
const FLOAT: &[u8] = b"\x12\x06\x0a\x04\0\0\x80\x3f";

fn write(folder: &tempfile::TempDir, records: &[Vec<u8>]) -> String {
    let file = path(folder, "in.tfrecord");
    let mut writer = FileWriter::create(&file).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    file
}

#[test]
fn a_bad_record_among_sequence_examples() {
    let folder = tempfile::tempdir().unwrap();
    let bad = [context(2), lists(b"\x1a\x03\x0a\x01\x80")].concat();
    let file = write(&folder, &[[context(1), lists(INT)].concat(), bad]);
    let (o, schema) = (path(&folder, "o.parquet"), path(&folder, "u.pbtxt"));
    std::fs::write(&schema, "feature { name: \"u\" type: INT }").unwrap();
    for args in [
        &["convert", &file, &o][..],
        &["schema", &file],
        &["schema", "--format", "pbtxt", &file],
        &["schema", "--validate", &schema, &file],
    ] {
        let error = tfxio(args).fails(1);
        assert!(
            error.contains("byte 46, record 1, byte of the record 29: ")
                && error.contains("not a tf.SequenceExample"),
            "{error}"
        );
        assert!(error.contains("`--as example`"), "{error}");
    }
    let head = tfxio(["head", &file]);
    assert_eq!(head.code, 1);
    assert!(head.out.contains("[[1]]") && head.err.contains("`--as example`"), "{}{}", head.out, head.err);
    tfxio(["convert", &file, &o, "--as", "example"]).ok();
    assert_eq!(tfxio(["head", &file, "--as", "example"]).ok(), "u\n─\n1\n2\n");
}

#[test]
fn a_feature_list_of_several_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let records = [[context(1), lists(INT)].concat(), [context(2), lists(FLOAT)].concat()];
    let file = write(&folder, &records);
    let o = path(&folder, "o.parquet");
    for args in [&["convert", &file, &o][..], &["schema", "--format", "pbtxt", &file]] {
        let error = tfxio(args).fails(1);
        assert!(error.contains("byte 46, record 1, ") && error.contains("it holds an int64_list"), "{error}");
        assert!(error.contains("`--as example`"), "{error}");
    }
    let schema = tfxio(["schema", &file]);
    assert_eq!(schema.code, 1);
    assert!(schema.out.contains("float_list 1, int64_list 1"), "{}", schema.out);
    tfxio(["convert", &file, &o, "--columns", "u"]).ok();
    tfxio(["convert", &file, &o, "--as", "example"]).ok();
    assert_eq!(tfxio(["head", &file, "--columns", "u"]).ok(), "u\n─\n1\n2\n");
}

#[test]
fn feature_lists_after_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder, &[context(1), context(2), [context(3), lists(INT)].concat()]);
    let o = path(&folder, "o.parquet");
    let error = tfxio(["convert", &file, &o, "--infer-records", "2"]).fails(1);
    assert!(
        error.contains("byte 60, record 2: ") && error.contains("the record has feature lists"),
        "{error}"
    );
    assert_eq!(names(&folder), ["in.tfrecord"]);
    tfxio(["convert", &file, &o]).ok();
    tfxio(["convert", &file, &o, "--infer-records", "2", "--as", "example"]).ok();
}

#[test]
fn records_of_another_message() {
    let folder = tempfile::tempdir().unwrap();
    // An event, and statistics.
    for record in [b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x07".to_vec(), b"\x0a\x06\x10\x05\x1a\x02\x08\x01".to_vec()]
    {
        let file = write(&folder, &[record]);
        let outputs = ["o.parquet", "o.avro", "o.arrow"].map(|name| path(&folder, name));
        let mut runs =
            vec![vec!["head", &file], vec!["schema", &file], vec!["schema", "--format", "json", &file]];
        runs.extend(outputs.iter().map(|output| vec!["convert", &file, output]));
        for args in runs {
            let error = tfxio(args).fails(1);
            assert!(error.contains("the record is not a tf.Example: no feature comes from its "), "{error}");
            assert!(error.contains("`--as example`"), "{error}");
        }
        assert_eq!(names(&folder), ["in.tfrecord"]);
        // As they are, or as what they are said to be.
        let copy = path(&folder, "copy.tfrecord");
        tfxio(["convert", &file, &copy]).ok();
        assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&file).unwrap());
        std::fs::remove_file(&copy).unwrap();
        assert_eq!(tfxio(["head", &file, "--as", "example"]).ok(), "1 record without columns\n");
        tfxio(["inspect", &file]).ok();
    }
}

#[test]
fn a_feature_of_several_kinds() {
    let named = |name: u8, feature: &[u8]| {
        let length = feature.len() as u8;
        [&[0x0a, length + 7, 0x0a, length + 5, 0x0a, 1, name, 0x12, length][..], feature].concat()
    };
    let folder = tempfile::tempdir().unwrap();
    let file =
        write(&folder, &[[context(1), named(b'n', INT)].concat(), [context(2), named(b'n', FLOAT)].concat()]);
    let note = format!(
        "error: {file}, byte 44, record 1, column \"n\": the value is a float_list, in {file}, byte 0, record 0 it is an \
         int64_list; a column can hold only one\n"
    );
    let table = tfxio(["schema", &file]);
    assert_eq!((table.code, table.err.as_str()), (1, note.as_str()));
    assert_eq!(
        table.out,
        "\
column  kind        kinds                       values  present  Arrow
──────  ──────────  ──────────────────────────  ──────  ───────  ─────────────────
n       mixed       float_list 1, int64_list 1       1  all
u       int64_list                                   1  all      large_list<int64>
2 records of 1 file
"
    );
    let rows = tfxio(["schema", "--format", "json", &file]);
    assert_eq!((rows.code, rows.err.as_str()), (1, note.as_str()));
    assert_eq!(
        json_lines(&rows.out)[0],
        json!({"name": "n", "kind": "mixed", "arrow": null, "kinds": {"float_list": 1, "int64_list": 1}, "present": 2,
               "records": 2, "values": 2, "min_values": 1, "max_values": 1})
    );
    let o = path(&folder, "o.parquet");
    for args in [
        &["convert", &file, &o][..],
        &["schema", "--format", "arrow", &file],
        &["schema", "--format", "pbtxt", &file],
    ] {
        assert_eq!(tfxio(args).fails(1), note.trim_end());
    }
    assert_eq!(tfxio(["head", &file, "--columns", "u"]).ok(), "u\n─\n1\n2\n");
    tfxio(["convert", &file, &o, "--columns", "u"]).ok();
    assert_eq!(tfxio(["head", &file, "--columns", "n"]).code, 1);
    let error = tfxio(["convert", &file, &o, "--columns", "u,n"]).fails(1);
    assert_eq!(error, note.trim_end());
}

#[test]
fn a_file_that_lost_records_beside_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    let whole = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    std::fs::write(&file, &whole).unwrap();
    tfxio(["index", &file]).ok();
    let all = [
        vec!["schema".to_owned(), file.clone()],
        vec!["head".to_owned(), file.clone()],
        vec!["convert".to_owned(), file.clone(), path(&folder, "o.parquet")],
        vec!["convert".to_owned(), file.clone(), path(&folder, "o.tfrecord")],
        vec!["tensors".to_owned(), file.clone(), "--specs".to_owned(), {
            let specs = path(&folder, "specs.json");
            std::fs::write(&specs, r#"{"label": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#)
                .unwrap();
            specs
        }],
    ];
    for args in &all {
        assert_eq!(tfxio(args).code, 0);
    }
    // Cut between two records.
    let index = tfxio::tfrecord_io::Index::open(&file).unwrap();
    let end = usize::try_from(index.offset(300).unwrap()).unwrap();
    std::fs::write(&file, &whole[..end]).unwrap();
    let what = format!("the file has {end} bytes; it had {} when it was indexed", whole.len());
    for args in &all {
        let run = tfxio(args);
        assert_eq!(run.code, 1, "{args:?}");
        assert!(run.err.contains(&what) && run.err.contains("--no-index"), "{}", run.err);
        assert_eq!(tfxio(args.iter().map(String::as_str).chain(["--no-index"])).code, 0);
    }
    let run = tfxio(["inspect", &file]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("300") && run.out.contains("not as indexed"), "{}", run.out);
    assert!(run.err.contains(&what), "{}", run.err);
    tfxio(["inspect", "--no-index", &file]).ok();
    // Of the same size, with other records in it.
    let mut other = Vec::new();
    let sizes = [whole.len() - 32, 0];
    sizes.iter().for_each(|size| tfxio::tfrecord_io::frame::append(&mut other, &vec![7; *size]));
    assert_eq!(other.len(), whole.len());
    std::fs::write(&file, &other).unwrap();
    let run = tfxio(["inspect", &file]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("the file has 2 records, and 599 were indexed"), "{}", run.err);
}
