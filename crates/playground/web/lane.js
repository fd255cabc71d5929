// SPDX-License-Identifier: MIT OR Apache-2.0
// The picture of a run: whose turn it is, who is served, where the head is; and who was clicked.

import { bytes, colour, time } from "./words.js";

const TURNS = 14;
const HEAD = 84;
const AXIS = 18;
const NEAR = 5;
// In a pixel's width more requests of the head's path are not told apart.
const IN_COLUMN = 4;

export class Lane {
  constructor(history, run, ask) {
    Object.assign(this, { history, run, ask, chosen: null });
    this.figure = document.createElement("figure");
    this.caption = document.createElement("figcaption");
    const title = document.createElement("h3");
    title.textContent = history.name;
    this.told = document.createElement("span");
    this.caption.append(title, this.told);
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    // Screen readers hand the arrow keys on to what is no text.
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "picture");
    this.canvas.setAttribute("aria-label", `Who is served when under ${history.name}`);
    this.figure.append(this.caption, this.canvas);
    this.canvas.addEventListener("click", (event) => this.#click(event));
    this.canvas.addEventListener("keydown", (event) => this.#press(event));
  }

  // Rows get lower when there are many.
  #rowHeight() {
    return Math.max(3, Math.min(18, Math.floor(240 / this.history.about.processes.length)));
  }

  #fit() {
    const width = this.canvas.clientWidth;
    const rows = this.history.about.processes.length * this.#rowHeight();
    const height = TURNS + 4 + rows + 8 + HEAD + AXIS;
    const scale = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale) || this.height !== height) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.height = `${height}px`;
    }
    this.gutter = width < 500 ? 70 : 116;
    Object.assign(this, { width, height, rows, scale });
  }

  // Draws the last `spanNs` up to `presentNs`.
  draw(presentNs, spanNs) {
    this.#fit();
    const style = getComputedStyle(document.documentElement);
    const paint = (name) => style.getPropertyValue(name).trim();
    this.paints = Array.from({ length: 8 }, (_, number) => paint(`--c${number}`));
    this.fromNs = Math.max(0, presentNs - spanNs);
    this.spanNs = spanNs;
    const context = this.canvas.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.#names(context, paint);
    this.#dropped(context, paint);
    this.#turns(context, paint);
    this.#served(context);
    this.#head(context, paint);
    this.#axis(context, paint);
    if (this.chosen) this.#frame(context, paint("--ink"));
    this.#tell();
  }

  #x(ns) {
    return this.gutter + ((ns - this.fromNs) / this.spanNs) * (this.width - this.gutter);
  }

  #top(place) {
    return TURNS + 4 + place * this.#rowHeight();
  }

  #paint(place) {
    return place < 0 ? this.paints[7] : this.paints[colour(place)];
  }

  #names(context, paint) {
    const height = this.#rowHeight();
    context.fillStyle = paint("--soft");
    context.fillText("turn", 4, TURNS / 2 + 1);
    const place = this.history.about.rotational ? "head" : "where";
    context.fillText(place, 4, this.#headTop() + HEAD / 2);
    if (height < 11) {
      context.fillText(`${this.history.about.processes.length} processes`, 4, this.#top(0) + 8);
      return;
    }
    context.fillStyle = paint("--ink");
    this.history.about.processes.forEach((name, place) => {
      context.fillText(name, 4, this.#top(place) + height / 2, this.gutter - 8);
      context.fillStyle = paint("--line");
      context.fillRect(this.gutter, this.#top(place) + height - 1, this.width, 1);
      context.fillStyle = paint("--ink");
    });
  }

  // The part of the time of which not all is kept is grey: that nothing is drawn there does not say
  // that the disk was idle.
  #dropped(context, paint) {
    const { keptNs } = this.history;
    if (keptNs <= this.fromNs) return;
    const width = Math.min(this.#x(keptNs), this.width) - this.gutter;
    context.fillStyle = paint("--line");
    context.fillRect(this.gutter, 0, width, this.#headTop() - 4);
    context.fillStyle = paint("--ink");
    context.fillText("not kept", this.gutter + 4, TURNS / 2 + 1, width);
  }

  // Whose turn it is; where the disk is kept idle for a process, a thin line.
  #turns(context, paint) {
    for (const { from, until, place } of this.#visible(this.history.turns)) {
      context.fillStyle = this.#paint(place);
      this.#bar(context, from, until, 3, TURNS - 4);
    }
    for (const { from, until } of this.#visible(this.history.waits)) {
      context.fillStyle = paint("--ground");
      this.#bar(context, from, until, 5, TURNS - 8);
    }
  }

  #bar(context, from, until, top, height) {
    const left = Math.max(this.gutter, this.#x(from));
    const right = this.#x(until);
    if (right > this.gutter) context.fillRect(left, top, Math.max(0.7, right - left), height);
  }

  #visible(list) {
    const end = this.fromNs + this.spanNs;
    // They are in the order of their ends.
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].until < this.fromNs) low = middle + 1;
      else high = middle;
    }
    return list.slice(low).filter(({ from }) => from <= end);
  }

  // Bars that would lie on the same pixel are drawn once.
  #served(context) {
    const height = Math.max(2, this.#rowHeight() - 4);
    const last = [];
    for (const { from, until, place } of this.#visible(this.history.requests)) {
      const pixel = Math.round(this.#x(until));
      if (place < 0 || (last[place] === pixel && until - from < this.spanNs / this.width)) continue;
      last[place] = pixel;
      context.fillStyle = this.#paint(place);
      this.#bar(context, from, until, this.#top(place) + 2, height);
    }
  }

  #headTop() {
    return TURNS + 4 + this.rows + 8;
  }

  #head(context, paint) {
    const top = this.#headTop();
    context.fillStyle = paint("--panel");
    context.fillRect(this.gutter, top, this.width - this.gutter, HEAD);
    const requests = this.#visible(this.history.requests);
    const sectors = this.#sectors(requests);
    const y = (sector) =>
      top + 3 + ((sector - sectors.least) / (sectors.most - sectors.least || 1)) * (HEAD - 6);
    let [column, drawn] = [-1, 0];
    for (const { from, until, place, first, end } of requests) {
      const x = Math.max(this.gutter, this.#x(from));
      drawn = Math.round(x) === column ? drawn + 1 : 0;
      column = Math.round(x);
      if (drawn >= IN_COLUMN) continue;
      context.fillStyle = context.strokeStyle = this.#paint(place);
      if (this.#x(until) - x < 2) {
        context.fillRect(x, y(end) - 1, 2, 2);
      } else {
        context.beginPath();
        context.moveTo(x, y(first));
        context.lineTo(this.#x(until), y(end));
        context.lineWidth = 1.8;
        context.stroke();
      }
    }
  }

  // The part of the disk that is in use, so that something can be told apart.
  #sectors(requests) {
    let least = Infinity;
    let most = 0;
    for (const { first, end } of requests) {
      least = Math.min(least, first);
      most = Math.max(most, end);
    }
    return { least, most };
  }

  #axis(context, paint) {
    const top = this.height - AXIS;
    const least = (this.spanNs * 70) / Math.max(1, this.width - this.gutter);
    const decade = 10 ** Math.floor(Math.log10(least));
    const tick = [1, 2, 5, 10].map((times) => times * decade).find((ns) => ns >= least);
    context.fillStyle = paint("--soft");
    const end = this.fromNs + this.spanNs;
    for (let at = Math.ceil(this.fromNs / tick) * tick; at <= end; at += tick) {
      const x = this.#x(at);
      context.fillRect(x, top, 1, 4);
      if (x < this.width - 40) context.fillText(time(at), x + 3, top + 10);
    }
  }

  #frame(context, ink) {
    const { place, from, until } = this.chosen;
    const left = Math.max(this.gutter, this.#x(from));
    context.strokeStyle = ink;
    context.lineWidth = 2;
    context.strokeRect(left - 1, this.#top(place), Math.max(4, this.#x(until) - left + 2),
      this.#rowHeight() - 1);
  }

  #tell() {
    const rates = this.history.rates();
    const sum = rates.reduce((total, rate) => total + rate, 0);
    const { waiting = 0, inFlight = 0, hasEnded, keptNs } = this.history;
    this.told.textContent = `${bytes(sum)}/s · ${waiting} waiting · ${inFlight} on the disk` +
      (hasEnded ? " · over" : "") +
      (keptNs > this.fromNs ? ` · before ${(keptNs / 1e9).toFixed(4)} s not all is kept` : "");
  }

  #click(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const atNs = this.fromNs + ((x - this.gutter) / (this.width - this.gutter)) * this.spanNs;
    const row = Math.floor((y - TURNS - 4) / this.#rowHeight());
    const nearNs = (NEAR * this.spanNs) / this.width;
    const far = ({ from, until }) => Math.max(from - atNs, atNs - until, 0);
    const inRow = (entry) => row >= this.history.about.processes.length || entry.place === row;
    const near = this.history.requests
      .filter((entry) => entry.place >= 0 && inRow(entry) && far(entry) <= nearNs)
      .sort((one, other) => far(one) - far(other));
    if (near.length > 0) this.#choose(near[0], atNs);
  }

  #choose(entry, atNs) {
    this.chosen = entry;
    const at = Math.round(Math.min(Math.max(atNs, entry.from), entry.until));
    this.ask(this, this.history.about.processes[entry.place], at);
  }

  #chosenInWords() {
    const { place, from, until } = this.chosen;
    return `${this.history.about.processes[place]}: a request that the disk had for ` +
      `${time(until - from)}, from ${(from / 1e9).toFixed(4)} s on. Enter asks why it waited.`;
  }

  // Arrows go from request to request, Enter asks.
  #press(event) {
    const shown = this.#visible(this.history.requests).filter(({ place }) => place >= 0);
    const { key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter"].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (shown.length === 0) return;
    const now = this.chosen ?? shown.at(-1);
    if (key === "Enter") return this.#choose(now, (now.from + now.until) / 2);
    const isThere = {
      ArrowLeft: ({ place, from }) => place === now.place && from < now.from,
      ArrowRight: ({ place, from }) => place === now.place && from > now.from,
      ArrowUp: ({ place }) => place < now.place,
      ArrowDown: ({ place }) => place > now.place,
    }[key];
    const next = shown.filter(isThere);
    const distance = ({ place, from }) =>
      Math.abs(place - now.place) * 1e15 + Math.abs(from - now.from);
    next.sort((one, other) => distance(one) - distance(other));
    this.chosen = next[0] ?? now;
    this.moved?.(this.#chosenInWords());
  }
}
