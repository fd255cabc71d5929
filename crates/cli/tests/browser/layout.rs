// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every page promises whatever its width and font: nothing is wider than the window, no text
//! lies over another or over data, no name breaks in the middle of a part.

use super::Browser;
use serde_json::json;

/// The widths, pixels, and whether it is a phone.
const WIDTHS: [(u32, bool); 3] = [(320, true), (390, true), (1280, false)];

/// Letters farther apart than those of any usual font: with it the font that a machine happens to
/// have does not matter.
const WIDE: &str = "* { letter-spacing: .12em !important; word-spacing: .12em !important }";

/// What does not fit into the width of the window, and is not in something that scrolls.
pub const TOO_WIDE: &str = "
    [...document.body.querySelectorAll('*')]
        .filter((one) => !one.closest('.scroll') && !one.closest('svg') && !one.closest('option'))
        .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .map((one) => one.tagName + '.' + one.className).join(' ')
        + (document.documentElement.scrollWidth > document.documentElement.clientWidth
            ? ' the page' : '')";

/// Texts that lie over each other or over data, and names that are broken: a line each.
const COLLISIONS: &str = r#"(() => {
    const shown = (one) => one.checkVisibility({ visibilityProperty: true });
    /** A box without what an ancestor hides. */
    const clipped = (box, one) => {
        let { left, right, top, bottom } = box;
        for (let at = one; at && at !== document.body; at = at.parentElement) {
            if (at instanceof SVGElement && at.ownerSVGElement) continue;
            const style = getComputedStyle(at);
            if (at.tagName !== 'svg' && style.overflowX === 'visible') continue;
            const limit = at.getBoundingClientRect();
            if (at.tagName === 'svg' && !one.closest('.view')) continue;
            left = Math.max(left, limit.left); right = Math.min(right, limit.right);
            top = Math.max(top, limit.top); bottom = Math.min(bottom, limit.bottom);
        }
        return { left, right, top, bottom };
    };
    const range = document.createRange();
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const problems = new Set();
    while (walker.nextNode()) {
        const node = walker.currentNode, parent = node.parentElement;
        const text = node.textContent.trim();
        if (!text || parent.closest('script, style, title, desc, noscript, option') || !shown(parent)) continue;
        range.selectNodeContents(node);
        const boxes = parent.closest('svg') ? [parent.getBoundingClientRect()] : range.getClientRects();
        for (const whole of boxes) {
            const box = clipped(whole, parent);
            // A line is higher than its letters.
            const slack = (box.bottom - box.top) * .2;
            box.top += slack; box.bottom -= slack;
            if (box.right - box.left > 1 && box.bottom - box.top > 1) texts.push({ ...box, text, node });
        }
        if (!parent.closest('.label, .panel > .name, .legend, .lane, thead')) continue;
        for (const part of node.textContent.matchAll(/[^\s:,\/]{1,22}/g)) {
            if (node.textContent.match(/[^\s:,\/]{23,}/)) continue;
            range.setStart(node, part.index);
            range.setEnd(node, part.index + part[0].length);
            const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
            if (lines.size > 1) problems.add(`broken: ${part[0]}`);
        }
    }
    const data = [...document.querySelectorAll('main svg :is(rect, path, line, circle)')]
        .filter((one) => shown(one) && !one.closest('.legend') && !one.matches('.grid, .base, .even'))
        .map((one) => ({ ...clipped(one.getBoundingClientRect(), one), text: `<${one.tagName} ${one.getAttribute('class')}>` }))
        .filter((box) => box.right > box.left && box.bottom > box.top);
    const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    texts.sort((one, other) => one.top - other.top);
    texts.forEach((one, place) => {
        for (let next = place + 1; next < texts.length && texts[next].top < one.bottom; next++) {
            if (one.node !== texts[next].node && over(one, texts[next])) problems.add(`${one.text} | ${texts[next].text}`);
        }
    });
    data.sort((one, other) => one.top - other.top);
    const highest = Math.max(0, ...data.map((one) => one.bottom - one.top));
    let from = 0;
    for (const text of texts) {
        while (from < data.length && data[from].top < text.top - highest) from++;
        for (let at = from; at < data.length && data[at].top < text.bottom; at++) {
            if (over(text, data[at])) problems.add(`${text.text} | ${data[at].text}`);
        }
    }
    return [...problems].slice(0, 12).join('\n');
})()"#;

/// Checks the page that is open in all widths, with the machine's own font and with a wide one.
pub fn check(browser: &mut Browser, what: &str) {
    for wide in [false, true] {
        browser.evaluate(&format!(
            "(() => {{
                document.querySelector('style.wide')?.remove();
                const style = document.createElement('style');
                style.className = 'wide';
                style.textContent = {};
                document.head.append(style);
            }})()",
            json!(if wide { WIDE } else { "" }),
        ));
        for (width, mobile) in WIDTHS {
            browser.resize(width, 800, mobile);
            browser.settle();
            let place = format!("{what} at {width} pixels, wide letters: {wide}");
            assert_eq!(browser.evaluate(TOO_WIDE), json!(""), "{place}");
            let collisions = browser.evaluate(COLLISIONS);
            assert_eq!(collisions, json!(""), "{place}");
        }
    }
    browser.evaluate("document.querySelector('style.wide').remove()");
}

/// That the check of a page finds what is wrong with it.
pub fn finds_what_is_wrong(browser: &mut Browser) {
    for (markup, problem) in [
        ("<p>one</p><p style='margin-top:-1.5em'>two</p>", "one | two"),
        (
            "<svg width='90' height='20'><text y='14'>1.0</text><rect width='9' \
                height='20'/></svg>",
            "1.0 | <rect null>",
        ),
        ("<div class='label' style='width:3em;overflow-wrap:anywhere'>mq-deadline</div>", "broken"),
    ] {
        let page = json!(format!("<main style='font:16px monospace'>{markup}</main>"));
        browser.evaluate(&format!("document.body.innerHTML = {page}"));
        let found = browser.evaluate(COLLISIONS);
        assert!(found.as_str().unwrap().contains(problem), "{markup}: {found}");
    }
    browser.evaluate("document.body.innerHTML = '<div style=\"width:500vw\">wide</div>'");
    assert_eq!(browser.evaluate(TOO_WIDE), json!("DIV. the page"));
}
