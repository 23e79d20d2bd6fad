//! Compilers that packages need, and the members that bring them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::workspace::{Metadata, text};

/// The packages and who needs whom.
pub(super) struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    /// For each package, the packages that need it.
    needs: BTreeMap<&'a str, Vec<&'a str>>,
    members: Vec<&'a str>,
    promised: &'a str,
    later: Vec<Later<'a>>,
}

/// A feature that promises a newer compiler than its member.
struct Later<'a> {
    member: &'a str,
    feature: &'a str,
    promised: &'a str,
    /// The packages that it alone brings.
    brings: Vec<&'a str>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(metadata: &'a Metadata) -> Self {
        Self::of(
            metadata.packages(),
            metadata.value("workspace_members"),
            &metadata.value("resolve")["nodes"],
        )
    }

    fn of(packages: &'a [Value], members: &'a Value, nodes: &'a Value) -> Self {
        let list = |value: &'a Value| value.as_array().map_or(&[][..], Vec::as_slice);
        let packages = packages.iter().map(|package| (text(&package["id"]), package));
        let packages = packages.collect::<BTreeMap<_, _>>();
        let needs = list(nodes).iter().map(|node| {
            let needed = list(&node["dependencies"]).iter().map(text).collect();
            (text(&node["id"]), needed)
        });
        let mut needs = needs.collect::<BTreeMap<_, Vec<_>>>();
        let members = list(members).iter().map(text).collect::<Vec<_>>();
        let mut later = Vec::new();
        for &member in &members {
            let Some(package) = packages.get(member) else { continue };
            for (feature, promised) in promises(package) {
                let names = brought(package, feature);
                let is_brought =
                    |id: &&str| packages.get(id).is_some_and(|needed| names.contains(&text(&needed["name"])));
                let needed = needs.entry(member).or_default();
                let brings = needed.iter().copied().filter(is_brought).collect();
                needed.retain(|id| !is_brought(id));
                later.push(Later { member, feature, promised, brings });
            }
        }
        let versions =
            members.iter().filter_map(|id| packages.get(id)).map(|member| text(&member["rust_version"]));
        let promised = versions.min_by_key(|promised| version(promised)).unwrap_or_default();
        Self { packages, needs, members, promised, later }
    }

    /// Returns the version that the workspace promises: that of the member that promises the oldest.
    pub(super) fn promised(&self) -> &'a str {
        self.promised
    }

    /// Returns the names of the members that promise a newer compiler, and of the members that always need one of
    /// these.
    pub(super) fn newer(&self) -> Vec<&'a str> {
        let members = self.members.iter().filter_map(|id| self.packages.get(id).copied());
        let mut newer = members.clone().filter(|member| self.is_newer(member)).collect::<Vec<_>>();
        let names = newer.iter().map(|member| text(&member["name"])).collect::<Vec<_>>();
        newer.extend(members.filter(|member| {
            let mut needed = member["dependencies"].as_array().into_iter().flatten();
            needed.any(|needed| {
                needed["optional"] == Value::Bool(false) && names.contains(&text(&needed["name"]))
            })
        }));
        let newer = newer.into_iter().map(|member| text(&member["name"])).collect::<BTreeSet<_>>();
        newer.into_iter().collect()
    }

    /// Returns the features of the other members, as `member/feature`, except features that need newer members or
    /// compilers.
    pub(super) fn features(&self) -> Vec<String> {
        let newer = self.newer();
        let members = self.members.iter().filter_map(|id| self.packages.get(id));
        let members = members.filter(|member| !newer.contains(&text(&member["name"])));
        let mut all = BTreeMap::new();
        for member in members {
            let later = promises(member).map(|(feature, _)| feature).collect::<Vec<_>>();
            let features = member["features"].as_object().into_iter().flatten();
            for (feature, enabled) in features.filter(|(feature, _)| !later.contains(&feature.as_str())) {
                let enabled = enabled.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
                all.insert((text(&member["name"]), feature.as_str()), enabled);
            }
        }
        // What enables a feature that is left out is left out, too.
        loop {
            let before = all.len();
            let known = all.keys().copied().collect::<BTreeSet<_>>();
            all.retain(|(member, _), enabled| {
                enabled.iter().all(|enabled| {
                    let (package, feature) = match enabled.split_once('/') {
                        Some((package, feature)) => (package.trim_end_matches('?'), Some(feature)),
                        None => match enabled.strip_prefix("dep:") {
                            Some(package) => (package, None),
                            None => (*member, Some(*enabled)),
                        },
                    };
                    let is_ours = known.iter().any(|(member, _)| *member == package);
                    !newer.contains(&package)
                        && feature.is_none_or(|feature| !is_ours || known.contains(&(package, feature)))
                })
            });
            if all.len() == before {
                return all.into_keys().map(|(member, feature)| format!("{member}/{feature}")).collect();
            }
        }
    }

    /// Returns the packages that need a newer compiler than the members that bring them promise.
    pub(super) fn findings(&self) -> Vec<String> {
        let is_newer = |id: &&'a str| self.packages.get(*id).is_some_and(|member| self.is_newer(member));
        let (newer, others) = self.members.iter().copied().partition::<Vec<&'a str>, _>(is_newer);
        let mut findings = BTreeSet::new();
        for member in &others {
            let promised = self.packages.get(*member).map_or("", |member| text(&member["rust_version"]));
            if version(promised) != version(self.promised) {
                findings.insert(format!("{}: states no rust-version", self.name(member)));
            }
        }
        self.too_new(self.reached(&others, &newer), self.promised, "we promise", &mut findings);
        for member in newer {
            let Some(package) = self.packages.get(member) else { continue };
            let promised = text(&package["rust_version"]);
            let says = format!("{} promises", text(&package["name"]));
            self.too_new(self.reached(&[member], &[]), promised, &says, &mut findings);
        }
        for Later { member, feature, promised, brings } in &self.later {
            let says = format!("{}/{feature} promises", self.name(member));
            self.too_new(self.reached(brings, &[]), promised, &says, &mut findings);
        }
        findings.into_iter().collect()
    }

    fn is_newer(&self, member: &Value) -> bool {
        version(text(&member["rust_version"])) > version(self.promised)
    }

    fn name(&self, id: &'a str) -> &'a str {
        self.packages.get(id).map_or(id, |package| text(&package["name"]))
    }

    fn too_new(&self, ids: BTreeSet<&str>, promised: &str, says: &str, findings: &mut BTreeSet<String>) {
        for package in ids.iter().filter_map(|id| self.packages.get(id)) {
            let needs = text(&package["rust_version"]);
            if version(needs) > version(promised) {
                let (name, version) = (text(&package["name"]), text(&package["version"]));
                findings.insert(format!("{name} {version} needs Rust {needs}, {says} {promised}"));
            }
        }
    }

    /// Returns the packages that some need, themselves included, not by way of others.
    fn reached(&self, from: &[&'a str], not_by: &[&'a str]) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut next = from.to_vec();
        while let Some(id) = next.pop() {
            if !not_by.contains(&id) && found.insert(id) {
                next.extend(self.needs.get(id).into_iter().flatten());
            }
        }
        found
    }
}

/// Returns the features of a package that promise a compiler of their own, and which.
fn promises(package: &Value) -> impl Iterator<Item = (&str, &str)> {
    let promises = package["metadata"]["rust-version"].as_object().into_iter().flatten();
    promises.map(|(feature, promised)| (feature.as_str(), text(promised)))
}

/// Returns the names of the optional dependencies that a feature brings, and no other one.
fn brought<'a>(package: &'a Value, feature: &str) -> Vec<&'a str> {
    let features = || package["features"].as_object().into_iter().flatten();
    let of = |enabled: &'a Value| enabled.as_array().into_iter().flatten();
    let brings = |enabled: &'a Value| of(enabled).filter_map(|enabled| text(enabled).strip_prefix("dep:"));
    let (its, others) = features().partition::<Vec<_>, _>(|(name, _)| *name == feature);
    let by_others = others.into_iter().flat_map(|(_, enabled)| brings(enabled)).collect::<BTreeSet<_>>();
    let its = its.into_iter().flat_map(|(_, enabled)| brings(enabled));
    its.filter(|name| !by_others.contains(name)).collect()
}

/// Returns the numbers of `1.95` or `1.95.0`; an empty version sorts first.
fn version(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = text.split('.').filter_map(|number| number.parse().ok()).collect();
    numbers.resize(3, 0);
    numbers
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(version("1.95"), version("1.95.0"));
        assert!(version("1.100") > version("1.95.1"));
        assert!(version("") < version("1.0"));
    }

    /// `front` has a feature for `newer`, which brings `engine`.
    fn workspace(front_needs: &[&str], engine: &str) -> (Vec<Value>, Value, Value) {
        let package =
            |id: &str, needs: &str| json!({"id": id, "name": id, "version": "1.0.0", "rust_version": needs});
        let mut front = package("front", "1.89");
        front["features"] =
            json!({"small": [], "more": ["dep:newer"], "all": ["small", "more"], "some": ["small"]});
        front["dependencies"] = json!([{"name": "newer", "optional": true}]);
        let mut command = package("command", "1.89");
        command["features"] = json!({"small": ["front/small"], "more": ["front/more"]});
        let packages = vec![front, command, package("newer", "1.94"), package("engine", engine)];
        let nodes = json!([
            {"id": "front", "dependencies": front_needs},
            {"id": "newer", "dependencies": ["engine"]},
        ]);
        (packages, json!(["front", "command", "newer"]), nodes)
    }

    #[test]
    fn what_only_a_newer_member_brings_may_need_what_it_promises() {
        for (front_needs, engine, expected) in [
            (["newer"].as_slice(), "1.94", vec![]),
            (&["newer"], "1.95", vec!["engine 1.0.0 needs Rust 1.95, newer promises 1.94"]),
            (&["newer", "engine"], "1.94", vec!["engine 1.0.0 needs Rust 1.94, we promise 1.89"]),
        ] {
            let (packages, members, nodes) = workspace(front_needs, engine);
            assert_eq!(Graph::of(&packages, &members, &nodes).findings(), expected, "{front_needs:?}");
        }
    }

    #[test]
    fn what_only_a_feature_brings_may_need_what_it_promises() {
        for (promised, other, expected) in [
            (Some("1.95"), "dep:small", vec![]),
            (Some("1.94"), "dep:small", vec!["editor 2.0.0 needs Rust 1.95, command/shell promises 1.94"]),
            (Some("1.95"), "dep:editor", vec!["editor 2.0.0 needs Rust 1.95, we promise 1.89"]),
            (None, "dep:small", vec!["editor 2.0.0 needs Rust 1.95, we promise 1.89"]),
        ] {
            let mut command = json!({"id": "command", "name": "command", "rust_version": "1.89"});
            command["features"] = json!({"shell": ["dep:editor"], "other": [other]});
            command["metadata"] =
                json!({"rust-version": promised.map(|promised| json!({"shell": promised}))});
            let editor = json!({"id": "e", "name": "editor", "version": "2.0.0", "rust_version": "1.95"});
            let packages = [command, editor];
            let (members, nodes) = (json!(["command"]), json!([{"id": "command", "dependencies": ["e"]}]));
            let graph = Graph::of(&packages, &members, &nodes);
            assert_eq!(graph.findings(), expected, "{promised:?} {other}");
            let features = graph.features();
            assert_eq!(features.contains(&"command/shell".to_owned()), promised.is_none(), "{features:?}");
        }
    }

    #[test]
    fn features_for_a_newer_member_are_left_out() {
        let (packages, members, nodes) = workspace(&["newer"], "1.94");
        let graph = Graph::of(&packages, &members, &nodes);
        assert_eq!((graph.promised(), graph.newer()), ("1.89", vec!["newer"]));
        assert_eq!(graph.features(), ["command/small", "front/small", "front/some"]);
    }
}
