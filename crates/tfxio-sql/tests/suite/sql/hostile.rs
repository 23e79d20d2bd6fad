//! Statements that are long, nested deep, or ask for more memory than there is: each ends with rows or an error.

use datafusion::arrow::util::pretty::pretty_format_batches;
use futures::TryStreamExt as _;
use tfxio_core::ErrorKind;
use tfxio_sql::{Answer, FileTables, Session, dataset_error};

/// Runs statements on a thread whose stack is that of threads of the standard library: 2 MiB.
fn run_in(
    session: impl FnOnce() -> Session + Send + 'static,
    text: String,
) -> Result<String, (ErrorKind, String)> {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let session = session();
            let mut shown = String::new();
            for statement in Session::parse(&text)? {
                if let Answer::Rows(rows) = session.run(statement, &[]).await? {
                    let batches = rows.try_collect::<Vec<_>>().await?;
                    shown = pretty_format_batches(&batches)?.to_string();
                }
            }
            Ok(shown)
        })
    };
    let run = move || {
        run().map_err(|error: datafusion::error::DataFusionError| match dataset_error(&error) {
            Some(error) => (error.kind(), error.to_string()),
            None => (ErrorKind::Other, error.strip_backtrace()),
        })
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap()
}

fn run(text: impl Into<String>) -> Result<String, (ErrorKind, String)> {
    run_in(|| Session::new(FileTables::new(), 2), text.into())
}

/// Returns a text between others, a number of times.
fn chain(before: &str, link: impl Fn(usize) -> String, between: &str, links: usize, after: &str) -> String {
    let links = (0..links).map(link).collect::<Vec<_>>();
    format!("{before}{}{after}", links.join(between))
}

/// A kind of statements, by their length.
type Kind = (&'static str, fn(usize) -> String);

const KINDS: [Kind; 9] = [
    ("sum", |n| chain("select ", |_| "1".into(), " + ", n, " as x")),
    ("concatenation", |n| chain("select ", |_| "'a'".into(), " || ", n, " as x")),
    ("or", |n| {
        chain("select count(*) as x from (values (1)) t(a) where ", |i| format!("a = {i}"), " or ", n, "")
    }),
    ("and", |n| {
        chain("select count(*) as x from (values (1)) t(a) where ", |i| format!("a <> {i}"), " and ", n, "")
    }),
    ("casts", |n| chain("select 1", |_| "::int".into(), "", n, " as x")),
    ("columns", |n| chain("select ", |_| "a".into(), " + ", n, " as x from (values (1)) t(a)")),
    ("union", |n| chain("select count(*) as x from (", |i| format!("select {i}"), " union all ", n, ") t")),
    ("with", |n| {
        let table = |i: usize| match i {
            0 => "t0 as (select 1 as a)".to_owned(),
            i => format!("t{i} as (select a from t{})", i - 1),
        };
        chain("with ", table, ", ", n, &format!(" select a as x from t{}", n - 1))
    }),
    ("joins", |n| {
        chain("select count(*) as x from ", |i| format!("(values (1)) t{i}(a{i})"), " cross join ", n, "")
    }),
];

#[test]
fn long_statements_are_run() {
    for (kind, text) in KINDS {
        // DataFusion plans joins and tables that read from each other in a time that grows with their square.
        let links = if matches!(kind, "joins" | "with" | "union") { 100 } else { 400 };
        let shown = run(text(links));
        assert!(shown.as_ref().is_ok_and(|shown| shown.contains("| x ")), "{kind}: {shown:?}");
    }
    assert!(run(KINDS[0].1(2000)).unwrap().contains("2000"));
    let list = chain("select 7 in (", |i| i.to_string(), ", ", 5000, ") as x");
    assert!(run(list).unwrap().contains("true"));
}

#[test]
fn longer_statements_are_refused() {
    for (kind, text) in KINDS {
        for links in [3100, 24_000, 60_000] {
            let (of, said) = run(text(links)).unwrap_err();
            assert_eq!(of, ErrorKind::LimitExceeded, "{kind} {links}: {said}");
            assert!(
                ["levels", "words in a row", "tables and queries"].iter().any(|what| said.contains(what)),
                "{kind} {links}: {said}"
            );
        }
    }
}

#[test]
fn what_is_nested_is_refused_by_the_parser() {
    for (before, after) in
        [("(", ")"), ("abs(", ")"), ("not ", ""), ("- ", ""), ("case when true then ", " end"), ("[", "]")]
    {
        for links in [200, 20_000] {
            let value = if before == "not " { "true" } else { "1" };
            let text = format!("select {}{value}{}", before.repeat(links), after.repeat(links));
            let (of, said) = run(text).unwrap_err();
            assert!(of == ErrorKind::LimitExceeded || said.contains("Expected"), "{before}: {of:?} {said}");
        }
    }
}

#[test]
fn tables_that_double_are_refused_before_they_are_planned() {
    let with = |i: usize| match i {
        0 => "t0 as (select 1 as a)".to_owned(),
        i => format!("t{i} as (select x.a from t{0} x, t{0} y)", i - 1),
    };
    let doubling = |n: usize| chain("with ", with, ", ", n, &format!(" select count(*) from t{}", n - 1));
    assert!(run(doubling(8)).is_ok());
    let (of, said) = run(doubling(64)).unwrap_err();
    assert_eq!(of, ErrorKind::LimitExceeded);
    assert!(
        said.contains("tables and queries, and at most 2000 are read; a query of `with` is run wherever"),
        "{said}"
    );
    // In each other, in subqueries, and as views.
    let inner = doubling(64);
    for text in
        [format!("select * from ({inner}) t"), format!("select ({inner}) as x"), format!("explain {inner}")]
    {
        assert_eq!(run(text).unwrap_err().0, ErrorKind::LimitExceeded);
    }
    let view = |i: usize| match i {
        0 => "create view v0 as select 1 as a".to_owned(),
        i => format!("create view v{i} as select x.a from v{0} x, v{0} y", i - 1),
    };
    let views = chain("", view, "; ", 64, "; select count(*) from v63");
    assert_eq!(run(views).unwrap_err().0, ErrorKind::LimitExceeded);
}

#[test]
fn results_of_functions_are_bounded() {
    let limited = |text: &str| {
        run_in(|| Session::limited(FileTables::new(), 1, 8 << 20), format!("select {text} as x"))
    };
    for text in [
        "length(repeat('a', 2000000000))",
        "length(lpad('a', 2000000000))",
        "length(rpad('a', 2000000000, 'é'))",
        "cardinality(array_repeat(1, 1000000000))",
        "cardinality(list_repeat([1, 2], 1000000000))",
        "cardinality(array_repeat(repeat('a', 1000), 100000))",
        "cardinality(array_resize([1], 1000000000, 2))",
        "cardinality(range(1000000000))",
        "cardinality(range(1, 1000000000, 3))",
        "cardinality(generate_series(1, -1000000000, -1))",
        "cardinality(generate_series(timestamp '2000-01-01', timestamp '2024-01-01', interval '1 millisecond'))",
        "cardinality(generate_series(date '0001-01-01', date '2024-01-01', interval '1 day'))",
        "(select max(length(repeat(a, 1000000))) from (values ('a'), ('b')) t(a))",
    ] {
        let (of, said) = limited(text).unwrap_err();
        assert_eq!(of, ErrorKind::LimitExceeded, "{text}: {said}");
        assert!(said.contains(" would need ") && said.contains("--memory-bytes"), "{text}: {said}");
    }
    for (text, expected) in [
        ("repeat('ab', 3)", "ababab"),
        ("repeat(null, 3)", "|   |"),
        ("repeat('ab', -3)", "|   |"),
        ("lpad('x', 5, 'ab')", "ababx"),
        ("rpad('xyz', 2)", "xy"),
        ("array_repeat('a', 2)", "[a, a]"),
        ("array_resize([1], 3, 0)", "[1, 0, 0]"),
        ("range(2, 10, 3)", "[2, 5, 8]"),
        ("generate_series(3)", "[0, 1, 2, 3]"),
        ("generate_series(date '2020-01-01', date '2020-03-01', interval '1 month')", "2020-03-01"),
        ("cardinality(range(30000))", "30000"),
    ] {
        let shown = limited(text).unwrap();
        assert!(shown.contains(expected), "{text}: {shown}");
    }
}

#[test]
fn what_statements_hold_is_bounded() {
    let text = "select value from generate_series(1, 1000000) order by value desc limit 900000";
    let (_, said) = run_in(|| Session::limited(FileTables::new(), 1, 4 << 20), text.to_owned()).unwrap_err();
    assert!(said.contains("Resources exhausted"), "{said}");
    let text = "select count(distinct value) as n from generate_series(1, 100000)";
    assert!(
        run_in(|| Session::limited(FileTables::new(), 1, 64 << 20), text.to_owned())
            .unwrap()
            .contains("100000")
    );
}
