import { describe, expect, it } from "vitest";

import { SseParser, type SseEvent } from "./sse";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(...chunks: Uint8Array[]): SseEvent[] {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const stream = [
  ": a comment",
  "",
  'data: {"text":"grüße 🦉"}',
  "",
  "event: response.completed",
  "id: 7",
  "data: first",
  "data:second",
  "data",
  "",
  "data: [DONE]",
  "",
  "",
];

const expected: SseEvent[] = [
  { event: "message", data: '{"text":"grüße 🦉"}' },
  { event: "response.completed", data: "first\nsecond\n" },
  { event: "message", data: "[DONE]" },
];

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("lines that end in %s", (_, end) => {
  // A lone CR at the very end of a stream might be half of a CRLF: one more line tells.
  const whole = bytes(stream.join(end) + (end === "\r" ? ":" : ""));

  it("are read in one piece", () => expect(read(whole)).toEqual(expected));

  it("are read whatever byte they are cut at", () => {
    for (let at = 0; at <= whole.length; at++) expect(read(whole.slice(0, at), whole.slice(at))).toEqual(expected);
  });

  it("are read byte by byte", () => expect(read(...Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(expected));
});

it("keeps back an event that has not ended", () => expect(read(bytes("data: half\n"))).toEqual([]));

it("forgets the name of an event without data", () => {
  expect(read(bytes("event: ping\n\ndata: x\n\n"))).toEqual([{ event: "message", data: "x" }]);
});

it("refuses an event without end", () => {
  const parser = new SseParser();
  const chunk = bytes("x".repeat(1_000_000));
  expect(() => {
    for (let i = 0; i < 9; i++) parser.push(chunk);
  }).toThrow(RangeError);
});
