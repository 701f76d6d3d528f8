import type { Page } from "@playwright/test";

import { expectAccessible, expectNoHorizontalScroll, expectReadableColors } from "../kit/axe.ts";
import {
  furnish,
  operatorPages,
  ownerPages,
  type ConsolePage,
  publicPages,
  settled,
  show,
  pageIds,
  speak,
} from "../kit/pages.ts";
import { addMember, enter, expect, test } from "../kit/test.ts";

const desktop = { width: 1280, height: 860 };
const phone = { width: 360, height: 780 };

/**
 * Opens a page and checks it: in English and light, then in Chinese and dark, both on a desktop and on a small phone.
 */
async function inspect(page: Page, place: ConsolePage): Promise<void> {
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await show(page, place);
  await expectAccessible(page, `${place.path}, light`);
  await expectNoHorizontalScroll(page, place.path);
  await page.setViewportSize(phone);
  await settled(page);
  await expectNoHorizontalScroll(page, `${place.path}, phone`);

  await speak(page, "zh-Hans");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.reload();
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await settled(page);
  await expectNoHorizontalScroll(page, `${place.path}, Chinese, phone`);
  await page.setViewportSize(desktop);
  await settled(page);
  await expectReadableColors(page, `${place.path}, Chinese, dark`);
  await expectNoHorizontalScroll(page, `${place.path}, Chinese`);
  await speak(page, "en");
}

async function inspectAll(page: Page, places: ConsolePage[]): Promise<void> {
  for (const place of places) await inspect(page, place);
}

test.describe.configure({ timeout: 600_000 });

test("public pages are accessible in both languages and color schemes and fit on a phone", async ({
  page,
  browserErrors,
}) => {
  browserErrors.expect(/lookup.* 4\d\d/);
  await inspectAll(page, publicPages);
});

test("owner's pages are accessible in both languages and color schemes and fit on a phone", async ({
  page,
  gateway,
  tenant,
}) => {
  const token = await furnish(gateway, tenant);
  await enter(page, gateway, tenant.owner);
  await inspectAll(page, ownerPages(token.id));
});

test("member's pages are accessible in both languages and color schemes and fit on a phone", async ({
  page,
  gateway,
  tenant,
}) => {
  await enter(page, gateway, await addMember(tenant));
  await inspectAll(page, [
    { path: "/", title: "Overview" },
    { path: "/tokens", title: "Tokens" },
    { path: "/usage-logs", title: "Usage logs" },
    { path: "/quota", title: "Quota" },
  ]);
});

for (const half of [0, 1]) {
  test(`operator's pages (${half + 1} of 2) are accessible in both languages and color schemes and fit on a phone`, async ({
    page,
    gateway,
    operator,
    tenant,
  }) => {
    const token = await furnish(gateway, tenant);
    await enter(page, gateway, gateway.operator);
    await inspectAll(
      page,
      operatorPages(await pageIds(operator, tenant, token)).filter((_, i) => i % 2 === half),
    );
  });
}

test("the navigation opens and closes on a phone", async ({ page, gateway, tenant }) => {
  await page.setViewportSize(phone);
  await enter(page, gateway, tenant.owner);
  await page.goto("/");
  const tokens = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tokens" });
  await expect(tokens).not.toBeInViewport();
  await page.getByRole("button", { name: "Open navigation" }).click();
  await expect(tokens).toBeInViewport();
  await expectAccessible(page, "the navigation of a phone");
  await tokens.click();
  await expect(page.getByRole("heading", { level: 1, name: "Tokens" })).toBeVisible();
  await expect(tokens).not.toBeInViewport();
  await page.getByRole("button", { name: "Open navigation" }).click();
  await page.getByRole("button", { name: "Close navigation" }).click();
  await expect(tokens).not.toBeInViewport();
  await expect(page.getByRole("button", { name: "Open navigation" })).toBeFocused();
});

test("below a path of another site the console says what it needs", async ({ page, gateway, browserErrors }) => {
  browserErrors.expect(/ 404 /);
  const site = "https://portal.test";
  await page.route(`${site}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (!pathname.startsWith("/console/")) return route.fulfill({ status: 404, body: "" });
    await route.fulfill({ response: await route.fetch({ url: gateway.console + pathname.slice("/console".length) }) });
  });
  await page.goto(`${site}/console/`);
  await expect(page.getByText("the console needs a host name of its own")).toBeVisible();
});
