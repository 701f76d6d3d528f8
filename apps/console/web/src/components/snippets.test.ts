import { expect, it } from "vitest";

import { languages, snippet } from "./snippets";

const call = { base: "https://relay.example.com/v1", token: "sk-tg-abc", model: "gpt-4o" };

it.each(languages)("the %s code contains the address, the token and the model", (language) => {
  const code = snippet(language, call);
  for (const part of Object.values(call)) expect(code).toContain(part);
});

it("escapes quotes in the name of a model", () => {
  expect(snippet("curl", { ...call, model: "it's" })).toContain(`it'\\''s`);
  expect(snippet("python", { ...call, model: 'a"b' })).toContain(`"a\\"b"`);
});
