//! The grammar of key expressions: valid expressions, their printed forms, and the errors of invalid ones.

use avro_path::{ErrorKind, Key, Kind};
use proptest::prelude::*;

/// As it is written, as it prints, and its dimensions.
const KEYS: &[(&str, &str, usize)] = &[
    ("name.first", "name.first", 0),
    ("friends[2].name.first", "friends[2].name.first", 0),
    ("friends[-1].name", "friends[-1].name", 0),
    ("friends[01]", "friends[1]", 0),
    ("friends[*].name.first", "friends[*].name.first", 1),
    ("friends[*].jobs[*].coworkers[*].name.first", "friends[*].jobs[*].coworkers[*].name.first", 3),
    ("cars['nickname'].color", "cars['nickname'].color", 0),
    ("cars[\"nickname\"].color", "cars['nickname'].color", 0),
    ("friends[gender='unknown'].name.first", "friends[gender='unknown'].name.first", 1),
    ("friends[name.first=@name.first].age", "friends[name.first=@name.first].age", 1),
    ("friends[name.first=@.name.first].age", "friends[name.first=@name.first].age", 1),
    ("a[b!=null & c=true&d = -1.5e3&e=12].x[*]", "a[b!=null&c=true&d=-1500.0&e=12].x[*]", 2),
    ("a['b'=c['d'][-2].e]", "a['b'=c['d'][-2].e]", 1),
    ("a[true.x=false]", "a[true.x=false]", 1),
    ("a['b c'.d=1]", "a['b c'.d=1]", 1),
    ("a[.='b'].c", "a[.='b'].c", 1),
    ("a[ . b = 1 & . 'c d' . e = 2]", "a[b=1&'c d'.e=2]", 1),
    ("a[.null=1&.'true'=2&.'b c'=3&.b=4]", "a[.null=1&.true=2&.'b c'=3&b=4]", 1),
    ("a[.[0]=1&.['k'].b=2&@[0]=3]", "a[.[0]=1&.['k'].b=2&@[0]=3]", 1),
    ("a[b:string='x'&.:int=5&.:'c.d'.e[0]:long=1]", "a[b:string='x'&.:int=5&.:'c.d'.e[0]:long=1]", 1),
    ("a[null:int=5&'b c':int=6]", "a[null:int=5&'b c':int=6]", 1),
    ("m[*]~", "m[*]~", 1),
    ("m[ ~ = 'k' & . != 5 ] ~", "m[~='k'&.!=5]~", 1),
    ("m['a=b']['c:d']['']['*'][' ']", "m['a=b']['c:d']['']['*'][' ']", 0),
    (r#"m['a\'b']["a'b"]['\u00e4\\\n\ud83d\ude00']"#, r"m['a\'b']['a\'b']['ä\\\n😀']", 0),
    ("x:int", "x:int", 0),
    ("x:'com.test.person'.name", "x:'com.test.person'.name", 0),
    ("l[*]:array[0]:string", "l[*]:array[0]:string", 1),
    ("'a-b'.'1'.'c'", "'a-b'.'1'.c", 0),
    ("größe.名", "größe.名", 0),
    ("@", "@", 0),
    ("@name", "@name", 0),
    ("@ . name", "@name", 0),
    ("[*].name", "[*].name", 1),
    ("@[0]['k']", "@[0]['k']", 0),
    (" friends [ * ] . name ", "friends[*].name", 1),
];

#[test]
fn keys_parse_and_print() {
    for (text, printed, rank) in KEYS {
        let key = Key::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(key.to_string(), *printed);
        assert_eq!(key.rank(), *rank, "{text}");
        assert_eq!(key.text(), *text);
        assert_eq!(Key::parse(printed).unwrap(), key, "{text}");
    }
}

#[test]
fn keys_that_say_different_things_are_not_equal() {
    let mut keys: Vec<Key> = Vec::new();
    let others = ["a", "@a", "b", "a.a", "a[0]", "a['0']", "a[*]", "a:b", "a:c", "a[b='1']", "a[b=1]"];
    let tests = [
        "a[.=1]",
        "a[~=1]",
        "a[b:c=1]",
        "a[*]~",
        "a[.[0]=1]",
        "a[.:b=1]",
        "a[b=1.0]",
        "a[b!=1]",
        "a[c=1]",
        "a[b=@c]",
        "a[b=c]",
        "a[b=null]",
        "a[b=1&c=1]",
        "[*]",
        "@",
    ];
    for text in others.into_iter().chain(tests) {
        let key = Key::parse(text).unwrap();
        assert!(!keys.contains(&key), "{text}");
        keys.push(key);
    }
}

#[test]
fn errors_point_at_the_character() {
    for (text, column, what) in [
        ("", 1, "expected a name, found the end"),
        ("a.", 3, "expected a name, found the end"),
        ("a..b", 3, "expected a name, found \".\""),
        (".a", 1, "expected a name, found \".\""),
        ("a b", 3, "expected \".\", \"[\", \":\" or the end, found the name \"b\""),
        ("a=b", 2, "expected the end, found \"=\"; a comparison stands in brackets: friends[age=30].name"),
        ("a.2", 3, "expected a name, found the number 2; an index stands in brackets: friends[2]"),
        ("a.[2]", 3, "expected a name, found \"[\"; there is no \".\" before a bracket"),
        ("a.*", 3, "expected a name, found \"*\"; all elements are named by [*]"),
        (
            "a-b",
            2,
            "\"-\" without a number; names with other characters than letters, digits and _ need quotes",
        ),
        (
            "a$",
            2,
            "the character '$' means nothing here; \
             names with other characters than letters, digits and _ need quotes",
        ),
        ("a[1b]", 4, "the number goes on with 'b'; a name that begins with a digit needs quotes"),
        (
            "a[]",
            3,
            "expected \"*\", an index, a quoted map key or a filter, found \"]\"; all elements are named by [*]",
        ),
        ("a[*.b", 4, "expected \"]\", found \".\""),
        ("a[1.5]", 3, "an index is a whole number, not 1.5"),
        ("a[9223372036854775808]", 3, "the index 9223372036854775808 does not fit 64 bits"),
        (
            "ä[0:2]",
            4,
            "expected \"]\", found \":\"; there are no slices: name one element by its index, all by [*], or some by a filter",
        ),
        (
            "cars[nick].color",
            10,
            "expected \"=\" or \"!=\", found \"]\"; of an array, a filter names some elements: [nick='…']; \
             of a map, a key in quotes one value: ['nick']",
        ),
        ("m['a'b']", 7, "the quote ' is never closed; close it, or write \\' for the character"),
        (
            "m['\\x']",
            4,
            "the backslash begins no escape; the escapes are \\\\, \\', \\\", \\/, \\b, \\f, \\n, \\r, \\t and \\uXXXX",
        ),
        (
            "m['\\ud800']",
            4,
            "\\u is not followed by the number of a character; write four hexadecimal digits, for characters beyond \
             U+FFFF two such escapes as in JSON",
        ),
        ("a[b=]", 5, "expected a path or a constant, found \"]\""),
        (
            "a[=b]",
            3,
            "expected a path or a constant, found \"=\"; the element itself is written \".\", as in tags[.='a']",
        ),
        ("a[b=*]", 5, "expected a path or a constant, found \"*\"; [*] stands alone in its brackets"),
        ("a[b=c=d]", 6, "expected \"&\" or \"]\", found \"=\"; several tests are joined by &: [a=b&b=c]"),
        (
            "a[b=c[*]]",
            7,
            "expected an index or a quoted map key, found \"*\"; within a filter there are neither [*] nor filters",
        ),
        (
            "a[b=c[d=e]]",
            7,
            "expected an index or a quoted map key, found the name \"d\"; \
             within a filter there are neither [*] nor filters",
        ),
        (
            "a[b:=1]",
            5,
            "expected the name of a type, found \"=\"; after \":\" stands the branch of a union: value:string",
        ),
        (
            "a[b=01]",
            5,
            "the number 01 begins with 0; leave out the zero, or quote the number to compare strings",
        ),
        ("a[b=1e999]", 5, "the number 1e999 is too large for a double"),
        ("a[b=9223372036854775808]", 5, "the number 9223372036854775808 does not fit 64 bits"),
        (
            "a[b!c]",
            4,
            "the character '!' means nothing here; names with other characters than letters, digits and _ need quotes",
        ),
        (
            "a:",
            3,
            "expected the name of a type, found the end; after \":\" stands the branch of a union: value:string",
        ),
        ("@@a", 2, "expected a name, found \"@\""),
    ] {
        let error = Key::parse(text).unwrap_err();
        assert_eq!(error.to_string(), format!("key {text:?}, column {column}: {what}"));
        assert_eq!(error.detail(), Some(&Kind::KeySyntax), "{text}");
        assert_eq!(error.position().key_column, Some(column));
    }
}

#[test]
fn length_and_steps_are_limited() {
    let error = Key::parse(&"a".repeat(16_385)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(error.to_string(), "a key expression has 16385 bytes, at most 16384 are allowed");
    let longest = vec!["a"; 256].join(".");
    Key::parse(&longest).unwrap();
    let error = Key::parse(&format!("{longest}.a")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().ends_with("the key has more than 256 steps"), "{error}");
    let brackets = "[".repeat(16_000);
    assert_eq!(Key::parse(&brackets).unwrap_err().detail(), Some(&Kind::KeySyntax));
    let tests = format!("a[{}]", vec!["b=1"; 200].join("&"));
    assert_eq!(Key::parse(&tests).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn joined_keys() {
    let join = |above: &str, below: &str| {
        Key::parse(above).unwrap().join(&Key::parse(below).unwrap()).map(|key| key.to_string())
    };
    assert_eq!(join("a[*]", "b").unwrap(), "a[*].b");
    assert_eq!(join("a", "[*].b").unwrap(), "a[*].b");
    assert_eq!(join("a", "@b").unwrap(), "@b");
    assert_eq!(join("@", "b").unwrap(), "@b");
    assert_eq!(join("@", "[0]").unwrap(), "@[0]");
    let long = vec!["a"; 200].join(".");
    assert_eq!(join(&long, &long).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

/// Generates a name, with quotes where it needs them and sometimes where it does not.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z_][a-zA-Z0-9_]{0,4}", "true|false|null|int|array|größe", quoted()]
}

fn quoted() -> impl Strategy<Value = String> {
    let content = prop_oneof![Just(String::new()), "[a-z .=*@:&!\\[\\]]{1,6}", any::<String>()];
    (content, any::<bool>()).prop_map(|(text, double)| {
        let quote = if double { '"' } else { '\'' };
        let escaped = text.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
        format!("{quote}{escaped}{quote}")
    })
}

fn index() -> impl Strategy<Value = String> {
    prop_oneof![(0_u32..20).prop_map(|i| i.to_string()), any::<i64>().prop_map(|i| i.to_string())]
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t\n ")]
}

fn spaced(parts: Vec<(&'static str, String)>) -> String {
    parts.into_iter().map(|(space, part)| format!("{space}{part}")).collect()
}

/// Generates a path within a filter that is one also if it begins with a quoted name: with `@` or a subscript.
fn plain() -> impl Strategy<Value = String> {
    let subscript = (prop_oneof![index(), quoted()], branch())
        .prop_map(|(inner, branch)| format!("[{inner}]{branch}"))
        .boxed();
    let step = (name(), branch(), prop::collection::vec(subscript.clone(), 0..2))
        .prop_map(|(name, branch, more)| name + &branch + &more.concat());
    let steps = prop::collection::vec(step, 1..3).prop_map(|steps| steps.join(".")).boxed();
    let element = (branch(), prop::collection::vec(subscript, 0..2), prop::option::of(steps.clone()))
        .prop_filter(".name begins at its name", |(branch, more, steps)| {
            steps.is_none() || !branch.is_empty() || !more.is_empty()
        })
        .prop_map(|(branch, more, steps)| {
            format!(
                ".{branch}{}{}",
                more.concat(),
                steps.map_or_else(String::new, |steps| format!(".{steps}"))
            )
        });
    let named = (prop_oneof![Just(""), Just("@"), Just("@."), Just(".")], steps)
        .prop_map(|(root, steps)| format!("{root}{steps}"));
    prop_oneof![4 => named, 1 => element, 1 => Just("~".to_owned())]
}

fn operand() -> impl Strategy<Value = String> {
    let float = prop::num::f64::NORMAL.prop_map(|value| format!("{value:?}"));
    prop_oneof![3 => plain(), 1 => quoted(), 1 => any::<i64>().prop_map(|i| i.to_string()), 1 => float,
        1 => "true|false|null"]
}

fn subscript() -> impl Strategy<Value = String> {
    let test = (operand(), space(), prop_oneof![Just("="), Just("!=")], space(), operand())
        .prop_map(|(left, a, sign, b, right)| format!("{left}{a}{sign}{b}{right}"));
    let filter = prop::collection::vec(test, 1..3).prop_map(|tests| tests.join(" &"));
    (space(), prop_oneof![Just("*".to_owned()), index(), quoted(), filter], space(), branch())
        .prop_map(|(a, inner, b, branch)| format!("[{a}{inner}{b}]{branch}"))
}

fn branch() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => name().prop_map(|name| format!(":{name}"))]
}

fn key() -> impl Strategy<Value = String> {
    let step = (name(), branch(), prop::collection::vec((space(), subscript()), 0..3))
        .prop_map(|(name, branch, subscripts)| format!("{name}{branch}{}", spaced(subscripts)))
        .boxed();
    let root = prop::collection::vec((space(), subscript()), 1..3).prop_map(spaced);
    let first = prop_oneof![4 => step.clone(), 1 => root];
    let path = (first, prop::collection::vec((space(), step), 0..3)).prop_map(|(first, more)| {
        let more = more.into_iter().map(|(space, step)| format!("{space}.{space}{step}"));
        more.fold(first, |path, step| path + &step)
    });
    (prop_oneof![2 => Just(""), 1 => Just("@"), 1 => Just("@ .")], path)
        .prop_map(|(at, path)| at.to_owned() + &path)
}

proptest! {
    #[test]
    fn what_is_printed_parses_back_to_the_same(text in key()) {
        let key = Key::parse(&text).unwrap();
        let printed = key.to_string();
        let again = Key::parse(&printed).unwrap();
        prop_assert_eq!(&again, &key, "{}", printed);
        prop_assert_eq!(again.to_string(), printed);
        prop_assert_eq!(again.rank(), key.rank());
    }

    #[test]
    fn any_text_is_a_key_or_an_error_at_one_of_its_characters(
        text in prop_oneof![any::<String>(), "[ab01.:@*~=!&'\"\\[\\]\\\\ u-]{0,20}"],
    ) {
        match Key::parse(&text) {
            Ok(key) => prop_assert_eq!(&Key::parse(&key.to_string()).unwrap(), &key),
            Err(error) => {
                let column = error.position().key_column.unwrap() as usize;
                prop_assert!((1..=text.chars().count() + 1).contains(&column), "{}", error);
            }
        }
    }
}
