//! Functions of text over lists, structs and maps, whose text nobody means.

use datafusion::error::DataFusionError;
use futures::TryStreamExt as _;
use tfxio_sql::{Answer, FileTables, Session, mark};

/// A table with a list, a struct, a map and a text.
const TABLE: &str = "(select [1, 2] as l, named_struct('a', 1) as s, map(['k'], [5]) as m, 'text' as t, [['a'], ['b']] as deep) t";

/// Runs a statement to its end.
async fn run(text: &str) -> Result<(), (DataFusionError, String)> {
    let session = Session::new(FileTables::new(), 1);
    let failed = |error: DataFusionError| {
        let said = error.find_root().message().into_owned();
        (error, said)
    };
    for statement in Session::parse(text).map_err(failed)? {
        if let Answer::Rows(rows) = session.run(statement, &[]).await.map_err(failed)? {
            rows.try_collect::<Vec<_>>().await.map_err(failed)?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn functions_of_text_do_not_take_what_has_values() {
    for (expression, name, instead) in [
        ("length(l)", "length", "array_length(t.l)"),
        ("char_length(l)", "length", "array_length(t.l)"),
        ("length(deep)", "length", "array_length(t.deep)"),
        ("length([1, 2])", "length", "array_length("),
        ("length(l || l)", "length", "array_length("),
        ("reverse(l)", "reverse", "t.l[1]"),
        ("left(l, 2)", "left", "array_to_string(t.l, ',')"),
        ("right(l, 2)", "right", "array_to_string"),
        ("lpad(l, 20)", "lpad", "array_to_string"),
        ("rpad(l, 20)", "rpad", "array_to_string"),
        ("translate(l, '1', '2')", "translate", "array_to_string"),
        ("regexp_replace(l, '1', '2')", "regexp_replace", "array_to_string"),
        ("overlay(l placing 'x' from 1)", "overlay", "array_to_string"),
        ("substr_index(l, ',', 1)", "", "array_to_string"),
        ("find_in_set(l, 'x')", "find_in_set", "array_to_string"),
        ("concat(l, 'x')", "concat", "array_concat joins lists"),
        ("concat(l, l)", "concat", "array_concat joins lists"),
        ("concat_ws(',', t, l)", "concat_ws", "array_to_string(t.l, ',')"),
        ("string_agg(l, ',')", "string_agg", "array_to_string(t.l, ',')"),
        ("upper(left(l, 2))", "left", "array_to_string(t.l, ',')"),
        // What DataFusion refuses itself is said in the same words.
        ("lower(l)", "lower", "array_length(x)"),
        ("upper(s)", "upper", "x['FIELD']"),
        ("trim(l)", "trim", "array_length(x)"),
        ("substr(l, 1, 2)", "substr", "array_length(x)"),
        ("octet_length(l)", "octet_length", "array_length(x)"),
        ("replace(l, '1', '2')", "replace", "array_length(x)"),
        ("length(s)", "", "x['FIELD']"),
        ("length(m)", "", "cardinality(x)"),
        ("concat(s, 'x')", "", "x['FIELD']"),
    ] {
        let text = format!("select {expression} from {TABLE}");
        let Err((_, said)) = run(&text).await else { panic!("{expression} is run") };
        assert!(said.starts_with(name) && said.contains(instead), "{expression}: {said}");
        assert!(!said.contains("bug in DataFusion") && !said.contains('\n'), "{expression}: {said}");
    }
}

#[tokio::test]
async fn they_are_found_wherever_they_stand() {
    for text in [
        format!("select 1 from {TABLE} where length(l) > 3"),
        format!("select count(*) from {TABLE} group by length(l)"),
        format!("select t from {TABLE} order by length(l)"),
        format!("select max(length(l)) from {TABLE}"),
        format!("select t from {TABLE} where t in (select reverse(l) from {TABLE})"),
        format!("select string_agg(l, ',') over () from {TABLE}"),
        format!("with w as (select length(l) as n from {TABLE}) select n from w"),
        format!("create view v as select length(l) from {TABLE}"),
        format!("explain select length(l) from {TABLE}"),
    ] {
        let Err((_, said)) = run(&text).await else { panic!("{text} is run") };
        assert!(said.contains("takes text, and") && said.contains(" is a list"), "{text}: {said}");
    }
}

#[tokio::test]
async fn what_is_meant_is_run() {
    for expression in [
        "length(t)",
        "length(cast(l as text))",
        "length(l::varchar)",
        "length(arrow_cast(l, 'Utf8'))",
        "array_length(l)",
        "cardinality(m)",
        "feature_len(l)",
        "array_to_string(l, ',')",
        "concat(t, l[1])",
        "length(s['a'])",
        "min(l)",
        "count(distinct l)",
        "array_concat(l, l)",
        "l || l",
        "l = [1, 2]",
        "length(null)",
        "upper(t) || reverse(t)",
    ] {
        if let Err((_, said)) = run(&format!("select {expression} from {TABLE}")).await {
            panic!("{expression}: {said}");
        }
    }
}

#[tokio::test]
async fn a_mark_shows_the_column() {
    let text = "select 1, length(l) from (select [1, 2] as l) t";
    let (error, said) = run(text).await.unwrap_err();
    assert_eq!(
        said,
        "length takes text, and t.l is a list: array_length(t.l) is the number of its values, t.l[1] the first, \
         array_to_string(t.l, ',') all as one text; where its text is meant, write cast(t.l as text)"
    );
    assert_eq!(mark(&error, text).unwrap(), format!("  {text}\n                   ^"));
}
