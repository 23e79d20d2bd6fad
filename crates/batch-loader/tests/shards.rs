//! Nothing is lost and nothing comes twice, for any buffer, thread and shard setting.

mod data;

use batch_loader::config::{LoaderConfig, Shard};
use proptest::prelude::*;
use tfrecord_io::Compression;

fn numbers(config: LoaderConfig, tensor: &str, shard: Option<Shard>) -> Vec<i64> {
    let builder = data::builder(config, tensor).seed(1);
    let builder = match shard {
        Some(shard) => builder.shard(shard),
        None => builder,
    };
    let mut loader = builder.build().unwrap();
    data::rest(&mut loader, tensor).into_iter().flat_map(|(_, values)| values).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once_an_epoch(
        counts in prop::collection::vec(0usize..40, 1..5),
        elements in 1usize..60,
        filenames in 1usize..5,
        mix in 1usize..5,
        reads in 1usize..4,
        parses in 1usize..4,
        hosts in 1u32..6,
        batch in 1usize..9,
        sloppy: bool,
        shuffle in prop::sample::select(vec!["off", "buffer", "global"]),
        kind in prop::sample::select(vec!["independent", "discrete_sequence", "continuous_sequence"]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let tensor = if kind == "independent" { "id" } else { "v" };
        // Sequences of one step a record, in windows of one: every record is an example in all three.
        let lengths = counts.iter().map(|&count| vec![1; count]).collect::<Vec<_>>();
        match kind {
            "independent" => data::independent(dir.path(), &counts, Compression::None),
            _ => data::sequences(dir.path(), &lengths, Compression::None),
        }
        let shuffle = match shuffle {
            "off" => String::new(),
            "global" if kind != "continuous_sequence" => r#", "shuffle": "global""#.to_owned(),
            _ => format!(r#", "shuffle": true, "num_shuffle_buffer_elements": {elements},
                "num_filenames_shuffle_buffer": {filenames}, "num_mix_files": {mix}"#),
        };
        let windows = match kind {
            "independent" => "",
            _ => r#", "min_window": 1, "max_window": 1"#,
        };
        let config = |epochs: u32| {
            let more = format!(r#""target_batch_size": {batch}, "drop_remainder": false, "epochs": {epochs},
                "sloppy_interleave": {sloppy}, "num_parallel_reads": {reads}, "num_parallel_parses": {parses}{shuffle}{windows}"#);
            data::config(kind, dir.path(), tensor, &more)
        };
        let mut expected = counts.iter().zip(0..).flat_map(|(&count, file)| 1000 * file..1000 * file + count as i64);
        let expected = expected.by_ref().collect::<Vec<_>>();
        // All hosts of one epoch.
        let mut union = Vec::new();
        for index in 0..hosts {
            union.extend(numbers(config(1), tensor, Some(Shard { index, count: hosts })));
        }
        union.sort_unstable();
        prop_assert_eq!(&union, &expected);
        // One host over three epochs: each whole before the next begins.
        let all = numbers(config(3), tensor, None);
        prop_assert_eq!(all.len(), 3 * expected.len());
        if !expected.is_empty() {
            for epoch in all.chunks(expected.len()) {
                let mut epoch = epoch.to_vec();
                epoch.sort_unstable();
                prop_assert_eq!(&epoch, &expected);
            }
        }
    }

    #[test]
    fn windows_cover_what_they_should(
        lengths in prop::collection::vec(prop::collection::vec(0usize..7, 0..12), 1..4),
        min in 1usize..5,
        more in 0usize..4,
        seed: u64,
    ) {
        let dir = tempfile::tempdir().unwrap();
        data::sequences(dir.path(), &lengths, Compression::None);
        let keys = format!(r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "seed": {seed},
            "min_window": {min}, "max_window": {}"#, min + more);
        for kind in ["continuous_sequence", "discrete_sequence"] {
            let config = data::config(kind, dir.path(), "v", &keys);
            let mut loader = data::builder(config, "v").build().unwrap();
            let windows = data::rest(&mut loader, "v").into_iter().map(|(_, values)| values).collect::<Vec<_>>();
            let mut windows = windows.into_iter();
            let mut leftover = 0;
            for (file, lengths) in lengths.iter().enumerate() {
                // Windows follow each other without a gap, from the start of the file to less than one before its end.
                let first = 1000 * file as i64;
                let end = first + lengths.iter().sum::<usize>() as i64;
                let units = if kind == "discrete_sequence" { lengths.len() } else { (end - first) as usize };
                let mut ends = lengths.iter().scan(first, |at, &len| { *at += len as i64; Some(*at) }).collect::<Vec<_>>();
                ends.insert(0, first);
                let (mut at, mut used) = (first, 0);
                while units - used >= min {
                    let Some(window) = windows.as_slice().first().filter(|window| {
                        window.first().is_none_or(|&v| v / 1000 == file as i64)
                    }) else { break };
                    prop_assert_eq!(window, &(at..at + window.len() as i64).collect::<Vec<_>>());
                    at += window.len() as i64;
                    if kind == "continuous_sequence" {
                        prop_assert!((min..=min + more).contains(&window.len()));
                        used += window.len();
                    } else {
                        // How many records a window has cannot be told where records are empty.
                        let next = ends.iter().skip(used + min).position(|&e| e == at).map(|more| used + min + more);
                        prop_assert!(next.is_some_and(|next| next - used <= min + more), "a window ends with a record");
                        if window.is_empty() || lengths.contains(&0) { break }
                        used = next.unwrap_or(used);
                    }
                    windows.next();
                }
                if kind == "discrete_sequence" && lengths.contains(&0) {
                    while windows.as_slice().first().is_some_and(|window| window.first().is_none_or(|&v| v / 1000 == file as i64)) {
                        windows.next();
                    }
                    continue;
                }
                prop_assert!(units - used < min + more || units == used, "less than a window is left over");
                leftover += units - used;
            }
            if kind == "continuous_sequence" {
                prop_assert_eq!(windows.next(), None);
                prop_assert_eq!(loader.stats().leftover, leftover as u64);
            }
        }
    }
}
