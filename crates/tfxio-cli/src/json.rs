//! JSON, as far as it is written here.

pub(crate) use tfxio::json::{Object, bytes, double, float, string};

/// Appends a list of strings.
pub(crate) fn strings(out: &mut String, texts: &[String]) {
    out.push('[');
    for (index, text) in texts.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        string(out, text);
    }
    out.push(']');
}
