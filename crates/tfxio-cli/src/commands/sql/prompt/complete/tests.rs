//! Completions of texts.

use super::*;

/// Words of a session that has these functions and names.
fn words(functions: &[&str], names: &[&str]) -> Words {
    let list = |of: &[&str]| of.iter().map(|&word| word.to_owned()).collect();
    Words { functions: list(functions), names: list(names) }
}

/// Returns the texts that completing the end of a text would leave.
fn completed(words: Words, text: &str) -> Vec<String> {
    let of = |choice: Suggestion| format!("{}{}", &text[..choice.span.start], choice.value);
    words.choices(text).into_iter().map(of).collect()
}

#[test]
fn words_of_sql() {
    assert_eq!(completed(words(&[], &[]), "sel"), ["select"]);
    assert_eq!(completed(words(&[], &[]), "SEL"), ["SELECT"]);
    assert_eq!(completed(words(&[], &[]), "select 1 fr"), ["select 1 from"]);
    assert_eq!(completed(words(&[], &[]), "select(di"), ["select(distinct"]);
    assert!(completed(words(&[], &[]), "select ").is_empty());
    assert!(completed(words(&[], &[]), "select -- fr").is_empty());
    assert!(completed(words(&[], &[]), "xyz").is_empty());
}

#[test]
fn functions_tables_and_columns() {
    let known = || words(&["feature_len", "lag"], &["label", "Label Set", "limit", "features"]);
    assert_eq!(completed(known(), "select la"), ["select label", "select \"Label Set\"", "select lag"]);
    assert_eq!(completed(known(), "select x, feat"), ["select x, features", "select x, feature_len"]);
    // A column that is called as a word of SQL is needs quotes.
    assert_eq!(completed(known(), "select lim"), ["select \"limit\"", "select limit"]);
    assert_eq!(completed(known(), "select \"La"), ["select \"Label Set\""]);
    assert_eq!(completed(known(), "select t.lab"), ["select t.label", "select t.\"Label Set\""]);
}

#[test]
fn files_within_quotes() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["train-0.tfrecord", "train-1.tfrecord", "it's.csv", ".hidden", "no\u{1b}ne"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    fs::create_dir(folder.path().join("tables")).unwrap();
    let at = folder.path().to_str().unwrap();
    let check = |begun: &str, expected: &[&str]| {
        let all = |names: &[&str]| {
            names.iter().map(|name| format!("select * from '{at}/{name}")).collect::<Vec<_>>()
        };
        assert_eq!(completed(words(&[], &[]), &all(&[begun])[0]), all(expected), "{begun}");
    };
    check("train", &["train-0.tfrecord", "train-1.tfrecord"]);
    check("t", &["tables/", "train-0.tfrecord", "train-1.tfrecord"]);
    check("it", &["it''s.csv"]);
    check("it''", &["it''s.csv"]);
    check(".h", &[".hidden"]);
    check("none", &[]);
    check("none/", &[]);
    let text = format!("select * from '{at}/");
    assert_eq!(completed(words(&[], &[]), &text).len(), 4);
    assert!(completed(words(&[], &[]), "select * from 's3://bucket/").is_empty());
}
