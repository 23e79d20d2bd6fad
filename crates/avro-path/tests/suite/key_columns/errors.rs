//! Errors: keys that do not fit the schema, and data that do not.

use avro_path::{AvroSchema, Key, KeyProgram, Kind};
use serde_json::json;
use tfxio_core::Origin;

use crate::key_columns::person;

fn schema() -> AvroSchema {
    let branch = |space: &str| json!({"type": "record", "name": "t", "namespace": space, "fields": [{"name": "v", "type": "int"}]});
    let item = json!({"type": "record", "name": "item", "fields": [
        {"name": "i", "type": "int"}, {"name": "f", "type": "float"}, {"name": "s", "type": "string"},
        {"name": "u", "type": ["int", "string"]}, {"name": "n", "type": "null"},
        {"name": "l", "type": {"type": "array", "items": "int"}}]});
    let fields = json!([
        {"name": "a", "type": {"type": "array", "items": item}},
        {"name": "m", "type": {"type": "map", "values": "int"}},
        {"name": "u", "type": ["null", branch("x"), branch("y"), "int"]},
        {"name": "s", "type": "string"}
    ]);
    let text = json!({"type": "record", "name": "root", "namespace": "n", "fields": fields}).to_string();
    AvroSchema::parse(&text).unwrap()
}

#[test]
fn keys_that_do_not_fit() {
    for (key, column, what) in [
        ("b", 1, "no field \"b\" in record n.root; the fields are \"a\", \"m\", \"u\", \"s\""),
        (
            "something",
            1,
            "no field \"something\" in record n.root; the fields are \"a\", \"m\", \"u\", \"s\"",
        ),
        ("s.x", 3, "no field \"x\" in string"),
        ("m[0]", 2, "an index into a map of int; the key of a map is a text in quotes"),
        (
            "a['k']",
            2,
            "a map key for an array of record n.item; an element is named by its index, without quotes; \
             those that are equal to a text by [.='…']",
        ),
        (
            "@[*]",
            2,
            "brackets after record n.root; a field is named after a point, an array or a map needs the brackets",
        ),
        ("m", 1, "the path ends at map of int; go on to one of its values with ['key'] or to all with [*]"),
        (
            "a",
            1,
            "the path ends at array of record n.item; go on to one of its elements with [0] or to all with [*]",
        ),
        (
            "a[0].u",
            6,
            "the values are of different types: a union of int and string; name a branch before going on: :int, :string",
        ),
        (
            "u.v",
            3,
            "the value is a union of null, x.t, y.t and int; name a branch before going on: :'x.t', :'y.t', :int",
        ),
        (
            "u:t.v",
            3,
            "\"t\" is the short name of several branches; write one of the full names 'x.t' and 'y.t', with the quotes",
        ),
        (
            "u:log",
            3,
            "no branch \"log\" in the union of null, x.t, y.t and int; the branches are \"null\", \"x.t\", \"y.t\", \"int\"",
        ),
        ("s:int", 3, "no branch \"int\": the value is always of type string"),
        (
            "a['x'='x'].i",
            3,
            "two constants are compared; one side has to be a path; a field of that name is written .'name'",
        ),
        ("a[s=i].i", 5, "a string is compared with an integer; only values of equal types are compared"),
        ("a[i=f].i", 5, "an integer is compared with a float; only values of equal types are compared"),
        ("a[f=1].i", 5, "a float is compared with an integer; write the number with a point, as in 1.0"),
        ("a[1=f].i", 5, "an integer is compared with a float; write the number with a point, as in 1.0"),
        ("a[s=1].i", 5, "a string is compared with an integer; a text stands in quotes"),
        ("a[i=true].i", 5, "an integer is compared with a boolean; only values of equal types are compared"),
        ("a[n=s].i", 5, "null is compared with a string; null equals nothing but the constant null"),
        (
            "a[s=t].i",
            5,
            "no field \"t\" in record n.item; a text needs quotes, and the shell its own around the key: \"[…='t']\"",
        ),
        ("a[s=@t].i", 6, "no field \"t\" in record n.root; the fields are \"a\", \"m\", \"u\", \"s\""),
        (
            "a[l=null].i",
            3,
            "the path ends at array of int; go on to one of its elements with [0] or to all with [*]",
        ),
        (
            "a[u=1.5].i",
            3,
            "a float is compared with a union of int and string; none of its branches can be equal to it",
        ),
        (
            "a[u=@a[0].u].i",
            3,
            "the values are of different types: a union of int and string; name a branch before going on: :int, :string",
        ),
        (
            "a[u:long=1].i",
            5,
            "no branch \"long\" in the union of int and string; the branches are \"int\", \"string\"",
        ),
        ("a[u:string=1].i", 12, "a string is compared with an integer; a text stands in quotes"),
        ("a[*]~", 5, "the keys of an array of record n.item; only the entries of a map have keys"),
        ("a[~='k'].i", 3, "the keys of an array of record n.item; only the entries of a map have keys"),
        ("m[~=1]", 5, "a string is compared with an integer; a text stands in quotes"),
        (
            "a[.='k'].i",
            3,
            "the path ends at record n.item; a column needs a single value: go on to one of its fields \"i\", \"f\", \"s\", \"u\", \"n\", \"l\"",
        ),
    ] {
        let key = Key::parse(key).unwrap();
        let error = KeyProgram::new(&schema(), std::slice::from_ref(&key)).unwrap_err();
        assert_eq!(error.to_string(), format!("key {:?}, column {column}: {what}", key.text()));
        assert_eq!(error.detail(), Some(&Kind::KeyType));
    }
}

/// Likely first attempts, and their errors. In the first, the shell has removed the quotes.
#[test]
fn the_mistakes_that_people_make_first() {
    let equal = "a filter tests with = or !=, and several tests are joined by & alone";
    let element = "the element itself is written \".\", as in tags[.='a']";
    for (key, column, what) in [
        (
            "friends[gender=unknown].age",
            16,
            "no field \"unknown\" in record com.test.person; a text needs quotes, and the shell its own around the key: \"[…='unknown']\"".to_owned(),
        ),
        (
            "friends[gender=gendr].age",
            16,
            "no field \"gendr\" in record com.test.person; did you mean \"gender\"? a text needs quotes, and the shell its own around the key: \"[…='gendr']\"".to_owned(),
        ),
        ("friends[age>30].age", 12, format!("the character '>' means nothing here; {equal}")),
        ("friends[age<=30].age", 12, format!("the character '<' means nothing here; {equal}")),
        ("friends[age=1 | age=2].age", 15, format!("the character '|' means nothing here; {equal}")),
        (
            "friends[age=1 or age=2].age",
            15,
            "expected \"&\" or \"]\", found the name \"or\"; several tests are joined by & alone: [a=b&b=c]".to_owned(),
        ),
        (
            "friends[age=1 && age=2].age",
            16,
            "expected a path or a constant, found \"&\"; one & joins two tests".to_owned(),
        ),
        (
            "friends[gender='m'][age=40].age",
            20,
            "a second filter after record com.test.person; several tests are joined by &: [a='x'&b='y']".to_owned(),
        ),
        (
            "friends[gender=='m'].age",
            16,
            "expected a path or a constant, found \"=\"; one = is enough".to_owned(),
        ),
        (
            "friends[gender].age",
            15,
            "expected \"=\" or \"!=\", found \"]\"; of an array, a filter names some elements: [gender='…']; of a map, a key in quotes one value: ['gender']".to_owned(),
        ),
        (
            "friends[*].w",
            12,
            "no field \"w\" in record com.test.person; the fields are \"name\", \"gender\", \"age\", \"address\", \"friends\", \"jobs\", \"car\", \"cars\", \"contact\"".to_owned(),
        ),
        ("friends[='a'].age", 9, format!("expected a path or a constant, found \"=\"; {element}")),
        ("friends[@='a'].age", 10, format!("expected a name, found \"=\"; @ is the root; {element}")),
        ("friends[*='a'].age", 10, format!("expected \"]\", found \"=\"; {element}")),
        ("cars[*].color~", 14, "expected \".\", \"[\", \":\" or the end, found \"~\"; ~ stands after [*] or a filter, for the keys of a map: cars[*]~".to_owned()),
        ("cars[~]", 7, "expected \"=\" or \"!=\", found \"]\"; ~ stands after the brackets where the keys of a map are a column: cars[*]~".to_owned()),
        ("cars[*]~.color", 9, "expected the end, found \".\"; nothing follows ~: the key of a map is a text".to_owned()),
        ("cars[color~='red']", 11, "expected \"=\" or \"!=\", found \"~\"; ~ by itself is the key of a map's entry".to_owned()),
        ("friends[..name.first='a']", 10, format!("expected \"=\" or \"!=\", found \".\"; {element}")),
        ("friends[age=.5]", 14, "expected \"&\" or \"]\", found the number 5; a number begins with a digit, as in 0.5".to_owned()),
        ("friends['name'='Bo'].age", 9, "two constants are compared; one side has to be a path; a field of that name is written .'name'".to_owned()),
    ] {
        let error = Key::parse(key).and_then(|key| KeyProgram::new(&person::schema(), &[key])).unwrap_err();
        assert_eq!(error.to_string(), format!("key {key:?}, column {column}: {what}"));
    }
    let tags = AvroSchema::parse(r#"{"type": "array", "items": "string"}"#).unwrap();
    for (key, column, what) in [
        ("[value='a']", 2, format!("no field \"value\" in string; {element}")),
        (
            "['a']",
            1,
            "a map key for an array of string; an element is named by its index, without quotes; those that are equal to a text by [.='…']".to_owned(),
        ),
    ] {
        let error = KeyProgram::new(&tags, &[Key::parse(key).unwrap()]).unwrap_err();
        assert_eq!(error.to_string(), format!("key {key:?}, column {column}: {what}"));
    }
}

#[test]
fn errors_in_data_have_the_path() {
    let text = r#"{"type": "record", "name": "r", "fields": [
        {"name": "id", "type": "long"},
        {"name": "list", "type": {"type": "array", "items": ["null", {"type": "record", "name": "in", "fields": [
            {"name": "flag", "type": "boolean"}, {"name": "text", "type": "string"}]}]}},
        {"name": "map", "type": {"type": "map", "values": "int"}},
        {"name": "symbol", "type": {"type": "enum", "name": "e", "symbols": ["A"]}}]}"#;
    let schema = AvroSchema::parse(text).unwrap();
    let keys = ["list[*].flag", "list[*].text", "map['k']", "symbol"].map(|key| Key::parse(key).unwrap());
    let mut decoder = KeyProgram::new(&schema, &keys).unwrap().decoder();
    for (datum, what) in [
        (&[0, 4, 0, 2, 5, 0][..], "at list[1]:in.flag: a boolean is the byte 5, not 0 or 1"),
        (&[0, 2, 2, 1, 2, 0xff, 0], "at list[0]:in.text: a string of 1 byte is not UTF-8 from its byte 0"),
        (&[0, 2, 6, 1], "at list[0]: a branch or symbol has the number 3, there are 2"),
        (&[0, 0, 2, 2, b'k'], "at map[0]: the datum ends within a number"),
        (&[0, 0, 0, 2], "at symbol: a branch or symbol has the number 1, there is 1"),
        (&[0x80], "at id: the datum ends within a number"),
    ] {
        let error = decoder.push(datum, Origin::new("f.avro", 70, 4)).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("f.avro, byte 70, record 4, byte of the record "), "{text}");
        let (_, rest) = text.split_once(", at").unwrap();
        assert_eq!(format!("at{rest}"), what);
    }
    assert_eq!(decoder.rows(), 0);
    decoder.push(&[0, 0, 0, 0], Origin::record(0)).unwrap();
    let error = decoder.push(&[0, 0, 0, 0, 0, 0], Origin::record(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "record 1, byte of the record 4: 2 bytes are left after the datum; \
         the data may have been written with another schema"
    );
    assert_eq!(decoder.rows(), 1);
}

#[test]
fn several_fields_of_one_type_are_told_apart() {
    for (ty, value, damage, what) in [
        ("long", &[8][..], &[0x80; 10][..], "a number has more than 64 bits"),
        ("float", &[0; 4], &[0; 3], "the datum ends within a float"),
        ("double", &[0; 8], &[], "the datum ends within a double"),
        ("string", &[2, b'x'], &[2, 0xff], "a string of 1 byte is not UTF-8 from its byte 0"),
    ] {
        let names = ["a", "b", "c", "d", "e"];
        let fields = names.map(|name| json!({"name": name, "type": ty}));
        let schema = json!({"type": "record", "name": "r", "fields": fields});
        let schema = AvroSchema::parse(&schema.to_string()).unwrap();
        let keys = ["d", "e", "b", "c", "a"].map(|key| Key::parse(key).unwrap());
        let mut decoder = KeyProgram::new(&schema, &keys).unwrap().decoder();
        decoder.push(&value.repeat(5), Origin::record(0)).unwrap();
        for (before, name) in names.iter().enumerate() {
            let error =
                decoder.push(&[&value.repeat(before), damage].concat(), Origin::record(1)).unwrap_err();
            let byte = before * value.len();
            assert_eq!(error.to_string(), format!("record 1, byte of the record {byte}, at {name}: {what}"));
        }
        let batch = decoder.flush().unwrap();
        assert!(batch.columns().iter().all(|column| column.len() == 1 && column.null_count() == 0));
    }
}

#[test]
fn fields_of_records_within_records_have_their_whole_path() {
    let longs = ["a", "b", "c", "d", "e"].map(|name| json!({"name": name, "type": "long"}));
    let deep = json!({"type": "record", "name": "Deep", "fields": [{"name": "x", "type": "double"}]});
    let more = [json!({"name": "t", "type": "string"}), json!({"name": "deep", "type": deep})];
    let inner = [longs.as_slice(), &more].concat();
    let inner = json!({"type": "record", "name": "Inner", "fields": inner});
    let fields = [("n", json!("long")), ("in", inner), ("z", json!("long"))];
    let fields = fields.map(|(name, ty)| json!({"name": name, "type": ty}));
    let schema =
        AvroSchema::parse(&json!({"type": "record", "name": "r", "fields": fields}).to_string()).unwrap();
    // Each field as often as it has bytes.
    let paths =
        [&["n", "in.a", "in.b", "in.c", "in.d", "in.e", "in.t", "in.t"][..], &["in.deep.x"; 8], &["z"]]
            .concat();
    let datum = [&[0; 6][..], &[2, b't'], &[0; 9]].concat();
    let all = ["n", "in.a", "in.b", "in.c", "in.d", "in.e", "in.t", "in.deep.x", "z"];
    for keys in [&all[..], &["in.deep.x"], &["in.c", "in.t"]] {
        let keys = keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>();
        let mut decoder = KeyProgram::new(&schema, &keys).unwrap().decoder();
        for (cut, path) in paths.iter().enumerate() {
            let error = decoder.push(&datum[..cut], Origin::record(0)).unwrap_err();
            // What is passed over as a whole is named as a whole.
            let found = error.position().path.clone().unwrap();
            assert!(
                path.strip_prefix(&*found).is_some_and(|rest| rest.is_empty() || &*found == "in.deep"),
                "{error}"
            );
        }
        decoder.push(&datum, Origin::record(0)).unwrap();
        assert_eq!(decoder.flush().unwrap().num_rows(), 1);
    }
}

#[test]
fn strings_that_are_only_passed_over_are_not_looked_at() {
    let text = r#"{"type": "record", "name": "r", "fields": [
        {"name": "s", "type": "string"}, {"name": "i", "type": "int"}]}"#;
    let schema = AvroSchema::parse(text).unwrap();
    let program = |key: &str| KeyProgram::new(&schema, &[Key::parse(key).unwrap()]).unwrap().decoder();
    let datum = [2, 0xff, 2];
    program("i").push(&datum, Origin::record(0)).unwrap();
    let error = program("s").push(&datum, Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotUtf8));
}

#[test]
fn the_fixture_is_what_the_tests_think() {
    assert_eq!(person::data().len(), 2);
}
