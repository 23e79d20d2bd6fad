//! Reading the figures that criterion leaves in its folders.
//!
//! Each benchmark has a folder with `new/benchmark.json` (its name and the bytes of one iteration) and
//! `new/estimates.json` (nanoseconds of one iteration), and the same files for each saved baseline.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace;

/// A benchmark now and in the baseline. Times are medians in nanoseconds for one iteration: a median
/// stays where it is when something else on the machine wakes up for a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The benchmark's name, `group/function/value`.
    pub name: String,
    /// The time in the baseline, if it is there.
    pub before: Option<f64>,
    /// The time now.
    pub now: f64,
    /// The bytes of one iteration, if the benchmark says.
    pub bytes: Option<u64>,
}

impl Change {
    /// By which share the time grew; negative when it shrank.
    pub fn growth(&self) -> Option<f64> {
        self.before.filter(|before| *before > 0.0).map(|before| self.now / before - 1.0)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(before), Some(growth)) = (self.before, self.growth()) {
            write!(f, "{:+6.1} %  {} -> ", growth * 100.0, time(before))?;
        }
        f.write_str(&time(self.now))?;
        if let Some(bytes) = self.bytes {
            // Bytes a nanosecond are gigabytes a second.
            write!(f, ", {:.2} GB/s", bytes as f64 / self.now)?;
        }
        write!(f, "  {}", self.name)
    }
}

/// Nanoseconds in a fitting unit.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{value:.2} {unit}")
}

/// Every benchmark that ran since `started`, sorted by name.
pub fn changes(home: &Path, baseline: &str, started: SystemTime) -> Result<Vec<Change>> {
    let mut out = Vec::new();
    for path in workspace::files_under(home, "json")? {
        let Some(new) = path.parent().filter(|folder| folder.ends_with("new")) else { continue };
        if path.file_name().is_none_or(|name| name != "estimates.json") {
            continue;
        }
        // Folders of benchmarks that have another name by now stay behind.
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
        if modified.is_ok_and(|modified| modified < started) {
            continue;
        }
        let about = read(&new.join("benchmark.json"))?;
        let old = new.with_file_name(baseline).join("estimates.json");
        out.push(Change {
            name: workspace::text(&about["full_id"]).to_owned(),
            before: if old.is_file() { Some(median(&read(&old)?, &old)?) } else { None },
            now: median(&read(&path)?, &path)?,
            bytes: about["throughput"]["Bytes"].as_u64(),
        });
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}

fn median(estimates: &Value, path: &Path) -> Result<f64> {
    estimates["median"]["point_estimate"]
        .as_f64()
        .with_context(|| format!("{} has no median", path.display()))
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_criterion_writes() {
        let home = std::env::temp_dir().join(format!("xtask-criterion-{}", std::process::id()));
        let write = |folder: &str, file: &str, text: &str| {
            let folder = home.join("group").join("case").join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(file), text).unwrap();
        };
        write("new", "benchmark.json", r#"{"full_id": "group/case", "throughput": {"Bytes": 4000}}"#);
        write("new", "estimates.json", r#"{"median": {"point_estimate": 2000.0}}"#);
        write("base", "estimates.json", r#"{"median": {"point_estimate": 1.0}}"#);
        let early = SystemTime::UNIX_EPOCH;
        let found = changes(&home, "saved", early).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].growth(), None);
        assert_eq!(found[0].to_string(), "2.00 µs, 2.00 GB/s  group/case");

        write("saved", "estimates.json", r#"{"median": {"point_estimate": 1600.0}}"#);
        let found = changes(&home, "saved", early).unwrap();
        assert_eq!(found[0].to_string(), " +25.0 %  1.60 µs -> 2.00 µs, 2.00 GB/s  group/case");

        let later = SystemTime::now() + std::time::Duration::from_secs(3600);
        assert_eq!(changes(&home, "saved", later).unwrap(), [], "left by an earlier run");
        fs::remove_dir_all(&home).unwrap();
    }
}
