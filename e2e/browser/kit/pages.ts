import { expect, type Page } from "@playwright/test";

import { type Api, ask, call, type Schema } from "./api.ts";
import type { Gateway } from "./gateway.ts";
import type { Tenant } from "./test.ts";

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
  { path: "/invitation#nothing", title: "You are invited" },
];

const settings: ConsolePage[] = ["", "/security", "/sessions", "/access-keys"].map((tab) => ({ path: `/settings${tab}`, title: "Settings" }));

/** The pages of an owner. `token` is the id of a token in the tenant. */
export const ownerPages = (token: string): ConsolePage[] => [
  { path: "/", title: "Overview" },
  { path: "/playground", title: "Playground" },
  { path: "/tokens", title: "Tokens" },
  { path: `/tokens/${token}`, title: /./ },
  { path: "/usage-logs", title: "Usage logs" },
  { path: "/usage-logs?live=true", title: "Usage logs" },
  { path: "/models", title: "Models & prices" },
  { path: "/quota", title: "Quota & ledger" },
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
  { path: "/operator/routing", title: "Explain routing" },
  { path: "/operator/models", title: "Models & prices" },
  { path: `/operator/models/${ids.model}`, title: /./ },
  { path: "/operator/import", title: "Import" },
  { path: "/operator/system", title: "System" },
  { path: "/operator/audit-log", title: "Audit log" },
  ...settings,
];

/** Opens a page and waits until it has loaded its data. */
export async function show(page: Page, { path, title }: ConsolePage): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await settled(page);
}

/** Waits until no part of the page loads data and no animation runs. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll("[aria-busy=true], .mantine-Skeleton-root, .mantine-Loader-root").length === 0);
  await page.evaluate(async () => {
    await document.fonts.ready;
    const ends = document.getAnimations().filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(ends.map((animation) => animation.finished));
  });
}

/** Gives a tenant data on every page: tokens with limits, calls, and an invitation. */
export async function furnish(gateway: Gateway, tenant: Tenant): Promise<Schema<"CreatedToken">> {
  const token = await ask(tenant.api.POST("/api/tokens", { body: { name: "nightly batch", quota: "5", caps: { day: "1" } } }));
  await ask(tenant.api.POST("/api/tokens", { body: { name: "x".repeat(200) } }));
  await ask(tenant.api.POST("/api/invitations", { body: { email: "newcomer@acme.example", role: "member", valid_days: 7 } }));
  for (const model of ["echo-1", "echo-flat", "echo-1"]) await call(gateway.relay, token.value, model, "Tell me a story. ".repeat(20));
  await waitForLogs(tenant.api, 3);
  return token;
}

/** Waits until the usage logs have at least this many calls. */
export async function waitForLogs(api: Api, count: number): Promise<void> {
  const logged = async () => (await ask(api.GET("/api/usage-logs", { params: { query: { limit: 200 } } }))).items.length;
  await expect.poll(logged, "calls in the usage logs").toBeGreaterThanOrEqual(count);
}

/** Returns the ids of one of each kind of object that the operator's pages show. */
export async function pageIds(operator: Api, tenant: { id: string }, token: { id: string }): Promise<PageIds> {
  const channels = await ask(operator.GET("/api/operator/channels"));
  const groups = await ask(operator.GET("/api/operator/groups"));
  return { tenant: tenant.id, token: token.id, model: "echo-1", channel: channels.items[0]?.id ?? "", group: groups.items[0]?.id ?? "" };
}
