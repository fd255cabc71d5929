// SPDX-License-Identifier: MIT OR Apache-2.0
// A setup in the fragment of an address: `#lesson=NAME`, or `#setup=` and the whole of it.

async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

// The fragment that holds a setup: its JSON, deflated, in base64 as addresses have it.
export async function fragmentOf(setup) {
  const json = new TextEncoder().encode(JSON.stringify(setup));
  const packed = await through(new CompressionStream("deflate-raw"), json);
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  return `#setup=${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

// What a setup has to have.
const TEXTS = ["device", "schedulers", "job_file"];

// The setup of a fragment; none if it has none.
export async function setupOf(fragment) {
  const text = new URLSearchParams(fragment.replace(/^#/, "")).get("setup");
  if (!text) return null;
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
  const json = await through(new DecompressionStream("deflate-raw"), packed);
  const setup = JSON.parse(new TextDecoder().decode(json));
  if (TEXTS.some((key) => typeof setup?.[key] !== "string")) throw new Error("it is no setup");
  return setup;
}

// The lesson that a fragment names, if it does.
export function lessonOf(fragment) {
  return new URLSearchParams(fragment.replace(/^#/, "")).get("lesson");
}
