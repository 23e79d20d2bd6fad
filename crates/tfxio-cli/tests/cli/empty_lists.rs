//! Lists of another kind without values, which writers put where they have nothing to put: in every command.

use tfxio::example_codec::{Example, Feature, SequenceExample};
use tfxio::tfrecord_io::FileWriter;

use crate::run::{json_lines, path, tfxio};

const EMPTY: [Feature; 3] = [Feature::Int64(vec![]), Feature::Float(vec![]), Feature::Bytes(vec![])];

/// Two shards of records, of which every third has lists without values of this kind instead of its own.
fn write(folder: &tempfile::TempDir, record: impl Fn(i64, Option<usize>) -> Vec<u8>, empty: usize) -> String {
    for shard in 0..2 {
        let name = path(folder, &format!("a-{shard:05}-of-00002.tfrecord"));
        let mut writer = FileWriter::create(name).unwrap();
        for row in 0..30 {
            // The first shard begins with them, the second one has some after values.
            let is_empty = (row + shard) % 3 == 0;
            writer.write(&record(row, is_empty.then_some(empty))).unwrap();
        }
        writer.finish().unwrap();
    }
    path(folder, "a@2.tfrecord")
}

/// The features of a record; of their own kinds where no other is named.
fn features(row: i64, empty: Option<usize>) -> Vec<(&'static str, Feature)> {
    let of = |own: Feature| empty.and_then(|kind| EMPTY.get(kind).cloned()).unwrap_or(own);
    vec![
        ("fare", of(Feature::float([row as f32]))),
        ("id", of(Feature::int64([row, row]))),
        ("words", of(Feature::bytes(["a", "b"]))),
    ]
}

fn example(row: i64, empty: Option<usize>) -> Vec<u8> {
    features(row, empty).into_iter().collect::<Example>().to_vec()
}

fn sequence(row: i64, empty: Option<usize>) -> Vec<u8> {
    let context = features(row, empty).into_iter().collect();
    let own = features(row, None);
    let lists = features(row, empty).into_iter().zip(own);
    let all = SequenceExample::new().context(context);
    let with = |all: SequenceExample, ((name, step), (_, own)): ((&'static str, Feature), (_, Feature))| {
        all.steps(name, [step.clone(), own, Feature::Unset, step])
    };
    lists.fold(all, with).to_vec()
}

/// Records that differ in nothing but the kinds of their empty lists are shown, counted and converted alike.
fn check(record: fn(i64, Option<usize>) -> Vec<u8>) {
    // Empty lists of their own kinds.
    let own = |row: i64, empty: Option<usize>| {
        let kinds = [1, 0, 2];
        match empty {
            None => record(row, None),
            Some(_) => own_kinds(row, kinds, record(row, Some(0))),
        }
    };
    let commands: [&[&str]; 8] = [
        &["head", "-n", "100", "--format", "json"],
        &["tail", "-n", "7", "--format", "json"],
        &["sample", "-n", "9", "--seed", "1", "--format", "json"],
        &["schema"],
        &["schema", "--format", "pbtxt"],
        &["stats", "--format", "json"],
        &["head", "--where", "fare > 3", "-n", "100", "--format", "json", "--columns", "fare,id"],
        &["head", "--infer-records", "2", "-n", "100", "--format", "json"],
    ];
    let expected = tempfile::tempdir().unwrap();
    let file = write(&expected, own, 0);
    let wanted = commands.map(|command| tfxio(command.iter().copied().chain([&*file])).ok());
    assert_eq!(json_lines(&wanted[0]).len(), 60);
    for kind in 0..EMPTY.len() {
        let folder = tempfile::tempdir().unwrap();
        let file = write(&folder, record, kind);
        for (command, wanted) in commands.iter().zip(&wanted) {
            let found = tfxio(command.iter().copied().chain([&*file])).ok();
            let in_its_place =
                |text: &str, folder: &tempfile::TempDir| text.replace(folder.path().to_str().unwrap(), "");
            assert_eq!(in_its_place(&found, &folder), in_its_place(wanted, &expected), "{command:?}, {kind}");
        }
        assert!(!tfxio(["schema", &file]).ok().contains("mixed"));
        assert_eq!(tfxio(["verify", &file]).code, 0);
        for ending in ["parquet", "avro", "arrow", "jsonl", "tfrecord"] {
            let there = path(&folder, &format!("there.{ending}"));
            assert_eq!(tfxio(["convert", &file, &there]).code, 0, "{ending}");
            let back = path(&folder, &format!("{ending}.tfrecord"));
            assert_eq!(tfxio(["convert", &there, &back]).code, 0, "{ending}");
            let command = commands[0].iter().copied();
            assert_eq!(tfxio(command.chain([&*back])).ok(), wanted[0], "{ending}, {kind}");
        }
        // A schema that is given says the kinds, and is satisfied.
        let schema = path(&folder, "schema.pbtxt");
        std::fs::write(&schema, &wanted[4]).unwrap();
        let shown = ["head", "--schema", &schema, "-n", "100", "--format", "json", &file];
        assert_eq!(tfxio(shown).ok(), wanted[0]);
        assert_eq!(tfxio(["schema", "--validate", &schema, &file]).code, 0);
    }
}

/// The record of a row with lists without values of these kinds.
fn own_kinds(row: i64, kinds: [usize; 3], record: Vec<u8>) -> Vec<u8> {
    let mut example = SequenceExample::parse(&record).unwrap();
    let has_lists = example.iter().len() > 0;
    let names = ["fare", "id", "words"];
    for (name, kind) in names.into_iter().zip(kinds) {
        let own = features(row, None).into_iter().find(|(known, _)| *known == name).unwrap().1;
        example.context.insert(name, EMPTY[kind].clone());
        if has_lists {
            let empty = EMPTY[kind].clone();
            example = example.steps(name, [empty.clone(), own, Feature::Unset, empty]);
        }
    }
    example.to_vec()
}

#[test]
fn of_features() {
    check(example);
}

#[test]
fn of_features_of_a_context_and_of_steps() {
    check(sequence);
}

#[test]
fn values_of_two_kinds_are_two_kinds_still() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    let mut writer = FileWriter::create(&file).unwrap();
    for feature in [EMPTY[0].clone(), Feature::float([1.0]), EMPTY[2].clone(), Feature::int64([1])] {
        writer.write(&Example::new().feature("x", feature).int64("id", [1]).to_vec()).unwrap();
    }
    writer.finish().unwrap();
    let shown = tfxio(["schema", &file]).out;
    assert!(shown.contains("mixed") && shown.contains("float_list 1, int64_list 1"), "{shown}");
    let error = tfxio(["head", &file]).fails(1);
    assert!(error.contains("record 3, column \"x\": the value is an int64_list, in "), "{error}");
    assert!(error.contains("record 1 it is a float_list"), "{error}");
    assert_eq!(tfxio(["head", &file, "--columns", "id", "-n", "1"]).ok(), "id\n──\n 1\n");
}
