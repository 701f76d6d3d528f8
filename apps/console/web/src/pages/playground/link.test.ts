import { describe, expect, it } from "vitest";

import { linkOf, sharedIn } from "./link";
import { defaults } from "./settings";
import { exampleTools } from "./tools";

const settings = {
  ...defaults,
  model: "echo-1",
  rival: "模型",
  system: "Be brief. 😀",
  temperature: 0.5,
  stop: ["END"],
  tools: exampleTools,
  stream: false,
};
const hashOf = (link: string | undefined) => new URL(link ?? "").hash;
const encoded = (value: unknown) =>
  `#settings=${btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_")}`;

it("a link returns the settings that it was made of", () => {
  const link = linkOf("https://console.example", settings);
  expect(link).toMatch(/^https:\/\/console\.example\/playground#settings=[\w-]+$/);
  expect(sharedIn(hashOf(link))).toEqual({ settings });
});

it("too long settings have no link", () =>
  expect(linkOf("https://console.example", { ...settings, system: "x".repeat(60_000) })).toBeUndefined());

it.each(["", "#", "#usage", "#other=1"])("the fragment %j has no settings", (hash) =>
  expect(sharedIn(hash)).toBeUndefined(),
);

describe("a hostile or damaged link", () => {
  it.each([
    ["nothing", "#settings="],
    ["no base64", "#settings=%%%"],
    ["no UTF-8", "#settings=_____w"],
    ["no JSON", `#settings=${btoa("{")}`],
    ["a list", encoded([1])],
    ["null", encoded(null)],
    ["no model", encoded({ version: 1 })],
    ["a model that is too long", encoded({ version: 1, model: "x".repeat(40_000).repeat(3) })],
    ["too many characters", `#settings=${"A".repeat(100_000)}`],
    ["deep JSON", `#settings=${btoa("[".repeat(20_000))}`],
  ])("with %s gets a clear message", (_, hash) =>
    expect(sharedIn(hash)?.fault).toBe("The link is incomplete or damaged. Ask for a new one."),
  );

  it("of another version says so", () =>
    expect(sharedIn(encoded({ version: 2, model: "m" }))?.fault).toContain("another version"));

  it("cannot set values out of their bounds, or other fields", () => {
    const shared = sharedIn(
      encoded({
        version: 1,
        model: "m",
        temperature: 99,
        maxTokens: -1,
        endpoint: "http://evil.example",
        stop: ["a", "b", "c", "d", "e", 6],
        columns: [[{ id: "1", role: "user", text: "x" }]],
        ["__proto__"]: { stream: false },
      }),
    );
    expect(shared).toEqual({ settings: { ...defaults, model: "m", stop: ["a", "b", "c", "d"] } });
  });
});
