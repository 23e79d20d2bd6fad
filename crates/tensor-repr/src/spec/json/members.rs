//! The members of the object that is a spec.

use serde_json::Value;

use super::text::{Place, malformed};
use super::value::{Misfit, found};
use crate::Error;

pub(super) struct Member {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) place: Option<Place>,
}

/// Members of different names.
pub(super) struct Members {
    /// Where the object begins.
    place: Option<Place>,
    members: Vec<Member>,
}

impl Members {
    pub(super) fn new(place: Option<Place>, members: Vec<Member>) -> Result<Self, Error> {
        for (at, member) in members.iter().enumerate() {
            if members.iter().take(at).any(|earlier| earlier.name == member.name) {
                let message = format!("{:?} stands before; a member may stand once", member.name);
                return Err(malformed(member.place, message));
            }
        }
        Ok(Self { place, members })
    }

    /// The members of a value whose text is not at hand.
    pub(super) fn of(value: Value) -> Result<Self, Error> {
        let Value::Object(members) = value else { return Err(Self::none(None, &value.to_string())) };
        let members = members.into_iter().map(|(name, value)| Member { name, value, place: None });
        Self::new(None, members.collect())
    }

    /// The error about JSON that has no members.
    pub(super) fn none(place: Option<Place>, json: &str) -> Error {
        let needed = "an object with the \"kind\" of the feature and the other members of that kind";
        malformed(place, format!("the spec is {}; it must be {needed}", found(json)))
    }

    fn get(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The error about a member that should not be there.
    pub(super) fn refused(&self, name: &str, why: &str) -> Error {
        malformed(self.get(name).and_then(|member| member.place), format!("{name:?} {why}"))
    }

    /// The name of a member that is none of these.
    pub(super) fn other_than(&self, names: &[&str]) -> Option<&str> {
        self.members.iter().map(|member| member.name.as_str()).find(|name| !names.contains(name))
    }

    /// A member that must be there.
    pub(super) fn required<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<T, Error> {
        match self.get(name) {
            Some(member) => read(&member.value).map_err(|misfit| malformed(member.place, misfit.text(name))),
            // No required member can be null: that says what may stand there.
            None => read(&Value::Null).map_err(|misfit| {
                malformed(self.place, format!("{name:?} is missing; it must be {}", misfit.needed))
            }),
        }
    }

    /// A member that can be left out.
    pub(super) fn if_given<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<Option<T>, Error> {
        self.get(name).map(|_| self.required(name, read)).transpose()
    }

    /// A member that can be left out or null.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<Option<T>, Error> {
        let given = self.get(name).is_some_and(|member| !member.value.is_null());
        given.then(|| self.required(name, read)).transpose()
    }
}
