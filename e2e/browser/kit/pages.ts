import { expect, type Page } from "@playwright/test";

import { type Api, ask, call, expectOk, type Schema } from "./api.ts";
import type { Gateway } from "./gateway.ts";
import { type Tenant, unique } from "./test.ts";

/** A page of the console: its path, and the heading that shows that it has loaded. */
export interface ConsolePage {
  path: string;
  title: string | RegExp;
}

/** The pages that need no session. */
export const publicPages: ConsolePage[] = [
  { path: "/sign-in", title: "Sign in" },
  { path: "/password-reset", title: "Reset your password" },
  { path: "/password-reset#nothing", title: "Set a new password" },
  { path: "/invitation#nothing", title: "You're invited" },
  { path: "/reference", title: "API reference" },
  { path: "/reference/createChatCompletion", title: "Create a chat completion" },
  { path: "/reference/retrieveResponse", title: "Retrieve a response" },
];

const settings: ConsolePage[] = ["", "/security", "/sessions", "/access-keys"].map((tab) => ({
  path: `/settings${tab}`,
  title: "Settings",
}));

/** The pages of an owner. `token` is the id of a token in the tenant. */
export const ownerPages = (token: string): ConsolePage[] => [
  { path: "/", title: "Overview" },
  { path: "/playground", title: "Playground" },
  { path: "/tokens", title: "Tokens" },
  { path: `/tokens/${token}`, title: /./ },
  { path: "/usage-logs", title: "Usage logs" },
  { path: "/usage-logs?live=false", title: "Usage logs" },
  { path: "/models", title: "Models & prices" },
  { path: "/models/echo-flat", title: "echo-flat" },
  { path: "/quota", title: "Quota & ledger" },
  { path: "/quota/statement", title: "Monthly statement" },
  { path: "/alerts", title: "Alerts" },
  { path: "/members", title: "Members" },
  { path: "/audit-log", title: "Audit log" },
  ...settings,
];

/** Ids of one of each kind of object that has a page of its own. */
export interface PageIds {
  tenant: string;
  channel: string;
  model: string;
  group: string;
  token: string;
  /** A billing account. */
  account: string;
}

/** The pages of an operator. */
export const operatorPages = (ids: PageIds): ConsolePage[] => [
  { path: "/", title: "Overview" },
  { path: "/usage-logs", title: "Usage logs" },
  { path: "/tokens", title: "Tokens" },
  { path: `/tokens/${ids.token}`, title: /./ },
  { path: "/operator/tenants", title: "Tenants" },
  { path: `/operator/tenants/${ids.tenant}`, title: /./ },
  { path: `/operator/tenants/${ids.tenant}?tab=ledger`, title: /./ },
  { path: "/operator/users", title: "Users" },
  { path: "/operator/groups", title: "Groups" },
  { path: `/operator/groups/${ids.group}`, title: /./ },
  { path: "/operator/grants", title: "Grants" },
  { path: "/operator/channels", title: "Channels" },
  { path: `/operator/channels/${ids.channel}`, title: /./ },
  { path: `/operator/playground?channel=${ids.channel}`, title: "Playground" },
  { path: "/operator/routing", title: "Explain routing" },
  { path: "/operator/models", title: "Models & prices" },
  { path: `/operator/models/${ids.model}`, title: /./ },
  { path: "/operator/price-catalog", title: "Price catalog" },
  { path: "/operator/supplier-invoices", title: "Supplier invoices" },
  { path: `/operator/supplier-invoices/${ids.account}`, title: /./ },
  { path: "/operator/import", title: "Import" },
  { path: "/operator/system", title: "System" },
  { path: "/alerts", title: "Alerts" },
  { path: "/operator/audit-log", title: "Audit log" },
  ...settings,
];

/** Opens a page and waits until it has loaded its data. */
export async function show(page: Page, { path, title }: ConsolePage): Promise<void> {
  await page.goto("about:blank"); // a path that differs in its fragment only would not load the page
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await settled(page);
}

/**
 * Sets the language of the browser and of the account, from the next navigation on. The browser must be on a page of
 * the console.
 */
export async function speak(page: Page, language: "en" | "zh-Hans"): Promise<void> {
  await page.evaluate(async (tag) => {
    localStorage.setItem("tollgate-locale", tag);
    await fetch("/api/session", {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ language: tag }),
    });
  }, language);
}

/** Waits until no part of the page loads data and no animation runs. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelectorAll("[aria-busy=true], .mantine-Skeleton-root, .mantine-Loader-root").length === 0,
  );
  await page.evaluate(async () => {
    await document.fonts.ready;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (;;) {
      // What has just appeared begins its transition in one of the next frames.
      await frame();
      await frame();
      const running = document
        .getAnimations()
        .filter(
          ({ playState, effect }) => playState === "running" && effect?.getComputedTiming().iterations !== Infinity,
        );
      if (running.length === 0) return;
      await Promise.allSettled(running.map((animation) => animation.finished));
    }
  });
}

/** Gives a tenant data on every page: tokens with limits, calls, and an invitation. */
export async function furnish(gateway: Gateway, tenant: Tenant): Promise<Schema<"CreatedToken">> {
  const token = await ask(
    tenant.api.POST("/api/tokens", { body: { name: "nightly batch", quota: "5", caps: { day: "1" } } }),
  );
  await ask(tenant.api.POST("/api/tokens", { body: { name: "x".repeat(200) } }));
  await ask(
    tenant.api.POST("/api/invitations", { body: { email: "newcomer@acme.example", role: "member", valid_days: 7 } }),
  );
  for (const model of ["echo-1", "echo-flat", "echo-1"])
    await call(gateway.relay, token.value, model, "Tell me a story. ".repeat(20));
  await waitForLogs(tenant.api, 3);
  return token;
}

/** Waits until the usage logs have at least this many calls. */
export async function waitForLogs(api: Api, count: number): Promise<void> {
  const logged = async () =>
    (await ask(api.GET("/api/usage-logs", { params: { query: { limit: 200 } } }))).items.length;
  await expect.poll(logged, "calls in the usage logs").toBeGreaterThanOrEqual(count);
}

/**
 * Creates a billing account for the channels, with an invoice of 2.50 USD for each of the last three days. Returns its
 * id.
 */
export async function addInvoice(operator: Api, channels: string[], model = "gpt-4o"): Promise<string> {
  const { id } = await ask(
    operator.POST("/api/operator/billing-accounts", {
      body: { name: unique("invoices"), provider: "csv", status: "enabled", channels, keys: [] },
    }),
  );
  const rows = [1, 2, 3].map(
    (back) => `${new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)},${model},2.5`,
  );
  await expectOk(
    operator.POST("/api/operator/billing-accounts/{id}/charges", {
      params: { path: { id } },
      body: { csv: ["day,model,amount", ...rows].join("\n") },
    }),
  );
  return id;
}

/** Returns the ids of one of each kind of object that the operator's pages show. */
export async function pageIds(operator: Api, tenant: { id: string }, token: { id: string }): Promise<PageIds> {
  const channels = await ask(operator.GET("/api/operator/channels"));
  const groups = await ask(operator.GET("/api/operator/groups"));
  const account = await addInvoice(operator, []);
  return {
    tenant: tenant.id,
    token: token.id,
    model: "echo-1",
    channel: channels.items[0]?.id ?? "",
    group: groups.items[0]?.id ?? "",
    account,
  };
}
