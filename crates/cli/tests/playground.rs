// SPDX-License-Identifier: MIT OR Apache-2.0
//! The playground in a real browser: every lesson draws and says nothing on the console, and the
//! results are those of the command, byte for byte.
//!
//! The page is that of `make playground`; without it these tests are skipped, unless
//! BFQ_PLAYGROUND=required.

mod browser;

use browser::Browser;
use browser::playground::{call, click, folder, page, repository, wait_for};
use browser::server::serve_with;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How many colours a picture has, besides what is transparent.
fn colours(browser: &mut Browser, run: usize) -> u64 {
    let count = browser.evaluate(&format!(
        "(() => {{ const canvas = document.querySelectorAll('canvas')[{run}]; \
         const {{ data }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, \
         canvas.height); const seen = new Set(); \
         new Uint32Array(data.buffer).forEach((pixel) => seen.add(pixel)); return seen.size; }})()"
    ));
    count.as_u64().unwrap_or(0)
}

/// How many dots of a picture are painted as the first process is in the table.
fn dots_of_the_first(browser: &mut Browser) -> u64 {
    let count = browser.evaluate(
        "(() => { const swatch = getComputedStyle(document.querySelector('#figures .swatch')); \
         const [red, green, blue] = swatch.backgroundColor.match(/[0-9]+/g).map(Number); \
         const canvas = document.querySelector('canvas'); \
         const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, \
         canvas.height); let dots = 0; for (let at = 0; at < data.length; at += 4) \
         dots += data[at] === red && data[at + 1] === green && data[at + 2] === blue; \
         return dots; })()",
    );
    count.as_u64().unwrap_or(0)
}

/// The lessons' names.
fn lessons() -> Vec<String> {
    let folder = repository().join("crates/playground/web/lessons");
    let order = std::fs::read_to_string(folder.join("order.json")).unwrap();
    let order: Value = serde_json::from_str(&order).unwrap();
    let named = |row: &Value| row["name"].as_str().unwrap().to_owned();
    order.as_array().unwrap().iter().map(named).collect()
}

#[test]
fn every_lesson_draws() {
    let Some((mut browser, address)) = page() else { return };
    browser.resize(1280, 900, false);
    for lesson in lessons() {
        browser.load_url(&format!("{address}?{lesson}#lesson={lesson}"));
        wait_for(&mut browser, &["running", "ended"]);
        let began = Instant::now();
        while colours(&mut browser, 0) < 8 {
            assert!(began.elapsed() < Duration::from_secs(60), "{lesson}: nothing is drawn");
            browser.settle();
        }
        let (runs, text) = (browser.count("canvas"), "#lesson-text");
        assert!((1..=3).contains(&runs), "{lesson}");
        for run in 0..runs as usize {
            assert!(colours(&mut browser, run) >= 5, "{lesson}: picture {run} is empty");
        }
        let told =
            browser.evaluate(&format!("document.querySelector('{text}').textContent.length"));
        assert!(told.as_u64() > Some(200), "{lesson}");
        assert!(browser.complaints.is_empty(), "{lesson}: {:#?}", browser.complaints);
        browser.screenshot(&format!("playground-{lesson}"));
    }
    let elsewhere = browser.fetched.iter().filter(|url| !url.starts_with(&address));
    let elsewhere: Vec<_> = elsewhere.filter(|url| !url.starts_with("data:")).collect();
    assert!(elsewhere.is_empty(), "it needs nothing else: {elsewhere:?}");
}

#[test]
fn a_server_need_not_know_what_webassembly_is() {
    let Some(folder) = folder() else { return };
    let Some(mut browser) = Browser::if_installed() else { return };
    let address = serve_with(&folder, "application/octet-stream");
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running", "ended"]);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

/// Counts how often the first picture is drawn from now on, in `window.drawn`.
fn count_pictures(browser: &mut Browser) {
    browser.evaluate(
        "(() => { window.drawn = 0; const first = document.querySelector('canvas'); \
         const kind = CanvasRenderingContext2D.prototype; const clear = kind.clearRect; \
         kind.clearRect = function (...all) { if (this.canvas === first) window.drawn++; \
         return clear.apply(this, all); }; })()",
    );
}

/// Pictures that were counted, and simulated seconds.
fn pictures_and_seconds(browser: &mut Browser) -> (f64, f64) {
    let told =
        browser.evaluate("[window.drawn, parseFloat(document.getElementById('now').textContent)]");
    (told[0].as_f64().unwrap(), told[1].as_f64().unwrap())
}

#[test]
fn pictures_are_drawn_while_time_runs() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    count_pictures(&mut browser);
    let (began, (_, before)) = (Instant::now(), pictures_and_seconds(&mut browser));
    loop {
        let (pictures, now) = pictures_and_seconds(&mut browser);
        if pictures >= 10.0 && now > before {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{pictures} pictures, {now} s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn each_kind_of_a_load_has_its_weight() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    browser.evaluate(
        "(() => { const put = (id, value) => { document.getElementById(id).value = value; }; \
         put('reader-weight', 300); put('writer-weight', 5000); put('thinkers', 1); \
         put('thinker-weight', 0); document.getElementById('build').click(); })()",
    );
    let text = browser.evaluate("document.getElementById('job-file').value");
    let weights: Vec<_> =
        text.as_str().unwrap().lines().filter(|line| line.starts_with("cgroup_weight=")).collect();
    // Two readers, one of random places, a writer, one who thinks: from 1 to 1000.
    let expected = [300, 300, 100, 1000, 1].map(|weight| format!("cgroup_weight={weight}"));
    assert_eq!(weights, expected);
    browser.evaluate("document.querySelector('#setup button.main').click()");
    let began = Instant::now();
    while browser.count("#figures tbody tr") < 6 {
        let mistake = browser.evaluate("document.getElementById('mistake').textContent");
        assert!(began.elapsed() < Duration::from_secs(60), "it cannot be begun: {mistake}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn time_stands_steps_and_answers() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=thinking"));
    wait_for(&mut browser, &["running"]);
    browser.evaluate("document.activeElement.blur()");
    browser.press(" ");
    wait_for(&mut browser, &["ready"]);
    let now = "Number(document.getElementById('now').textContent.split(' ')[0])";
    let before = browser.evaluate(now).as_f64().unwrap();
    for _ in 0..40 {
        click(&mut browser, "step");
        browser.settle();
    }
    let after = browser.evaluate(now).as_f64().unwrap();
    assert!(after > before + 0.2 && after <= before + 1.01, "{before} s, {after} s");

    // By keys: to a picture, to a request, ask.
    browser.evaluate("document.querySelector('canvas').focus()");
    browser.press("ArrowLeft");
    let status = browser.evaluate("document.getElementById('status').textContent");
    assert!(status.as_str().unwrap().contains("Enter asks why"), "{status}");
    browser.press("Enter");
    wait_for_answer(&mut browser);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

/// Waits until the page says why a request waited.
fn wait_for_answer(browser: &mut Browser) {
    let told = "document.getElementById('why').textContent";
    let began = Instant::now();
    while !browser.evaluate(told).as_str().unwrap().contains("What delayed it") {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", browser.evaluate(told));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_click_on_a_request_asks_why_it_waited() {
    let Some((mut browser, address)) = page() else { return };
    browser.resize(1280, 900, false);
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    click(&mut browser, "run");
    wait_for(&mut browser, &["ready"]);
    for _ in 0..20 {
        click(&mut browser, "step");
        browser.settle();
    }
    // The last bar in the row of the first process: its paint is that of the swatch in the table.
    // It always has a request, so the bar has no hollow part, in which there would be none to ask.
    let place = browser.evaluate(
        "(() => { const canvas = document.querySelector('canvas'); \
         canvas.scrollIntoView({ block: 'center' }); \
         const swatch = getComputedStyle(document.querySelector('#figures .swatch')); \
         const [red, green, blue] = swatch.backgroundColor.match(/[0-9]+/g).map(Number); \
         const { width, height } = canvas; const { left, top } = canvas.getBoundingClientRect(); \
         const { data } = canvas.getContext('2d').getImageData(0, 0, width, height); \
         for (let x = width - 2; x > 0; x--) for (let y = 20; y < height; y++) { \
         const at = 4 * (y * width + x); \
         if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) \
         return [left + x, top + y]; } return null; })()",
    );
    let [x, y] = [0, 1].map(|axis| place[axis].as_f64().expect("a bar of the first process"));
    browser.click_at(x, y);
    wait_for_answer(&mut browser);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn screen_readers_find_a_name_for_all_that_can_be_used() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    click(&mut browser, "run");
    browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    browser.settle();
    let usable =
        ["button", "combobox", "textbox", "spinbutton", "slider", "link", "application", "table"];
    let told = browser.accessible();
    for role in usable {
        let names: Vec<_> = told.iter().filter(|(found, _)| found == role).collect();
        assert!(!names.is_empty(), "the page has no {role}: {told:?}");
        assert!(names.iter().all(|(_, name)| !name.is_empty()), "{names:?}");
    }
}

#[test]
fn a_link_holds_the_setup_and_what_was_changed_on_the_way() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    click(&mut browser, "run");
    wait_for(&mut browser, &["ready"]);
    for _ in 0..10 {
        click(&mut browser, "step");
        browser.settle();
    }
    let before = dots_of_the_first(&mut browser);
    assert!(before > 1_000, "{before}");
    let mut drag = |to: u32, event: &str| {
        browser.evaluate(&format!(
            "(() => {{ const slider = document.querySelector('[aria-label=\"Weight of /light\"]'); \
             slider.value = {to}; slider.dispatchEvent(new Event('{event}')); }})()",
        ));
    };
    // It counts before it is let go, and then.
    drag(250, "input");
    drag(290, "change");
    click(&mut browser, "add-reader");
    let began = Instant::now();
    while browser.count("#figures tbody tr") < 3 {
        assert!(began.elapsed() < Duration::from_secs(60), "no reader was added");
        std::thread::sleep(Duration::from_millis(20));
    }
    while dots_of_the_first(&mut browser) < before / 2 {
        assert!(began.elapsed() < Duration::from_secs(60), "the past is drawn no more");
        std::thread::sleep(Duration::from_millis(20));
    }
    let setup = call(&mut browser, &json!("setup"));
    let changes = setup["changes"].as_array().unwrap();
    assert_eq!(changes.last().unwrap()["weight"], 794);
    assert!(changes.len() > 1, "no weight counted while it was dragged: {changes:?}");
    assert!(setup["job_file"].as_str().unwrap().contains("[reader-1]"));
    click(&mut browser, "link");
    let began = Instant::now();
    let fragment = loop {
        let hash = browser.evaluate("location.hash").as_str().unwrap().to_owned();
        if hash.starts_with("#setup=") {
            break hash;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{hash}");
        std::thread::sleep(Duration::from_millis(20));
    };
    browser.load_url(&format!("{address}?again{fragment}"));
    wait_for(&mut browser, &["ready"]);
    let again = call(&mut browser, &json!("setup"));
    assert_eq!(again["job_file"], setup["job_file"]);
    assert_eq!(again["schedulers"], setup["schedulers"]);
    assert_eq!(again["changes"], setup["changes"], "the weight changes at the same time again");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn mistakes_are_told_in_the_page() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    browser.evaluate("document.getElementById('job-file').value = '[a]\\nrw=red\\n'");
    browser.evaluate("document.querySelector('#setup button.main').click()");
    let began = Instant::now();
    let told = "document.getElementById('mistake').textContent";
    while !browser.evaluate(told).as_str().unwrap().contains("shares.fio:2") {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", browser.evaluate(told));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn on_a_phone_and_in_the_dark_nothing_is_cut_off() {
    let Some((mut browser, address)) = page() else { return };
    for (name, width, mobile, scheme) in [
        ("desktop-light", 1280, false, "light"),
        ("desktop-dark", 1280, false, "dark"),
        ("phone-light", 390, true, "light"),
        ("phone-dark", 390, true, "dark"),
    ] {
        browser.resize(width, 844, mobile);
        browser.emulate("screen", scheme);
        browser.load_url(&format!("{address}?{name}#lesson=budget-or-time"));
        wait_for(&mut browser, &["running"]);
        std::thread::sleep(Duration::from_millis(1_500));
        click(&mut browser, "run");
        browser.settle();
        let beside = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(beside), json!(0), "{name} scrolls sideways");
        browser.screenshot(&format!("playground-{name}"));
    }
}

/// Job files that are simulated within a second or two, and need no other file.
fn short_job_files() -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["jobs", "jobs/2008-page", "jobs/fairness", "jobs/tenants"] {
        for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            if name.ends_with(".fio")
                && !std::fs::read_to_string(repository().join(&path)).unwrap().contains("iolog")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files.truncate(50);
    files
}

/// All that there are, some side by side.
const SCHEDULERS: [&str; 9] = [
    "bfq",
    "tfq,none",
    "none",
    "mq-deadline",
    "cfq",
    "kyber,bfq:low_latency=0",
    "deadline",
    "noop",
    "bfq,tfq,mq-deadline",
];

#[test]
fn results_are_those_of_the_command() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    click(&mut browser, "run");
    let files = short_job_files();
    assert_eq!(files.len(), 50);
    for (number, name) in files.iter().enumerate() {
        let device = ["hdd-desktop", "hdd-desktop:depth=4"][number % 2];
        let schedulers = SCHEDULERS[number % SCHEDULERS.len()];
        let seed = (number + 1).to_string();
        let text = std::fs::read_to_string(repository().join(name)).unwrap();
        // A flash disk is smaller, and so fast that there is much to simulate: for some only.
        let on_flash = number % 6 == 0 && !text.contains("offset=");
        let device = if on_flash { "ssd-sata" } else { device };
        let setup = json!({"name": name, "job_file": text, "device": device,
            "schedulers": schedulers, "seed": number + 1});
        let simulated = call(&mut browser, &json!({ "result": setup }));
        let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
        command.args(["sim", name, "--device", device, "--scheduler", schedulers]);
        command.args(["--seed", &seed, "--output-format", "json", "--quiet"]);
        let output = command.current_dir(repository()).stdin(Stdio::null()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(!printed.is_empty(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(simulated.as_str() == Some(&printed), "{name}: another result");
    }
}

/// Not a test: prints figures of speed, of `make playground-speed`.
#[test]
#[ignore = "prints figures; make playground-speed"]
fn speed_beside_the_command() {
    let Some((mut browser, address)) = page() else { return };
    browser.resize(1280, 900, false);
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    browser.settle();
    let mark = "performance.getEntriesByName('first picture')[0]?.startTime ?? null";
    std::thread::sleep(Duration::from_secs(1));
    println!("first picture after {:.0} ms", browser.evaluate(mark).as_f64().unwrap_or(f64::NAN));
    for lesson in ["shares", "successor"] {
        browser.load_url(&format!("{address}?{lesson}#lesson={lesson}"));
        wait_for(&mut browser, &["running"]);
        // The next stretch of time is as long as asked for here.
        browser.evaluate("document.getElementById('speed').value = '1'");
        count_pictures(&mut browser);
        let (began, (_, before)) = (Instant::now(), pictures_and_seconds(&mut browser));
        std::thread::sleep(Duration::from_secs(3));
        let (pictures, now) = pictures_and_seconds(&mut browser);
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{lesson}, in real time: {:.0} pictures and {:.2} simulated seconds a second",
            pictures / seconds,
            (now - before) / seconds
        );
        click(&mut browser, "run");
    }

    let job_file = "[deep]\nioengine=libaio\niodepth=32\nrw=randread\nbs=4k\nsize=1g\nnumjobs=4\n\
                    time_based\nruntime=20\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("speed.fio"), job_file).unwrap();
    for scheduler in ["none", "bfq", "mq-deadline"] {
        let setup = json!({"name": "speed.fio", "job_file": job_file, "device": "ssd-sata",
            "schedulers": scheduler});
        let (mut page_s, mut command_s, mut requests) = (f64::MAX, f64::MAX, 0.0);
        for _ in 0..5 {
            let answer = browser.evaluate(&format!(
                "import('./engine.js').then(({{ timed }}) => timed({}))",
                json!({ "result": setup })
            ));
            page_s = page_s.min(answer["ms"].as_f64().unwrap() / 1e3);
            let began = Instant::now();
            let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
            command.args(["sim", "speed.fio", "--device", "ssd-sata", "--scheduler", scheduler]);
            command.args(["--seed", "1", "--output-format", "json", "--quiet"]);
            let output = command.current_dir(folder.path()).output().unwrap();
            command_s = command_s.min(began.elapsed().as_secs_f64());
            assert!(answer["done"].as_str().unwrap().as_bytes() == output.stdout);
            let result: Value = serde_json::from_slice(&output.stdout).unwrap();
            let jobs = result["runs"][0]["fio"]["jobs"].as_array().unwrap();
            requests = jobs.iter().map(|job| job["read"]["total_ios"].as_f64().unwrap()).sum();
        }
        println!(
            "{scheduler}, best of five: page {:.2}, command {:.2} million requests a second: {:.0} %",
            requests / page_s / 1e6,
            requests / command_s / 1e6,
            100.0 * command_s / page_s
        );
    }
}
