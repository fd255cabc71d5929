// SPDX-License-Identifier: MIT OR Apache-2.0
// Loads as fio job files: from numbers in a form, and of jobs that are added on the way.

const KINDS = {
  reader: ["rw=read", "bs=128k"],
  seeker: ["rw=randread", "bs=4k"],
  writer: ["rw=write", "bs=256k", "ioengine=libaio", "iodepth=4"],
  thinker: ["rw=read", "bs=64k"],
};

// What a job that is added must not take from [global]: it is one process that lasts, asks for one
// thing after the other and does not pause. Other options are for all, such as the file.
const NOT_INHERITED = {
  numjobs: "1", number_ios: "0", io_size: "0", io_limit: "0", loops: "1", ramp_time: "0",
  iodepth: "1", latency_target: "0", flow: "0", thinktime: "0", thinktime_iotime: "0", rate: "0",
  rate_iops: "0", fsync: "0", fdatasync: "0", end_fsync: "0", nrfiles: "1", nr_files: "1",
  offset: "0", fileoffset: "0", offset_increment: "0",
  random_distribution: "random", stonewall: "0", wait_for_previous: "0", exitall: "0",
  cgroup_weight: "100",
};

const RANGES = ["bsrange", "blocksize_range"];
// Either one alone decides about the other one, too.
const PRIORITY = ["prio", "prioclass"];

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

// A job of a kind, under a name that no job has yet, that lasts, whatever is `inherited` from
// [global].
export function addedJob(kind, names, inherited) {
  let number = 1;
  while (names.includes(`${kind}-${number}`)) number++;
  const options = ["direct=1", "size=1g", "time_based", "runtime=60"];
  const own = KINDS[kind].map((option) => option.split("=")[0]);
  for (const name of inherited) {
    if (name in NOT_INHERITED && !own.includes(name)) {
      options.push(`${name}=${NOT_INHERITED[name]}`);
    }
  }
  if (inherited.some((name) => PRIORITY.includes(name))) options.push("prioclass=2", "prio=4");
  // Lists of sizes count before the one size of the kind.
  const size = KINDS[kind].find((option) => option.startsWith("bs=")).slice("bs=".length);
  if (inherited.includes("bssplit")) options.push(`bssplit=${size}/100`);
  if (inherited.some((name) => RANGES.includes(name))) options.push(`bsrange=${size}-${size}`);
  return section(`${kind}-${number}`, kind, options);
}
