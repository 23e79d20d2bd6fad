//! Descriptors of `.proto` sources, compiled without `protoc`.

use std::path::{Path, PathBuf};

use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver};
use tfxio_base::{Error, Result};

use super::DescriptorSet;
use crate::Kind;

impl DescriptorSet {
    /// Compiles `.proto` files. Their imports are searched in `includes`; imports of `google/protobuf` are built in.
    /// Without includes, the folder of the first file is searched.
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
        let mut resolver = ChainFileResolver::new();
        includes.iter().for_each(|include| resolver.add(Sources::new(include.clone())));
        resolver.add(GoogleFileResolver::new());
        let mut compiler = protox::Compiler::with_file_resolver(resolver);
        let compiled = compiler.include_source_info(false).include_imports(true).open_files(&files);
        let compiled = compiled.map(|compiler| compiler.encode_file_descriptor_set());
        match compiled {
            Ok(bytes) => Self::parse(&bytes),
            Err(error) => Err(explained(&error, &files, &includes)),
        }
    }
}

/// Maximum nesting of brackets: the compiler recurses for each of them, and so do readers of nested messages in its
/// output.
const MOST_BRACKETS: usize = 100;

/// Sources in a folder, looked at before they are compiled.
struct Sources {
    folder: PathBuf,
    files: IncludeFileResolver,
}

impl Sources {
    fn new(folder: PathBuf) -> Self {
        Self { files: IncludeFileResolver::new(folder.clone()), folder }
    }
}

impl FileResolver for Sources {
    fn resolve_path(&self, path: &Path) -> Option<String> {
        self.files.resolve_path(path)
    }

    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        // What cannot be read is for the compiler to say.
        if let Ok(source) = std::fs::read(self.folder.join(name))
            && let Some(line) = too_deep(&source)
        {
            let what = format!("{name}, line {line}: brackets are nested more than {MOST_BRACKETS} deep");
            return Err(protox::Error::new(what));
        }
        self.files.open_file(name)
    }
}

/// Returns the line of the bracket that is nested too deep, if one is. Brackets in comments and texts do not count.
fn too_deep(source: &[u8]) -> Option<usize> {
    let (mut depth, mut line, mut at) = (0usize, 1, 0);
    while let Some(&byte) = source.get(at) {
        let rest = source.get(at..).unwrap_or_default();
        at += match byte {
            b'/' if rest.starts_with(b"//") => {
                rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                let comment = end.map_or(rest.len(), |end| end + 4);
                line += lines(rest.get(..comment).unwrap_or_default());
                comment
            }
            b'"' | b'\'' => text(rest),
            b'{' | b'[' | b'(' | b'<' => {
                depth += 1;
                if depth > MOST_BRACKETS {
                    return Some(line);
                }
                1
            }
            b'}' | b']' | b')' | b'>' => {
                depth = depth.saturating_sub(1);
                1
            }
            b'\n' => {
                line += 1;
                1
            }
            _ => 1,
        };
    }
    None
}

/// Returns the length of a text with its quotes. It ends with its line.
fn text(source: &[u8]) -> usize {
    let (quote, mut at) = (source.first().copied(), 1);
    while let Some(byte) = source.get(at).copied().filter(|byte| *byte != b'\n') {
        at += if byte == b'\\' { 2 } else { 1 };
        if Some(byte) == quote {
            break;
        }
    }
    at.min(source.len())
}

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
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
    let of_source = Error::new(Kind::BadSource, what).in_file(name);
    if error.is_file_not_found() {
        return of_source.help(
            "imports are looked for in the folders that were given; name the folder that they start from",
        );
    }
    of_source
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_counted_outside_of_comments_and_texts() {
        let nested = |open: &str, close: &str, levels: usize| open.repeat(levels) + &close.repeat(levels);
        for (open, close) in [("{", "}"), ("[", "]"), ("<", ">"), ("{a:[", "]}"), ("(\n", ")")] {
            let each = open.bytes().filter(|byte| b"{[(<".contains(byte)).count();
            let levels = MOST_BRACKETS / each;
            assert_eq!(too_deep(nested(open, close, levels).as_bytes()), None, "{open}");
            let line = 1 + open.matches('\n').count() * levels;
            assert_eq!(too_deep(nested(open, close, levels + 1).as_bytes()), Some(line), "{open}");
        }
        let many = "{".repeat(200);
        for hidden in
            [format!("// {many}\n"), format!("/* {many} */"), format!("'{many}'"), format!("\"\\\"{many}\"")]
        {
            assert_eq!(too_deep(hidden.as_bytes()), None, "{hidden}");
            assert_eq!(
                too_deep(format!("{hidden}\n{many}").as_bytes()),
                Some(hidden.matches('\n').count() + 2)
            );
        }
        // Closed where nothing reads it.
        let closed = format!("{}// {}\n{}", "{".repeat(60), "}".repeat(60), "{".repeat(60));
        assert_eq!(too_deep(closed.as_bytes()), Some(2));
        for open in ["/*", "//", "\"", "'\\", "/", ""] {
            assert_eq!(too_deep(open.as_bytes()), None, "{open}");
        }
    }
}
