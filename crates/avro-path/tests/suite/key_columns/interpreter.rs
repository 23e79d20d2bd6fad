//! A plain interpreter of key expressions over `apache_avro` values: slow, and simple enough to be believed.

use apache_avro::types::Value;
use serde_json::{Value as Json, json};

/// A step of a key, as the tests make them.
#[derive(Clone, Debug)]
pub enum Step {
    Field(String),
    /// The branch of this number and name.
    Branch(u32, String),
    /// The same, which the key does not name.
    Hidden(u32),
    /// Whether there is a value: the last step of a side that is compared with null.
    Presence,
    Index(i64),
    MapKey(String),
    All,
    Filter(Vec<(Operand, bool, Operand)>),
    /// The key of a map's entry.
    EntryKey,
}

#[derive(Clone, Debug)]
pub enum Operand {
    Path { from_root: bool, steps: Vec<Step> },
    EntryKey,
    Constant(Json),
}

/// Returns the steps as a key expression.
pub fn text(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text += name,
            Step::Field(name) => text = text + "." + name,
            Step::Branch(_, name) => text = text + ":" + name,
            Step::Hidden(_) | Step::Presence => {}
            Step::EntryKey => text += "~",
            Step::Index(index) => text += &format!("[{index}]"),
            Step::MapKey(key) => text += &format!("['{key}']"),
            Step::All => text += "[*]",
            Step::Filter(tests) => {
                let tests = tests.iter().map(|(left, equal, right)| {
                    format!("{} {} {}", operand(left), if *equal { "=" } else { "!=" }, operand(right))
                });
                text += &format!("[{}]", tests.collect::<Vec<_>>().join(" & "));
            }
        }
    }
    text
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Path { from_root: true, steps } => format!("@{}", text(steps)),
        Operand::Path { steps, .. } => {
            let text = text(steps);
            // The element itself, its elements and branches, and names that are constants too.
            let is_pointed =
                !text.starts_with(char::is_alphabetic) || ["null", "true"].contains(&text.as_str());
            format!("{}{text}", if is_pointed { "." } else { "" })
        }
        Operand::EntryKey => "~".to_owned(),
        Operand::Constant(Json::String(text)) => format!("'{text}'"),
        Operand::Constant(constant) => constant.to_string(),
    }
}

/// Evaluates a key for a datum: arrays for its dimensions, null for missing values.
pub fn eval(root: &Value, value: &Value, steps: &[Step]) -> Json {
    if let ([Step::Branch(wanted, _) | Step::Hidden(wanted), rest @ ..], Value::Union(number, inner)) =
        (steps, value)
    {
        return if wanted == number { eval(root, inner, rest) } else { Json::Null };
    }
    if let Value::Union(_, inner) = value {
        return eval(root, inner, steps);
    }
    let Some((step, rest)) = steps.split_first() else { return leaf(value) };
    let list =
        |values: Vec<&Value>| Json::Array(values.into_iter().map(|value| eval(root, value, rest)).collect());
    match (step, value) {
        (_, Value::Null) => Json::Null,
        (Step::Presence, _) => json!("there is one"),
        (Step::Field(name), Value::Record(fields)) => {
            let (_, value) = fields.iter().find(|(field, _)| field == name).expect("the field exists");
            eval(root, value, rest)
        }
        (Step::Index(index), Value::Array(items)) => {
            let at = if *index < 0 { items.len() as i64 + index } else { *index };
            let item = usize::try_from(at).ok().and_then(|at| items.get(at));
            item.map_or(Json::Null, |item| eval(root, item, rest))
        }
        (Step::MapKey(key), Value::Map(entries)) => {
            entries.get(key).map_or(Json::Null, |value| eval(root, value, rest))
        }
        (Step::All, Value::Array(items)) => list(items.iter().collect()),
        (Step::Filter(tests), Value::Array(items)) => {
            list(items.iter().filter(|item| tests.iter().all(|test| passes(root, "", item, test))).collect())
        }
        (Step::All | Step::Filter(_), Value::Map(entries)) => {
            let tests = if let Step::Filter(tests) = step { tests.as_slice() } else { &[] };
            let is_wanted =
                |(key, item): &(&String, &Value)| tests.iter().all(|test| passes(root, key, item, test));
            let wanted = entries.iter().filter(is_wanted);
            match rest {
                [Step::EntryKey] => wanted.map(|(key, _)| latin1(key.as_bytes())).collect(),
                _ => list(wanted.map(|(_, value)| value).collect()),
            }
        }
        (step, value) => panic!("{step:?} of {value:?}"),
    }
}

fn passes(root: &Value, key: &str, item: &Value, (left, equal, right): &(Operand, bool, Operand)) -> bool {
    let get = |operand: &Operand| match operand {
        Operand::EntryKey => latin1(key.as_bytes()),
        Operand::Constant(Json::String(text)) => latin1(text.as_bytes()),
        Operand::Path { from_root: true, steps } => eval(root, root, steps),
        Operand::Path { from_root: false, steps } => eval(root, item, steps),
        Operand::Constant(constant) => constant.clone(),
    };
    let is_null = |operand: &Operand| matches!(operand, Operand::Constant(Json::Null));
    let (a, b) = (get(left), get(right));
    let is_equal = if is_null(left) || is_null(right) { a == b } else { a == b && !a.is_null() };
    is_equal == *equal
}

fn latin1(bytes: &[u8]) -> Json {
    Json::String(bytes.iter().map(|&byte| char::from(byte)).collect())
}

fn leaf(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Long(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Double(value) => json!(value),
        Value::String(text) => latin1(text.as_bytes()),
        Value::Enum(_, symbol) => latin1(symbol.as_bytes()),
        Value::Bytes(bytes) | Value::Fixed(_, bytes) => latin1(bytes),
        other => panic!("{other:?} is no leaf"),
    }
}
