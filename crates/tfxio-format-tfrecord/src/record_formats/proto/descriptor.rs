//! The descriptor of messages: files, or bytes in a text that another process can read.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use message_codec::{DescriptorSet, MessageDescriptor};
use tfxio_core::{Error, ErrorKind, FormatOptions, Result, Store};

use tfxio_core::option_file;
use tfxio_store::FileStore;
use tfxio_store::url;

pub(super) const DESCRIPTOR: &str = "descriptor";
pub(super) const MESSAGE: &str = "message";
pub(super) const PROTO_PATH: &str = "proto_path";

/// Prefix of the bytes of a set in base64.
const BASE64: &str = "base64:";

/// Returns the message that options name.
pub(super) fn message(options: &FormatOptions) -> Result<MessageDescriptor> {
    let Some(value) = options.text(DESCRIPTOR) else {
        let what = "messages of any protobuf type need a descriptor";
        let help = "state a file with it: the option `descriptor`, on the command line `--descriptor FILE`";
        return Err(Error::new(ErrorKind::InvalidArgument, what).help(help));
    };
    let (set, file) = match value.strip_prefix(BASE64) {
        Some(text) => (of_text(text)?, None),
        None => (of_file(value, options).map_err(|error| error.in_file(value))?, Some(value)),
    };
    let found = match options.text(MESSAGE) {
        Some(name) => set.message(name),
        None => set
            .only_message()
            .map_err(|error| error.and_help("the option is `message`, on the command line `--message NAME`")),
    };
    found.map_err(|error| match file {
        Some(file) => error.in_file(file),
        None => error,
    })
}

/// Returns a message as the value of the option from which it can be read again.
pub(super) fn text(message: &MessageDescriptor) -> String {
    format!("{BASE64}{}", STANDARD.encode(message.to_descriptor_set()))
}

fn of_text(text: &str) -> Result<DescriptorSet> {
    let bytes = STANDARD.decode(text).map_err(|error| {
        let what = format!("the option {DESCRIPTOR:?} is not base64: {error}");
        Error::new(ErrorKind::Malformed, what)
    })?;
    DescriptorSet::parse(&bytes)
}

fn of_file(name: &str, options: &FormatOptions) -> Result<DescriptorSet> {
    let cancel = &options.request.cancel;
    let path = url::file_path(name).transpose()?;
    let name = path.as_deref().unwrap_or(name);
    let files = FileStore::default();
    let store: &dyn Store = options.store.as_deref().map_or(&files, |store| store);
    let bytes = option_file::read(store, name, "the descriptor", cancel)?;
    if name.ends_with(".proto") {
        // The compiler reads the source and its imports itself.
        let Some(path) = store.local_path(name) else {
            let what = "a .proto source that is not a local file is not compiled";
            let help =
                "state a FileDescriptorSet: `protoc --include_imports --descriptor_set_out=FILE` writes one";
            return Err(Error::new(ErrorKind::Unsupported, what).help(help));
        };
        let includes = options.list(PROTO_PATH).unwrap_or_default();
        return DescriptorSet::compile([path], includes.iter().map(PathBuf::from));
    }
    DescriptorSet::parse(&bytes)
        .map_err(|error| error.and_help("the name of a source ends in .proto, and that of a set does not"))
}
