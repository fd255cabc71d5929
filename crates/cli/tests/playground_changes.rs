// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the playground shows of changes on the way, of jobs that are added, and of what it does not
//! keep or know.

mod browser;

use browser::Browser;
use browser::playground::{
    at, begin, call, choose, click, has, mistake_begins, page, wait_for, wait_until,
};
use serde_json::{Value, json};

/// Begins with a job file, and lets time stand.
fn begin_with(browser: &mut Browser, job_file: &str) {
    choose(browser, "job-file", job_file, "input");
    begin(browser);
    wait_until(browser, &format!("{}.textContent.includes('playground.fio')", at("command")));
    wait_for(browser, &["running", "ready"]);
    stand(browser);
}

/// Lets time stand.
fn stand(browser: &mut Browser) {
    wait_until(browser, &format!("!{}.disabled", at("run")));
    if browser.evaluate(&format!("{}.textContent", at("run"))) == json!("Pause") {
        click(browser, "run");
    }
    wait_for(browser, &["ready"]);
}

fn step(browser: &mut Browser, times: u32) {
    for _ in 0..times {
        click(browser, "step");
        browser.settle();
    }
}

/// Adds a reader and waits for its row, the last of so many.
fn add_reader(browser: &mut Browser, rows: u64) {
    click(browser, "add-reader");
    wait_until(
        browser,
        &format!("document.querySelectorAll('#figures tbody tr').length === {rows}"),
    );
    // What the page asks the simulator after that is answered before this.
    call(browser, &json!("lists"));
    browser.settle();
}

/// That the slider of /light and the text beside it have a weight, sooner or later.
fn wait_for_weight(browser: &mut Browser, value: u32, weight: u32) {
    wait_until(
        browser,
        &format!(
            "((one) => one.value === '{value}' && one.ariaValueText === '{weight}' && \
             one.nextSibling.textContent === ' {weight}')\
             (document.querySelector('[aria-label=\"Weight of /light\"]'))"
        ),
    );
}

#[test]
fn weights_that_are_shown_are_those_of_the_present() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    stand(&mut browser);
    step(&mut browser, 5);
    browser.evaluate(
        "(() => { const slider = document.querySelector('[aria-label=\"Weight of /light\"]'); \
         slider.value = 290; slider.dispatchEvent(new Event('change')); })()",
    );
    step(&mut browser, 1);
    add_reader(&mut browser, 3);
    wait_for_weight(&mut browser, 290, 794);
    click(&mut browser, "link");
    wait_until(&mut browser, "location.hash.startsWith('#setup=')");
    let fragment = browser.evaluate("location.hash");
    browser.load_url(&format!("{address}?again{}", fragment.as_str().unwrap()));
    wait_for(&mut browser, &["ready"]);
    wait_for_weight(&mut browser, 200, 100);
    step(&mut browser, 5);
    click(&mut browser, "run");
    wait_for_weight(&mut browser, 290, 794);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn an_added_job_loses_nothing_that_was_typed() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    stand(&mut browser);
    step(&mut browser, 1);
    let typed = "[mine]\nrw=read\nsize=1m\n";
    choose(&mut browser, "job-file", typed, "input");
    add_reader(&mut browser, 3);
    let told = format!("{}.textContent.startsWith('The job is in the load')", at("status"));
    wait_until(&mut browser, &told);
    let text = browser.evaluate(&format!("{}.value", at("job-file")));
    let text = text.as_str().unwrap();
    let setup = call(&mut browser, &json!("setup"));
    let added = text.strip_prefix(typed).expect(text);
    assert!(added.contains("[reader-1]") && added.contains("startdelay="), "{text}");
    assert!(setup["job_file"].as_str().unwrap().ends_with(added), "{setup}");
    assert!(!setup["job_file"].as_str().unwrap().contains("[mine]"), "{setup}");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

/// Options that would make another job of one that is added.
const GLOBAL: &str = "\
[global]
size=1g
numjobs=2
ioengine=libaio
iodepth=16
thinktime=1000
rate=64k
prio=7
bssplit=4k/50:8k/50
[mine]
rw=read
";

#[test]
fn an_added_job_is_as_its_button_says_whatever_is_global() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    begin_with(&mut browser, GLOBAL);
    for (number, kind) in ["reader", "seeker", "writer"].iter().enumerate() {
        click(&mut browser, &format!("add-{kind}"));
        let rows = "document.querySelectorAll('#figures tbody tr').length";
        wait_until(&mut browser, &format!("{rows} === {}", number + 3));
    }
    let mut setup = call(&mut browser, &json!("setup"));
    // The others last a minute.
    let text = setup["job_file"].as_str().unwrap().replace("runtime=60", "runtime=2");
    setup["job_file"] = text.replacen("[mine]\n", "[mine]\ntime_based\nruntime=3\n", 1).into();
    let result = call(&mut browser, &json!({ "result": setup }));
    let result: Value = serde_json::from_str(result.as_str().unwrap()).unwrap();
    let jobs = result["runs"][0]["fio"]["jobs"].as_array().unwrap();
    let ios = |job: &Value, how: &str| job[how]["total_ios"].as_u64().unwrap();
    let bytes = |job: &Value, how: &str| job[how]["io_bytes"].as_u64().unwrap();
    for (job, how, size) in [(2, "read", 128 << 10), (3, "read", 4 << 10), (4, "write", 256 << 10)]
    {
        let job = &jobs[job];
        assert!(ios(job, how) > 0, "{job}");
        assert_eq!(bytes(job, how), ios(job, how) * size);
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn a_job_that_would_wait_is_not_added() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    let text = "[a]\nrw=read\nsize=8g\n[b]\nstonewall\nrw=read\nsize=8g\n";
    begin_with(&mut browser, text);
    click(&mut browser, "add-reader");
    wait_until(&mut browser, &mistake_begins("job b has stonewall: "));
    assert_eq!(browser.evaluate(&has("job-file", &json!(text).to_string())), json!(true));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn what_is_not_kept_is_said() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&address);
    wait_for(&mut browser, &["running"]);
    let told = browser.evaluate(
        "Promise.all([import('./history.js'), import('./lane.js')]).then(([{ History }, { Lane }]) \
         => { const about = { schedulers: ['none'], processes: ['a'], job_of: [0], groups: [] }; \
         const history = new History(about, 0); \
         const frame = (requests) => ({ now_ns: 1e9, has_ended: false, waiting: 0, in_flight: 0, \
         processes: [{ bytes: 0 }], timeline: { who: [{ name: 'a', job: 0 }], requests } }); \
         const lane = new Lane(history, 0, () => {}); document.body.append(lane.figure); \
         const told = () => { lane.draw(1e9, 1e9); return lane.told.textContent; }; \
         history.take(frame([[0, 1000, 0, 'R', 0, 8, 1]])); const all = told(); \
         history.take(frame(Array.from({ length: 130000 }, (_, n) => \
         [n * 5000, n * 5000 + 4000, 0, 'R', 0, 8, 1]))); \
         return [all, told(), history.keptNs, history.requests[0].until]; })",
    );
    assert!(!told[0].as_str().unwrap().contains("kept"), "{told}");
    assert!(told[1].as_str().unwrap().ends_with(" s not all is kept"), "{told}");
    assert_eq!(told[2].as_u64().unwrap() + 5_000, told[3].as_u64().unwrap(), "{told}");
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn a_share_is_due_where_weights_alone_decide() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&address);
    wait_for(&mut browser, &["running"]);
    // Groups of three processes, their priorities, who is served, and what is due to them.
    let (same, other) = ([1, 4], [1, 7]);
    for (groups, priorities, rates, due) in [
        (json!(["/a", "/b", "/b/c"]), [same, same, same], [1, 1, 0], json!(["25 %", "75 %", null])),
        (json!(["/a", "/b", "/b/c"]), [same, same, same], [1, 0, 1], json!(["25 %", null, "75 %"])),
        (json!(["/a", "/b", "/b/c"]), [same, same, same], [1, 1, 1], json!([null, null, null])),
        (json!(["/a", "/b", "/b"]), [same, same, other], [1, 1, 1], json!([null, null, null])),
        (
            json!(["/a", "/b", "/b"]),
            [other, same, same],
            [1, 1, 1],
            json!(["25 %", "38 %", "38 %"]),
        ),
        (json!(["/a", "/b", "/b"]), [same, same, other], [1, 1, 0], json!(["25 %", "75 %", null])),
        (json!(["/a", null, "/b"]), [same, same, same], [1, 1, 1], json!([null, null, null])),
    ] {
        let shown = browser.evaluate(&format!(
            "import('./figures.js').then(({{ Figures }}) => {{ \
             const about = {{ processes: ['x', 'y', 'z'], job_of: [0, 1, 2], \
             groups_of_jobs: {groups}, priorities_of_jobs: {}, groups: [['/a', 100], ['/b', 300], \
             ['/b/c', 100]].map(([path, weight]) => ({{ path, weight }})) }}; \
             const history = {{ name: 'bfq', samples: [0], rates: () => {}, meanNs: () => null, \
             processes: [1, 2, 3].map(() => ({{ p99_ns: 0 }})) }}; \
             const table = document.createElement('table'); \
             new Figures(table, about, [history], () => {{}}).draw(); \
             return [...table.querySelectorAll('.share')].map(({{ nextSibling }}) => \
             nextSibling.textContent.split(' of ')[1] ?? null); }})",
            json!(priorities),
            json!(rates)
        ));
        assert_eq!(shown, due, "{groups} {priorities:?} {rates:?}");
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
