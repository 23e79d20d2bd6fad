//! Tables as CSV and JSON lines: a few megabytes of the same kinds of rows as `peers/text_data.py` writes.

use std::fmt::Write as _;

use bench_sets::random::Random;

/// Contents of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Five integers and five floats.
    Numbers,
    /// Ten texts of 8 to 40 characters without quotes or escapes.
    Texts,
    /// Ten texts with quotes, delimiters and line breaks.
    Quoted,
    /// Five cells or lists of up to ten integers.
    Multivalent,
    /// 500 columns of short values.
    Wide,
    /// Objects within objects and lists of objects; of CSV there is none.
    Nested,
}

impl Table {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("numbers", Self::Numbers),
        ("texts", Self::Texts),
        ("quoted", Self::Quoted),
        ("multivalent", Self::Multivalent),
        ("wide", Self::Wide),
        ("nested", Self::Nested),
    ];

    /// Columns whose cells hold several values, of CSV.
    #[must_use]
    pub fn multivalent_columns(self) -> Vec<String> {
        if self == Self::Multivalent { (0..5).map(name).collect() } else { Vec::new() }
    }

    /// A CSV file of about this many bytes, and the number of its rows.
    #[must_use]
    pub fn csv(self, bytes: usize) -> (String, u64) {
        let mut random = Random::new(self as u64);
        let mut out = (0..self.columns()).map(name).collect::<Vec<_>>().join(",") + "\n";
        let mut rows = 0;
        while out.len() < bytes {
            for column in 0..self.columns() {
                out.push_str(if column > 0 { "," } else { "" });
                match self.value(column, &mut random) {
                    Value::Number(number) => out.push_str(&number),
                    Value::Text(text) if text.contains(['"', ',', '\n']) => {
                        let _ = write!(out, "\"{}\"", text.replace('"', "\"\""));
                    }
                    Value::Text(text) => out.push_str(&text),
                    Value::List(items) => out.push_str(&items.join("|")),
                }
            }
            out.push('\n');
            rows += 1;
        }
        (out, rows)
    }

    /// A file of JSON lines of about this many bytes, and the number of its rows.
    #[must_use]
    pub fn json(self, bytes: usize) -> (String, u64) {
        let mut random = Random::new(self as u64);
        let (mut out, mut rows) = (String::new(), 0);
        while out.len() < bytes {
            out.push('{');
            for column in 0..self.columns() {
                let _ = write!(out, "{}\"{}\": ", if column > 0 { ", " } else { "" }, name(column));
                match self.value(column, &mut random) {
                    Value::Number(number) => out.push_str(&number),
                    Value::Text(text) => {
                        let _ = write!(out, "{text:?}");
                    }
                    Value::List(items) => {
                        let _ = write!(out, "[{}]", items.join(", "));
                    }
                }
            }
            out.push_str("}\n");
            rows += 1;
        }
        (out, rows)
    }

    fn columns(self) -> usize {
        match self {
            Self::Numbers | Self::Texts | Self::Quoted => 10,
            Self::Multivalent | Self::Nested => 5,
            Self::Wide => 500,
        }
    }

    fn value(self, column: usize, random: &mut Random) -> Value {
        match self {
            Self::Numbers | Self::Wide if column.is_multiple_of(2) => {
                Value::Number((random.skewed(40) - random.skewed(20)).to_string())
            }
            Self::Numbers => Value::Number(decimal(random)),
            Self::Wide if column % 4 == 1 => Value::Number(decimal(random)),
            Self::Wide => Value::Text(format!("w{:x}", random.below(1 << 24))),
            Self::Texts => {
                let words = 1 + random.below(5);
                Value::Text(
                    (0..words)
                        .map(|_| format!("word{:04x}", random.below(1 << 16)))
                        .collect::<Vec<_>>()
                        .join(" "),
                )
            }
            Self::Quoted => Value::Text(format!(
                "say \"{:x}\", and\nthen {:x} words more",
                random.below(1 << 16),
                random.below(1 << 24)
            )),
            Self::Multivalent => {
                let items = 1 + random.below(10);
                Value::List((0..items).map(|_| random.skewed(30).to_string()).collect())
            }
            Self::Nested => match column {
                0 => Value::Number(random.skewed(40).to_string()),
                1 => Value::Number(format!(
                    "{{\"name\": \"user {:x}\", \"age\": {}, \"home\": {{\"lat\": {}, \"lon\": {}}}}}",
                    random.below(1 << 24),
                    random.below(100),
                    decimal(random),
                    decimal(random)
                )),
                2 => Value::List((0..random.below(6)).map(|_| decimal(random)).collect()),
                3 => {
                    let item = |random: &mut Random| {
                        format!(
                            "{{\"id\": {}, \"tag\": \"t{:x}\"}}",
                            random.skewed(30),
                            random.below(1 << 12)
                        )
                    };
                    Value::List((0..random.below(5)).map(|_| item(random)).collect())
                }
                _ => Value::Number(if random.percent(30) { "null" } else { "true" }.to_owned()),
            },
        }
    }
}

/// A value before it is a cell or JSON.
enum Value {
    /// The number exactly as the file has it.
    Number(String),
    Text(String),
    List(Vec<String>),
}

fn name(column: usize) -> String {
    format!("column_{column}")
}

fn decimal(random: &mut Random) -> String {
    let (whole, part) = (random.below(2000), random.below(1_000_000));
    format!("{}{}.{part:06}", if random.percent(50) { "-" } else { "" }, whole)
}
