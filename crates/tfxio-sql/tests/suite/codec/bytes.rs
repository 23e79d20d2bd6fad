//! Bytes that were truncated or changed, or that declare impossible values.

use datafusion::physical_plan::collect;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use serde_json::{Value, json};
use tfxio_sql::TfxioCodec;

use crate::codec::{decode, digits, encode, plan, text, with_table, worker};

#[tokio::test]
async fn bytes_that_were_cut_or_changed_are_refused() {
    let context = with_table(digits(), 2);
    let codec = TfxioCodec::new();
    let bytes = encode(&codec, &plan(&context, "select id from t where label = 7").await).unwrap();
    assert!(decode(&codec, &bytes).is_ok());
    for end in 0..bytes.len() {
        let error = text(&decode(&codec, &bytes[..end]).unwrap_err());
        assert!(
            error.contains("the bytes do not begin as a scan") || error.contains("was cut"),
            "{end}: {error}"
        );
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(decode(&codec, &changed).is_err(), "byte {at}");
        }
    }
    let changed = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        text(&decode(&codec, &changed).unwrap_err())
    };
    assert_eq!(
        changed(0),
        "the bytes do not begin as a scan of tfxio does; decode with the same codecs in the same order \
         that encoded the plan"
    );
    assert_eq!(
        changed(9),
        "the scan was written by version 257 of the codec, and this is version 1; run the same version of tfxio-sql on all \
         machines"
    );
    assert_eq!(
        changed(bytes.len() - 1),
        "the scan was changed on its way: its checksum does not match; send it again"
    );
    assert_eq!(
        text(&decode(&codec, &bytes[..20]).unwrap_err()),
        "the scan was cut: it has 20 bytes, and its head alone 23; send it again"
    );
    let mut joined = bytes.clone();
    joined.push(b' ');
    let error = text(&decode(&codec, &joined).unwrap_err());
    assert!(error.starts_with("the scan was cut or joined: it has "), "{error}");
}

/// A message as the codec writes it.
fn sealed(message: &Value) -> Vec<u8> {
    sealed_text(message.to_string().as_bytes())
}

fn sealed_text(text: &[u8]) -> Vec<u8> {
    let mut bytes = b"tfxioSQL\x01\x00\x01".to_vec();
    bytes.extend(crc32fast::hash(text).to_le_bytes());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    bytes
}

/// The message of a scan of the labels of the digits.
async fn message() -> Value {
    let context = with_table(digits(), 2);
    let bytes = encode(&TfxioCodec::new(), &plan(&context, "select label from t").await).unwrap();
    serde_json::from_slice(&bytes[23..]).unwrap()
}

#[tokio::test]
async fn a_message_that_says_what_cannot_be_is_refused() {
    let message = message().await;
    let codec = TfxioCodec::new();
    assert!(decode(&codec, &sealed(&message)).is_ok());
    let with = |pointer: &str, value: Value| {
        let mut message = message.clone();
        *message.pointer_mut(pointer).expect(pointer) = value;
        text(&decode(&codec, &sealed(&message)).unwrap_err())
    };
    let cases = [
        ("", json!({}), "the scan cannot be read: missing field"),
        ("", json!([]), "the scan cannot be read: "),
        ("/threads", json!(-1), "the scan cannot be read: invalid value"),
        ("/fetch", json!(1.5), "the scan cannot be read: invalid type"),
        ("/dataset/format", json!("tfrecor"), r#"there is no format of files "tfrecor""#),
        ("/dataset/options", json!({"shema": {"text": "x"}}), "the scan cannot be read: "),
        ("/columns/0/whole/column", json!("lable"), r#"the data set has no column "lable""#),
        ("/columns/0", json!({"virtual": {"column": "_x", "name": "x"}}), r#"rows do not know their "_x""#),
        (
            "/columns/0",
            json!({"nested": {"column": "label", "fields": ["a", "b"], "name": "x"}}),
            r#"the column "label" has no field "a.b" within structs"#,
        ),
        (
            "/columns/0",
            json!({"nested": {"column": "label", "fields": [], "name": "x"}}),
            r#"the column "label" has no field "" within structs"#,
        ),
        ("/sizes", json!([]), "the partitions of the scan and what is known of them do not fit"),
        ("/sizes/0", json!([]), "the partitions of the scan and what is known of them do not fit"),
        ("/filter", json!({"and": [{"not": 1}]}), "the scan cannot be read: "),
    ];
    for (pointer, value, expected) in cases {
        let found = with(pointer, value);
        assert!(found.starts_with(expected), "{pointer}: {found}");
    }
    // An option that the format does not have.
    let mut options = message.clone();
    options["dataset"]["options"] = json!({"shema": "x"});
    let found = text(&decode(&codec, &sealed(&options)).unwrap_err());
    assert!(found.contains(r#"no option "shema""#), "{found}");
    // As deep as one likes.
    let deep = format!(r#"{{"filter":{}"#, r#"{"not":"#.repeat(100_000));
    let found = text(&decode(&codec, &sealed_text(deep.as_bytes())).unwrap_err());
    assert!(found.contains("recursion limit exceeded"), "{found}");
    assert!(text(&decode(&codec, &sealed_text(b"\xff")).unwrap_err()).starts_with("the scan cannot be read"));
}

#[tokio::test]
async fn numbers_are_claims() {
    let mut message = message().await;
    message["threads"] = json!(u32::MAX);
    message["fetch"] = json!(u64::MAX);
    let file = message["dataset"]["files"][0].clone();
    message["partitions"][0] =
        json!([{"file": file, "start": u64::MAX, "end": 0, "skip": u64::MAX, "records": u64::MAX}]);
    message["sizes"][0] = json!([[{"exact": u64::MAX}, {"bound": u64::MAX}]]);
    let after = decode(&TfxioCodec::new(), &sealed(&message)).unwrap();
    assert!(StatisticsContext::default().compute(&*after, &StatisticsArgs::default()).is_ok());
    let error = text(&collect(after, worker().task_ctx()).await.unwrap_err());
    assert!(error.contains("the file ends before record 0"), "{error}");
    message["partitions"][0][0]["file"] = json!("/etc/passwd");
    let error = text(&decode(&TfxioCodec::new(), &sealed(&message)).unwrap_err());
    assert!(error.starts_with("the partition /etc/passwd[18446744073709551615..0]"), "{error}");
    assert!(error.contains("is not of the data set of the scan"), "{error}");
}
