// SPDX-License-Identifier: MIT OR Apache-2.0
// The lessons: job files whose first lines say what they teach, and on what they run.

// The lessons' names, in the order in which they are best read.
export async function names() {
  return (await (await fetch("lessons/order.json")).json());
}

// A lesson: its title, its paragraph, and its setup.
export async function lesson(name) {
  const answer = await fetch(`lessons/${name}.fio`);
  if (!answer.ok) throw new Error(`there is no lesson ${name}`);
  return read(name, await answer.text());
}

// Takes a lesson apart. The title is its first line; `Run:` has the options of `bfq sim`, and
// `Shown:` how much of the time is to be seen at once.
export function read(name, text) {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !line.startsWith(";"));
  const words = lines.slice(0, end).map((line) => line.replace(/^; ?/, ""));
  const lineOf = (word) => words.find((line) => line.startsWith(`${word}:`));
  const run = lineOf("Run");
  const option = (called) => run.match(new RegExp(`--${called} (\\S+)`))[1];
  const about = words.slice(1, words.indexOf(run)).join(" ").trim();
  const jobFile = lines.slice(end).join("\n").trimStart();
  const setup = {
    device: option("device"), schedulers: option("scheduler"), job_file: jobFile,
    name: `${name}.fio`, seed: 1,
  };
  return { title: words[0], about, setup, span: lineOf("Shown").match(/\d+/)[0] };
}
