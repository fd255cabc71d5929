// SPDX-License-Identifier: MIT OR Apache-2.0
// The table of processes: shares against weights, throughput and latencies under each scheduler.

import { bytes, colour, element, time } from "./words.js";

// Between two weights that count while one is dragged: each is a change that a link holds.
const APART_MS = 100;

// What is told of a process under each scheduler.
const COLUMNS = ["share, and its due", "bytes a second", "mean latency", "99 % within"];

export class Figures {
  constructor(table, about, histories, setWeight) {
    Object.assign(this, { table, about, histories });
    // Two rows, so that each column is told with its scheduler.
    const [groups, head] = [element("tr"), element("tr")];
    const both = { scope: "col", rowspan: 2 };
    groups.append(element("th", "Process", both));
    if (about.groups.length > 0) groups.append(element("th", "Weight", both));
    for (const { name } of histories) {
      groups.append(element("th", name, { scope: "colgroup", colspan: COLUMNS.length }));
      head.append(...COLUMNS.map((title) => element("th", title, { scope: "col" })));
    }
    const body = element("tbody");
    // What shows the weight of each group anew.
    this.shown = new Map();
    this.rows = about.processes.map((name, place) => this.#row(body, name, place, setWeight));
    const thead = element("thead");
    thead.append(groups, head);
    table.setAttribute("aria-label", "What each process gets");
    table.replaceChildren(thead, body);
  }

  #row(body, name, place, setWeight) {
    const row = element("tr");
    const label = element("th", "", { scope: "row" });
    const background = `background: var(--c${colour(place)})`;
    label.append(element("span", "", { class: "swatch", style: background }), name);
    row.append(label);
    if (this.about.groups.length > 0) row.append(this.#weight(place, setWeight));
    const cells = this.histories.map(() => {
      const cell = { share: element("td"), bar: element("span", "", { class: "share" }) };
      cell.fill = element("i", "", { style: background });
      cell.due = element("b");
      cell.text = element("span");
      cell.bar.append(cell.fill, cell.due);
      cell.share.append(cell.bar, cell.text);
      cell.rest = [0, 1, 2].map(() => element("td", "", { class: "number" }));
      row.append(cell.share, ...cell.rest);
      return cell;
    });
    body.append(row);
    return cells;
  }

  // The first process of a group has the group's weight, to be dragged.
  #weight(place, setWeight) {
    const cell = element("td");
    const group = this.#groupOf(place);
    const others = this.about.processes.findIndex((_, other) => this.#groupOf(other) === group);
    const found = this.about.groups.find(({ path }) => path === group);
    if (found && others === place) this.#slider(cell, found, setWeight);
    return cell;
  }

  // From 1 to 1000 by powers. It counts while it is dragged, too.
  #slider(cell, found, setWeight) {
    const range = { type: "range", min: 0, max: 300, "aria-label": `Weight of ${found.path}` };
    const slider = element("input", "", range);
    // The slider itself tells screen readers its value.
    const told = element("span");
    const weight = () => Math.round(10 ** (slider.value / 100));
    const tell = (number) => {
      told.textContent = ` ${number}`;
      slider.setAttribute("aria-valuetext", number);
    };
    const show = () => {
      slider.value = Math.round(100 * Math.log10(found.weight));
      tell(found.weight);
    };
    show();
    let setMs = -APART_MS;
    const set = () => {
      if (weight() === found.weight) return;
      setMs = performance.now();
      found.weight = weight();
      setWeight(found.path, found.weight);
    };
    // While it is dragged the slider is the user's.
    let dragged = false;
    this.shown.set(found.path, () => {
      if (!dragged) show();
    });
    slider.addEventListener("input", () => {
      dragged = true;
      tell(weight());
      if (performance.now() - setMs >= APART_MS) set();
    });
    slider.addEventListener("change", () => {
      dragged = false;
      set();
    });
    cell.append(slider, told);
  }

  #groupOf(place) {
    return this.about.groups_of_jobs[this.about.job_of[place]];
  }

  // A group has this weight now, be it that a link changed it on the way.
  setWeight(group, weight) {
    const found = this.about.groups.find(({ path }) => path === group);
    if (!found || found.weight === weight) return;
    found.weight = weight;
    this.shown.get(group)?.();
  }

  #priorityOf(place) {
    return String(this.about.priorities_of_jobs[this.about.job_of[place]]);
  }

  // Draws what was got in the last second.
  draw() {
    this.histories.forEach((history, run) => {
      if (history.samples.length === 0) return;
      const rates = history.rates();
      const sum = rates.reduce((total, rate) => total + rate, 0);
      const due = this.#dues(rates);
      rates.forEach((rate, place) => {
        const { fill, due: mark, text, rest } = this.rows[place][run];
        const share = sum > 0 ? rate / sum : 0;
        fill.style.width = `${100 * share}%`;
        mark.hidden = due === null || rate === 0;
        if (!mark.hidden) mark.style.left = `${100 * due[place]}%`;
        text.textContent = `${Math.round(100 * share)} %` +
          (mark.hidden ? "" : ` of ${Math.round(100 * due[place])} %`);
        const mean = history.meanNs(place);
        const { p99_ns } = history.processes[place];
        rest[0].textContent = bytes(rate);
        rest[1].textContent = mean === null ? "–" : time(mean);
        rest[2].textContent = p99_ns > 0 ? time(p99_ns) : "–";
      });
    });
  }

  // The share that is due to each process by the weights of the groups, among those that were
  // served. None if processes compete by their priorities: with groups, or with each other.
  #dues(rates) {
    const active = rates.map((rate, place) => rate > 0 && this.#groupOf(place));
    const priorities = new Map();
    for (const [place, rate] of rates.entries()) {
      if (rate === 0) continue;
      const [path, priority] = [active[place], this.#priorityOf(place)];
      if (!path || (priorities.get(path) ?? priority) !== priority) return null;
      priorities.set(path, priority);
    }
    const isBelow = (path) => active.some((other) => other && other.startsWith(`${path}/`));
    if (active.some((path) => path && isBelow(path))) return null;
    const weights = new Map(this.about.groups.map(({ path, weight }) => [path, weight]));
    const busy = new Set();
    for (const path of active.filter(Boolean)) {
      const parts = path.split("/").slice(1);
      parts.forEach((_, depth) => busy.add(`/${parts.slice(0, depth + 1).join("/")}`));
    }
    const parent = (path) => path.slice(0, path.lastIndexOf("/"));
    const shareOf = (path) => {
      if (path === "") return 1;
      const siblings = [...busy].filter((other) => parent(other) === parent(path));
      const sum = siblings.reduce((total, other) => total + weights.get(other), 0);
      return (shareOf(parent(path)) * weights.get(path)) / sum;
    };
    return active.map((path) => {
      if (!path) return 0;
      return shareOf(path) / active.filter((other) => other === path).length;
    });
  }
}
