import { expect, it } from "vitest";

import { entriesOf, isEntry, requiredOf } from "./requiredClaims";

it("reads and writes one text for each value", () => {
  const required = [
    { claim: "groups", values: ["red team", "a=b", "x,y"] },
    { claim: "hd", values: ["acme.example"] },
  ];
  const entries = ["groups=red team", "groups=a=b", "groups=x,y", "hd=acme.example"];
  expect(entriesOf(required)).toEqual(entries);
  expect(requiredOf(entries)).toEqual(required);
  expect(requiredOf([" hd = acme.example "])).toEqual([required[1]]);
  expect(requiredOf([])).toEqual([]);
});

it.each([
  ["hd=acme.example", true],
  ["groups=a=b", true],
  ["hd", false],
  ["hd=", false],
  ["=x", false],
])("isEntry(%j) is %j", (text, is) => expect(isEntry(text)).toBe(is));
