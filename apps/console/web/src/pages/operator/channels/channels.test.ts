import { describe, expect, it } from "vitest";

import { channelStatus, nameOf, noHealth, statesOf, stateWord } from "@/components/channels/status";
import { spanOf } from "@/components/usage/range";
import type { ChannelHealth } from "@/pages/operator/catalog/queries";

import {
  bodyOf,
  changedMeanwhile,
  channelFaults,
  droppedBy,
  newValues,
  pair,
  parametersOf,
  patchOf,
  valuesOf,
} from "./channelForm";
import { errorShare, percentile, showPercent } from "./health";
import { marginOf, stepsOf } from "./usage";
import { changedTags, tagsFault, tagsOf } from "./tags";
import { channel } from "./testing";
import { filtered, shareOf, tiersOf } from "./tiers";

describe("tiers", () => {
  const a = channel({ id: "a", name: "a", weight: 3 });
  const b = channel({ id: "b", name: "b", weight: 1 });
  const off = channel({ id: "off", name: "off", weight: 9, status: "disabled" });
  const last = channel({ id: "last", name: "last", priority: 7, models: { other: "x" } });

  it("are in the order in which calls try them, with disabled channels last", () => {
    expect(
      tiersOf([last, off, b, a]).map(({ priority, channels }) => [priority, channels.map(({ id }) => id)]),
    ).toEqual([
      [0, ["a", "b", "off"]],
      [7, ["last"]],
    ]);
  });
  it("divide their calls by the weights of the enabled channels", () => {
    expect([a, b, off].map((one) => shareOf(one, [a, b, off]))).toEqual([75, 25, 0]);
  });
  it("are filtered by model, status and text", () => {
    expect(filtered([a, b, last], { model: "other" })).toEqual([last]);
    expect(filtered([a, off], { status: "disabled" })).toEqual([off]);
    expect(filtered([a, last], { search: "LAST" })).toEqual([last]);
  });
  it("are filtered by a whole tag, and found by a part of it", () => {
    const tagged = channel({ id: "t", tags: ["eu west", "paid"] });
    expect(filtered([a, tagged], { tag: "paid" })).toEqual([tagged]);
    expect(filtered([a, tagged], { tag: "pai" })).toEqual([]);
    expect(filtered([a, tagged], { search: "EU W" })).toEqual([tagged]);
  });
});

describe("tags", () => {
  it("are listed once, sorted", () => {
    expect(tagsOf([channel({ tags: ["b", "a"] }), channel({ tags: ["b", "c"] })])).toEqual(["a", "b", "c"]);
  });
  it("are added and removed without a change of the others", () => {
    expect(changedTags(["a", "b", "c"], ["d", "a"], ["b"])).toEqual(["a", "c", "d"]);
    expect(changedTags(["a"], [], ["x"])).toEqual(["a"]);
  });
  it("have the bounds of the API", () => {
    expect(tagsFault(["渠".repeat(40)])).toBeNull();
    expect(tagsFault(["x".repeat(41)])).toContain("40");
    expect(tagsFault(Array.from({ length: 11 }, (_, i) => `t${i}`))).toContain("10");
  });
});

describe("the form of a channel", () => {
  it("sends an empty patch if nothing changed", () => {
    const there = channel({
      settings: {
        ...channel().settings,
        headers: { B: "2", A: "1" },
        parameters: { top_k: 2 },
        proxy: "http://…@proxy",
      },
    });
    expect(patchOf(there, valuesOf(there))).toEqual({});
  });
  it("sends the fields that differ, and null for emptied fields", () => {
    const there = channel({ settings: { ...channel().settings, proxy: "http://…@proxy", api_version: "v1" } });
    const values = { ...valuesOf(there), weight: 5, proxy: "", keys: " sk-2 \n\nsk-3", parameters: '{"user": null}' };
    expect(patchOf(there, values)).toEqual({
      weight: 5,
      api_keys: ["sk-2", "sk-3"],
      settings: { proxy: null, parameters: { user: null } },
    });
  });
  it("sends tags that were added or removed", () => {
    const there = channel({ tags: ["a", "b"] });
    expect(patchOf(there, { ...valuesOf(there), tags: ["b"] })).toEqual({ tags: ["b"] });
    expect(bodyOf({ ...valuesOf(there), tags: ["a"] })).toMatchObject({ tags: ["a"] });
    expect(bodyOf({ ...valuesOf(there), tags: [] })).not.toHaveProperty("tags");
  });
  it("adds credentials to those that stay, and replaces those that the change drops", () => {
    const there = channel();
    const values = { ...valuesOf(there), keys: "sk-2" };
    expect(patchOf(there, values)).toEqual({ rotation: { add: ["sk-2"] } });
    expect(patchOf(there, { ...values, base_url: "https://b.example/v1" })).toEqual({
      base_url: "https://b.example/v1",
      api_keys: ["sk-2"],
    });
  });
  it("names the changes that drop the credentials", () => {
    const there = channel();
    const values = valuesOf(there);
    expect(
      droppedBy(there, { ...values, name: "b", system_prompt: "x", headers: [pair("OpenAI-Organization", "o")] }),
    ).toEqual([]);
    expect(
      droppedBy(there, {
        ...values,
        base_url: "https://b.example/v1",
        proxy: "http://p",
        ca: "x",
        headers: [pair("X-Route", "b")],
      }),
    ).toEqual(["base URL", "proxy", "certificate authorities", "headers"]);
    expect(droppedBy(channel({ api_key_masks: [] }), { ...values, base_url: "https://b.example/v1" })).toEqual([]);
  });
  it("knows whether somebody else has changed what it would send", () => {
    const there = channel({ tags: ["a", "b"] });
    const by = (now: Partial<ReturnType<typeof channel>>) => (patch: Parameters<typeof changedMeanwhile>[2]) =>
      changedMeanwhile(there, channel({ tags: ["b", "a"], ...now }), patch);
    const sent = { tags: ["c"], settings: { headers: { A: "1" } }, rotation: { add: ["sk-2"] } };
    expect(by({ models: { other: "x" }, weight: 7 })(sent)).toBe(false);
    expect(by({ tags: ["b"] })(sent)).toBe(true);
    expect(by({ settings: { ...there.settings, headers: { B: "2" } } })(sent)).toBe(true);
    expect(by({ models: { other: "x" } })({ models: { m: "y" } })).toBe(true);
  });
  it("leaves out the fields that the type does not have", () => {
    const body = bodyOf({ ...newValues("echo"), name: " e ", models: [pair("m", "echo"), pair()] });
    expect(body).toMatchObject({ name: "e", models: { m: "echo" }, settings: {} });
    expect(body).not.toHaveProperty("base_url");
    expect(body).not.toHaveProperty("api_keys");
  });
  it("returns a reason for each invalid field", () => {
    expect(channelFaults.models([])).toBeTruthy();
    expect(channelFaults.models([pair("a", "")])).toBeTruthy();
    expect(channelFaults.models([pair("a", "x"), pair("a", "y")])).toContain("twice");
    expect(channelFaults.models([pair("a", "x"), pair()])).toBeNull();
    expect(channelFaults.base_url("", newValues("azure"))).toBeTruthy();
    expect(channelFaults.base_url("", newValues("gemini"))).toBeNull();
    expect([parametersOf("[1]"), parametersOf("{"), parametersOf(" ")]).toEqual([undefined, undefined, {}]);
  });
});

describe("health", () => {
  const credential = (status: "enabled" | "disabled", error?: string) => ({
    mask: "m",
    fingerprint: "f",
    status,
    since: null,
    ...(error !== undefined && { probe: { status: 0, latency_ms: 1, error, probed_at: "2026-01-01T00:00:00Z" } }),
  });
  const health = (state: ChannelHealth["state"], credentials: ChannelHealth["credentials"]): ChannelHealth => ({
    state,
    credentials,
    credentials_count: credentials.length,
    relays: [],
    relays_count: 0,
  });

  it("names what concerns all tenants first", () => {
    const relay = {
      relay_id: "r",
      tenants: ["t"],
      tenants_count: 1,
      model: "m",
      fingerprint: "",
      mask: "",
      state: "cooling" as const,
      error: "status",
      failures: 1,
      until: "2026-01-01T00:00:00Z",
      said_at: "2026-01-01T00:00:00Z",
    };
    expect(
      channelStatus("enabled", {
        state: "degraded",
        credentials: [],
        relays: [relay, { ...relay, tenants: [], model: "" }],
      }),
    ).toMatchObject({
      word: "Degraded",
      reasons: ["The channel is cooling down: Upstream error", "m is cooling down for 1 tenant: Upstream error"],
    });
  });
  it("names short credentials, whose masks are all the same", () => {
    expect([
      nameOf({ mask: "…", fingerprint: "0123456789" }),
      nameOf({ mask: "sk-a…bcde", fingerprint: "0123456789" }),
    ]).toEqual(["… (012345)", "sk-a…bcde"]);
  });
  it("is always disabled for a disabled channel, whatever fails there", () => {
    expect(channelStatus("disabled", health("failing", [credential("disabled")]))).toEqual({
      state: "disabled",
      word: "Disabled",
      reasons: ["Disabled by an operator. Relays don't use it."],
    });
  });
  it("has a reason for each status", () => {
    for (const known of [
      health("unknown", []),
      health("healthy", [credential("enabled", "")]),
      health("failing", [credential("enabled", "connect")]),
      health("degraded", [credential("disabled"), credential("enabled", "")]),
    ]) {
      expect(channelStatus("enabled", known).reasons[0]).not.toBe("");
    }
  });
  it("of a channel that no probe has checked is not healthy", () =>
    expect(channelStatus("enabled", noHealth).word).toBe("Not checked yet"));
  it.each([undefined, "paused"])("has a word although the API of another release says %s", (state) =>
    expect(stateWord(state as ChannelHealth["state"])).toBe("Not checked yet"),
  );
  it("is counted with the worst first", () => {
    const known = new Map([
      ["a", health("healthy", [credential("enabled", "")])],
      ["b", health("failing", [credential("disabled")])],
      ["c", health("healthy", [credential("enabled", "")])],
    ]);
    expect(
      statesOf(
        [
          { id: "a", status: "enabled" },
          { id: "b", status: "enabled" },
          { id: "c", status: "enabled" },
          { id: "d", status: "disabled" },
        ],
        known,
      ),
    ).toEqual([
      { state: "failing", count: 1 },
      { state: "healthy", count: 2 },
      { state: "disabled", count: 1 },
    ]);
  });
  it("errorShare, showPercent and percentile round as documented", () => {
    expect([errorShare(0, 0), errorShare(200, 1)]).toEqual([undefined, 0.5]);
    expect([showPercent(0), showPercent(0.05), showPercent(0.5), showPercent(12.4)]).toEqual([
      "0%",
      "<0.1%",
      "0.5%",
      "12%",
    ]);
    expect([percentile([3, 1, 2], 50), percentile([1], 95), percentile([], 50)]).toEqual([2, 1, undefined]);
  });
});

it("stepsOf returns all hours of a day, including hours without calls", () => {
  const hours = stepsOf(
    [{ start: "2026-01-02T10:00:00Z", requests: 5, failed: 2 }],
    spanOf("24h", Date.parse("2026-01-02T10:30:00Z")),
  );
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toMatchObject({ answered: 3, failed: 2 });
  expect(hours[0]).toMatchObject({ answered: 0, failed: 0 });
});

it("marginOf adds up the calls whose cost is known", () => {
  const supplier = (cost: string, quota: string) => ({ supplier: { cost, quota, margin: "0", requests: 2 } });
  expect(marginOf([supplier("0.5", "0.75"), {}, supplier("1.000000001", "0.5")])).toEqual({
    cost: 1_500_000_001n,
    quota: 1_250_000_000n,
    margin: -250_000_001n,
    requests: 4,
  });
});
