import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";

import { callModel } from "./call";

const request = { path: "/chat/completions" as const, body: { model: "echo-1" } };
const call = () => callModel({ request, signal: new AbortController().signal, onAnswer: () => undefined });

const json = (status: number, body: object) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const refused = () =>
  json(401, { error: { message: "no", type: "authentication_error", code: "invalid_api_key", param: null } });
const answered = () => json(200, { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] });

let made = 0;

beforeEach(() => {
  made = 0;
  queryClient.clear();
  vi.spyOn(api, "POST").mockImplementation((async () => ({
    data: { value: `t${++made}` },
    response: new Response(),
  })) as never);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Answers calls with a token that was not revoked. */
const accept = (valid: string) =>
  vi.stubGlobal("fetch", async (_url: string, { headers }: { headers: Record<string, string> }) =>
    headers["X-Tollgate-Token"] === valid ? answered() : refused(),
  );

it("uses one token for several calls", async () => {
  accept("t1");
  expect((await Promise.all([call(), call()])).map(({ answer }) => answer.text)).toEqual(["Hi", "Hi"]);
  expect(made).toBe(1);
});

it("makes one new token if two calls find theirs revoked", async () => {
  accept("t2");
  expect((await Promise.all([call(), call()])).map(({ answer }) => answer.text)).toEqual(["Hi", "Hi"]);
  expect(made).toBe(2);
});

it("gives up if the new token is refused too", async () => {
  accept("none");
  expect((await call()).answer.failure?.code).toBe("invalid_api_key");
  expect(made).toBe(2);
});

it.each([
  ["the console refuses a call without a session", json(401, { detail: "Sign in.", code: "unauthorized" }), true],
  ["the relay refuses the token", refused(), false],
])("reads the session again if %s: %#", async (_, answer, again) => {
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: {} } as Identity);
  vi.stubGlobal("fetch", async () => answer.clone());
  expect((await call()).answer.failure?.status).toBe(401);
  expect(queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated).toBe(again);
});
