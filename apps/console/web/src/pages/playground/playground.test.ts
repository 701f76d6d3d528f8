import { describe, expect, it } from "vitest";

import {
  contextOf,
  failureWords,
  lastResult,
  openCalls,
  speed,
  upTo,
  without,
  withText,
  type Turn,
} from "./conversation";
import { exampleTools, parseTools } from "./tools";

const answer = {
  role: "assistant",
  text: "",
  reasoning: "",
  finish: "tool_calls",
  state: "done",
  failure: undefined,
  receipt: undefined,
} as const;
const call = (id: string) => ({ id, name: "f", arguments: "{}" });
const turns: Turn[] = [
  { id: "u", role: "user", text: "go" },
  { id: "a", ...answer, calls: [call("c1"), call("c2")] },
  { id: "t", role: "tool", callId: "c1", name: "f", text: "1" },
];

describe("a conversation", () => {
  it("openCalls returns the calls without a result", () => expect(openCalls(turns)).toEqual([call("c2")]));

  it("openCalls returns none after the user's next turn", () =>
    expect(openCalls([...turns, { id: "v", role: "user", text: "never mind" }])).toEqual([]));

  it("removing an answer also removes the results of its calls", () =>
    expect(without(turns, "a").map((turn) => turn.id)).toEqual(["u"]));

  it("upTo ends before an answer, or after a user's turn", () => {
    expect(upTo(turns, "a").map((turn) => turn.id)).toEqual(["u"]);
    expect(upTo(turns, "u").map((turn) => turn.id)).toEqual(["u"]);
  });

  it("upTo includes all results of the functions of an answer", () => {
    const results: Turn[] = [
      ...turns,
      { id: "t2", role: "tool", callId: "c2", name: "f", text: "2" },
      { id: "b", ...answer, calls: [] },
    ];
    expect(upTo(results, "t").map((turn) => turn.id)).toEqual(["u", "a", "t", "t2"]);
  });

  it("lastResult returns the last result of a function", () => {
    expect(lastResult(turns, "f")).toBe("1");
    expect(lastResult(turns, "g")).toBe("");
  });

  it("contextOf keeps the answers without their receipts, so that they are not counted twice", () => {
    const receipt = {
      model: "m",
      requestId: "r",
      quota: "1",
      input: 1,
      cached: 0,
      output: 1,
      reasoning: 0,
      firstToken: 1,
      total: 2,
    };
    const copy = contextOf([{ id: "a", ...answer, text: "Hi", calls: [], receipt }]);
    expect(copy).toEqual([{ id: "a", ...answer, text: "Hi", calls: [] }]);
  });

  it("withText changes one turn only", () =>
    expect(withText(turns, "u", "stop").map((turn) => turn.text)).toEqual(["stop", "", "1"]));
});

it("speed counts tokens per second after the first token", () => {
  const receipt = {
    model: "m",
    requestId: undefined,
    quota: undefined,
    input: 1,
    cached: 0,
    output: 50,
    reasoning: 0,
    firstToken: 500,
    total: 1500,
  };
  expect(speed(receipt)).toBe(50);
  expect(speed({ ...receipt, firstToken: 1500 })).toBeUndefined();
  expect(speed({ ...receipt, output: 600, firstToken: 1499 })).toBeUndefined();
});

describe("parseTools", () => {
  it("accepts functions in the format of either API", () => {
    const names = parseTools(
      '[{"type":"function","function":{"name":"a"}},{"type":"function","name":"b","parameters":{}}]',
    ).tools?.map((tool) => tool.name);
    expect(names).toEqual(["a", "b"]);
    expect(parseTools(exampleTools).fault).toBeUndefined();
    expect(parseTools(" ").tools).toEqual([]);
  });

  it.each([
    ["{", "Invalid JSON"],
    ["{}", "array"],
    ['[{"type":"web_search"}]', "Function 1: its type"],
    ['[{"name":"a b"}]', "Function 1: its name"],
    ['[{"name":"a","parameters":[]}]', "Function 1: its parameters"],
    ['[{"name":"a"},{"name":"a"}]', "Function 2: there are two"],
  ])("returns a reason for refusing %s", (json, fault) => expect(parseTools(json).fault).toContain(fault));
});

it("failureWords names each word once", () => {
  expect(
    failureWords({ message: "m", type: "upstream_error", code: "upstream_error", param: "model", status: 502 }),
  ).toEqual(["status 502", "upstream_error", "param model"]);
});
