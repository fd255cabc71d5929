// SPDX-License-Identifier: MIT OR Apache-2.0
"use strict";
// Shows what the server tells once a second: shares, throughput, latency, who waits for whom.

const COLOURS = 8;
const KEPT_MS = 30 * 60_000;
const SVG = "http://www.w3.org/2000/svg";

/** What was told so far: the time in ms, and what each tenant of each disk did since the last. */
const history = [];
const disks = document.getElementById("disks");
const state = document.getElementById("state");
/** Drawn panels by the names of disks, and colours by the names of tenants. */
const panels = new Map(), colours = new Map();
let last = null, minutes = 5, paused = false;

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const digits = (value) => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
const megabytes = (bytes) => digits(bytes / 1e6);
function time(ns) {
  if (ns < 1e3) return `${ns} ns`;
  const [unit, name] = ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${digits(ns / unit)} ${name}`;
}
/** What stands for a figure of requests where there were none. */
const DASH = "-";
const took = (ns) => ns ? time(ns) : DASH;
function size(bytes) {
  let value = bytes, place = 0;
  for (; value >= 1024 && place < 5; place++) value /= 1024;
  const unit = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][place];
  return `${place && value % 1 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
function duration(ns) {
  const seconds = Math.floor(ns / 1e9);
  const parts = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
  ];
  const said = parts.filter(([value]) => value).map(([value, unit]) => `${value} ${unit}`);
  return said.length ? said.join(" ") : `${seconds} s`;
}
const named = (name) => name || "(default)";

/**
 * The tenants, each directly below the one that it is part of, with the number of those that it is
 * in: as `bfq ctl tenants` has them. (That no tenant is above itself the server sees to.)
 */
function belowTheirParents(tenants) {
  const ordered = [];
  const add = (tenant, depth) => {
    ordered.push([tenant, depth]);
    for (const other of tenants) if (other.parent === tenant.name) add(other, depth + 1);
  };
  for (const tenant of tenants) {
    if (!tenants.some((other) => other.name === tenant.parent)) add(tenant, 0);
  }
  return ordered;
}
/** Whether a tenant has no requests of its own: 0 would say that nothing waits in its parts. */
function onlyGroups(disk, tenant) {
  return disk.tenants.some((other) => other.parent === tenant.name)
    && !disk.exports.some((one) => one.tenant === tenant.name);
}

/** An element with a class, texts and children. */
function element(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}
function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
function colour(tenant) {
  if (!colours.has(tenant)) colours.set(tenant, `var(--c${colours.size % COLOURS})`);
  return colours.get(tenant);
}

/** A chart over time of one value of each tenant. */
class Chart {
  constructor(title, unit, value, logarithmic, written) {
    Object.assign(this, { value, logarithmic, written, at: null });
    const view = { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" };
    this.svg = drawn("svg", view);
    this.up = element("div", "up");
    this.from = element("span");
    this.said = element("output");
    const caption = element("figcaption", "", `${title} `, element("small", "", unit));
    const along = element("div", "along", this.from, element("span", "", "now"));
    const chart = element("div", "chart", this.up, this.svg, along);
    this.figure = element("figure", "", caption, chart, this.said);
    this.figure.tabIndex = 0;
    this.figure.setAttribute("role", "group");
    const help = "left and right show the values of a moment, Escape the last ones";
    this.figure.setAttribute("aria-label", `${title}: ${help}`);
    this.figure.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointermove", (event) => {
      const box = this.svg.getBoundingClientRect();
      this.move(Math.round((event.clientX - box.left) / box.width * this.shown.length - .5));
    });
    this.svg.addEventListener("pointerleave", () => { this.at = null; this.draw(); });
    this.shown = [];
  }
  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (step) this.move((this.at ?? this.shown.length - 1) + step);
    else if (event.key === "Escape") { this.at = null; this.draw(); }
    else return;
    event.preventDefault();
  }
  move(at) {
    this.at = Math.max(0, Math.min(this.shown.length - 1, at));
    this.draw();
  }
  /** Takes what is to be seen of a disk. */
  show(name, now) {
    // As long as there is less to see, the time shown is shorter, but a minute at least.
    const first = history[0]?.at ?? now;
    const from = Math.max(now - minutes * 60_000, Math.min(first, now - 60_000));
    const before = this.shown.length;
    this.shown = history.filter((point) => point.at >= from && point.disks.has(name))
      .map((point) => ({ at: point.at, tenants: point.disks.get(name) }));
    if (this.at !== null && paused === false && before === this.shown.length) {
      this.at = Math.max(0, this.at - 1);
    }
    Object.assign(this, { start: from, end: now });
    this.draw();
  }
  draw() {
    const names = new Set(this.shown.flatMap((point) => [...point.tenants.keys()]));
    const tenants = this.shown.flatMap((point) => [...point.tenants.values()]);
    const values = tenants.map(this.value).filter((value) => value > 0);
    const [low, high] = this.scale(values);
    const place = (value) =>
      this.logarithmic ? Math.log(value / low) / Math.log(high / low) : value / high;
    const across = (at) => (at - this.start) / (this.end - this.start) * 1000;
    const paths = [...names].map((name) => {
      let path = "", pen = "M";
      for (const point of this.shown) {
        const tenant = point.tenants.get(name);
        const value = tenant && this.value(tenant);
        if (value === undefined || (this.logarithmic && !(value > 0))) { pen = "M"; continue; }
        path += `${pen}${across(point.at).toFixed(1)} ${(100 - place(value) * 96 - 2).toFixed(2)}`;
        pen = "L";
      }
      return drawn("path", { d: path || "M0 0", stroke: colour(name) });
    });
    const at = this.shown[this.at ?? this.shown.length - 1];
    if (at && this.at !== null) {
      const x = across(at.at);
      paths.push(drawn("line", { class: "cursor", x1: x, x2: x, y1: 0, y2: 100 }));
    }
    this.svg.replaceChildren(...paths);
    this.up.replaceChildren(
      ...[high, low].map((value) => element("span", "", this.written(value))));
    this.from.textContent = `${duration((this.end - this.start) * 1e6)} ago`;
    const one = ([name, tenant]) => `${name} ${this.written(this.value(tenant))}`;
    const said = at && [...at.tenants].map(one).join(", ");
    const when = at && this.at !== null ? `${Math.round((this.end - at.at) / 1000)} s ago: ` : "";
    this.said.textContent = said ? when + said : "";
  }
  /** The least and the greatest value of the scale. */
  scale(values) {
    if (!values.length) return this.logarithmic ? [1e5, 1e7] : [0, 1e6];
    const most = Math.max(...values);
    if (this.logarithmic) {
      const least = Math.min(...values);
      return [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most * 1.01))];
    }
    const step = 10 ** Math.floor(Math.log10(most));
    return [0, Math.ceil(most * 1.02 / step) * step];
  }
}

/** What is seen of a disk. */
class Panel {
  constructor(name) {
    this.title = element("small");
    this.facts = element("p", "facts");
    this.shares = element("div", "shares");
    this.rows = element("tbody");
    this.charts = [
      new Chart("Throughput", "MB/s", (tenant) => tenant.rate, false, (value) => megabytes(value)),
      new Chart("Latency", "99 %", (tenant) => tenant.p99_ns, true, took),
    ];
    const heads = ["tenant", "weight", "MB/s", "IOPS", "median", "99 %", "worst", "waiting",
      "in flight", "memory", "errors"];
    const head = element("tr", "", ...heads.map((text, place) => {
      const cell = element("th", place ? "number" : "", text);
      cell.scope = "col";
      return cell;
    }));
    const caption = element("caption", "", "Tenants");
    const table = element("table", "", caption, element("thead", "", head), this.rows);
    const scroll = element("div", "scroll", table);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", `tenants of ${name}`);
    this.section = element("section", "disk", element("h2", "", `${name} `, this.title), this.facts,
      element("h3", "", "Shares, and who waits for whom"), this.shares,
      element("div", "charts", ...this.charts.map((chart) => chart.figure)), scroll);
    this.bars = new Map();
    disks.append(this.section);
  }
  show(disk, busy, done, now) {
    this.title.textContent = disk.description;
    const connections = disk.exports.map((one) =>
      `${named(one.name)} ${one.connections}${one.draining ? " (draining)" : ""}`);
    this.facts.textContent = [
      `scheduler ${disk.scheduler}`,
      `${disk.in_flight} of ${disk.depth} commands in flight`,
      `${disk.waiting} waiting`,
      `busy ${percent(busy)}`,
      `connections: ${connections.join(", ") || "none"}`,
    ].join(" · ");
    for (const [name, bar] of this.bars) {
      if (disk.tenants.some((tenant) => tenant.name === name)) continue;
      bar.row.remove();
      this.bars.delete(name);
    }
    const ordered = belowTheirParents(disk.tenants);
    this.order(ordered.map(([tenant, depth]) => this.bar(tenant, depth)));
    const row = ([tenant, depth]) =>
      this.row(tenant, depth, done.get(tenant.name), onlyGroups(disk, tenant));
    this.rows.replaceChildren(...ordered.map(row));
    for (const chart of this.charts) chart.show(disk.name, now);
  }
  /** Moves the bars only if they stand otherwise: what is moved loses its transition. */
  order(bars) {
    if (bars.every((bar, place) => this.shares.children[place] === bar)) return;
    this.shares.replaceChildren(...bars);
  }
  bar(tenant, depth) {
    if (!this.bars.has(tenant.name)) {
      const [got, due, said] = ["got", "due", "wait"].map((name) => element("div", name));
      const name = element("div", "name", tenant.name);
      const row = element("div", "share", name, element("div", "bar", got, due), said);
      const bar = { got, due, said, row };
      bar.row.style.setProperty("--colour", colour(tenant.name));
      this.bars.set(tenant.name, bar);
    }
    const bar = this.bars.get(tenant.name);
    bar.row.style.setProperty("--depth", depth);
    bar.got.style.width = `${Math.min(1, tenant.share) * 100}%`;
    bar.due.style.left = `${Math.min(1, tenant.entitled) * 100}%`;
    const parts = [`${percent(tenant.share)} of ${percent(tenant.entitled)}`];
    if (tenant.waits_for) parts.push(" · waits for ", element("b", "", tenant.waits_for));
    bar.said.replaceChildren(...parts);
    return bar.row;
  }
  row(tenant, depth, done, isGroup) {
    const own = (figure) => isGroup ? DASH : figure;
    const { median_ns, p99_ns, worst_ns } = tenant.latency;
    const cells = [tenant.weight, own(megabytes(done?.rate ?? 0)), own(digits(done?.iops ?? 0)),
      took(median_ns), took(p99_ns), took(worst_ns), own(tenant.waiting), own(tenant.in_flight),
      own(size(tenant.memory_bytes)), own(tenant.errors)];
    const name = element("th", "", tenant.name);
    name.scope = "row";
    name.style.setProperty("--depth", depth);
    return element("tr", "", name, ...cells.map((text) => element("td", "number", String(text))));
  }
}

/** What a tenant did between two statuses. */
function since(tenant, before, seconds) {
  const sum = (counts, keys) => keys.reduce((total, key) => total + counts[key], 0);
  const rate = (keys) =>
    before ? Math.max(0, sum(tenant.done, keys) - sum(before.done, keys)) / seconds : 0;
  return {
    rate: rate(["read_bytes", "written_bytes"]),
    iops: rate(["reads", "writes"]),
    p99_ns: tenant.latency.p99_ns,
  };
}

function take(status) {
  const now = Date.now();
  const seconds = last ? Math.max(1e-3, (status.uptime_ns - last.uptime_ns) / 1e9) : 1;
  const point = { at: now, disks: new Map() };
  for (const disk of status.disks) {
    const before = last?.disks.find((other) => other.name === disk.name);
    const done = new Map(disk.tenants.map((tenant) => {
      const earlier = before?.tenants.find((other) => other.name === tenant.name);
      return [tenant.name, since(tenant, earlier, seconds)];
    }));
    if (before) point.disks.set(disk.name, done);
    if (paused) continue;
    if (!panels.has(disk.name)) panels.set(disk.name, new Panel(disk.name));
    const busy = before ? Math.min(1, (disk.busy_ns - before.busy_ns) / 1e9 / seconds) : 0;
    panels.get(disk.name).show(disk, busy, done, now);
  }
  if (!paused) {
    for (const [name, panel] of panels) {
      if (status.disks.some((disk) => disk.name === name)) continue;
      panel.section.remove();
      panels.delete(name);
    }
    document.getElementById("uptime").textContent =
      `Running for ${duration(status.uptime_ns)}; connections in their handshake: `
      + `${status.handshakes}, refused or closed: ${status.refused}.`;
  }
  history.push(point);
  while (history[0].at < now - KEPT_MS) history.shift();
  last = status;
}

function say(text, lost) {
  if (state.textContent !== text) state.textContent = text;
  document.body.classList.toggle("lost", lost);
}

const pause = document.getElementById("pause");
pause.addEventListener("click", () => {
  paused = !paused;
  pause.setAttribute("aria-pressed", String(paused));
  pause.textContent = paused ? "Go on (p)" : "Pause (p)";
  if (events.readyState === EventSource.OPEN) say(paused ? "Paused." : "Live.", false);
});
addEventListener("keydown", (event) => {
  if (event.key === "p" && !event.ctrlKey && !event.metaKey && !event.altKey) pause.click();
});
for (const button of document.querySelectorAll(".range")) {
  button.addEventListener("click", () => {
    minutes = Number(button.dataset.minutes);
    for (const other of document.querySelectorAll(".range")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    const now = history.at(-1)?.at ?? Date.now();
    for (const [name, panel] of panels) for (const chart of panel.charts) chart.show(name, now);
  });
}

const events = new EventSource("events");
events.addEventListener("message", (event) => {
  say(paused ? "Paused." : "Live.", false);
  take(JSON.parse(event.data));
});
events.addEventListener("error", () => say("The server does not answer; trying again.", true));
