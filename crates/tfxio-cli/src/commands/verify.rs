//! `tfxio verify`: files compared with their checksums, their indexes, and an earlier report.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::Value;
use tfxio::{ErrorKind, FactValue, FileReport, FileState};

use super::{for_each_file, inspect};
use crate::args::Verify;
use crate::context::Context;
use crate::failure::{self, Failure};
use crate::json::{self, Object};
use crate::output::Output;
use crate::table::{Table, count};
use crate::{Done, progress};

/// Maximum number of bytes of a report.
const LONGEST: u64 = 64 << 20;

pub(crate) fn run(args: &Verify, context: &Context) -> Done {
    let reported = args.against.as_deref().map(read).transpose()?;
    let mut out = Output::new();
    let mut table = Table::new(["file", "format", "records", "state"]);
    let mut errors = Vec::new();
    let mut files = 0u64;
    let _progress = context.watch("verifying", &args.files);
    let done = for_each_file(&args.files, context, |path| {
        progress::title(format!("verifying {path}"));
        let mut report =
            context.open_options()?.verify(path).map_err(|error| context.explain(error, None))?;
        let found = std::mem::take(&mut report.errors);
        report.errors = found.into_iter().map(|error| context.explain(error, None)).collect();
        let mut texts = inspect::texts(&report);
        let mut code = report.errors.iter().map(failure::exit_code).max().unwrap_or_default();
        let mut state = report.state.name();
        if let Some(reported) = &reported {
            let differences = compare(&report, reported);
            if !differences.is_empty() {
                code = code.max(failure::DATA);
                if report.state == FileState::Whole {
                    state = "not as reported";
                }
                texts.extend(differences);
            }
        }
        let fact = |key: &str| report.get(key).cloned().unwrap_or(FactValue::Unknown);
        let records = match fact("verified_records") {
            FactValue::Count(records) => Some(records),
            _ => None,
        };
        let format = match fact("format") {
            FactValue::Text(format) => Some(format),
            _ => None,
        };
        files += 1;
        if args.shown.is_json() {
            let mut line = String::new();
            let mut object = Object::new(&mut line);
            object.text("file", Some(&report.file));
            object.text("format", format.as_deref());
            object.optional("records", records);
            object.text("state", Some(state));
            json::strings(object.key("errors"), &texts);
            object.finish();
            writeln!(out, "{line}")?;
            out.flush()?;
        } else {
            let records = records.map_or_else(String::new, count);
            table.push(vec![report.file.clone(), format.unwrap_or_default(), records, state.to_owned()]);
            errors.extend(texts);
        }
        if code == 0 { Ok(()) } else { Err(Failure::Reported(code)) }
    });
    if let Err(closed @ (Failure::Closed | Failure::Output(_))) = done {
        return Err(closed);
    }
    if !args.shown.is_json() && files > 0 {
        table.write_fitting(&mut out, "file")?;
    }
    out.finish()?;
    for error in errors {
        failure::say(format_args!("error: {error}"));
    }
    done
}

/// Report of `inspect --json`, by file name.
struct Reported {
    name: String,
    files: BTreeMap<String, serde_json::Map<String, Value>>,
}

/// Reads what `inspect --json` printed.
fn read(name: &str) -> Result<Reported, Failure> {
    use std::io::Read as _;

    let io = |error| Failure::from(tfxio::Error::io(error, "reading the report").in_file(name));
    let mut text = String::new();
    std::fs::File::open(name).map_err(io)?.take(LONGEST + 1).read_to_string(&mut text).map_err(io)?;
    let wrong = |line: usize, what: String| {
        let what = format!("line {line} of the report is not what `tfxio inspect --json` prints: {what}");
        Failure::from(tfxio::Error::new(ErrorKind::InvalidArgument, what).in_file(name))
    };
    if text.len() as u64 > LONGEST {
        return Err(wrong(1, format!("the file has more than {} bytes", count(LONGEST))));
    }
    let mut files = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let object: serde_json::Map<String, Value> =
            serde_json::from_str(line).map_err(|error| wrong(number, error.to_string()))?;
        match object.get("file") {
            Some(Value::String(file)) => files.insert(file.clone(), object.clone()),
            _ => return Err(wrong(number, "it has no file".to_owned())),
        };
    }
    Ok(Reported { name: name.to_owned(), files })
}

/// Returns the differences from the report. A file that was moved is identified by its name without folders, if only
/// one file has that name.
fn compare(report: &FileReport, reported: &Reported) -> Vec<String> {
    let last = |name: &str| name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
    let (file, of) = (&report.file, &reported.name);
    let before = reported.files.get(file).or_else(|| {
        let mut same = reported.files.iter().filter(|(name, _)| last(name) == last(file));
        same.next().filter(|_| same.next().is_none()).map(|(_, object)| object)
    });
    let Some(before) = before else {
        return vec![format!("{file}: {of} says nothing of this file")];
    };
    let mut text = inspect::json(report, &[]);
    let now: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    text.clear();
    let keys = before.keys().filter(|key| !matches!(&***key, "file" | "errors"));
    let mut differences = Vec::new();
    for key in keys {
        let (was, is) = (&before[key], now.get(key).unwrap_or(&Value::Null));
        if was != is {
            differences.push(format!("{file}: {key} is {is}, and was {was} when {of} was made"));
        }
    }
    if before.get("errors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty())
        && report.errors.is_empty()
    {
        differences.push(format!("{file}: the file is whole, and was damaged when {of} was made"));
    }
    differences
}
