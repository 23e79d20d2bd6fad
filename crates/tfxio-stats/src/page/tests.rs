//! Tests of the page's text; [`browser`] tests its display in a browser.

mod browser;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::proto::tfmd;
use tfmd::feature_name_statistics::{FieldId, Stats, Type};
use tfmd::histogram::{Bucket, HistogramType};

/// A name that tries everything.
const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&\u{2028}\u{202e}\u{0}日本";

fn histogram(kind: HistogramType, edges: &[f64], counts: &[f64]) -> tfmd::Histogram {
    let buckets = edges.windows(2).zip(counts).map(|(edges, count)| Bucket {
        low_value: edges[0],
        high_value: edges[1],
        sample_count: *count,
    });
    tfmd::Histogram { buckets: buckets.collect(), r#type: kind.into(), ..Default::default() }
}

fn present(rows: u64, missing: u64) -> Option<tfmd::CommonStatistics> {
    Some(tfmd::CommonStatistics {
        num_non_missing: rows,
        num_missing: missing,
        min_num_values: 1,
        max_num_values: 1,
        avg_num_values: 1.0,
        tot_num_values: rows,
        ..Default::default()
    })
}

fn feature(name: &str, kind: Type, stats: Stats) -> tfmd::FeatureNameStatistics {
    let path = tfmd::Path { step: name.split('.').map(str::to_owned).collect() };
    tfmd::FeatureNameStatistics {
        r#type: kind.into(),
        field_id: Some(FieldId::Path(path)),
        stats: Some(stats),
        ..Default::default()
    }
}

/// Numbers from 0 to `max`, a tenth of rows without one.
fn numeric(name: &str, max: f64) -> tfmd::FeatureNameStatistics {
    let at = |tenth: u32| max * f64::from(tenth) / 10.0;
    let edges = (0..=10).map(at).collect::<Vec<_>>();
    let quantiles = (0..=10).map(|tenth| max * (f64::from(tenth) / 10.0).powi(2)).collect::<Vec<_>>();
    let counts = [500.5, 200.25, 99.25, 50.0, 20.0, 15.0, 8.0, 5.0, 1.0, 1.0];
    let stats = tfmd::NumericStatistics {
        common_stats: present(900, 100),
        mean: max / 3.0,
        std_dev: max / 7.0,
        num_zeros: 12,
        median: max / 4.0,
        max,
        histograms: vec![
            histogram(HistogramType::Standard, &edges, &counts),
            histogram(HistogramType::Quantiles, &quantiles, &[90.0; 10]),
        ],
        ..Default::default()
    };
    feature(name, Type::Float, Stats::NumStats(stats))
}

fn strings<S: AsRef<str>>(name: &str, values: &[(S, f64)]) -> tfmd::FeatureNameStatistics {
    let buckets = values.iter().enumerate().map(|(rank, (label, count))| tfmd::rank_histogram::Bucket {
        low_rank: rank as u64,
        high_rank: rank as u64,
        label: label.as_ref().to_owned(),
        sample_count: *count,
    });
    let stats = tfmd::StringStatistics {
        common_stats: present(1000, 0),
        unique: 1 + values.len() as u64,
        avg_length: 5.25,
        rank_histogram: Some(tfmd::RankHistogram { buckets: buckets.collect(), ..Default::default() }),
        ..Default::default()
    };
    feature(name, Type::String, Stats::StringStats(stats))
}

fn dataset(name: &str, features: Vec<tfmd::FeatureNameStatistics>) -> tfmd::DatasetFeatureStatistics {
    tfmd::DatasetFeatureStatistics {
        name: name.to_owned(),
        num_examples: 1000,
        features,
        ..Default::default()
    }
}

fn list(datasets: Vec<tfmd::DatasetFeatureStatistics>) -> StatisticsList {
    StatisticsList(tfmd::DatasetFeatureStatisticsList { datasets })
}

fn taxi() -> StatisticsList {
    let payment = strings("payment", &[("Cash", 700.0), ("Card", 290.0)]);
    list(vec![dataset("", vec![payment, numeric("fare", 175.0), numeric("trip.miles", 12.5)])])
}

/// Returns the text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("no {start:?}")) + start.len();
    let length = text[from..].find(end).unwrap_or_else(|| panic!("no {end:?} after {start:?}"));
    &text[from..from + length]
}

#[test]
fn the_policy_names_the_script_and_the_style() {
    for (file, text, hash, name) in
        [("report.js", SCRIPT, SCRIPT_HASH, "SCRIPT_HASH"), ("report.css", STYLE, STYLE_HASH, "STYLE_HASH")]
    {
        // What a browser hashes has no carriage returns.
        let digest = Sha256::digest(text.replace("\r\n", "\n"));
        let right = format!("sha256-{}", STANDARD.encode(digest));
        assert_eq!(hash, right, "{file} has changed: set {name} to {right}");
    }
    let page = Page::new(&taxi()).to_html();
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(
        !page.contains("http://") || page.matches("http://").count() == 1,
        "only the name of SVG is a URL"
    );
    assert!(!page.contains("https://"));
    assert!(!page.contains(" style=\""), "the policy would refuse it");
}

#[test]
fn rows_have_the_numbers() {
    let page = Page::new(&taxi()).title("Taxi trips").to_html();
    assert!(page.contains("<title>Taxi trips</title>"));
    assert!(page.contains("<li>1,000 examples, 3 features</li>"));
    let row = |name: &str| {
        let chart = "<td class=\"text\"><div class=\"chart\"></div></td>";
        between(&page, &format!("<bdi>{name}</bdi></th>{chart}"), "</tr>").to_owned()
    };
    assert_eq!(
        row("fare"),
        "<td class=\"text\">FLOAT</td><td>100 <small>10 %</small></td><td>58.333</td><td>25</td>\
         <td>12 <small>1.3 %</small></td><td>0</td><td>43.75</td><td>175</td>"
    );
    assert_eq!(
        row("payment"),
        "<td class=\"text\">STRING</td><td>0</td><td>3</td><td class=\"text value\"><bdi>Cash</bdi></td>\
         <td>700 <small>70 %</small></td><td>5.25</td>"
    );
    // Numbers stand in the first table, whatever their order in the list; ids follow.
    let numbers = page.find("id=\"numeric0\"").unwrap();
    assert!(numbers < page.find("id=\"f0\"").unwrap());
    assert!(page.find("id=\"f1\"").unwrap() < page.find("id=\"other0\"").unwrap());
    assert!(page.contains("Numeric features <small>2</small>"));
    assert!(page.contains("data-type=\"FLOAT\" data-flags=\"m\""));
}

#[test]
fn hostile_text_stays_text() {
    let hostile = list(vec![dataset(HOSTILE, vec![strings(HOSTILE, &[(HOSTILE, 1.0)]), numeric("n", 1.0)])]);
    let page = Page::new(&hostile)
        .title(HOSTILE)
        .other(&hostile, [HOSTILE, "b"])
        .anomaly(HOSTILE, HOSTILE, HOSTILE)
        .drift(HOSTILE, 0.5, true)
        .to_html();
    assert!(!page.contains("<img"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains(['\u{2028}', '\u{202e}', '\0']));
    assert!(page.contains(
        "<h1>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;\\u2028\\u202e\\u0000日本</h1>"
    ));
    let data = between(&page, "id=\"data\">", "</script>");
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let label = data["features"][1][0]["v"][0][0].as_str().unwrap();
    assert_eq!(label, "</script><img src=x onerror=alert(1)>\"'&\\u2028\\u202e\\u0000日本");
    assert_eq!(data["names"][0], label);
}

#[test]
fn two_data_sets_stand_side_by_side() {
    let other = list(vec![dataset("x", vec![numeric("fare", 350.0), strings("new", &[("a", 5.0)])])]);
    let taxi = taxi();
    let page = Page::new(&taxi)
        .other(&other, ["train", "eval"])
        .drift("fare", 0.25, true)
        .drift("payment", 0.01, false)
        .to_html();
    let fare = between(&page, "<bdi>fare</bdi>", "</tbody>");
    assert!(fare.contains("<bdi>train</bdi></th><td class=\"text\">FLOAT"), "{fare}");
    assert!(fare.contains("<bdi>eval</bdi></th><td class=\"text\">FLOAT"), "{fare}");
    assert!(fare.contains("<td class=\"much\" rowspan=\"2\">0.25 <small>too far</small></td>"), "{fare}");
    assert!(page.contains("data-type=\"FLOAT\" data-flags=\"md\""));
    let payment = between(&page, "<bdi>payment</bdi>", "</tbody>");
    assert!(payment.contains("<td rowspan=\"2\">0.01</td>"), "{payment}");
    assert!(payment.contains("colspan=\"6\">not in this data set"), "{payment}");
    assert!(
        between(&page, "<bdi>new</bdi>", "</tbody>")
            .contains("<bdi>train</bdi></th><td class=\"text faint\"")
    );
    assert!(page.contains("<bdi>eval</bdi>: 1,000 examples, 2 features"));
}

#[test]
fn slices_stand_beside_those_of_their_name() {
    let of = |names: [&str; 2]| list(names.map(|name| dataset(name, vec![numeric("n", 1.0)])).to_vec());
    let (ours, theirs) = (of(["", "label_a"]), of(["label_b", ""]));
    let page = Page::new(&ours).other(&theirs, ["x", "y"]).to_html();
    assert!(page.contains("<option value=\"s0\">All examples</option><option value=\"s1\">label_a</option><option value=\"s2\">label_b</option>"));
    assert!(between(&page, "id=\"s1\"", "</section>").contains("<bdi>y</bdi> does not have this slice."));
    assert!(between(&page, "id=\"s2\"", "</section>").contains("<bdi>x</bdi> does not have this slice."));
    assert!(page.contains("<bdi>x</bdi>: 1,000 examples, 1 feature, 1 slice"));
}

#[test]
fn anomalies_link_to_their_features() {
    let taxi = taxi();
    let page = Page::new(&taxi)
        .anomaly("fare", "ERROR", "Values are < 0")
        .anomaly("gone", "WARNING", "Column dropped")
        .to_html();
    assert!(page.contains("<h2 id=\"anomalies\">2 anomalies</h2>"));
    assert!(page.contains("<a href=\"#f0\"><bdi>fare</bdi></a> (error): Values are &lt; 0</li>"));
    assert!(page.contains("<li><bdi>gone</bdi> (warning): Column dropped</li>"));
    assert!(page.contains("<bdi>fare</bdi><ul class=\"notes\"><li>Values are &lt; 0</li></ul></th>"));
    assert!(page.contains("data-flags=\"ma\""));
    assert!(!Page::new(&taxi).to_html().contains("data-flag=\"a\""));
}

#[test]
fn nothing_is_a_page_too() {
    let none = StatisticsList::default();
    let page = Page::new(&none).to_html();
    assert!(page.contains("0 examples, 0 features"));
    let mut empty =
        dataset("", vec![feature("n", Type::Int, Stats::NumStats(tfmd::NumericStatistics::default()))]);
    empty.num_examples = 0;
    let empty = list(vec![empty]);
    let page = Page::new(&empty).to_html();
    assert!(
        page.contains("<bdi>The data set</bdi> has no examples: there is nothing to show of its values.")
    );
    assert!(page.contains("There are no other features."));
    assert!(between(&page, "<bdi>n</bdi>", "</tr>").contains("<td>–</td><td>–</td><td>–</td>"));
}

#[test]
fn correlations_are_listed_strongest_first() {
    let pair = |x: &str, y: &str, correlation: f32| tfmd::CrossFeatureStatistics {
        path_x: Some(tfmd::Path { step: vec![x.to_owned()] }),
        path_y: Some(tfmd::Path { step: vec![y.to_owned()] }),
        count: 1234,
        cross_stats: Some(tfmd::cross_feature_statistics::CrossStats::NumCrossStats(
            tfmd::NumericCrossStatistics { correlation, covariance: 1.0 },
        )),
    };
    let mut data = dataset("", vec![numeric("a", 1.0)]);
    data.cross_features = vec![pair("a", "b", 0.25), pair("a", "c", -0.75)];
    let page = Page::new(&list(vec![data])).to_html();
    let table = between(&page, "Correlations <small>2 pairs</small>", "</table>");
    assert!(
        table.contains("<td class=\"text\"><bdi>c</bdi></td><td>-0.75</td><td>1,234</td></tr>\n<tr>"),
        "{table}"
    );
}

#[test]
fn five_hundred_columns_of_two_data_sets_stay_below_two_megabytes() {
    let long = "a value of sixty characters and more, as they are in text ";
    let values =
        (0..40).map(|rank| (format!("{long}{rank}"), 1000.123 / f64::from(rank + 1))).collect::<Vec<_>>();
    let features = (0..500).map(|number| {
        let name = format!("a_feature_with_a_long_name_of_group.{number}");
        if number % 2 == 0 { numeric(&name, 1e5 / 7.0) } else { strings(&name, &values) }
    });
    let wide = list(vec![dataset("", features.collect())]);
    let one = Page::new(&wide).to_html().len();
    let mut page = Page::new(&wide).other(&wide, ["training", "evaluation"]);
    for number in 0..500 {
        let name = format!("a_feature_with_a_long_name_of_group.{number}");
        page = page.drift(&name, 0.123456, true).anomaly(
            &name,
            "ERROR",
            "The values drift too far from those of before.",
        );
    }
    let two = page.to_html().len();
    println!("500 columns: {one} bytes; beside others, with anomalies: {two} bytes");
    assert!(one < 1_000_000, "{one}");
    assert!(two < 2_000_000, "{two}");
}

#[test]
fn a_value_that_is_cut_is_said_to_be_more() {
    let values = (0..30).map(|rank| (format!("v{rank}"), f64::from(100 - rank))).collect::<Vec<_>>();
    let page = Page::new(&list(vec![dataset("", vec![strings("s", &values)])])).to_html();
    let data: serde_json::Value = serde_json::from_str(between(&page, "id=\"data\">", "</script>")).unwrap();
    let side = &data["features"][0][0];
    assert_eq!(side["v"].as_array().unwrap().len(), 20);
    assert_eq!(side["u"], 11);
}
