//! Loaders of parts: whatever the number of hosts, the batches of each part are the same as on one host without
//! interruption.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use batch_loader::config::{LoaderConfig, Shard, Shuffle};
use batch_loader::{BatchLoader, ElasticState, Kind, LoaderBuilder};
use proptest::prelude::*;
use tfrecord_io::Compression;
use tfxio_core::Dataset;
use tfxio_formats::OpenOptions;

use crate::data;

const PARTS: u32 = 12;
const HOSTS: [u32; 6] = [1, 2, 3, 4, 6, 12];
const WAITING: [&str; 6] = [
    "",
    r#", "pack": {"length": 9, "open_rows": 3}"#,
    r#", "pack": {"length": 7, "split": true}"#,
    r#", "padding": true, "max_tokens": {"tokens": 20}"#,
    r#", "padding": true, "bucket_by_length": {"tensor": "v", "boundaries": [3, 5], "batch_sizes": [4, 3, 2]}"#,
    r#", "padding": true"#,
];
const ORDERS: [&str; 4] = [
    "",
    r#", "shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#,
    r#", "shuffle": "global""#,
    r#", "shuffle": "blocks""#,
];

/// Writes sequences of 1 to 6 steps in some files, numbered on.
fn write(dir: &Path, lengths: &[Vec<usize>]) {
    data::sequences(dir, lengths, Compression::None);
}

fn config(dir: &Path, kind: &str, more: &str) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 2, "drop_remainder": false, "epochs": 2, "seed": 3{}{more}"#,
        if more.contains("padding") || more.contains("pack") { "" } else { r#", "padding": true"# }
    );
    data::config(kind, dir, "v", &more)
}

type Values = (Vec<usize>, Vec<i64>);

/// Takes at most `most` batches of a host, each with the number of its part: the one whose state counts one more.
fn take(
    builder: LoaderBuilder,
    host: Shard,
    state: Option<&ElasticState>,
    most: usize,
) -> (Vec<(u32, Values)>, ElasticState) {
    let mut loader = builder.shard(host).build_elastic(PARTS, state).unwrap();
    let mut batches = Vec::new();
    let mut counts = counts(&loader.state());
    while batches.len() < most
        && let Some(batch) = loader.next_batch().unwrap()
    {
        let after = self::counts(&loader.state());
        let grown = after.iter().filter(|(part, count)| counts[part] != **count).collect::<Vec<_>>();
        let [(&part, &count)] = grown[..] else { panic!("a batch of one part, not of {grown:?}") };
        assert_eq!(count, counts[&part] + 1);
        batches.push((part, data::values(&batch, "v")));
        counts = after;
    }
    (batches, ElasticState::from_json(&loader.state().to_json()).unwrap())
}

/// Takes all batches of a part.
fn take_part(builder: LoaderBuilder, part: u32) -> Vec<Values> {
    let (batches, _) = take(builder, Shard { index: part, count: PARTS }, None, usize::MAX);
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// Returns the number of batches that each part has given.
fn counts(state: &ElasticState) -> BTreeMap<u32, u64> {
    state.states().map(|(part, state)| (part, state.batches())).collect()
}

/// Checks that a chain of runs, each of some hosts that take some rounds, gives the batches of each part in order.
fn check(builder: &dyn Fn() -> LoaderBuilder, chain: &[(u32, usize)]) {
    // As many hosts as parts.
    let expected = (0..PARTS).map(|part| take_part(builder(), part)).collect::<Vec<_>>();
    let mut given = vec![Vec::new(); PARTS as usize];
    let mut state: Option<ElasticState> = None;
    for (step, &(count, rounds)) in chain.iter().enumerate() {
        let is_last = step + 1 == chain.len();
        let most = if is_last { usize::MAX } else { rounds * (PARTS / count) as usize };
        let mut states = Vec::new();
        for index in 0..count {
            let (batches, after) = take(builder(), Shard { index, count }, state.as_ref(), most);
            for (part, batch) in batches {
                given[part as usize].push(batch);
            }
            states.push(after);
        }
        state = Some(ElasticState::merge(states).unwrap());
    }
    for (part, (given, expected)) in given.iter().zip(&expected).enumerate() {
        assert_eq!(given, expected, "part {part} of {chain:?}");
    }
}

/// Parts that end within a run leave unequal counts on their host.
#[test]
fn parts_of_unequal_lengths_do_not_depend_on_hosts() {
    let dir = tempfile::tempdir().unwrap();
    let lengths = (0..24).map(|file| vec![1 + file % 6; if file % 5 == 1 { 1 } else { 4 + file }]);
    write(dir.path(), &lengths.collect::<Vec<_>>());
    for waiting in WAITING {
        let config = config(dir.path(), "independent", waiting);
        let builder = || data::builder(config.clone(), "v");
        for chain in [&[(3, 1), (1, 3), (1, 2), (4, 9)][..], &[(1, 5), (2, 3), (2, 2), (1, 9)]] {
            check(&builder, chain);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn batches_of_a_part_do_not_depend_on_hosts(
        lengths in prop::collection::vec(prop::collection::vec(1..7usize, 0..40), 1..16),
        waiting in 0..WAITING.len(),
        order in 0..ORDERS.len(),
        chain in prop::collection::vec((prop::sample::select(HOSTS.to_vec()), 0..4usize), 1..4),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut lengths = lengths;
        lengths.resize(20, vec![2; 12]);
        write(dir.path(), &lengths);
        let config = config(dir.path(), "independent", &format!("{}{}", ORDERS[order], WAITING[waiting]));
        check(&|| data::builder(config.clone(), "v"), &chain);
    }
}

/// Three data sets, of which record `r` of the `d`-th is `1000 · d + r`, each in 12 files.
fn mixture(dir: &Path) -> Vec<(Arc<dyn Dataset>, f64)> {
    let dataset = |(number, weight): (i64, f64)| {
        let files = (0..i64::from(PARTS)).map(|file| {
            let name = format!("{number}-{file:02}.tfrecord");
            let records = (0..20).map(|record| data::list([1000 * number + 20 * file + record]));
            data::write(dir, &name, Compression::None, records);
            dir.join(name).display().to_string()
        });
        let options = OpenOptions::new().set("fixed_size_lists", true).unwrap();
        (options.open(&files.collect::<Vec<_>>()[..]).unwrap(), weight)
    };
    [(0, 6.0), (1, 3.0), (2, 1.0)].map(dataset).into_iter().collect()
}

#[test]
fn batches_of_mixtures_do_not_depend_on_hosts() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = mixture(dir.path());
    for shuffle in [Shuffle::Off, Shuffle::Global, Shuffle::Blocks { bytes: 64 << 20, streams: None }] {
        let mut config = LoaderConfig::independent(3);
        (config.epochs, config.seed, config.shuffle) = (Some(1), Some(5), shuffle);
        let builder = || BatchLoader::mixed(datasets.clone(), config.clone()).inputs(["v"]);
        for chain in [&[(1, 9)][..], &[(3, 2), (4, 1), (2, 9)], &[(12, 1), (1, 2), (6, 9)]] {
            check(&builder, chain);
        }
    }
}

#[test]
fn windows_do_not_depend_on_hosts() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &vec![vec![5; 9]; 24]);
    for order in ORDERS {
        let more = format!(r#", "min_window": 4, "max_window": 4, "stride": 3{order}"#);
        let config = config(dir.path(), "continuous_sequence", &more);
        check(&|| data::builder(config.clone(), "v"), &[(2, 1), (3, 2), (1, 9)]);
    }
}

/// A shuffle of blocks holds as many bytes in all parts together as a loader without parts does.
#[test]
fn a_part_has_the_batches_of_a_shard() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &vec![vec![4, 1, 2, 3]; 30]);
    for order in &ORDERS[..3] {
        let config = config(dir.path(), "independent", &format!("{order}{}", WAITING[1]));
        for index in 0..PARTS {
            let builder = || data::builder(config.clone(), "v");
            let shard = Shard { index, count: PARTS };
            let plain = data::rest(&mut builder().shard(shard).build().unwrap(), "v");
            assert_eq!(take_part(builder(), index), plain);
        }
    }
}

#[test]
fn a_host_goes_on_within_a_round() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &vec![vec![1, 2, 3]; 40]);
    let config = config(dir.path(), "independent", "");
    let builder = || data::builder(config.clone(), "v");
    let host = Shard { index: 1, count: 3 };
    let (all, _) = take(builder(), host, None, usize::MAX);
    for stop in 0..=all.len() {
        let (mut begun, state) = take(builder(), host, None, stop);
        begun.extend(take(builder(), host, Some(&state), usize::MAX).0);
        assert_eq!(begun, all, "stopped after {stop}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &vec![vec![1, 2, 3]; 40]);
    let config = config(dir.path(), "independent", "");
    let builder = |index, count| data::builder(config.clone(), "v").shard(Shard { index, count });
    let state = |index, count, batches: usize| {
        let mut loader = builder(index, count).build_elastic(PARTS, None).unwrap();
        (0..batches).for_each(|_| _ = loader.next_batch().unwrap());
        loader.state()
    };
    let text = |result: Result<_, batch_loader::Error>| result.map(|_: ()| ()).unwrap_err().to_string();
    let built = |host: (u32, u32), parts, state: Option<&ElasticState>| {
        text(builder(host.0, host.1).build_elastic(parts, state).map(drop))
    };
    let half = state(0, 2, 1);
    assert_eq!(
        built((0, 5), PARTS, None),
        "`shard`: 12 parts are not the same number for each of 5 hosts; cut the data set into a multiple of every number of hosts that \
         there may be"
    );
    assert!(built((5, 5), PARTS, None).starts_with("`shard"));
    assert_eq!(
        built((0, 1), PARTS, Some(&half)),
        "the state does not have part 1, which is one of this host; give the states of all hosts, which were saved together"
    );
    assert_eq!(
        built((0, 2), 6, Some(&half)),
        "the state is of 12 parts, and the loader has 6; restore with as many parts as when it was saved"
    );
    let merged = |states: Vec<ElasticState>| text(ElasticState::merge(states).map(drop));
    assert_eq!(
        merged(vec![half.clone(), state(0, 2, 2)]),
        "two states differ in where part 2 stands; give one state of each host, which were saved together"
    );
    assert_eq!(merged(Vec::new()), "there is no state; give the state of one host or more");
    let read = |text: &str| ElasticState::from_json(text).unwrap_err();
    let whole = half.to_json();
    for wrong in
        ["", "{}", "[]", &whole[..whole.len() - 9], &builder(0, 1).build().unwrap().state().to_json()]
    {
        assert_eq!(read(wrong).detail(), Some(&Kind::State), "{wrong}");
    }
    assert!(read(&whole.replace("\"version\":1", "\"version\":7")).to_string().contains("version"));
}
