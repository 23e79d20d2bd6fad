//! Names of types, as they are looked up from inside a package or a message.

use std::collections::HashMap;

/// Type that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Message(usize),
    Enum(usize),
}

/// Names of all types, and the scope from which they are looked up.
///
/// A name is found by its first part, however deep the scope is: the names that each scope declares are noted when it
/// is entered. A caller that enters scopes in the order of their names enters each of them once.
pub(super) struct Names<'a> {
    known: &'a HashMap<String, Type>,
    /// Packages and types; the root is the first.
    nodes: Vec<NameNode<'a>>,
    /// The scope, and its enclosing ones: their own names, and their nodes if they declare something.
    way: Vec<(String, Option<usize>)>,
    scope: String,
    /// Types that a name refers to in the scope and its enclosing ones, the innermost last.
    types: HashMap<&'a str, Vec<Type>>,
    /// The same of packages and messages that declare something.
    scopes: HashMap<&'a str, Vec<usize>>,
}

#[derive(Default)]
struct NameNode<'a> {
    children: HashMap<&'a str, usize>,
    found: Option<Type>,
}

impl<'a> Names<'a> {
    pub(super) fn new(known: &'a HashMap<String, Type>) -> Self {
        let mut nodes = vec![NameNode::default()];
        for (name, found) in known {
            let mut at = 0;
            for part in name.split('.') {
                let next = nodes.len();
                let Some(node) = nodes.get_mut(at) else { break };
                at = *node.children.entry(part).or_insert(next);
                if at == next {
                    nodes.push(NameNode::default());
                }
            }
            if let Some(node) = nodes.get_mut(at) {
                node.found = Some(*found);
            }
        }
        let (types, scopes) = (HashMap::new(), HashMap::new());
        let mut names = Self { known, nodes, way: Vec::new(), scope: String::new(), types, scopes };
        names.note(Some(0), true);
        names
    }

    /// Returns the type of a name: with a dot before it of the full name, and otherwise as it is seen from a scope. There, the
    /// innermost type of that name counts; of a name with dots, the innermost package or message of its first part has the
    /// rest, as for `protoc`.
    pub(super) fn find(&mut self, name: &str, scope: &str) -> Option<Type> {
        if let Some(full) = name.strip_prefix('.') {
            return self.known.get(full).copied();
        }
        self.enter(scope);
        let Some((first, rest)) = name.split_once('.') else {
            return self.types.get(name)?.last().copied();
        };
        let mut node = self.nodes.get(*self.scopes.get(first)?.last()?)?;
        for part in rest.split('.') {
            node = self.nodes.get(*node.children.get(part)?)?;
        }
        node.found
    }

    /// Looks from another scope.
    fn enter(&mut self, scope: &str) {
        if self.scope == scope {
            return;
        }
        let parts = || scope.split('.').filter(|part| !part.is_empty());
        let common = parts().zip(&self.way).take_while(|(part, (known, _))| part == known).count();
        while self.way.len() > common {
            let node = self.way.pop().and_then(|(_, node)| node);
            self.note(node, false);
        }
        for part in parts().skip(common) {
            let outer = self.way.last().map_or(Some(0), |(_, node)| *node);
            let node = outer.and_then(|outer| self.nodes.get(outer)?.children.get(part).copied());
            self.way.push((part.to_owned(), node));
            self.note(node, true);
        }
        scope.clone_into(&mut self.scope);
    }

    /// Notes what a scope declares, or forgets it.
    fn note(&mut self, node: Option<usize>, is_entered: bool) {
        let Some(node) = node.and_then(|node| self.nodes.get(node)) else { return };
        for (name, child) in &node.children {
            let Some(inner) = self.nodes.get(*child) else { continue };
            if let Some(found) = inner.found {
                let types = self.types.entry(name).or_default();
                if is_entered {
                    types.push(found);
                } else {
                    types.pop();
                }
            }
            if !inner.children.is_empty() {
                let scopes = self.scopes.entry(name).or_default();
                if is_entered {
                    scopes.push(*child);
                } else {
                    scopes.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Names, Type};

    #[test]
    fn the_innermost_scope_counts() {
        let full = ["A", "p.A", "p.q.B", "p.M", "p.M.A", "p.M.M", "p.M.M.X", "q.B", "p.M.q"];
        let known: HashMap<String, Type> =
            full.iter().enumerate().map(|(index, name)| ((*name).to_owned(), Type::Message(index))).collect();
        let mut names = Names::new(&known);
        for (scope, name, expected) in [
            ("", "A", Some("A")),
            ("", "p.A", Some("p.A")),
            ("", "M", None),
            ("p", "A", Some("p.A")),
            ("p", ".A", Some("A")),
            ("p", "q.B", Some("p.q.B")),
            ("p.M", "A", Some("p.M.A")),
            ("p.M", "M", Some("p.M.M")),
            ("p.M", "M.X", Some("p.M.M.X")),
            // The innermost `M` has no `A`.
            ("p.M", "M.A", None),
            // The innermost `q` is a message that declares nothing.
            ("p.M", "q.B", Some("p.q.B")),
            ("p.M.M", "X", Some("p.M.M.X")),
            ("p.M.M", "q", Some("p.M.q")),
            ("p.none.at.all", "A", Some("p.A")),
            ("q", "B", Some("q.B")),
            ("q", "p.M.A", Some("p.M.A")),
            ("", "B", None),
        ] {
            let found = expected.and_then(|expected| known.get(expected)).copied();
            assert_eq!(names.find(name, scope), found, "{name} in {scope:?}");
        }
    }

    #[test]
    fn a_deep_scope_costs_no_more_than_another() {
        let names = (0..2000).map(|number| format!("T{number}")).collect::<Vec<_>>();
        let known: HashMap<String, Type> =
            names.iter().enumerate().map(|(index, name)| (name.clone(), Type::Enum(index))).collect();
        let mut seen = Names::new(&known);
        let deep = ["x"; 200].join(".");
        for (index, name) in names.iter().enumerate() {
            assert_eq!(seen.find(name, &deep), Some(Type::Enum(index)));
        }
    }
}
