//! Display of the page in a browser: numbers are read from its document after the script has run.
//!
//! Needs Chromium. If it is not installed the tests print that they are left out; if `CI` is `true` that is a failure.

use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

fn program() -> Option<&'static str> {
    let is_there = |program: &&&str| {
        let mut command = Command::new(program);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    PROGRAMS.iter().find(is_there).copied()
}

/// Returns the document that a browser has after it has run the page; `None` if no browser is installed.
fn document(page: &str, fragment: &str, arguments: &[&str]) -> Option<String> {
    let Some(program) = program() else {
        let what = format!("no browser is installed: looked for {}", PROGRAMS.join(", "));
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{what}");
        println!("left out: {what}");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page).unwrap();
    let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
    let output = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"])
        .args(["--virtual-time-budget=3000", "--dump-dom", &profile])
        .args(arguments)
        .arg(url(&path, fragment))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.contains("Content Security Policy"), "{errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn url(path: &Path, fragment: &str) -> String {
    format!("file://{}{fragment}", path.display())
}

#[test]
fn the_script_draws_and_counts() {
    let taxi = taxi();
    let page = Page::new(&taxi).anomaly("fare", "ERROR", "wrong").to_html();
    let Some(document) = document(&page, "", &["--enable-logging=stderr"]) else { return };
    assert!(between(&document, "id=\"found\"", "</output>").ends_with(">3 features"), "{document}");
    let fare = between(&document, "<bdi>fare</bdi></button>", "</tbody>");
    let chart = between(fare, "<svg", "</svg>");
    assert_eq!(chart.matches("<rect").count(), 10);
    assert!(
        chart.contains(
            "aria-label=\"Histogram of fare, 10 buckets from 0 to 175; most values 0 to 17.5: 500.5\""
        ),
        "{chart}"
    );
    assert!(chart.contains("<title>17.5 to 35: 200.25</title>"), "{chart}");
    let payment = between(&document, "<bdi>payment</bdi>", "</tbody>");
    assert!(payment.contains("<title>Card: 290</title>"), "{payment}");
    assert!(document.contains("aria-sort=\"none\"><button type=\"button\">Mean</button>"));
}

#[test]
fn hostile_text_is_not_run() {
    let hostile = list(vec![dataset("", vec![strings(HOSTILE, &[(HOSTILE, 1.0)])])]);
    let Some(document) = document(&Page::new(&hostile).to_html(), "", &["--enable-logging=stderr"]) else {
        return;
    };
    assert!(!document.contains("<img"));
    assert!(document.contains(">1 feature</output>"), "{document}");
}

#[test]
fn two_data_sets_share_a_chart() {
    let other = list(vec![dataset("", vec![numeric("fare", 350.0)])]);
    let taxi = taxi();
    let page = Page::new(&taxi).other(&other, ["train", "eval"]).to_html();
    let Some(document) = document(&page, "", &[]) else { return };
    let fare = between(&document, "<bdi>fare</bdi>", "</tbody>");
    assert!(fare.contains("<title>train: 17.5 to 35: 200.25</title>"), "{fare}");
    assert!(fare.contains("<title>eval: 35 to 70: 200.25</title>"), "{fare}");
    assert!(fare.contains(">350</text>"), "both are drawn to one scale: {fare}");
}

#[test]
fn a_link_to_a_feature_moves_the_focus_there() {
    let page = Page::new(&taxi()).to_html();
    let drive = "document.title = document.activeElement.closest('tbody')?.id;";
    let Some(document) = document(&driven(&page, drive), "#f1", &[]) else { return };
    assert!(document.contains("<title>f1</title>"), "{document}");
}

#[test]
fn rows_are_sorted_searched_and_opened() {
    let page = Page::new(&taxi()).to_html();
    let drive = r##"
        const order = () => [...document.querySelectorAll("tbody[data-f]:not([hidden])")].map((body) => body.querySelector("bdi").textContent).join();
        const seen = [order()];
        const mean = [...document.querySelectorAll("thead button")].find((button) => button.textContent === "Mean");
        mean.click(); mean.click();
        seen.push(order(), mean.parentNode.getAttribute("aria-sort"));
        const search = document.getElementById("search");
        const type = (text) => { search.value = text; search.dispatchEvent(new Event("input")); };
        type("MILES trip");
        seen.push(order(), document.getElementById("found").textContent);
        document.querySelector("#f1 button").click();
        const more = document.querySelector("#f1 .more");
        seen.push(more.querySelector("svg").getAttribute("aria-label"), more.textContent.includes("Standard deviation1.7857"));
        document.getElementById("scale").value = "quantiles";
        document.getElementById("scale").dispatchEvent(new Event("change"));
        seen.push(more.querySelector("svg").getAttribute("aria-label"));
        type("nothing of this name");
        seen.push(order(), document.querySelectorAll("tbody.empty:not([hidden])").length);
        document.getElementById("theme").click();
        seen.push(document.documentElement.dataset.theme, document.getElementById("theme").getAttribute("aria-pressed"));
        document.title = seen.join(" | ");"##;
    let Some(document) = document(&driven(&page, drive), "", &[]) else { return };
    assert_eq!(
        between(&document, "<title>", "</title>"),
        "fare,trip.miles,payment | trip.miles,fare,payment | ascending | trip.miles | 1 of 3 features | \
         Histogram of trip.miles, 10 buckets from 0 to 12.5; most values 0 to 1.25: 500.5 | true | \
         Quantiles of trip.miles: 0, 0.125, 0.5, 1.125, 2, 3.125, 4.5, 6.125, 8, 10.125, 12.5 |  | 2 | dark | true"
    );
}

#[test]
fn without_scripts_the_numbers_stand() {
    let page = Page::new(&taxi()).to_html();
    // A frame in which no script runs, and a page around it that looks into it.
    let frame = format!(
        "<!doctype html><title></title><iframe sandbox=\"allow-same-origin\" width=\"1000\" height=\"800\" srcdoc=\"{}\"></iframe>\
         <script>onload = () => {{\
         const inside = document.querySelector('iframe').contentDocument;\
         const row = inside.querySelector('#f0 tr');\
         document.title = [row.cells[4].textContent, row.offsetHeight > 5, inside.querySelector('#controls').offsetHeight,\
         inside.querySelector('noscript').offsetHeight > 5, inside.querySelectorAll('svg').length].join(' | ');\
         }};</script>",
        html(&page)
    );
    let Some(document) = document(&frame, "", &[]) else { return };
    assert_eq!(between(&document, "<title>", "</title>"), "58.333 | true | 0 | true | 0");
}

/// Chromium's own account of what it tells assistive technology of an element.
const ACCESSIBILITY: &str = "--enable-blink-features=ComputedAccessibilityInfo";

/// Everything that can be used is reached by Tab, in the order of the page, and has a name; charts are images with a text.
#[test]
fn the_page_can_be_used_by_keyboard_and_screen_reader() {
    let other = list(vec![dataset("", vec![numeric("fare", 350.0), strings("payment", &[("Cash", 7.0)])])]);
    let taxi = taxi();
    let page = Page::new(&taxi)
        .other(&other, ["train", "eval"])
        .anomaly("fare", "ERROR", "wrong")
        .drift("fare", 0.5, true)
        .drift("payment", 0.01, false);
    let drive = r##"
        const faults = [], seen = { controls: 0, charts: 0, sorted: 0 };
        document.querySelector("#f0 button").click();
        const usable = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable], [onclick]";
        for (const element of document.querySelectorAll(usable)) {
            const what = element.outerHTML.slice(0, 80);
            seen.controls += 1;
            if (!element.computedName.trim()) faults.push(`no name: ${what}`);
            if (element.tabIndex !== 0) faults.push(`tabindex ${element.tabIndex}: ${what}`);
            element.focus();
            if (document.activeElement !== element) faults.push(`no focus: ${what}`);
            const tab = new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true });
            if (!element.dispatchEvent(tab)) faults.push(`Tab does not leave: ${what}`);
            const style = getComputedStyle(element);
            if (element.matches(":focus-visible") && style.outlineStyle === "none") faults.push(`focus is not seen: ${what}`);
        }
        for (const svg of document.querySelectorAll("svg")) {
            seen.charts += 1;
            const name = svg.computedName;
            if (svg.computedRole !== "image" || !name) faults.push(`chart: ${svg.computedRole} ${name}`);
            if (!["train", "eval"].every((side) => name.includes(`${side}: `))) faults.push(`a side is not said: ${name}`);
        }
        for (const head of document.querySelectorAll("th[data-sort]")) {
            seen.sorted += 1;
            const button = head.querySelector("button"), name = button.computedName;
            if (head.getAttribute("aria-sort") !== "none") faults.push(`sorted before: ${name}`);
            button.click();
            const numbers = head.dataset.sort === "number";
            if (head.getAttribute("aria-sort") !== (numbers ? "descending" : "ascending")) faults.push(`not said: ${name}`);
            button.click();
            if (head.getAttribute("aria-sort") !== (numbers ? "ascending" : "descending")) faults.push(`not turned: ${name}`);
            if (head.closest("tr").querySelectorAll("[aria-sort]:not([aria-sort=none])").length !== 1) faults.push(`two: ${name}`);
            if (button.computedName !== name) faults.push(`renamed: ${button.computedName}`);
            if (!document.getElementById("found").textContent.includes(name)) faults.push(`not announced: ${name}`);
        }
        for (const table of document.querySelectorAll("table")) if (!table.computedName) faults.push("a table without a name");
        const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
        if (new Set(ids).size !== ids.length) faults.push("an id twice");
        for (const element of document.querySelectorAll("i.key")) {
            if (!element.parentNode.textContent.trim()) faults.push("a colour without a text");
        }
        document.title = [...Object.entries(seen).map(([key, count]) => `${key} ${count}`), ...faults].join(" | ");"##;
    let Some(document) = document(&driven(&page.to_html(), drive), "", &[ACCESSIBILITY]) else { return };
    let found = between(&document, "<title>", "</title>");
    assert_eq!(found, "controls 30 | charts 4 | sorted 18");
    // Drift is a word, and not only a colour.
    let row = |name: &str| {
        between(between(&document, &format!("<bdi>{name}</bdi></button>"), "</tbody>"), "</svg>", "</tr>")
            .to_owned()
    };
    assert!(row("fare").contains(">0.5 <small>too far</small></td>"), "{}", row("fare"));
    assert!(
        !row("payment").contains("too far") && row("payment").contains(">0.01</td>"),
        "{}",
        row("payment")
    );
}

/// Returns the page with a script more, which its policy would not allow.
fn driven(page: &str, script: &str) -> String {
    let policy = between(page, "<meta http-equiv=\"Content-Security-Policy\"", ">");
    let page = page.replace(&format!("<meta http-equiv=\"Content-Security-Policy\"{policy}>"), "");
    page.replace("</body>", &format!("<script>{script}</script>\n</body>"))
}
