import { expect, it } from "vitest";

import { preferred } from "./languages";

it.each([
  [null, ["en-US"], "en"],
  [null, ["zh-CN", "en"], "zh-Hans"],
  [null, ["zh"], "zh-Hans"],
  [null, ["fr-FR", "zh-TW", "en"], "zh-Hans"],
  [null, ["fr"], "en"],
  [null, [], "en"],
  ["en", ["zh-CN"], "en"],
  ["zh-Hans", ["en"], "zh-Hans"],
  ["xx", ["zh-CN"], "zh-Hans"],
  ["constructor", ["en"], "en"],
])("the choice %j and the browser's %j lead to %s", (chosen, browser, language) =>
  expect(preferred(chosen, browser)).toBe(language),
);
