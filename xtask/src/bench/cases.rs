//! Which jobs are measured, and beside which peers.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::floors;
use super::job::{Job, Measured};

/// The jobs, each with the names of the peers' cases for it. Besides those of the peers there are the
/// jobs for which we have floors of our own.
pub fn jobs(
    names: &[String],
    filter: Option<&str>,
    only: Option<&str>,
) -> Result<BTreeMap<Job, Vec<String>>> {
    let mut jobs: BTreeMap<Job, Vec<String>> = BTreeMap::new();
    for name in names {
        let [task, _, set, from] = name.split('/').collect::<Vec<_>>()[..] else {
            bail!("peers.py lists `{name}`, which is not TASK/PEER/SET/SOURCE");
        };
        jobs.entry(Job::new(task, set, from, 1)).or_default().push(name.clone());
    }
    for job in floors::own_jobs() {
        jobs.entry(job).or_default();
    }
    if let Some(tasks) = only {
        jobs.retain(|job, _| is_chosen(job, tasks));
        if jobs.is_empty() {
            bail!("there is no task `{tasks}`");
        }
    }
    if let Some(text) = filter {
        jobs.retain(|job, names| {
            names.retain(|name| name.contains(text));
            !names.is_empty() || format!("{}/ours/{}/{}", job.task, job.set, job.from).contains(text)
        });
        if jobs.is_empty() {
            bail!("no case has a name that holds `{text}`");
        }
    }
    Ok(jobs)
}

/// The tasks of which not all jobs were measured beside all peers.
pub fn missing(wanted: &BTreeMap<Job, Vec<String>>, measured: &BTreeMap<Job, Measured>) -> Vec<String> {
    let is_missing = |(job, names): &(&Job, &Vec<String>)| {
        let compared = !floors::beside(job).is_empty();
        let is_whole =
            |result: &Measured| result.peers.len() == names.len() && result.turns.is_empty() != compared;
        !measured.get(job).is_some_and(is_whole)
    };
    let mut tasks: Vec<_> = wanted.iter().filter(is_missing).map(|(job, _)| job.task.clone()).collect();
    tasks.dedup();
    tasks
}

/// Whether one of the tasks, given with commas between them, is the job's, or the beginning of its name.
fn is_chosen(job: &Job, tasks: &str) -> bool {
    tasks.split(',').any(|task| !task.is_empty() && job.task.starts_with(task))
}

/// The peer of a case, by the case's name.
pub fn peer_of(name: &str) -> &str {
    name.split('/').nth(1).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::job::Figure;
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn peers_of_one_job_come_together() {
        let names = names(&["decode/tfx-bsl/criteo/memory", "decode/parse_example/criteo/memory"]);
        let jobs = jobs(&names, None, None).unwrap();
        assert_eq!(jobs[&Job::new("decode", "criteo", "memory", 1)], names);
        for job in floors::own_jobs() {
            assert!(jobs.contains_key(&job), "{job:?}");
        }
    }

    #[test]
    fn a_filter_keeps_single_peers() {
        let names = names(&["decode/tfx-bsl/wide/file", "decode/parse_example/wide/file"]);
        let found = jobs(&names, Some("parse_example"), None).unwrap();
        assert_eq!(found.into_values().collect::<Vec<_>>(), [["decode/parse_example/wide/file"]]);
        assert!(jobs(&names, Some("no such"), None).is_err());
        assert!(jobs(&["odd".to_owned()], None, None).is_err());
    }

    #[test]
    fn a_table_without_some_rows_is_not_written() {
        let jobs = jobs(&names(&["decode/tfx-bsl/wide/file", "decode/parse_example/wide/file"]), None, None)
            .unwrap();
        let figure = Figure::parse(r#"{"bytes": 1, "seconds_min": 1, "seconds_median": 1}"#).unwrap();
        let result = |job: &Job, names: &[String]| Measured {
            ours: vec![figure.clone()],
            turns: floors::beside(job).iter().map(|_| vec![figure.clone(); 2]).collect(),
            peers: names.iter().map(|name| (peer_of(name).to_owned(), figure.clone())).collect(),
            run: String::new(),
        };
        let mut measured: BTreeMap<_, _> =
            jobs.iter().map(|(job, names)| (job.clone(), result(job, names))).collect();
        assert!(missing(&jobs, &measured).is_empty());
        measured.get_mut(&Job::new("decode", "wide", "file", 1)).unwrap().peers.pop();
        measured.remove(&Job::new("avro", "avro_flat", "file", 2));
        assert_eq!(missing(&jobs, &measured), ["avro", "decode"]);
    }

    #[test]
    fn some_tasks_and_those_that_begin_so() {
        let names = names(&["decode/tfx-bsl/wide/file", "avro/fastavro/avro_flat/file"]);
        let found = jobs(&names, None, Some("avro,encode")).unwrap();
        assert!(found.keys().all(|job| job.task.starts_with("avro")), "{found:?}");
        assert!(found.keys().any(|job| job.task == "avro_blocks"), "{found:?}");
        assert!(jobs(&names, None, Some("no such")).is_err());
    }
}
