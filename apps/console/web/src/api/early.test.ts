// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from "vitest";

import { api, ask } from "./client";
import { earlyKey, readTime } from "./early";

const json = (body: unknown) => Promise.resolve(Response.json(body));

afterEach(() => {
  delete window.earlyReads;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const quota = () => ask(api.GET("/api/quota"));

it("an answer that was read early is used once", async () => {
  vi.stubGlobal("fetch", () => json("late"));
  window.earlyReads = { at: Date.now(), answers: new Map([[earlyKey("/api/quota"), json("early")]]) };
  expect(await quota()).toBe("early");
  expect(await quota()).toBe("late");
});

it("an early answer is not used after the page has loaded", async () => {
  vi.stubGlobal("fetch", () => json("late"));
  window.earlyReads = { at: Date.now() - 30_000, answers: new Map([[earlyKey("/api/quota"), json("early")]]) };
  expect(await quota()).toBe("late");
});

it("a read that failed early is repeated", async () => {
  vi.stubGlobal("fetch", () => json("late"));
  window.earlyReads = {
    at: Date.now(),
    answers: new Map([[earlyKey("/api/quota"), Promise.reject(new Error("offline"))]]),
  };
  expect(await quota()).toBe("late");
});

it("an answer is found whatever the order of the parameters is, and not for other parameters", () => {
  expect(earlyKey("/api/usage-overview?by=model&by=token&from=1")).toBe(
    earlyKey(`${window.location.origin}/api/usage-overview?from=1&by=model&by=token`),
  );
  expect(earlyKey("/api/usage-overview?by=token&by=model")).not.toBe(earlyKey("/api/usage-overview?by=model&by=token"));
});

it("a page that loads asks for the time of its early reads, and later for the current time", () => {
  const at = Date.parse("2026-03-01T12:00:59.900Z");
  vi.useFakeTimers({ now: at + 29_000 });
  expect(readTime()).toBe(at + 29_000);
  window.earlyReads = { at, answers: new Map() };
  expect(readTime()).toBe(at);
  vi.setSystemTime(at + 30_000);
  expect(readTime()).toBe(at + 30_000);
});
