// SPDX-License-Identifier: MIT OR Apache-2.0
// Calls of the simulator, which works in a worker.

const worker = new Worker(new URL("worker.js", import.meta.url));
const waiting = new Map();
let calls = 0;

worker.onmessage = ({ data: { number, answer, ms } }) => {
  const { resolve, reject } = waiting.get(number);
  waiting.delete(number);
  const { done, error } = JSON.parse(answer);
  if (error === undefined) resolve({ done, ms });
  else reject(new Error(error));
};

// A worker that cannot be loaded answers nothing.
worker.onerror = (event) => {
  const told = event.message ?? "worker.js cannot be loaded";
  for (const { reject } of waiting.values()) reject(new Error(`the simulator: ${told}`));
  waiting.clear();
};

// The answer of a call, and how long the simulator took.
export function timed(call) {
  const number = calls++;
  worker.postMessage({ number, text: JSON.stringify(call) });
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
}

// The answer of a call.
export const call = async (what) => (await timed(what)).done;
