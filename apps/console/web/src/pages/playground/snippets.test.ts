import { describe, expect, it } from "vitest";

import { languages } from "@/components/snippets";

import { FileContent } from "./literal";
import { requestOf } from "./request";
import { defaults } from "./settings";
import { pythonLiteral, snippet } from "./snippets";
import { exampleTools } from "./tools";

const settings = { ...defaults, model: "echo-1", temperature: 0.5 };
const request = requestOf(settings, [{ id: "1", role: "user", text: "It's `code`" }]);

it("escapes single quotes for the shell", () => {
  expect(snippet("curl", "http://relay/", request)).toContain(`"content": "It'"'"'s \`code\`"`);
});

it("splits a raw string of Go at backquotes", () => {
  expect(snippet("go", "http://relay", request)).toContain('"It\'s ` + "`" + `code` + "`" + `"');
});

it("pythonLiteral writes None and True instead of null and true", () =>
  expect(pythonLiteral({ a: null, b: [true, 1.5], c: {}, d: [] })).toBe(
    '{\n    "a": None,\n    "b": [\n        True,\n        1.5,\n    ],\n    "c": {},\n    "d": [],\n}',
  ));

describe("a file", () => {
  const image = {
    id: "i",
    name: "it's.png",
    kind: "image",
    type: "image/png",
    data: "data:image/png;base64,AA==",
  } as const;
  const asked = requestOf(
    { ...settings, tools: '[{"name":"f","parameters":{"$ref":"#/a"}}]' },
    [{ id: "1", role: "user", text: "`$HOME` \\", attachments: [image] }],
    ({ name, type }) => new FileContent(name, type),
  );

  it("is read by the code, which does not contain it", () => {
    for (const language of languages) expect(snippet(language, "http://relay", asked)).not.toContain("AA==");
  });

  it("is inserted by the shell, which replaces nothing else", () => {
    const code = snippet("curl", "http://relay", asked);
    expect(code).toContain(`"url": "data:image/png;base64,$(base64 < 'it'"'"'s.png' | tr -d '\\n')"`);
    expect(code).toContain("\\`\\$HOME\\` \\\\\\\\");
    expect(code).toContain('"\\$ref"');
  });

  it("is read by a function of Python, Node and Go", () => {
    expect(snippet("python", "http://relay", asked)).toContain('"url": data_url("it\'s.png", "image/png"),');
    expect(snippet("node", "http://relay", asked)).toContain('"url": dataUrl("it\'s.png", "image/png")');
    expect(snippet("go", "http://relay", asked)).toContain('"url": "` + dataURL("it\'s.png", "image/png") + `"');
  });
});

describe("an audio file", () => {
  const voice = { id: "v", name: "hi.wav", kind: "audio", type: "audio/wav", data: "AA==" } as const;
  const asked = requestOf(
    settings,
    [{ id: "1", role: "user", text: "Transcribe", attachments: [voice] }],
    ({ name, type }) => new FileContent(name, type),
  );

  it.each([
    ["curl", `"data": "$(base64 < 'hi.wav' | tr -d '\\n')"`],
    ["python", '"data": content("hi.wav"),'],
    ["node", '"data": readFileSync("hi.wav", "base64")'],
    ["go", '"data": "` + content("hi.wav") + `"'],
  ] as const)("is read by the code for %s, as base64 without the head of a data URL", (language, want) => {
    const code = snippet(language, "http://relay", asked);
    expect(code).toContain(want);
    expect(code).not.toMatch(/AA==|data_url|dataUrl|dataURL/);
  });
});

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

// A test of e2e compiles these files. `npx vitest run --update` writes them.
describe.each(["chat", "responses"] as const)("the code for Go, with images, functions and the API %s,", (endpoint) => {
  const image = {
    id: "i",
    name: "photo.png",
    kind: "image",
    type: "image/png",
    data: "data:image/png;base64,AA==",
  } as const;

  it.each([true, false])("is as recorded if it streams: %s", async (stream) => {
    const asked = requestOf(
      { ...settings, endpoint, stream, tools: exampleTools },
      [{ id: "1", role: "user", text: "What is `this`?", attachments: [image] }],
      ({ name, type }) => new FileContent(name, type),
    );
    const folder = stream ? `${endpoint}_stream` : endpoint;
    await expect(`${snippet("go", "https://relay.example", asked)}\n`).toMatchFileSnapshot(
      `../../../../../../e2e/testdata/playground/${folder}/main.go`,
    );
  });
});
