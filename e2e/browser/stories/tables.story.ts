import type { Locator, Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { ask, call } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { startGateway } from "../kit/gateway.ts";
import { furnish, operatorPages, ownerPages, pageIds, settled, show, waitForLogs } from "../kit/pages.ts";
import { addPast } from "../kit/past.ts";
import { addMember, enter, expect, heading, test } from "../kit/test.ts";

/** Returns the texts of the visible headers of a table. */
const headers = (table: Locator) => table.getByRole("columnheader").allTextContents();

/** Returns the text of the first cell of each row. */
const firstCells = (table: Locator) => table.locator("tbody tr[data-row] > td:first-child").allInnerTexts();

const openView = (page: Page) => page.getByRole("button", { name: "View", exact: true }).first().click();

test("a whole list sorts by its headers, with the mouse and the keyboard", async ({ page, gateway, tenant }) => {
  for (const name of ["ci-10", "ci-9", "alpha"]) await ask(tenant.api.POST("/api/tokens", { body: { name } }));
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/tokens", title: "Tokens" });
  const table = page.getByRole("table", { name: "Tokens" });
  const header = table.getByRole("columnheader", { name: "Token", exact: true });
  const names = async () => (await firstCells(table)).map((text) => text.split("\n")[0]);
  await header.getByRole("button").click();
  await expect(header).toHaveAttribute("aria-sort", "ascending");
  expect(await names()).toEqual(["alpha", "ci-9", "ci-10"]);
  await header.getByRole("button").press("Enter");
  await expect(header).toHaveAttribute("aria-sort", "descending");
  expect(await names()).toEqual(["ci-10", "ci-9", "alpha"]);
  await header.getByRole("button").press("Enter");
  await expect(header).not.toHaveAttribute("aria-sort", /./);
});

test("a list of many pages sorts by the orders of the API, which the address and the browser keep", async ({
  page,
  gateway,
  tenant,
}) => {
  test.slow(); // creates 130 tokens
  const created = Array.from({ length: 130 }, (_, i) => `t${String((i * 37) % 130).padStart(3, "0")}`);
  for (const name of created) await ask(tenant.api.POST("/api/tokens", { body: { name } }));
  await enter(page, gateway, tenant.owner);
  await page.setViewportSize({ width: 1600, height: 900 });
  await show(page, { path: "/tokens", title: "Tokens" });
  const table = page.getByRole("table", { name: "Tokens" });
  const header = table.getByRole("columnheader", { name: "Token", exact: true });
  const first = table.locator("tbody tr[data-row]").first();
  await expect(table.getByRole("columnheader", { name: "Last used" }).getByRole("button")).toBeVisible();
  await expect(table.getByRole("columnheader", { name: "Status" }).getByRole("button")).toHaveCount(0);
  await header.getByRole("button").press("Enter");
  await expect(header).toHaveAttribute("aria-sort", "ascending");
  await expect(page).toHaveURL(/sort=name.*order=asc/);
  await expect(first).toContainText("t000");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(first).toContainText("t100");
  await header.getByRole("button").press("Enter");
  await expect(header).toHaveAttribute("aria-sort", "descending");
  await expect(first).toContainText("t129");
  await expectAccessible(page, "a list that the API sorts");

  await page.reload();
  await expect(header).toHaveAttribute("aria-sort", "descending");
  await show(page, { path: "/tokens", title: "Tokens" }); // without an order in the address
  await expect(header).toHaveAttribute("aria-sort", "descending");
  await expect(first).toContainText("t129");
  await header.getByRole("button").press("Enter");
  await expect(header).not.toHaveAttribute("aria-sort", /./);
  await expect(first).toContainText(created.at(-1) ?? "");
});

test("usage logs begin with the oldest, without live updates", async ({ page, gateway, tenant }) => {
  const token = await furnish(gateway, tenant);
  await call(gateway.relay, token.value, "echo-flat");
  await waitForLogs(tenant.api, 4);
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/usage-logs?sort=created_at&order=asc", title: "Usage logs" });
  const table = page.getByRole("table", { name: "Usage logs" });
  await expect(table.getByRole("columnheader", { name: "Time" })).toHaveAttribute("aria-sort", "ascending");
  await expect(page.getByText("No live updates: the oldest requests are first")).toBeVisible();
  await page.getByRole("switch", { name: "Live" }).press("Space");
  await expect(page.getByText("Live: new requests appear at the top")).toBeVisible();
  await expect(table.getByRole("columnheader", { name: "Time" })).not.toHaveAttribute("aria-sort", /./);
});

test("columns, their order and the density survive a reload, and are the user's own", async ({
  page,
  gateway,
  tenant,
}) => {
  await furnish(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await page.setViewportSize({ width: 1600, height: 900 });
  await show(page, { path: "/usage-logs", title: "Usage logs" });
  const table = page.getByRole("table", { name: "Usage logs" });
  await openView(page);
  const view = page.getByRole("dialog", { name: "View", exact: true });
  await view.getByText("Compact").click();
  await view.getByRole("checkbox", { name: "Request ID" }).check();
  await view.getByRole("checkbox", { name: "Latency" }).uncheck();
  await view.getByRole("button", { name: "Move Status up" }).click();
  await expectAccessible(page, "the view of a table");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "View", exact: true })).toBeFocused();
  const chosen = await headers(table);
  expect(chosen.slice(0, 3)).toEqual(["Time", "Status", "Model"]);
  expect(chosen).toContain("Request ID");
  expect(chosen).not.toContain("Latency");
  await page.reload();
  await expect(table).toHaveAttribute("data-density", "compact");
  expect(await headers(table)).toEqual(chosen);

  await enter(page, gateway, await addMember(tenant, "admin"));
  await show(page, { path: "/usage-logs", title: "Usage logs" });
  await expect(table).toHaveAttribute("data-density", "comfortable");
  expect(await headers(table)).toContain("Latency");
});

test("a table is used with the keyboard only", async ({ page, gateway, tenant }) => {
  const token = await furnish(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await show(page, { path: "/tokens", title: "Tokens" });
  const region = page.getByRole("region", { name: "Tokens" });
  await region.focus();
  await page.keyboard.press("Enter");
  const row = region.locator(`tr[data-row="${token.id}"]`);
  while (!(await row.locator("> td:first-child").evaluate((cell) => cell === document.activeElement)))
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+c");
  await expect.poll(() => page.evaluate(async () => navigator.clipboard.readText())).toBe("nightly batch");
  await page.keyboard.press("End");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Actions for nightly batch" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Escape");
  await expect(region).toBeFocused();
});

test("the pointer copies a cell", async ({ page, gateway, tenant }) => {
  await furnish(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await show(page, { path: "/usage-logs", title: "Usage logs" });
  await page.locator('td[data-column="model"]').first().hover();
  await page.getByRole("button", { name: /^Copy echo-/ }).click();
  await expect.poll(() => page.evaluate(async () => navigator.clipboard.readText())).toMatch(/^echo-/);
});

test("a CSV file has the columns and rows that are seen", async ({ page, gateway, tenant }) => {
  await ask(tenant.api.POST("/api/tokens", { body: { name: '=HYPERLINK("http://x","y")' } }));
  await ask(tenant.api.POST("/api/tokens", { body: { name: "plain, with a comma" } }));
  await enter(page, gateway, tenant.owner);
  await page.setViewportSize({ width: 1600, height: 900 });
  await show(page, { path: "/tokens", title: "Tokens" });
  const table = page.getByRole("table", { name: "Tokens" });
  await table.getByRole("button", { name: "Token", exact: true }).click();
  await openView(page);
  const view = page.getByRole("dialog", { name: "View", exact: true });
  await view.getByRole("checkbox", { name: "Models" }).uncheck();
  const downloading = page.waitForEvent("download");
  await view.getByRole("button", { name: "Download CSV" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^tokens-.*\.csv$/);
  const lines = (await readFile(await download.path(), "utf8")).replace("\uFEFF", "").trimEnd().split("\r\n");
  const shown = (await headers(table)).filter((header) => header !== "Actions");
  expect(lines[0]).toBe(shown.join(","));
  expect(lines.slice(1).map((line) => line.slice(0, 22))).toEqual([
    '"\'=HYPERLINK(""http://',
    '"plain, with a comma",',
  ]);
});

test("a request is found by its id, and the totals are those of the filter", async ({
  page,
  gateway,
  tenant,
  browserErrors,
}) => {
  const token = await furnish(gateway, tenant);
  for (let i = 0; i < 2; i++) await call(gateway.relay, token.value, "echo-flat");
  await waitForLogs(tenant.api, 5);
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/usage-logs?model=echo-flat&span=7d", title: "Usage logs" });
  const totals = page.getByRole("group", { name: "Totals" });
  await expect
    .poll(async () => {
      await page.reload();
      return totals.getByText(/request/).innerText();
    })
    .toBe("3 requests");
  const { items } = await ask(tenant.api.GET("/api/usage-logs", { params: { query: { model: "echo-flat" } } }));
  const id = items[0]?.id ?? "";

  const search = page.getByRole("textbox", { name: "Request ID" });
  await search.fill(` ${id.toUpperCase()} `);
  await search.press("Enter");
  const rows = page.getByRole("table", { name: "Usage logs" }).locator("tbody tr[data-row]");
  await expect(rows).toHaveCount(1);
  await expect(rows).toHaveAttribute("data-row", id);
  await rows.getByRole("link").click();
  await expect(page.getByRole("dialog", { name: "Receipt" }).getByText(id)).toBeVisible();
  await page.keyboard.press("Escape");

  await search.fill("not an id");
  await search.press("Enter");
  await expect(page.getByText("Not a request ID, see the header x-request-id.")).toBeVisible();

  browserErrors.expect(/(usage-logs|refused-calls)\/.* 404/); // it is in neither list
  await search.fill("019b76da-a800-7000-8000-0123456789ab");
  await search.press("Enter");
  await expect(page.getByText("No request with this ID")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).last().click();
  await expect(rows).toHaveCount(5);
});

test("long lists draw the rows in sight, below a header that stays", async ({ page, browserErrors: _ }) => {
  test.setTimeout(240_000);
  const gateway = await startGateway();
  try {
    await addPast(gateway, { rows: 500, tokens: 300 });
    await enter(page, gateway, gateway.owner);
    await page.setViewportSize({ width: 1280, height: 860 });
    for (const [path, name] of [
      ["/tokens", "Tokens"],
      ["/usage-logs", "Usage logs"],
    ] as const) {
      await page.goto(`${gateway.console}${path}`);
      await expect(heading(page, name)).toBeVisible();
      await settled(page);
      const table = page.getByRole("table", { name });
      const region = page.getByRole("region", { name });
      await expect(table).toHaveAttribute("aria-rowcount", "101");
      const drawn = table.locator("tbody tr[data-row]");
      expect(await drawn.count()).toBeLessThan(60);
      await expect(drawn.first()).toHaveAttribute("aria-rowindex", "2");
      // The end moves away while rows turn out to be higher than estimated.
      await expect(async () => {
        await region.evaluate((element) => {
          element.scrollIntoView({ block: "end" });
          element.scrollTo(0, element.scrollHeight);
        });
        await expect(table.locator('tr[aria-rowindex="101"]')).toBeInViewport({ timeout: 1000 });
      }).toPass();
      await expect(table.getByRole("columnheader").first()).toBeInViewport();
      expect(await drawn.count()).toBeLessThan(60);
    }
    await page.goto("about:blank"); // the logs are live, and the gateway ends now
  } finally {
    await gateway.close();
  }
});

test.describe("lists from 360 to 2560 px", () => {
  test.describe.configure({ timeout: 600_000 });
  const widths = [360, 768, 1024, 1280, 2560];
  for (const role of ["owner", "operator"] as const) {
    test(`no list of the ${role} is wider than the screen`, async ({ page, gateway, operator, tenant }) => {
      const token = await furnish(gateway, tenant);
      await enter(page, gateway, role === "owner" ? tenant.owner : gateway.operator);
      const places = role === "owner" ? ownerPages(token.id) : operatorPages(await pageIds(operator, tenant, token));
      for (const place of places) {
        await show(page, place);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 860 });
          await settled(page);
          await expectNoHorizontalScroll(page, `${place.path} at ${width}`);
        }
      }
    });
  }
});
