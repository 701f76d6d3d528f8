import { describe, expect, it } from "vitest";

import type { Turn } from "./conversation";
import { fresh, restore, serialize, type State, stateOf } from "./storage";

const state: State = {
  id: "conversation",
  settings: { ...fresh.settings, model: "echo-1", temperature: 0, stop: ["END"], reasoning: "low", stream: false },
  columns: [
    [
      {
        id: "1",
        role: "user",
        text: "Hi",
        attachments: [
          { id: "f", name: "dot.png", kind: "image", type: "image/png", data: "data:image/png;base64,AA==" },
        ],
      },
      {
        id: "2",
        role: "assistant",
        text: "Hello",
        reasoning: "",
        calls: [{ id: "c", name: "f", arguments: "{}" }],
        finish: "stop",
        state: "failed",
        failure: { message: "cut", type: "t", code: "c", param: undefined, status: 502 },
        receipt: {
          model: "echo-1",
          requestId: "r",
          quota: "0.1",
          input: 1,
          cached: 0,
          output: 2,
          reasoning: 0,
          firstToken: 3,
          total: 4,
        },
      },
      { id: "3", role: "tool", callId: "c", name: "f", text: "1" },
    ],
  ],
  spent: { usd: "0.1", calls: 1, tokens: 3 },
};

it("restores the stored state", () => expect(restore(serialize(state))).toEqual(state));

describe.each([
  null,
  "",
  "nonsense",
  "[]",
  '{"settings":4,"columns":{"a":1},"spent":{"usd":"NaN"}}',
  '{"columns":[[null,{"role":"user"},{"id":"1","text":"x","role":"root"}]]}',
])("from %j", (json) => {
  it("restores the initial state", () => expect(restore(json)).toEqual(fresh));
});

it("restores both columns if there is a second model", () => {
  const both = { ...state, settings: { ...state.settings, rival: "echo-2" }, columns: [state.columns[0] ?? [], []] };
  expect(restore(serialize(both))).toEqual(both);
  expect(restore(serialize({ ...both, settings: state.settings })).columns).toHaveLength(1);
});

it("drops the contents of files, and then the oldest turns, if the state is too large", () => {
  const file = { id: "f", name: "big.png", kind: "image", type: "image/png", data: "x".repeat(3_000_000) } as const;
  const long: Turn[] = Array.from({ length: 8 }, (_, i) => ({
    id: String(i),
    role: "user",
    text: "x".repeat(400_000),
    attachments: [file],
  }));
  const [kept = []] = restore(serialize({ ...state, columns: [long] })).columns;
  expect(kept.map((turn) => turn.id)).toEqual(["4", "5", "6", "7"]);
  expect(kept[0]).toMatchObject({ attachments: [{ name: "big.png", data: "" }] });
});

it.each([
  [{ temperature: 3, topP: -1, maxTokens: 1e12, seed: Infinity }],
  [{ system: "x".repeat(200_000), reasoning: "extreme", format: "xml", stop: "END", stream: 0 }],
  ["text"],
])("replaces settings out of bounds by their defaults: %j", (settings) =>
  expect(stateOf({ settings }).settings).toEqual(fresh.settings),
);
