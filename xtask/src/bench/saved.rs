//! `benches/results.jsonl`: the figures behind `RESULTS.md`, so that a part of the tables can be measured again.
//!
//! One line of JSON a job.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::job::{Figure, Job, Measured};
use crate::workspace::text;

/// Reads the file; nothing if it is not there.
pub fn read(path: &Path) -> Result<BTreeMap<Job, Measured>> {
    let lines = match fs::read_to_string(path) {
        Ok(lines) => lines,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let parsed = lines.lines().map(parse).collect::<Result<_>>();
    parsed.with_context(|| format!("{} is damaged; remove it and measure all anew", path.display()))
}

/// Writes the file.
pub fn write(path: &Path, measured: &BTreeMap<Job, Measured>) -> Result<()> {
    let lines: String = measured.iter().map(|(job, result)| format!("{}\n", line(job, result))).collect();
    fs::write(path, lines).with_context(|| format!("cannot write {}", path.display()))
}

fn line(job: &Job, result: &Measured) -> Value {
    let peers = result.peers.iter().map(|(name, figure)| json!([name, figure.to_json()]));
    let turns = result.turns.iter().map(|turn| turn.iter().map(Figure::to_json).collect::<Vec<_>>());
    json!({
        "task": job.task, "set": job.set, "from": job.from, "threads": job.threads,
        "run": result.run,
        "ours": result.ours.iter().map(Figure::to_json).collect::<Vec<_>>(),
        "peers": peers.collect::<Vec<_>>(),
        "turns": turns.collect::<Vec<_>>(),
    })
}

fn parse(line: &str) -> Result<(Job, Measured)> {
    let value: Value = serde_json::from_str(line)?;
    let threads = value["threads"].as_u64().and_then(|threads| threads.try_into().ok());
    let threads = threads.context("no number of threads")?;
    let job = Job::new(text(&value["task"]), text(&value["set"]), text(&value["from"]), threads);
    let figures = |key: &str| value[key].as_array().with_context(|| format!("no `{key}`"));
    let parsed =
        |figures: &[Value]| figures.iter().map(|figure| Figure::parse(&figure.to_string())).collect();
    let turns = figures("turns")?.iter().map(|turn| parsed(turn.as_array().context("a turn is no list")?));
    let peers = figures("peers")?
        .iter()
        .map(|peer| Ok((text(&peer[0]).to_owned(), Figure::parse(&peer[1].to_string())?)));
    let measured = Measured {
        ours: parsed(figures("ours")?)?,
        peers: peers.collect::<Result<_>>()?,
        turns: turns.collect::<Result<_>>()?,
        run: text(&value["run"]).to_owned(),
    };
    Ok((job, measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile();
        let path = folder.join("results.jsonl");
        assert!(read(&path).unwrap().is_empty());
        let figure = Figure::parse(
            r#"{"bytes": 8, "seconds_min": 0.5, "seconds_median": 0.5, "tensors": 2, "tensor_bytes": 16, "version": "x 1"}"#,
        )
        .unwrap();
        let measured = BTreeMap::from([
            (
                Job::new("tensors", "sparse@1024", "memory", 1),
                Measured {
                    ours: vec![figure.clone()],
                    peers: vec![("tfx-bsl-adapter".to_owned(), figure.clone())],
                    turns: Vec::new(),
                    run: "once".to_owned(),
                },
            ),
            (
                Job::new("avro", "avro_flat", "file", 2),
                Measured {
                    ours: vec![figure.clone()],
                    peers: Vec::new(),
                    turns: vec![vec![figure.clone(), figure]],
                    run: "again".to_owned(),
                },
            ),
        ]);
        write(&path, &measured).unwrap();
        assert_eq!(read(&path).unwrap(), measured);
        fs::write(&path, "{}\n").unwrap();
        assert!(format!("{:#}", read(&path).unwrap_err()).contains("measure all anew"));
        fs::remove_dir_all(folder).unwrap();
    }

    fn tempfile() -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-saved-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}
