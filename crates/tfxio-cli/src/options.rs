//! Options of formats as flags.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use tfxio::tfxio_formats::MISSING_SHARDS;
use tfxio::{Formats, OptionSpec, OptionType, OptionValue};

use crate::context::Context;

/// Commands that open files by their formats.
const COMMANDS: [&str; 16] = [
    "inspect",
    "verify",
    "head",
    "tail",
    "sample",
    "show",
    "schema",
    "stats",
    "tensors",
    "sql",
    "avro-path",
    "extract",
    "load",
    "index",
    "convert",
    "repair",
];
/// Commands that write files, and so have the options of writing.
const WRITING: [&str; 2] = ["convert", "repair"];
/// Other names of flags.
const ALIASES: [(&str, &str); 3] =
    [("keys", "key"), ("output_compression", "parquet-compression"), ("codec", "avro-codec")];
/// Options that have flags of their own: `--as` and `--no-index`.
const OWN: [&str; 2] = ["records", "index"];

/// Adds the names of formats, and a flag for each of their options, except flags that a command already has, and
/// options of writing where the command does not write.
pub(crate) fn flags(command: Command, formats: &Formats) -> Command {
    command.mut_subcommands(|mut command| {
        if !COMMANDS.contains(&command.get_name()) {
            return command;
        }
        let names = formats.files().iter().map(|format| format.name());
        let names = names.chain(formats.records().iter().map(|format| format.name()));
        let names = PossibleValuesParser::new(names.map(str::to_owned));
        command = command.mut_arg("stated", |arg| arg.value_parser(names));
        let writes = WRITING.contains(&command.get_name());
        for spec in specs(formats).into_iter().filter(|spec| writes || !spec.is_output) {
            let flag = flag(&spec);
            let is_taken = |arg: &Arg| {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                arg.get_long() == flag.get_long()
                    || flag.get_long().is_some_and(|flag| aliases.contains(&flag))
            };
            if !command.get_arguments().any(is_taken) {
                command = command.arg(flag);
            }
        }
        command
    })
}

/// Returns the options of the opener and of all formats, each name once.
fn specs(formats: &Formats) -> Vec<OptionSpec> {
    let files = formats.files().iter().flat_map(|format| format.options());
    let records = formats.records().iter().flat_map(|format| format.options());
    let mut specs = vec![MISSING_SHARDS];
    for spec in files.chain(records) {
        if specs.iter().all(|known| known.key != spec.key) {
            specs.push(spec);
        }
    }
    specs
}

fn flag(spec: &OptionSpec) -> Arg {
    let arg = Arg::new(id(spec.key))
        .long(spec.key.replace('_', "-"))
        .help(spec.help)
        .help_heading("Options of formats")
        .hide_short_help(true)
        .hide(OWN.contains(&spec.key))
        .aliases(ALIASES.iter().filter(|(key, _)| *key == spec.key).map(|(_, alias)| *alias));
    match spec.value {
        OptionType::Bool => {
            arg.value_name("BOOL").num_args(0..=1).require_equals(true).default_missing_value("true")
        }
        OptionType::Count => arg.value_name("N"),
        OptionType::File => arg.value_name("FILE"),
        OptionType::OneOf(words) => arg.value_name(words.join("|")),
        OptionType::List => arg.value_name("TEXT").action(ArgAction::Append),
        _ => arg.value_name("TEXT"),
    }
}

fn id(key: &str) -> String {
    format!("option {key}")
}

/// Returns what was said about the files.
pub(crate) fn context(matches: &ArgMatches, formats: &Formats) -> Context {
    let mut context = Context::new(formats);
    let Some((_, matches)) = matches.subcommand() else { return context };
    context.stated = matches.try_get_one::<String>("stated").ok().flatten().cloned();
    context.spool_bytes = matches.try_get_one::<u64>("spool_bytes").ok().flatten().copied();
    if let Ok(Some(true)) = matches.try_get_one("no_index") {
        context.preferred.push(("index".to_owned(), OptionValue::Bool(false)));
    }
    for spec in specs(formats) {
        let Ok(Some(values)) = matches.try_get_many::<String>(&id(spec.key)) else { continue };
        let mut values = values.cloned().collect::<Vec<_>>();
        let value = match (spec.value, values.pop()) {
            (OptionType::List, last) => {
                values.extend(last);
                OptionValue::List(values)
            }
            (_, Some(text)) => OptionValue::Text(text),
            (_, None) => continue,
        };
        context.options.push((spec.key.to_owned(), value));
    }
    context
}
