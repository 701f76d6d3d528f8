import { describe, expect, it } from "vitest";

import { factsOf, factValues, noFacts, showContext, showModalities } from "./facts";

describe("facts of a model", () => {
  it("are read from a model and sent back unchanged", () => {
    const model = {
      max_output: 4096,
      context_length: 128_000,
      modalities: { input: ["text" as const, "image" as const], output: ["text" as const] },
    };
    expect(factsOf(factValues(model))).toEqual({ context_length: 128_000, modalities: model.modalities });
  });
  it("are 0 and empty while nothing is known", () => {
    expect(factsOf(noFacts)).toEqual({ context_length: 0, modalities: { input: [], output: [] } });
    expect(factValues({ max_output: 1, context_length: 0, modalities: { input: [], output: [] } })).toEqual({
      ...noFacts,
      max_output: 1,
    });
  });
  it("are described, and left out while they are not known", () => {
    expect(showModalities({ input: ["text", "image"], output: ["text"] })).toBe("Text, Image → Text");
    expect(showModalities({ input: [], output: ["audio"] })).toBe("Unknown → Audio");
    expect(showModalities({ input: [], output: [] })).toBeUndefined();
    expect(showContext(0)).toBeUndefined();
    expect(showContext(128_000)).toBe("128,000 tokens");
  });
});
