//! Rule on packages: each published crate has the metadata of a package, and can be packaged after its dependencies.

use anyhow::Result;
use serde_json::Value;

use super::{Context, Remarks, none};
use crate::packages;

/// Names of packages of others on the registry, which dependents of ours would get instead. `cargo info NAME` finds them;
/// the other names of published crates were free in December 2026.
const TAKEN: [&str; 1] = ["batch-loader"];

/// Keys of a manifest that the registry shows.
const KEYS: [&str; 6] = ["description", "repository", "readme", "license", "keywords", "categories"];

/// Files of a package that are not its source.
const FILES: [&str; 3] = ["CHANGELOG.md", "LICENSE", "README.md"];

pub(super) fn check(context: &Context<'_>, _: &mut Remarks) -> Result<()> {
    let published = context.members.iter().filter(|member| member.published).collect::<Vec<_>>();
    let mut found = Vec::new();
    for member in &published {
        let package = context
            .metadata
            .packages()
            .iter()
            .find(|package| package["source"].is_null() && package["name"] == member.name.as_str());
        found.extend(package.map(faults).unwrap_or_default());
        // Cargo packages links as the files they lead to, and leaves out without a word what is not there.
        found.extend(FILES.iter().filter(|file| !member.folder.join(file).is_file()).map(|file| {
            format!("{}: there is no {file}, which its package is to hold (a link will do)", member.name)
        }));
    }
    none(found)?;
    packages::pack(context.root, context.metadata, context.members).map(drop)
}

/// Returns the missing metadata of a package.
fn faults(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let is_missing = |key: &&&str| match &package[**key] {
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => true,
    };
    let mut faults = KEYS
        .iter()
        .filter(is_missing)
        .map(|key| format!("{name}: [package] has no {key}"))
        .collect::<Vec<_>>();
    if TAKEN.contains(&name) {
        faults.push(format!("{name}: the registry has a package of this name, of others; choose another"));
    }
    if package["metadata"]["docs"]["rs"]["all-features"] != true {
        faults.push(format!("{name}: [package.metadata.docs.rs] does not say all-features = true"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::faults;

    #[test]
    fn metadata_of_a_package_are_complete() {
        let mut package = json!({
            "name": "a", "description": "b", "repository": "c", "readme": "d", "license": "e", "keywords": ["f"],
            "categories": ["g"], "metadata": {"docs": {"rs": {"all-features": true}}},
        });
        assert_eq!(faults(&package), Vec::<String>::new());
        package["name"] = json!("batch-loader");
        assert_eq!(faults(&package).len(), 1);
        package["metadata"]["docs"]["rs"] = json!({});
        package["keywords"] = json!([]);
        package["readme"] = json!(null);
        assert_eq!(faults(&package).len(), 4);
    }
}
