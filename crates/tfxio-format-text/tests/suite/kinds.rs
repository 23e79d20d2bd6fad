//! JSON as the command prints it comes back through a conversion, whatever the columns hold.

use proptest::prelude::*;
use tfxio_convert::Conversion;
use tfxio_formats::json;

/// Kind of the values of a column.
#[derive(Clone, Debug)]
enum Kind {
    Null,
    Bool,
    Int,
    Float,
    Text,
    Bytes,
    List(Box<Kind>),
    Object(Vec<(String, Kind)>),
}

fn kind() -> impl Strategy<Value = Kind> {
    let leaf =
        prop::sample::select(vec![Kind::Null, Kind::Bool, Kind::Int, Kind::Float, Kind::Text, Kind::Bytes]);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|kind| Kind::List(Box::new(kind))),
            prop::collection::vec(inner, 0..4).prop_map(|kinds| Kind::Object(named(kinds))),
        ]
    })
}

fn named(kinds: Vec<Kind>) -> Vec<(String, Kind)> {
    const NAMES: [&str; 5] = ["a", "b.c", "##SEQUENCE##", "\"é\"\n", ""];
    kinds.into_iter().enumerate().map(|(at, kind)| (format!("{}{at}", NAMES[at % 5]), kind)).collect()
}

/// A small generator, so that the rows of a case are one number.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn bits(&mut self) -> u64 {
        self.below(1 << 31) << 40 ^ self.below(1 << 31) << 16 ^ self.below(1 << 31)
    }
}

/// Appends a value as the command prints it.
fn print(out: &mut String, kind: &Kind, random: &mut Random) {
    if random.below(5) == 0 {
        return out.push_str("null");
    }
    match kind {
        Kind::Null => out.push_str("null"),
        Kind::Bool => out.push_str(if random.below(2) == 0 { "true" } else { "false" }),
        Kind::Int => out.push_str(&(random.bits() as i64 >> random.below(64)).to_string()),
        Kind::Float => match random.below(6) {
            0 => json::double(out, f64::NAN),
            1 => json::double(out, f64::NEG_INFINITY),
            2 => json::double(out, random.below(100) as f64 - 50.0),
            _ => {
                let value = f64::from_bits(random.bits());
                json::double(out, if value.is_nan() { -0.0 } else { value });
            }
        },
        Kind::Text => {
            const TEXTS: [&str; 8] =
                ["", "NaN", "007", "null", "é\u{1f980}", "\"\\\n\u{0}\u{2028}", " x ", "{\"base64\": \"\"}"];
            json::string(out, TEXTS[random.below(8) as usize]);
        }
        Kind::Bytes => {
            let bytes = (0..random.below(4)).map(|_| random.below(256) as u8).collect::<Vec<_>>();
            json::bytes(out, &bytes);
        }
        Kind::List(item) => {
            out.push('[');
            for at in 0..random.below(4) {
                out.push_str(if at > 0 { ", " } else { "" });
                print(out, item, random);
            }
            out.push(']');
        }
        Kind::Object(fields) => object(out, fields, random),
    }
}

fn object(out: &mut String, fields: &[(String, Kind)], random: &mut Random) {
    let mut object = json::Object::new(out);
    for (name, kind) in fields {
        print(object.key(name), kind, random);
    }
    object.finish();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_comes_back(kinds in prop::collection::vec(kind(), 1..5), rows in 1usize..12, seed: u64) {
        let (columns, mut random) = (named(kinds), Random(seed));
        let mut text = String::new();
        for _ in 0..rows {
            object(&mut text, &columns, &mut random);
            text.push('\n');
        }
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        std::fs::write(&from, &text).unwrap();
        let conversion = Conversion::builder([from.to_str().unwrap()], &to).lossless(true).build().unwrap();
        conversion.run(|_| {}).unwrap();
        prop_assert_eq!(std::fs::read_to_string(to).unwrap(), text);
    }
}
