//! Records of three message types.

use std::path::Path;

use anyhow::{Context as _, Result};
use message_codec::{DescriptorSet, MessageDescriptor};

use crate::random::Random;

/// Names of the types: two that are usual, and one that is slow to decode.
pub const TYPES: [&str; 3] = ["spans", "impressions", "tangle"];

/// Returns the type of a name.
///
/// # Errors
/// The name is not one of [`TYPES`].
pub fn message(name: &str) -> Result<MessageDescriptor> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("messages").join(format!("{name}.proto"));
    let set = DescriptorSet::compile([source], [])?;
    let mut letters = name.chars();
    let first = letters.next().context("a message has a name")?;
    Ok(set.message(&format!("benches.{}{}", first.to_ascii_uppercase(), letters.as_str()))?)
}

/// Returns records of a type.
#[must_use]
pub fn records(name: &str, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(7);
    let record = |_| {
        let mut out = Fields(Vec::new());
        match name {
            "spans" => spans(&mut out, &mut random),
            "impressions" => impression(&mut out, &mut random),
            _ => tangle(&mut out, &mut random),
        }
        out.0
    };
    (0..count).map(record).collect()
}

const WORDS: [&str; 8] =
    ["http.method", "GET", "checkout", "db.statement", "eu-west-1", "ok", "user.id", "retry"];

fn spans(out: &mut Fields, random: &mut Random) {
    out.message(1, |scope| {
        scope.text(1, "instrumentation");
        scope.text(2, "1.4.2");
    });
    for _ in 0..5 {
        out.message(2, |span| {
            span.bytes(1, &[7; 16]);
            span.bytes(2, &[9; 8]);
            span.bytes(4, &[3; 8]);
            span.text(5, word(random));
            span.number(6, random.below(4));
            span.eight(7, 1_700_000_000_000_000_000 + random.below(1 << 40));
            span.eight(8, 1_700_000_001_000_000_000 + random.below(1 << 40));
            for _ in 0..4 {
                span.message(9, |attribute| attribute_of(attribute, random));
            }
            if random.below(3) == 0 {
                span.message(11, |event| {
                    event.eight(1, random.below(1 << 60));
                    event.text(2, word(random));
                    event.message(3, |attribute| attribute_of(attribute, random));
                });
            }
            span.message(15, |status| status.number(3, random.below(3)));
        });
    }
}

fn attribute_of(out: &mut Fields, random: &mut Random) {
    out.text(1, word(random));
    out.message(2, |value| match random.below(4) {
        0 => value.number(2, 1),
        1 => value.number(3, random.below(100_000)),
        2 => value.eight(4, 0.25f64.to_bits()),
        _ => value.text(1, word(random)),
    });
}

fn impression(out: &mut Fields, random: &mut Random) {
    out.eight(1, random.below(u64::MAX));
    out.number(2, 1_700_000_000_000_000 + random.below(1 << 40));
    out.message(3, |user| {
        user.number(1, random.below(1 << 48));
        user.number(2, 18 + random.below(60));
        user.text(3, "de");
        user.run(4, (0..8).map(|_| random.below(5_000)));
    });
    out.message(4, |ad| {
        ad.number(1, random.below(1 << 40));
        ad.number(2, random.below(1 << 20));
        ad.text(3, "shop.example.com");
        ad.four(4, 0.5f32.to_bits());
    });
    let dense = (0..13).flat_map(|_| (random.below(1000) as f32).to_le_bytes()).collect::<Vec<_>>();
    out.bytes(5, &dense);
    out.run(6, (0..26).map(|_| random.below(1 << 32)));
    // No key comes twice.
    let first = random.below(8) as usize;
    for key in WORDS.iter().cycle().skip(first).take(4) {
        out.message(7, |entry| {
            entry.text(1, key);
            entry.number(2, random.below(1000));
        });
    }
    out.number(8, 1);
    for _ in 0..6 {
        out.text(9, word(random));
    }
    out.eight(10, 1.25f64.to_bits());
}

fn tangle(out: &mut Fields, random: &mut Random) {
    let start = random.below(120) as u32;
    for step in 0..90 {
        // In an order that is another one in each record.
        let field = (start + step * 77) % 120;
        let number = 1000 + field * 37;
        match field % 8 {
            0 | 3 | 7 => out.number(number, random.below(1 << 40)),
            1 | 5 => out.text(number, word(random)),
            2 => out.eight(number, random.below(u64::MAX)),
            4 => out.number(number, 1),
            _ => out.four(number, 7),
        }
        out.number(2, random.below(1 << 14));
        if step % 20 == 0 {
            out.tag(3, 3);
            out.text(1, word(random));
            out.number(2, random.below(1 << 50));
            out.tag(3, 4);
        }
    }
    level(out, 1, 16);
}

fn level(out: &mut Fields, field: u32, left: u32) {
    out.message(field, |level| {
        level.number(1, u64::from(left));
        level.text(2, "level");
        if left > 1 {
            self::level(level, 3, left - 1);
        }
    });
}

fn word(random: &mut Random) -> &'static str {
    WORDS.get(random.below(8) as usize).copied().unwrap_or("")
}

/// Fields of a message, as bytes.
struct Fields(Vec<u8>);

impl Fields {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire: u32) {
        self.varint(u64::from(field << 3 | wire));
    }

    fn number(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.varint(value);
    }

    fn four(&mut self, field: u32, bits: u32) {
        self.tag(field, 5);
        self.0.extend(bits.to_le_bytes());
    }

    fn eight(&mut self, field: u32, bits: u64) {
        self.tag(field, 1);
        self.0.extend(bits.to_le_bytes());
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.tag(field, 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn text(&mut self, field: u32, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    fn run(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let mut run = Self(Vec::new());
        values.for_each(|value| run.varint(value));
        self.bytes(field, &run.0);
    }

    fn message(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        let mut inner = Self(Vec::new());
        fill(&mut inner);
        self.bytes(field, &inner.0);
    }
}
