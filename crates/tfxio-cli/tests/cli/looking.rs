//! `head --skip`, `tail`, `sample`, `show`, `--where` and patterns of columns, of every format.

use crate::run::{json_lines, path, root, tfxio};

const DIGITS: &str = "fixtures/digits/digits@3.tfrecord";
const FIRST: &str = "fixtures/digits/digits-00000-of-00003.tfrecord";

/// The arguments, and the rows as JSON.
fn lines(args: &[&str]) -> Vec<String> {
    let out = tfxio(args.iter().chain(&["--format", "json"])).ok();
    out.lines().map(str::to_owned).collect()
}

/// Writes the same rows to files of every format; some formats declare the number of rows, others do not.
fn files(folder: &tempfile::TempDir) -> Vec<String> {
    let mut files = vec![DIGITS.to_owned(), "fixtures/digits-gzip/digits@3.tfrecord".to_owned()];
    for name in ["a.tfrecord", "b@2.tfrecord.gz", "a.avro", "c@3.avro", "a.parquet", "a.arrow"] {
        let file = path(folder, name);
        tfxio(["convert", DIGITS, &file]).ok();
        files.push(file);
    }
    tfxio(["index", &path(folder, "a.tfrecord")]).ok();
    files
}

#[test]
fn rows_of_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for file in files(&folder) {
        let file = file.as_str();
        let columns = ["--columns", "id,label"];
        let with = |args: &[&str]| lines(&[args, &columns].concat());
        let all = with(&["head", file, "-n", "2000"]);
        assert_eq!(all.len(), 1797, "{file}");
        for (skip, rows) in [(1, 1), (598, 3), (1200, 500), (1796, 5), (1797, 5), (5000, 5)] {
            let (skip_text, rows_text) = (skip.to_string(), rows.to_string());
            let shown = with(&["head", file, "--skip", &skip_text, "-n", &rows_text]);
            let end = (skip + rows).min(all.len());
            assert_eq!(shown, all[skip.min(end)..end], "{file} --skip {skip} -n {rows}");
        }
        for rows in [0, 1, 599, 700, 5000] {
            let shown = with(&["tail", file, "-n", &rows.to_string()]);
            assert_eq!(shown, all[all.len().saturating_sub(rows)..], "{file}: the last {rows}");
        }
        for record in [0, 598, 599, 1796] {
            assert_eq!(with(&["show", &format!("{file}@{record}")]), all[record..=record], "{file}@{record}");
        }
        let error = tfxio(["show", &format!("{file}@1797")]).fails(2);
        assert!(error.contains("there is no record 1797: the file"), "{file}: {error}");
        assert!(error.ends_with(" 1797; take the numbers from the files as they are now"), "{file}: {error}");

        let drawn = with(&["sample", file, "-n", "40", "--seed", "7"]);
        assert_eq!(with(&["sample", file, "-n", "40", "--seed", "7"]), drawn, "{file}");
        assert_ne!(with(&["sample", file, "-n", "40", "--seed", "8"]), drawn, "{file}");
        // In the order of the file, none twice.
        let mut rest = all.iter();
        assert!(drawn.iter().all(|row| rest.any(|other| other == row)), "{file}");
        assert_eq!(drawn.len(), 40);
        assert_eq!(with(&["sample", file, "-n", "2000", "--seed", "7"]), all, "{file}");

        let sevens =
            all.iter().filter(|row| row.contains("\"label\": [7]") || row.ends_with("\"label\": 7}"));
        let sevens = sevens.cloned().collect::<Vec<_>>();
        assert_eq!(sevens.len(), 179);
        let filter = ["--where", "label = 7", "-n", "2000"];
        for args in [&["head", file][..], &["tail", file], &["sample", file, "--seed", "1"]] {
            assert_eq!(with(&[args, &filter].concat()), sevens, "{args:?}");
        }
        assert_eq!(with(&["head", file, "--where", "label = 7", "--skip", "170"]), sevens[170..]);
        assert_eq!(with(&["tail", file, "--where", "label = 7", "-n", "3"]), sevens[176..]);
        let drawn = with(&["sample", file, "--where", "label = 7", "-n", "30", "--seed", "3"]);
        let mut rest = sevens.iter();
        assert!(drawn.len() == 30 && drawn.iter().all(|row| rest.any(|other| other == row)), "{file}");
        // What is drawn of all rows is drawn of fewer, too, and the other way round where as many are left out.
        let of_all = with(&["sample", file, "-n", "300", "--seed", "3"]);
        let of_all = of_all.into_iter().filter(|row| sevens.contains(row)).collect::<Vec<_>>();
        let rows = of_all.len().to_string();
        assert!(of_all.len() > 10, "{file}");
        assert_eq!(
            with(&["sample", file, "--where", "label = 7", "-n", &rows, "--seed", "3"]),
            of_all,
            "{file}"
        );
        let of_fewer = with(&["sample", file, "--where", "label >= 0", "-n", "40", "--seed", "7"]);
        assert_eq!(of_fewer, with(&["sample", file, "-n", "40", "--seed", "7"]), "{file}");
    }
}

#[test]
fn several_files_are_one_data_set() {
    let ids = |args: &[&str]| lines(&[args, &["--columns", "id"]].concat());
    let second = "fixtures/digits/digits-00001-of-00003.tfrecord";
    let shown = ids(&["head", FIRST, second, "--skip", "598", "-n", "2"]);
    assert_eq!(shown, ["{\"id\": [\"digit-0598\"]}", "{\"id\": [\"digit-0599\"]}"]);
    // Files in the order in which they are named.
    assert_eq!(ids(&["tail", second, FIRST, "-n", "1"]), ["{\"id\": [\"digit-0598\"]}"]);
    // Twice the same is once, and that is said.
    let run = tfxio(["tail", FIRST, FIRST, "-n", "600", "--columns", "id", "--format", "json"]);
    assert_eq!((run.code, run.out.lines().count()), (0, 599));
    assert!(run.err.starts_with("note: 1 file is named more than once, and read once: "), "{}", run.err);
    let long = tfxio(["head", FIRST, second, "--skip", "598", "-n", "2", "--columns", "id,image,label,id"]);
    assert_eq!(long.fails(2), "error: the column \"id\" is named twice; name it once");
}

#[test]
fn a_record_by_one_of_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(root().join(FIRST)).unwrap();
    let length = usize::try_from(u64::from_le_bytes(bytes[..8].try_into().unwrap())).unwrap();
    let (second, third) = (length + 16, 2 * (length + 16));
    let indexed = path(&folder, "a.tfrecord");
    std::fs::copy(root().join(FIRST), &indexed).unwrap();
    tfxio(["index", &indexed]).ok();
    for file in [FIRST, &indexed, "fixtures/digits-gzip/digits-00000-of-00003.tfrecord"] {
        let show = |byte: usize| tfxio(["show", &format!("{file}@{byte:#x}"), "--columns", "id"]);
        assert_eq!(show(0).ok(), format!("── {file}, byte 0, record 0\nid  \"digit-0000\"\n"));
        assert_eq!(show(second).ok(), format!("── {file}, byte {second}, record 1\nid  \"digit-0001\"\n"));
        let inside = show(third - 1);
        let note = format!(
            "note: byte {} is not the first of a record; record 1 begins before it, at byte {second}\n",
            third - 1
        );
        assert_eq!((inside.code, inside.err), (0, note));
        assert!(inside.out.ends_with("\"digit-0001\"\n"), "{}", inside.out);
    }
    for file in [FIRST, &indexed] {
        let last = tfxio(["show", &format!("{file}@{:#x}", bytes.len() - 1), "--columns", "id"]);
        assert!(last.code == 0 && last.out.ends_with("\"digit-0598\"\n"), "{}", last.err);
        let error = tfxio(["show", &format!("{file}@{:#x}", bytes.len())]).fails(2);
        let says = format!(
            "error: {file}: there is no byte {}: the file has {} bytes, and 599 records; take the bytes from the file as it is now",
            bytes.len(),
            bytes.len()
        );
        assert_eq!(error, says);
    }
    let error = tfxio(["show", &format!("{DIGITS}@0x10")]).fails(2);
    assert_eq!(error, "error: byte 16 may be of any of 3 files; name one");
    // As it is said of a damage.
    let error = tfxio(["show", "fixtures/damaged/bit-in-length.tfrecord@2", "--as", "raw"]).fails(1);
    assert!(error.contains("byte 158, record 2: the checksum"), "{error}");
    let parquet = path(&folder, "a.parquet");
    tfxio(["convert", FIRST, &parquet]).ok();
    let error = tfxio(["show", &format!("{parquet}@0x10")]).fails(2);
    assert_eq!(
        error,
        "error: the format parquet does not offer the bytes at which records begin; name the record by its number"
    );
}

#[test]
fn all_of_a_record() {
    let out = tfxio(["show", &format!("{FIRST}@3"), &format!("{FIRST}@4")]).ok();
    let lines = out.lines().collect::<Vec<_>>();
    assert_eq!(lines.len(), 9);
    assert!(lines[0].ends_with("digits-00000-of-00003.tfrecord, byte 996, record 3"), "{}", lines[0]);
    assert_eq!(lines[1], "id     \"digit-0003\"");
    assert!(lines[2].starts_with("image  [0.0, 0.0, 7.0, 15.0") && lines[2].matches(", ").count() == 63);
    assert_eq!(lines[3..5], ["label  3", ""]);
    let rows = json_lines(&tfxio(["show", &format!("{FIRST}@3"), "--format", "json"]).ok());
    assert_eq!(rows[0]["image"].as_array().unwrap().len(), 64);
}

#[test]
fn columns_by_patterns() {
    let sessions = "fixtures/tensors/sessions.tfrecord";
    let columns = |columns: &str| {
        let out = tfxio(["head", sessions, "-n", "1", "--columns", columns, "--format", "json"]).ok();
        let row = json_lines(&out).remove(0);
        let names = row.as_object().unwrap().iter().flat_map(|(name, value)| match value.as_object() {
            Some(fields) => fields.keys().map(|field| format!("{name}.{field}")).collect::<Vec<_>>(),
            None => vec![name.clone()],
        });
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(columns("##SEQUENCE##.*"), "##SEQUENCE##.clicks ##SEQUENCE##.queries");
    assert_eq!(columns("*.clicks,*"), "##SEQUENCE##.clicks ##SEQUENCE##.queries user");
    assert_eq!(columns("us?r"), "user");
    // What is named by itself is where it is named.
    let out = tfxio(["head", FIRST, "-n", "1", "--columns", "*,id", "--format", "json"]).ok();
    assert!(out.starts_with("{\"image\"") && out.ends_with("\"id\": [\"digit-0000\"]}\n"), "{out}");
    for command in ["head", "tail", "sample"] {
        let error = tfxio([command, FIRST, "--columns", "lable*"]).fails(2);
        assert!(error.starts_with("error: no column matches \"lable*\"; did you mean \"label\"?"), "{error}");
    }
}

#[test]
fn predicates_that_do_not_fit() {
    for command in ["head", "tail", "sample"] {
        let run = tfxio([command, FIRST, "--where", "label = = 7"]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("is not valid at character 9: expected a value"), "{}", run.err);
        let error = tfxio([command, FIRST, "--where", "lable = 7"]).fails(2);
        assert_eq!(
            error,
            "error: the filter names the column \"lable\", which does not exist; did you mean \"label\"?"
        );
        let error = tfxio([command, FIRST, "--where", "label = 'x'"]).fails(2);
        assert!(error.contains("cannot be compared with 'x'; compare numbers"), "{error}");
    }
    assert_eq!(tfxio(["head", FIRST, "--where", "label = 70"]).ok(), "0 records\n");
    assert_eq!(tfxio(["tail", FIRST, "--where", "label = 70"]).ok(), "0 records\n");
}

#[test]
fn a_drawn_seed_is_said() {
    let run = tfxio(["sample", FIRST, "-n", "3", "--columns", "id"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let seed = run.err.strip_prefix("note: drawn with --seed ").unwrap().trim();
    assert_eq!(tfxio(["sample", FIRST, "-n", "3", "--columns", "id", "--seed", seed]).ok(), run.out);
}

#[test]
fn damage_is_said_or_skipped() {
    let file = "fixtures/damaged/bit-in-payload.tfrecord";
    for command in ["tail", "sample"] {
        let run = tfxio([command, file, "--as", "raw", "--format", "json"]);
        assert_eq!(run.code, 1, "{command}: {}", run.err);
        assert!(run.err.contains("checksum"), "{}", run.err);
        let run = tfxio([command, file, "--as", "raw", "--format", "json", "--on-error", "skip"]);
        assert!(run.code == 0 && run.err.contains("skipped 1 damaged range: 1 record"), "{}", run.err);
        assert!(!run.out.is_empty());
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let read = |command: &str| {
        let mut command_line = crate::run::command();
        command_line.args([command, "/dev/stdin", "-n", "3", "--columns", "id", "--format", "json"]);
        if command == "sample" {
            command_line.args(["--seed", "1"]);
        }
        let mut cat = std::process::Command::new("cat");
        let mut cat = cat.arg(root().join(FIRST)).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let output = command_line.stdin(cat.stdout.take().unwrap()).output().unwrap();
        // It holds the pipe, which nobody reads to the end.
        drop(command_line);
        cat.wait().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!([read("tail"), read("sample"), read("head")], [3, 3, 3]);
}
