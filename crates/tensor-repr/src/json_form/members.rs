//! The members of an object.

use serde_json::Value;

use super::Subject;
use super::text::{TextPosition, malformed};
use super::value::{Misfit, found, one_of};
use crate::Error;

pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) position: Option<TextPosition>,
}

/// Members of different names.
pub(crate) struct Members {
    /// Position of the object.
    position: Option<TextPosition>,
    members: Vec<Member>,
}

impl Members {
    pub(crate) fn new(position: Option<TextPosition>, members: Vec<Member>) -> Result<Self, Error> {
        for (at, member) in members.iter().enumerate() {
            if members.iter().take(at).any(|earlier| earlier.name == member.name) {
                let message = format!("{:?} stands before; a member may stand once", member.name);
                return Err(malformed(member.position, message));
            }
        }
        Ok(Self { position, members })
    }

    /// Returns the members of a value whose text is not at hand.
    pub(crate) fn of(value: Value, subject: Subject) -> Result<Self, Error> {
        let Value::Object(members) = value else { return Err(Self::none(None, &value.to_string(), subject)) };
        let members = members.into_iter().map(|(name, value)| Member { name, value, position: None });
        Self::new(None, members.collect())
    }

    /// Returns the error about JSON that has no members.
    pub(crate) fn none(position: Option<TextPosition>, json: &str, subject: Subject) -> Error {
        let (name, owner, found) = (subject.name(), subject.owner(), found(json));
        let needed = format!("an object with the \"kind\" of the {owner} and the other members of that kind");
        malformed(position, format!("the {name} is {found}; it must be {needed}"))
    }

    fn get(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Returns the error about a member that should not be there.
    pub(crate) fn refused(&self, name: &str, why: &str) -> Error {
        malformed(self.get(name).and_then(|member| member.position), format!("{name:?} {why}"))
    }

    /// Reads the `kind`, one of those listed with the other members that each may have.
    pub(crate) fn kind<'k>(&self, kinds: &[(&'k str, &[&str])], what: &str) -> Result<&'k str, Error> {
        let (kind, known) = self.required("kind", one_of(kinds.iter().copied(), |(kind, _)| kind))?;
        let is_known = |name: &str| name == "kind" || known.contains(&name);
        let Some(other) = self.members.iter().find(|member| !is_known(&member.name)) else { return Ok(kind) };
        let known =
            ["kind"].iter().chain(known).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        let why = format!("is not a member of a {kind} {what}; its members are {known}");
        Err(self.refused(&other.name, &why))
    }

    /// Reads a member that must be there.
    pub(crate) fn required<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<T, Error> {
        match self.get(name) {
            Some(member) => {
                read(&member.value).map_err(|misfit| malformed(member.position, misfit.text(name)))
            }
            // No required member can be null: that says what may stand there.
            None => read(&Value::Null).map_err(|misfit| {
                malformed(self.position, format!("{name:?} is missing; it must be {}", misfit.needed))
            }),
        }
    }

    /// Reads a member that can be left out.
    pub(crate) fn if_given<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<Option<T>, Error> {
        self.get(name).map(|_| self.required(name, read)).transpose()
    }

    /// Reads a member that can be left out or null.
    pub(crate) fn optional<T>(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Result<T, Misfit>,
    ) -> Result<Option<T>, Error> {
        let given = self.get(name).is_some_and(|member| !member.value.is_null());
        given.then(|| self.required(name, read)).transpose()
    }
}
