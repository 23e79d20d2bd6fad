//! Objects, whose keys are known.

use tfxio_core::suggest::{did_you_mean, is_part, nearest};

use super::mistakes::all;
use super::node::{Node, capital, path_of};
use super::{Member, list_of};
use crate::error::Locate as _;
use crate::{Error, Kind, Result};

/// Keys that a message lists beside the one that was probably meant.
const FEW: usize = 8;

/// The keys of a kind of object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'k> {
    /// Name of the object: "manifest".
    pub(crate) of: &'k str,
    pub(crate) required: &'k [&'k str],
    pub(crate) optional: &'k [&'k str],
    /// Keys of similar objects, with where they belong.
    pub(crate) elsewhere: &'k [(&'k str, &'k str)],
    /// Old spellings, which no message lists.
    pub(crate) old: &'k [&'k str],
}

impl<'k> Keys<'k> {
    pub(crate) const fn new(of: &'k str, required: &'k [&'k str], optional: &'k [&'k str]) -> Self {
        Self { of, required, optional, elsewhere: &[], old: &[] }
    }

    fn all(self) -> impl Iterator<Item = &'k str> + Clone {
        self.required.iter().chain(self.optional).copied()
    }

    /// There are keys that are none of these.
    fn unexpected(self, names: &[&str]) -> Error {
        let is = if names.len() == 1 { "is not a key" } else { "are not keys" };
        let what = format!("{} {is} of a {}", list_of(names.iter().copied()), self.of);
        let are = if self.all().nth(1).is_some() { "the keys are" } else { "the only key is" };
        let allowed = format!("{are} {}", list_of(self.all()));
        let first = names.first().copied().unwrap_or_default();
        let hint =
            match (self.elsewhere.iter().find(|(key, _)| *key == first), did_you_mean(first, self.all())) {
                (Some((key, home)), _) => format!("{key:?} belongs to {home}"),
                (None, Some(meant)) if self.all().count() <= FEW => format!("{meant} {}", capital(&allowed)),
                (None, Some(meant)) => meant,
                (None, None) => allowed,
            };
        Error::new(Kind::UnexpectedArgument, what).help(hint)
    }
}

/// An object that has what it needs and no unknown key.
#[derive(Clone, Debug)]
pub(crate) struct Object<'a> {
    node: Node<'a>,
    members: &'a [Member],
    /// Name of the object.
    of: String,
}

impl<'a> Object<'a> {
    pub(super) fn new(node: Node<'a>, members: &'a [Member], keys: Keys<'_>) -> Result<Self> {
        let (object, wrong) = Self::with_mistake(node, members, keys);
        wrong.map_or(Ok(object), Err)
    }

    /// The object, and what is wrong with its keys.
    pub(super) fn with_mistake(
        node: Node<'a>,
        members: &'a [Member],
        keys: Keys<'_>,
    ) -> (Self, Option<Error>) {
        let known = |name: &str| keys.all().chain(keys.old.iter().copied()).any(|key| key == name);
        let unknown = members.iter().filter(|member| !known(&member.name)).collect::<Vec<_>>();
        let object = Self { node, members, of: keys.of.to_owned() };
        let missing = keys.required.iter().copied().filter(|key| object.get(key).is_none());
        let missing = missing.collect::<Vec<_>>();
        if !missing.is_empty() {
            let lacks = object.lacks(&missing, &unknown);
            return (object, Some(lacks));
        }
        let wrong = unknown.first().map(|first| {
            let names = unknown.iter().map(|member| member.name.as_str()).collect::<Vec<_>>();
            let path = path_of(&object.node.path, &first.name);
            first.place.mark(keys.unexpected(&names)).at_json(path)
        });
        (object, wrong)
    }

    /// Keys are missing. An unknown key may be meant to be one of them, and the error is then there.
    fn lacks(&self, missing: &[&str], unknown: &[&Member]) -> Error {
        let names = || unknown.iter().map(|member| member.name.as_str());
        let meant = missing.iter().find_map(|key| {
            let near = nearest(key, names()).or_else(|| names().find(|name| is_part(name, key)))?;
            Some((*key, unknown.iter().find(|member| member.name == near)?))
        });
        let listed = list_of(missing.iter().copied());
        let (what, why) = match missing {
            [_] => (format!("the key {listed} is missing"), self.why()),
            _ => (format!("the keys {listed} are missing"), format!("a {} needs them", self.of)),
        };
        let place = meant.map_or(self.node.value.place, |(_, member)| member.place);
        let path = meant.map(|(key, _)| key).or(missing.first().copied()).unwrap_or_default();
        let hint = match (meant, missing) {
            (Some((_, member)), [_]) => format!("{why}; is {:?} meant to be it?", member.name),
            (Some((key, member)), _) => format!("{why}; is {:?} meant to be {key:?}?", member.name),
            (None, _) if unknown.is_empty() => why,
            (None, _) => {
                let is = if unknown.len() == 1 { "is not a key" } else { "are not keys" };
                format!("{why}; {} {is} of it", list_of(names()))
            }
        };
        let error = Error::new(Kind::MissingArgument, what).help(hint);
        place.mark(error).at_json(path_of(&self.node.path, path))
    }

    fn why(&self) -> String {
        format!("a {} needs it", self.of)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Node<'a>> {
        let member = self.members.iter().find(|member| member.name == key)?;
        Some(Node { value: &member.value, path: path_of(&self.node.path, key) })
    }

    /// Reads the value of a key; `None` without the key.
    pub(crate) fn read<T>(&self, key: &str, read: impl FnOnce(&Node<'a>) -> Result<T>) -> Result<Option<T>> {
        self.get(key).map(|node| read(&node)).transpose()
    }

    /// Reads the items of a key's list, which `wanted` describes; empty without the key.
    pub(crate) fn items<T>(
        &self,
        key: &str,
        wanted: &str,
        item: impl Fn(&Node<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let items = self.read(key, |node| node.list(wanted))?.unwrap_or_default();
        all(items.iter().map(item))
    }

    /// The value of a key, which has to be there.
    pub(crate) fn need(&self, key: &str) -> Result<Node<'a>> {
        self.get(key).ok_or_else(|| self.missing(key, &self.why()))
    }

    /// The object of a key; without the key, an empty one.
    pub(crate) fn object_or_empty(&self, key: &str, keys: Keys<'_>) -> Result<Self> {
        match self.get(key) {
            Some(node) => node.object(keys),
            None => {
                let node = Node { value: self.node.value, path: path_of(&self.node.path, key) };
                Self::new(node, &[], keys)
            }
        }
    }

    /// Returns the error of a missing key; `why` explains its purpose.
    pub(crate) fn missing(&self, key: &str, why: &str) -> Error {
        let error = Error::new(Kind::MissingArgument, format!("the key {key:?} is missing")).help(why);
        self.node.value.place.mark(error).at_json(path_of(&self.node.path, key))
    }
}
