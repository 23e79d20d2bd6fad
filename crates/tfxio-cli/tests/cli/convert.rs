//! `tfxio convert`: there and back, in place or not at all.

use std::fs::File;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::run::{json_lines, names, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";

/// Every row as JSON.
fn rows(file: &str) -> String {
    tfxio(["head", "-n", "100000", "--format", "json", file]).ok()
}

/// Returns the report of `inspect`, without the file's name.
fn inspected(file: &str) -> serde_json::Value {
    let mut report = json_lines(&tfxio(["inspect", "--json", file]).ok()).remove(0);
    report.as_object_mut().unwrap().remove("file");
    report
}

#[test]
fn there_and_back_gives_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let digits = rows(DIGITS);
    for (name, back) in [("d.parquet", "p.tfrecord"), ("d.arrow", "a.tfrecord.gz")] {
        let (between, back) = (path(&folder, name), path(&folder, back));
        tfxio(["convert", DIGITS, &between]).ok();
        tfxio(["convert", &between, &back]).ok();
        assert_eq!(rows(&back), digits, "{name}");
    }
    // And between the two.
    tfxio(["convert", &path(&folder, "d.parquet"), &path(&folder, "p.arrow")]).ok();
    tfxio(["convert", &path(&folder, "p.arrow"), &path(&folder, "pa.tfrecord.zlib")]).ok();
    assert_eq!(rows(&path(&folder, "pa.tfrecord.zlib")), digits);
    assert!(names(&folder).iter().all(|name| !name.ends_with(".tmp")));
}

#[test]
fn a_set_has_all_its_files_where_rows_are_few() {
    let folder = tempfile::tempdir().unwrap();
    let from = path(&folder, "few.csv");
    std::fs::write(&from, "n,word\n1,a\n2,b\n3,c\n4,d\n5,e\n").unwrap();
    for ending in ["parquet", "arrow", "arrows", "tfrecord", "csv", "jsonl"] {
        let set = path(&folder, &format!("few@7.{ending}"));
        let shard = |index: usize| path(&folder, &format!("few-0000{index}-of-00007.{ending}"));
        tfxio(["convert", &from, &set]).ok();
        let has_lists = ending == "tfrecord";
        let expected = (1..=5).zip(["a", "b", "c", "d", "e"]).map(|(n, word)| match has_lists {
            true => format!("{{\"n\": [{n}], \"word\": [\"{word}\"]}}\n"),
            false => format!("{{\"n\": {n}, \"word\": \"{word}\"}}\n"),
        });
        let expected = expected.collect::<Vec<_>>();
        assert_eq!(rows(&set), expected.concat(), "{ending}");
        for (index, row) in expected.iter().enumerate() {
            assert_eq!(rows(&shard(index)), *row, "{ending} {index}");
        }
        if ["parquet", "arrow", "arrows"].contains(&ending) {
            let columns = |file: &str| tfxio(["schema", file]).ok();
            assert_eq!(columns(&shard(6)), columns(&shard(0)), "a file without rows has the columns");
        }
    }
    // In turn, from all threads of the others, and with what the rows are chosen by.
    let set = path(&folder, "digits@5.parquet");
    tfxio(["convert", DIGITS, &set, "--where", "label = 7"]).ok();
    let whole = path(&folder, "digits.parquet");
    tfxio(["convert", DIGITS, &whole, "--where", "label = 7"]).ok();
    let expected = rows(&whole);
    for index in 0..5 {
        let of_file =
            expected.lines().skip(index).step_by(5).map(|line| format!("{line}\n")).collect::<String>();
        assert_eq!(rows(&path(&folder, &format!("digits-0000{index}-of-00005.parquet"))), of_file);
    }
    // All or none.
    let error = tfxio(["convert", DIGITS, &path(&folder, "no@3.parquet"), "--cast", "id:int64"]).fails(1);
    assert!(error.contains("record 0"), "{error}");
    assert!(names(&folder).iter().all(|name| !name.contains("no-") && !name.ends_with(".tmp")));
}

#[test]
fn records_are_copied_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    // These are text, not tf.Example.
    let from = "fixtures/tfrecord/six-records.tfrecord";
    let mut steps = vec![from.to_owned()];
    for name in ["a.tfrecord.gz", "b.tfrecord.zlib", "c.tfrecords"] {
        let next = path(&folder, name);
        tfxio(["convert", steps.last().unwrap(), &next]).ok();
        steps.push(next);
    }
    let compressions = steps.iter().map(|file| inspected(file)["compression"].clone()).collect::<Vec<_>>();
    assert_eq!(compressions, ["none", "gzip", "zlib", "none"]);
    assert!(
        steps.iter().all(|file| inspected(file)["crc32_of_payloads"] == inspected(from)["crc32_of_payloads"])
    );
    assert_eq!(std::fs::read(&steps[3]).unwrap(), std::fs::read(root().join(from)).unwrap());
}

#[test]
fn parquet_has_one_column_a_feature() {
    let folder = tempfile::tempdir().unwrap();
    for compression in ["none", "snappy", "gzip", "zstd"] {
        let file = path(&folder, "digits.parquet");
        let args =
            ["convert", "--columns", "label,image", "--parquet-compression", compression, DIGITS, &file];
        tfxio(args).ok();
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&file).unwrap()).unwrap();
        let column = builder.metadata().row_group(0).column(0).compression();
        let name = format!("{column:?}").to_lowercase();
        assert!(name.starts_with(if compression == "none" { "uncompressed" } else { compression }), "{name}");
        let fields = builder.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        assert_eq!(fields, ["label", "image"]);
        assert_eq!(builder.metadata().file_metadata().num_rows(), 1797);
    }
}

#[test]
fn columns_of_parquet_come_in_the_order_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (parquet, back) = (path(&folder, "d.parquet"), path(&folder, "d.arrow"));
    tfxio(["convert", DIGITS, &parquet]).ok();
    for input in [&parquet, &path(&folder, "all.arrow")] {
        tfxio(["convert", DIGITS, &path(&folder, "all.arrow")]).ok();
        tfxio(["convert", "--columns", "label,id", input, &back]).ok();
        let tfrecord = path(&folder, "d.tfrecord");
        tfxio(["convert", &back, &tfrecord]).ok();
        let row = json_lines(&tfxio(["head", "-n", "1", "--format", "json", &tfrecord]).ok()).remove(0);
        assert_eq!(row, serde_json::json!({"id": ["digit-0000"], "label": [0]}));
    }
    let error = tfxio(["convert", "--columns", "nix", &parquet, &back]).fails(2);
    assert_eq!(error, "error: there is no column \"nix\"; the columns are \"id\", \"image\", \"label\"");
}

#[test]
fn shards_get_a_record_each_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let shards = path(&folder, "d@4.tfrecord");
    tfxio(["convert", DIGITS, &shards]).ok();
    assert_eq!(
        names(&folder),
        (0..4).map(|index| format!("d-{index:05}-of-00004.tfrecord")).collect::<Vec<_>>()
    );
    let run = tfxio(["inspect", "--json", &shards]).ok();
    let records =
        json_lines(&run).iter().map(|report| report["records"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(records, [450, 449, 449, 449]);
}

#[test]
fn one_thread_and_many_write_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = |threads: &str| {
        let file = path(&folder, &format!("{threads}.arrow"));
        tfxio(["convert", "--threads", threads, DIGITS, &file]).ok();
        std::fs::read(file).unwrap()
    };
    assert_eq!(file("1"), file("4"));
}

#[test]
fn single_member_is_what_older_readers_need() {
    let folder = tempfile::tempdir().unwrap();
    let (one, many) = (path(&folder, "one.tfrecord.gz"), path(&folder, "many.tfrecord.gz"));
    // More than a mebibyte, so that there would be several members.
    let inputs =
        ["fixtures/digits/*.tfrecord", "fixtures/digits-gzip/*.tfrecord", "fixtures/digits-zlib/*.tfrecord"];
    tfxio(["convert", "--single-member"].iter().chain(&inputs).chain(&[one.as_str()])).ok();
    tfxio(["convert"].iter().chain(&inputs).chain(&[many.as_str()])).ok();
    assert_eq!(inspected(&one), inspected(&many));
    let members = |file: &str| {
        tfxio::tfrecord_io::compression::members::hop(File::open(file).unwrap())
            .unwrap()
            .map_or(0, |all| all.len())
    };
    assert_eq!((members(&one), members(&many)), (0, 2));
}

#[test]
fn an_output_that_exists_is_replaced_at_the_end_only() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "out.tfrecord");
    std::fs::write(&output, "old").unwrap();
    tfxio(["convert", "fixtures/damaged/cut-in-payload.tfrecord", &output]).fails(1);
    assert_eq!(std::fs::read(&output).unwrap(), b"old");
    assert_eq!(names(&folder), ["out.tfrecord"]);
    tfxio(["convert", "fixtures/tfrecord/six-records.tfrecord", &output]).ok();
    assert_eq!(inspected(&output)["records"], 6);
}

#[test]
fn an_input_is_never_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    std::fs::copy(root().join("fixtures/tfrecord/six-records.tfrecord"), &file).unwrap();
    let error = tfxio(["convert", "fixtures/tfrecord/mixed-sizes.tfrecord", &file, &file]).fails(2);
    assert_eq!(error, format!("error: {file}: the output is one of the inputs; write to another name"));
    assert_eq!(inspected(&file)["records"], 6);
}

#[test]
fn an_empty_input() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, parquet) = (path(&folder, "e.tfrecord.gz"), path(&folder, "e.parquet"));
    tfxio(["convert", "fixtures/tfrecord/empty.tfrecord", &copy]).ok();
    assert_eq!(inspected(&copy)["records"], 0);
    let error = tfxio(["convert", "fixtures/tfrecord/empty.tfrecord", &parquet]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {parquet}: there are no columns to write: the inputs have no records, or their records no features; name \
             the columns by a schema of TensorFlow Metadata, with --schema, or write Arrow, which needs none"
        )
    );
    let schema = path(&folder, "s.pbtxt");
    std::fs::write(&schema, "feature { name: 'a' type: INT }").unwrap();
    for to in [&parquet, &path(&folder, "e.csv")] {
        tfxio(["convert", "fixtures/tfrecord/empty.tfrecord", to, "--schema", &schema]).ok();
    }
    assert_eq!(std::fs::read_to_string(path(&folder, "e.csv")).unwrap(), "a\n");
    tfxio(["convert", "fixtures/tfrecord/empty.tfrecord", &path(&folder, "e.arrow")]).ok();
}

#[test]
fn a_schema_from_too_few_records() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (path(&folder, "in.tfrecord"), path(&folder, "out.parquet"));
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&input).unwrap();
    // a = [1]; then b = [1]; then a = ["x"]
    writer.write(b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01").unwrap();
    writer.write(b"\x0a\x0c\x0a\x0a\x0a\x01b\x12\x05\x1a\x03\x0a\x01\x01").unwrap();
    writer.write(b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x0a\x03\x0a\x01x").unwrap();
    writer.finish().unwrap();
    let error = tfxio(["convert", "--infer-records", "1", &input, &output]).fails(1);
    assert_eq!(
        error,
        format!(
            "error: {input}, byte 30, record 1, column \"b\": the feature is not in the schema, which was inferred from \
             other records; infer it from more of them, or give a schema"
        )
    );
    let error = tfxio(["convert", &input, &output]).fails(1);
    assert!(error.contains("byte 60, record 2, column \"a\"") && error.contains("int64_list"), "{error}");
    assert_eq!(names(&folder), ["in.tfrecord"]);
}

#[test]
fn columns_are_named_by_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let (all, some) = (path(&folder, "all.parquet"), path(&folder, "some.jsonl"));
    tfxio(["convert", DIGITS, &all]).ok();
    let keys = |columns: &str, input: &str| {
        tfxio(["convert", "--columns", columns, "-n", "1", input, &some]).ok();
        let line = std::fs::read_to_string(&some).unwrap();
        let at = |key: &str| line.find(&format!("\"{key}\":"));
        let mut found =
            ["id", "image", "label"].into_iter().filter(|key| at(key).is_some()).collect::<Vec<_>>();
        found.sort_by_key(|key| at(key));
        found.join(",")
    };
    for input in [DIGITS, &all] {
        assert_eq!(keys("i*", input), "id,image");
        // What is named by itself stands where it is named.
        assert_eq!(keys("i*,id", input), "image,id");
        assert_eq!(keys("label,*", input), "label,id,image");
        assert_eq!(keys("??", input), "id");
        let error = tfxio(["convert", "--columns", "labl*", input, &some]).fails(2);
        assert_eq!(error, "error: no column matches \"labl*\"; did you mean \"label\"?");
        // The same as of commands that show rows.
        assert!(tfxio(["head", "--columns", "labl*", input]).fails(2).starts_with(&error));
    }
    assert_eq!(
        {
            tfxio(["convert", "--columns", "i*", "--exclude", "im*", DIGITS, &some]).ok();
            json_lines(&std::fs::read_to_string(&some).unwrap()).remove(0)
        },
        serde_json::json!({"id": ["digit-0000"]})
    );
}
