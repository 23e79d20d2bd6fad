//! The examples of `docs/key-expressions.md`: what the page shows is what comes out.

use avro_path::{AvroSchema, Key};

use crate::key_columns::{person, render};

/// Returns the rows `| key | … | value of each record |` of the page's tables.
fn examples() -> Vec<(&'static str, Vec<&'static str>)> {
    let rows = person::DOCUMENT.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')));
    let rows = cells.map(Iterator::collect::<Vec<_>>).filter(|cells| cells.len() == 4);
    rows.map(|cells| (cells[0], cells[2..].to_vec())).collect()
}

#[test]
fn each_example_gives_what_the_page_shows() {
    let (schema, data) = (person::schema(), person::data());
    let examples = examples();
    assert!(examples.len() >= 25, "{} examples were found", examples.len());
    for (key, shown) in &examples {
        let got = render::column(&schema, &data, key);
        let got = got.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(got, *shown, "{key}");
    }
}

#[test]
fn examples_of_elements_without_fields_give_what_the_page_shows() {
    let schema = AvroSchema::parse(person::block("page schema")).unwrap();
    let record = serde_json::from_str(person::block("page record")).unwrap();
    let data = [person::encode(&schema, &record)];
    let (_, section) = person::DOCUMENT.split_once("```json page record\n").unwrap();
    let (section, _) = section.split_once("\n#").unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut count = 0;
    for row in rows {
        let cells = row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`'));
        let cells = cells.collect::<Vec<_>>();
        let shown = render::column(&schema, &data, cells[0]).remove(0);
        assert_eq!(shown.to_string(), cells[2], "{}", cells[0]);
        count += 1;
    }
    assert!(count >= 10, "{count} examples were found");
}

#[test]
fn all_examples_in_one_program_give_the_same() {
    let (schema, data) = (person::schema(), person::data());
    let examples = examples();
    let keys = examples.iter().map(|(key, _)| *key).collect::<std::collections::BTreeSet<_>>();
    let keys = keys.into_iter().collect::<Vec<_>>();
    let together = render::columns(&schema, &data, &keys);
    for (key, got) in keys.iter().zip(together) {
        assert_eq!(got, render::column(&schema, &data, key), "{key}");
    }
}

#[test]
fn the_errors_on_the_page_are_those_that_come() {
    let (_, after) = person::DOCUMENT.split_once("```text errors\n").expect("the block is there");
    let block = after.split_once("```").expect("the block ends").0;
    let mut count = 0;
    for line in block.lines() {
        let (_, rest) = line.split_once("key \"").expect("a line begins with its key");
        let key = rest.split_once("\", column").expect("the key ends").0;
        let error = Key::parse(key)
            .and_then(|key| avro_path::KeyProgram::new(&person::schema(), &[key]))
            .expect_err("the page shows an error");
        assert_eq!(error.to_string(), line);
        count += 1;
    }
    assert!(count >= 5, "{count} errors were found");
}
