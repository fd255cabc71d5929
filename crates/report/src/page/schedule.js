// SPDX-License-Identifier: MIT OR Apache-2.0
"use strict";
// Zooming and reading of schedules.

const REASONS = document.body.dataset.reasons.split("|");
const SVG = "http://www.w3.org/2000/svg";

/** 1, 2 or 5 times a power of ten, so that `span` has about `count` of it. */
function step(span, count) {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
}

function showTime(ns) {
  const [unit, name] = ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return (ns / unit).toPrecision(4).replace(/\.?0+$/, "") + " " + name;
}

class Schedule {
  constructor(figure) {
    this.figure = figure;
    const number = (text) => text.split(" ").map(Number);
    [this.from, this.until] = [Number(figure.dataset.from), Number(figure.dataset.until)];
    this.home = number(figure.dataset.seen);
    this.units = Number(figure.dataset.units);
    this.views = [...figure.querySelectorAll("svg.view")];
    this.output = figure.querySelector("output");
    this.read_turns = new Map();
    this.turn = -1;
    this.tools = figure.querySelector(".zoom");
    this.tools.hidden = false;
    this.tools.addEventListener("click", (event) => {
      const action = event.target.dataset.zoom;
      if (action) this.act(action);
    });
    figure.addEventListener("keydown", (event) => this.key(event));
    for (const view of this.views) this.watch(view);
    this.seen = this.home;
    new ResizeObserver(() => this.show(...this.seen)).observe(figure);
  }

  /** Shows the time from `from` to `until`, ns, in all panels. */
  show(from, until) {
    const least = (this.until - this.from) / this.units;
    const span = Math.min(Math.max(until - from, 20 * least), this.until - this.from);
    const begin = Math.min(Math.max(from, this.from), this.until - span);
    this.seen = [begin, begin + span];
    const units = (ns) => (ns - this.from) / (this.until - this.from) * this.units;
    for (const view of this.views) {
      const height = view.viewBox.baseVal.height;
      const width = units(begin + span) - units(begin);
      view.setAttribute("viewBox", `${units(begin)} 0 ${width} ${height}`);
      this.axis(view.parentNode.querySelector(".ticks"), height + 14);
    }
  }

  /** As many ticks as have room for their texts, whatever the font. */
  axis(ticks, y) {
    for (let count = 8; count >= 1; count--) {
      ticks.replaceChildren(...this.ticks(count, y));
      const boxes = [...ticks.children].map((text) => text.getBoundingClientRect());
      if (boxes.every((box, place) => place === 0 || box.left > boxes[place - 1].right + 6)) return;
    }
    ticks.replaceChildren(...[...ticks.children].slice(0, 1));
  }

  ticks(count, y) {
    const [from, until] = this.seen;
    const [unit, name] = until < 1e6 ? [1e3, "µs"] : until < 1e9 ? [1e6, "ms"] : [1e9, "s"];
    const by = step((until - from) / unit, count);
    const decimals = Math.max(0, -Math.floor(Math.log10(by)));
    const texts = [];
    for (let at = Math.ceil(from / unit / by) * by; at * unit <= until; at += by) {
      const percent = (at * unit - from) / (until - from) * 100;
      const text = document.createElementNS(SVG, "text");
      text.setAttribute("x", percent.toFixed(2) + "%");
      text.setAttribute("y", y);
      text.setAttribute("text-anchor", percent < 6 ? "start" : percent > 94 ? "end" : "middle");
      text.textContent = at.toFixed(decimals);
      texts.push(text);
    }
    if (texts.length) texts[texts.length - 1].textContent += " " + name;
    return texts;
  }

  act(action) {
    const [from, until] = this.seen;
    const span = until - from;
    if (action === "in") this.show(from + span / 4, until - span / 4);
    if (action === "out") this.show(from - span / 2, until + span / 2);
    if (action === "left") this.show(from - span / 4, until - span / 4);
    if (action === "right") this.show(from + span / 4, until + span / 4);
    if (action === "reset") this.show(...this.home);
    if (action === "all") this.show(this.from, this.until);
    if (action === "next" || action === "previous") this.step(action === "next" ? 1 : -1);
    else this.say(`${showTime(this.seen[0])} to ${showTime(this.seen[1])} of the run`);
  }

  key(event) {
    const actions = {
      "+": "in", "=": "in", "-": "out", "ArrowLeft": "left", "ArrowRight": "right",
      "0": "reset", "a": "all", "n": "next", "p": "previous",
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.act(action);
  }

  say(text) { this.output.textContent = text; }

  /** The turns of a panel: begin and end in ns, lane, reason. */
  turns(view) {
    if (!this.read_turns.has(view)) this.read_turns.set(view, this.parse(view));
    return this.read_turns.get(view);
  }

  parse(view) {
    const ns = (units) => this.from + units / this.units * (this.until - this.from);
    return (view.dataset.turns || "").split(";").filter(Boolean).map((entry) => {
      const [from, length, lane, reason] = entry.split(",").map(Number);
      return { from: ns(from), until: ns(from + length), lane, reason };
    });
  }

  read(view, turn) {
    const names = view.closest(".frame").querySelectorAll(".lane");
    const who = names[turn.lane] ? names[turn.lane].textContent : "?";
    return `${who}: ${showTime(turn.from)} to ${showTime(turn.until)} ` +
      `(${showTime(turn.until - turn.from)}), ended: ${REASONS[turn.reason]}`;
  }

  /** Reads out the next or previous turn of the first panel that has any. */
  step(by) {
    const view = this.views.find((one) => one.dataset.turns);
    if (!view) return this.say("no turns are known here");
    const turns = this.turns(view);
    if (this.turn < 0) this.turn = turns.findIndex((one) => one.until > this.seen[0]) - by;
    this.turn = Math.min(Math.max(this.turn + by, 0), turns.length - 1);
    const turn = turns[this.turn];
    const span = this.seen[1] - this.seen[0];
    if (turn.from < this.seen[0] || turn.until > this.seen[1]) {
      this.show(turn.from - span / 4, turn.from + span * 3 / 4);
    }
    this.cursor(view, turn.from);
    this.say(this.read(view, turn));
  }

  cursor(view, ns) {
    for (const old of this.figure.querySelectorAll(".cursor")) old.remove();
    const line = document.createElementNS(SVG, "path");
    const x = (ns - this.from) / (this.until - this.from) * this.units;
    line.setAttribute("class", "cursor");
    line.setAttribute("d", `M${x} 0V${view.viewBox.baseVal.height}`);
    view.append(line);
  }

  /** Pointing reads a turn out; dragging zooms. */
  watch(view) {
    const frame = view.parentNode;
    const time = (event) => {
      const box = frame.getBoundingClientRect();
      const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      return this.seen[0] + part * (this.seen[1] - this.seen[0]);
    };
    let begin = null;
    frame.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button === 0) begin = time(event);
    });
    frame.addEventListener("pointermove", (event) => {
      const now = time(event);
      this.cursor(view, now);
      const turn = this.turns(view).find((one) => one.from <= now && now < one.until);
      this.say(turn ? this.read(view, turn) : showTime(now));
    });
    window.addEventListener("pointerup", (event) => {
      if (begin === null) return;
      const [from, until] = [begin, time(event)].sort((one, other) => one - other);
      begin = null;
      if (until - from > (this.seen[1] - this.seen[0]) / 100) this.show(from, until);
    });
  }
}
