import type { Page } from "@playwright/test";

import { addChannel, ask } from "../kit/api.ts";
import { expectNoHorizontalScroll } from "../kit/axe.ts";
import { furnish, settled, show } from "../kit/pages.ts";
import { enter, expect, test, unique } from "../kit/test.ts";

/** Returns by how many pixels each table of the page is wider than its frame. */
const overflows = (page: Page) =>
  page.getByRole("region").evaluateAll((frames) => frames.map((frame) => frame.scrollWidth - frame.clientWidth));

test("tables fit between a tablet and a wide screen, and their menus are in sight", async ({
  page,
  gateway,
  operator,
  tenant,
}) => {
  await furnish(gateway, tenant);
  const model = unique("long-name");
  const body = { id: model, owned_by: "x", free: true, status: "enabled", routing: "weighted", price: {} } as const;
  await ask(operator.POST("/api/operator/models", { body }));
  await addChannel(operator, model, model);
  for (const [login, paths] of [
    [tenant.owner, ["/tokens", "/usage-logs", "/members"]],
    [gateway.operator, ["/tokens", "/operator/channels", "/operator/models", "/operator/tenants"]],
  ] as const) {
    await enter(page, gateway, login);
    for (const path of paths) {
      for (const width of [768, 1024, 1280, 1600, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await show(page, { path, title: /./ });
        await expectNoHorizontalScroll(page, `${path} at ${width}`);
        expect.soft(Math.max(...(await overflows(page))), `overflow of ${path} at ${width}`).toBeLessThanOrEqual(1);
      }
    }
  }
  await page.setViewportSize({ width: 2560, height: 900 });
  await show(page, { path: "/tokens", title: "Tokens" });
  expect((await page.getByRole("region", { name: "Tokens" }).boundingBox())?.width).toBeGreaterThan(2000);
  await page.setViewportSize({ width: 768, height: 900 });
  await settled(page);
  await expect(page.getByRole("columnheader", { name: "Status" }), "a table, and no cards").toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" }), "no navigation beside them").not.toBeInViewport();
});

test("code has its own font, and an empty field that is wrong no red placeholder", async ({
  page,
  gateway,
  tenant,
}) => {
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/tokens", title: "Tokens" });
  await page.getByRole("button", { name: "Create token" }).first().click();
  const name = page.getByRole("dialog").getByRole("textbox", { name: "Name" });
  const placeholder = () => name.evaluate((input) => getComputedStyle(input, "::placeholder").color);
  const before = await placeholder();
  await name.press("Enter");
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await settled(page);
  expect(await placeholder()).toBe(before);
  await name.fill("font");
  await name.press("Enter");
  const code = page.getByRole("dialog", { name: "Your new token" }).locator("code").first();
  await expect(code).toHaveCSS("font-family", /JetBrains Mono/);
});

test("an open dialog has no strip next to it where the scroll bar was", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/tokens", title: "Tokens" });
  await expect(page.locator("html")).toHaveCSS("scrollbar-gutter", "stable");
  await page.getByRole("button", { name: "Create token" }).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expect(page.locator("html")).toHaveCSS("scrollbar-gutter", "auto");
});
