//! Short packed runs against runs of any length.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proto_wire::{
    SHORT_RUN, SHORT_RUN_VALUES, SHORT_RUN_WINDOW, Writer, decode_short_varints, decode_varints,
};

type Decode = fn(&[u8; SHORT_RUN_WINDOW], usize, &mut [i64; SHORT_RUN_VALUES], &mut usize) -> Option<usize>;

/// The decoders that this processor has.
fn decoders() -> Vec<Decode> {
    let mut decoders: Vec<Decode> = vec![decode_short_varints];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        decoders.push(|window, length, out, expected| {
            // SAFETY: the processor has the features that the function is compiled for.
            unsafe { proto_wire::decode_short_varints_avx2(window, length, out, expected) }
        });
    }
    decoders
}

fn check(run: &[u8], behind: u8) {
    let mut window = [behind; SHORT_RUN_WINDOW];
    window[..run.len()].copy_from_slice(run);
    let mut wanted = [0i64; SHORT_RUN];
    let result = decode_varints(run, 0, run.len(), &mut wanted);
    for decode in decoders() {
        // After no run, after shorter ones, and after a longer one.
        for mut expected in [0, 1, 2, 9] {
            let mut out = [0; SHORT_RUN_VALUES];
            let count = decode(&window, run.len(), &mut out, &mut expected);
            if let Some(count) = count {
                assert_eq!(out[..count], wanted[..result.unwrap()], "{run:02x?}");
            } else {
                let is_long = run.split(|byte| *byte < 0x80).any(|value| value.len() >= 8);
                assert!(result.is_err() || is_long, "{run:02x?}");
            }
        }
    }
}

#[test]
fn the_same_as_runs_of_any_length() {
    // Every pair of sizes, and every size up to the longest run, with every kind of byte after it.
    for behind in [0, 0x7f, 0x80, 0xff] {
        for first in 1..=10u32 {
            for second in 1..=10u32 {
                for third in [1, 4, 8] {
                    let mut run = [0u8; 30];
                    let mut writer = Writer::new(&mut run);
                    for size in [first, second, third] {
                        writer.varint((u64::MAX >> 1) >> 7u32.saturating_mul(10 - size).min(63)).unwrap();
                    }
                    let length = writer.written().len();
                    for cut in 0..=length {
                        check(&run[..cut], behind);
                    }
                }
            }
        }
        for length in 0..=SHORT_RUN {
            for every in 1..=9 {
                let mut run = [0x81u8; SHORT_RUN];
                run.iter_mut().step_by(every).for_each(|byte| *byte &= 0x7f);
                check(&run[..length], behind);
            }
        }
    }
}

#[test]
fn a_longer_run_is_not_short() {
    let window = [1; SHORT_RUN_WINDOW];
    for decode in decoders() {
        let mut out = [0; SHORT_RUN_VALUES];
        assert_eq!(decode(&window, SHORT_RUN, &mut out, &mut 0), Some(SHORT_RUN));
        assert_eq!(decode(&window, SHORT_RUN + 1, &mut out, &mut 0), None);
        assert_eq!(decode(&window, usize::MAX, &mut out, &mut 0), None);
    }
}
