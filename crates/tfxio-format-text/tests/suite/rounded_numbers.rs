//! Numbers of JSON that no 64-bit float is: said before a row is read, and refused where nothing may be lost.

use tfxio_convert::Conversion;

fn losses(lines: &str, is_lossless: bool) -> Result<Vec<(String, String)>, tfxio_formats::Error> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.jsonl"), folder.path().join("a.parquet"));
    std::fs::write(&from, lines).unwrap();
    let builder = Conversion::builder([from.to_str().unwrap()], to).lossless(is_lossless);
    let summary = builder.build()?.run(|_| {})?;
    Ok(summary.losses.into_iter().map(|loss| (loss.column, loss.what)).collect())
}

#[test]
fn columns_with_a_rounded_number_are_named() {
    const WHAT: &str = "numbers of more digits than 64-bit floats have are rounded";
    let number = "0.12345678901234567890";
    for (value, is_said) in [
        (number.to_owned(), true),
        ("1e-400".to_owned(), true),
        ("9007199254740993.5".to_owned(), true),
        (format!("[1.5, {number}]"), true),
        (format!("{{\"x\": {{\"y\": [{number}]}}}}"), true),
        ("0.1".to_owned(), false),
        ("0.12345678901234568".to_owned(), false),
        ("0.10000000000000001".to_owned(), false),
        ("{\"x\": {\"y\": [1.5e300]}}".to_owned(), false),
        (format!("\"{number}\""), false),
    ] {
        // Whichever record it stands in, and in no column beside it.
        for lines in [
            format!("{{\"a\": 1.5, \"b\": {value}, \"c\": 1}}\n{{\"a\": 2.5, \"b\": null}}\n"),
            format!("{{\"a\": 1.5, \"b\": null, \"c\": 1}}\n{{\"c\": 2, \"b\": {value}, \"a\": 2.5}}\n"),
        ] {
            let expected = is_said.then(|| ("b".to_owned(), WHAT.to_owned()));
            assert_eq!(losses(&lines, false).unwrap(), expected.into_iter().collect::<Vec<_>>(), "{lines}");
            match losses(&lines, true) {
                Ok(lost) => assert!(!is_said && lost.is_empty(), "{lines}"),
                Err(error) => assert!(is_said && error.to_string().contains(WHAT), "{lines}: {error}"),
            }
        }
    }
}
