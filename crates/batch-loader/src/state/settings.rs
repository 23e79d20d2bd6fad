//! Settings that a state belongs to, and differences between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tfxio_core::Count;

use super::FIRST_VERSION;
use crate::json::{Data, Member, Value};

/// Settings that a state belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// The keys of the configuration, the manifest and the caller's names that decide what comes out, each with its
    /// value as JSON without blanks. Keys that have their default are left out, so that a later release can add keys.
    pub(crate) configuration: BTreeMap<String, String>,
    /// The number of files, and a hash of their names and sizes.
    pub(crate) files: u64,
    pub(crate) names: String,
}

/// The values of keys that are left out.
const DEFAULTS: [(&str, &str); 8] = [
    ("stride", "null"),
    ("shuffle", "false"),
    ("secondary_features", "[]"),
    ("processing_steps", "[]"),
    ("window_steps", "[]"),
    ("normalization", "[]"),
    ("padding", "false"),
    ("on_error", "\"fail\""),
];

/// Keys that states of the first version note although they may change; `target_batch_size` may, where a loader does
/// not note it.
const MAY_CHANGE: [&str; 3] = ["epochs", "drop_remainder", "target_batch_size"];

/// Characters of a value that a message shows.
const SHOWN: usize = 60;

impl Settings {
    /// Notes a key and its value as JSON, unless that is the default.
    pub(crate) fn note(&mut self, key: &str, json: String) {
        if !DEFAULTS.contains(&(key, &*json)) {
            self.configuration.insert(key.to_owned(), json);
        }
    }

    /// Returns the first difference between the settings of a state and of a loader.
    pub(super) fn difference(&self, now: &Self, version: u32) -> Option<String> {
        let keys = self.configuration.keys().chain(now.configuration.keys());
        for key in keys {
            let (then, now) = (self.configuration.get(key), now.configuration.get(key));
            // The first version noted what may change.
            let is_free = version == FIRST_VERSION && now.is_none() && MAY_CHANGE.contains(&&**key);
            if then != now && !is_free && !same(then, now) {
                let what = if version == FIRST_VERSION {
                    first_version(key, then, now)
                } else {
                    let default = DEFAULTS.iter().find(|(known, _)| known == key).map(|(_, value)| *value);
                    changed(
                        key,
                        then.map_or(default, |text| Some(text)),
                        now.map_or(default, |text| Some(text)),
                    )
                };
                return Some(format!("the state is of another configuration: {what}"));
            }
        }
        if self.files != now.files {
            let (then, now) = (self.files, now.files);
            return Some(format!(
                "the state is of another data set: it had {}, this one has {now}",
                Count::of(then, "file")
            ));
        }
        (self.names != now.names)
            .then(|| "the state is of another data set: its files had other names or sizes".to_owned())
    }
}

/// Returns whether two values are the same JSON, or of two states of the first version that differ in what changes nothing.
fn same(then: Option<&String>, now: Option<&String>) -> bool {
    let (Some(then), Some(now)) = (then, now) else { return false };
    let parsed = |text: &str| Value::parse(text).ok().map(|value| written(&value));
    then.replace("multi_load: true", "multi_load: false") == *now
        || parsed(then).is_some_and(|then| Some(then) == parsed(now))
}

/// Describes a change of a state of the first version, showing only short values.
fn first_version(key: &str, then: Option<&String>, now: Option<&String>) -> String {
    let scalar = |text: &String| {
        let text = text.strip_prefix("Some(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let word = match text {
            "None" => "null",
            "Off" => "false",
            "All" => "true",
            "Global" => "\"global\"",
            "Fail" => "\"fail\"",
            "Skip" => "\"skip\"",
            other => other,
        };
        plain.then(|| word.to_owned())
    };
    match (then.and_then(scalar), now.and_then(scalar)) {
        (Some(then), Some(now)) => format!("`{key}` was {then} and is {now}"),
        _ => format!("`{key}` was another (a state of version {FIRST_VERSION} does not say which)"),
    }
}

/// Describes a change, as deep in a value as possible.
fn changed(key: &str, then: Option<&str>, now: Option<&str>) -> String {
    let parsed = |text: Option<&str>| text.and_then(|text| Value::parse(text).ok());
    let (then, now) = (parsed(then), parsed(now));
    let (mut path, mut then, mut now) = (key.to_owned(), then.as_ref(), now.as_ref());
    while let Some((inner, before, after)) = then.zip(now).and_then(|(then, now)| member(then, now)) {
        path.push_str(&inner);
        (then, now) = (before, after);
    }
    let say = |value: Option<&Value>| value.map_or_else(|| "not given".to_owned(), shown);
    format!("`{path}` was {} and is {}", say(then), say(now))
}

/// The first member or item that differs, unless it takes the whole to be understood.
fn member<'a>(then: &'a Value, now: &'a Value) -> Option<(String, Option<&'a Value>, Option<&'a Value>)> {
    let differ = |then: Option<&Value>, now: Option<&Value>| then.map(written) != now.map(written);
    match (&then.data, &now.data) {
        (Data::Object(then), Data::Object(now)) => {
            fn find<'a>(name: &str, of: &'a [Member]) -> Option<&'a Value> {
                of.iter().find(|member| member.name == name).map(|member| &member.value)
            }
            let names = then.iter().chain(now).map(|member| &member.name);
            let mut both = names.map(|name| (format!(".{name}"), find(name, then), find(name, now)));
            both.find(|(_, then, now)| differ(*then, *now))
        }
        (Data::Array(then), Data::Array(now)) => {
            let is_whole = |value: &Value| !matches!(value.data, Data::Object(_) | Data::Array(_));
            if then.iter().chain(now).all(is_whole) {
                return None;
            }
            let mut both = (0..then.len().max(now.len())).map(|at| (at, then.get(at), now.get(at)));
            let (at, then, now) = both.find(|(_, then, now)| differ(*then, *now))?;
            Some((format!("[{at}]"), then, now))
        }
        _ => None,
    }
}

/// A value as a configuration writes it, abbreviated.
fn shown(value: &Value) -> String {
    let text = written(value);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A value as JSON with blanks.
fn written(value: &Value) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    match &value.data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Float(value) => format!("{value:?}"),
        Data::String(text) => quoted(text),
        Data::Array(items) => format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", ")),
        Data::Object(members) => {
            let member = |member: &Member| format!("{}: {}", quoted(&member.name), written(&member.value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}
