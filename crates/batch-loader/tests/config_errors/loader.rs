//! The loader as a whole: its type, its batches, its threads and buffers.

use batch_loader::ErrorKind::{InvalidType, InvalidValue, MissingArgument, UnexpectedArgument};

use super::check;

#[test]
fn keys_of_all_loaders() {
    check(
        &[("type", "")],
        MissingArgument,
        r#"line 1, column 1, `type`: the key "type" is missing; a loader configuration needs it"#,
    );
    check(
        &[("dataset", "")],
        MissingArgument,
        r#"line 1, column 1, `dataset`: the key "dataset" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("target_batch_size", "")],
        MissingArgument,
        r#"line 1, column 1, `target_batch_size`: the key "target_batch_size" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("drop_remainder", "")],
        MissingArgument,
        r#"line 1, column 1, `drop_remainder`: the key "drop_remainder" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("epochs", "")],
        MissingArgument,
        r#"line 1, column 1, `epochs`: the key "epochs" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("num_read_buffer_bytes", "")],
        MissingArgument,
        r#"line 1, column 1, `num_read_buffer_bytes`: the key "num_read_buffer_bytes" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("num_prefetch", "")],
        MissingArgument,
        r#"line 1, column 1, `num_prefetch`: the key "num_prefetch" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("primary_features", "")],
        MissingArgument,
        r#"line 1, column 1, `primary_features`: the key "primary_features" is missing; a loader of type "independent" needs it"#,
    );
    check(
        &[("num_prefetch", ""), ("num_prefech", "1")],
        MissingArgument,
        r#"line 9, column 1, `num_prefetch`: the key "num_prefetch" is missing; a loader of type "independent" needs it; is "num_prefech" meant to be it?"#,
    );
    check(
        &[("target_batch_size", ""), ("batch_size", "8"), ("epochs", "")],
        MissingArgument,
        r#"line 8, column 1, `target_batch_size`: the keys "target_batch_size", "epochs" are missing; a loader of type "independent" needs them; is "batch_size" meant to be "target_batch_size"?"#,
    );
    check(
        &[("batch_size", "8")],
        UnexpectedArgument,
        r#"line 10, column 1, `batch_size`: "batch_size" is no key of a loader of type "independent"; did you mean "target_batch_size"?"#,
    );
    check(
        &[("epochs", ""), ("zz", "1")],
        MissingArgument,
        r#"line 1, column 1, `epochs`: the key "epochs" is missing; a loader of type "independent" needs it; "zz" is no key of it"#,
    );
    check(
        &[("zz", "1")],
        UnexpectedArgument,
        r#"line 10, column 1, `zz`: "zz" is no key of a loader of type "independent"; the keys are "type", "dataset", "target_batch_size", "drop_remainder", "epochs", "num_read_buffer_bytes", "num_prefetch", "primary_features", "num_parallel_reads", "num_parallel_parses", "shuffle", "num_shuffle_buffer_elements", "num_filenames_shuffle_buffer", "num_mix_files", "sloppy_interleave", "num_interleave_out_buffer_elements", "num_interleave_in_buffer_elements", "secondary_features", "processing_steps", "normalization", "padding", "bucket_by_length", "on_error", "error_budget", "seed", "shard", "even", "index", "index_dir", "multi_load", "name""#,
    );
    check(
        &[("zz", "1"), ("aa", "2")],
        UnexpectedArgument,
        r#"line 10, column 1, `zz`: "zz", "aa" are no keys of a loader of type "independent"; the keys are "type", "dataset", "target_batch_size", "drop_remainder", "epochs", "num_read_buffer_bytes", "num_prefetch", "primary_features", "num_parallel_reads", "num_parallel_parses", "shuffle", "num_shuffle_buffer_elements", "num_filenames_shuffle_buffer", "num_mix_files", "sloppy_interleave", "num_interleave_out_buffer_elements", "num_interleave_in_buffer_elements", "secondary_features", "processing_steps", "normalization", "padding", "bucket_by_length", "on_error", "error_budget", "seed", "shard", "even", "index", "index_dir", "multi_load", "name""#,
    );
    check(
        &[("shufle", "true")],
        UnexpectedArgument,
        r#"line 10, column 1, `shufle`: "shufle" is no key of a loader of type "independent"; did you mean "shuffle"?"#,
    );
    check(
        &[("a b", "1")],
        UnexpectedArgument,
        r#"line 10, column 1, `["a b"]`: "a b" is no key of a loader of type "independent"; the keys are "type", "dataset", "target_batch_size", "drop_remainder", "epochs", "num_read_buffer_bytes", "num_prefetch", "primary_features", "num_parallel_reads", "num_parallel_parses", "shuffle", "num_shuffle_buffer_elements", "num_filenames_shuffle_buffer", "num_mix_files", "sloppy_interleave", "num_interleave_out_buffer_elements", "num_interleave_in_buffer_elements", "secondary_features", "processing_steps", "normalization", "padding", "bucket_by_length", "on_error", "error_budget", "seed", "shard", "even", "index", "index_dir", "multi_load", "name""#,
    );
    check(
        &[("type", "1")],
        InvalidType,
        r#"line 2, column 9, `type`: 1 is given; give one of "independent", "continuous_sequence", "discrete_sequence""#,
    );
    check(
        &[("type", r#""independant""#)],
        InvalidValue,
        r#"line 2, column 9, `type`: "independant" is no type of loader; did you mean "independent"? One of "independent", "continuous_sequence", "discrete_sequence""#,
    );
    check(
        &[("type", r#""windows""#)],
        InvalidValue,
        r#"line 2, column 9, `type`: "windows" is no type of loader; one of "independent", "continuous_sequence", "discrete_sequence""#,
    );
    check(&[("name", "1")], InvalidType, "line 10, column 9, `name`: 1 is given; give a string");
    check(
        &[("target_batch_size", "0")],
        InvalidValue,
        "line 4, column 22, `target_batch_size`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("target_batch_size", "2.5")],
        InvalidType,
        "line 4, column 22, `target_batch_size`: 2.5 is given; give an integer from 1 to 4294967295",
    );
    check(
        &[("target_batch_size", "true")],
        InvalidType,
        "line 4, column 22, `target_batch_size`: true is given; give an integer from 1 to 4294967295",
    );
    check(
        &[("target_batch_size", r#""2""#)],
        InvalidType,
        r#"line 4, column 22, `target_batch_size`: "2" is given; give an integer from 1 to 4294967295"#,
    );
    check(
        &[("target_batch_size", "1e300")],
        InvalidType,
        "line 4, column 22, `target_batch_size`: 1e300 is given; give an integer from 1 to 4294967295",
    );
    check(
        &[("target_batch_size", "4294967296")],
        InvalidValue,
        "line 4, column 22, `target_batch_size`: 4294967296 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("target_batch_size", "-1")],
        InvalidValue,
        "line 4, column 22, `target_batch_size`: -1 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("drop_remainder", "null")],
        InvalidType,
        "line 5, column 19, `drop_remainder`: null is given; give true or false",
    );
    check(
        &[("drop_remainder", "1")],
        InvalidType,
        "line 5, column 19, `drop_remainder`: 1 is given; give true or false",
    );
    check(
        &[("epochs", "0")],
        InvalidValue,
        "line 6, column 11, `epochs`: 0 is out of range; give an integer from 1 to 4294967295, or null for no end",
    );
    check(
        &[("epochs", r#""1""#)],
        InvalidType,
        r#"line 6, column 11, `epochs`: "1" is given; give an integer from 1 to 4294967295, or null for no end"#,
    );
    check(
        &[("epochs", "1.5")],
        InvalidType,
        "line 6, column 11, `epochs`: 1.5 is given; give an integer from 1 to 4294967295, or null for no end",
    );
    check(
        &[("num_read_buffer_bytes", "-1")],
        InvalidValue,
        "line 7, column 26, `num_read_buffer_bytes`: -1 is out of range; give an integer from 0 to 1073741824",
    );
    check(
        &[("num_read_buffer_bytes", "1073741825")],
        InvalidValue,
        "line 7, column 26, `num_read_buffer_bytes`: 1073741825 is out of range; give an integer from 0 to 1073741824",
    );
    check(
        &[("num_read_buffer_bytes", "null")],
        InvalidType,
        "line 7, column 26, `num_read_buffer_bytes`: null is given; give an integer from 0 to 1073741824",
    );
    check(
        &[("num_prefetch", "-2")],
        InvalidValue,
        "line 8, column 17, `num_prefetch`: -2 is out of range; give an integer from 0 to 65536",
    );
    check(
        &[("num_prefetch", "65537")],
        InvalidValue,
        "line 8, column 17, `num_prefetch`: 65537 is out of range; give an integer from 0 to 65536",
    );
    check(
        &[("num_prefetch", "[]")],
        InvalidType,
        "line 8, column 17, `num_prefetch`: [] is given; give an integer from 0 to 65536",
    );
    check(
        &[("num_parallel_reads", "0")],
        InvalidValue,
        "line 10, column 23, `num_parallel_reads`: 0 is out of range; give an integer from 1 to 1024",
    );
    check(
        &[("num_parallel_reads", "null")],
        InvalidType,
        "line 10, column 23, `num_parallel_reads`: null is given; give an integer from 1 to 1024",
    );
    check(
        &[("num_parallel_parses", "1025")],
        InvalidValue,
        "line 10, column 24, `num_parallel_parses`: 1025 is out of range; give an integer from 1 to 1024",
    );
    check(
        &[("num_parallel_parses", "1.5")],
        InvalidType,
        "line 10, column 24, `num_parallel_parses`: 1.5 is given; give an integer from 1 to 1024",
    );
    check(
        &[("sloppy_interleave", "0")],
        InvalidType,
        "line 10, column 22, `sloppy_interleave`: 0 is given; give true or false",
    );
    check(
        &[("num_interleave_out_buffer_elements", "0")],
        InvalidValue,
        "line 10, column 39, `num_interleave_out_buffer_elements`: 0 is out of range; give an integer from 1 to 65536",
    );
    check(
        &[("num_interleave_out_buffer_elements", "true")],
        InvalidType,
        "line 10, column 39, `num_interleave_out_buffer_elements`: true is given; give an integer from 1 to 65536",
    );
    check(
        &[("num_interleave_in_buffer_elements", "-1")],
        InvalidValue,
        "line 10, column 38, `num_interleave_in_buffer_elements`: -1 is out of range; give an integer from 0 to 65536",
    );
    check(
        &[("num_interleave_in_buffer_elements", "false")],
        InvalidType,
        "line 10, column 38, `num_interleave_in_buffer_elements`: false is given; give an integer from 0 to 65536",
    );
    check(
        &[("on_corrupt", r#""ignore""#)],
        InvalidValue,
        r#"line 10, column 15, `on_corrupt`: "ignore" is no way to treat damaged records; one of "fail", "skip""#,
    );
    for (values, expected) in [
        (
            &[("on_error", r#""skip""#), ("on_corrupt", r#""skip""#)][..],
            r#"line 11, column 15, `on_corrupt`: this stands beside "on_error"; leave it out: it is the old name of the same key"#,
        ),
        (
            &[("error_budget", "{}")],
            r#"line 10, column 17, `error_budget`: a budget is only for what is skipped; leave it out, or give "on_error": "skip""#,
        ),
        (
            &[("on_error", r#""skip""#), ("error_budget", r#"{"share": 2}"#)],
            r#"line 11, column 27, `error_budget.share`: 2 is out of range; give a number from 0 to 1"#,
        ),
        (
            &[("on_error", r#""skip""#), ("error_budget", r#"{"ranges": -1}"#)],
            r#"line 11, column 28, `error_budget.ranges`: -1 is out of range; give an integer from 0 to 18446744073709551615"#,
        ),
    ] {
        check(values, InvalidValue, expected);
    }
    check(
        &[("on_corrupt", "false")],
        InvalidType,
        r#"line 10, column 15, `on_corrupt`: false is given; give one of "fail", "skip""#,
    );
    check(
        &[("seed", "-1")],
        InvalidValue,
        "line 10, column 9, `seed`: -1 is out of range; give an integer from 0 to 18446744073709551615",
    );
    check(
        &[("seed", "18446744073709551616")],
        InvalidValue,
        "line 10, column 9, `seed`: 18446744073709551616 is out of range; give an integer from 0 to 18446744073709551615",
    );
    check(
        &[("seed", "null")],
        InvalidType,
        "line 10, column 9, `seed`: null is given; give an integer from 0 to 18446744073709551615",
    );
}

#[test]
fn loader_types() {
    check(
        &[("multi_load", "1")],
        InvalidType,
        "line 10, column 15, `multi_load`: 1 is given; give true or false",
    );
    check(
        &[("min_window", "1"), ("max_window", "1")],
        UnexpectedArgument,
        r#"line 10, column 1, `min_window`: "min_window", "max_window" are no keys of a loader of type "independent"; "min_window" belongs to loaders of type "continuous_sequence" or "discrete_sequence""#,
    );
    check(
        &[("stride", "1")],
        UnexpectedArgument,
        r#"line 10, column 1, `stride`: "stride" is no key of a loader of type "independent"; "stride" belongs to loaders of type "continuous_sequence""#,
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("multi_load", "true"),
        ],
        InvalidValue,
        r#"line 12, column 15, `multi_load`: true is not allowed here; only loaders of type "independent" can load several records at once"#,
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", ""), ("max_window", "3")],
        MissingArgument,
        r#"line 1, column 1, `min_window`: the key "min_window" is missing; a loader of type "continuous_sequence" needs it"#,
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "2"), ("max_window", "")],
        MissingArgument,
        r#"line 1, column 1, `max_window`: the key "max_window" is missing; a loader of type "continuous_sequence" needs it"#,
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "0"), ("max_window", "3")],
        InvalidValue,
        "line 10, column 15, `min_window`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "2"), ("max_window", "-1")],
        InvalidValue,
        "line 11, column 15, `max_window`: -1 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "null"), ("max_window", "3")],
        InvalidType,
        "line 10, column 15, `min_window`: null is given; give an integer from 1 to 4294967295",
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "4"), ("max_window", "3")],
        InvalidValue,
        "line 11, column 15, `max_window`: 3 is less than min_window, which is 4; give max_window at least as much as min_window",
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "2"), ("max_window", "3"), ("stride", "0")],
        InvalidValue,
        "line 12, column 11, `stride`: 0 is out of range; give an integer from 1 to 4294967295, or null for the window's own length",
    );
    check(
        &[("type", r#""continuous_sequence""#), ("min_window", "2"), ("max_window", "3"), ("stride", "1.5")],
        InvalidType,
        "line 12, column 11, `stride`: 1.5 is given; give an integer from 1 to 4294967295, or null for the window's own length",
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("stride", r#""1""#),
        ],
        InvalidType,
        r#"line 12, column 11, `stride`: "1" is given; give an integer from 1 to 4294967295, or null for the window's own length"#,
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("stride", "1"),
            ("min_stride", "1"),
        ],
        InvalidValue,
        r#"line 13, column 15, `min_stride`: this stands beside "stride"; give either "stride" or both "min_stride" and "max_stride""#,
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("min_stride", "1"),
        ],
        MissingArgument,
        r#"line 1, column 1, `max_stride`: the key "max_stride" is missing; "min_stride" needs it"#,
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("max_stride", "1"),
        ],
        MissingArgument,
        r#"line 1, column 1, `min_stride`: the key "min_stride" is missing; "max_stride" needs it"#,
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("min_stride", "null"),
            ("max_stride", "1"),
        ],
        InvalidType,
        "line 12, column 15, `min_stride`: null is given; give an integer from 1 to 4294967295",
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("min_stride", "0"),
            ("max_stride", "1"),
        ],
        InvalidValue,
        "line 12, column 15, `min_stride`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[
            ("type", r#""continuous_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("min_stride", "3"),
            ("max_stride", "1"),
        ],
        InvalidValue,
        "line 13, column 15, `max_stride`: 1 is less than min_stride, which is 3; give max_stride at least as much as min_stride",
    );
    check(
        &[("type", r#""discrete_sequence""#), ("min_window", "2"), ("max_window", "")],
        MissingArgument,
        r#"line 1, column 1, `max_window`: the key "max_window" is missing; a loader of type "discrete_sequence" needs it"#,
    );
    check(
        &[("type", r#""discrete_sequence""#), ("min_window", "9"), ("max_window", "3")],
        InvalidValue,
        "line 11, column 15, `max_window`: 3 is less than min_window, which is 9; give max_window at least as much as min_window",
    );
    check(
        &[("type", r#""discrete_sequence""#), ("min_window", "2"), ("max_window", "3"), ("stride", "1")],
        UnexpectedArgument,
        r#"line 12, column 1, `stride`: "stride" is no key of a loader of type "discrete_sequence"; "stride" belongs to loaders of type "continuous_sequence""#,
    );
    check(
        &[
            ("type", r#""discrete_sequence""#),
            ("min_window", "2"),
            ("max_window", "3"),
            ("multi_load", "true"),
        ],
        InvalidValue,
        r#"line 12, column 15, `multi_load`: true is not allowed here; only loaders of type "independent" can load several records at once"#,
    );
    check(
        &[("type", r#""discrete_sequence""#), ("min_window", "2"), ("max_window", "0")],
        InvalidValue,
        "line 11, column 15, `max_window`: 0 is out of range; give an integer from 1 to 4294967295",
    );
}
