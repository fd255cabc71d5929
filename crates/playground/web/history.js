// SPDX-License-Identifier: MIT OR Apache-2.0
// What is known of a run: who was served when, and what each process has got.

const KEPT_NS = 10.5e9;
const MOST = 60000;
const RATE_NS = 1e9;

export class History {
  constructor(about, run) {
    this.about = about;
    this.name = about.schedulers[run];
    this.places = new Map(about.processes.map((name, place) => [name, place]));
    this.requests = [];
    this.turns = [];
    this.waits = [];
    // What the processes had got at times of the last second.
    this.samples = [];
    this.presentNs = 0;
    // What ended before is not kept.
    this.keptNs = 0;
    this.hasEnded = false;
  }

  // Takes what happened since.
  take({ now_ns, has_ended, timeline, processes, waiting, in_flight }) {
    Object.assign(this, { presentNs: now_ns, hasEnded: has_ended, waiting, inFlight: in_flight });
    this.processes = processes;
    this.samples.push({ atNs: now_ns, processes });
    const since = now_ns - RATE_NS;
    while (this.samples.length > 2 && this.samples[1].atNs <= since) this.samples.shift();
    if (timeline) this.#keep(timeline);
    for (const list of [this.requests, this.turns, this.waits]) {
      // Seldom, as it moves all that stay.
      if (list.length < 2 * MOST && !(list[0]?.until < now_ns - 2 * KEPT_NS)) continue;
      const old = list.findIndex((entry) => entry.until >= now_ns - KEPT_NS);
      const dropped = list.splice(0, Math.max(old < 0 ? list.length : old, list.length - MOST));
      this.keptNs = Math.max(this.keptNs, dropped.at(-1)?.until ?? 0);
    }
  }

  #keep({ who, requests, turns = [], waits = [] }) {
    const placeOf = (index) => this.places.get(who[index].name) ?? this.#first(who[index]);
    for (const [from, until, index, op, first, end, count] of requests) {
      this.requests.push({ from, until, place: placeOf(index), op, first, end, count });
    }
    for (const [from, until, index, reason] of turns) {
      this.turns.push({ from, until, place: placeOf(index), name: who[index].name, reason });
    }
    for (const [from, until, index, rule] of waits) {
      this.waits.push({ from, until, place: placeOf(index), rule });
    }
  }

  // Several processes that share a queue have the colour of the first; background writes none.
  #first({ job }) {
    return job === null ? -1 : this.about.job_of.indexOf(job);
  }

  // Bytes a second of each process, of the last second.
  rates() {
    const first = this.samples[0];
    const last = this.samples.at(-1);
    const seconds = (last.atNs - first.atNs) / 1e9;
    return last.processes.map(({ bytes }, place) =>
      seconds > 0 ? (bytes - first.processes[place].bytes) / seconds : 0);
  }

  // The mean latency of a process in the last second, ns; none if nothing ended.
  meanNs(place) {
    let ios = 0;
    let sum = 0;
    for (const { processes } of this.samples.slice(1)) {
      ios += processes[place].ios_since;
      sum += processes[place].latency_since_ns;
    }
    return ios > 0 ? sum / ios : null;
  }
}
