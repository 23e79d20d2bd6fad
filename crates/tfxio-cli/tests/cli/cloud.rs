//! URLs as inputs, from a server on this machine.

use crate::run::{Run, command, json_lines, path, tfxio};
use crate::server::Server;

const SHARDS: [&str; 3] = [
    "digits-gzip/digits-00000-of-00003.tfrecord",
    "digits-gzip/digits-00001-of-00003.tfrecord",
    "digits-gzip/digits-00002-of-00003.tfrecord",
];
const DAMAGED: &str = "damaged/bit-in-length.tfrecord";

/// Runs the command where `s3://bucket/` is the server.
fn with_s3(server: &Server, args: &[&str]) -> Run {
    let output = command().args(args).envs(server.as_s3()).output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_reading_command_takes_urls() {
    let server = Server::start(&SHARDS);
    let folder = tempfile::tempdir().unwrap();
    let (url, local) =
        ("s3://bucket/digits-gzip/digits@3.tfrecord", "fixtures/digits-gzip/digits@3.tfrecord");
    for args in [&["head", "-n", "700", "--format", "json"][..], &["schema"], &["schema", "--format", "json"]]
    {
        let ours = with_s3(&server, &[args, &[url]].concat()).ok();
        assert_eq!(ours, tfxio([args, &[local]].concat()).ok(), "{args:?}");
    }
    let ours = json_lines(&with_s3(&server, &["inspect", "--json", url]).ok());
    let theirs = json_lines(&tfxio(["inspect", "--json", local]).ok());
    assert_eq!(ours.len(), 3);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours["file"], theirs["file"].as_str().unwrap().replace("fixtures", "s3://bucket"));
        for key in ["compression", "records", "payload_bytes", "crc32_of_payloads", "errors"] {
            assert_eq!(ours[key], theirs[key]);
        }
    }
    let (from_url, from_file) = (path(&folder, "a.arrow"), path(&folder, "b.arrow"));
    with_s3(&server, &["convert", url, &from_url]).ok();
    tfxio(["convert", local, &from_file]).ok();
    assert!(std::fs::read(from_url).unwrap() == std::fs::read(from_file).unwrap());
}

/// A whole data set may be in a store: the folder with its manifest, or a list with the files that it names.
#[test]
fn loaders_take_urls() {
    let files = [
        "digits/__manifest__.json",
        "digits/digits-00000-of-00003.tfrecord",
        "digits/digits-00001-of-00003.tfrecord",
        "digits/digits-00002-of-00003.tfrecord",
    ];
    let server = Server::start(&[&files[..], &["scripts/make_sonnets.py"]].concat());
    let folder = tempfile::tempdir().unwrap();
    let load = |dataset: &str, code: i32| {
        let text = format!(
            r#"{{"type": "independent", "dataset": {dataset}, "target_batch_size": 100, "drop_remainder": false, "epochs": 1,
            "num_read_buffer_bytes": 0, "num_prefetch": 2, "primary_features": [{{"from_name": "label", "to_name": "label"}}]}}"#
        );
        let config = path(&folder, "run.json");
        std::fs::write(&config, text).unwrap();
        let run = with_s3(&server, &["load", "--json", "--batches", "99", &config]);
        assert_eq!(run.code, code, "{}{}", run.out, run.err);
        if code == 0 {
            json_lines(&run.out).into_iter().filter(|line| line.get("batch").is_some()).collect()
        } else {
            vec![run.err.into()]
        }
    };
    let here = crate::run::root().join("fixtures/digits");
    let local = path(&folder, "local.txt");
    std::fs::write(
        &local,
        files[1..].iter().map(|file| format!("{}\n", here.join(&file[7..]).display())).collect::<String>(),
    )
    .unwrap();
    let expected = load(
        &format!(
            r#"{{"type": "list", "args": {{"manifest_file": "{}/__manifest__.json", "list_file": "{local}"}}}}"#,
            here.display()
        ),
        0,
    );
    assert_eq!(expected.len(), 18);
    for url in ["s3://bucket/digits", "s3://bucket/digits/", "s3://bucket/"] {
        // Only where the manifest is.
        let code = if url == "s3://bucket/" { 3 } else { 0 };
        let found = load(&format!(r#"{{"type": "dir", "args": {{"data_dir": "{url}"}}}}"#), code);
        if code == 0 {
            assert_eq!(found, expected, "{url}");
        } else {
            let error = found[0].as_str().unwrap();
            assert!(
                error.contains(
                    "`dataset.args.data_dir`: the manifest s3://bucket/__manifest__.json does not exist"
                ),
                "{error}"
            );
        }
    }
    let urls = path(&folder, "urls.txt");
    std::fs::write(&urls, files[1..].iter().map(|file| format!("s3://bucket/{file}\n")).collect::<String>())
        .unwrap();
    let list = format!(
        r#"{{"type": "list", "args": {{"manifest_file": "s3://bucket/digits/__manifest__.json", "list_file": "{urls}"}}}}"#
    );
    assert_eq!(load(&list, 0), expected);
    let no_list = list.replace(&urls, "s3://bucket/digits/none.txt");
    let error = load(&no_list, 3).remove(0);
    let error = error.as_str().unwrap();
    assert!(
        error.contains(
            "`dataset.args.list_file`: the list of files s3://bucket/digits/none.txt does not exist"
        ),
        "{error}"
    );
}

#[test]
fn avro_files_too() {
    let server = Server::start(&["avro/people.avro"]);
    let (url, local) = ("s3://bucket/avro/*.avro", "fixtures/avro/people.avro");
    for (command, behind) in [
        ("head", &["--format", "json", "--max-depth", "4"][..]),
        ("schema", &["--format", "own"]),
        ("avro-path", &["friends[*].name.first", "age"]),
        ("tensors", &["--features", "fixtures/avro/people.json"]),
    ] {
        let ours = with_s3(&server, &[&[command, url], behind].concat()).ok();
        assert_eq!(ours, tfxio([&[command, local], behind].concat()).ok(), "{command}");
    }
    let report = json_lines(&with_s3(&server, &["inspect", "--json", url]).ok()).remove(0);
    assert_eq!((&report["file"], &report["records"]), (&"s3://bucket/avro/people.avro".into(), &2.into()));
    let folder = tempfile::tempdir().unwrap();
    let repaired = path(&folder, "repaired.avro");
    with_s3(&server, &["repair", "s3://bucket/avro/people.avro", &repaired]).ok();
    let head = |name: &str| tfxio(["head", "--format", "json", "--max-depth", "4", name]).ok();
    assert_eq!(head(&repaired), head(local));
}

#[test]
fn a_file_on_the_web() {
    let server = Server::start(&SHARDS);
    let (url, local) = (server.url() + SHARDS[1], format!("fixtures/{}", SHARDS[1]));
    assert_eq!(with_s3(&server, &["head", &url]).ok(), tfxio(["head", &local]).ok());
}

#[test]
fn what_is_not_there() {
    let server = Server::start(&SHARDS);
    let missing = "s3://bucket/no.tfrecord";
    let error = with_s3(&server, &["head", missing]).fails(3);
    assert_eq!(error, format!("error: {missing}: no such object; check the bucket and the path"));
    let empty = "s3://bucket/no/*.tfrecord";
    let error = with_s3(&server, &["schema", empty]).fails(3);
    assert_eq!(
        error,
        format!(
            "error: {empty}: no file matches the pattern; check the directory and the pattern; quote it so that the shell \
             does not change it"
        )
    );
    let few = "s3://bucket/digits-gzip/digits@4.tfrecord";
    let error = with_s3(&server, &["head", few]).fails(3);
    assert!(error.starts_with(&format!("error: {few}: 4 of 4 shards are missing: ")), "{error}");
}

#[test]
fn damage_is_reported_with_the_url() {
    let server = Server::start(&[DAMAGED]);
    let url = format!("s3://bucket/{DAMAGED}");
    let run = with_s3(&server, &["inspect", "--json", &url]);
    assert_eq!(run.code, 1);
    assert_eq!(json_lines(&run.out)[0]["records"], 5);
    let folder = tempfile::tempdir().unwrap();
    let error = with_s3(&server, &["convert", &url, &path(&folder, "o.tfrecord")]).fails(1);
    assert_eq!(
        error,
        format!(
            "error: {url}, byte 158, record 2: the checksum of the record's length (79) does not match, so the length is not \
             to be trusted; the file is damaged here; salvage mode finds the next good record. To keep the records that are \
             whole: tfxio repair {url} OUT"
        )
    );
}

#[test]
fn a_set_of_objects_has_a_number() {
    let server = Server::start(&SHARDS);
    let (input, output) = (format!("s3://bucket/{}", SHARDS[0]), "s3://bucket/out@*.tfrecord");
    let error = with_s3(&server, &["convert", &input, output]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {output}: the number of shards is not known before they are written, and objects cannot be renamed; give \
             the number, as in train@16.tfrecord"
        )
    );
}

#[test]
fn a_server_that_ignores_ranges_is_named_at_once() {
    let server = Server::without_ranges(&[SHARDS[0]]);
    let url = format!("s3://bucket/{}", SHARDS[0]);
    // Retries would take a quarter of a minute, and say how many there were.
    let error = with_s3(&server, &["head", &url]).fails(3);
    assert!(error.contains("the server sent another part of the object than was asked for"), "{error}");
    assert!(error.contains("copy the file to a local disk") && !error.contains("retries"), "{error}");
}

#[test]
fn a_web_server_that_lists_nothing_is_asked_once() {
    let server = Server::start(&[SHARDS[0]]);
    let url = format!("{}digits-gzip/*.tfrecord", server.url());
    let run = command().args(["head", &url]).env("NO_PROXY", "127.0.0.1").output().unwrap();
    let error = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{error}");
    let says = "listing the store failed: the server does not list its files; web servers do so by WebDAV only; name each file \
                by its URL";
    assert!(error.starts_with(&format!("error: {url}: {says}")), "{error}");
    // For a file of that name, and for a listing.
    assert_eq!(server.requests(), 2, "{error}");
}

#[test]
fn urls_of_no_known_store() {
    let url = "ftp://name/a.tfrecord";
    assert_eq!(
        tfxio(["head", url]).fails(2).split(" (").next().unwrap(),
        format!(
            "error: {url}: no stores of this kind are known; known are s3://, gs://, az://, abfs://, http:// and https://"
        )
    );
}

#[test]
fn a_directory_of_objects() {
    let server = Server::start(&SHARDS);
    let folder = tempfile::tempdir().unwrap();
    let head =
        |name: &str| with_s3(&server, &["head", name, "-n", "700", "--skip", "600", "--format", "json"]).ok();
    for directory in ["s3://bucket/digits-gzip/", "s3://bucket/"] {
        assert_eq!(head(directory), head("fixtures/digits-gzip"));
    }
    // What is written for a loader names the objects.
    let config = path(&folder, "run.json");
    with_s3(&server, &["load", "--init", "s3://bucket/digits-gzip/", &config]).ok();
    let list = std::fs::read_to_string(path(&folder, "run.files.txt")).unwrap();
    assert_eq!(list.lines().next(), Some("s3://bucket/digits-gzip/digits-00000-of-00003.tfrecord"));
    assert!(with_s3(&server, &["load", "--check", &config]).ok().ends_with("all is well\n"));
    let error = with_s3(&server, &["head", "s3://bucket/digits-gzip"]).fails(3);
    assert!(error.ends_with("to read all objects below it, write s3://bucket/digits-gzip/"), "{error}");
}

/// URLs between quotes are tables, with patterns, from S3 and plain HTTP.
#[cfg(feature = "sql")]
#[test]
fn urls_are_tables_of_sql() {
    let server = Server::start(&[&SHARDS[..], &[DAMAGED]].concat());
    let text = |from: &str| {
        format!(
            "select label, count(*) as n, min(id) as first from {from} where label < 3 group by 1 order by 1"
        )
    };
    let local = tfxio(["sql", "--format", "json", &text("'fixtures/digits-gzip/digits@3.tfrecord'")]).ok();
    assert_eq!(json_lines(&local).len(), 3);
    for from in [
        "'s3://bucket/digits-gzip/digits@3.tfrecord'",
        "'s3://bucket/digits-gzip/digits-*.tfrecord'",
        "read_tfrecord('s3://bucket/digits-gzip/digits-*.tfrecord')",
    ] {
        assert_eq!(with_s3(&server, &["sql", "--format", "json", &text(from)]).ok(), local, "{from}");
    }
    let union = SHARDS.map(|file| format!("select * from '{}{file}'", server.url())).join(" union all ");
    let ours = tfxio(["sql", "--format", "json", &text(&format!("({union}) as shards"))]).ok();
    assert_eq!(ours, local);
    // What does not exist, and what is damaged, is said with its URL.
    let lost = format!("{}lost.tfrecord", server.url());
    let error = tfxio(["sql", &format!("select * from '{lost}'")]).fails(3);
    assert!(error.contains(&lost), "{error}");
    let damaged = format!("s3://bucket/{DAMAGED}");
    let error =
        with_s3(&server, &["sql", &format!("select * from read_tfxio('{damaged}', 'format=raw')")]).fails(1);
    assert!(error.contains(&damaged) && error.contains("record"), "{error}");
}

/// Neither a password nor the key of a signed URL is in a message, whatever is wrong.
#[cfg(feature = "sql")]
#[test]
fn secrets_of_urls_are_in_no_message_of_sql() {
    let server = Server::start(&SHARDS[..1]);
    let host = server.url().replace("http://", "").replace('/', "");
    let [file, _, _] = SHARDS;
    for url in [
        format!("http://mia:hunter2@{host}/{file}"),
        format!("http://mia:hunter2@{host}/lost.tfrecord"),
        format!("http://mia:hunter2@{host}/lost-*.tfrecord"),
        format!("http://{host}/{file}?X-Amz-Signature=hunter2"),
        format!("http://{host}/lost.tfrecord?sig=hunter2"),
        "s3://AKIA:hunter2@bucket/lost.tfrecord".to_owned(),
    ] {
        let plain = url.split('?').next().unwrap();
        for output in
            [&*url, plain, &format!("{plain}.none"), &format!("{plain}@4"), &format!("{plain}.parquet")]
        {
            let run = with_s3(&server, &["convert", "fixtures/text/people.csv", output]);
            assert!(!run.err.contains("hunter2"), "{output}: {}", run.err);
        }
        for text in [
            format!("select count(*) from '{url}'"),
            format!("select nothing from '{url}'"),
            format!("select count(*) from read_tfrecord('{url}')"),
            format!("select count(*) from '{url}' where"),
            format!("copy (select 1 as n) to '{url}'"),
            format!("explain analyze select * from '{url}'"),
        ] {
            let run = with_s3(&server, &["sql", "--format", "json", &text]);
            assert!(
                !run.err.contains("hunter2") && !run.out.contains("hunter2"),
                "{text}\n{}{}",
                run.out,
                run.err
            );
            assert!(run.code != 0 || run.out.starts_with('{'), "{text}\n{}{}", run.out, run.err);
        }
    }
}

/// However a secret is written into a URL, no command repeats it.
#[test]
fn secrets_of_urls_are_in_no_message() {
    let folder = tempfile::tempdir().unwrap();
    let spelled = [
        "https://mia:SECRET@127.0.0.1:1/x.EXT",
        "https://mia:pa/SECRET@127.0.0.1:1/x.EXT",
        "https://mia:SECRET?a@127.0.0.1:1/x.EXT",
        "https://mia:SECRET#a@127.0.0.1:1/x.EXT",
        "https://mia:p@SECRET/a@127.0.0.1:1/x.EXT",
        "https://mia%3ASECRET@127.0.0.1:1/x.EXT",
        "https://SECRET@127.0.0.1:1/x.EXT",
        "s3://KEY:pa/SECRET@bucket/x.EXT",
        "https://127.0.0.1:1/x.EXT?token=SECRET",
        "https://127.0.0.1:1/x.EXT?access_token=SECRET",
        "https://127.0.0.1:1/x.EXT?X-Amz-Security-Token=SECRET",
        "https://127.0.0.1:1/x.EXT?s%69g=SECRET",
        "https://127.0.0.1:1/x.EXT?SECRET",
        "https://127.0.0.1:1/x.EXT#SECRET",
        "az://container/x.EXT?st=SECRET",
        "none://mia:SECRET@host/x.EXT",
    ];
    let out = |name: &str| path(&folder, name);
    let check = |args: &[&str]| {
        let run = tfxio(args);
        assert!(run.code != 0, "{args:?}");
        let said = format!("{}{}", run.out, run.err);
        assert!(!said.contains("SECRET"), "{args:?}: {said}");
    };
    for (at, url) in spelled.iter().enumerate() {
        for ending in ["tfrecord", "avro", "none"] {
            let url = url.replace("EXT", ending);
            check(&["head", &url]);
            check(&["convert", "fixtures/text/people.csv", &url]);
            // All others of some.
            if at % 5 > 0 || ending != "tfrecord" {
                continue;
            }
            let statement = format!("select * from '{url}'");
            let record = format!("{url}@3");
            let (index, config) = (out("index.tfrecord"), format!("{{\"files\": [\"{url}\"]}}"));
            let runs: [&[&str]; 15] = [
                &["tail", &url],
                &["sample", &url],
                &["show", &record],
                &["schema", &url],
                &["inspect", &url],
                &["verify", &url],
                &["verify", "--json", &url],
                &["stats", &url],
                &["repair", &url, &index],
                &["index", &url],
                &["convert", &url, &index],
                &["extract", &url, folder.path().to_str().unwrap()],
                &["load", &url],
                &["load", "--config", &config],
                &["sql", &statement],
            ];
            runs.into_iter().for_each(check);
        }
    }
}
