//! Files that are not there or not what they should be.

use crate::run::{path, root, tfxio};

/// Every command that reads a file, with the arguments behind it.
const COMMANDS: [(&str, Option<&str>); 3] =
    [("head", None), ("schema", None), ("convert", Some("o.tfrecord"))];

/// Runs every command on a file. Their complaint, which is one.
#[track_caller]
fn complaint(file: &str, code: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut said = COMMANDS.map(|(command, output)| {
        let output = output.map(|output| path(&folder, output));
        let args = [Some(command.to_owned()), Some(file.to_owned()), output];
        let error = tfxio(args.into_iter().flatten()).fails(code);
        assert!(crate::run::names(&folder).is_empty(), "{command}: nothing is left");
        error
    });
    said.sort();
    let [first, .., last] = &said;
    assert_eq!(first, last);
    first.clone()
}

#[test]
fn a_missing_file() {
    assert_eq!(
        complaint("no/such.tfrecord", 3),
        "error: no/such.tfrecord: opening the file failed: no such file; check the path"
    );
}

#[test]
fn a_pattern_that_matches_nothing() {
    assert_eq!(
        complaint("fixtures/*.nothing", 3),
        "error: fixtures/*.nothing: no file matches the pattern; check the directory and the pattern; quote it so that the \
         shell does not change it"
    );
}

#[test]
fn files_of_several_formats() {
    let folder = tempfile::tempdir().unwrap();
    let [digits, people] = ["a.tfrecord", "b.avro"].map(|name| path(&folder, name));
    std::fs::copy(root().join("fixtures/digits/digits-00000-of-00003.tfrecord"), &digits).unwrap();
    std::fs::copy(root().join("fixtures/avro/people.avro"), &people).unwrap();
    for (command, output, verb) in
        [("head", None, "open"), ("schema", None, "open"), ("convert", Some("o.tfrecord"), "convert")]
    {
        let output = output.map(|output| path(&folder, output));
        let args = [Some(command.to_owned()), Some(path(&folder, "[ab].*")), output];
        assert_eq!(
            tfxio(args.into_iter().flatten()).fails(2),
            format!(
                "error: {people}: the format of the file is avro, and that of {digits} is tfrecord; {verb} the files of each \
                 format by themselves"
            )
        );
    }
}

#[test]
fn a_schema_that_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let schema = path(&folder, "schema.pbtxt");
    std::fs::write(&schema, "feature { name: 'label' type: FLOAT }").unwrap();
    let file = "fixtures/digits/digits-00000-of-00003.tfrecord";
    for command in ["head", "tensors"] {
        let error = tfxio([command, file, "--schema", &schema]).fails(1);
        let said = format!(
            "error: {file}, byte 0, record 0, column \"label\": the value is an int64_list, the schema says float_list"
        );
        assert!(error.starts_with(&said), "{error}");
    }
}

#[test]
fn a_missing_shard() {
    let folder = tempfile::tempdir().unwrap();
    for shard in [0, 2] {
        let name = format!("digits-0000{shard}-of-00003.tfrecord");
        std::fs::copy(root().join("fixtures/digits").join(&name), folder.path().join(&name)).unwrap();
    }
    let error = complaint(&path(&folder, "digits@3.tfrecord"), 3);
    assert!(error.contains("1 of 3 shards is missing: "), "{error}");
    assert!(error.contains("digits-00001-of-00003.tfrecord"), "{error}");
}

#[test]
fn something_else() {
    let file = "fixtures/damaged/text.tfrecord";
    assert_eq!(
        complaint(file, 1),
        format!(
            "error: {file}, byte 0, record 0: this is not a TFRecord file: it begins like a text file; give it to a reader of \
             that format, or convert it first"
        )
    );
}

#[test]
fn a_gzip_file_cut_short() {
    let error = complaint("fixtures/damaged/gzip-cut-in-header.tfrecord.gz", 1);
    assert_eq!(
        error,
        "error: fixtures/damaged/gzip-cut-in-header.tfrecord.gz, compressed byte 6, uncompressed byte 0, record 0: the \
         input ends inside the header of a gzip member; the file was not written or copied to its end; copy it again, or \
         salvage the records before this. To keep the records that are whole: tfxio repair \
         fixtures/damaged/gzip-cut-in-header.tfrecord.gz OUT"
    );
}

#[test]
fn a_broken_parquet_file() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["convert", "fixtures/damaged/parquet.tfrecord", &path(&folder, "o.tfrecord")];
    let error = tfxio(args).fails(1);
    assert!(
        error.contains(": the name says the format tfrecord, and the file begins like parquet; "),
        "{error}"
    );
    let error = tfxio(args.into_iter().chain(["--as", "parquet"])).fails(1);
    assert!(
        error.starts_with("error: fixtures/damaged/parquet.tfrecord: the Parquet file cannot be read: "),
        "{error}"
    );
    let file = path(&folder, "a.arrow");
    std::fs::write(&file, "ARROW1 and nothing").unwrap();
    let error = tfxio(["convert", &file, &path(&folder, "o.tfrecord")]).fails(1);
    assert!(error.starts_with(&format!("error: {file}: the Arrow file cannot be read: ")), "{error}");
}

#[test]
fn files_with_footers_that_lack_them() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, title, magic) in [("parquet", "Parquet", "PAR1"), ("arrow", "Arrow", "ARROW1")] {
        let (whole, file) =
            (path(&folder, &format!("whole.{ending}")), path(&folder, &format!("a.{ending}")));
        tfxio(["convert", "fixtures/tensors/people.tfrecord", &whole]).ok();
        let bytes = std::fs::read(&whole).unwrap();
        let half = bytes.len() / 2;
        for (content, says) in [
            (
                &bytes[..half],
                format!(
                    "the {title} file cannot be read: the file has {half} bytes and does not end with {magic}: it was not \
                     written or copied to its end; the file is not complete; copy or download it again"
                ),
            ),
            (
                &bytes[..magic.len()],
                format!(
                    "the {title} file cannot be read: the file has {} bytes and does not end with {magic}: it was not \
                     written or copied to its end; the file is not complete; copy or download it again",
                    magic.len()
                ),
            ),
            (
                b"",
                format!(
                    "the file has 0 bytes, and its name says {title}, of which a file without records has some: it was not \
                     written or copied to its end; copy it again"
                ),
            ),
            (
                b"id,name\n1,one\n2,two\n",
                format!(
                    "the {title} file cannot be read: the file neither begins nor ends with {magic}: it has another \
                     format; state the format that it has, or convert it first"
                ),
            ),
        ] {
            std::fs::write(&file, content).unwrap();
            for command in ["head", "schema"] {
                let error = tfxio([command, &file]).fails(1);
                assert_eq!(error, format!("error: {file}: {says}"), "{command}");
            }
        }
    }
}

#[test]
fn a_missing_folder_of_the_output() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["no/o.tfrecord", "no/o.parquet", "no/o.arrow"] {
        let output = path(&folder, name);
        let error = tfxio(["convert", "fixtures/digits/digits@3.tfrecord", &output]).fails(3);
        assert!(error.starts_with(&format!("error: {output}: creating the file failed: ")), "{error}");
        assert!(error.contains("does not exist; make the directory first"), "{error}");
    }
}

#[test]
fn a_directory_as_output() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["o.tfrecord", "o.parquet", "o.arrow"] {
        let output = path(&folder, name);
        std::fs::create_dir(&output).unwrap();
        let error = tfxio(["convert", "fixtures/digits/digits@3.tfrecord", &output]).fails(3);
        assert!(error.contains("this is a directory"), "{error}");
    }
}

/// Root may read and write everything, so there is nothing to see for it.
#[cfg(unix)]
#[test]
fn no_permission() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.tfrecord");
    std::fs::copy(root().join("fixtures/tfrecord/six-records.tfrecord"), &file).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o0)).unwrap();
    if std::fs::File::open(&file).is_ok() {
        return;
    }
    let error = complaint(&file, 3);
    assert!(error.contains("permission denied; check the owner and the mode"), "{error}");
}

#[test]
fn a_table_of_columns_can_be_converted() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.parquet", "a.arrow"] {
        let file = path(&folder, name);
        tfxio(["convert", "fixtures/digits/digits-00000-of-00003.tfrecord", &file]).ok();
        assert!(tfxio(["head", &file, "-n", "1"]).ok().contains("digit-0000"));
        let avro = path(&folder, &format!("{name}.avro"));
        tfxio(["convert", &file, &avro]).ok();
        tfxio(["head", &avro]).ok();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_set_of_shards_that_is_not_unicode() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt as _;

    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join(OsStr::from_bytes(b"o\xff@2.tfrecord"));
    let args = ["convert", "fixtures/tfrecord/six-records.tfrecord"].map(OsString::from);
    let error = tfxio(args.into_iter().chain([output.into()])).fails(2);
    assert!(
        error.ends_with("@2.tfrecord: the name of the output is not valid Unicode; choose another name"),
        "{error}"
    );
    assert!(crate::run::names(&folder).is_empty());
}

/// Errors of files that are empty, or have another format than their names.
#[test]
fn empty_files_and_wrong_names() {
    let digits = std::fs::read(root().join("fixtures/digits/digits-00000-of-00003.tfrecord")).unwrap();
    let known = "the formats are \"tfrecord\", \"avro\", \"parquet\", \"arrow\", \"csv\", \"jsonl\". For this command: --as FORMAT";
    let lost =
        "of which a file without records has some: it was not written or copied to its end; copy it again";
    let cases: [(&str, &[u8], String); 9] = [
        ("data", b"", format!("the file is empty, and its name says no format; check the file, or state its format: {known}")),
        (
            "data.txt",
            b"hello",
            "this is text, and neither its beginning nor the name says which format it is of; state its format: the formats of \
             text are \"csv\", \"jsonl\". For this command: --as FORMAT"
                .to_owned(),
        ),
        (
            "data.bin",
            b"\x00\x01",
            format!("the format is not known by the first bytes or the name; check the file, or state its format: {known}"),
        ),
        ("a.csv.gz", b"", format!("the file has 0 bytes, and its name says gzip, {lost}")),
        ("a.parquet", b"", format!("the file has 0 bytes, and its name says Parquet, {lost}")),
        ("a.arrow", b"", format!("the file has 0 bytes, and its name says Arrow, {lost}")),
        (
            "a.tfrecord.gz",
            b"",
            format!(
                "the file has 0 bytes, and its name says gzip, {lost}, or, if it is an empty TFRecord file, give it a name \
                 that does not end with .gz"
            ),
        ),
        ("a.avro", b"", "the file is empty; an Avro file without records still has a header".to_owned()),
        (
            "b.avro",
            &digits,
            "the name says the format avro, and the file begins like tfrecord; rename the file, or state the format, \
             \"tfrecord\" or \"avro\". For this command: --as FORMAT"
                .to_owned(),
        ),
    ];
    for (name, bytes, said) in cases {
        let folder = tempfile::tempdir().unwrap();
        let file = path(&folder, name);
        std::fs::write(&file, bytes).unwrap();
        for (command, output) in COMMANDS.into_iter().chain([("inspect", None)]) {
            let output = output.map(|output| path(&folder, output));
            let args = [Some(command.to_owned()), Some(file.clone()), output];
            let run = tfxio(args.into_iter().flatten());
            assert_eq!(run.code, 1, "{command}");
            assert_eq!(run.err.lines().last(), Some(&*format!("error: {file}: {said}")), "{command}");
            assert_eq!(crate::run::names(&folder), [name], "{command}");
        }
    }
}
