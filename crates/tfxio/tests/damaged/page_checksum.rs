//! Checksums of Parquet pages.

use crate::convert;

/// A value of Thrift's compact protocol.
enum Value {
    Int(i64),
    Text(&'static str),
    Struct(Vec<(u8, Value)>),
    Ints(Vec<i64>),
    Texts(Vec<&'static str>),
    Structs(Vec<Value>),
}

use Value::{Int, Ints, Struct, Structs, Text, Texts};

fn number(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn write(value: &Value, out: &mut Vec<u8>) {
    let list = |length: usize, kind: u8, out: &mut Vec<u8>| out.push((length as u8) << 4 | kind);
    let text = |text: &str, out: &mut Vec<u8>| {
        number(text.len() as u64, out);
        out.extend(text.as_bytes());
    };
    match value {
        Int(value) => number(((value << 1) ^ (value >> 63)) as u64, out),
        Text(value) => text(value, out),
        Struct(fields) => {
            let mut last = 0;
            for (field, value) in fields {
                let kind = match value {
                    // All integers have one form; readers take the kind from the schema.
                    Int(_) => 5 + u8::from(*field >= 100),
                    Text(_) => 8,
                    Struct(_) => 12,
                    Ints(_) | Texts(_) | Structs(_) => 9,
                };
                let field = field % 100;
                out.push((field - last) << 4 | kind);
                last = field;
                write(value, out);
            }
            out.push(0);
        }
        Ints(values) => {
            list(values.len(), 5, out);
            values.iter().for_each(|value| write(&Int(*value), out));
        }
        Texts(values) => {
            list(values.len(), 8, out);
            values.iter().for_each(|value| text(value, out));
        }
        Structs(values) => {
            list(values.len(), 12, out);
            values.iter().for_each(|value| write(value, out));
        }
    }
}

/// A field of 64 bits.
const LONG: u8 = 100;

/// A file with one column of three 32-bit integers in one page, with the checksum of the page.
fn file() -> Vec<u8> {
    let values = [1i32, 2, 3].map(i32::to_le_bytes).concat();
    let crc = i64::from(crc32(&values).cast_signed());
    let mut out = b"PAR1".to_vec();
    let size = values.len() as i64;
    let page = vec![(1, Int(3)), (2, Int(0)), (3, Int(3)), (4, Int(3))];
    write(
        &Struct(vec![(1, Int(0)), (2, Int(size)), (3, Int(size)), (4, Int(crc)), (5, Struct(page))]),
        &mut out,
    );
    out.extend(values);
    let bytes = (out.len() - 4) as i64;
    let chunk = vec![
        (1, Int(1)),
        (2, Ints(vec![0])),
        (3, Texts(vec!["a"])),
        (4, Int(0)),
        (LONG + 5, Int(3)),
        (LONG + 6, Int(bytes)),
        (LONG + 7, Int(bytes)),
        (LONG + 9, Int(4)),
    ];
    let columns = Structs(vec![Struct(vec![(LONG + 2, Int(4)), (3, Struct(chunk))])]);
    let group = Struct(vec![(1, columns), (LONG + 2, Int(bytes)), (LONG + 3, Int(3))]);
    let schema = vec![
        Struct(vec![(4, Text("schema")), (5, Int(1))]),
        Struct(vec![(1, Int(1)), (3, Int(0)), (4, Text("a"))]),
    ];
    let start = out.len();
    let metadata = vec![(1, Int(2)), (2, Structs(schema)), (LONG + 3, Int(3)), (4, Structs(vec![group]))];
    write(&Struct(metadata), &mut out);
    let length = (out.len() - start) as u32;
    out.extend(length.to_le_bytes());
    out.extend(b"PAR1");
    out
}

/// The CRC-32 of IEEE 802.3, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[test]
fn a_page_that_does_not_fit_its_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.parquet"), folder.path().join("o.arrow"));
    let mut bytes = file();
    std::fs::write(&input, &bytes).unwrap();
    assert_eq!(convert(&input, &output).unwrap(), 3);
    let at = bytes.windows(4).position(|part| part == 2i32.to_le_bytes()).unwrap();
    bytes[at] ^= 1 << 6;
    std::fs::write(&input, &bytes).unwrap();
    std::fs::remove_file(&output).unwrap();
    let error = convert(&input, &output).unwrap_err();
    assert_eq!(error.kind(), tfxio::ErrorKind::Malformed);
    let text = error.to_string();
    assert!(text.contains("a.parquet: the Parquet file cannot be read: "), "{text}");
    assert!(text.contains("Page CRC checksum mismatch"), "{text}");
    assert!(!output.exists());
}
