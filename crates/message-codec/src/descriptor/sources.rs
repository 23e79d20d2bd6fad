//! Descriptors of `.proto` sources, compiled without `protoc`.

use std::path::{Path, PathBuf};

use tfxio_base::{Error, Result};

use super::DescriptorSet;
use crate::Kind;

impl DescriptorSet {
    /// Compiles `.proto` files; their imports are looked for in `includes`, and those of `google/protobuf` are known. With no
    /// includes, the folder of the first file is one.
    ///
    /// # Errors
    /// `Malformed` when a source does not compile or an import is missing, `Unsupported` when a file has an edition instead
    /// of a syntax: `protoc` makes a descriptor set of it.
    pub fn compile<P: AsRef<Path>>(
        files: impl IntoIterator<Item = P>,
        includes: impl IntoIterator<Item = P>,
    ) -> Result<Self> {
        let files = files.into_iter().map(|file| file.as_ref().to_owned()).collect::<Vec<_>>();
        let mut includes =
            includes.into_iter().map(|path| path.as_ref().to_owned()).collect::<Vec<PathBuf>>();
        if includes.is_empty() {
            let folder = files.first().and_then(|file| file.parent()).unwrap_or(Path::new(""));
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            includes.push(folder.to_owned());
        }
        let compiled = protox::Compiler::new(&includes).and_then(|mut compiler| {
            compiler.include_source_info(false).include_imports(true).open_files(&files)?;
            Ok(compiler.encode_file_descriptor_set())
        });
        match compiled {
            Ok(bytes) => Self::parse(&bytes),
            Err(error) => Err(explained(&error, &files, &includes)),
        }
    }
}

/// Returns the error of sources that do not compile, with the file and what to do.
fn explained(error: &protox::Error, files: &[PathBuf], includes: &[PathBuf]) -> Error {
    let file = error.file().map(str::to_owned);
    let candidates = file.iter().flat_map(|name| includes.iter().map(move |include| include.join(name)));
    let edition = candidates.chain(files.iter().cloned()).find(|path| has_edition(path));
    if let Some(path) = edition {
        let what = "`.proto` sources with an edition are not compiled";
        return Error::new(Kind::UnknownEdition, what)
            .help("write a descriptor set by `protoc --include_imports --descriptor_set_out=FILE`")
            .in_file(path.display().to_string());
    }
    let name =
        file.unwrap_or_else(|| files.first().map_or_else(String::new, |file| file.display().to_string()));
    let what = format!("the source does not compile: {error}");
    let error = Error::new(Kind::BadSource, what).in_file(name);
    if error.what().contains("not found") {
        return error.help(
            "imports are looked for in the folders that were given; name the folder that they start from",
        );
    }
    error
}

/// Returns whether the first statement of a source states an edition.
fn has_edition(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let mut rest = text.trim_start();
    loop {
        rest = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(comment), _) => comment.split_once('\n').map_or("", |(_, rest)| rest),
            (_, Some(comment)) => comment.split_once("*/").map_or("", |(_, rest)| rest),
            _ => break,
        }
        .trim_start();
    }
    rest.strip_prefix("edition").is_some_and(|rest| rest.trim_start().starts_with('='))
}
