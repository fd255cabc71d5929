// SPDX-License-Identifier: MIT OR Apache-2.0
//! A report of more scenarios than fit on a screen, in a real browser: summed up, unfolded,
//! filtered, sorted, printed, and without JavaScript.
//!
//! Without a browser the test says so and passes, unless BFQ_BROWSER=required.

mod browser;

use browser::{Browser, layout, reports};
use serde_json::json;
use std::path::Path;

#[test]
fn a_report_of_many_scenarios() {
    let Some(mut browser) = Browser::if_installed() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = reports::many(folder.path());
    browser.resize(1280, 900, false);
    browser.emulate("screen", "light");
    browser.open(&page);
    is_summed_up_first(&mut browser);
    unfolds(&mut browser);
    is_filtered(&mut browser);
    is_sorted(&mut browser);
    layout::check(&mut browser, "the report of many");
    browser.screenshot("many-desk");
    browser.resize(320, 800, true);
    browser.screenshot("many-phone");
    prints_what_is_open(&mut browser);
    browser.is_content(&page);
    without_javascript(&mut browser, &page);
}

/// The page of the laboratory, of 144 rows, has room in 2 MB. Rows differ; none of these may cost
/// more than twice its part, and what all share not more than a fifth of the whole.
#[test]
fn a_page_of_144_rows_has_room_in_2_mb() {
    const ROWS: u64 = 6;
    let folder = tempfile::tempdir().unwrap();
    let page = reports::many(folder.path());
    let bytes = std::fs::metadata(&page).unwrap().len();
    let most = 2_000_000 / 5 + ROWS * 2 * 2_000_000 / 144;
    assert!(bytes <= most, "{bytes} bytes, not {most}");
}

/// The titles of the rows that are seen, in their order.
fn titles(browser: &mut Browser) -> Vec<String> {
    let titles = browser.evaluate(
        "[...document.querySelectorAll('tbody.stage')].filter((one) => !one.hidden)
            .map((one) => one.querySelector('.title').textContent)",
    );
    serde_json::from_value(titles).unwrap()
}

fn is_summed_up_first(browser: &mut Browser) {
    let first = "document.querySelector('main > section').className";
    assert_eq!(browser.evaluate(first), json!("summary"));
    assert_eq!(browser.count(".outcome"), 3);
    let sum = browser.evaluate(
        "[...document.querySelectorAll('.outcome .count')]
            .map((one) => parseInt(one.textContent)).reduce((one, other) => one + other)",
    );
    assert_eq!(sum, json!(6), "each scenario has one outcome");
    let last = ["One reader of 2010", "One reader of 2008"];
    assert_eq!(titles(browser)[4..], last, "today's stand first, then the latest");
    assert_eq!(browser.count("main .detail svg"), 0, "nothing is drawn before it is wanted");
}

/// Waits until there is something of a selector.
fn wait_for(browser: &mut Browser, selector: &str) {
    browser.evaluate(&format!(
        "new Promise((done) => {{
            const look = () =>
                document.querySelector('{selector}') ? done(true) : setTimeout(look, 20);
            look();
        }})"
    ));
    browser.settle();
}

fn unfolds(browser: &mut Browser) {
    let open = "button.fold[aria-expanded=true]";
    browser.evaluate("document.querySelector('button.fold').focus()");
    browser.press("Enter");
    wait_for(browser, ".open .drawings");
    assert_eq!(browser.count(open), 1);
    assert!(browser.count(".open .drawings svg.bar") > 0);
    browser.press("Enter");
    assert_eq!(browser.count(open), 0);
    for name in ["start", "burst", "groups", "old"] {
        // As by a link of the summary.
        browser.evaluate(&format!("location.hash = '{name}-ssd-sata'"));
        wait_for(browser, &format!("#{name}-ssd-sata.open .drawings"));
    }
    assert_eq!(browser.count(open), 4);
    assert!(browser.count("#burst-ssd-sata svg.cut") > 0, "the burst is cut");
    let told = browser.evaluate("document.querySelector('#burst-ssd-sata .cut-off').textContent");
    assert!(told.as_str().unwrap().contains("up to "), "{told}");
    let alike = browser.evaluate(
        "[...document.querySelectorAll('#old-ssd-sata .bars .label')]
            .map((one) => one.textContent)",
    );
    let last = alike.as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(last.ends_with("none, mq-deadline and kyber"), "one drawing for those: {alike}");
}

/// Chooses a value of the filter, and tells what is left.
fn choose(browser: &mut Browser, name: &str, value: &str) -> Vec<String> {
    browser.evaluate(&format!(
        "(() => {{
            const form = document.querySelector('form.filter');
            form.elements[{}].value = {};
            form.dispatchEvent(new Event('input'));
        }})()",
        json!(name),
        json!(value),
    ));
    titles(browser)
}

fn show_all(browser: &mut Browser) {
    browser.evaluate("document.querySelector('.filter button[type=reset]').click()");
    browser.evaluate("new Promise((done) => setTimeout(() => done(true), 20))");
}

fn is_filtered(browser: &mut Browser) {
    assert_eq!(choose(browser, "text", "FIVE groups"), ["Five groups beside each other"]);
    let said = "document.querySelector('.filter output').textContent";
    assert_eq!(browser.evaluate(said), json!("1 of 6"));
    assert_eq!(choose(browser, "text", "nobody"), [""; 0]);
    assert_eq!(browser.count(".none:not([hidden])"), 1);
    choose(browser, "text", "");
    assert_eq!(choose(browser, "year", "2008"), ["One reader of 2008"]);
    assert_eq!(choose(browser, "year", "0").len(), 4);
    assert_eq!(choose(browser, "kind", "start of a program"), ["A start beside readers"]);
    choose(browser, "kind", "*");
    choose(browser, "year", "*");
    let mut by_outcome = 0;
    for outcome in ["better", "level", "worse"] {
        // One that no row has is not offered.
        if browser.count(&format!(".filter option[value={outcome}]")) > 0 {
            by_outcome += choose(browser, "outcome", outcome).len();
        }
    }
    assert_eq!(by_outcome, 6);
    show_all(browser);
    assert_eq!(titles(browser).len(), 6);
}

fn is_sorted(browser: &mut Browser) {
    let press = |browser: &mut Browser, column: u32| {
        let button = format!("th[data-column=\"{column}\"] button");
        browser.evaluate(&format!("document.querySelector('{button}').focus()"));
        browser.press("Enter");
    };
    let original = titles(browser);
    press(browser, 0);
    let mut sorted = original.clone();
    sorted.sort_by_key(|title| title.to_lowercase());
    assert_eq!(titles(browser), sorted);
    press(browser, 0);
    sorted.reverse();
    assert_eq!(titles(browser), sorted);
    assert_eq!(browser.count("th[aria-sort=descending]"), 1);
    press(browser, 5);
    let leads = browser.evaluate(
        "[...document.querySelectorAll('.line td:nth-child(6)')]
            .map((one) => Number(one.dataset.sort))",
    );
    let leads: Vec<f64> = serde_json::from_value(leads).unwrap();
    assert!(leads.is_sorted_by(|one, other| one >= other), "the greatest lead first: {leads:?}");
    show_all(browser);
    assert_eq!(titles(browser), original);
}

fn prints_what_is_open(browser: &mut Browser) {
    browser.resize(794, 1123, false);
    browser.emulate("print", "light");
    browser.settle();
    assert_eq!(browser.evaluate(layout::TOO_WIDE), json!(""), "on A4");
    let shown = browser.evaluate(
        "[...document.querySelectorAll('tr.detail')]
            .filter((one) => one.checkVisibility()).length",
    );
    assert_eq!(shown, json!(4));
    let form = browser.evaluate("document.querySelector('form.filter').checkVisibility()");
    assert_eq!(form, json!(false), "paper cannot be filtered");
    browser.screenshot("many-print");
}

fn without_javascript(browser: &mut Browser, page: &Path) {
    browser.emulate("screen", "light");
    browser.resize(1280, 900, false);
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.load(page);
    browser.screenshot("many-unscripted");
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": false}));
    let said = browser.evaluate("document.querySelector('noscript').innerText");
    assert!(said.as_str().unwrap().contains("JavaScript, which is off"), "{said}");
    let shown = browser.evaluate(
        "[...document.querySelectorAll('table.measures')]
            .filter((one) => one.checkVisibility()).length",
    );
    assert_eq!(shown, json!(6), "all tables are there");
    let dead = browser.evaluate(
        "[...document.querySelectorAll('button, form')]
            .filter((one) => one.checkVisibility()).length",
    );
    assert_eq!(dead, json!(0), "nothing is offered that does nothing");
}
