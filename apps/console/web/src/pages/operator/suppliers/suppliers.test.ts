import { expect, it } from "vitest";

import { parseKeys, reasonOf, showKeys } from "./reasons";

it("keys are read line by line and written back", () => {
  const keys = parseKeys(" key_1  sk-…1 \n\nkey_2\tsk-…2\n");
  expect(keys).toEqual([
    { id: "key_1", mask: "sk-…1" },
    { id: "key_2", mask: "sk-…2" },
  ]);
  expect(parseKeys(showKeys(keys ?? []))).toEqual(keys);
});

it.each(["key_1", "key_1 a b", "key_1 a\nkey_1 b"])("%j is no list of keys", (text) => {
  expect(parseKeys(text)).toBeUndefined();
});

it("a day that matches needs no explanation", () => {
  expect(reasonOf({ reason: "" })).toBeUndefined();
  expect(reasonOf({ reason: "other_use" })).toMatch(/other keys/);
});
