//! Reading a manifest.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use tfxio_core::DType;

use super::{Compression, Deserialize, Endian, Feature, Manifest};
use crate::json::{Keys, Node, Object, Value, dtype, list_of, read_text};
use crate::{Kind, Result};

const MANIFEST: Keys<'static> = Keys::new("manifest", &["compression", "allow_var_len", "features"], &[]);
const FEATURE: Keys<'static> =
    Keys::new("feature", &["name", "dtype", "shape", "deserialize_type"], &["var_len", "deserialize_args"]);
const RAW: Keys<'static> = Keys::new("raw feature", &["endian"], &["len"]);

impl Manifest {
    /// Reads a manifest from JSON; `//` comments are allowed.
    ///
    /// ```
    /// use batch_loader::manifest::{Deserialize, Manifest};
    ///
    /// let manifest = Manifest::from_json(
    ///     r#"{
    ///         "compression": "gzip", // or "zlib", or null
    ///         "allow_var_len": false,
    ///         "features": [
    ///             {"name": "label", "dtype": "int32", "shape": [], "deserialize_type": "int"}
    ///         ]
    ///     }"#,
    /// )?;
    /// assert_eq!(manifest.features[0].deserialize, Deserialize::Int);
    ///
    /// let error = Manifest::from_json("{\"compression\": 7, \"allow_var_len\": false, \"features\": []}").unwrap_err();
    /// assert_eq!(error.to_string(), "line 1, column 17, `compression`: 7 is given; give \"zlib\", \"gzip\" or null");
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Each error contains line, column and the allowed values.
    ///
    /// * `InvalidJson` if the text is not JSON, or an object has the same key twice.
    /// * `MissingArgument`, `UnexpectedArgument` for a key that is missing or unknown.
    /// * `InvalidType`, `InvalidValue` for a value that is not allowed, two features of one name included.
    pub fn from_json(text: &str) -> Result<Self> {
        manifest(&Node::root(&Value::parse(text)?))
    }

    /// Reads a manifest from a file. A file data set has it at the top of its directory, under the name
    /// `__manifest__.json`.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json), with the file; `NotFound` if the file does not exist, `Io` if it cannot be
    /// read, `LimitExceeded` if it has more than 64 MiB.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_json(&read_text(path, "manifest")?)
            .map_err(|error| error.in_file(path.display().to_string()))
    }
}

impl<'de> serde::Deserialize<'de> for Manifest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let root = Value::deserialize(deserializer)?;
        manifest(&Node::root(&root)).map_err(serde::de::Error::custom)
    }
}

fn manifest(node: &Node<'_>) -> Result<Manifest> {
    let object = node.object(MANIFEST)?;
    let compression = compression(&object.need("compression")?)?;
    let allow_var_len = object.need("allow_var_len")?.bool()?;
    let list = object.need("features")?;
    let items = list.list("a list of features")?;
    if items.is_empty() {
        return Err(list.invalid_value("describes nothing", "give at least one feature"));
    }
    let mut features = Vec::new();
    let mut names = HashSet::new();
    for item in items {
        let feature = feature(&item, allow_var_len)?;
        if !names.insert(Arc::clone(&feature.name)) {
            let name = item.object(FEATURE)?.need("name")?;
            return Err(name.invalid_value("is the name of two features", "give each its own name"));
        }
        features.push(feature);
    }
    Ok(Manifest { compression, allow_var_len, features })
}

fn compression(node: &Node<'_>) -> Result<Compression> {
    const ALLOWED: &str = "give \"zlib\", \"gzip\" or null";
    if node.is_null() {
        return Ok(Compression::None);
    }
    let wrong_type = |_| node.error(Kind::InvalidType, format!("{} is given", node.shown())).help(ALLOWED);
    match node.string().map_err(wrong_type)?.to_ascii_lowercase().as_str() {
        "zlib" => Ok(Compression::Zlib),
        "gzip" => Ok(Compression::Gzip),
        _ => Err(node.invalid_value("is not a compression of data sets", ALLOWED)),
    }
}

fn feature(node: &Node<'_>, allow_var_len: bool) -> Result<Feature> {
    let object = node.object(FEATURE)?;
    let name = object.need("name")?.string()?;
    let dtype = dtype(&object.need("dtype")?)?;
    let shape = shape(&object.need("shape")?)?;
    let var_len = var_len(&object, allow_var_len)?;
    let deserialize = deserialize(&object, var_len)?;
    if matches!(deserialize, Deserialize::Raw { .. }) && dtype == DType::String {
        let hint = "give the dtype of the bytes, or take the deserialize_type \"string\"";
        return Err(object.need("dtype")?.invalid_value("is not a dtype of a raw feature", hint));
    }
    Ok(Feature { name: name.into(), dtype, shape, var_len, deserialize })
}

fn shape(node: &Node<'_>) -> Result<Vec<usize>> {
    const WANTED: &str = "a list of integers: the dimensions, none for a scalar";
    let sizes = node.list(WANTED)?.into_iter().map(|dimension| dimension.count(0..=u32::MAX));
    let sizes = sizes.collect::<Result<Vec<usize>>>()?;
    // A size of 0 does not make up for others: they are multiplied without it where a part is taken.
    let cells = sizes.iter().try_fold(1usize, |cells, size| cells.checked_mul((*size).max(1)));
    match cells {
        Some(_) => Ok(sizes),
        None => Err(node.invalid_value("has more cells than can be counted", "give smaller dimensions")),
    }
}

fn var_len(object: &Object<'_>, allow_var_len: bool) -> Result<bool> {
    match object.get("var_len") {
        None if allow_var_len => Err(object
            .missing("var_len", "where allow_var_len is true, each feature says whether it is a sequence")),
        None => Ok(false),
        Some(node) => {
            let var_len = node.bool()?;
            if var_len && !allow_var_len {
                let hint = "give false, or set allow_var_len to true if the records are tf.SequenceExamples";
                return Err(node.invalid_value("is not allowed here", hint));
            }
            Ok(var_len)
        }
    }
}

fn deserialize(object: &Object<'_>, var_len: bool) -> Result<Deserialize> {
    // `None` for the type that takes arguments.
    const TYPES: [(&str, Option<Deserialize>); 4] = [
        ("int", Some(Deserialize::Int)),
        ("float", Some(Deserialize::Float)),
        ("string", Some(Deserialize::String)),
        ("raw", None),
    ];
    let stored = object.need("deserialize_type")?;
    let Some(plain) = stored.word("deserialize_type", &TYPES)? else {
        return raw(&object.object_or_empty("deserialize_args", RAW)?, var_len);
    };
    if let Some(args) = object.get("deserialize_args") {
        let arguments = args.keys()?;
        if !arguments.is_empty() {
            let what = format!("the deserialize_type {} takes no arguments", stored.shown());
            let hint = format!("only \"raw\" does; leave out {}", list_of(arguments));
            return Err(args.error(Kind::InvalidValue, what).help(hint));
        }
    }
    Ok(plain)
}

fn raw(args: &Object<'_>, var_len: bool) -> Result<Deserialize> {
    let endian =
        args.need("endian")?.word("byte order", &[("little", Endian::Little), ("big", Endian::Big)])?;
    let len = match args.get("len") {
        None => 1,
        Some(len) if var_len => {
            // It is of no use, but has to be an integer all the same.
            len.integer().ok_or_else(|| len.invalid_type("an integer"))?;
            1
        }
        Some(len) => len.count(1..=u32::MAX)?,
    };
    Ok(Deserialize::Raw { endian, len })
}
