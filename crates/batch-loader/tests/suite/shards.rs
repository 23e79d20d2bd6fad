//! Nothing is lost and nothing comes twice, for any buffer, thread and shard setting.

use batch_loader::config::{LoaderConfig, Shard};
use proptest::prelude::*;
use tfrecord_io::Compression;

use crate::data;

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
            let mut windows = Vec::new();
            while let Some(batch) = loader.next_batch().unwrap() {
                let (_, values) = data::values(&batch, "v");
                let records = batch.row_lengths("v").map(|lengths| lengths.values().as_slice::<i64>().unwrap().to_vec());
                // Windows of records without steps look alike in all files.
                let file = batch.origins().next().unwrap().file.to_string();
                windows.push((values, records, file));
            }
            let mut windows = windows.into_iter();
            let mut leftover = 0;
            for (file, lengths) in lengths.iter().enumerate() {
                // Windows follow each other without a gap, from the start of a file to less than one before its end.
                let mut next = 1000 * file as i64;
                let steps = lengths.iter().sum::<usize>();
                let units = if kind == "discrete_sequence" { lengths.len() } else { steps };
                let mut used = 0;
                while used + min <= units {
                    let Some((values, records, of)) = windows.as_slice().first() else { break };
                    if !of.ends_with(&format!("{file:03}.tfrecord")) {
                        break;
                    }
                    let len = match records {
                        Some(records) => {
                            let expected = lengths.get(used..used + records.len()).unwrap_or_default();
                            let records = records.iter().map(|&len| len as usize).collect::<Vec<_>>();
                            // The next file's, if this one's are used up.
                            if records != expected || values.first().is_some_and(|&first| first != next) { break }
                            records.len()
                        }
                        None if values.first() != Some(&next) => break,
                        None => values.len(),
                    };
                    prop_assert!((min..=min + more).contains(&len));
                    prop_assert_eq!(values, &(next..next + values.len() as i64).collect::<Vec<_>>());
                    next += values.len() as i64;
                    used += len;
                    windows.next();
                }
                prop_assert!(units - used < min + more || units == used, "less than a window is left over");
                leftover += units - used;
            }
            prop_assert_eq!(windows.next(), None);
            prop_assert_eq!(loader.stats().leftover, leftover as u64);
        }
    }
}
