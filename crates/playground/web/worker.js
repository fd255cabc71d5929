// SPDX-License-Identifier: MIT OR Apache-2.0
// The simulator in a worker: answers each call, a text in JSON, by a text in JSON.

const wasm = WebAssembly.instantiateStreaming(fetch("playground.wasm"))
  .then(({ instance }) => instance.exports);
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
    answer = JSON.stringify({ error: `the simulator broke off: ${error.message}` });
  }
  postMessage({ number, answer, ms: performance.now() - began });
};
