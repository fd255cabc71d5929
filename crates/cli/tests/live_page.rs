// SPDX-License-Identifier: MIT OR Apache-2.0
//! The live page of `bfq serve` in a real browser, which is told of a server that serves nothing.
//!
//! Without a browser the test says so and passes, unless BFQ_BROWSER=required. With
//! BFQ_BROWSER=none it looks for none.

mod browser;
#[path = "../../server/tests/fake/mod.rs"]
mod fake;

use browser::{Browser, layout};
use fake::Fake;
use serde_json::json;
use server::http;
use server::status::{Status, TenantStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Waits until an expression in the page is true.
fn wait_for(browser: &mut Browser, expression: &str) {
    let begin = Instant::now();
    while browser.evaluate(expression) != json!(true) {
        assert!(begin.elapsed() < Duration::from_secs(60), "{expression}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_live_page_in_a_browser() {
    let Some(mut browser) = Browser::if_installed() else { return };
    let fake = Arc::new(Fake::default());
    let server = http::listen("127.0.0.1:0".parse().unwrap(), fake.clone()).unwrap();
    let address = format!("http://{}/", server.address());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Time goes by for the server, also if a check fails.
        scope.spawn(|| {
            for tick in 0_u64.. {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                *fake.status.lock().unwrap() = fake::sample(10 + tick / 4);
                std::thread::sleep(Duration::from_millis(250));
            }
        });
        let _end = EndsAtDrop(&ended);
        on_a_desk(&mut browser, &address);
        by_the_keyboard(&mut browser);
        in_the_dark(&mut browser);
        layout::check(&mut browser, "the live page");
        on_a_phone(&mut browser);
        without_motion(&mut browser);
        assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
        let events = format!("{address}events");
        let others = browser.fetched.iter().filter(|url| !url.starts_with("data:"));
        let others: Vec<_> = others.filter(|url| **url != address && **url != events).collect();
        assert!(others.is_empty(), "it needs nothing else: {others:?}");
        drop(server);
        wait_for(&mut browser, "document.body.classList.contains('lost')");
    });
}

/// What `bfq ctl tenants` shows of who is part of whom, and of figures of nothing.
#[test]
fn children_stand_below_their_parents_and_nothing_measured_is_a_dash() {
    let Some(mut browser) = Browser::if_installed() else { return };
    let fake = Arc::new(Fake::default());
    *fake.status.lock().unwrap() = family();
    let server = http::listen("127.0.0.1:0".parse().unwrap(), fake.clone()).unwrap();
    browser.resize(1280, 900, false);
    browser.load_url(&format!("http://{}/", server.address()));
    wait_for(&mut browser, "document.querySelectorAll('tbody tr').length === 4");
    let cells = browser.evaluate(
        "[...document.querySelectorAll('tbody tr')].map((row) =>
            [...row.cells].map((cell) => cell.textContent).join(' | '))",
    );
    let expected = [
        "idle | 0 | 0.00 | 0.00 | - | - | - | 0 | 0 | 0 B | 0",
        "org | 0 | - | - | - | - | - | - | - | - | -",
        "alice | 100 | 0.00 | 0.00 | 900 µs | 4.00 ms | 7.50 ms | 14 | 2 | 3 MiB | 1",
        "bob | 300 | 0.00 | 0.00 | 900 µs | 4.00 ms | 7.50 ms | 14 | 2 | 3 MiB | 0",
    ];
    assert_eq!(cells, json!(expected));
    for names in ["tbody th", ".share .name"] {
        let places = format!(
            "[...document.querySelectorAll('{names}')].map((name) =>
                [name.textContent, parseFloat(getComputedStyle(name).paddingLeft) > 0])"
        );
        let expected = [("idle", false), ("org", false), ("alice", true), ("bob", true)];
        assert_eq!(browser.evaluate(&places), json!(expected), "{names}");
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

/// Two tenants with requests that are part of one without, and one that does nothing; the children
/// are told of first.
fn family() -> Status {
    let mut status = fake::sample(10);
    let disk = &mut status.disks[0];
    for tenant in &mut disk.tenants {
        tenant.parent = Some("org".to_owned());
    }
    for name in ["idle", "org"] {
        let tenant = TenantStatus { name: name.to_owned(), ..TenantStatus::default() };
        disk.tenants.push(tenant);
    }
    status
}

struct EndsAtDrop<'a>(&'a AtomicBool);

impl Drop for EndsAtDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn on_a_desk(browser: &mut Browser, address: &str) {
    browser.resize(1280, 900, false);
    browser.emulate("screen", "light");
    browser.load_url(address);
    wait_for(browser, "history.length >= 3 && history.at(-1).disks.size === 1");
    browser.settle();
    browser.screenshot("live-light");
    for (selector, number) in
        [("section.disk", 1), (".share", 2), ("figure", 2), ("figure path", 4), ("tbody tr", 2)]
    {
        assert_eq!(browser.count(selector), number, "{selector}");
    }
    let text = browser.evaluate("document.body.innerText");
    for words in [
        "Live.",
        "Running for",
        "emulated ssd-sata",
        "scheduler bfq · 4 of 32 commands in flight · 28 waiting",
        "images 2, vm 2, (default) 2 (draining)",
        "26.0 % of 25.0 % · waits for bob",
        "74.0 % of 75.0 %",
    ] {
        assert!(text.as_str().unwrap().contains(words), "{words}: {text}");
    }
    let mark = browser.evaluate("document.querySelectorAll('.due')[1].style.left");
    assert_eq!(mark, json!("75%"));
}

fn by_the_keyboard(browser: &mut Browser) {
    browser.press("p");
    assert_eq!(browser.evaluate("pause.getAttribute('aria-pressed')"), json!("true"));
    let shown = browser.evaluate("document.getElementById('uptime').textContent");
    let told = browser.evaluate("history.length");
    wait_for(browser, &format!("history.length > {told} + 1"));
    let still = browser.evaluate("document.getElementById('uptime').textContent");
    assert_eq!(shown, still, "what is paused stays as it is");
    browser.press("p");
    browser.evaluate("document.querySelector('.range').focus()");
    browser.press("Enter");
    assert_eq!(browser.evaluate("minutes"), json!(1));
    browser.evaluate("document.querySelector('figure').focus()");
    browser.press("ArrowLeft");
    assert_eq!(browser.count("figure .cursor"), 1);
    let said = browser.evaluate("document.querySelector('figure output').textContent");
    assert!(said.as_str().unwrap().contains(" s ago: alice "), "{said}");
    browser.press("Escape");
    assert_eq!(browser.count("figure .cursor"), 0);
    let unnamed = browser.evaluate(
        "[...document.querySelectorAll('[tabindex=\"0\"]')]
            .filter((one) => !one.getAttribute('aria-label')).length",
    );
    assert_eq!(unnamed, json!(0), "what can be reached has a name");
}

fn in_the_dark(browser: &mut Browser) {
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.evaluate(ground);
    browser.emulate("screen", "dark");
    browser.settle();
    assert_ne!(browser.evaluate(ground), light);
    browser.screenshot("live-dark");
    browser.emulate("screen", "light");
}

fn on_a_phone(browser: &mut Browser) {
    browser.resize(390, 844, true);
    browser.settle();
    assert_eq!(browser.evaluate(layout::TOO_WIDE), json!(""));
    browser.screenshot("live-phone");
}

fn without_motion(browser: &mut Browser) {
    let moves = "getComputedStyle(document.querySelector('.got')).transitionDuration";
    assert_eq!(browser.evaluate(moves), json!("0.3s"));
    let features = json!([{"name": "prefers-reduced-motion", "value": "reduce"}]);
    browser.call("Emulation.setEmulatedMedia", json!({"media": "screen", "features": features}));
    assert_eq!(browser.evaluate(moves), json!("0s"));
}
