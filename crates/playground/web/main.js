// SPDX-License-Identifier: MIT OR Apache-2.0
// The page: a setup from a lesson, a link or the form; and time, which runs, stands or steps.

import { call } from "./engine.js";
import { Figures } from "./figures.js";
import { History } from "./history.js";
import { Lane } from "./lane.js";
import * as lessons from "./lessons.js";
import { fragmentOf, lessonOf, setupOf } from "./link.js";
import { addedJob, jobFile } from "./load.js";
import { element } from "./words.js";
import { show } from "./why.js";

const at = (name) => document.getElementById(name);
const schedulers = [...document.querySelectorAll("[name=scheduler]")];
// A slower machine simulates less than it should rather than to lag behind more and more.
const MOST_FRAME_MS = 100;
// What a step of time is, in pictures of the span that is shown.
const STEPS = 20;
// What was is simulated again in stretches, so that no answer has more than the page keeps.
const STRETCH_NS = 5e8;

// How fast a lesson begins, so that the eye can follow, by the milliseconds that are shown.
const SPEEDS = { 20: "0.01", 100: "0.1", 500: "0.1", 2000: "1", 10000: "10" };

const KEY = [
  ["Bars", "from when the disk gets a request to its end, by process"],
  ["Turn", "under bfq: whose turn it is, hollow while the disk is kept idle for that process"],
  ["Head, or where", "the place on the disk, of the part in use"],
  ["The mark in a share", "what the weights promise to those who were served"],
];

// Figures that change at every picture cannot be read, and to lay the table out takes long.
const FIGURES_MS = 150;

// What a load is called that is of no lesson.
const OWN_NAME = "playground.fio";
const TITLE = "bfq playground";

// What is said before anything was asked.
const hint = [...at("why").children];

let about = null;
let histories = [];
let lanes = [];
let figures = null;
let presentNs = 0;
let running = false;
// What is asked of the simulator, one after the other, and how much of it is not done.
let last = Promise.resolve();
let undone = 0;
let lastMs = 0;
let figuresMs = 0;
let name = OWN_NAME;
let lists = null;
// Counts the lessons and links that were opened: only the last one is shown.
let opened = 0;

const state = (is) => { document.documentElement.dataset.state = is; };
const spanNs = () => Number(at("span").value) * 1e6;
const status = (text) => { at("status").textContent = text; };

function mistake(error) {
  at("mistake").textContent = error.message;
  at("mistake").hidden = false;
  status("");
  state("mistaken");
}

// The seed of the form. JavaScript tells whole numbers apart up to a limit.
function seedOfForm() {
  const written = at("seed").value;
  const seed = Number(written);
  if (written === "" || !Number.isSafeInteger(seed) || seed < 0) {
    throw new Error(
      `seed ${written || "(none)"}: expected a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
  }
  return seed;
}

// The setup that the form shows.
function setupOfForm() {
  return {
    device: at("device").value,
    schedulers: schedulers.map((field) => field.value.trim()).filter(Boolean).join(","),
    job_file: at("job-file").value,
    name,
    seed: seedOfForm(),
  };
}

// A setting of a scheduler stands behind a comma, too: `bfq:low_latency=0,slice_idle=0`.
function listed(text) {
  const entries = [];
  for (const part of text.split(",")) {
    if (part.includes("=") && !part.includes(":")) entries.push(`${entries.pop()},${part}`);
    else entries.push(part);
  }
  return entries;
}

function toForm(setup) {
  // A link may name a disk with values, as the command does: `hdd-desktop:depth=4`.
  if (![...at("device").options].some(({ value }) => value === setup.device)) {
    at("device").append(element("option", setup.device, { value: setup.device }));
  }
  at("device").value = setup.device;
  at("device").dispatchEvent(new Event("change"));
  const entries = listed(setup.schedulers);
  schedulers.forEach((field, place) => { field.value = entries[place] ?? ""; });
  at("job-file").value = setup.job_file;
  at("seed").value = setup.seed ?? 1;
  name = setup.name ?? OWN_NAME;
}

// Begins the setup that `made` returns; an error of that is told like any other mistake. To be
// called within `alone`.
async function begin(made) {
  at("mistake").hidden = true;
  at("why").replaceChildren(...hint);
  running = false;
  try {
    const setup = made();
    about = await call({ begin: setup });
    presentNs = 0;
    build();
    await take(0);
    at("command").textContent = about.command;
    at("but").hidden = !(setup.changes?.length > 0);
    status(about.notes.join(" "));
    state("ready");
  } catch (error) {
    // The pictures of what was before stay, and cannot be used.
    about = null;
    at("command").textContent = "bfq sim";
    at("but").hidden = true;
    mistake(error);
  }
}

// Makes pictures and the table for what the simulator said.
function build() {
  histories = about.schedulers.map((_, run) => new History(about, run));
  lanes = histories.map((history, run) => new Lane(history, run, ask));
  lanes.forEach((lane) => { lane.moved = moved; });
  at("lanes").replaceChildren(...lanes.map(({ figure }) => figure));
  figures = new Figures(at("figures"), about, histories, setWeight);
  at("key").replaceChildren(...KEY.flatMap(([word, meaning]) =>
    [element("dt", word), element("dd", meaning)]));
}

function moved(chosen) {
  draw();
  status(chosen);
}

async function advance(untilNs) {
  const frames = await call({ advance: { until_ns: Math.round(untilNs) } });
  frames.forEach((frame, run) => histories[run].take(frame));
  // In a run that is over weights change no more.
  const { groups } = frames.find(({ has_ended }) => !has_ended) ?? frames[0];
  for (const { path, weight } of groups) {
    if (!newest.has(path)) figures.setWeight(path, weight);
  }
  return frames;
}

async function take(untilNs) {
  const frames = await advance(untilNs);
  presentNs = untilNs;
  draw();
  if (frames.every(({ has_ended }) => has_ended)) {
    running = false;
    state("ended");
    status("All is done.");
  }
}

function draw() {
  if (!about) return;
  lanes.forEach((lane) => lane.draw(presentNs, spanNs()));
  const ms = performance.now();
  if (!running || ms - figuresMs >= FIGURES_MS) {
    figures.draw();
    figuresMs = ms;
  }
  at("now").textContent = `${(presentNs / 1e9).toFixed(spanNs() < 1e8 ? 4 : 3)} s`;
  if (histories.some(({ requests }) => requests.length > 0) &&
      performance.getEntriesByName("first picture").length === 0) {
    performance.mark("first picture");
  }
}

// The simulator is asked for one stretch at a time; a picture is drawn when it is there.
async function tick(ms) {
  if (running) requestAnimationFrame(tick);
  const passed = Math.min(ms - lastMs, MOST_FRAME_MS);
  if (!running || undone > 0 || passed <= 0) return;
  lastMs = ms;
  await alone(() => take(presentNs + passed * 1e6 * Number(at("speed").value)));
}

// Does something while nothing else is asked of the simulator, after all that was to be done
// before. That may be a setup that turns out wrong: `about` is null then, and what was asked of the
// load before is left out, as its error would hide the mistake.
function alone(work) {
  undone += 1;
  last = last.then(async () => {
    try {
      await work();
    } catch (error) {
      running = false;
      mistake(error);
    }
    undone -= 1;
    buttons();
  });
  return last;
}

function run(on) {
  running = on && about !== null && !histories.every(({ hasEnded }) => hasEnded);
  if (running) {
    state("running");
    lastMs = performance.now();
    requestAnimationFrame(tick);
  } else if (about && document.documentElement.dataset.state === "running") {
    state("ready");
  }
  buttons();
}

function buttons() {
  const over = about === null || histories.every(({ hasEnded }) => hasEnded);
  at("run").textContent = running ? "Pause" : "Run";
  at("run").disabled = over;
  at("step").disabled = over || running;
  for (const button of at("changes").children) button.disabled = over;
  for (const slider of at("figures").querySelectorAll("input")) slider.disabled = over;
  for (const part of ["lanes", "figures"]) at(part).inert = about === null;
  for (const button of ["save", "link"]) at(button).disabled = about === null;
}

function step() {
  if (at("step").disabled && !running) return null;
  run(false);
  return alone(() => (about === null ? null : take(presentNs + spanNs() / STEPS)));
}

function ask(lane, process, atNs) {
  if (about === null) return null;
  run(false);
  lanes.filter((other) => other !== lane).forEach((other) => { other.chosen = null; });
  draw();
  at("why").firstElementChild.scrollIntoView({ block: "nearest" });
  return alone(async () => {
    if (about === null) return;
    const why = await call({ why: { run: lane.run, process, at_ns: atNs } });
    show(at("why"), lane.history.name, why);
  });
}

// The newest weights that the simulator does not have yet: it is told no older one after them.
const newest = new Map();

function setWeight(group, weight) {
  if (about === null) return null;
  at("but").hidden = false;
  const waits = newest.has(group);
  newest.set(group, weight);
  if (waits) return null;
  return alone(() => {
    const change = { group, weight: newest.get(group) };
    newest.delete(group);
    if (about === null) return null;
    return call({ set_weight: change });
  });
}

// A job file as a text field holds it.
const asInField = (text) => text.replace(/\r\n?/g, "\n");

// Shows the job file to which a job was added. What was typed and not begun with is not lost: it
// gets that job, too.
function showAdded(before, after) {
  const typed = at("job-file").value;
  if (typed === asInField(before)) {
    at("job-file").value = after;
    return;
  }
  const added = after.slice(before.trimEnd().length);
  at("job-file").value = typed.trimEnd() + added;
  status("The job is in the load that goes on, and in your text, the rest of which counts once " +
    "you begin anew.");
}

// The load goes on with one more: the simulator begins anew, and what was is drawn again.
function add(kind) {
  return alone(async () => {
    if (about === null) return;
    const section = addedJob(kind, about.jobs, about.inherited);
    const before = await call("setup");
    about = await call({ add_job: { section } });
    build();
    const after = await call("setup");
    showAdded(before.job_file, after.job_file);
    for (let ns = STRETCH_NS; ns < presentNs; ns += STRETCH_NS) await advance(ns);
    await take(presentNs);
  });
}

async function copyLink() {
  const fragment = await fragmentOf(await call("setup"));
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    status("The link is copied; it holds the whole setup, and all changes on the way.");
  } catch {
    status("The address of this page now holds the whole setup, and all changes on the way.");
  }
}

async function save() {
  status("Simulating to the end …");
  await alone(async () => {
    if (about === null) return;
    const setup = await call("setup");
    const text = await call({ result: setup });
    const link = element("a", "", { download: `${setup.name.replace(/.*\/|\.fio$/g, "")}.json` });
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.click();
    URL.revokeObjectURL(link.href);
    status(setup.changes.length > 0
      ? "The result has the weights as they were changed on the way, which no command does."
      : "The result is that of the command below, with --output-format json.");
  });
}

async function openLesson(which) {
  const mine = ++opened;
  const { title, about: text, setup, span } = await lessons.lesson(which);
  await alone(async () => {
    if (mine !== opened) return;
    at("lesson").value = which;
    at("lesson-text").textContent = text;
    document.title = `${title} – ${TITLE}`;
    at("span").value = span;
    at("speed").value = SPEEDS[span];
    toForm(setup);
    await begin(() => setup);
  });
  if (mine === opened) run(true);
}

// The load is that of no lesson any more.
function leaveLesson() {
  at("lesson").value = "";
  at("lesson-text").textContent = "";
  document.title = TITLE;
  name = OWN_NAME;
}

// The same, by what the user does: the address opens no lesson then.
function ownLoad() {
  opened++;
  leaveLesson();
  history.replaceState(null, "", location.pathname + location.search);
}

async function openLink() {
  const mine = ++opened;
  let wrong = "";
  const setup = await setupOf(location.hash)
    .catch(() => { wrong = "The link is cut off or wrong"; });
  if (mine !== opened) return;
  if (setup) {
    await alone(async () => {
      if (mine !== opened) return;
      leaveLesson();
      toForm(setup);
      await begin(() => setup);
    });
    return;
  }
  const there = [...at("lesson").options].map(({ value }) => value).filter(Boolean);
  const asked = lessonOf(location.hash);
  if (asked && !there.includes(asked)) wrong = `There is no lesson ${asked}`;
  const lesson = openLesson(there.includes(asked) ? asked : there[0]);
  const its = opened;
  await lesson;
  if (wrong && its === opened) status(`${wrong}: this is the first lesson instead.`);
}

// What is out of range is brought into it, in the form, too.
function numbersOfForm() {
  const numbers = {};
  for (const field of at("builder").querySelectorAll("input")) {
    const number = Math.max(Number(field.value), Number(field.min));
    numbers[field.id] = field.value = Math.min(number, Number(field.max));
  }
  return numbers;
}

function listen() {
  at("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    alone(() => begin(setupOfForm)).then(() => run(true));
  });
  // What a lesson says need not be true of a load that was changed. The numbers of the builder do
  // not count before they are written down.
  at("setup").addEventListener("input", (event) => {
    if (!event.target.closest("#lesson, #builder") && at("lesson").value !== "") ownLoad();
  });
  at("lesson").addEventListener("change", () => {
    const lesson = at("lesson").value;
    if (lesson === "") return ownLoad();
    history.replaceState(null, "", `#lesson=${lesson}`);
    openLesson(lesson).catch(mistake);
  });
  at("device").addEventListener("change", () => {
    const chosen = lists.devices.find((device) => device.name === at("device").value);
    at("device-about").textContent = chosen?.about ?? "";
  });
  at("build").addEventListener("click", () => {
    ownLoad();
    at("job-file").value = jobFile(numbersOfForm());
  });
  at("run").addEventListener("click", () => run(!running));
  at("step").addEventListener("click", step);
  at("span").addEventListener("change", draw);
  at("link").addEventListener("click", copyLink);
  at("save").addEventListener("click", save);
  for (const kind of ["reader", "seeker", "writer"]) {
    at(`add-${kind}`).addEventListener("click", () => add(kind));
  }
  window.addEventListener("hashchange", () => openLink().catch(mistake));
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // What scrolls sideways has the arrows for that.
    if (event.target.closest("input, select, textarea, button, summary, a, .scroll")) return;
    if (event.key === " ") run(!running);
    else if (event.key === "ArrowRight") step();
    else return;
    event.preventDefault();
  });
}

async function open() {
  const [there, known] = await Promise.all([lessons.names(), call("lists")]);
  lists = known;
  const option = (text, value) => element("option", text, { value });
  for (const { name: device } of lists.devices) at("device").append(option(device, device));
  for (const { name: scheduler, about: text } of lists.schedulers) {
    at("scheduler-names").append(option(text, scheduler));
  }
  at("lesson").append(option("(none: a load of your own)", ""));
  for (const { name: lesson, title } of there) at("lesson").append(option(title, lesson));
  at("lesson").selectedIndex = 1;
  // On a phone the pictures come first.
  at("own").open = !matchMedia("(max-width: 56rem)").matches;
  listen();
  await openLink();
}

open().catch(mistake);
