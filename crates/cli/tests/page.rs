//! Reports in a real browser: drawn without complaint, in light and dark, on paper, on a phone, and
//! by the keyboard.
//!
//! Without a browser the test says so and passes, unless BFQ_BROWSER=required.

mod browser;

use base64::prelude::{BASE64_STANDARD, Engine};
use browser::Browser;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// Groups, a start, a click now and then: something of everything that is drawn.
const JOBS: &str = "\
; Something of everything: <b>not bold</b> & \"quoted\".
;
; Shows:  that pages are drawn.
[global]
time_based
runtime=2
size=64m
bs=256k
[light]
cgroup=light
rw=read
[heavy]
cgroup=heavy
cgroup_weight=300
rw=write
[reader-1]
rw=read
[reader-2]
rw=read
startdelay=190ms
[clicks]
rw=randread
bs=4k
thinktime=100ms
[command]
rw=randread
bs=4k
time_based=0
number_ios=50
startdelay=1
";

fn bfq(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Makes a report in a folder.
fn report(folder: &Path) {
    std::fs::write(folder.join("everything.fio"), JOBS).unwrap();
    bfq(
        folder,
        &[
            "sim",
            "everything.fio",
            "--device",
            "hdd-desktop",
            "--device",
            "ssd-sata",
            "--scheduler",
            "bfq,bfq:low_latency=0,none",
            "--output-format",
            "json",
            "--output",
            "everything.json",
            "--quiet",
        ],
    );
    std::fs::write(folder.join("disk.jsonl"), bench()).unwrap();
    bfq(folder, &["report", "everything.json", "disk.jsonl", "-o", "report.html"]);
}

/// Eight rounds of two schedulers: one starts programs a hundred times as fast, and has fewer frames late.
fn bench() -> String {
    let opening = json!({"opening": {
        "version": "0.1.0", "kernel": "6.18.0", "target": "/srv", "disk": "a disk", "rounds": 8,
        "candidates": ["none", "bfq:low_latency=0,slice_idle=0"], "seed": 1,
        "scenarios": ["start-readers", "player"],
    }});
    let mut lines = vec![opening];
    for round in 0..8 {
        for (candidate, better) in [("none", 1.0), ("bfq:low_latency=0,slice_idle=0", 0.01)] {
            let value = (20.0 + f64::from(round)) * better;
            for (scenario, metric) in [("start-readers", "start_up"), ("player", "late_frames")] {
                lines.push(json!({"measurement": {
                    "candidate": candidate, "scenario": scenario, "round": round, "began_s": 0.0,
                    "values": {metric: value},
                }}));
            }
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Keeps what is seen where BFQ_SCREENSHOTS says, for people to look at.
fn screenshot(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("BFQ_SCREENSHOTS") else { return };
    let parameters = json!({"format": "png", "captureBeyondViewport": true});
    let shot = browser.call("Page.captureScreenshot", parameters);
    let text = shot["data"].as_str().unwrap_or_default();
    let picture = BASE64_STANDARD.decode(text).unwrap();
    std::fs::write(Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
}

#[test]
fn a_report_in_a_browser() {
    let Some(name) = browser::installed() else {
        let required = std::env::var_os("BFQ_BROWSER").is_some_and(|value| value == "required");
        assert!(!required, "no Chromium is installed, and BFQ_BROWSER=required");
        eprintln!("SKIPPED: no Chromium is installed (Debian: apt-get install chromium)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    report(folder.path());
    let mut browser = Browser::start(name);
    let page = folder.path().join("report.html");
    on_a_desk(&mut browser, &page);
    by_the_keyboard(&mut browser);
    in_the_dark(&mut browser);
    on_a_phone(&mut browser);
    on_paper(&mut browser);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
    browser.fetched.retain(|url| !url.starts_with("data:"));
    assert_eq!(browser.fetched, [format!("file://{}", page.display())], "it needs nothing else");
}

/// What does not fit into the width of the window, and is not in something that scrolls.
const TOO_WIDE: &str = "
    [...document.body.querySelectorAll('*')]
        .filter((one) => !one.closest('.scroll') && !one.closest('svg'))
        .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .map((one) => one.tagName + '.' + one.className).join(' ')
        + (document.documentElement.scrollWidth > document.documentElement.clientWidth
            ? ' the page' : '')";

fn on_a_desk(browser: &mut Browser, page: &Path) {
    browser.resize(1280, 900, false);
    browser.emulate("screen", "light");
    browser.open(page);
    screenshot(browser, "light");
    let empty = browser.evaluate(
        "[...document.querySelectorAll('main svg')].filter((one) => {
            const box = one.getBoundingClientRect();
            return !(box.width > 0 && box.height > 0);
        }).length",
    );
    assert_eq!(empty, json!(0), "every drawing has a size");
    let count = |browser: &mut Browser, selector: &str| {
        browser.evaluate(&format!("document.querySelectorAll('{selector}').length"))
    };
    for (selector, number) in [
        ("section.stage", 2),
        ("figure.schedule", 2),
        ("figure.schedule .panel", 6),
        (".names .head", 3),
        (".rates .panel", 6),
        (".comparison svg.effect", 2),
        ("h2 b", 0),
    ] {
        assert_eq!(count(browser, selector), json!(number), "{selector}");
    }
    for selector in [".turn", ".served", ".idle", ".tick", ".travel", ".dist path", ".bar rect.g0"]
    {
        assert!(count(browser, selector).as_u64().unwrap() > 0, "{selector}");
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
    assert_eq!(browser.evaluate(TOO_WIDE), json!(""));
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
    screenshot(browser, "dark");
    browser.emulate("screen", "light");
}

fn on_a_phone(browser: &mut Browser) {
    for width in [320, 390] {
        browser.resize(width, 800, true);
        assert_eq!(browser.evaluate(TOO_WIDE), json!(""), "at {width} pixels");
    }
    let smallest = browser.evaluate(
        "Math.min(...[...document.querySelectorAll('main *')]
            .filter((one) => one.childNodes.length && one.firstChild.nodeType === 3
                && one.firstChild.textContent.trim() && one.checkVisibility())
            .map((one) => parseFloat(getComputedStyle(one).fontSize)))",
    );
    assert!(smallest.as_f64().unwrap() >= 10.0, "text of {smallest} pixels");
    screenshot(browser, "phone");
}

fn on_paper(browser: &mut Browser) {
    browser.resize(794, 1123, false);
    browser.emulate("print", "light");
    assert_eq!(browser.evaluate(TOO_WIDE), json!(""), "on A4");
    let buttons = browser.evaluate(
        "[...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).length",
    );
    assert_eq!(buttons, json!(0), "paper has no buttons");
    screenshot(browser, "print");
    let pdf = browser.call("Page.printToPDF", json!({"printBackground": true}));
    let pdf = BASE64_STANDARD.decode(pdf["data"].as_str().unwrap()).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
}
