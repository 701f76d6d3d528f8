// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from "vitest";

import { api, ask } from "./client";
import { earlyKey } from "./early";

const json = (body: unknown) => Promise.resolve(Response.json(body));

afterEach(() => {
  delete window.earlyAnswers;
  vi.unstubAllGlobals();
});

const quota = () => ask(api.GET("/api/quota"));

it("an answer that was read early is used once", async () => {
  vi.stubGlobal("fetch", () => json("late"));
  window.earlyAnswers = new Map([[earlyKey("/api/quota"), json("early")]]);
  expect(await quota()).toBe("early");
  expect(await quota()).toBe("late");
});

it("a read that failed early is repeated", async () => {
  vi.stubGlobal("fetch", () => json("late"));
  window.earlyAnswers = new Map([[earlyKey("/api/quota"), Promise.reject(new Error("offline"))]]);
  expect(await quota()).toBe("late");
});

it("an answer is found whatever the order of the parameters is, and not for other parameters", () => {
  expect(earlyKey("/api/usage-overview?by=model&by=token&from=1")).toBe(
    earlyKey(`${window.location.origin}/api/usage-overview?from=1&by=model&by=token`),
  );
  expect(earlyKey("/api/usage-overview?by=token&by=model")).not.toBe(earlyKey("/api/usage-overview?by=model&by=token"));
});
