import { describe, expect, it } from "vitest";

import type { Turn } from "./conversation";
import { fresh, restore, serialize, type State } from "./storage";

const state: State = {
  settings: { ...fresh.settings, model: "echo-1", temperature: 0, stop: ["END"], reasoning: "low", stream: false },
  turns: [
    { id: "1", role: "user", text: "Hi" },
    {
      id: "2",
      role: "assistant",
      text: "Hello",
      reasoning: "",
      calls: [{ id: "c", name: "f", arguments: "{}" }],
      finish: "stop",
      state: "failed",
      failure: { message: "cut", type: "t", code: "c", param: undefined, status: 502 },
      receipt: { model: "echo-1", requestId: "r", quota: "0.1", input: 1, cached: 0, output: 2, reasoning: 0, firstToken: 3, total: 4 },
    },
    { id: "3", role: "tool", callId: "c", name: "f", text: "1" },
  ],
  spent: { usd: "0.1", calls: 1, tokens: 3 },
};

it("restores the stored state", () => expect(restore(serialize(state))).toEqual(state));

describe.each([null, "", "nonsense", "[]", '{"settings":4,"turns":{"a":1},"spent":{"usd":"NaN"}}', '{"turns":[null,{"role":"user"},{"id":"1","text":"x","role":"root"}]}'])("from %j", (json) => {
  it("restores the initial state", () => expect(restore(json)).toEqual(fresh));
});

it("drops the oldest turns if the state is too large", () => {
  const long: Turn[] = Array.from({ length: 8 }, (_, i) => ({ id: String(i), role: "user", text: "x".repeat(200_000) }));
  const kept = restore(serialize({ ...state, turns: long })).turns;
  expect(kept.map((turn) => turn.id)).toEqual(["4", "5", "6", "7"]);
});
