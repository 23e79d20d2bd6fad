//! `tfxio load --init`: a manifest and a first configuration, from a look at the data; `tfxio convert --manifest`: a manifest of
//! what was written.

use std::io::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use tfxio::batch_loader::config::{LoaderConfig, Source};
use tfxio::batch_loader::manifest::Draft;
use tfxio::{Error, ErrorKind, LocalStore, OutputFile, Position};

use crate::args::{Convert, Load};
use crate::context::Context;
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::table::counted;
use crate::{Done, escape};

/// Records that are looked at.
const LOOK: u64 = 10_000;

/// The configuration, where no other name is given.
const CONFIG: &str = "loader.json";

pub(super) fn run(args: &Load, data: &str, context: &Context) -> Done {
    let options = context.open_options()?;
    let dataset = if Path::new(data).is_dir() {
        let mut files = Vec::new();
        below(Path::new(data), &mut files)?;
        files.sort();
        options.open(files)?
    } else {
        options.open(data)?
    };
    let files = dataset.spec()?.files.iter().map(Arc::clone).collect::<Vec<_>>();
    let plan = Plan::new(data, &files, args.config.as_deref())?;
    plan.written().try_for_each(|file| check_new(file))?;
    let draft = Draft::of(&*dataset, &LocalStore, plan.source.clone(), LOOK)?;
    if let Some((list, names)) = &plan.list {
        let mut text = names.join("\n");
        text.push('\n');
        OutputFile::write(list, text.as_bytes())?;
    }
    OutputFile::write(&plan.manifest, draft.manifest_json().as_bytes())?;
    OutputFile::write(&plan.config, draft.config_json().as_bytes())?;
    // What was written is read as every configuration is.
    let config = LoaderConfig::from_file(&plan.config)?;
    let mut builder = tfxio::loader(config).formats(&context.formats).inputs(draft.config.tensor_names());
    if let Some(folder) = plan.config.parent() {
        builder = builder.base_dir(folder);
    }
    builder.check()?;
    let mut out = Output::new();
    for file in plan.written() {
        writeln!(out, "{}", file.display())?;
    }
    writeln!(
        out,
        "This follows from the first {}. Choose which tensors are --inputs and which --targets, and the batch size, epochs and \
         shuffle of {}",
        counted(draft.records, "record"),
        plan.config.display()
    )?;
    out.finish()?;
    say_left_out(&draft);
    for default in &draft.config.defaults {
        let name = format!("{:?}", default.tensor);
        let name = escape::line(&name);
        say(format_args!("note: some records lack {name}; choose its value among `defaults`"));
    }
    Ok(())
}

/// Converts with `convert`, and writes a manifest of the output where one is asked for.
pub(crate) fn beside(
    args: &Convert,
    context: &Context,
    convert: impl FnOnce() -> Result<PathBuf, Failure>,
) -> Done {
    let Some(file) = &args.manifest else { return convert().map(drop) };
    check_new(file)?;
    let output = convert()?;
    // The output may have the name.
    check_new(file)?;
    let dataset = Context::new(&context.formats).open_options()?.open(&output)?;
    // What a configuration beside the manifest would say is not written.
    let list_file = file.with_extension("txt");
    let source = Source::List { manifest_file: file.clone(), list_file };
    let draft = Draft::of(&*dataset, &LocalStore, source, LOOK)?;
    OutputFile::write(file, draft.manifest_json().as_bytes())?;
    say_left_out(&draft);
    Ok(())
}

/// Refuses to replace a file.
fn check_new(file: &Path) -> Done {
    if !file.exists() {
        return Ok(());
    }
    let error = Error::new(ErrorKind::InvalidArgument, "the file exists, and is not replaced")
        .help("give another name, or move the file away")
        .at(Position::new().file(file.display().to_string()));
    Err(error.into())
}

fn say_left_out(draft: &Draft) {
    for (name, why) in &draft.left_out {
        let name = format!("{name:?}");
        say(format_args!("note: {} is left out of the manifest: it {why}", escape::line(&name)));
    }
}

/// What is written, and how it names the data.
struct Plan {
    config: PathBuf,
    manifest: PathBuf,
    /// A list of the files, with their names.
    list: Option<(PathBuf, Vec<String>)>,
    source: Source,
}

impl Plan {
    fn new(data: &str, files: &[Arc<str>], config: Option<&Path>) -> Result<Self, Failure> {
        let data = Path::new(data);
        let is_folder = data.is_dir() && files.iter().all(|file| is_found_in_folders(file));
        let beside = match (is_folder, files.first()) {
            (true, _) => data,
            (false, first) => first.and_then(|first| Path::new(&**first).parent()).unwrap_or(Path::new("")),
        };
        let config = config.map_or_else(|| beside.join(CONFIG), Path::to_path_buf);
        let folder = whole(config.parent().unwrap_or(Path::new("")))?;
        if is_folder {
            let data_dir = if whole(data)? == folder { PathBuf::from(".") } else { whole(data)? };
            let manifest = data.join("__manifest__.json");
            return Ok(Self { config, manifest, list: None, source: Source::Dir { data_dir } });
        }
        let stem = config.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let [manifest_file, list_file] = ["manifest.json", "files.txt"].map(|end| format!("{stem}.{end}"));
        let mut names = Vec::with_capacity(files.len());
        for file in files {
            // A URL is whole, and a file beside the configuration is found from there.
            let path = Path::new(&**file);
            let name = match path.file_name() {
                _ if file.contains("://") => file.to_string(),
                Some(name) if whole(path.parent().unwrap_or(Path::new("")))? == folder => {
                    name.to_string_lossy().into_owned()
                }
                _ => whole(path)?.display().to_string(),
            };
            names.push(name);
        }
        let beside = |name: &str| config.with_file_name(name);
        Ok(Self {
            manifest: beside(&manifest_file),
            list: Some((beside(&list_file), names)),
            source: Source::List { manifest_file: manifest_file.into(), list_file: list_file.into() },
            config,
        })
    }

    /// The files that are written.
    fn written(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.config, &self.manifest].into_iter().chain(self.list.iter().map(|(list, _)| list))
    }
}

/// Finds the files in a folder that a loader finds.
fn below(folder: &Path, files: &mut Vec<String>) -> Result<(), Failure> {
    let named =
        |error| Error::io(error, "listing the folder").at(Position::new().file(folder.display().to_string()));
    for entry in std::fs::read_dir(folder).map_err(named)? {
        let path = entry.map_err(named)?.path();
        let name = path.display().to_string();
        if path.is_dir() {
            below(&path, files)?;
        } else if is_found_in_folders(&name) {
            files.push(name);
        }
    }
    Ok(())
}

/// Whether a loader finds the file in a folder.
fn is_found_in_folders(file: &str) -> bool {
    let name = file.to_ascii_lowercase();
    name.ends_with(".tfrecord") || name.ends_with(".tfrecords")
}

/// Returns a path from the root on.
fn whole(path: &Path) -> Result<PathBuf, Failure> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let named =
        |error| Error::io(error, "finding the folder").at(Position::new().file(path.display().to_string()));
    let path = absolute(path).map_err(named)?;
    Ok(path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect())
}
