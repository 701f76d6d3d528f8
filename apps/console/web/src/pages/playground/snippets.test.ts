import { describe, expect, it } from "vitest";

import { languages } from "@/components/snippets";

import { requestOf } from "./request";
import { defaults } from "./settings";
import { pythonLiteral, snippet } from "./snippets";

const settings = { ...defaults, model: "echo-1", temperature: 0.5 };
const request = requestOf(settings, [{ id: "1", role: "user", text: "It's `code`" }]);

it("escapes single quotes for the shell", () => {
  expect(snippet("curl", "http://relay/", request)).toContain(`"content": "It'"'"'s \`code\`"`);
});

it("splits a raw string of Go at backquotes", () => {
  expect(snippet("go", "http://relay", request)).toContain('"It\'s ` + "`" + `code` + "`" + `"');
});

it("pythonLiteral writes None and True instead of null and true", () => expect(pythonLiteral({ a: null, b: [true, 1.5], c: {}, d: [] })).toBe('{\n    "a": None,\n    "b": [\n        True,\n        1.5,\n    ],\n    "c": {},\n    "d": [],\n}'));

describe.each(languages)("%s", (language) => {
  it("contains the address and the parameters, but no token", () => {
    const code = snippet(language, "http://relay", request);
    expect(code).toContain("http://relay/v1");
    expect(code).toContain("0.5");
    expect(code).toContain("TOLLGATE_TOKEN");
    expect(code).not.toContain("sk-");
  });

  it("uses the responses API if the request does", () => {
    const whole = requestOf({ ...settings, endpoint: "responses", stream: false }, []);
    expect(snippet(language, "http://relay", whole)).not.toContain("chat");
  });
});
