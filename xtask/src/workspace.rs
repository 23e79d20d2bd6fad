//! Locations: the root, the members, and files on disk.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::process;

/// The edition of the workspace, which rustfmt has to be told.
pub const EDITION: &str = "2024";

/// The folder of the root manifest.
pub fn root() -> PathBuf {
    // Cargo tells where the manifest is when it runs this program. What was true at compile time
    // serves only those who start the program themselves.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().unwrap_or(&here).to_owned()
}

/// Returns every file with this extension below a folder, sorted; none if the folder does not exist.
pub fn files_under(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut out = files(folder, &[])?;
    out.retain(|path| path.extension().is_some_and(|found| found == extension));
    Ok(out)
}

/// Returns every file below a folder, sorted, except files in folders of these names; none if the folder does not
/// exist. Symbolic links are left out: packages of crates have them to pages and fixtures, which are found where they are.
pub fn files(folder: &Path, skipped: &[&str]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_symlink() {
                continue;
            }
            if !kind.is_dir() {
                out.push(path);
            } else if path.file_name().is_none_or(|name| skipped.iter().all(|skipped| name != *skipped)) {
                folders.push(path);
            }
        }
    }
    out.sort();
    Ok(out)
}

/// Returns the manifests of the workspaces in this repository that are not the one of its root, which commands for `--workspace`
/// and `--all` pass over.
pub fn other_workspaces(root: &Path) -> Result<Vec<PathBuf>> {
    let mut manifests = files(root, &["target", ".git", "node_modules"])?;
    let own = root.join("Cargo.toml");
    manifests.retain(|path| path.file_name().is_some_and(|name| name == "Cargo.toml") && *path != own);
    let mut found = Vec::new();
    for manifest in manifests {
        let text =
            fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
        if text.lines().any(|line| line.trim() == "[workspace]") {
            found.push(manifest);
        }
    }
    Ok(found)
}

/// A member of the workspace, as `cargo metadata` describes it.
#[derive(Debug, Default)]
pub struct Member {
    /// The package's name.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// The oldest compiler that its manifest promises.
    pub rust_version: String,
    /// The folder of its manifest.
    pub folder: PathBuf,
    /// Its features, `default` left out.
    pub features: Vec<String>,
    /// The features that are on by default.
    pub default_features: Vec<String>,
    /// Its targets as (kind, name).
    pub targets: Vec<(String, String)>,
    /// Its dependencies as (name, kind), where the kind is `normal`, `dev` or `build`.
    pub dependencies: Vec<(String, String)>,
    /// Whether it may be published.
    pub published: bool,
}

impl Member {
    /// Whether the package promises another compiler than the workspace, a newer one.
    pub fn has_newer_compiler(&self) -> bool {
        self.rust_version != env!("CARGO_PKG_RUST_VERSION")
    }

    /// Whether the package has a target of this kind and name.
    pub fn has_target(&self, kind: &str, name: &str) -> bool {
        self.targets.iter().any(|(k, n)| k == kind && n == name)
    }

    /// Returns the name of its library, which need not be that of the package; empty where it has none.
    #[cfg(feature = "generate")]
    pub fn lib_target(&self) -> &str {
        let library = self.targets.iter().find(|(kind, _)| kind == "lib");
        library.map_or("", |(_, name)| name)
    }

    /// Whether the package has a target of this kind.
    pub fn has_kind(&self, kind: &str) -> bool {
        self.targets.iter().any(|(k, _)| k == kind)
    }
}

/// Output of `cargo metadata`.
pub struct Metadata {
    value: Value,
}

impl Metadata {
    /// Asks cargo, dependencies included.
    pub fn load(root: &Path) -> Result<Self> {
        Self::ask(root, &["--all-features"])
    }

    /// Asks cargo about the members only, which needs no network and no lock.
    pub fn load_members(root: &Path) -> Result<Self> {
        Self::ask(root, &["--no-deps"])
    }

    fn ask(root: &Path, args: &[&str]) -> Result<Self> {
        let mut command = process::cargo(root);
        command.args(["metadata", "--format-version", "1"]).args(args);
        let text = process::output(&mut command)?;
        let value = serde_json::from_str(&text).context("`cargo metadata` wrote what is not JSON")?;
        Ok(Self { value })
    }

    /// Every package, dependencies included if they were asked for.
    pub fn packages(&self) -> &[Value] {
        self.value["packages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns the value of a key.
    pub fn value(&self, key: &str) -> &Value {
        &self.value[key]
    }

    /// Cargo's target directory.
    pub fn target_directory(&self) -> PathBuf {
        PathBuf::from(text(&self.value["target_directory"]))
    }

    /// Writes the development profile of our manifest as a file of configuration, so that another workspace compiles what both need as
    /// it was compiled here, and not once more.
    #[cfg(feature = "generate")]
    pub fn development_profile(&self, root: &Path) -> Result<PathBuf> {
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        let lines = manifest.lines().skip_while(|line| *line != "[profile.dev]");
        let lines = lines.take_while(|line| !line.starts_with('[') || line.starts_with("[profile.dev"));
        let path = self.target_directory().join("profile.toml");
        fs::create_dir_all(self.target_directory())?;
        fs::write(&path, lines.map(|line| format!("{line}\n")).collect::<String>())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// The members, in the order of the root manifest.
    pub fn members(&self) -> Vec<Member> {
        let ids = self.value["workspace_members"].as_array().map_or(&[][..], Vec::as_slice);
        ids.iter()
            .filter_map(|id| self.packages().iter().find(|package| &package["id"] == id))
            .map(member)
            .collect()
    }
}

fn member(package: &Value) -> Member {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut features: Vec<String> =
        package["features"].as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    features.retain(|feature| feature != "default");
    let default = &package["features"]["default"];
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    Member {
        name: text(&package["name"]).to_owned(),
        version: text(&package["version"]).to_owned(),
        rust_version: text(&package["rust_version"]).to_owned(),
        folder: manifest.parent().unwrap_or(&manifest).to_owned(),
        features,
        default_features: list(default).iter().map(|feature| text(feature).to_owned()).collect(),
        targets: list(&package["targets"])
            .iter()
            .flat_map(|target| {
                let name = text(&target["name"]).to_owned();
                list(&target["kind"])
                    .iter()
                    .map(|kind| (text(kind).to_owned(), name.clone()))
                    .collect::<Vec<_>>()
            })
            .collect(),
        dependencies: list(&package["dependencies"])
            .iter()
            .map(|dependency| {
                let kind = dependency["kind"].as_str().unwrap_or("normal");
                (text(&dependency["name"]).to_owned(), kind.to_owned())
            })
            .collect(),
        // Absent means any registry; an empty list means none.
        published: package["publish"].as_array().is_none_or(|registries| !registries.is_empty()),
    }
}

/// The text of a JSON string; empty for anything else.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_beside_that_of_the_root_are_those_that_it_excludes() {
        let root = root();
        let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the manifest");
        let line = manifest.lines().find_map(|line| line.strip_prefix("exclude = ")).expect("a line");
        let mut excluded =
            line.split('"').skip(1).step_by(2).map(|folder| root.join(folder)).collect::<Vec<_>>();
        excluded.sort();
        let found = other_workspaces(&root).expect("a list");
        assert_eq!(found.iter().filter_map(|path| path.parent()).collect::<Vec<_>>(), excluded);
        assert!(excluded.len() > 3);
    }
}
