import { i18n, type MessageDescriptor } from "@lingui/core";
import { afterAll, describe, expect, it } from "vitest";

import { actionChoices } from "./actions";
import { changesOf } from "./fields";
import { allActions, restOf, sentenceOf } from "./sentences";
import type { Action, Entry } from "./subject";

const id = "018f3a5e-0000-7000-8000-000000000001";

const entryOf = (action: Action, change: Partial<Entry> = {}): Entry => ({
  id: "018f3a5e-0000-7000-8000-0000000000ff",
  tenant_id: null,
  actor: "anna@acme.example",
  action,
  target: id,
  detail: {},
  before: {},
  names: { [id]: "ci" },
  address: "192.0.2.1",
  created_at: "2026-01-10T12:00:00Z",
  ...change,
});

describe("every action that the log can have", () => {
  it.each(allActions)("%s has a sentence", (action) => {
    const sentence = sentenceOf(entryOf(action));
    expect(sentence).not.toContain(action);
    expect(sentence).not.toMatch(/undefined|null|NaN|\.$/);
    expect(sentence.length).toBeGreaterThan(8);
  });

  it("can be filtered by its kind", () => {
    const values = new Set(actionChoices("platform").flatMap(({ items }) => items.map(({ value }) => value)));
    const missing = allActions.filter((action) => !values.has(action) && !values.has(action.split(".")[0] ?? ""));
    expect(missing).toEqual([]);
  });
});

const update = (detail: Entry["detail"], before: Entry["before"] = {}) =>
  sentenceOf(entryOf("token.update", { detail, before }));

describe("an update of one field", () => {
  it.each<[string, Entry["detail"], Entry["before"], string]>([
    [
      "a raised budget",
      { "caps.day": "5" },
      { "caps.day": "3.5" },
      "anna@acme.example raised the budget of token ci from $3.50 to $5.00 per day",
    ],
    [
      "a lowered quota",
      { quota: "9.5" },
      { quota: "10" },
      "anna@acme.example lowered the quota of token ci from $10.00 to $9.50",
    ],
    [
      "a first budget",
      { "caps.month": "5" },
      { "caps.month": null },
      "anna@acme.example set the budget of token ci to $5.00 per month",
    ],
    [
      "a removed budget",
      { "caps.week": null },
      { "caps.week": "5" },
      "anna@acme.example removed the weekly budget of token ci",
    ],
    [
      "an entry of an earlier version",
      { "caps.day": "5" },
      {},
      "anna@acme.example set the budget of token ci to $5.00 per day",
    ],
    [
      "a raised rate limit",
      { "limits.requests_per_minute": 1200 },
      { "limits.requests_per_minute": 60 },
      "anna@acme.example raised the limit of token ci from 60 to 1,200 requests per minute",
    ],
    [
      "a first rate limit",
      { "limits.concurrency": 4 },
      { "limits.concurrency": 0 },
      "anna@acme.example limited token ci to 4 concurrent requests",
    ],
    [
      "a removed rate limit",
      { "limits.tokens_per_minute": 0 },
      { "limits.tokens_per_minute": 500 },
      "anna@acme.example removed the limit of tokens per minute of token ci",
    ],
    ["a status", { status: "revoked" }, { status: "enabled" }, "anna@acme.example revoked token ci"],
    ["a new name", { name: "build" }, { name: "ci" }, "anna@acme.example renamed token ci from ci to build"],
    [
      "a removed expiry",
      { expires_at: "0001-01-01T00:00:00Z" },
      { expires_at: "2026-02-01T00:00:00Z" },
      "anna@acme.example removed the expiry of token ci",
    ],
    ["a field without a sentence", { purpose: "x" }, {}, "anna@acme.example changed token ci"],
  ])("%s", (_, detail, before, sentence) => expect(update(detail, before)).toBe(sentence));

  it("names groups instead of their ids", () => {
    const [from, to] = [id.replace(/1$/, "2"), id.replace(/1$/, "3")];
    expect(
      sentenceOf(
        entryOf("user.update", {
          detail: { group_id: to },
          before: { group_id: from },
          names: { [id]: "ben@acme.example", [from]: "default", [to]: "pro" },
        }),
      ),
    ).toBe("anna@acme.example moved user ben@acme.example from group default to group pro");
  });
});

it("an update of several fields lists them, from what to what", () => {
  const entry = entryOf("token.update", {
    detail: { quota: "20", status: "enabled", models: ["a", "b"] },
    before: { quota: null, status: "disabled" },
  });
  expect(sentenceOf(entry)).toBe("anna@acme.example changed token ci");
  expect(restOf(entry)).toBe("Quota: from unlimited to $20.00 · Status: from Disabled to Enabled · Models: a, b");
  expect(changesOf(entry).map(({ before }) => before)).toEqual(["unlimited", "Disabled", undefined]);
});

it("says that a group without models has none", () => {
  const entry = entryOf("group.update", { detail: { models: [] }, before: { models: ["*"] } });
  expect(changesOf(entry).map(({ before, after }) => [before, after])).toEqual([["*", "none"]]);
});

it("shows the size of values that were too long for the log", () => {
  const sha256 = "0".repeat(64);
  const entry = entryOf("token.update", {
    detail: { models: { count: 1000, sha256 }, note: { bytes: 5000, sha256 } },
    before: { models: [] },
  });
  expect(changesOf(entry).map(({ before, after }) => [before, after])).toEqual([
    ["all", "1,000 entries"],
    [undefined, "a value of 5,000 bytes"],
  ]);
  expect(update({ models: { count: 1000, sha256 } })).toBe("anna@acme.example changed the models of token ci");
});

it("names what was deleted by a part of its id", () =>
  expect(sentenceOf(entryOf("token.create", { names: {} }))).toBe("anna@acme.example created token 00000001"));

it("names a resource by the entry if it is gone", () =>
  expect(sentenceOf(entryOf("alert_rule.delete", { names: {}, detail: { name: "low" } }))).toBe(
    "anna@acme.example deleted alert rule low",
  ));

it("tells who lost and who got quota", () => {
  expect(sentenceOf(entryOf("quota.transfer", { detail: { amount: "-12.5" } }))).toBe(
    "anna@acme.example transferred $12.50 away from ci",
  );
  expect(sentenceOf(entryOf("quota.adjustment", { detail: { amount: "2" } }))).toBe(
    "anna@acme.example raised the granted quota of ci by $2.00",
  );
});

it("counts events, and lists what they were about", () => {
  const entry = entryOf("session.refused", {
    actor: "",
    detail: { count: 3, accounts: { "a@acme.example": 2, "b@acme.example": 1 } },
  });
  expect(sentenceOf(entry)).toBe("3 sign-ins were refused");
  expect(restOf(entry)).toBe("a@acme.example · b@acme.example");
  const refused = entryOf("session.refused", {
    actor: "",
    detail: { count: 1, accounts: { "a@acme.example": 1 }, reasons: { "no_email: the claim email is missing": 1 } },
  });
  expect(restOf(refused)).toBe("a@acme.example · no_email: the claim email is missing");
});

it("shows an action that is newer than the console by its name", () => {
  expect(sentenceOf(entryOf("robot.create" as Action))).toBe(`anna@acme.example: robot.create ${id}`);
});

describe("in Chinese", () => {
  const asked: MessageDescriptor[] = [];
  afterAll(() => i18n.activate("en"));

  it("every sentence is translated", async () => {
    const files = import.meta.glob<{ messages: Record<string, never> }>(
      "../../locales/{audit,common,start}/zh-Hans.po",
    );
    i18n.load("zh-Hans", {});
    for (const load of Object.values(files)) i18n.load("zh-Hans", (await load()).messages);
    i18n.activate("zh-Hans");
    i18n.on("missing", ({ id: missing }) => asked.push({ id: missing }));
    for (const action of allActions) expect(sentenceOf(entryOf(action)), action).toMatch(/[\u4e00-\u9fff]/);
    expect(update({ "caps.day": "5" }, { "caps.day": "3" })).toMatch(/^anna@acme.example .*令牌 ci.*\$3.00.*\$5.00/);
    expect(asked).toEqual([]);
  });
});
