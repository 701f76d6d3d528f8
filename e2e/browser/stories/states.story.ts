import type { Page } from "@playwright/test";

import { enter, expect, test } from "../kit/test.ts";

interface List {
  path: string;
  /** Path of the API call that loads the list. */
  asks: string;
  /** The text for an empty list; absent for lists that are never empty. */
  empty?: string;
}

const ownerLists: List[] = [
  { path: "/tokens", asks: "/api/tokens", empty: "No tokens yet" },
  { path: "/usage-logs", asks: "/api/usage-logs", empty: "No requests yet" },
  { path: "/models", asks: "/api/models", empty: "No models yet" },
  { path: "/members", asks: "/api/members" },
  { path: "/audit-log", asks: "/api/audit-log", empty: "No entries yet" },
  { path: "/quota", asks: "/api/ledger", empty: "Nothing was granted yet" },
  { path: "/alerts", asks: "/api/alert-rules", empty: "No alert rules yet" },
  { path: "/settings/sessions", asks: "/api/sessions" },
  { path: "/settings/access-keys", asks: "/api/access-keys", empty: "No access keys" },
];

const operatorLists: List[] = [
  { path: "/operator/tenants", asks: "/api/operator/tenants", empty: "No tenants yet" },
  { path: "/operator/users", asks: "/api/operator/users" },
  { path: "/operator/groups", asks: "/api/operator/groups", empty: "No groups yet" },
  { path: "/operator/channels", asks: "/api/operator/channels", empty: "No channels yet" },
  { path: "/operator/models", asks: "/api/operator/models", empty: "No models yet" },
  { path: "/operator/price-catalog", asks: "/api/operator/price-catalog/changes", empty: "No differences" },
  { path: "/operator/grants", asks: "/api/operator/grants", empty: "Nothing was granted yet" },
  { path: "/operator/audit-log", asks: "/api/operator/audit-log", empty: "No entries yet" },
];

/** Checks a list while it loads, when loading fails, after "Try again", and when it is empty. */
async function checkStates(page: Page, { path, asks, empty }: List): Promise<void> {
  const list = (url: URL) => url.pathname === asks;
  let answer: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(list, async (route) => {
    await held;
    await route.fulfill({
      status: 400,
      contentType: "application/problem+json",
      json: { title: "Bad Request", status: 400, detail: "Deliberate error." },
    });
  });
  await page.goto(path);
  await expect(
    page.locator("[aria-busy=true], .mantine-Skeleton-root, [role=status]").first(),
    `${path} while it loads`,
  ).toBeVisible();
  answer?.();
  const alert = page.getByRole("alert").filter({ hasText: "Deliberate error." }).first();
  await expect(alert, `${path} where it fails`).toBeVisible();
  await page.unroute(list);
  if (empty) {
    await page.route(list, async (route) =>
      route.request().method() === "GET" ? route.fulfill({ json: { items: [], next: "" } }) : route.continue(),
    );
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText(empty), `${path} where it is empty`).toBeVisible();
    await page.unroute(list);
  } else {
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("table").first(), `${path} after trying again`).toBeVisible();
  }
  await expect(page.getByText("Deliberate error.")).toHaveCount(0);
}

for (const list of ownerLists) {
  test(`${list.path} shows its loading, error and empty states`, async ({ page, gateway, tenant, browserErrors }) => {
    browserErrors.expect(/ 400 /);
    await enter(page, gateway, tenant.owner);
    await checkStates(page, list);
  });
}

for (const list of operatorLists) {
  test(`${list.path} shows its loading, error and empty states`, async ({ page, gateway, browserErrors }) => {
    browserErrors.expect(/ 400 /);
    await enter(page, gateway, gateway.operator);
    await checkStates(page, list);
  });
}
