// SPDX-License-Identifier: MIT OR Apache-2.0
// The answer to "why did this request wait?", in words.

import { bytes, element, time } from "./words.js";

// Shows what the simulator answered of a request under a scheduler.
export function show(panel, scheduler, why) {
  const heading = element("h2", "Why did this request wait?");
  if (!why) {
    panel.replaceChildren(heading, element("p", "It had asked for nothing by then."));
    return;
  }
  const { process, op, submitted_ns, dispatched_ns, ended_ns } = why;
  const waited = dispatched_ns - submitted_ns;
  panel.replaceChildren(heading, element("p",
    `Under ${scheduler} a ${op} of ${bytes(why.bytes)} by ${process}, submitted at ` +
    `${(submitted_ns / 1e9).toFixed(4)} s, took ${time(ended_ns - submitted_ns)}: ` +
    `${time(waited)} until the disk got it, ${time(ended_ns - dispatched_ns)} on the disk.`));
  if (why.behind.length > 0) {
    const rows = why.behind.slice(0, 5).map(({ process: name, requests, bytes: length }) =>
      `${requests} of ${name} (${bytes(length)})`);
    const more = why.behind.length > 5 ? `, and others of ${why.behind.length - 5} more` : "";
    panel.append(element("p", `Meanwhile the disk was given requests: ${rows.join(", ")}${more}.`));
  } else if (waited > 0) {
    panel.append(element("p", "Meanwhile the disk was given nothing else."));
  }
  if (why.steps.length > 0) {
    panel.append(element("p", "What delayed it, in order:"));
    const list = element("ol");
    for (const { at_ns, lasting_ns, text } of why.steps) {
      const item = element("li", `${text} `);
      const lasting = lasting_ns > 0 ? `, for ${time(lasting_ns)}` : "";
      item.append(element("time", `(after ${time(at_ns)}${lasting})`));
      list.append(item);
    }
    panel.append(list);
    const glossary = element("dl");
    for (const { term, meaning } of why.terms) {
      glossary.append(element("dt", term), element("dd", meaning));
    }
    panel.append(element("p", "The words:"), glossary);
  } else {
    panel.append(element("p", `${scheduler} does not tell its decisions; bfq and tfq do.`));
  }
}
