// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the playground shows fits together: after a load of one's own, a mistake, an address that
//! opens nothing, lessons in a quick row, and the end of a run.

mod browser;

use browser::playground::{
    at, begin, choose, click, has, mistake_begins, page, wait_for, wait_until,
};
use serde_json::json;

#[test]
fn a_load_of_ones_own_is_of_no_lesson() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=groups"));
    wait_for(&mut browser, &["running"]);
    choose(&mut browser, "lesson", "", "change");
    for (id, what) in [("lesson", "''"), ("lesson-text", "''"), ("mistake", "''")] {
        assert_eq!(browser.evaluate(&has(id, what)), json!(true), "{id}");
    }
    assert_eq!(browser.evaluate("location.hash"), json!(""));
    assert_eq!(browser.evaluate("document.title"), json!("bfq playground"));
    let kept = format!("{}.value.includes('[')", at("job-file"));
    assert_eq!(browser.evaluate(&kept), json!(true), "the form stays as it is");

    browser.load_url(&format!("{address}?again#lesson=groups"));
    wait_for(&mut browser, &["running"]);
    choose(&mut browser, "job-file", "[mine]\ndirect=1\nrw=read\nsize=1m\n", "input");
    begin(&mut browser);
    wait_until(&mut browser, &format!("{}.textContent.includes('playground.fio')", at("command")));
    for id in ["lesson", "lesson-text"] {
        assert_eq!(browser.evaluate(&has(id, "''")), json!(true), "{id}");
    }
    assert_eq!(browser.evaluate("location.hash"), json!(""));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn an_address_that_opens_nothing_opens_the_first_lesson() {
    let Some((mut browser, address)) = page() else { return };
    for (fragment, said) in [
        ("lesson=", ""),
        ("lesson=nosuch", "There is no lesson nosuch: "),
        ("setup=AAAA", "The link is cut off or wrong: "),
        ("setup=q1YqAgA", "The link is cut off or wrong: "),
        // `{}`, `5`, `null`, and a setup without a job file.
        ("setup=q64FAA", "The link is cut off or wrong: "),
        ("setup=MwUA", "The link is cut off or wrong: "),
        ("setup=yyvNyQEA", "The link is cut off or wrong: "),
        (
            "setup=q1ZKSS3LTE5VslJQykhJ0U1JLc4uyS9Q0lFQKk7OSE0pzUktKgZJJqUVKtUCAA",
            "The link is cut off or wrong: ",
        ),
    ] {
        browser.load_url(&format!("{address}?{}#{fragment}", fragment.replace('=', "-")));
        wait_for(&mut browser, &["running", "ended"]);
        let told = format!("{}.textContent.startsWith({})", at("status"), json!(said));
        wait_until(&mut browser, &told);
        let first = format!("{}.selectedIndex", at("lesson"));
        assert_eq!(browser.evaluate(&first), json!(1), "{fragment}");
    }
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn after_a_mistake_nothing_that_is_shown_can_be_used() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    choose(&mut browser, "job-file", "[x]\nrw=reed\n", "input");
    begin(&mut browser);
    wait_until(&mut browser, &mistake_begins("playground.fio:2: bad value"));
    for id in ["save", "link", "run", "step"] {
        wait_until(&mut browser, &format!("{}.disabled", at(id)));
    }
    for id in ["lanes", "figures"] {
        assert_eq!(browser.evaluate(&format!("{}.inert", at(id))), json!(true), "{id}");
    }
    assert_eq!(browser.evaluate(&has("command", "'bfq sim'")), json!(true));
    browser.evaluate(
        "(() => { const slider = document.querySelector('input[type=range]'); slider.value = 250; \
         slider.dispatchEvent(new Event('change')); })()",
    );
    browser.settle();
    assert_eq!(browser.evaluate(&mistake_begins("playground.fio:2: bad value")), json!(true));

    choose(&mut browser, "job-file", "[x]\ndirect=1\nrw=read\nsize=1m\n", "input");
    begin(&mut browser);
    wait_until(&mut browser, &format!("{}.hidden && !{}.disabled", at("mistake"), at("save")));
    assert_eq!(browser.evaluate(&format!("{}.inert", at("lanes"))), json!(false));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn what_is_asked_while_a_mistake_is_found_does_not_hide_it() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    choose(&mut browser, "job-file", "[x]\nrw=reed\n", "input");
    browser.evaluate(
        "(() => { document.querySelector('#setup button.main').click(); \
         const slider = document.querySelector('input[type=range]'); slider.value = 250; \
         slider.dispatchEvent(new Event('change')); \
         for (const id of ['add-reader', 'save']) document.getElementById(id).click(); })()",
    );
    wait_until(&mut browser, &format!("{}.disabled", at("save")));
    // What the page has asked the simulator is answered before this.
    browser.evaluate("import('./engine.js').then(({ call }) => call('lists'))");
    browser.settle();
    assert_eq!(browser.evaluate(&mistake_begins("playground.fio:2: bad value")), json!(true));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn of_lessons_in_a_quick_row_the_last_is_shown() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    // The earlier ones are answered later.
    browser.evaluate(
        "(() => { const real = window.fetch; let late = 600; window.fetch = async (...all) => { \
         late -= 200; const wait = late; const answer = await real(...all); \
         await new Promise((done) => setTimeout(done, wait)); window.answered = \
         (window.answered ?? 0) + 1; return answer; }; })()",
    );
    for lesson in ["film", "burst", "groups"] {
        choose(&mut browser, "lesson", lesson, "change");
    }
    wait_until(&mut browser, "window.answered === 3");
    wait_until(&mut browser, &format!("{}.textContent.includes('groups.fio')", at("command")));
    browser.settle();
    assert_eq!(browser.evaluate(&has("lesson", "'groups'")), json!(true));
    assert_eq!(browser.evaluate("location.hash"), json!("#lesson=groups"));
    let shown = format!("{}.textContent.includes('groups.fio')", at("command"));
    assert_eq!(browser.evaluate(&shown), json!(true));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn a_weight_cannot_be_dragged_when_all_is_over() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    let sliders = "[...document.querySelectorAll('#figures input')].map((one) => one.disabled)";
    assert_eq!(browser.evaluate(sliders)[0], json!(false));
    let text = "[a]\ncgroup=a\ncgroup_weight=100\ndirect=1\nrw=read\nsize=1m\n";
    choose(&mut browser, "job-file", text, "input");
    choose(&mut browser, "speed", "100", "change");
    begin(&mut browser);
    wait_until(&mut browser, &format!("{}.textContent.includes('playground.fio')", at("command")));
    wait_for(&mut browser, &["ended"]);
    wait_until(&mut browser, &format!("({sliders}).every(Boolean)"));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn a_seed_is_a_whole_number_that_javascript_can_tell() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    for seed in ["1.5", "-1", "1e30", "9007199254740993", ""] {
        choose(&mut browser, "seed", seed, "input");
        begin(&mut browser);
        let told =
            format!("seed {}: expected a whole", if seed.is_empty() { "(none)" } else { seed });
        wait_until(&mut browser, &mistake_begins(&told));
    }
    choose(&mut browser, "seed", "9007199254740991", "input");
    begin(&mut browser);
    let command = format!("{}.textContent.endsWith('--seed 9007199254740991')", at("command"));
    wait_until(&mut browser, &command);
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}

#[test]
fn the_page_leaves_screen_readers_and_the_browser_their_own() {
    let Some((mut browser, address)) = page() else { return };
    browser.load_url(&format!("{address}#lesson=shares"));
    wait_for(&mut browser, &["running"]);
    click(&mut browser, "run");
    wait_for(&mut browser, &["ready"]);
    // What changes at every picture is not told.
    assert_eq!(browser.evaluate("document.querySelectorAll('output').length"), json!(0));
    assert_eq!(browser.evaluate(&format!("{}.ariaLive", at("now"))), json!("off"));
    // Each column is told with its scheduler.
    let heads = "[...document.querySelectorAll('#figures thead tr')].map((row) => [...row.cells]\
                 .map(({ scope, colSpan, rowSpan }) => [scope, colSpan, rowSpan]))";
    let [group, both, one] =
        [json!(["colgroup", 4, 1]), json!(["col", 1, 2]), json!(["col", 1, 1])];
    let schedulers = browser.count("canvas") as usize;
    let first: Vec<_> = [vec![both; 2], vec![group; schedulers]].concat();
    assert_eq!(browser.evaluate(heads), json!([first, vec![one; 4 * schedulers]]));
    // Keys with modifiers are the browser's, arrows in what scrolls are for that.
    let key = "(where, key, more) => !where.dispatchEvent(new KeyboardEvent('keydown', \
               { key, bubbles: true, cancelable: true, ...more }))";
    for (place, more, taken) in [
        ("document.body", "{}", true),
        ("document.body", "{ altKey: true }", false),
        ("document.body", "{ ctrlKey: true }", false),
        ("document.body", "{ metaKey: true }", false),
        ("document.querySelector('canvas')", "{}", true),
        ("document.querySelector('canvas')", "{ altKey: true }", false),
        ("document.querySelector('.scroll')", "{}", false),
    ] {
        let pressed = format!("({key})({place}, 'ArrowRight', {more})");
        assert_eq!(browser.evaluate(&pressed), json!(taken), "{place} {more}");
    }
    let family = format!("getComputedStyle({}).fontFamily", at("job-file"));
    assert!(browser.evaluate(&family).as_str().unwrap().contains("monospace"));
    assert!(browser.complaints.is_empty(), "{:#?}", browser.complaints);
}
