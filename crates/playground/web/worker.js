// SPDX-License-Identifier: MIT OR Apache-2.0
// The simulator in a worker: answers each call, a text in JSON, by a text in JSON.

// Compiled as it comes, from servers that call it application/wasm; from others when it is there.
async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  const asWasm = answer.headers.get("Content-Type")?.startsWith("application/wasm");
  const { instance } = asWasm
    ? await WebAssembly.instantiateStreaming(answer)
    : await WebAssembly.instantiate(await answer.arrayBuffer());
  return instance.exports;
}

const wasm = load("playground.wasm");
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function call({ memory, request, answer, answer_length }, text) {
  const bytes = encoder.encode(text);
  const place = request(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const answered = answer();
  // The memory may have grown, and so have another buffer.
  return decoder.decode(new Uint8Array(memory.buffer, answered, answer_length()));
}

onmessage = async ({ data: { number, text } }) => {
  let answer;
  const began = performance.now();
  try {
    answer = call(await wasm, text);
  } catch (error) {
    // What broke off in the middle of a call answers no other one.
    const told = `the simulator broke off: ${error.message}. Load the page again to go on.`;
    answer = JSON.stringify({ error: told });
  }
  postMessage({ number, answer, ms: performance.now() - began });
};
