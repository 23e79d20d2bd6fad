//! Typed access to a tree, with errors that contain the position, the value and the allowed ones.

use std::ops::RangeInclusive;

use tfxio_core::suggest::did_you_mean;

use super::list_of;
use super::object::{Keys, Object};
use super::{Data, Value};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Characters of a string that a message shows.
const SHOWN: usize = 60;

/// A value and its path from the root: `processing_steps[2].args.slice`.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub(super) value: &'a Value,
    pub(super) path: String,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    pub(crate) fn value(&self) -> &'a Value {
        self.value
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// An error at this value.
    pub(crate) fn error(&self, kind: Kind, what: impl Into<String>) -> Error {
        self.mark(Error::new(kind, what))
    }

    /// Another error, which happens to concern this value.
    pub(crate) fn mark(&self, error: Error) -> Error {
        let error = self.value.place.mark(error);
        if self.path.is_empty() { error } else { error.at_json(self.path.as_str()) }
    }

    /// This value is of another type than the `wanted` one, such as "an integer".
    pub(crate) fn invalid_type(&self, wanted: &str) -> Error {
        self.error(Kind::InvalidType, format!("{} is given", self.shown())).help(format!("give {wanted}"))
    }

    /// Returns the error of a value that is not allowed.
    pub(crate) fn invalid_value(&self, what: &str, allowed: impl Into<String>) -> Error {
        self.error(Kind::InvalidValue, format!("{} {what}", self.shown())).help(allowed)
    }

    /// The value, as messages show it.
    pub(crate) fn shown(&self) -> String {
        match &self.value.data {
            Data::Null => "null".to_owned(),
            Data::Bool(value) => value.to_string(),
            Data::Int(value) => value.to_string(),
            Data::Float(value) => format!("{value:?}"),
            Data::String(text) if text.chars().nth(SHOWN).is_none() => format!("{text:?}"),
            Data::String(text) => format!("{:?}…", text.chars().take(SHOWN).collect::<String>()),
            Data::Array(items) if items.is_empty() => "[]".to_owned(),
            Data::Array(_) => "a list".to_owned(),
            Data::Object(_) => "an object".to_owned(),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        self.value.data == Data::Null
    }

    pub(crate) fn bool(&self) -> Result<bool> {
        match self.value.data {
            Data::Bool(value) => Ok(value),
            _ => Err(self.invalid_type("true or false")),
        }
    }

    pub(crate) fn string(&self) -> Result<&'a str> {
        match &self.value.data {
            Data::String(text) => Ok(text),
            _ => Err(self.invalid_type("a string")),
        }
    }

    /// A string that is not empty.
    pub(crate) fn name(&self) -> Result<&'a str> {
        match self.string()? {
            "" => Err(self.invalid_value("is empty", "give at least one character")),
            name => Ok(name),
        }
    }

    /// Returns the meaning of one of some words; `what` names them, such as "type of data set".
    pub(crate) fn word<T: Copy>(&self, what: &str, words: &[(&str, T)]) -> Result<T> {
        let known = || words.iter().map(|(word, _)| *word);
        self.one_of(what, &list_of(known()), known(), |text| {
            words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning)
        })
    }

    /// Returns the meaning of a string, if it is one of `allowed`.
    pub(super) fn one_of<'w, T>(
        &self,
        what: &str,
        allowed: &str,
        known: impl Iterator<Item = &'w str> + Clone,
        meaning: impl Fn(&str) -> Option<T>,
    ) -> Result<T> {
        let text = self.string().map_err(|error| error.help(format!("give one of {allowed}")))?;
        meaning(text).ok_or_else(|| {
            let allowed = format!("one of {allowed}");
            self.invalid_value(
                &format!("is not a {what}"),
                match did_you_mean(text, known) {
                    Some(meant) => format!("{meant} {}", capital(&allowed)),
                    None => allowed,
                },
            )
        })
    }

    /// The value as an integer, if it is a number without a fraction.
    pub(crate) fn integer(&self) -> Option<i128> {
        // Beyond 2^53 a float64 is not exact.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.value.data {
            Data::Int(value) => Some(value),
            #[allow(clippy::cast_possible_truncation, reason = "it is an integer of less than 54 bits")]
            Data::Float(value) if value.fract() == 0.0 && value.abs() <= EXACT => Some(value as i128),
            _ => None,
        }
    }

    /// An integer in a range.
    pub(crate) fn integer_in<T: TryFrom<i128> + Into<i128> + Copy>(
        &self,
        range: RangeInclusive<T>,
    ) -> Result<T> {
        let (least, most) = ((*range.start()).into(), (*range.end()).into());
        let wanted = format!("an integer from {least} to {most}");
        let value = self.integer().ok_or_else(|| self.invalid_type(&wanted))?;
        let fits = T::try_from(value).ok().filter(|_| (least..=most).contains(&value));
        fits.ok_or_else(|| self.invalid_value("is out of range", format!("give {wanted}")))
    }

    /// A number of things, in a range.
    pub(crate) fn count(&self, range: RangeInclusive<u32>) -> Result<usize> {
        self.integer_in(range).map(|count| count as usize)
    }

    /// The items; `wanted` is what they are, such as "a list of objects".
    pub(crate) fn list(&self, wanted: &str) -> Result<Vec<Self>> {
        match self.value.data {
            Data::Array(_) => Ok(self.items().collect()),
            _ => Err(self.invalid_type(wanted)),
        }
    }

    /// The items of a list; none for anything else.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let items = if let Data::Array(items) = &self.value.data { items.as_slice() } else { &[] };
        let path = self.path.clone();
        items.iter().enumerate().map(move |(at, value)| Node { value, path: format!("{path}[{at}]") })
    }

    /// The values of an object; none for anything else.
    pub(crate) fn members(&self) -> impl Iterator<Item = Self> + use<'a> {
        let members = if let Data::Object(members) = &self.value.data { members.as_slice() } else { &[] };
        let path = self.path.clone();
        members.iter().map(move |member| Node { value: &member.value, path: path_of(&path, &member.name) })
    }

    /// The keys of an object, whatever they are.
    pub(crate) fn keys(&self) -> Result<Vec<&'a str>> {
        match &self.value.data {
            Data::Object(members) => Ok(members.iter().map(|member| member.name.as_str()).collect()),
            _ => Err(self.invalid_type("an object: {…}")),
        }
    }

    /// The value of a key, if this is an object that has it.
    pub(crate) fn member(&self, key: &str) -> Option<Self> {
        let Data::Object(members) = &self.value.data else { return None };
        let member = members.iter().find(|member| member.name == key)?;
        Some(Node { value: &member.value, path: path_of(&self.path, key) })
    }

    /// The object, which has all the required keys and no others than the keys given.
    pub(crate) fn object(&self, keys: Keys<'_>) -> Result<Object<'a>> {
        let (object, wrong) = self.object_and_mistake(keys)?;
        wrong.map_or(Ok(object), Err)
    }

    /// The object, and what is wrong with its keys, where what they mean is to be looked at all the same.
    pub(crate) fn object_and_mistake(&self, keys: Keys<'_>) -> Result<(Object<'a>, Option<Error>)> {
        match &self.value.data {
            Data::Object(members) => Ok(Object::with_mistake(self.clone(), members, keys)),
            // The text as a whole has no key whose type it could miss.
            _ if self.path.is_empty() => {
                let what = format!("{} is not a {}", self.shown(), keys.of);
                Err(self.error(Kind::InvalidValue, what).help("give an object: {…}"))
            }
            _ => Err(self.invalid_type("an object: {…}")),
        }
    }
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The path of a member.
pub(super) fn path_of(path: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match (plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}[{key:?}]"),
    }
}
