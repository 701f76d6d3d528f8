import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api, ask } from "./client";
import { Declined } from "./confirmation";

const answer = vi.hoisted(() => {
  // The client keeps the Request that it finds when it is loaded. That of a browser resolves paths.
  globalThis.Request = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://localhost") : input, init);
    }
  };
  return { confirmed: true, asked: 0 };
});
vi.mock("./confirmation", async (load) => ({
  ...(await load<typeof import("./confirmation")>()),
  confirmIdentity: async () => {
    answer.asked++;
    return answer.confirmed;
  },
}));

let sent: { path: string; body: string }[];
/** Answers each request with the next of the statuses. */
let statuses: number[];

beforeEach(() => {
  sent = [];
  Object.assign(answer, { confirmed: true, asked: 0 });
  vi.stubGlobal("document", { activeElement: null });
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push({ path: new URL(request.url).pathname, body: await request.text() });
    const status = statuses.shift() ?? 500;
    const code = status === 403 ? "confirmation_required" : "x";
    return Response.json({ code, detail: "x" }, { status });
  });
});

afterEach(() => vi.unstubAllGlobals());

const invite = () =>
  ask(api.POST("/api/invitations", { body: { email: "a@b.example", role: "member", valid_days: 7 } }));

it("sends the same request again after the user has confirmed", async () => {
  statuses = [403, 201];
  await invite();
  expect(answer.asked).toBe(1);
  expect(sent.map(({ path }) => path)).toEqual(["/api/invitations", "/api/invitations"]);
  expect(sent[1]?.body).toBe(sent[0]?.body);
  expect(sent[0]?.body).toContain("a@b.example");
});

it("throws Declined and sends nothing again if the user declines", async () => {
  statuses = [403];
  answer.confirmed = false;
  await expect(invite()).rejects.toBeInstanceOf(Declined);
  expect(sent).toHaveLength(1);
});

it("asks only once for a request", async () => {
  statuses = [403, 403];
  await expect(invite()).rejects.toMatchObject({ code: "confirmation_required" });
  expect(answer.asked).toBe(1);
});

it("confirms with the user's password if the form has asked for it", async () => {
  statuses = [403, 200, 200];
  await ask(api.POST("/api/session/totp", { body: { password: "secret" } }));
  expect(answer.asked).toBe(0);
  expect(sent.map(({ path, body }) => `${path} ${body}`)).toEqual([
    '/api/session/totp {"password":"secret"}',
    '/api/session/confirmation {"password":"secret"}',
    '/api/session/totp {"password":"secret"}',
  ]);
});

it("does not take the password of a new member for the user's own", async () => {
  statuses = [403, 201];
  await ask(api.POST("/api/members", { body: { email: "a@b.example", password: "first password", role: "member" } }));
  expect(answer.asked).toBe(1);
  expect(sent.map(({ path }) => path)).toEqual(["/api/members", "/api/members"]);
});

it("asks nothing for other refusals", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ code: "forbidden", detail: "x" }, { status: 403 }));
  await expect(invite()).rejects.toMatchObject({ code: "forbidden" });
  expect(answer.asked).toBe(0);
});
