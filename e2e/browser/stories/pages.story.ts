import type { Page } from "@playwright/test";

import { expectAccessible, expectNoHorizontalScroll, expectReadableColors } from "../kit/axe.ts";
import { furnish, operatorPages, ownerPages, type ConsolePage, publicPages, settled, show, pageIds } from "../kit/pages.ts";
import { addMember, enter, expect, test } from "../kit/test.ts";

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

/** Opens a page and checks it in the light and the dark color scheme and on a phone. */
async function inspect(page: Page, place: ConsolePage): Promise<void> {
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await show(page, place);
  await expectAccessible(page, `${place.path}, light`);
  await expectNoHorizontalScroll(page, place.path);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await settled(page);
  await expectReadableColors(page, `${place.path}, dark`);
  await page.setViewportSize(phone);
  await settled(page);
  await expectNoHorizontalScroll(page, `${place.path}, phone`);
}

async function inspectAll(page: Page, places: ConsolePage[]): Promise<void> {
  for (const place of places) await inspect(page, place);
}

test.describe.configure({ timeout: 600_000 });

test("public pages are accessible in light and dark mode and fit on a phone", async ({ page, browserErrors }) => {
  browserErrors.expect(/lookup.* 4\d\d/);
  await inspectAll(page, publicPages);
});

test("owner's pages are accessible in light and dark mode and fit on a phone", async ({ page, gateway, tenant }) => {
  const token = await furnish(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await inspectAll(page, ownerPages(token.id));
});

test("member's pages are accessible in light and dark mode and fit on a phone", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, await addMember(tenant));
  await inspectAll(page, [{ path: "/", title: "Overview" }, { path: "/tokens", title: "Tokens" }, { path: "/usage-logs", title: "Usage logs" }, { path: "/quota", title: "Quota" }]);
});

for (const half of [0, 1]) {
  test(`operator's pages (${half + 1} of 2) are accessible in light and dark mode and fit on a phone`, async ({ page, gateway, operator, tenant }) => {
    const token = await furnish(gateway, tenant);
    await enter(page, gateway, gateway.operator);
    await inspectAll(page, operatorPages(await pageIds(operator, tenant, token)).filter((_, i) => i % 2 === half));
  });
}

test("the navigation opens and closes on a phone", async ({ page, gateway, tenant }) => {
  await page.setViewportSize(phone);
  await enter(page, gateway, tenant.owner);
  await page.goto("/");
  const tokens = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tokens" });
  await expect(tokens).not.toBeInViewport();
  await page.getByRole("button", { name: "Open the navigation" }).click();
  await expect(tokens).toBeInViewport();
  await expectAccessible(page, "the navigation of a phone");
  await tokens.click();
  await expect(page.getByRole("heading", { level: 1, name: "Tokens" })).toBeVisible();
  await expect(tokens).not.toBeInViewport();
  await page.getByRole("button", { name: "Open the navigation" }).click();
  await page.getByRole("button", { name: "Close the navigation" }).last().click();
  await expect(tokens).not.toBeInViewport();
});
