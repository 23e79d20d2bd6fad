//! `benches/RESULTS.md`: the figures beside the peers', with the command that makes each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::floors::{self, Against, Floor, OwnFloor};
use super::job::{Figure, Job, LOAD, Measured, TURNS};

/// How a floor that was missed is marked.
pub const MISSED: &str = "**missed**";

const START: &str = "# Results

Written by `cargo xtask bench --peers`; do not edit.

MB/s are 10^6 bytes of the uncompressed file (payload and 16 bytes a record; of Avro the records alone) a second: \
best of five runs (of three where they are long), the median in brackets. Ours and the peers ran by turns on the same data, each in a \
process of its own, bound to as many processors as it has threads, in batches of 1,024 where nothing else is said; \
each line has the run of ours that came just before the peer's. *Ratio* is ours divided by the peer's, best by best; \
*floor* is the least we accept, *aim* where tuning should lead. Memory is the peak of the whole process in 10^6 \
bytes, input and, for the peers, Python included.

The data are made by `python benches/peers/gen_data.py DATA`; `benches/peers/README.md` says what is in them, what \
the peers do, and how to install them.
";

/// Task, title, what is to be said.
const SECTIONS: &[(&str, &str, &str)] = &[
    (
        "decode",
        "tf.Example and tf.SequenceExample to columns",
        "`parse_example` and `parse_sequence_example` make tensors, ours and tfx-bsl make Arrow columns.",
    ),
    ("encode", "Columns to tf.Example", ""),
    ("scan", "Records", ""),
    (
        "tensors",
        "Columns to tensors",
        "MB/s here are those of the tensors: values (8 bytes for a string), indices and row splits. Tensors that \
         share all their memory are made in a time that does not depend on their size.",
    ),
    (
        "avro",
        "Avro to columns",
        "`avro_flat2` and `avro_nested2` are two of the fields. arrow-avro inflates with the same zlib-rs as ours; fastavro makes \
         Python objects.",
    ),
    (
        "avro_tensors",
        "Avro to tensors",
        "By key expressions and feature specs. `parse_avro` gets serialised records in memory, ours the file in memory.",
    ),
    (
        LOAD,
        "Files to batches",
        "From files to batches of 128 examples, which are records or windows; ours counts as well the time of building the \
         loader. `mnist`: images and labels, shuffled. `mnist_padded`: with tokens of varying number, padded: `tf.data` and \
         ours read SequenceExamples, the others the same values in Examples; `tf.data-parser` pads while it parses whole \
         batches. `stream_window`: windows of 64 steps of 8 floats, 16 apart.",
    ),
];

/// The whole file.
pub fn render(measured: &BTreeMap<Job, Measured>) -> String {
    let mut out = String::from(START);
    for (task, title, remark) in SECTIONS {
        section(&mut out, task, title, remark, measured);
    }
    own_floors(&mut out, measured);
    commands(&mut out, measured);
    out
}

fn section(out: &mut String, task: &str, title: &str, remark: &str, measured: &BTreeMap<Job, Measured>) {
    let jobs: Vec<_> =
        measured.iter().filter(|(job, result)| job.task == task && !result.peers.is_empty()).collect();
    if jobs.is_empty() {
        return;
    }
    let runs: BTreeSet<_> = jobs.iter().map(|(_, result)| result.run.as_str()).collect();
    let versions: BTreeSet<_> = jobs
        .iter()
        .flat_map(|(_, result)| result.peers.iter().map(|(_, figure)| figure.version.as_str()))
        .filter(|version| !version.is_empty())
        .collect();
    let text = format!("Measured {}. Peers: {}. {remark}", join(runs, "; "), join(versions, ", "));
    put(out, format_args!("\n## {title}\n\n{}", text.trim_end()));
    let (columns, count, row): (_, _, Row) = match task {
        "tensors" => (
            "tensors | rows a batch | ours µs | ours MB/s | peer | peer µs | peer MB/s | ratio | floor | ",
            10,
            tensor_row,
        ),
        LOAD => (
            "way | ours examples/s | peer | peer examples/s | ratio | floor | | our memory | peer's memory",
            9,
            load_row,
        ),
        _ => (
            "set | from | ours MB/s | peer | peer MB/s | ratio | floor | aim | | our memory | peer's memory",
            11,
            speed_row,
        ),
    };
    put(out, format_args!("\n\n| {columns} |\n|{}\n", " --- |".repeat(count)));
    for (job, result) in jobs {
        for (ours, (peer, theirs)) in result.ours.iter().zip(&result.peers) {
            let floor = floors::against(job, peer);
            row(out, job, ours, peer, theirs, floor);
        }
    }
}

/// Writes the line of a job, of ours and a peer.
type Row = fn(&mut String, &Job, &Figure, &str, &Figure, Option<&Floor>);

fn speed_row(out: &mut String, job: &Job, ours: &Figure, peer: &str, theirs: &Figure, floor: Option<&Floor>) {
    let ratio = ours.best / theirs.best;
    put(
        out,
        format_args!(
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
        ),
    );
}

fn tensor_row(
    out: &mut String,
    job: &Job,
    ours: &Figure,
    peer: &str,
    theirs: &Figure,
    floor: Option<&Floor>,
) {
    let (set, batch) = job.set_and_batch();
    let ratio = ours.best / theirs.best;
    let number = |value: Option<f64>| value.map_or_else(String::new, short);
    put(
        out,
        format_args!(
            "| {set} | {batch} | {} | {} | {peer} | {} | {} | {ratio:.1}× | {} | {} |\n",
            number(ours.us_per_tensor()),
            number(ours.tensor_mb_per_s()),
            number(theirs.us_per_tensor()),
            number(theirs.tensor_mb_per_s()),
            times(floor.map(|floor| floor.at_least)),
            floor.map_or("", |floor| verdict(ratio, floor.at_least, floor.aim)),
        ),
    );
}

fn load_row(out: &mut String, job: &Job, ours: &Figure, peer: &str, theirs: &Figure, floor: Option<&Floor>) {
    let (Some(us), Some(them)) = (ours.records_per_s(), theirs.records_per_s()) else { return };
    let ratio = us.0 / them.0;
    put(
        out,
        format_args!(
            "| {} | {:.0} ({:.0}) | {peer} | {:.0} ({:.0}) | {ratio:.1}× | {} | {} | {} | {} |\n",
            job.set,
            us.0,
            us.1,
            them.0,
            them.1,
            times(floor.map(|floor| floor.at_least)),
            floor.map_or("", |floor| verdict(ratio, floor.at_least, floor.aim)),
            memory(ours.peak_rss_mb),
            memory(theirs.peak_rss_mb),
        ),
    );
}

fn own_floors(out: &mut String, measured: &BTreeMap<Job, Measured>) {
    let rows: String = floors::own().iter().filter_map(|floor| own_floor(floor, measured)).collect();
    if !rows.is_empty() {
        put(
            out,
            format_args!(
                "\n## Floors of our own\n\nEach of the run of its section above. Where ours is beside ours, both \
                 ran by turns, {TURNS} times; the turn with the median quotient stands here.\n\n\
                 | what | set | ours | floor | |\n| --- | --- | --- | --- | --- |\n{rows}"
            ),
        );
    }
}

/// The line of a floor whose jobs were all measured.
fn own_floor(floor: &OwnFloor, measured: &BTreeMap<Job, Measured>) -> Option<String> {
    let result = measured.get(&floor.job)?;
    let limit = floor.at_least;
    let (found, wanted, is_met) = match &floor.against {
        Against::Nothing => {
            let ours = result.ours.first()?.best;
            (format!("{ours:.0} MB/s"), format!("{limit:.0} MB/s"), ours >= limit)
        }
        Against::Ours(_) | Against::Both(..) => {
            let (ratio, turn) = median_turn(&result.turns)?;
            let (ours, others) = turn.split_first()?;
            let between = if others.len() == 1 { " of" } else { " MB/s;" };
            let others: Vec<_> = others.iter().map(|figure| format!("{:.0}", figure.best)).collect();
            let found = format!("{ratio:.2}× ({:.0}{between} {} MB/s)", ours.best, others.join(" and "));
            (found, format!("{limit}×"), ratio >= limit)
        }
        Against::TensorTime => {
            let time = result.ours.first()?.us_per_tensor()?;
            (format!("{} µs", short(time)), format!("{limit} µs"), time <= limit)
        }
    };
    let verdict = if is_met { "met" } else { MISSED };
    let set = floor.job.set.replace('@', ", batches of ");
    Some(format!("| {} | {set} | {found} | {wanted} | {verdict} |\n", floor.about))
}

/// The turn whose quotient is the median, and the quotient: the first speed by that of doing all the others' work one
/// after the other.
fn median_turn(turns: &[Vec<Figure>]) -> Option<(f64, &[Figure])> {
    let quotient = |turn: &[Figure]| {
        let (ours, others) = turn.split_first()?;
        Some(ours.best * others.iter().map(|other| 1.0 / other.best).sum::<f64>())
    };
    let mut turns: Vec<_> =
        turns.iter().filter_map(|turn| Some((quotient(turn)?, turn.as_slice()))).collect();
    turns.sort_by(|one, other| one.0.total_cmp(&other.0));
    turns.get(turns.len() / 2).copied()
}

fn commands(out: &mut String, measured: &BTreeMap<Job, Measured>) {
    out.push_str(
        "\n## Commands\n\nAll of it: `cargo xtask bench --peers --data DATA`; one section again: the same with `--only TASK`. One \
         figure of a peer:\n\n```sh\npython benches/peers/peers.py --data DATA --match TASK/PEER/SET/FROM\n\
         cargo run --release -p benches --features arrow-avro --bin measure -- avro DATA/SET.avro --from file --arrow-avro\n```\n\n\
         One of ours:\n\n```sh\n",
    );
    for job in measured.keys() {
        let pin = if job.threads == 1 { "taskset -c 0 " } else { "" };
        let words = job.args("DATA").join(" ");
        put(out, format_args!("{pin}cargo run --release -p benches --bin measure -- {words}\n"));
    }
    out.push_str("```\n");
}

/// Writing to a string cannot fail.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn join(words: BTreeSet<&str>, between: &str) -> String {
    words.into_iter().collect::<Vec<_>>().join(between)
}

fn times(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value}×"))
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

/// Small numbers with decimals.
fn short(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn memory(megabytes: Option<f64>) -> String {
    megabytes.map_or_else(String::new, |megabytes| format!("{megabytes:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(best: f64) -> Figure {
        Figure {
            best,
            median: best * 0.9,
            peak_rss_mb: Some(10.0),
            version: "x 1.0".to_owned(),
            tensors: None,
            bytes: 1e6,
            records: Some(1e4),
        }
    }

    /// 40 tensors of 8 MB altogether, of a file of 1 MB.
    fn tensors(best: f64) -> Figure {
        Figure { tensors: Some((40.0, 8e6)), ..figure(best) }
    }

    fn measured(ours: Vec<Figure>, peers: &[(&str, Figure)]) -> Measured {
        let peers = peers.iter().map(|(name, figure)| ((*name).to_owned(), figure.clone())).collect();
        Measured { ours, peers, turns: Vec::new(), run: "today".to_owned() }
    }

    /// Ours beside others of ours, by their speeds.
    fn beside(turns: &[&[f64]]) -> Measured {
        let turns = turns.iter().map(|turn| turn.iter().copied().map(figure).collect()).collect();
        Measured { turns, ..measured(vec![figure(1.0)], &[]) }
    }

    #[test]
    fn says_which_floors_are_met() {
        let peers = [("tfx-bsl", figure(40.0)), ("parse_example", figure(250.0))];
        let avro = |set, threads| Job::new("avro", set, "file", threads);
        let all = BTreeMap::from([
            (
                Job::new("decode", "criteo", "memory", 1),
                measured(vec![figure(1000.0), figure(1010.0)], &peers),
            ),
            (
                Job::new("decode", "criteo", "memory", 2),
                beside(&[&[1900.0, 1000.0], &[1700.0, 1000.0], &[500.0, 1000.0]]),
            ),
            (
                Job::new("tensors", "ragged@1024", "memory", 1),
                measured(vec![tensors(50_000.0)], &[("tfx-bsl-adapter", tensors(2500.0))]),
            ),
            (
                Job::new("load", "mnist_padded", "file", 1),
                measured(vec![figure(90.0)], &[("tf.data", Figure { bytes: 2e6, ..figure(10.0) })]),
            ),
            (avro("avro_flat", 1), measured(vec![figure(1000.0)], &[("arrow-avro", figure(500.0))])),
            (avro("avro_flat.snappy", 1), beside(&[&[450.0, 1000.0, 1000.0]])),
        ]);
        let text = render(&all);
        for line in [
            "| criteo | memory | 1000 (900) | tfx-bsl | 40 (36) | 25.0× | 12× | 20× | aim met | 10 | 10 |",
            "| criteo | memory | 1010 (909) | parse_example | 250 (225) | 4.0× | 5× | 8× | **missed** | 10 | 10 |",
            "| two cores, beside one | criteo | 1.70× (1700 of 1000 MB/s) | 1.8× | **missed** |",
            "| ragged | 1024 | 0.50 | 400000 | tfx-bsl-adapter | 10.00 | 20000 | 20.0× |  |  |",
            "| a tensor that shares all its memory, at most | ragged, batches of 1024 | 0.50 µs | 1 µs | met |",
            "| avro_flat | file | 1000 (900) | arrow-avro | 500 (450) | 2.0× | 2× |  | met | 10 | 10 |",
            "| mnist_padded | 900000 (810000) | tf.data | 50000 (45000) | 18.0× | 10× | met | 10 | 10 |",
            "| avro_flat.snappy | 0.90× (450 MB/s; 1000 and 1000 MB/s) | 0.87× | met |",
            "Measured today. Peers: x 1.0. `parse_example`",
        ] {
            assert!(text.contains(line), "{line}\nis not in\n{text}");
        }
        assert!(text.ends_with("```\n"));
        assert!(text.lines().all(|line| !line.ends_with(' ')), "{text}");
    }
}
