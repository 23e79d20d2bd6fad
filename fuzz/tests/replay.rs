//! The laws without a fuzzer: on every seed, on every seed cut short and with a bit flipped, and on whatever a fuzzer
//! left in `corpus` and `artifacts`.

use std::fs;
use std::path::Path;

use tfxio_fuzz::TARGETS;

#[test]
fn seeds_cut_short_and_with_bits_flipped() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty());
        for seed in seeds {
            (target.check)(&seed);
            for at in 0..seed.len() {
                (target.check)(&seed[..at]);
                let mut flipped = seed.clone();
                flipped[at] ^= 1 << (at % 8);
                (target.check)(&flipped);
            }
        }
    }
}

#[test]
fn what_a_fuzzer_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in TARGETS {
        for folder in ["corpus", "artifacts"] {
            // Neither is there in a fresh clone.
            let Ok(entries) = fs::read_dir(root.join(folder).join(target.name)) else { continue };
            for entry in entries.flatten() {
                if let Ok(bytes) = fs::read(entry.path()) {
                    println!("{}", entry.path().display());
                    (target.check)(&bytes);
                }
            }
        }
    }
}
