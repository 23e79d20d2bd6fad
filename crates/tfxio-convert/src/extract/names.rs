//! File names from data, made safe for every system.

use std::collections::HashMap;

use tfxio_store::DASH;

use tfxio_core::media::Media;

/// Maximum number of bytes of a name without its ending and number: systems allow 255.
const LONGEST: usize = 180;
/// Names that Windows keeps for devices, whatever their ending.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Names that are taken.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, u64>);

impl Names {
    /// Returns a name that is safe and not taken, and whether it is the one that was asked for, but for its ending.
    pub(super) fn name(&mut self, asked: &str, ending: &str) -> (String, bool) {
        let safe = safe(asked);
        let whole = with_ending(&safe, ending);
        let mut number = self.0.get(&key(&whole)).copied().unwrap_or(0);
        if number == 0 {
            self.0.insert(key(&whole), 1);
            return (whole, safe == asked);
        }
        let (stem, dot) =
            whole.rsplit_once('.').map_or((&*whole, String::new()), |(stem, end)| (stem, format!(".{end}")));
        loop {
            number += 1;
            let next = format!("{stem}-{number}{dot}");
            if !self.0.contains_key(&key(&next)) {
                self.0.insert(key(&next), 1);
                self.0.insert(key(&whole), number);
                return (next, false);
            }
        }
    }
}

/// Many systems do not tell capitals from small letters.
fn key(name: &str) -> String {
    name.to_lowercase()
}

/// Returns a name of one step, without characters that a file system or a terminal acts on.
fn safe(asked: &str) -> String {
    let is_meant = |char: char| {
        char.is_control()
            || "/\\:*?\"<>|".contains(char)
            // Controls of writing direction make a name look like another one.
            || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut name = String::new();
    for char in asked.chars() {
        if name.len() + char.len_utf8() > LONGEST {
            break;
        }
        name.push(if is_meant(char) { '_' } else { char });
    }
    // Hidden files, `.` and `..`, what looks like an option, and what Windows drops.
    if name.starts_with(['.', ' ', '-']) || name.is_empty() {
        name = format!("_{}", name.get(1..).unwrap_or_default());
    }
    if name.ends_with(['.', ' ']) {
        name.pop();
        name.push('_');
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let device = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_device = device.is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    if is_device || RESERVED.contains(&stem.as_str()) {
        name.insert(0, '_');
    }
    name
}

/// Appends an ending, unless the name has it, or the content has only a generic one and the name has another.
fn with_ending(name: &str, ending: &str) -> String {
    let own = name.rsplit_once('.').map(|(_, own)| own.to_ascii_lowercase());
    let is_plausible =
        |own: &String| (1..=5).contains(&own.len()) && own.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_same = |own: &String| {
        own == ending
            || matches!(
                (&**own, ending),
                ("jpeg", "jpg") | ("tiff", "tif") | ("mpga", "mp3") | ("m4a", "mp4")
            )
    };
    let is_any = matches!(ending, "txt" | "bin");
    match own.filter(is_plausible) {
        Some(own) if is_any || is_same(&own) => name.to_owned(),
        _ => format!("{name}.{ending}"),
    }
}

/// Returns the ending that content should have.
pub(super) fn ending(bytes: &[u8]) -> &'static str {
    let is_text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    match Media::of(bytes) {
        Some(media) => media.media_type.ending(),
        None if is_text && !bytes.is_empty() => "txt",
        None => "bin",
    }
}

/// Returns the name of a file without folders and endings.
pub(super) fn stem(file: &str) -> &str {
    if file == DASH {
        return "stdin";
    }
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split('.').find(|part| !part.is_empty()).unwrap_or("record")
}

#[cfg(test)]
mod tests {
    use super::{Names, ending, safe, stem};

    #[test]
    fn names_stay_in_their_folder() {
        for (asked, expected) in [
            ("cat.png", "cat.png"),
            ("日本 é", "日本 é"),
            ("../../etc/passwd", "_._.._etc_passwd"),
            ("/etc/passwd", "_etc_passwd"),
            ("C:\\Windows\\x", "C__Windows_x"),
            ("..", "__"),
            (".", "_"),
            ("", "_"),
            (".hidden", "_hidden"),
            ("-rf", "_rf"),
            ("a\0b\nc\u{1b}[31m", "a_b_c_[31m"),
            ("gpj\u{202e}exe", "gpj_exe"),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("com1 .x", "_com1 .x"),
            ("commit", "commit"),
            ("trailing. ", "trailing._"),
        ] {
            assert_eq!(safe(asked), expected, "{asked:?}");
        }
        let long = safe(&"é".repeat(1000));
        assert!(long.len() <= 180 && long.chars().all(|char| char == 'é'));
    }

    #[test]
    fn names_are_given_once() {
        let mut names = Names::default();
        let mut name = |asked: &str, ending: &str| names.name(asked, ending);
        assert_eq!(name("a", "png"), ("a.png".into(), true));
        assert_eq!(name("a.png", "png"), ("a-2.png".into(), false));
        assert_eq!(name("A", "png"), ("A-3.png".into(), false));
        assert_eq!(name("a-2", "png"), ("a-2-2.png".into(), false));
        assert_eq!(name("b.jpeg", "jpg"), ("b.jpeg".into(), true));
        assert_eq!(name("b.png", "jpg"), ("b.png.jpg".into(), true));
        assert_eq!(name("c.json", "txt"), ("c.json".into(), true));
        assert_eq!(name("v1.2 of it", "txt"), ("v1.2 of it.txt".into(), true));
    }

    #[test]
    fn endings_and_stems() {
        assert_eq!(
            [ending(b"GIF89a...."), ending(b"text"), ending(b"\xff"), ending(b"")],
            ["gif", "txt", "bin", "bin"]
        );
        assert_eq!(stem("s3://b/data/train-00001-of-00002.tfrecord.gz"), "train-00001-of-00002");
        assert_eq!(
            [stem("/dev/stdin"), stem("-"), stem("..."), stem(".a.b")],
            ["stdin", "stdin", "record", "a"]
        );
    }
}
