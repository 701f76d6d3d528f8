import { expect, it } from "vitest";

import { commandOf, keyedPages, modKey } from "./shortcuts";

const plain = { mod: false, alt: false, typing: false };

it.each([
  ["Ctrl+K", { ...plain, key: "k", mod: true }, { dialog: "palette" }],
  ["Ctrl+K in a field", { ...plain, key: "K", mod: true, typing: true }, { dialog: "palette" }],
  ["Ctrl+J", { ...plain, key: "j", mod: true }, undefined],
  ["?", { ...plain, key: "?" }, { dialog: "shortcuts" }],
  ["? in a field", { ...plain, key: "?", typing: true }, undefined],
  ["g", { ...plain, key: "g" }, { begins: 1000 }],
  ["Alt+g", { ...plain, key: "g", alt: true }, undefined],
  ["t without g", { ...plain, key: "t" }, undefined],
])("%s", (_, pressed, command) => expect(commandOf(pressed, "owner", 1000, undefined)).toEqual(command));

it("two letters open a page, if the second one follows soon", () => {
  expect(commandOf({ ...plain, key: "t" }, "owner", 2000, 1000)).toEqual({ to: "/tokens" });
  expect(commandOf({ ...plain, key: "m" }, "operator", 2000, 1000)).toEqual({ to: "/operator/models" });
  expect(commandOf({ ...plain, key: "t" }, "owner", 9000, 1000)).toBeUndefined();
});

it("a role has only its own pages", () => {
  expect(keyedPages("member").map(({ to }) => to)).not.toContain("/operator/channels");
  expect(keyedPages("operator").map(({ to }) => to)).toContain("/operator/channels");
});

it("modKey is that of the platform", () => {
  expect(modKey("MacIntel")).toBe("⌘");
  expect(modKey("Linux x86_64")).toBe("Ctrl");
});
