import { describe, expect, it } from "vitest";

import { Problem } from "@/api/problem";

import { logOf, uncharged, withCharge } from "./charge";
import type { AssistantTurn } from "./conversation";
import { fresh, type State } from "./storage";

const receipt = {
  model: "echo-1",
  requestId: "r",
  quota: undefined,
  input: undefined,
  cached: undefined,
  output: undefined,
  reasoning: undefined,
  firstToken: 3,
  total: 4,
};
const stopped: AssistantTurn = {
  id: "a",
  role: "assistant",
  text: "Once",
  reasoning: "",
  calls: [],
  finish: undefined,
  state: "stopped",
  failure: undefined,
  receipt,
};
const state: State = {
  ...fresh,
  columns: [[{ id: "u", role: "user", text: "Hi" }, stopped]],
  spent: { usd: "0.5", calls: 2, tokens: 10 },
};
const tokens = {
  input: 3,
  cached_input: 2,
  cache_write: 0,
  cache_write_1h: 0,
  audio_input: 0,
  image_input: 0,
  output: 4,
  reasoning: 1,
  audio_output: 0,
  image_output: 0,
  total: 10,
};

describe("a stopped answer", () => {
  it("gets its charge from the usage log", () => {
    const { columns, spent } = withCharge(state, "a", { quota: "0.25", tokens });
    expect(columns[0]?.[1]).toEqual({
      ...stopped,
      receipt: { ...receipt, quota: "0.25", input: 5, cached: 2, output: 5, reasoning: 1 },
    });
    expect(spent).toEqual({ usd: "0.75", calls: 2, tokens: 20 });
  });

  it("is charged once", () => {
    const once = withCharge(state, "a", { quota: "0.25", tokens });
    expect(withCharge(once, "a", { quota: "0.25", tokens })).toBe(once);
  });

  it("has a charge even if nothing was received, because its input was read", () =>
    expect(uncharged([{ ...stopped, text: "" }])).toHaveLength(1));

  it("has no usage log if the relay refused the call or never saw it", () => {
    expect(uncharged([{ ...stopped, text: "", state: "failed" }])).toEqual([]);
    expect(uncharged([{ ...stopped, receipt: { ...receipt, requestId: undefined } }])).toEqual([]);
    expect(uncharged([{ ...stopped, state: "done" }])).toEqual([]);
  });
});

describe("logOf", () => {
  const wait = () => Promise.resolve();
  const log = { quota: "0.25", tokens };

  it("waits until the log is there", async () => {
    let reads = 0;
    const read = () => (++reads < 3 ? Promise.reject(new Problem(404, undefined)) : Promise.resolve(log));
    expect(await logOf("r", read, wait)).toBe(log);
    expect(reads).toBe(3);
  });

  it("gives up in the end", async () => {
    expect(await logOf("r", () => Promise.reject(new Problem(404, undefined)), wait)).toBeUndefined();
    expect(await logOf("r", () => Promise.reject(new Problem(403, undefined)), wait)).toBeUndefined();
  });
});
