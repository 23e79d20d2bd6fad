//! Filters that are applied while data of Avro are decoded.

use proptest::prelude::*;
use tfxio_core::ScanRequest;
use tfxio_formats::DatasetExt as _;
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::{Codec, ContainerWriter};
use tfxio_formats::avro_path::datum::write;

use crate::test_files::{BOTH, TestFiles, container, plain};
use seam_laws::filters::{Asked, rows_are_those_of_decoding_all};

const NESTED: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "text", "type": "string"},
    {"name": "inner", "type": {"type": "record", "name": "inner", "fields": [
        {"name": "n", "type": "long"}, {"name": "size", "type": ["null", "double"]}, {"name": "bytes", "type": "bytes"}]}},
    {"name": "items", "type": {"type": "array", "items": {"type": "record", "name": "item", "fields": [
        {"name": "id", "type": "int"}, {"name": "name", "type": "string"}]}}}]}"#;

/// A record of [`NESTED`].
fn nested(n: i64, out: &mut Vec<u8>) {
    let spread = n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 33 & 0xffff;
    write::string(out, &format!("row {n}"));
    write::long(out, n);
    write::long(out, i64::from(spread % 5 != 0));
    if spread % 5 != 0 {
        out.extend_from_slice(&((spread % 100) as f64 / 4.0).to_le_bytes());
    }
    write::bytes(out, &vec![7; (spread % 40) as usize]);
    let items = spread % 4;
    if items > 0 {
        write::long(out, items);
        for item in 0..items {
            write::long(out, spread % 100 + item);
            write::string(out, &format!("item {item}"));
        }
    }
    write::long(out, 0);
}

fn nested_container(codec: Codec, numbers: std::ops::Range<i64>, block_bytes: usize) -> Vec<u8> {
    let builder = ContainerWriter::builder(Vec::new(), &AvroSchema::parse(NESTED).unwrap());
    let mut writer = builder.codec(codec).block_bytes(block_bytes).build().unwrap();
    for n in numbers {
        writer
            .write_with(|out| {
                nested(n, out);
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

/// Strategy of requests with a filter and chosen columns.
fn asked(filters: &'static [&'static str], columns: Vec<&'static str>) -> impl Strategy<Value = Asked> {
    let most = columns.len();
    let columns = prop::option::of(prop::sample::subsequence(columns, 0..=most));
    let limit = prop_oneof![2 => Just(None), 1 => (0u64..150).prop_map(Some)];
    (prop::sample::select(filters), columns, 1usize..300, limit, 200u64..9_000, 1usize..4).prop_map(
        |(filter, columns, batch_rows, limit, target, after)| {
            let filter = filter.parse().unwrap();
            Asked { filter, columns, batch_rows, limit, target, after }
        },
    )
}

fn codec() -> impl Strategy<Value = Codec> {
    prop_oneof![Just(Codec::Null), Just(Codec::Deflate)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn rows_of_nested_data_are_those_that_a_filter_leaves(
        codec in codec(),
        sizes in [0i64..200, 1i64..400],
        block_bytes in 1usize..9000,
        asked in asked(
            &[
                "inner.n < 50", "inner.size < 2.5", "inner.size is null", "not inner.size > 3", "items.id = 7",
                "items.id < 90", "items.name = 'item 2' and inner.n >= 100", "text = 'row 17' or items.id in (1, 2)",
                "inner is null", "inner.n >= 0", "inner.n < 0",
            ],
            vec!["text", "inner", "items"],
        ),
    ) {
        let [a, b] = sizes;
        let made = TestFiles::new()
            .file(0, &nested_container(codec, 0..a, block_bytes))
            .file(a, &nested_container(codec, a..a + b, block_bytes));
        rows_are_those_of_decoding_all(&made.open(plain()), &asked);
    }

    #[test]
    fn rows_of_other_schemas_and_of_keys_are_those_that_a_filter_leaves(
        codec in codec(),
        sizes in [0i64..100, 0i64..300, 1i64..120],
        block_bytes in 1usize..4000,
        has_keys: bool,
        asked in asked(&["n < 20", "n >= 30 and n < 200", "text = 'row 44'", "text is null or n = 7"], vec!["n", "text"]),
    ) {
        let [a, b, c] = sizes;
        let made = TestFiles::new()
            .file(0, &container(false, codec, 0..a, block_bytes))
            .file(a, &container(true, codec, a..a + b, block_bytes))
            .file(0, &container(false, codec, 0..0, block_bytes))
            .file(a + b, &container(false, codec, a + b..a + b + c, block_bytes));
        let options = plain().option("reader_schema", BOTH);
        let options =
            if has_keys { options.option("keys", vec!["text".to_owned(), "n".to_owned()]) } else { options };
        rows_are_those_of_decoding_all(&made.open(options), &asked);
    }
}

#[test]
fn records_that_a_filter_leaves_out_are_read_for_its_columns_only() {
    for at in [3, 201, 700] {
        let mut bytes = container(false, Codec::Null, 1000..2000, 1 << 20);
        let text = format!("row {}", 1000 + at);
        let text = bytes.windows(text.len()).position(|bytes| bytes == text.as_bytes()).unwrap();
        // Not UTF-8.
        bytes[text] = 0xff;
        let made = TestFiles::new().file(0, &bytes);
        let dataset = made.open(plain());
        let count = |filter: &str| {
            let request = ScanRequest::new().filter(filter.parse().unwrap()).batch_rows(256);
            dataset
                .read(request)
                .unwrap()
                .map(|batch| Ok(batch?.num_rows()))
                .sum::<Result<usize, tfxio_formats::Error>>()
        };
        let n = 1000 + at;
        assert_eq!(count(&format!("n = {}", n + 1)).unwrap(), 1);
        assert_eq!(count(&format!("n != {n}")).unwrap(), 999);
        for filter in [format!("n = {n}"), format!("n != {}", n + 1), "text = 'row'".to_owned()] {
            let error = count(&filter).unwrap_err();
            assert_eq!(error.position().record, Some(at), "{filter}: {error}");
        }
    }
}

#[test]
fn columns_that_a_filter_names_must_exist() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..10, 1000));
    let dataset = made.open(plain());
    let error = |filter: &str, columns: Option<&str>| {
        let mut request = ScanRequest::new().filter(filter.parse().unwrap());
        if let Some(columns) = columns {
            request = request.columns([columns]);
        }
        dataset.read(request).unwrap_err().to_string()
    };
    let unknown = "the filter names the column \"txt\", which does not exist; did you mean \"text\"?";
    assert_eq!(error("txt = 'a'", None), unknown);
    assert_eq!(error("txt = 'a'", Some("n")), "there is no column \"txt\"; did you mean \"text\"?");
    assert!(error("n = 'a'", Some("text")).contains("cannot be compared with 'a'"));
}
