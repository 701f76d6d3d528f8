import type { Page } from "@playwright/test";

import { ask, call } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import type { Gateway } from "../kit/gateway.ts";
import { settled, show, waitForLogs } from "../kit/pages.ts";
import { enter, expect, heading, type Tenant, test } from "../kit/test.ts";

/**
 * Makes calls with a new token, the last of which fails, and waits until the summaries have them. Returns the token's
 * value.
 */
async function use(gateway: Gateway, { api }: Tenant): Promise<string> {
  const { value } = await ask(api.POST("/api/tokens", { body: { name: "nightly" } }));
  for (const model of ["echo-1", "echo-flat", "echo-flat"])
    expect((await call(gateway.relay, value, model)).status).toBe(200);
  await expect.poll(async () => (await ask(api.GET("/api/usage-summary"))).items[0]?.requests).toBe(3);
  return value;
}

/** Opens a page and returns how often it asked for each path of the API while it loaded. */
async function requestsOf(page: Page, path: string, title: string): Promise<Record<string, number>> {
  const asked: Record<string, number> = {};
  await page.clock.setFixedTime(new Date()); // usage is read again every minute
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "GET" && pathname.startsWith("/api/")) asked[pathname] = (asked[pathname] ?? 0) + 1;
  });
  await show(page, { path, title });
  page.removeAllListeners("request");
  return asked;
}

test("the overview reads all usage with one request", async ({ page, gateway, tenant }) => {
  await use(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  expect(await requestsOf(page, "/", "Overview")).toEqual({
    "/api/session": 1,
    "/api/usage-overview": 1,
    "/api/quota": 1,
  });
  await enter(page, gateway, gateway.operator);
  const {
    "/api/operator/health": health, // read again every 15 seconds, as the health of channels is
    "/api/operator/channel-health": channels,
    ...rest
  } = await requestsOf(page, "/", "Overview");
  for (const reads of [health, channels]) expect(reads).toBeGreaterThan(0);
  expect(rest).toEqual({ "/api/session": 1, "/api/usage-overview": 1, "/api/operator/channels": 1 });
});

test("the usage logs read nothing but the logs and their totals", async ({ page, gateway, tenant }) => {
  await use(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  const {
    "/api/usage-logs": logs,
    "/api/usage-log-totals": totals,
    ...rest
  } = await requestsOf(page, "/usage-logs", "Usage logs");
  for (const reads of [logs, totals]) expect(reads).toBeGreaterThan(0);
  expect(rest).toEqual({ "/api/session": 1, "/api/jobs": 1 });
});

test("figures, bars and series of the overview lead to the requests behind them", async ({ page, gateway, tenant }) => {
  await use(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  const open = () => show(page, { path: "/?range=7d", title: "Overview" });
  const rows = page.getByRole("table").getByRole("row").filter({ hasText: "nightly" });

  await open();
  await expect(page.getByText("No usage in the previous 7 days").first()).toBeVisible();
  await page.getByRole("link", { name: "0%" }).first().click();
  await expect(heading(page, "Usage logs")).toBeVisible();
  await expect(page).toHaveURL(/outcome=failed/);
  await expect(page).toHaveURL(/from=/);
  await expect(page.getByText("No requests match these filters")).toBeVisible();

  // The bar of the current day is the last one. Its lower part is the series with the most spend.
  await open();
  const chart = page.getByRole("img", { name: /^Spend by model, 7 days/ });
  const box = await chart.boundingBox();
  if (!box) throw new Error("the chart has no place");
  await page.mouse.move(box.x + box.width - 30, box.y + box.height - 40);
  await expect(page.getByText("Click to see the requests")).toBeVisible();
  await page.mouse.click(box.x + box.width - 30, box.y + box.height - 32);
  await expect(heading(page, "Usage logs")).toBeVisible();
  await expect(page).toHaveURL(/model=echo-flat/);
  await expect(rows).toHaveCount(2);

  await open();
  await page.getByRole("button", { name: "Show as a table" }).click();
  const figures = page.getByRole("region", { name: /^Spend by model, 7 days/ });
  await figures.getByRole("row").nth(1).getByRole("link").first().click();
  await expect(rows).toHaveCount(3);

  await open();
  await page.getByRole("button", { name: "echo-flat" }).click();
  const filters = page.getByRole("group", { name: "Filters" });
  await expect(filters.getByRole("button", { name: "Remove the filter Model: echo-flat" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Spend by token" })).toBeVisible();
  await expect(page.getByRole("link", { name: "2", exact: true }).first()).toBeVisible();
  await filters.getByRole("link", { name: "Show the requests" }).click();
  await expect(rows).toHaveCount(2);
  await page.goBack();
  await filters.getByRole("button", { name: "Remove the filter Model: echo-flat" }).click();
  await expect(filters).toBeHidden();
});

test("the usage logs are live on their first page, and say when they are not", async ({ page, gateway, tenant }) => {
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "nightly" } }));
  for (let i = 0; i < 105; i++) await call(gateway.relay, value, "echo-flat");
  await waitForLogs(tenant.api, 105);
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/usage-logs", title: "Usage logs" });
  const status = page.getByRole("status").filter({ hasText: /Live|live/ });
  const latest = page.getByRole("row").filter({ hasText: "echo-1" });
  await expect(page.getByRole("switch", { name: "Live" })).toBeChecked();
  await page.mouse.move(0, 0);
  await expect(status).toHaveText("Live: new requests appear at the top");
  await call(gateway.relay, value, "echo-1");
  await expect(latest).toHaveCount(1);

  await page.getByRole("region", { name: "Usage logs" }).hover();
  await expect(status).toContainText("Live updates are paused while you read");
  await call(gateway.relay, value, "echo-1");
  await status.getByRole("button", { name: "Show 1 newer request" }).click();
  await expect(latest).toHaveCount(2);

  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("Page 2")).toBeVisible();
  await expect(status).toContainText("Live updates are paused on older pages");
  await expect(page.getByRole("switch", { name: "Live" })).not.toBeChecked();
  await call(gateway.relay, value, "echo-1");
  await status.getByRole("button", { name: "Back to the newest" }).click();
  await expect(latest).toHaveCount(3);

  await page.getByRole("switch", { name: "Live" }).press(" ");
  await expect(status).toHaveCount(0);
  await expect(page).toHaveURL(/live=false/);
});

test.describe("in India", () => {
  test.use({ timezoneId: "Asia/Kolkata" });

  test("a custom range is in the reader's time zone, and the address keeps it", async ({ page, gateway, tenant }) => {
    await use(gateway, tenant);
    await enter(page, gateway, tenant.owner);
    await show(page, { path: "/?from=2026-01-01T18:30:00Z&to=2026-01-03T18:30:00Z", title: "Overview" });
    const button = page.getByRole("button", { name: "1 Jan, 23:30 – 4 Jan, 00:00" });
    await expect(button).toBeVisible();
    await button.click();
    const dialog = page.getByRole("dialog", { name: "Custom time range" });
    await expect(dialog.getByText(/Times are in Asia\/(Kolkata|Calcutta) \(GMT\+5:30\)/)).toBeVisible();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(/from=2026-01-01T18%3A00%3A00/);
    await page.getByRole("radiogroup", { name: "Time range" }).getByText("7d").click();
    await expect(page).not.toHaveURL(/from=/);
    await settled(page);
    await expect(page.getByRole("button", { name: "Custom" })).toBeVisible();
  });
});

test("the usage of a member and of a tenant is on their pages", async ({ page, gateway, tenant }) => {
  await use(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/members", title: "Members" });
  await page.getByRole("link", { name: tenant.owner.email }).click();
  await expect(heading(page, tenant.owner.email)).toBeVisible();
  const chart = page.getByRole("img", { name: /^Spend by model, 30 days/ });
  await expect(chart).toBeVisible();
  await settled(page);
  await expectAccessible(page, "a member");
  await page.getByRole("link", { name: "Usage logs", exact: true }).last().click();
  await expect(page.getByRole("table", { name: "Usage logs" }).getByRole("row")).toHaveCount(4);

  await enter(page, gateway, gateway.operator);
  await show(page, { path: `/operator/tenants/${tenant.id}?tab=usage`, title: tenant.name });
  await expect(chart).toBeVisible();
});

test.describe("in Kiritimati", () => {
  test.use({ timezoneId: "Pacific/Kiritimati" });

  test("the bars of a chart by day are the days of the reader, and lead to their requests", async ({
    page,
    gateway,
    tenant,
  }) => {
    await use(gateway, tenant);
    await enter(page, gateway, tenant.owner);
    await show(page, { path: "/?range=7d", title: "Overview" });
    await expect(page.getByText("Days in Pacific/Kiritimati (GMT+14)")).toBeVisible();
    await page.getByRole("button", { name: "Show as a table" }).click();
    // Kiritimati is 14 hours ahead of UTC, so its date is later than the one in UTC for most of the day.
    const today = new Intl.DateTimeFormat("en-GB", {
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "Pacific/Kiritimati",
    }).format(new Date());
    const row = page
      .getByRole("region", { name: /^Spend by model, 7 days/ })
      .getByRole("row")
      .nth(1);
    await expect(row).toContainText(today);
    await row.getByRole("link").first().click();
    await expect(heading(page, "Usage logs")).toBeVisible();
    await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT10%3A00%3A00/);
    await expect(page.getByRole("table").getByRole("row").filter({ hasText: "nightly" })).toHaveCount(3);
  });
});
