//! `tfxio load --init`: a manifest and a first configuration, from a look at the data; `tfxio convert --manifest`: a manifest of
//! what was written.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

use tfxio::batch_loader::config::{DatasetSource, LoaderConfig};
use tfxio::batch_loader::manifest::Draft;
use tfxio::{Dataset, DatasetSpec, Error, ErrorKind, FileStore, OutputFile, Position, is_url};

use crate::args::{Convert, DASH, Load};
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
    if data == DASH {
        let text = "--init names the data in what it writes, and standard input has no name; write it to a file first";
        return Err(Failure::Usage(text.to_owned()));
    }
    let progress = context.watch("looking at", &[data]);
    let dataset = open(data, context)?;
    context.tell(&*dataset);
    let spec = dataset.spec()?;
    let is_example = Draft::is_of_manifest(&spec);
    let has_manifest = is_example && Draft::fits_manifest(&*dataset, LOOK)?;
    let plan = InitPlan::new(data, &spec, args.config.as_deref(), has_manifest)?;
    plan.written().try_for_each(|file| check_new(file))?;
    let mut draft = Draft::of(&*dataset, &FileStore::default(), plan.source.clone(), LOOK)?;
    if let Some(spec) = &mut draft.spec {
        spec.files.clone_from(&plan.names);
        drop_foreign(spec, context);
    }
    if let Some(list) = &plan.list {
        let mut text = plan.names.join("\n");
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
    drop(progress);
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
    writeln!(out, "Next: tfxio load {}", quoted(&plan.config.to_string_lossy()))?;
    out.finish()?;
    if is_example && !has_manifest {
        say(format_args!(
            "note: features have different numbers of values in these records, which a manifest cannot say; {} describes the files \
             instead, and `padding` fills short lists up",
            plan.manifest.display()
        ));
    }
    say_left_out(&draft);
    for default in &draft.config.defaults {
        let name = format!("{:?}", default.tensor);
        let name = escape::line(&name);
        say(format_args!("note: some records lack {name}; choose its value among `defaults`"));
    }
    Ok(())
}

/// Returns a path as a shell reads it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    match path.chars().all(is_plain) && !path.starts_with('-') {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

/// Opens data for a loader: of formats of their own schema, values as they are.
fn open(data: &str, context: &Context) -> Result<Arc<dyn Dataset>, Failure> {
    let holds_records = context.open_options()?.find(data)?.format.holds_records();
    let context = if holds_records { context.clone() } else { context.clone().prefer("layout", "plain") };
    let dataset = context.open_options()?.open(data)?;
    dataset.check_complete()?;
    Ok(dataset)
}

/// Drops options that are not of the format, such as what its tensors are: a loader has inputs.
fn drop_foreign(spec: &mut DatasetSpec, context: &Context) {
    let Ok(format) = context.formats.file_format(&spec.format) else { return };
    let mut known = format.options();
    if format.holds_records() {
        known.extend(context.formats.records().iter().flat_map(|records| records.options()));
    }
    spec.options.retain(|key, _| known.iter().any(|option| option.key == key));
}

/// Converts with `convert`, and writes a manifest of the output where one is asked for.
pub(crate) fn beside(
    args: &Convert,
    context: &Context,
    convert: impl FnOnce() -> Result<PathBuf, Failure>,
) -> Done {
    let Some(file) = &args.manifest else { return convert().map(drop) };
    if args.files.last().is_some_and(|output| output.as_os_str() == DASH) {
        let text = "--manifest describes files, and standard output is not one; name a file as the output";
        return Err(Failure::Usage(text.to_owned()));
    }
    check_new(file)?;
    let output = convert()?;
    // The output may have the name.
    check_new(file)?;
    let dataset = open(&output.to_string_lossy(), &Context::new(&context.formats))?;
    let spec = dataset.spec()?;
    let source = if Draft::is_of_manifest(&spec) {
        // What a configuration beside the manifest would say is not written.
        DatasetSource::List { manifest_file: file.clone(), list_file: file.with_extension("txt") }
    } else {
        DatasetSource::Spec { spec_file: file.clone() }
    };
    let mut draft = Draft::of(&*dataset, &FileStore::default(), source, LOOK)?;
    if let Some(of_draft) = &mut draft.spec {
        of_draft.files = names(&spec.files, &whole(file.parent().unwrap_or(Path::new("")))?)?;
        drop_foreign(of_draft, context);
    }
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

/// Prints the features that are not loaded, each with its remedy.
fn say_left_out(draft: &Draft) {
    let of = if draft.spec.is_some() { "configuration" } else { "manifest" };
    for (name, why) in &draft.left_out {
        let name = format!("{name:?}");
        // Of tf.Examples a description has lists of any length; --init writes one by itself.
        let is_uneven = draft.spec.is_none() && why.contains("values a record");
        let help = if is_uneven { "; `tfxio load --init` on these files describes it" } else { "" };
        say(format_args!("note: {} is left out of the {of}: it {why}{help}", escape::line(&name)));
    }
}

/// Files to write, and the names of the data in them.
struct InitPlan {
    config: PathBuf,
    /// The manifest, or the description that replaces it.
    manifest: PathBuf,
    /// A list of the files.
    list: Option<PathBuf>,
    /// Names of the files, as the list or the description has them.
    names: Vec<Arc<str>>,
    source: DatasetSource,
}

impl InitPlan {
    fn new(
        data: &str,
        spec: &DatasetSpec,
        config: Option<&Path>,
        has_manifest: bool,
    ) -> Result<Self, Failure> {
        let data = Path::new(data);
        let folder = whole(config.and_then(Path::parent).unwrap_or(Path::new("")))?;
        if config.is_none() {
            refuse_folder_of_data(data, spec, &folder)?;
        }
        let config = config.map_or_else(|| PathBuf::from(CONFIG), Path::to_path_buf);
        // Only where the configuration is to lie among the data, so does the manifest.
        if has_manifest && data.is_dir() && whole(data)? == folder && finds_all(data, &spec.files)? {
            let (manifest, source) =
                (data.join("__manifest__.json"), DatasetSource::Dir { data_dir: PathBuf::from(".") });
            return Ok(Self { config, manifest, list: None, names: Vec::new(), source });
        }
        let stem = config.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let names = names(&spec.files, &folder)?;
        let beside = |name: &str| config.with_file_name(name);
        if !has_manifest {
            let spec_file = format!("{stem}.spec.json");
            let (manifest, source) =
                (beside(&spec_file), DatasetSource::Spec { spec_file: spec_file.into() });
            return Ok(Self { manifest, list: None, names, source, config });
        }
        let [manifest_file, list_file] = ["manifest.json", "files.txt"].map(|end| format!("{stem}.{end}"));
        Ok(Self {
            manifest: beside(&manifest_file),
            list: Some(beside(&list_file)),
            names,
            source: DatasetSource::List { manifest_file: manifest_file.into(), list_file: list_file.into() },
            config,
        })
    }

    /// The files that are written.
    fn written(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.config, &self.manifest].into_iter().chain(&self.list)
    }
}

/// Refuses to write where the data are, which nobody has asked for.
fn refuse_folder_of_data(data: &Path, spec: &DatasetSpec, folder: &Path) -> Done {
    // Other names of the same folder, such as `..` and links, are seen through.
    let real = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        std::fs::canonicalize(path).map_or_else(|_| whole(path), Ok)
    };
    let folder = real(folder)?;
    let mut holds_data = data.is_dir() && folder.starts_with(real(data)?);
    let parents = spec.files.iter().filter(|file| !is_url(file)).map(|file| Path::new(&**file).parent());
    // Many files have the same folder.
    for parent in parents.collect::<HashSet<_>>() {
        holds_data |= real(parent.unwrap_or(Path::new("")))? == folder;
    }
    if !holds_data {
        return Ok(());
    }
    let data = quoted(&data.to_string_lossy());
    Err(Failure::Usage(format!(
        "the current folder holds the data, and nothing is written there unasked; name the configuration: tfxio load --init \
         {data} ./{CONFIG}, or one in another folder"
    )))
}

/// Returns the names of files relative to a folder. A URL, and the path of a file in another folder, are whole.
fn names(files: &[Arc<str>], folder: &Path) -> Result<Vec<Arc<str>>, Failure> {
    let name = |file: &Arc<str>| -> Result<Arc<str>, Failure> {
        let path = Path::new(&**file);
        Ok(match path.file_name() {
            _ if is_url(file) => Arc::clone(file),
            Some(name) if whole(path.parent().unwrap_or(Path::new("")))? == folder => {
                name.to_string_lossy().into()
            }
            _ => whole(path)?.display().to_string().into(),
        })
    };
    files.iter().map(name).collect()
}

/// Returns whether a loader finds these files, and no others, in a folder.
fn finds_all(folder: &Path, files: &[Arc<str>]) -> Result<bool, Failure> {
    let mut found = Vec::new();
    below(folder, &mut found)?;
    let mut named = files.iter().map(|file| Path::new(&**file).to_path_buf()).collect::<Vec<_>>();
    found.sort();
    named.sort();
    Ok(found == named)
}

/// Finds the files in a folder that a loader finds.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let named =
        |error| Error::io(error, "listing the folder").at(Position::new().file(folder.display().to_string()));
    for entry in std::fs::read_dir(folder).map_err(named)? {
        let entry = entry.map_err(named)?;
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        // Links are not followed: they may lead in circles, and then the files are listed.
        if entry.file_type().map_err(named)?.is_dir() {
            below(&entry.path(), files)?;
        } else if name.ends_with(".tfrecord") || name.ends_with(".tfrecords") {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Returns a path from the root on.
fn whole(path: &Path) -> Result<PathBuf, Failure> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let named =
        |error| Error::io(error, "finding the folder").at(Position::new().file(path.display().to_string()));
    let path = absolute(path).map_err(named)?;
    Ok(path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect())
}
