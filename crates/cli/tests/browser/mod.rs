// SPDX-License-Identifier: MIT OR Apache-2.0
//! A headless Chromium, driven through its DevTools protocol over a pipe; and what the tests of
//! pages have in common.

// Each test uses a part of it.
#![allow(dead_code)]

pub mod layout;
pub mod playground;
pub mod reports;
pub mod server;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The browser's names; the first one that is there is used.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// A limit for anything that it does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page in a browser of its own.
pub struct Browser {
    process: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// What the page complained about: errors of the console, uncaught exceptions.
    pub complaints: Vec<String>,
    /// Every address that the page asked for.
    pub fetched: Vec<String>,
    _profile: tempfile::TempDir,
}

/// The browser to use, if there is one; none with BFQ_BROWSER=none, for who has one
/// to test without.
fn installed() -> Option<&'static str> {
    if std::env::var_os("BFQ_BROWSER").is_some_and(|value| value == "none") {
        return None;
    }
    let runs = |name: &&&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    NAMES.iter().find(runs).copied()
}

impl Browser {
    /// Starts a browser with an empty page, if one is installed; else says so, unless
    /// it is required.
    pub fn if_installed() -> Option<Browser> {
        let Some(name) = installed() else {
            let required = std::env::var_os("BFQ_BROWSER").is_some_and(|value| value == "required");
            assert!(!required, "no Chromium is installed, and BFQ_BROWSER=required");
            eprintln!("SKIPPED: no Chromium is installed (Debian: apt-get install chromium)");
            return None;
        };
        Some(Browser::start(name))
    }

    /// Starts a browser with an empty page.
    fn start(name: &str) -> Browser {
        let profile = tempfile::tempdir().expect("a folder for the browser");
        // The protocol is spoken on descriptors 3 and 4; a shell turns our pipes into those.
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#, name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--disable-dev-shm-usage"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let commands = process.stdin.take().expect("a pipe");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            process,
            commands,
            messages,
            session: None,
            sent: 0,
            complaints: Vec::new(),
            fetched: Vec::new(),
            _profile: profile,
        };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let target = self.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("Target.attachToTarget", attach);
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Sends a command and gives its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut command = json!({"id": self.sent, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        write!(self.commands, "{command}\0").expect("the browser listens");
        self.commands.flush().expect("the browser listens");
        loop {
            let message = self.message();
            if message["id"] == json!(self.sent) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    fn message(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).expect("the browser answers in time");
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(parameters.to_string()),
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => {
                self.complaints.push(parameters.to_string());
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.complaints.push(parameters.to_string());
            }
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                self.fetched.push(url.to_owned());
            }
            _ => {}
        }
        message
    }

    /// Opens a file and waits until it is drawn.
    pub fn open(&mut self, path: &Path) {
        self.load(path);
        self.settle();
    }

    /// Waits until what was changed is drawn, and what came of that.
    pub fn settle(&mut self) {
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => \
                done(true))))",
        );
    }

    /// Opens a file and waits until it is there.
    pub fn load(&mut self, path: &Path) {
        self.load_url(&format!("file://{}", path.display()));
    }

    /// Opens an address and waits until what it names is there.
    pub fn load_url(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url}));
        while self.message()["method"] != "Page.loadEventFired" {}
    }

    /// How much there is of a selector.
    pub fn count(&mut self, selector: &str) -> u64 {
        let count = self.evaluate(&format!("document.querySelectorAll('{selector}').length"));
        count.as_u64().expect("a number")
    }

    /// Keeps what is seen where BFQ_SCREENSHOTS says, for people to look at.
    pub fn screenshot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("BFQ_SCREENSHOTS") else { return };
        let parameters = json!({"format": "png", "captureBeyondViewport": true});
        let shot = self.call("Page.captureScreenshot", parameters);
        let picture = BASE64_STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        let path = Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(path, picture.expect("base64")).expect("the folder can be written to");
    }

    /// That the page had nothing to say on the console, and asked for nothing but itself.
    pub fn is_content(&mut self, page: &Path) {
        assert!(self.complaints.is_empty(), "{:#?}", self.complaints);
        let itself = format!("file://{}", page.display());
        let others = self.fetched.iter().filter(|url| !url.starts_with("data:"));
        let others: Vec<_> = others.filter(|url| **url != itself).collect();
        assert!(others.is_empty(), "it needs nothing else: {others:?}");
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// A window of that many pixels, as on a phone if it is `mobile`.
    pub fn resize(&mut self, width: u32, height: u32, mobile: bool) {
        let parameters =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile});
        self.call("Emulation.setDeviceMetricsOverride", parameters);
    }

    /// The medium (`screen`, `print`) and the user's choice of `light` or `dark`.
    pub fn emulate(&mut self, media: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"media": media, "features": features}));
    }

    /// Clicks with the mouse at a place in the window, in pixels.
    pub fn click_at(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Role and name of all that screen readers tell of the page, in the order in which they do.
    pub fn accessible(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().trim().to_owned();
        let nodes = tree["nodes"].as_array().expect("a tree").iter();
        let told = nodes.filter(|node| node["ignored"] != json!(true));
        told.map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }

    /// Presses a key and lets it go.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({"type": kind, "key": key});
            if kind == "keyDown" && key.chars().count() == 1 {
                event["text"] = json!(key);
            }
            match key {
                "Tab" => event["windowsVirtualKeyCode"] = json!(9),
                "Enter" => {
                    event["windowsVirtualKeyCode"] = json!(13);
                    event["text"] = json!("\r");
                }
                _ => {}
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.session = None;
        // It ends by itself when the pipe closes; to be asked is faster.
        let _ = write!(self.commands, "{}\0", json!({"id": 0, "method": "Browser.close"}));
        let _ = self.commands.flush();
        let _ = self.process.wait();
    }
}
