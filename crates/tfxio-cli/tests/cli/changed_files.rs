//! Files that are changed at random, given to every command: whatever they hold, a command ends by itself, not by a signal, and a
//! complaint names the file.

use std::path::PathBuf;

use crate::run::{Run, root, tfxio};

/// Changes of each file, for each of which a command runs.
const CHANGES: u64 = 4;

/// Files of every format.
fn files() -> Vec<PathBuf> {
    let fixtures = root().join("fixtures");
    let mut files = Vec::new();
    for folder in ["columnar", "avro", "text"] {
        files.extend(std::fs::read_dir(fixtures.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
    }
    for name in [
        "digits/digits-00000-of-00003.tfrecord",
        "digits-gzip/digits-00001-of-00003.tfrecord",
        "co2/co2-1958-1969.tfrecord",
    ] {
        files.push(fixtures.join(name));
    }
    let endings = ["parquet", "arrow", "arrows", "avro", "tfrecord", "csv", "jsonl"];
    files.retain(|file| file.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)));
    files.sort();
    files
}

/// Numbers that follow from each other, all over their range.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

fn change(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(6) {
        let first = if numbers.below(2) == 0 { bytes.len() - bytes.len() / 4 } else { 0 };
        let at = first + numbers.below((bytes.len() - first).max(1));
        match numbers.below(6) {
            0 if numbers.below(4) == 0 => bytes.truncate(at.max(1)),
            0 | 1 => bytes[at] = [0, 0x7f, 0x80, 0xff][numbers.below(4)],
            2 => {
                let end = (at + 8).min(bytes.len());
                bytes[at..end].fill(0xff);
            }
            _ => bytes[at] ^= 1 << numbers.below(8),
        }
    }
}

#[test]
fn no_command_ends_by_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("o.jsonl").display().to_string();
    let mut numbers = Numbers(7);
    let (mut runs, mut refused) = (0, 0);
    for (number, file) in files().into_iter().enumerate() {
        let whole = std::fs::read(&file).unwrap();
        for turn in 0..CHANGES {
            let mut bytes = whole.clone();
            change(&mut bytes, &mut numbers);
            let name = folder.path().join(file.file_name().unwrap()).display().to_string();
            std::fs::write(&name, bytes).unwrap();
            let count = format!("select count(*), max(_record) from '{name}'");
            let commands: [&[&str]; 8] = [
                &["head", &name, "-n", "3"],
                &["stats", &name],
                &["schema", &name],
                &["inspect", &name],
                &["verify", &name],
                &["convert", &name, &output],
                &["tail", &name, "-n", "2"],
                &["sql", &count],
            ];
            let args = commands[(number + turn as usize * 3) % commands.len()];
            if args[0] == "sql" && !crate::run::COMMANDS.contains(&"sql") {
                continue;
            }
            // A run without an exit code ended by a signal, which is a failure there.
            let Run { code, err, .. } = tfxio(args);
            assert!((0..=3).contains(&code), "{args:?}: {code} {err}");
            assert!(!err.contains("panicked"), "{args:?}: {err}");
            runs += 1;
            refused += usize::from(code != 0);
        }
    }
    assert!(runs > 80 && refused > 20, "{refused} of {runs}");
}
