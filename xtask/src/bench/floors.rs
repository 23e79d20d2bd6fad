//! What we hold ourselves to: at least so many times a peer, or so many bytes a second.

use super::job::Job;

/// A floor against a peer: ours divided by the peer's, same data, same run, one core.
#[derive(Debug)]
pub struct Floor {
    task: &'static str,
    set: &'static str,
    from: &'static str,
    peer: &'static str,
    /// At least this many times the peer.
    pub at_least: f64,
    /// Where tuning should lead, if that can be said as a multiple.
    pub aim: Option<f64>,
}

const fn floor(
    task: &'static str,
    set: &'static str,
    from: &'static str,
    peer: &'static str,
    at_least: f64,
    aim: Option<f64>,
) -> Floor {
    Floor { task, set, from, peer, at_least, aim }
}

const FLOORS: &[Floor] = &[
    floor("decode", "criteo", "memory", "tfx-bsl", 12.0, Some(20.0)),
    floor("decode", "criteo", "memory", "parse_example", 5.0, Some(8.0)),
    floor("decode", "dense", "memory", "parse_example", 2.0, None),
    floor("decode", "multi", "memory", "tfx-bsl", 6.0, Some(10.0)),
    floor("decode", "multi", "memory", "parse_example", 3.5, Some(6.0)),
    floor("decode", "wide", "memory", "tfx-bsl", 14.0, Some(25.0)),
    floor("decode", "wide", "memory", "parse_example", 4.0, Some(8.0)),
    floor("decode", "wide5", "memory", "parse_example", 5.0, Some(10.0)),
    floor("decode", "sequence", "memory", "tfx-bsl", 8.0, None),
    floor("decode", "sequence", "memory", "parse_sequence_example", 4.0, None),
    floor("encode", "criteo", "memory", "tfx-bsl-encoder", 10.0, Some(15.0)),
    floor("scan", "criteo.gz", "file", "tf.data", 2.3, Some(4.0)),
    floor("tensors", "dense_default@1024", "memory", "tfx-bsl-adapter", 10.0, None),
    floor("tensors", "dense_default@32768", "memory", "tfx-bsl-adapter", 10.0, None),
    floor("tensors", "dense_strings@1024", "memory", "tfx-bsl-adapter", 10.0, None),
    floor("tensors", "dense_strings@32768", "memory", "tfx-bsl-adapter", 10.0, None),
    floor("tensors", "varlen_sparse@1024", "memory", "tfx-bsl-adapter", 1.5, None),
    floor("tensors", "varlen_sparse@32768", "memory", "tfx-bsl-adapter", 1.5, None),
    floor("tensors", "sparse@1024", "memory", "tfx-bsl-adapter", 1.5, None),
    floor("tensors", "sparse@32768", "memory", "tfx-bsl-adapter", 1.5, None),
    floor("avro", "avro_flat", "file", "arrow-avro", 2.0, None),
    floor("avro", "avro_nested", "file", "arrow-avro", 2.0, None),
    floor("avro", "avro_flat2", "file", "arrow-avro", 4.0, None),
    floor("avro", "avro_nested2", "file", "arrow-avro", 4.0, None),
    floor("avro_tensors", "avro_flat", "memory", "parse_avro", 100.0, None),
    floor("avro_tensors", "avro_nested", "memory", "parse_avro", 100.0, None),
    floor("avro_tensors", "avro_flat", "file", "atds", 10.0, None),
    floor("avro_tensors", "avro_flat2", "file", "atds", 10.0, None),
    floor("load", "mnist", "file", "tf.data", 5.0, None),
    floor("load", "mnist_padded", "file", "tf.data", 10.0, None),
    floor("load", "mnist_padded", "file", "tf.data-example", 10.0, None),
    floor("load", "stream_window", "file", "tf.data", 20.0, None),
];

/// The floor for this job against this peer, if there is one.
pub fn against(job: &Job, peer: &str) -> Option<&'static Floor> {
    FLOORS.iter().find(|floor| {
        job.threads == 1
            && (floor.task, floor.set, floor.from, floor.peer) == (&*job.task, &*job.set, &*job.from, peer)
    })
}

/// A floor of our own.
#[derive(Debug)]
pub struct OwnFloor {
    /// What it says.
    pub about: &'static str,
    /// The job that is measured.
    pub job: Job,
    /// What its speed is compared with.
    pub against: Against,
    /// The least quotient, or the least speed in 10^6 bytes a second; of tensors the most microseconds for one.
    pub at_least: f64,
}

/// What a floor of our own compares with.
#[derive(Debug)]
pub enum Against {
    /// Nothing: the floor is a speed.
    Nothing,
    /// Another job of ours: the floor is a quotient.
    Ours(Job),
    /// Two jobs of ours on the same data, one after the other: the floor is a quotient.
    Both(Job, Job),
    /// Nothing: the limit is the time for a tensor.
    TensorTime,
}

/// Tensors that share all their memory with the columns.
const SHARED: [&str; 6] = [
    "dense_fixed@1024",
    "dense_fixed@32768",
    "dense_lists@1024",
    "dense_lists@32768",
    "ragged@1024",
    "ragged@32768",
];

/// The floors of our own.
pub fn own() -> Vec<OwnFloor> {
    let decode = |set, threads| Job::new("decode", set, "memory", threads);
    let mut floors = vec![
        OwnFloor {
            about: "framing with both checksums, from memory",
            job: Job::new("scan", "criteo", "memory", 1),
            against: Against::Nothing,
            at_least: 5000.0,
        },
        OwnFloor {
            about: "framing with both checksums, from the page cache",
            job: Job::new("scan", "criteo", "file", 1),
            against: Against::Nothing,
            at_least: 2500.0,
        },
        OwnFloor {
            about: "features in random order, beside sorted ones",
            job: decode("criteo_shuf", 1),
            against: Against::Ours(decode("criteo", 1)),
            at_least: 0.75,
        },
        OwnFloor {
            about: "two cores, beside one",
            job: decode("criteo", 2),
            against: Against::Ours(decode("criteo", 1)),
            at_least: 1.8,
        },
    ];
    for set in SHARED {
        floors.push(OwnFloor {
            about: "a tensor that shares all its memory, at most",
            job: Job::new("tensors", set, "memory", 1),
            against: Against::TensorTime,
            at_least: 1.0,
        });
    }
    let avro = |set: &str, threads| Job::new("avro", set, "file", threads);
    for set in ["avro_flat", "avro_nested"] {
        for codec in ["deflate", "snappy"] {
            let compressed = format!("{set}.{codec}");
            floors.push(OwnFloor {
                about: "decompressing and decoding, beside the one and then the other",
                job: avro(&compressed, 1),
                against: Against::Both(Job::new("avro_blocks", &compressed, "file", 1), avro(set, 1)),
                at_least: 0.87,
            });
        }
        for stored in [set.to_owned(), format!("{set}.deflate")] {
            floors.push(OwnFloor {
                about: "blocks side by side on two cores, beside one",
                job: avro(&stored, 2),
                against: Against::Ours(avro(&stored, 1)),
                at_least: 1.7,
            });
        }
    }
    floors
}

/// The jobs of ours that this one is compared with by a floor of our own; none if there is no such floor.
pub fn beside(job: &Job) -> Vec<Job> {
    let floor = own().into_iter().find(|floor| floor.job == *job);
    match floor.map(|floor| floor.against) {
        None | Some(Against::Nothing | Against::TensorTime) => Vec::new(),
        Some(Against::Ours(other)) => vec![other],
        Some(Against::Both(first, second)) => vec![first, second],
    }
}

/// Every job that a floor of our own needs.
pub fn own_jobs() -> Vec<Job> {
    let mut jobs = Vec::new();
    for floor in own() {
        jobs.extend(beside(&floor.job));
        jobs.push(floor.job);
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_for_one_core() {
        let job = |threads| Job::new("decode", "wide", "memory", threads);
        assert_eq!(against(&job(1), "tfx-bsl").unwrap().at_least, 14.0);
        assert!(against(&job(2), "tfx-bsl").is_none());
        assert!(against(&job(1), "protobuf").is_none());
    }

    #[test]
    fn a_job_has_one_floor_of_our_own_at_most() {
        let jobs: Vec<_> = own().into_iter().map(|floor| floor.job).collect();
        assert!(jobs.iter().enumerate().all(|(at, job)| !jobs[..at].contains(job)));
        let avro = |set, threads| Job::new("avro", set, "file", threads);
        assert_eq!(beside(&avro("avro_flat", 2)), [avro("avro_flat", 1)]);
        assert!(beside(&avro("avro_flat", 1)).is_empty());
    }

    #[test]
    fn aims_lie_above_floors() {
        for floor in FLOORS {
            assert!(floor.aim.is_none_or(|aim| aim > floor.at_least), "{floor:?}");
        }
    }
}
