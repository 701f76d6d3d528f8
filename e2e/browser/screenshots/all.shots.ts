import type { Page } from "@playwright/test";
import { fileURLToPath } from "node:url";

import { operatorPages, ownerPages, type ConsolePage, publicPages, settled, show, speak } from "../kit/pages.ts";
import { enter, expect, test } from "../kit/test.ts";
import { furnish, type Platform } from "./platform.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const out = `${root}bin/screenshots`;

const looks = [
  { name: "light", colorScheme: "light", width: 1440, height: 900 },
  { name: "dark", colorScheme: "dark", width: 1440, height: 900 },
  { name: "phone", colorScheme: "light", width: 390, height: 844 },
  { name: "chinese", colorScheme: "light", width: 1440, height: 900 },
] as const;

/** Returns the name of the screenshot for a page's path, with ids replaced by "one". */
const fileOf = (path: string) =>
  path
    .replace(/[0-9a-f-]{36}/g, "one")
    .replaceAll(/[^a-z0-9]+/gi, "-")
    .replaceAll(/^-|-$/g, "") || "overview";

async function shoot(page: Page, role: string, places: ConsolePage[]): Promise<void> {
  for (const { name, colorScheme, ...viewport } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    await page.goto("/sign-in");
    await speak(page, name === "chinese" ? "zh-Hans" : "en");
    for (const place of places) {
      await show(page, name === "chinese" ? { ...place, title: /./ } : place);
      await page.screenshot({
        path: `${out}/${role}-${fileOf(place.path)}-${name}.png`,
        fullPage: true,
        animations: "disabled",
      });
    }
  }
}

let platform: Platform;
test.beforeAll(async ({ gateway }) => {
  platform = await furnish(gateway);
});

test("picture of the README", async ({ page, gateway }) => {
  await enter(page, gateway, platform.owner);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1280, height: 660 });
  await show(page, { path: "/", title: "Overview" });
  await page.screenshot({ path: `${root}docs/images/console.png`, animations: "disabled" });
});

test("public pages", async ({ page, browserErrors }) => {
  browserErrors.expect(/lookup.* 4\d\d/);
  await shoot(page, "public", publicPages);
});

test("owner's pages", async ({ page, gateway }) => {
  await enter(page, gateway, platform.owner);
  await page.goto("/playground");
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: "house-summary" }).click();
  await page.getByLabel("Your message").fill("Write me a haiku about **gateways**.");
  await page.getByLabel("Your message").press("Enter");
  await expect(page.getByRole("link", { name: "Usage log", exact: true })).toBeVisible();
  await shoot(page, "owner", ownerPages(platform.token));
});

test("operator's pages", async ({ page, gateway }) => {
  await enter(page, gateway, gateway.operator);
  await shoot(page, "operator", operatorPages({ ...platform, model: "gpt-4o" }));
});
