import { readFile } from "node:fs/promises";

import { expectAccessible } from "../kit/axe.ts";
import { startGateway } from "../kit/gateway.ts";
import { addPast } from "../kit/past.ts";
import { enter, expect, heading, test } from "../kit/test.ts";

const rows = 20_000;

test("an export continues across a reload and has every row", async ({ page, browserErrors: _ }) => {
  test.setTimeout(120_000);
  const gateway = await startGateway();
  try {
    await addPast(gateway, { rows, tokens: 0 });
    await enter(page, gateway, gateway.owner);
    await page.goto(`${gateway.console}/usage-logs`);
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Export usage logs" });
    await dialog.getByRole("button", { name: "Export" }).click();
    await expect(dialog.getByText("You can close this or leave the page", { exact: false })).toBeVisible();
    await page.reload();
    await page.getByRole("button", { name: /^Exports/ }).click();
    const line = page.getByRole("dialog", { name: "Exports" });
    await expect(line.getByRole("link", { name: "Download" })).toBeVisible({ timeout: 60_000 });
    const downloading = page.waitForEvent("download");
    await line.getByRole("link", { name: "Download" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(rows + 1);
    expect(new Set(lines).size).toBe(rows + 1);
    await page.goto("about:blank"); // the page must ask for nothing after the end of the gateway
  } finally {
    await gateway.close();
  }
});

test("a notice tells that an export is ready, on other pages, after a reload, until it is closed", async ({
  page,
  browserErrors: _,
}) => {
  test.setTimeout(120_000);
  const gateway = await startGateway();
  try {
    await enter(page, gateway, gateway.owner);
    await page.goto(`${gateway.console}/usage-logs`);
    const job = /\/api\/jobs\/[0-9a-f-]+$/;
    await page.route(job, () => undefined); // the page in sight would learn of the end itself, and forget the job
    await page.getByRole("button", { name: "Export", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Export usage logs" });
    await dialog.getByRole("button", { name: "Export" }).click();
    await expect(dialog.getByText("You can close this or leave the page", { exact: false })).toBeVisible();
    await page.goto("about:blank"); // ends the read that was not answered: unroute would let it through
    await page.unroute(job);
    await page.goto(`${gateway.console}/tokens`);
    const notice = page.getByRole("alert").filter({ hasText: "The export of usage logs is ready" });
    await expect(notice).toBeVisible({ timeout: 60_000 });
    let asked = 0;
    page.on("request", (request) => (asked += Number(/\/api\/jobs\//.test(request.url()))));
    await page.reload();
    await expect(notice).toBeVisible();
    await expectAccessible(page, "the notice of an export");
    await expect(notice.getByRole("link", { name: "Download" })).toHaveAttribute(
      "href",
      /^\/api\/jobs\/[0-9a-f-]+\/file$/,
    );
    expect(asked).toBe(1); // the reload read the job once: it has ended
    await notice.getByRole("button", { name: "Close" }).click();
    await expect(notice).toHaveCount(0);
    await page.reload();
    await expect(heading(page, "Tokens")).toBeVisible();
    await expect(page.getByRole("table", { name: "Tokens" }).getByRole("row").nth(1)).toBeVisible();
    await expect(notice).toHaveCount(0);
    await page.goto("about:blank"); // the page must ask for nothing after the end of the gateway
  } finally {
    await gateway.close();
  }
});
