//! Files that do not end as their format demands.

use tfxio_core::{Count, Error, ErrorKind};

/// Returns what is wrong with a file that does not end with the magic number of its format, by its first bytes and its size.
#[cold]
pub(crate) fn without_footer(title: &str, magic: &str, first_bytes: &[u8], size: u64) -> Error {
    const INCOMPLETE: &str = "the file is not complete; copy or download it again";
    let (what, help) = if size == 0 {
        ("the file is empty".to_owned(), INCOMPLETE)
    } else if first_bytes.starts_with(magic.as_bytes()) {
        let what = format!(
            "the file has {} and does not end with {magic}: it was not written or copied to its end",
            Count::of(size, "byte")
        );
        (what, INCOMPLETE)
    } else {
        let what = format!("the file neither begins nor ends with {magic}: it has another format");
        (what, "state the format that it has, or convert it first")
    };
    let what = format!("the {title} file cannot be read: {what}");
    Error::new(ErrorKind::Malformed, what).help(help)
}
