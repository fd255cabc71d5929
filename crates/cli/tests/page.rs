// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports in a real browser: drawn without complaint, in light and dark, on paper, on a phone, and
//! by the keyboard.
//!
//! Without a browser the test says so and passes, unless BFQ_BROWSER=required. With
//! BFQ_BROWSER=none it looks for none.

mod browser;

use base64::prelude::{BASE64_STANDARD, Engine};
use browser::{Browser, layout, reports};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn a_report_in_a_browser() {
    let Some(mut browser) = Browser::if_installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = reports::small(folder.path());
    on_a_desk(&mut browser, &page);
    by_the_keyboard(&mut browser);
    in_the_dark(&mut browser);
    layout::check(&mut browser, "the small report");
    on_a_phone(&mut browser);
    on_paper(&mut browser);
    browser.is_content(&page);
    layout::finds_what_is_wrong(&mut browser);
}

fn on_a_desk(browser: &mut Browser, page: &Path) {
    browser.resize(1280, 900, false);
    browser.emulate("screen", "light");
    browser.open(page);
    browser.screenshot("light");
    let empty = browser.evaluate(
        "[...document.querySelectorAll('main svg')].filter((one) => {
            const box = one.getBoundingClientRect();
            return !(box.width > 0 && box.height > 0);
        }).length",
    );
    assert_eq!(empty, json!(0), "every drawing has a size");
    for (selector, number) in [
        ("tbody.stage.open", 2),
        ("figure.schedule", 2),
        ("figure.schedule .panel", 6),
        (".names .head", 3),
        (".rates .panel", 6),
        (".comparison svg.effect", 4),
        (".title b", 0),
        (".packed", 0),
    ] {
        assert_eq!(browser.count(selector), number, "{selector}");
    }
    for selector in [".turn", ".served", ".idle", ".tick", ".travel", ".dist path", ".bar rect.g0"]
    {
        assert!(browser.count(selector) > 0, "{selector}");
    }
    let unnamed = browser.evaluate(
        "[...document.querySelectorAll('svg[role=img]')]
            .filter((one) => !one.querySelector(':scope > title')).length",
    );
    assert_eq!(unnamed, json!(0), "every drawing says what it is");
    let broken = browser.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')]
            .filter((one) => !document.getElementById(one.hash.slice(1))).length",
    );
    assert_eq!(broken, json!(0), "every link leads somewhere");
    assert_eq!(browser.evaluate(layout::TOO_WIDE), json!(""));
    assert_eq!(browser.evaluate(ASTRAY), json!(""));
}

/// Where the first schedule begins and how much it shows.
fn seen(browser: &mut Browser) -> (f64, f64) {
    let text = browser.evaluate("document.querySelector('svg.view').getAttribute('viewBox')");
    let numbers: Vec<f64> =
        text.as_str().unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
    (numbers[0], numbers[2])
}

fn said(browser: &mut Browser) -> String {
    let text = browser.evaluate("document.querySelector('.zoom output').textContent");
    text.as_str().unwrap().to_owned()
}

fn by_the_keyboard(browser: &mut Browser) {
    // From the last link before it, the next stop is the schedule or a control before it.
    browser.evaluate("document.querySelector('figure.schedule').scrollIntoView()");
    let mut stops = 0;
    browser.evaluate("document.querySelector('.how summary').focus()");
    while browser.evaluate("document.activeElement.className") != json!("schedule") {
        browser.press("Tab");
        stops += 1;
        assert!(stops < 40, "the schedule is reached by Tab");
    }
    let (home, whole) = seen(browser);
    browser.press("+");
    let (_, half) = seen(browser);
    assert!((half - whole / 2.0).abs() < 1.0, "plus shows half of it: {half} of {whole}");
    browser.press("ArrowRight");
    let (later, width) = seen(browser);
    assert!(later > home && (width - half).abs() < 1.0, "right shows what is later");
    browser.press("-");
    browser.press("0");
    assert_eq!(seen(browser), (home, whole), "0 shows what was seen first");
    browser.press("n");
    let first = said(browser);
    browser.press("n");
    let second = said(browser);
    assert!(first.contains(", ended: ") && first != second, "{first} | {second}");
    browser.press("p");
    assert_eq!(said(browser), first);
    let copied = browser.evaluate(
        "(() => {
            document.querySelector('.stage details.data').open = true;
            return cells(document.querySelector('.stage details.data table')).split('\\n')[0];
        })()",
    );
    assert!(copied.as_str().unwrap().starts_with("job\tscheduler\tMB/s\t"), "{copied}");
}

fn in_the_dark(browser: &mut Browser) {
    let ground = "getComputedStyle(document.body).backgroundColor";
    let brightness = |colour: &Value| -> u32 {
        let text = colour.as_str().unwrap().trim_start_matches("rgb(").trim_end_matches(')');
        text.split(", ").map(|part| part.parse::<u32>().unwrap()).sum()
    };
    let light = browser.evaluate(ground);
    browser.emulate("screen", "dark");
    let dark = browser.evaluate(ground);
    assert!(brightness(&light) > 600 && brightness(&dark) < 150, "{light} {dark}");
    browser.screenshot("dark");
    browser.emulate("screen", "light");
}

fn on_a_phone(browser: &mut Browser) {
    browser.resize(320, 800, true);
    assert_eq!(browser.evaluate(ASTRAY), json!(""));
    let smallest = browser.evaluate(
        "Math.min(...[...document.querySelectorAll('main *')]
            .filter((one) => one.childNodes.length && one.firstChild.nodeType === 3
                && one.firstChild.textContent.trim() && one.checkVisibility())
            .map((one) => parseFloat(getComputedStyle(one).fontSize)))",
    );
    assert!(smallest.as_f64().unwrap() >= 10.0, "text of {smallest} pixels");
    browser.screenshot("phone");
}

/// The names of figures that do not stand above them.
const ASTRAY: &str = "
    [...document.querySelectorAll('.latency .rows')].flatMap((rows) => {
        const right = (row) => [...row.querySelectorAll('.value')]
            .map((one) => Math.round(one.getBoundingClientRect().right));
        const [head, ...others] = [...rows.querySelectorAll('.row')].map(right);
        return others.filter((one) => one.length && String(one) !== String(head));
    }).join(' ')";

fn on_paper(browser: &mut Browser) {
    browser.resize(794, 1123, false);
    browser.emulate("print", "light");
    assert_eq!(browser.evaluate(layout::TOO_WIDE), json!(""), "on A4");
    assert_eq!(browser.evaluate(ASTRAY), json!(""), "on A4");
    let buttons = browser.evaluate(
        "[...document.querySelectorAll('button:not(.fold, .sort)')]
            .filter((one) => one.checkVisibility()).length",
    );
    assert_eq!(buttons, json!(0), "paper has no buttons but those that look like text");
    browser.screenshot("print");
    let pdf = browser.call("Page.printToPDF", json!({"printBackground": true}));
    let pdf = BASE64_STANDARD.decode(pdf["data"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
}
