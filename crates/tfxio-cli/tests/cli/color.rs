//! Colour where it is wanted.

use crate::run::command;

const FIRST: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

/// Standard output and standard error with these variables.
fn run(args: &[&str], variables: &[(&str, &str)]) -> (String, String) {
    let mut command = command();
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let output = command.args(args).envs(variables.iter().copied()).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn pipes_have_none() {
    let plain = run(&["head", FIRST, "-n", "1", "--columns", "id"], &[]);
    assert_eq!(plain.0, "id\n────────────\n\"digit-0000\"\n");
    let forced = [("CLICOLOR_FORCE", "1")];
    let bold = "\u{1b}[1mid\u{1b}[0m\n\u{1b}[2m────────────\u{1b}[0m\n\"digit-0000\"\n";
    let head = ["head", FIRST, "-n", "1", "--columns", "id"];
    assert_eq!(run(&head, &forced).0, bold);
    assert_eq!(run(&head, &[forced[0], ("NO_COLOR", "1")]), plain);
    assert_eq!(run(&[&head[..], &["--color", "always"]].concat(), &[("NO_COLOR", "1")]).0, bold);
    assert_eq!(run(&[&head[..], &["--color", "never"]].concat(), &forced), plain);
    assert_eq!(run(&[&["--color", "never"], &head[..]].concat(), &forced), plain);
}

#[test]
fn errors_begin_in_red() {
    let (_, error) = run(&["head", "nothing.tfrecord", "--color", "always"], &[]);
    assert!(error.starts_with("\u{1b}[31m\u{1b}[1merror:\u{1b}[0m nothing.tfrecord"), "{error:?}");
    let (_, error) = run(&["head", "nothing.tfrecord"], &[]);
    assert!(error.starts_with("error: nothing.tfrecord"), "{error:?}");
}

#[test]
fn values_cannot_set_colours() {
    let folder = tempfile::tempdir().unwrap();
    let file = crate::run::path(&folder, "a.lines");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&file).unwrap();
    writer.write(b"\x1b[31mred").unwrap();
    writer.finish().unwrap();
    let (out, error) = run(&["head", &file, "--as", "raw", "--color", "always"], &[]);
    assert!(out.ends_with("\n\"\\u001b[31mred\"\n"), "{out:?} {error}");
}
