import type { Page } from "@playwright/test";

import { ask, signIn } from "../kit/api.ts";
import { type Gateway, startGateway } from "../kit/gateway.ts";
import { settled } from "../kit/pages.ts";
import { addPast } from "../kit/past.ts";
import { enter, expect, test } from "../kit/test.ts";

const rows = Number(process.env["BROWSER_LOGS"] ?? 20_000);
const tokens = 10_000;

const figures: string[] = [];

/** Records a figure for the report. */
function note(figure: string): void {
  figures.push(figure);
  console.log(figure);
}

/** Opens a page, waits until its rows are visible, and records the time and the slowest API call. */
async function open(page: Page, path: string): Promise<void> {
  const asked: { path: string; took: number }[] = [];
  page.on("requestfinished", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) asked.push({ path: pathname, took: Math.round(request.timing().responseEnd) });
  });
  const began = Date.now();
  await page.goto(path);
  await page.getByRole("row").nth(1).waitFor();
  await settled(page);
  const slowest = asked.toSorted((a, b) => b.took - a.took)[0];
  note(`${path}: ${Date.now() - began} ms, slowest of the API ${slowest?.path} ${slowest?.took} ms`);
  page.removeAllListeners("requestfinished");
}

/**
 * Returns the longest task of the page's main thread, in milliseconds, while `act` runs. The page does not
 * respond during a task.
 */
async function blockedWhile(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    window.paints = { largest: 0, blocked: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.paints.blocked = Math.max(window.paints.blocked, entry.duration);
    }).observe({ type: "longtask" });
  });
  await act();
  await settled(page);
  return page.evaluate(() => window.paints.blocked);
}

/** Goes from page 1 of a list to page 5. */
async function goToPageFive(page: Page): Promise<void> {
  for (let number = 2; number <= 5; number++) {
    await page.getByRole("button", { name: "Next" }).click();
    await expect(page.getByText(`Page ${number}`)).toBeVisible();
    await expect(page.locator("[data-stale]")).toHaveCount(0);
  }
}

test.describe("large tenant", () => {
  const testTimeout = rows > 100_000 ? 1_800_000 : 240_000;
  test.setTimeout(testTimeout);
  let gateway: Gateway;
  test.beforeAll(async () => {
    test.setTimeout(testTimeout);
    gateway = await startGateway();
    await addPast(gateway, { rows, tokens });
  });
  test.afterAll(async () => gateway.close());

  test(`${tokens} tokens and ${rows} usage logs load`, async ({ page }) => {
    const owner = await signIn(gateway.console, gateway.owner);
    await expect
      .poll(
        async () =>
          (await ask(owner.GET("/api/usage-summary", { params: { query: { by: "model" } } }))).items.reduce(
            (sum, row) => sum + row.requests,
            0,
          ),
        { timeout: 1_200_000 },
      )
      .toBe(rows);
    await enter(page, gateway, gateway.owner);
    const base = gateway.console;
    for (const path of [
      "/tokens",
      "/tokens?search=service-09",
      "/usage-logs",
      "/usage-logs?outcome=failed",
      "/usage-logs?model=echo-flat&span=7d",
    ])
      await open(page, `${base}${path}`);
    await page.goto(`${base}/`);
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    for (const path of ["/tokens", "/usage-logs"]) {
      await page.goto(`${base}${path}`);
      await page.getByRole("row").nth(1).waitFor();
      const blocked = await blockedWhile(page, () => goToPageFive(page));
      note(`${path}: four pages on, longest task ${Math.round(blocked)} ms`);
    }
    test.info().annotations.push({ type: "figures", description: figures.join("\n") });
  });
});
