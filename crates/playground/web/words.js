// SPDX-License-Identifier: MIT OR Apache-2.0
// Figures as people read them, and the colours of processes.

// Colours repeat after seven; the eighth is that of no process in particular.
export const colour = (place) => place % 7;

// A time, from nanoseconds.
export function time(ns) {
  if (ns < 1) return "0";
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${three(ns / 1e3)} µs`;
  if (ns < 1e9) return `${three(ns / 1e6)} ms`;
  return `${three(ns / 1e9)} s`;
}

// A number with three digits that count.
function three(number) {
  return String(Number(number.toPrecision(3)));
}

// A length.
export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (count >= 1000 && unit < units.length - 1) {
    count /= 1024;
    unit++;
  }
  return `${three(count)} ${units[unit]}`;
}

// An element with a text and attributes.
export function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
