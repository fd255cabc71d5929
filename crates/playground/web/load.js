// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads as fio job files: from numbers in a form, and of jobs that are added on the way.

const KINDS = {
  reader: ["rw=read", "bs=128k"],
  seeker: ["rw=randread", "bs=4k"],
  writer: ["rw=write", "bs=256k", "ioengine=libaio", "iodepth=4"],
  thinker: ["rw=read", "bs=64k"],
};

function section(name, kind, options) {
  return [`[${name}]`, `cgroup=${name}`, ...KINDS[kind], ...options, ""].join("\n");
}

// The job file of a load.
export function jobFile(numbers) {
  const { think, start, runtime } = numbers;
  const parts = [
    "[global]\ndirect=1\nioengine=psync\nsize=1g\n",
  ];
  for (const kind of Object.keys(KINDS)) {
    const options = [`cgroup_weight=${numbers[`${kind}-weight`]}`];
    if (kind === "thinker") options.push(`thinktime=${think}ms`);
    options.push("time_based", `runtime=${runtime}`);
    for (let number = 1; number <= numbers[`${kind}s`]; number++) {
      parts.push(section(`${kind}-${number}`, kind, options));
    }
  }
  if (start > 0) {
    const program = ["rw=randread", "bs=16k", "number_ios=150", `startdelay=${start}`];
    parts.push(["[program]", ...program, ""].join("\n"));
  }
  return parts.join("\n");
}

// A job of a kind, under a name that no job has yet, that lasts.
export function addedJob(kind, names) {
  let number = 1;
  while (names.includes(`${kind}-${number}`)) number++;
  const lasting = ["direct=1", "size=1g", "time_based", "runtime=60"];
  return section(`${kind}-${number}`, kind, lasting);
}
