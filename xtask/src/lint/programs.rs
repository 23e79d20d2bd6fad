//! The rule on test programs: each crate has as many as the table allows.
//!
//! A program of integration tests costs a link with everything below it, which takes longer than most of what it tests.
//! A new file of tests is a module of the program `suite`; another program needs a reason, which is listed here.

use anyhow::Result;

use super::{Context, Remarks, none};
use crate::workspace::Member;

/// The programs of integration tests beside `suite`, by member, and why they are programs of their own.
const BESIDE_SUITE: &[(&str, &[&str])] = &[
    // `golden` is run by itself, with the lines that it prints.
    ("avro-path", &["golden"]),
    // `events` sets what is set once for a process.
    ("tfxio-batch-loader", &["golden", "events"]),
    // `mutation` has the harness of fuzzing, which holds one of `suite` too.
    ("example-codec", &["golden", "mutation"]),
    ("tensor-repr", &["golden"]),
    // `damaged` counts the panics of its process, and `examples` runs in the root of the repository.
    ("tfxio", &["golden", "damaged", "examples"]),
    // `own_format` is the command as well, and has no harness.
    ("tfxio-cli", &["cli", "own_format"]),
    ("tfxio-stats", &["golden"]),
    // One file of tests each, under its own name.
    ("message-codec", &["messages"]),
    ("tfxio-base", &["unfinished"]),
    ("tfxio-core", &["seam"]),
];

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    none(context.members.iter().flat_map(faults).collect())
}

/// Returns the programs of a member that the table does not allow.
fn faults(member: &Member) -> Vec<String> {
    let table = BESIDE_SUITE.iter().find(|(name, _)| *name == member.name);
    let allowed = table.map_or(&[][..], |(_, programs)| programs);
    let programs = member.targets.iter().filter(|(kind, _)| kind == "test").map(|(_, name)| name.as_str());
    let more = programs.filter(|name| *name != "suite" && !allowed.contains(name));
    more.map(|name| {
        format!(
            "{}: `{name}` is one more program of tests, which is linked by itself; make it a module of tests/suite/main.rs, or \
             give the reason in xtask/src/lint/programs.rs",
            member.name
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_the_table_does_not_have_are_named() {
        let member = |name: &str, programs: &[&str]| Member {
            name: name.to_owned(),
            targets: programs.iter().map(|&name| ("test".to_owned(), name.to_owned())).collect(),
            ..Member::default()
        };
        assert!(faults(&member("avro-path", &["golden", "suite"])).is_empty());
        assert!(faults(&member("new", &["suite"])).is_empty());
        let found = faults(&member("tfxio", &["suite", "reading", "golden"]));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("tfxio: `reading` is one more program"), "{found:?}");
    }
}
