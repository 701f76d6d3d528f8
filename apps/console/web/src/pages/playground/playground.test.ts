import { describe, expect, it } from "vitest";

import { openCalls, speed, upTo, without, withText, type Turn } from "./conversation";
import { exampleTools, parseTools } from "./tools";

const answer = { role: "assistant", text: "", reasoning: "", finish: "tool_calls", state: "done", failure: undefined, receipt: undefined } as const;
const call = (id: string) => ({ id, name: "f", arguments: "{}" });
const turns: Turn[] = [
  { id: "u", role: "user", text: "go" },
  { id: "a", ...answer, calls: [call("c1"), call("c2")] },
  { id: "t", role: "tool", callId: "c1", name: "f", text: "1" },
];

describe("a conversation", () => {
  it("waits for the results that are missing", () => expect(openCalls(turns)).toEqual([call("c2")]));

  it("waits for none once the user went on", () => expect(openCalls([...turns, { id: "v", role: "user", text: "never mind" }])).toEqual([]));

  it("loses the results with the answer that asked for them", () => expect(without(turns, "a").map((turn) => turn.id)).toEqual(["u"]));

  it("goes back to before an answer, or to a user's turn", () => {
    expect(upTo(turns, "a").map((turn) => turn.id)).toEqual(["u"]);
    expect(upTo(turns, "u").map((turn) => turn.id)).toEqual(["u"]);
  });

  it("is edited in one place", () => expect(withText(turns, "u", "stop").map((turn) => turn.text)).toEqual(["stop", "", "1"]));
});

it("tells tokens per second from the first token on", () => {
  const receipt = { model: "m", requestId: undefined, quota: undefined, input: 1, cached: 0, output: 50, reasoning: 0, firstToken: 500, total: 1500 };
  expect(speed(receipt)).toBe(50);
  expect(speed({ ...receipt, firstToken: 1500 })).toBeUndefined();
});

describe("parseTools", () => {
  it("takes functions as either API has them", () => {
    const names = parseTools('[{"type":"function","function":{"name":"a"}},{"type":"function","name":"b","parameters":{}}]').tools?.map((tool) => tool.name);
    expect(names).toEqual(["a", "b"]);
    expect(parseTools(exampleTools).fault).toBeUndefined();
    expect(parseTools(" ").tools).toEqual([]);
  });

  it.each([
    ["{", "Not JSON"],
    ["{}", "array"],
    ['[{"type":"web_search"}]', "Function 1: its type"],
    ['[{"name":"a b"}]', "Function 1: its name"],
    ['[{"name":"a","parameters":[]}]', "Function 1: its parameters"],
    ['[{"name":"a"},{"name":"a"}]', "Function 2: there are two"],
  ])("says what is wrong with %s", (json, fault) => expect(parseTools(json).fault).toContain(fault));
});
