// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests of the playground have in common: its page, and how they wait for it.

use super::Browser;
use super::server::serve;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where the repository is.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A browser, and the address of the page, if both are there.
pub fn page() -> Option<(Browser, String)> {
    Some((Browser::if_installed()?, serve(&folder()?)))
}

/// The page's folder, if it is built.
pub fn folder() -> Option<PathBuf> {
    let folder = repository().join("out/playground");
    if !folder.join("playground.wasm").exists() {
        let required = std::env::var_os("BFQ_PLAYGROUND").is_some_and(|value| value == "required");
        assert!(!required, "out/playground is not built, and BFQ_PLAYGROUND=required");
        eprintln!("SKIPPED: out/playground is not built (make playground)");
        return None;
    }
    Some(folder)
}

/// Waits until the page is in one of these states.
pub fn wait_for(browser: &mut Browser, states: &[&str]) -> String {
    let began = Instant::now();
    loop {
        let state = browser.evaluate("document.documentElement.dataset.state ?? ''");
        let state = state.as_str().unwrap_or_default().to_owned();
        if states.contains(&state.as_str()) {
            return state;
        }
        let mistake = browser.evaluate("document.getElementById('mistake')?.textContent ?? ''");
        assert!(state != "mistaken", "{mistake}");
        assert!(began.elapsed() < Duration::from_secs(60), "{state:?}, not {states:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What the simulator in the page answers.
pub fn call(browser: &mut Browser, what: &Value) -> Value {
    browser.evaluate(&format!("import('./engine.js').then(({{ call }}) => call({what}))"))
}

/// Clicks an element.
pub fn click(browser: &mut Browser, id: &str) {
    browser.evaluate(&format!("document.getElementById('{id}').click()"));
}

/// Waits until an expression is true.
pub fn wait_until(browser: &mut Browser, expression: &str) {
    let began = Instant::now();
    while browser.evaluate(expression) != Value::Bool(true) {
        let shown = browser.evaluate("document.body.innerText");
        assert!(began.elapsed() < Duration::from_secs(60), "not {expression}: {shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether an element has this as its value or its text.
pub fn has(id: &str, what: &str) -> String {
    format!("(({{value, textContent}}) => (value ?? textContent) === {what})({})", at(id))
}

/// The script that finds an element.
pub fn at(id: &str) -> String {
    format!("document.getElementById('{id}')")
}

/// Chooses a value as a user does.
pub fn choose(browser: &mut Browser, id: &str, value: &str, event: &str) {
    browser.evaluate(&format!(
        "(() => {{ const field = {}; field.value = {}; \
         field.dispatchEvent(new Event('{event}', {{ bubbles: true }})); }})()",
        at(id),
        json!(value)
    ));
}

/// Begins with what the form says.
pub fn begin(browser: &mut Browser) {
    browser.evaluate("document.querySelector('#setup button.main').click()");
}

/// Whether the mistake that is told begins so.
pub fn mistake_begins(text: &str) -> String {
    format!("{}.textContent.startsWith({})", at("mistake"), json!(text))
}
