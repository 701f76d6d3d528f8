import { readFile } from "node:fs/promises";

import { startGateway } from "../kit/gateway.ts";
import { addPast } from "../kit/past.ts";
import { enter, expect, test } from "../kit/test.ts";

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
    await expect(dialog.getByText("You may close this or leave the page", { exact: false })).toBeVisible();
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
  } finally {
    await gateway.close();
  }
});
