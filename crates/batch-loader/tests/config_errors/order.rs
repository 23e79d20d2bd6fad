//! The data set and the order of its examples.

use batch_loader::ErrorKind::{InvalidType, InvalidValue, MissingArgument, UnexpectedArgument};

use super::check;

#[test]
fn data_sets() {
    check(&[("dataset", "1")], InvalidType, "line 3, column 12, `dataset`: 1 is given; give an object: {…}");
    check(
        &[("dataset", "{}")],
        MissingArgument,
        r#"line 3, column 12, `dataset.type`: the keys "type", "args" are missing; a data set needs them"#,
    );
    check(
        &[("dataset", r#"{"type": "dir"}"#)],
        MissingArgument,
        r#"line 3, column 12, `dataset.args`: the key "args" is missing; a data set needs it"#,
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": {}, "x": 1}"#)],
        UnexpectedArgument,
        r#"line 3, column 40, `dataset.x`: "x" is no key of a data set; the keys are "type", "args""#,
    );
    check(
        &[("dataset", r#"{"type": "files", "args": {}}"#)],
        InvalidValue,
        r#"line 3, column 21, `dataset.type`: "files" is no type of data set; one of "dir", "list""#,
    );
    check(
        &[("dataset", r#"{"type": 1, "args": {}}"#)],
        InvalidType,
        r#"line 3, column 21, `dataset.type`: 1 is given; give one of "dir", "list""#,
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": []}"#)],
        InvalidType,
        "line 3, column 36, `dataset.args`: [] is given; give an object: {…}",
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": {}}"#)],
        MissingArgument,
        r#"line 3, column 36, `dataset.args.data_dir`: the key "data_dir" is missing; a data set of type "dir" needs it"#,
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": {"data_dir": ""}}"#)],
        InvalidValue,
        r#"line 3, column 49, `dataset.args.data_dir`: "" is empty; give at least one character"#,
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": {"data_dir": 1}}"#)],
        InvalidType,
        "line 3, column 49, `dataset.args.data_dir`: 1 is given; give a string",
    );
    check(
        &[("dataset", r#"{"type": "dir", "args": {"data_dir": "a", "pattern": "*"}}"#)],
        UnexpectedArgument,
        r#"line 3, column 54, `dataset.args.pattern`: "pattern" is no key of a data set of type "dir"; the only key is "data_dir""#,
    );
    check(
        &[("dataset", r#"{"type": "list", "args": {}}"#)],
        MissingArgument,
        r#"line 3, column 37, `dataset.args.manifest_file`: the keys "manifest_file", "list_file" are missing; a data set of type "list" needs them"#,
    );
    check(
        &[("dataset", r#"{"type": "list", "args": {"manifest_file": "m"}}"#)],
        MissingArgument,
        r#"line 3, column 37, `dataset.args.list_file`: the key "list_file" is missing; a data set of type "list" needs it"#,
    );
    check(
        &[("dataset", r#"{"type": "list", "args": {"manifest_file": null, "list_file": "l"}}"#)],
        InvalidType,
        "line 3, column 55, `dataset.args.manifest_file`: null is given; give a string",
    );
    check(
        &[("dataset", r#"{"type": "list", "args": {"manifest_file": "m", "list_file": ["l"]}}"#)],
        InvalidType,
        "line 3, column 73, `dataset.args.list_file`: a list is given; give a string",
    );
    check(
        &[(
            "dataset",
            r#"{"type": "list", "args": {"manifest_file": "m", "list_file": "l", "list_files": "l"}}"#,
        )],
        UnexpectedArgument,
        r#"line 3, column 78, `dataset.args.list_files`: "list_files" is no key of a data set of type "list"; did you mean "list_file"? The keys are "manifest_file", "list_file""#,
    );
}

#[test]
fn the_order() {
    check(
        &[("shuffle", "1")],
        InvalidType,
        r#"line 10, column 12, `shuffle`: 1 is given; give true, false or "global""#,
    );
    check(
        &[("shuffle", r#""true""#)],
        InvalidType,
        r#"line 10, column 12, `shuffle`: "true" is given; give true, false or "global""#,
    );
    check(
        &[("shuffle", "null")],
        InvalidType,
        r#"line 10, column 12, `shuffle`: null is given; give true, false or "global""#,
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", ""),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "1"),
        ],
        MissingArgument,
        r#"line 1, column 1, `num_shuffle_buffer_elements`: the key "num_shuffle_buffer_elements" is missing; "shuffle": true needs it"#,
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", ""),
            ("num_mix_files", "1"),
        ],
        MissingArgument,
        r#"line 1, column 1, `num_filenames_shuffle_buffer`: the key "num_filenames_shuffle_buffer" is missing; "shuffle": true needs it"#,
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", ""),
        ],
        MissingArgument,
        r#"line 1, column 1, `num_mix_files`: the key "num_mix_files" is missing; "shuffle": true needs it"#,
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "0"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "1"),
        ],
        InvalidValue,
        "line 11, column 32, `num_shuffle_buffer_elements`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "0"),
            ("num_mix_files", "1"),
        ],
        InvalidValue,
        "line 12, column 33, `num_filenames_shuffle_buffer`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "0"),
        ],
        InvalidValue,
        "line 13, column 18, `num_mix_files`: 0 is out of range; give an integer from 1 to 65536",
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "65537"),
        ],
        InvalidValue,
        "line 13, column 18, `num_mix_files`: 65537 is out of range; give an integer from 1 to 65536",
    );
    check(
        &[
            ("shuffle", "true"),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "1.5"),
        ],
        InvalidType,
        "line 13, column 18, `num_mix_files`: 1.5 is given; give an integer from 1 to 65536",
    );
    check(
        &[("num_shuffle_buffer_elements", "null")],
        InvalidType,
        "line 10, column 32, `num_shuffle_buffer_elements`: null is given; give an integer from 1 to 4294967295",
    );
    check(
        &[("num_filenames_shuffle_buffer", r#""10""#)],
        InvalidType,
        r#"line 10, column 33, `num_filenames_shuffle_buffer`: "10" is given; give an integer from 1 to 4294967295"#,
    );
    check(
        &[("num_mix_files", "true")],
        InvalidType,
        "line 10, column 18, `num_mix_files`: true is given; give an integer from 1 to 65536",
    );
    check(
        &[
            ("shuffle", r#""global""#),
            ("num_shuffle_buffer_elements", "5"),
            ("num_filenames_shuffle_buffer", "1"),
            ("num_mix_files", "1"),
        ],
        InvalidValue,
        r#"line 11, column 32, `num_shuffle_buffer_elements`: a global shuffle has no buffer; leave this out, or give "shuffle": true"#,
    );
    check(
        &[("shuffle", r#""global""#), ("num_mix_files", "2")],
        InvalidValue,
        r#"line 11, column 18, `num_mix_files`: a global shuffle has no buffer; leave this out, or give "shuffle": true"#,
    );
    check(&[("shard", "1")], InvalidType, "line 10, column 10, `shard`: 1 is given; give an object: {…}");
    check(
        &[("shard", r#"{"index": 0}"#)],
        MissingArgument,
        r#"line 10, column 10, `shard.count`: the key "count" is missing; a shard needs it"#,
    );
    check(
        &[("shard", r#"{"count": 2}"#)],
        MissingArgument,
        r#"line 10, column 10, `shard.index`: the key "index" is missing; a shard needs it"#,
    );
    check(
        &[("shard", r#"{"index": 2, "count": 2}"#)],
        InvalidValue,
        "line 10, column 20, `shard.index`: 2 is out of range; give an integer from 0 to 1",
    );
    check(
        &[("shard", r#"{"index": -1, "count": 2}"#)],
        InvalidValue,
        "line 10, column 20, `shard.index`: -1 is out of range; give an integer from 0 to 1",
    );
    check(
        &[("shard", r#"{"index": 0, "count": 0}"#)],
        InvalidValue,
        "line 10, column 32, `shard.count`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("shard", r#"{"index": 0, "count": 2, "of": 3}"#)],
        UnexpectedArgument,
        r#"line 10, column 35, `shard.of`: "of" is no key of a shard; the keys are "index", "count""#,
    );
}

#[test]
fn even_hosts_and_kept_indexes() {
    check(
        &[("even", "\"pad\"")],
        InvalidValue,
        r#"line 10, column 9, `even`: "pad" is no way to make hosts even; one of "drop", "repeat""#,
    );
    check(
        &[("index", "\"besides\"")],
        InvalidValue,
        r#"line 10, column 10, `index`: "besides" is no way to keep indexes; did you mean "beside"? One of "none", "beside", "cache""#,
    );
    check(
        &[("index_dir", "\"kept\"")],
        InvalidValue,
        r#"line 10, column 14, `index_dir`: indexes are not kept in a folder; give "index": "cache", or leave this out"#,
    );
}
