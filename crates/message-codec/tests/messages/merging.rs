//! Fields that come more often than once.

use message_codec::Origin;

use crate::render::text;
use crate::test_data::{builder, decode, decoder, plain};

#[test]
fn the_last_scalar_wins_and_messages_merge() {
    let source = r#"syntax = "proto3";
        message In { int32 a = 1; optional string b = 2; repeated int32 c = 3; }
        message M { optional string s = 1; In in = 2; }"#;
    let record = b"\x0a\x03one\x12\x04\x08\x01\x18\x05\x0a\x01t\x12\x05\x12\x01x\x18\x06\x12\x02\x08\x02";
    assert_eq!(
        text(&decode(plain(source), &[record]).unwrap()),
        "{in: {a: 2, b: \"x\", c: [5 6]}, s: \"t\"}"
    );
    assert_eq!(
        text(&decode(builder(source), &[record]).unwrap()),
        "{in: [{a: [2], b: [\"x\"], c: [5 6]}], s: [\"t\"]}"
    );
}

#[test]
fn the_last_member_of_a_oneof_wins_also_where_it_is_not_read() {
    let source = r#"syntax = "proto3";
        message In { repeated int32 a = 1; }
        message M { oneof o { int32 n = 1; In in = 2; string s = 3; } int32 after = 4; }"#;
    let [message, again, number, string]: [&[u8]; 4] =
        [b"\x12\x02\x08\x07", b"\x12\x02\x08\x08", b"\x08\x05", b"\x1a\x01s"];
    let record = |parts: &[&[u8]]| parts.concat();
    let show = |record: &[u8]| text(&decode(plain(source), &[record]).unwrap());
    assert_eq!(show(&record(&[number, message, again])), "{after: 0, in: {a: [7 8]}, n: null, s: null}");
    assert_eq!(show(&record(&[message, number, again])), "{after: 0, in: {a: [8]}, n: null, s: null}");
    assert_eq!(show(&record(&[message, string])), "{after: 0, in: null, n: null, s: \"s\"}");
    let some = decode(plain(source).columns(["n"]), &[&record(&[number, string])]).unwrap();
    assert_eq!(text(&some), "{n: null}");
}

#[test]
fn the_last_entry_of_a_key_wins() {
    let source =
        r#"syntax = "proto3"; message M { map<int32, string> few = 1; map<string, int32> many = 2; }"#;
    let mut record =
        b"\x0a\x05\x08\x01\x12\x01a\x0a\x05\x08\x02\x12\x01b\x0a\x05\x08\x01\x12\x01c\x0a\x00".to_vec();
    for key in (0..20).chain([3]) {
        record.extend([0x12, 5, 0x0a, 1, b'a' + key, 0x10, record.len() as u8 & 0x7f]);
    }
    let batch = decode(plain(source), &[b"", &record, b"\x0a\x05\x08\x01\x12\x01z"]).unwrap();
    let rows = text(&batch);
    let rows = rows.lines().collect::<Vec<_>>();
    assert_eq!(rows[0], "{few: [], many: []}");
    assert!(
        rows[1].starts_with(
            "{few: [{key: 2, value: \"b\"} {key: 1, value: \"c\"} {key: 0, value: \"\"}], many: [{key: \"a\""
        ),
        "{}",
        rows[1]
    );
    assert_eq!(rows[1].matches("key: \"d\"").count(), 1);
    assert!(rows[1].ends_with("{key: \"d\", value: 35}]}"), "{}", rows[1]);
    assert_eq!(rows[2], "{few: [{key: 1, value: \"z\"}], many: []}");
    // The key is needed, whether or not it is a column.
    let values =
        decode(builder(source).columns([message_codec::ColumnPath::new(["few", "value"])]), &[&record]);
    assert_eq!(text(&values.unwrap()), "{few: [{value: [\"b\"]} {value: [\"c\"]} {value: [\"\"]}]}");
}

#[test]
fn required_fields_may_come_in_parts() {
    let source = r#"syntax = "proto2";
        message In { required int32 a = 1; required int32 b = 2; }
        message M { oneof o { In in = 1; int32 n = 2; } repeated In more = 3; map<int32, In> map = 4; }"#;
    let show = |record: &[u8]| decode(plain(source), &[record]).map(|batch| text(&batch));
    assert_eq!(
        show(b"\x0a\x02\x08\x01\x0a\x02\x10\x02").unwrap(),
        "{in: {a: 1, b: 2}, map: [], more: [], n: null}"
    );
    // A member that another one has replaced is not looked at.
    assert_eq!(show(b"\x0a\x02\x08\x01\x10\x05").unwrap(), "{in: null, map: [], more: [], n: 5}");
    let of = |record: &[u8]| show(record).unwrap_err().to_string();
    let help = "a required field is absent; read with a descriptor in which it is optional";
    assert_eq!(of(b"\x0a\x02\x08\x01"), format!("record 0, at in.b: {help}"));
    assert_eq!(of(b"\x1a\x02\x10\x01"), format!("record 0, at more.a: {help}"));
    assert_eq!(of(b"\x22\x02\x08\x01"), format!("record 0, at map.value.a: {help}"));
}

#[test]
fn a_required_field_is_looked_for_in_every_row() {
    let source = r#"syntax = "proto2";
        message R { required int32 x = 1; optional int32 y = 2; }
        message In { repeated R r = 1; }
        message M { repeated R r = 1; oneof o { In in = 2; int32 n = 3; } repeated In more = 4; }"#;
    let absent = |path: &str| {
        format!(
            "record 0, at {path}: a required field is absent; read with a descriptor in which it is optional"
        )
    };
    for builder in [plain, builder] {
        let show = |record: &[u8]| decode(builder(source), &[record]).map(|batch| batch.num_rows());
        let of = |record: &[u8]| show(record).unwrap_err().to_string();
        // The second r has x, the first one has not.
        assert_eq!(of(b"\x0a\x00\x0a\x02\x08\x01"), absent("r.x"));
        assert_eq!(of(b"\x0a\x02\x08\x01\x0a\x02\x10\x01\x0a\x02\x08\x01"), absent("r.x"));
        assert_eq!(of(b"\x22\x02\x0a\x00\x22\x04\x0a\x02\x08\x01"), absent("more.r.x"));
        assert_eq!(show(b"\x0a\x02\x08\x01\x0a\x02\x08\x01").unwrap(), 1);
        // All that was in a member that another one has replaced does not count; what stays does.
        let gone = b"\x12\x06\x0a\x00\x0a\x02\x08\x01\x18\x05";
        assert_eq!(show(gone).unwrap(), 1);
        assert_eq!(of(&[gone.as_slice(), b"\x12\x02\x0a\x00"].concat()), absent("in.r.x"));
        assert_eq!(of(&[b"\x0a\x00".as_slice(), gone].concat()), absent("r.x"));
        // A record is not to blame for the one before it.
        let mut decoder = decoder(builder(source));
        decoder.push(b"\x0a\x00", Origin::record(0)).unwrap_err();
        decoder.push(b"\x0a\x02\x08\x01", Origin::record(1)).unwrap();
        decoder.push(gone, Origin::record(2)).unwrap();
        assert_eq!(decoder.flush().unwrap().num_rows(), 2);
    }
}

#[test]
fn a_refused_record_leaves_the_rows_before_it() {
    let source = r#"syntax = "proto3";
        message In { repeated string a = 1; oneof o { string b = 2; In in = 3; } }
        message M { repeated In in = 1; string s = 2; map<string, In> m = 3; repeated fixed32 f = 4; }"#;
    let good: &[u8] =
        b"\x0a\x06\x0a\x01x\x12\x01y\x12\x01s\x1a\x07\x0a\x01k\x12\x02\x1a\x00\x22\x04\x01\x00\x00\x00";
    let mut decoder = decoder(plain(source).max_depth(1));
    for index in 0..3 {
        decoder.push(good, Origin::record(index)).unwrap();
        let tails: [&[u8]; 5] = [
            b"\x07",
            b"\x0a\x06\x0a\x01x\x12\x01\xff",
            b"\x22\x03\x01\x00\x00",
            b"\x1a\x07\x0a\x01k\x12\x02\x1a\x05",
            b"\x12\x05x",
        ];
        for tail in tails {
            decoder.push(&[good, tail].concat(), Origin::record(index)).unwrap_err();
        }
    }
    let batch = decoder.flush().unwrap();
    assert_eq!(batch, decode(plain(source).max_depth(1), &[good; 3]).unwrap());
    assert_eq!(decoder.flush().unwrap().num_rows(), 0);
}
