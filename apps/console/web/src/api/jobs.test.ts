// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { forgetJob, isShown, parseJobs, rememberJob, useOpenJobs, useShownJob } from "./jobs";

const origin = "http://localhost";
const created = (id: string, user = "anna") => Response.json({ id, user_id: user }, { status: 201 });
const post = (path: string, method = "POST") => new Request(`${origin}${path}`, { method });

beforeEach(() => {
  localStorage.clear();
  window.history.pushState({}, "", "/usage-logs?span=7d");
});
afterEach(cleanup);

describe("rememberJob", () => {
  it.each(["/api/jobs/usage-export", "/api/operator/jobs/price-simulation", "/api/operator/jobs/catalogue-import"])(
    "remembers what %s created, and returns the answer unread",
    async (path) => {
      const { result } = renderHook(() => useOpenJobs("anna"));
      expect(result.current).toEqual([]);
      const answer = await act(() => rememberJob(post(path), created("j1")));
      expect(await answer.json()).toEqual({ id: "j1", user_id: "anna" });
      expect(result.current).toEqual([{ id: "j1", user: "anna", path: "/usage-logs?span=7d" }]);
    },
  );

  it.each([
    [
      "a refused request",
      post("/api/jobs/usage-export"),
      Response.json({ id: "j1", user_id: "anna" }, { status: 429 }),
    ],
    ["a cancellation", post("/api/jobs/j1/cancel"), created("j1")],
    ["another resource", post("/api/tokens"), created("j1")],
    ["an answer that is no job", post("/api/jobs/usage-export"), new Response("ok")],
  ])("remembers nothing of %s", async (_, request, answer) => {
    await rememberJob(request, answer);
    expect(localStorage.getItem("tollgate-jobs")).toBeNull();
  });
});

it("shows users their own jobs only, until they are forgotten", async () => {
  await rememberJob(post("/api/jobs/usage-export"), created("j1"));
  await rememberJob(post("/api/jobs/usage-export"), created("j2", "ben"));
  const { result } = renderHook(() => useOpenJobs("anna"));
  expect(result.current.map(({ id }) => id)).toEqual(["j1"]);
  act(() => forgetJob("j1"));
  expect(result.current).toEqual([]);
  expect(parseJobs(localStorage.getItem("tollgate-jobs") ?? "").map(({ id }) => id)).toEqual(["j2"]);
});

it("knows whether a job is shown: while one of its components is mounted", async () => {
  await rememberJob(post("/api/jobs/usage-export"), created("j1"));
  expect(isShown("j1")).toBe(false);
  const [first, second] = [renderHook(() => useShownJob("j1")), renderHook(() => useShownJob("j1"))];
  first.unmount();
  expect([isShown("j1"), isShown("j2")]).toEqual([true, false]);
  second.unmount();
  expect(isShown("j1")).toBe(false);
});

it.each([
  "",
  "{",
  "null",
  "7",
  '[{"id":1}]',
  '[{"id":"a","user":"b","path":"//evil.example"}]',
  '[{"id":"a","user":"b","path":"https://evil.example"}]',
])("drops what is no job: %j", (text) => expect(parseJobs(text)).toEqual([]));

it("bounds the number of jobs", () =>
  expect(
    parseJobs(JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ id: `${i}`, user: "anna", path: "/" })))),
  ).toHaveLength(20));
