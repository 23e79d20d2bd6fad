//! Commands of the README and the guides, whose output is compared with the pages.

use std::path::Path;

use crate::run::{COMMANDS, command, root};

#[test]
fn commands_print_what_the_readme_says() {
    assert!(
        run_all(
            "README.md",
            &["avro", "digits", "digits-gzip", "digits-zlib", "damaged", "loader", "sonnets", "tensors"]
        ) >= 12
    );
}

#[cfg(feature = "proto")]
#[test]
fn commands_print_what_the_guide_to_messages_says() {
    assert!(run_all("docs/messages.md", &["messages"]) >= 5);
}

#[test]
fn commands_print_what_the_guide_to_tensors_says() {
    assert!(run_all("docs/tensors.md", &["digits", "tensors"]) >= 15);
}

#[test]
fn commands_print_what_the_page_of_key_expressions_says() {
    assert!(run_all("docs/key-expressions.md", &["avro"]) >= 3);
}

#[test]
fn commands_print_what_the_page_of_statistics_says() {
    assert!(run_all("docs/statistics.md", &["avro", "digits"]) >= 9);
}

#[test]
fn commands_print_what_the_page_of_the_loader_says() {
    assert!(run_all("docs/loader.md", &["digits"]) >= 2);
}

#[test]
fn commands_print_what_the_page_of_avro_says() {
    assert!(run_all("docs/avro.md", &["avro"]) >= 2);
}

#[test]
fn commands_print_what_the_page_of_conversion_says() {
    assert!(run_all("docs/convert.md", &["digits"]) >= 10);
}

#[test]
fn commands_print_what_the_page_of_the_command_says() {
    assert!(run_all("docs/command.md", &["avro", "damaged", "digits", "tensors"]) >= 10);
}

#[cfg(feature = "sql")]
#[test]
fn commands_print_what_the_page_of_sql_says() {
    assert!(run_all("docs/sql.md", &["avro", "digits"]) >= 10);
}

#[test]
fn commands_print_what_the_page_of_places_says() {
    assert!(run_all("docs/places.md", &["digits"]) >= 2);
}

#[test]
fn commands_print_what_the_page_of_predicates_says() {
    assert!(run_all("docs/predicates.md", &["digits", "tensors"]) >= 2);
}

#[test]
fn commands_print_what_the_page_of_formats_says() {
    assert!(run_all("docs/formats.md", &["text"]) >= 11);
}

/// Every example below `Examples:` in the help of every command, as far as the first pipe.
#[test]
fn the_examples_of_the_help_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("here");
    let copy = |from: &str, to: &str| {
        let to = folder.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(root().join("fixtures").join(from), to).unwrap();
    };
    let shard = "digits/digits-00000-of-00003.tfrecord";
    for shard in (0..3).map(|index| format!("digits/digits-0000{index}-of-00003.tfrecord")) {
        copy(&shard, &shard);
    }
    copy("digits/__manifest__.json", "digits/__manifest__.json");
    let shards = (0..16).map(|index| format!("train-{index:05}-of-00016.tfrecord"));
    let plain = ["train.tfrecord", "eval.tfrecord", "data/some.tfrecord"].map(str::to_owned);
    shards.chain(plain).for_each(|name| copy(shard, &format!("here/{name}")));
    for (from, to) in [
        ("digits-gzip/digits-00000-of-00003.tfrecord", "extra.tfrecord.gz"),
        ("digits-gzip/digits-00000-of-00003.tfrecord", "train.tfrecord.gz"),
        ("avro/people.avro", "people.avro"),
        ("avro/people.json", "people.json"),
        ("tensors/sessions.tfrecord", "sessions.tfrecord"),
        ("tensors/sessions.pbtxt", "sessions.pbtxt"),
        ("tensors/digits.pbtxt", "schema.pbtxt"),
        ("loader/digits.json", "digits.json"),
        ("damaged/bit-in-length.tfrecord", "broken.tfrecord"),
        ("avro/people.avro", "old/people.avro"),
    ] {
        copy(from, &format!("here/{to}"));
    }
    // A group for serving, with the tensors that are inferred without one.
    let schema = std::fs::read_to_string(here.join("schema.pbtxt")).unwrap();
    let group = r#"tensor_representation_group {
  key: "serving"
  value {
    tensor_representation {
      key: "image"
      value { dense_tensor { column_name: "image" shape { dim { size: 8 } dim { size: 8 } } } }
    }
    tensor_representation { key: "label" value { dense_tensor { column_name: "label" shape { } } } }
  }
}
"#;
    std::fs::write(here.join("schema.pbtxt"), schema + group).unwrap();
    let specs = r#"{"label": {"kind": "FixedLen", "shape": [], "dtype": "int64"}}"#;
    std::fs::write(here.join("specs.json"), specs).unwrap();
    std::fs::write(here.join("people.csv"), "name,age\nAda,36\n").unwrap();
    // People stand in each other, so that they make no columns.
    let made = command().args(["convert", "train.tfrecord", "broken.avro"]).current_dir(&here).status();
    assert!(made.unwrap().success());
    let schema =
        command().args(["schema", "--format", "avro", "people.avro"]).current_dir(&here).output().unwrap();
    std::fs::write(here.join("person.avsc"), schema.stdout).unwrap();
    let mut examples = 0;
    for name in COMMANDS.iter().copied() {
        let output = command().args([name, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        for line in help.lines().filter_map(|line| line.strip_prefix("  tfxio ")) {
            let end = line.find(" | ").or_else(|| line.find(" > "));
            let written = line.rsplit_once(" > ").filter(|_| !line.contains(" | ")).map(|(_, file)| file);
            let mut words = words(line.get(..end.unwrap_or(line.len())).unwrap());
            // A folder that nobody else has.
            words
                .iter_mut()
                .filter(|word| *word == "/data")
                .for_each(|word| *word = here.to_str().unwrap().into());
            let output = command().args(words).current_dir(&here).output().unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), error.as_ref()), (Some(0), ""), "tfxio {line}");
            // Later examples read some of these.
            if let Some(file) = written.filter(|file| file.starts_with("report")) {
                std::fs::write(here.join(file), &output.stdout).unwrap();
            }
            examples += 1;
        }
    }
    assert!(examples >= 60, "{examples}");
}

/// Runs the commands of a page in a folder with copies of these fixtures. How many there were.
fn run_all(page: &str, fixtures: &[&str]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    for part in fixtures {
        let (from, to) = (root().join("fixtures").join(part), folder.path().join("fixtures").join(part));
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let (mut commands, mut renewed) = (0, text.clone());
    for block in text.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        for example in block.split("$ ").skip(1) {
            let (line, expected) = example.split_once('\n').unwrap();
            let printed = without_times(&run(line, folder.path()));
            commands += 1;
            if std::env::var_os("UPDATE_EXPECT").is_some() && printed != without_times(expected) {
                renewed = renewed.replacen(&format!("$ {example}"), &format!("$ {line}\n{printed}"), 1);
                continue;
            }
            assert_eq!(printed, without_times(expected), "{page}: $ {line}");
        }
    }
    if renewed != text {
        std::fs::write(root().join(page), renewed).unwrap();
    }
    commands
}

/// Returns the text with an `N` for each number in lines about durations or about reading ahead.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.contains("/s, ") || ["waited ", "threads took "].iter().any(|begin| line.starts_with(begin)) {
            let mut is_number = false;
            for char in line.chars() {
                let was_number = is_number;
                is_number = char.is_ascii_digit() || (is_number && matches!(char, '.' | ','));
                match (is_number, was_number) {
                    (true, false) => out.push('N'),
                    (true, true) => {}
                    (false, _) => out.push(char),
                }
            }
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Splits a line into words as a shell does: quoted text is one word.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for char in line.chars() {
        match quote {
            Some(open) if char == open => quote = None,
            None if char == '\'' || char == '"' => quote = Some(char),
            None if char == ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(char),
        }
    }
    words
}

/// Runs a line and returns its output, as a terminal would show it.
fn run(line: &str, folder: &Path) -> String {
    let mut words = words(line).into_iter();
    assert_eq!(words.next().as_deref(), Some("tfxio"));
    let output = command().args(words).current_dir(folder).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}
