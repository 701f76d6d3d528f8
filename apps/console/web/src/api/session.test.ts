import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { language } from "@/locale/messages";

import { queryClient, sessionQuery } from "./query";
import { changeLanguage, type Identity, takeLanguage } from "./session";

vi.hoisted(() => {
  // The client keeps the Request that it finds when it is loaded. That of a browser resolves paths.
  globalThis.Request = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://localhost") : input, init);
    }
  };
});

/** The languages that were sent, and functions that answer them. */
let sent: { language: string; answer: () => void }[];

const identity = (tag?: string) => ({ user: { id: "one", language: tag } }) as unknown as Identity;
const stored = () => queryClient.getQueryData<Identity>(sessionQuery.queryKey)?.user.language;

beforeEach(() => {
  sent = [];
  vi.stubGlobal("document", { activeElement: null, documentElement: {} });
  vi.stubGlobal("fetch", async (request: Request) => {
    const { language: tag } = (await request.json()) as { language: string };
    return await new Promise((answer) =>
      sent.push({ language: tag, answer: () => answer(Response.json(identity(tag))) }),
    );
  });
});

const patience = { timeout: 20_000 };

afterEach(() => vi.unstubAllGlobals());

it("a late answer does not bring the language back that was there before", async () => {
  await takeLanguage(identity()); // stores the language of the browser, English, with the account
  await vi.waitFor(() => expect(sent).toHaveLength(1), patience);
  const changed = changeLanguage("zh-Hans");
  await vi.waitFor(() => expect(language()).toBe("zh-Hans"), patience);
  await takeLanguage(identity("en")); // a navigation meanwhile
  expect(language()).toBe("zh-Hans");

  sent[0]?.answer();
  await vi.waitFor(() => expect(sent).toHaveLength(2), patience);
  expect(stored()).toBeUndefined();
  sent[1]?.answer();
  await changed;
  expect(sent.map((one) => one.language)).toEqual(["en", "zh-Hans"]);
  expect(stored()).toBe("zh-Hans");
});

it("of several choices only the last one is sent", async () => {
  const all = [changeLanguage("en"), changeLanguage("zh-Hans"), changeLanguage("en")];
  await vi.waitFor(() => expect(sent).toHaveLength(1), patience);
  sent[0]?.answer();
  await Promise.all(all);
  expect(sent.map((one) => one.language)).toEqual(["en"]);
  expect(stored()).toBe("en");
});
