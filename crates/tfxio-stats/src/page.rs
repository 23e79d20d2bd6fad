//! Statistics as one HTML page that needs nothing else.

pub(crate) mod feature;
mod rows;
mod series;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use self::feature::{Section, sections};
use self::text::{counted, html, json, visible};
use crate::StatisticsList;

/// The program of the page.
const SCRIPT: &str = include_str!("page/report.js");
/// The SHA-256 of [`SCRIPT`], by which the page allows it and no other; a test compares them.
const SCRIPT_HASH: &str = "sha256-kpj8fiXOroBtU9YwYmq2bUf177FUlDZt0GMvXjCrBrs=";
/// Style sheet of the page.
const STYLE: &str = include_str!("page/report.css");
/// The SHA-256 of [`STYLE`].
const STYLE_HASH: &str = "sha256-r+wmEK/tpGUOzdKRB0yugaRZvIugafS8u5Rwp8/FL0g=";

/// A page of HTML that shows statistics: tables that can be sorted and searched, and histograms.
///
/// The page is one text with everything in it. It opens without a network, and where scripts do not run it still shows the
/// numbers. Text from data is escaped, and the page's policy (CSP) allows no script but its own.
///
/// ```
/// use tfxio_stats::{Page, StatisticsList};
///
/// // One data set: name (field 1) and number of examples (field 2).
/// let list = StatisticsList::from_bytes(b"\x0a\x05\x0a\x01a\x10\x05")?;
/// let page = Page::new(&list).title("Training data").to_html();
/// assert!(page.starts_with("<!doctype html>"));
/// assert!(page.contains("<h1>Training data</h1>"));
/// assert!(page.contains("5 examples"));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Page<'a> {
    list: &'a StatisticsList,
    other: Option<&'a StatisticsList>,
    names: [String; 2],
    title: String,
    anomalies: Vec<Anomaly>,
    drift: BTreeMap<String, Drift>,
}

/// Anomaly of a feature, or of the data set if no feature has this path.
#[derive(Clone, Debug)]
struct Anomaly {
    path: String,
    severity: String,
    text: String,
}

/// Distance between the values of a feature in the two data sets.
#[derive(Clone, Copy, Debug)]
struct Drift {
    distance: f64,
    is_over: bool,
}

impl<'a> Page<'a> {
    /// Returns a page of these statistics.
    #[must_use]
    pub fn new(list: &'a StatisticsList) -> Self {
        Self {
            list,
            other: None,
            names: ["data".to_owned(), "other".to_owned()],
            title: "Statistics".to_owned(),
            anomalies: Vec::new(),
            drift: BTreeMap::new(),
        }
    }

    /// Sets the title, which is "Statistics" otherwise.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Shows other statistics beside these, under the two `names`.
    ///
    /// Slices are shown beside the slice of the same name. If both lists have one data set, these two are shown together.
    #[must_use]
    pub fn other(mut self, other: &'a StatisticsList, names: [&str; 2]) -> Self {
        self.other = Some(other);
        self.names = names.map(str::to_owned);
        self
    }

    /// Appends an anomaly of the feature of this path, such as `friends.age`; an empty path means the data set.
    #[must_use]
    pub fn anomaly(mut self, path: &str, severity: &str, text: &str) -> Self {
        self.anomalies.push(Anomaly {
            path: path.to_owned(),
            severity: severity.to_owned(),
            text: text.to_owned(),
        });
        self
    }

    /// Sets the distance between the values of a feature in the two data sets, and whether it is too large.
    #[must_use]
    pub fn drift(mut self, path: &str, distance: f64, is_over: bool) -> Self {
        self.drift.insert(path.to_owned(), Drift { distance, is_over });
        self
    }

    /// Returns the page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let sections = sections(self.list, self.other);
        let mut out = String::new();
        self.head(&mut out);
        self.summary(&mut out, &sections);
        self.listed_anomalies(&mut out, &sections);
        self.controls(&mut out, &sections);
        out.push_str("<main id=\"main\">\n");
        let mut number = 0;
        let mut series = Vec::new();
        for (at, section) in sections.iter().enumerate() {
            self.section(&mut out, at, section, sections.len() > 1, &mut number);
            series.extend(series::of(section));
        }
        out.push_str("</main>\n");
        let names = if self.other.is_some() { &self.names[..] } else { &self.names[..1] };
        let names = names.iter().map(|name| visible(name)).collect::<Vec<_>>();
        let data = json(&serde_json::json!({ "names": names, "features": series }));
        let _ = write!(
            out,
            "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        );
        out
    }

    fn head(&self, out: &mut String) {
        let title = html(&self.title);
        let policy = format!(
            "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'"
        );
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
             <body>\n<a class=\"skip\" href=\"#main\">Skip to the tables</a>\n<header>\n<h1>{title}</h1>\n"
        );
    }

    /// Writes a list of the data sets and their sizes.
    fn summary(&self, out: &mut String, sections: &[Section<'_>]) {
        out.push_str("<ul class=\"sets\">\n");
        let sides = if self.other.is_some() { 2 } else { 1 };
        for side in 0..sides {
            let datasets = sections.iter().filter_map(|section| section.datasets[side]).collect::<Vec<_>>();
            // The first is of all examples; slices are among them.
            let examples = datasets.first().map_or(0, |dataset| dataset.num_examples);
            let features = datasets.first().map_or(0, |dataset| dataset.features.len());
            out.push_str("<li>");
            if sides == 2 {
                let class = if side == 0 { "key" } else { "key other" };
                let _ = write!(out, "<i class=\"{class}\"></i><bdi>{}</bdi>: ", html(&self.names[side]));
            }
            let _ = write!(out, "{}, {}", counted(examples, "example"), counted(features as u64, "feature"));
            if datasets.len() > 1 {
                let _ = write!(out, ", {}", counted(datasets.len() as u64 - 1, "slice"));
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
        out.push_str(
            "<noscript><p>Histograms and most frequent values need JavaScript, as do sorting and searching.</p></noscript>\n",
        );
        out.push_str("</header>\n");
    }

    /// Writes all anomalies, with links to their features.
    fn listed_anomalies(&self, out: &mut String, sections: &[Section<'_>]) {
        if self.anomalies.is_empty() {
            return;
        }
        let mut numbers = BTreeMap::new();
        for (number, feature) in sections.iter().flat_map(|section| &section.features).enumerate() {
            numbers.entry(feature.name.as_str()).or_insert(number);
        }
        let _ = write!(
            out,
            "<section aria-labelledby=\"anomalies\">\n<h2 id=\"anomalies\">{}</h2>\n<ul class=\"anomalies\">\n",
            counted(self.anomalies.len() as u64, "anomaly")
        );
        for Anomaly { path, severity, text } in &self.anomalies {
            let name = html(path);
            out.push_str("<li>");
            match numbers.get(path.as_str()) {
                Some(number) => {
                    let _ = write!(out, "<a href=\"#f{number}\"><bdi>{name}</bdi></a> ");
                }
                None if path.is_empty() => {}
                None => {
                    let _ = write!(out, "<bdi>{name}</bdi> ");
                }
            }
            let _ = writeln!(out, "({}): {}</li>", html(&severity.to_lowercase()), html(text));
        }
        out.push_str("</ul>\n</section>\n");
    }

    /// Writes the controls for searching, filtering and switching; hidden until the script runs.
    fn controls(&self, out: &mut String, sections: &[Section<'_>]) {
        out.push_str(
            "<div class=\"controls\" id=\"controls\" role=\"search\" aria-label=\"Features\" hidden>\n\
             <label>Search <input type=\"search\" id=\"search\" autocomplete=\"off\" spellcheck=\"false\" aria-keyshortcuts=\"/\" placeholder=\"name of a feature\"></label>\n\
             <label>Type <select id=\"type\"><option value=\"\">all</option>",
        );
        let mut types = sections
            .iter()
            .flat_map(|section| &section.features)
            .map(feature::Feature::type_name)
            .collect::<Vec<_>>();
        types.sort_unstable();
        types.dedup();
        for name in types {
            let _ = write!(out, "<option>{name}</option>");
        }
        out.push_str("</select></label>\n");
        let flag = |out: &mut String, flag: char, text: &str| {
            let _ = writeln!(out, "<label><input type=\"checkbox\" data-flag=\"{flag}\"> {text}</label>");
        };
        flag(out, 'm', "with missing values");
        if !self.anomalies.is_empty() {
            flag(out, 'a', "with anomalies");
        }
        if self.drift.values().any(|drift| drift.is_over) {
            flag(out, 'd', "that drift");
        }
        if sections.len() > 1 {
            out.push_str("<label>Slice <select id=\"slice\">");
            for (at, section) in sections.iter().enumerate() {
                let _ = write!(out, "<option value=\"s{at}\">{}</option>", html(section.shown_name()));
            }
            out.push_str("</select></label>\n");
        }
        out.push_str(
            "<label>Histograms <select id=\"scale\"><option value=\"linear\">linear</option><option value=\"log\">log</option>\
             <option value=\"quantiles\">quantiles</option></select></label>\n\
             <button type=\"button\" id=\"theme\" aria-pressed=\"false\">Dark</button>\n\
             <output id=\"found\" role=\"status\" aria-live=\"polite\" for=\"search type\"></output>\n</div>\n",
        );
    }
}

#[cfg(test)]
mod tests;
