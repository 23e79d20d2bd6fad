//! `benches/RESULTS.md`: the figures beside the peers', with the command that makes each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use super::floors::{self, Against};
use super::job::{Job, Measured};
use crate::process;

/// How a floor that was missed is marked.
pub const MISSED: &str = "**missed**";

/// What the figures were made on.
pub struct Machine {
    /// The processor's name and how many of them.
    pub processor: String,
    /// The operating system.
    pub system: String,
    /// The Rust compiler.
    pub rustc: String,
    /// Whether processes were bound to processors.
    pub pinned: bool,
}

impl Machine {
    /// This one.
    pub fn this(pinned: bool) -> Self {
        let name = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        });
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        let rustc = process::output(Command::new("rustc").arg("--version"));
        Self {
            processor: format!("{count} × {}", name.as_deref().unwrap_or(std::env::consts::ARCH)),
            system: std::env::consts::OS.to_owned(),
            rustc: rustc.map_or_else(|_| "rustc".to_owned(), |text| text.trim().to_owned()),
            pinned,
        }
    }
}

/// The whole file.
pub fn render(machine: &Machine, measured: &BTreeMap<Job, Measured>) -> String {
    let versions: BTreeSet<&str> = measured
        .values()
        .flat_map(|job| job.peers.iter().map(|(_, figure)| figure.version.as_str()))
        .filter(|version| !version.is_empty())
        .collect();
    let mut out = String::from("# Results\n\nWritten by `cargo xtask bench --peers`; do not edit.\n\n");
    out.push_str(&format!(
        "Machine: {}, {}, {}. Peers: {}. {}\n\n",
        machine.processor,
        machine.system,
        machine.rustc,
        versions.into_iter().collect::<Vec<_>>().join(", "),
        if machine.pinned {
            "Each process was bound to as many processors as it has threads."
        } else {
            "Processes were not bound to processors."
        }
    ));
    out.push_str(
        "MB/s are 10^6 bytes of the uncompressed file (payload and 16 bytes a record) a second: best of five \
         runs, the median in brackets. Ours and the peers ran by turns on the same data, each in a process of \
         its own, in batches of 1,024; each line has the run of ours that came just before the peer's. *Ratio* \
         is ours divided by the peer's, best by best; *floor* is the least we accept, *aim* where tuning \
         should lead. `parse_example` makes tensors, ours and tfx-bsl make Arrow columns. Memory is the peak of \
         the whole process in 10^6 bytes, input and, for the peers, Python included.\n\n\
         The data are made by `python benches/peers/gen_data.py DATA`; `benches/peers/README.md` says what \
         is in them and how to install the peers.\n",
    );
    for (task, title) in
        [("decode", "tf.Example to columns"), ("encode", "Columns to tf.Example"), ("scan", "Records")]
    {
        beside_peers(&mut out, task, title, measured);
    }
    own_floors(&mut out, measured);
    commands(&mut out, measured);
    out
}

fn beside_peers(out: &mut String, task: &str, title: &str, measured: &BTreeMap<Job, Measured>) {
    let jobs: Vec<_> =
        measured.iter().filter(|(job, result)| job.task == task && !result.peers.is_empty()).collect();
    if jobs.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {title}\n\n"));
    out.push_str(
        "| set | from | ours MB/s | peer | peer MB/s | ratio | floor | aim | | our memory | peer's memory |\n",
    );
    out.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (job, result) in jobs {
        for (ours, (peer, theirs)) in result.ours.iter().zip(&result.peers) {
            let ratio = ours.best / theirs.best;
            let floor = floors::against(job, peer);
            let times = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value}×"));
            out.push_str(&format!(
                "| {} | {} | {:.0} ({:.0}) | {peer} | {:.0} ({:.0}) | {ratio:.1}× | {} | {} | {} | {} | {} |\n",
                job.set,
                job.from,
                ours.best,
                ours.median,
                theirs.best,
                theirs.median,
                times(floor.map(|floor| floor.at_least)),
                times(floor.and_then(|floor| floor.aim)),
                floor.map_or("", |floor| verdict(ratio, floor.at_least, floor.aim)),
                memory(ours.peak_rss_mb),
                memory(theirs.peak_rss_mb),
            ));
        }
    }
}

fn own_floors(out: &mut String, measured: &BTreeMap<Job, Measured>) {
    let speed = |job: &Job| Some(measured.get(job)?.ours.first()?.best);
    let mut rows = String::new();
    for floor in floors::own() {
        let Some(ours) = speed(&floor.job) else { continue };
        let (found, wanted, met) = match &floor.against {
            Against::Nothing => {
                (format!("{ours:.0} MB/s"), format!("{:.0} MB/s", floor.at_least), ours >= floor.at_least)
            }
            Against::Ours(other) => {
                let Some(other) = speed(other) else { continue };
                let ratio = ours / other;
                (
                    format!("{ratio:.2}× ({ours:.0} of {other:.0} MB/s)"),
                    format!("{}×", floor.at_least),
                    ratio >= floor.at_least,
                )
            }
        };
        let met = if met { "met" } else { MISSED };
        rows.push_str(&format!("| {} | {} | {found} | {wanted} | {met} |\n", floor.about, floor.job.set));
    }
    if !rows.is_empty() {
        out.push_str(
            "\n## Floors of our own\n\n| what | set | ours | floor | |\n| --- | --- | --- | --- | --- |\n",
        );
        out.push_str(&rows);
    }
}

fn commands(out: &mut String, measured: &BTreeMap<Job, Measured>) {
    out.push_str("\n## Commands\n\nAll of it: `cargo xtask bench --peers --data DATA`. One figure of a peer:\n\n```sh\n");
    out.push_str("python benches/peers/peers.py --data DATA --match TASK/PEER/SET/FROM\n```\n\nOne of ours:\n\n```sh\n");
    for job in measured.keys() {
        let pin = if job.threads == 1 { "taskset -c 0 " } else { "" };
        out.push_str(&format!(
            "{pin}cargo run --release -p benches --bin measure -- {}\n",
            job.args("DATA").join(" ")
        ));
    }
    out.push_str("```\n");
}

fn verdict(ratio: f64, at_least: f64, aim: Option<f64>) -> &'static str {
    if ratio < at_least {
        MISSED
    } else if aim.is_some_and(|aim| ratio >= aim) {
        "aim met"
    } else {
        "met"
    }
}

fn memory(megabytes: Option<f64>) -> String {
    megabytes.map_or_else(String::new, |megabytes| format!("{megabytes:.0}"))
}

#[cfg(test)]
mod tests {
    use super::super::job::Figure;
    use super::*;

    fn figure(best: f64) -> Figure {
        Figure { best, median: best * 0.9, peak_rss_mb: Some(10.0), version: "x 1.0".to_owned() }
    }

    fn machine() -> Machine {
        Machine {
            processor: "1 × p".to_owned(), system: "s".to_owned(), rustc: "r".to_owned(), pinned: true
        }
    }

    #[test]
    fn says_which_floors_are_met() {
        let job = Job::new("decode", "criteo", "memory", 1);
        let two = Job::new("decode", "criteo", "memory", 2);
        let measured = BTreeMap::from([
            (
                job,
                Measured {
                    ours: vec![figure(1000.0), figure(1010.0)],
                    peers: vec![
                        ("tfx-bsl".to_owned(), figure(40.0)),
                        ("parse_example".to_owned(), figure(250.0)),
                    ],
                },
            ),
            (two, Measured { ours: vec![figure(1700.0)], peers: Vec::new() }),
        ]);
        let text = render(&machine(), &measured);
        for line in [
            "| criteo | memory | 1000 (900) | tfx-bsl | 40 (36) | 25.0× | 12× | 20× | aim met | 10 | 10 |",
            "| criteo | memory | 1010 (909) | parse_example | 250 (225) | 4.0× | 5× | 8× | **missed** | 10 | 10 |",
            "| two cores, beside one | criteo | 1.70× (1700 of 1000 MB/s) | 1.8× | **missed** |",
        ] {
            assert!(text.contains(line), "{line}\nis not in\n{text}");
        }
        assert!(text.contains("Peers: x 1.0."), "each version once: {text}");
        assert!(text.ends_with("```\n"));
    }
}
