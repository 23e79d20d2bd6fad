//! Statistics of images.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use tensor_repr::TfmdSchema;
use tfxio_stats::{InferOptions, Page, Statistics, StatisticsList, ValidateOptions, infer_schema, validate};

fn png(width: u32, height: u32) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &width.to_be_bytes(), &height.to_be_bytes(), b"\x08\0"]
        .concat()
}

/// Returns a JPEG whose size follows after a segment of an application.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
    bytes.extend(b"\xff\xc0\x00\x11\x08");
    bytes.extend(height.to_be_bytes().iter().chain(&width.to_be_bytes()));
    bytes
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    [b"GIF89a".as_slice(), &width.to_le_bytes(), &height.to_le_bytes(), b"\x80\0\0"].concat()
}

fn webp() -> Vec<u8> {
    b"RIFF\x24\0\0\0WEBPVP8 \x10\0\0\0\x10\0\0\x9d\x01\x2a\x40\x41\x40\x00".to_vec()
}

fn of(values: impl IntoIterator<Item = Vec<u8>>) -> StatisticsList {
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values(values));
    let batch = RecordBatch::try_from_iter([("image", values)]).expect("a batch");
    let mut statistics = Statistics::builder(&batch.schema()).build();
    statistics.update(&batch).expect("statistics");
    statistics.finish()
}

/// Returns statistics of 90 PNGs of two sizes, 5 JPEGs, 3 GIFs, a WebP and a text.
fn many() -> StatisticsList {
    let pngs = (0..90).map(|number| if number < 60 { png(28, 28) } else { png(32, 16) });
    let others = (0..5).map(|_| jpeg(640, 480)).chain((0..3).map(|_| gif(16, 8)));
    of(pngs.chain(others).chain([webp(), "a text: é".into()]))
}

#[test]
fn images_are_counted_by_format_and_size() {
    let json = many().to_json();
    for text in [
        r#"["domain_info","image_domain {}"]"#,
        r#"["image_format_histogram",[["UNKNOWN",0,0,1.0],["gif",0,0,3.0],["jpeg",0,0,5.0],["png",0,0,90.0],["webp",0,0,1.0]]]"#,
        r#"["image_min_width",16.0]"#,
        r#"["image_max_width",640.0]"#,
        r#"["image_min_height",8.0]"#,
        r#"["image_max_height",480.0]"#,
        r#"["image_sizes",[["28x28",0,0,60.0],["32x16",1,1,30.0],["640x480",2,2,5.0],["16x8",3,3,3.0],["320x64",4,4,1.0]]]"#,
    ] {
        assert!(json.contains(text), "{text} in {json}");
    }
    let summaries = many().summaries(0);
    let images = summaries[0].images.as_ref().expect("images");
    let width = images.width.expect("widths");
    let mean = f64::from(60 * 28 + 30 * 32 + 5 * 640 + 3 * 16 + 320) / 99.0;
    assert_eq!((width[0], width[2]), (16.0, 640.0));
    assert!((width[1] - mean).abs() < 1e-9, "{width:?}");
    assert_eq!(images.formats[..2], [("png".to_owned(), 90.0), ("jpeg".to_owned(), 5.0)]);
    assert_eq!(images.sizes[0], ("28x28".to_owned(), 60.0));
}

#[test]
fn few_images_are_no_domain_and_texts_no_images() {
    let is_image = |list: &StatisticsList| list.to_json().contains("image_domain");
    let is_counted = |list: &StatisticsList| list.to_json().contains("image_format_histogram");
    let of = |images: usize, texts: usize| {
        of((0..images).map(|_| png(1, 1)).chain((0..texts).map(|number| format!("é {number}").into_bytes())))
    };
    for (images, texts, expected) in [
        (100, 0, (true, true)),
        (99, 0, (false, true)),
        (80, 20, (true, true)),
        (79, 21, (false, true)),
        (50, 50, (false, true)),
        (49, 51, (false, false)),
        (0, 100, (false, false)),
    ] {
        let list = of(images, texts);
        assert_eq!((is_image(&list), is_counted(&list)), expected, "{images} of {}", images + texts);
    }
}

#[test]
fn a_cut_header_is_an_image_without_a_size() {
    let list = of((0..4).map(|_| b"\xff\xd8\xff\xe0".to_vec()));
    let summaries = list.summaries(0);
    let images = summaries[0].images.as_ref().expect("images");
    assert_eq!(images.formats, [("jpeg".to_owned(), 4.0)]);
    assert_eq!((images.width, images.height, images.sizes.len()), (None, None, 0));
}

#[test]
fn a_schema_of_images_says_so_and_holds_them_to_it() {
    let list = many();
    let schema = infer_schema(&list, &InferOptions::default()).expect("a schema");
    assert!(schema.to_text().contains("image_domain {"), "{}", schema.to_text());
    assert!(validate(&list, &schema, &ValidateOptions::default()).expect("anomalies").is_empty());
    let strict =
        schema.to_text().replace("image_domain {", "image_domain { minimum_supported_image_fraction: 0.995");
    let strict = TfmdSchema::from_text(&strict).expect("a schema");
    let anomalies = validate(&list, &strict, &ValidateOptions::default()).expect("anomalies");
    let texts: Vec<&str> = anomalies.iter().map(|anomaly| anomaly.text()).collect();
    assert_eq!(texts, ["The schema asks for images in 0.995 of values, 0.99 are."]);
}

#[test]
fn a_page_shows_formats_and_sizes() {
    let page = Page::new(&many()).to_html();
    for text in ["png <small>mostly 28x28</small>", "image_sizes", "640x480"] {
        assert!(page.contains(text), "{text} in {page}");
    }
}
