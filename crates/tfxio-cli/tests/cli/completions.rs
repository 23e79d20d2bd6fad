//! Completions and the manual name every command and flag.

use crate::run::{COMMANDS, names, path, tfxio};

/// The flags of a command, as its help lists them.
fn flags(command: &str) -> Vec<String> {
    let help = tfxio([command, "--help"]).ok();
    let options = help.split_once("Options:").map_or("", |(_, options)| options);
    let lines = options.lines().filter(|line| line.trim_start().starts_with('-'));
    let flag = |line: &str| {
        let at = line.find("--")?;
        let end = line[at + 2..].find(|char: char| !char.is_ascii_alphanumeric() && char != '-');
        Some(line[at..end.map_or(line.len(), |end| at + 2 + end)].to_owned())
    };
    lines.filter_map(flag).filter(|flag| flag.len() > 2).collect()
}

#[test]
fn every_shell_completes_every_flag() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = tfxio(["completions", shell]).ok();
        for command in COMMANDS.iter().copied() {
            assert!(script.contains(command), "{shell}: {command}");
            for flag in flags(command) {
                // fish writes `-l columns`.
                let name = flag.trim_start_matches('-');
                assert!(
                    script.contains(&flag) || script.contains(&format!("-l {name}")),
                    "{shell}: {command} {flag}"
                );
            }
        }
        // Of a format.
        assert!(script.contains("sequence-column"), "{shell}");
    }
    assert_eq!(tfxio(["completions", "tcsh"]).code, 2);
}

#[test]
fn every_command_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    tfxio(["man", "-o", &path(&folder, "man1")]).ok();
    let man1 = folder.path().join("man1");
    for command in COMMANDS.iter().copied() {
        let page = std::fs::read_to_string(man1.join(format!("tfxio-{command}.1"))).unwrap();
        assert_eq!(tfxio(["man", command]).ok(), page);
        assert!(page.starts_with(".ie") && page.contains("Examples:"), "{page}");
        let page = page.replace("\\-", "-");
        for flag in flags(command) {
            assert!(page.contains(&flag), "{command} {flag}");
        }
    }
    let main = std::fs::read_to_string(man1.join("tfxio.1")).unwrap();
    assert!(COMMANDS.iter().all(|command| main.replace("\\-", "-").contains(command)));
    assert_eq!(tfxio(["man"]).ok(), main);
    assert_eq!(std::fs::read_dir(&man1).unwrap().count(), COMMANDS.len() + 1);
    assert_eq!(names(&folder), ["man1"]);
    let error = tfxio(["man", "haed"]).fails(2);
    assert_eq!(error, "error: there is no command \"haed\"; did you mean \"head\"?");
}

#[test]
fn flags_have_one_meaning() {
    // Old names are understood.
    let digits = "fixtures/digits/digits-00000-of-00003.tfrecord";
    assert_eq!(tfxio(["schema", digits, "--records", "3"]).ok(), tfxio(["schema", digits, "-n", "3"]).ok());
    assert_eq!(
        tfxio(["schema", "fixtures/avro/people.avro", "--keys=1"]).ok(),
        tfxio(["schema", "fixtures/avro/people.avro", "--list-keys=1"]).ok()
    );
    assert_eq!(
        tfxio(["inspect", digits, "--json"]).ok(),
        tfxio(["inspect", digits, "--format", "json"]).ok()
    );
    // Lists of values, numbers of rows, outputs: the same name and letter wherever they are.
    for command in COMMANDS.iter().copied() {
        let help = tfxio([command, "--help"]).ok();
        for (letter, name) in [("-n", "--rows"), ("-o", "--output")] {
            for line in help.lines().filter(|line| line.trim_start().starts_with(&format!("{letter},"))) {
                assert!(line.contains(&format!("{letter}, {name}")), "{command}: {line}");
            }
        }
        if !["completions", "man"].contains(&command) {
            assert!(
                help.contains("--format ") || ["load", "index", "convert", "extract"].contains(&command),
                "{command}"
            );
        }
    }
}
