//! Key expressions of any text: what can be read, written again, reads the same; an error points into the text; and what
//! fits the schema runs.

use avro_path::datum::write;
use avro_path::{ErrorKind, Key, KeyProgram, Kind, AvroSchema};
use tfxio_core::Origin;

const SCHEMA: &str = r#"{"type": "record", "name": "com.test.person", "fields": [
    {"name": "name", "type": {"type": "record", "name": "name", "fields": [
        {"name": "first", "type": "string"}, {"name": "last", "type": ["null", "string"]}]}},
    {"name": "age", "type": ["null", "int", "double"]},
    {"name": "scores", "type": {"type": "array", "items": {"type": "array", "items": "long"}}},
    {"name": "cars", "type": {"type": "map", "values": ["null", {"type": "record", "name": "car", "fields": [
        {"name": "color", "type": "string"}, {"name": "is red", "type": "boolean"}]}]}},
    {"name": "friends", "type": {"type": "array", "items": "person"}}]}"#;

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let key = match Key::parse(&text) {
        Ok(key) => key,
        Err(error) => return points(&error, Some(Kind::KeySyntax), &text),
    };
    assert_eq!(key.text(), text);
    let printed = key.to_string();
    match Key::parse(&printed) {
        Ok(again) => {
            assert_eq!(again, key, "{text:?} {printed:?}");
            assert_eq!(again.to_string(), printed);
        }
        Err(error) => panic!("{text:?} is printed as {printed:?}: {error}"),
    }
    let Ok(schema) = AvroSchema::parse(SCHEMA) else { panic!("the schema is good") };
    let program = match KeyProgram::new(&schema, &[key]) {
        Ok(program) => program,
        Err(error) => return points(&error, Some(Kind::KeyType), &text),
    };
    let mut decoder = program.decoder();
    for friends in 0..3 {
        let mut datum = Vec::new();
        person(friends, &mut datum);
        if let Err(error) = decoder.push(&datum, Origin::record(0)) {
            panic!("a good datum was refused: {error}");
        }
        assert!(decoder.push(&datum[..datum.len() - 1], Origin::record(0)).is_err());
    }
    match decoder.flush() {
        Ok(batch) => assert_eq!(batch.num_rows(), 3),
        Err(error) => panic!("{error}"),
    }
}

fn points(error: &avro_path::Error, kind: Option<Kind>, text: &str) {
    assert!(error.detail().copied() == kind || error.is(ErrorKind::LimitExceeded), "{error}");
    let column = error.position().key_column.unwrap_or(1) as usize;
    assert!((1..=text.chars().count() + 1).contains(&column), "{error}");
}

fn person(friends: i64, out: &mut Vec<u8>) {
    write::string(out, "Ada");
    write::long(out, 1);
    write::string(out, "Ada");
    write::long(out, friends.min(2));
    match friends {
        0 => {}
        1 => write::long(out, 36),
        _ => write::double(out, 36.5),
    }
    // A list of 5 and -1 and an empty one, in a block of five bytes.
    out.extend_from_slice(&[3, 10, 4, 10, 1, 0, 0, 0]);
    write::long(out, 2);
    for (key, color) in [("a", "red"), ("b", "blue")] {
        write::string(out, key);
        write::long(out, 1);
        write::string(out, color);
        write::boolean(out, color == "red");
    }
    write::long(out, 0);
    if friends > 0 {
        write::long(out, friends);
        for _ in 0..friends {
            person(0, out);
        }
    }
    write::long(out, 0);
}

/// Returns examples of the language, and texts that are close to it.
pub fn seeds() -> Vec<Vec<u8>> {
    [
        "name.first",
        "@",
        "@ . age : int",
        "friends[*].name.last",
        "friends[-1].friends[0].name.first",
        "cars['a'].color",
        "cars[\"a\\\"\\n\"][*]",
        "cars[color = 'red' & 'is red' != false].color",
        "friends[name.first=@name.first].age:'double'",
        "friends [ age : int = 36 ] . name",
        "friends[scores[0][-1]=-5e0].name.first",
        "scores[*][*]",
        "'name'.'first'",
        "friends[null!=name.last].friends[true=@cars['a'].'is red'].name.first",
        "friends[*]:'com.test.person'.cars[*]:car.color",
        "friends[.name.first='Ada' & .'name'.last=null].name.first",
        "scores[.[0]=5][*]",
        "cars[~!='a' & color='red']~",
        "cars[*]~",
        "friends[age:int=36].name.first",
        "friends[age!=null & @age=36].name.first",
        "friends[.null=1 & .:int=2]",
        "größe[",
        "a..b",
        "[*]",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
