import type { Page } from "@playwright/test";

import { ask, call } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { furnish, ownerPages, operatorPages, pageIds, publicPages, settled, show } from "../kit/pages.ts";
import { enter, expect, heading, test } from "../kit/test.ts";

const search = (page: Page) => page.getByRole("textbox", { name: "Search pages, tokens, models and requests" });

test("the command palette finds a token, a page and the receipt of a request", async ({ page, gateway, tenant }) => {
  const token = await furnish(gateway, tenant);
  const { id } = await call(gateway.relay, token.value, "echo-flat");
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/", title: "Overview" });
  await page.keyboard.press("Control+k");
  await expect(search(page)).toBeFocused();
  await settled(page);
  await expectAccessible(page, "the command palette");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k"); // while the palette still fades out
  await search(page).fill("nightly");
  await page.getByRole("dialog").getByRole("button", { name: "nightly batch" }).click();
  await expect(heading(page, "nightly batch")).toBeVisible();

  await page.getByRole("button", { name: "Search" }).click();
  await search(page).fill("quota");
  await expect(page.getByRole("dialog").getByRole("button")).toHaveCount(1);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(heading(page, "Quota & ledger")).toBeVisible();

  await expect
    .poll(async () => (await tenant.api.GET("/api/usage-logs/{id}", { params: { path: { id } } })).response.status)
    .toBe(200);
  await page.keyboard.press("Control+k");
  await search(page).fill(id);
  await page.getByRole("button", { name: "Open the receipt of this request" }).click();
  await expect(page.getByRole("dialog", { name: "Receipt" }).getByText(id)).toBeVisible();
});

test("the operator's command palette finds a tenant, a channel and a model", async ({
  page,
  gateway,
  operator,
  tenant,
}) => {
  const channel = (await ask(operator.GET("/api/operator/channels"))).items[0]?.name ?? "";
  await enter(page, gateway, gateway.operator);
  await show(page, { path: "/", title: "Overview" });
  for (const [query, title] of [
    [tenant.name, tenant.name],
    [channel, channel],
    ["echo-flat", "echo-flat"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await search(page).fill(query);
    // The name of a channel's button ends with its status.
    await page.getByRole("dialog").getByText(title, { exact: true }).first().click();
    await expect(heading(page, title)).toBeVisible();
  }
});

test("shortcuts open pages and their own list, and do nothing in a field", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/", title: "Overview" });
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(list.getByRole("row").filter({ hasText: "Usage logs" })).toBeVisible();
  await settled(page);
  await expectAccessible(page, "the list of shortcuts");
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("t"); // does nothing if it is late
    await expect(heading(page, "Tokens")).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await page
    .getByRole("textbox", { name: /Search/ })
    .first()
    .fill("");
  await page.keyboard.type("g?t");
  await expect(heading(page, "Tokens")).toBeVisible();
  await expect(list).toBeHidden();
});

test("the first steps end with the first request", async ({ page, gateway, tenant }) => {
  const token = await ask(tenant.api.POST("/api/tokens", { body: { name: "first" } }));
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/", title: "Overview" });
  await expect(page.getByText("Waiting for your first request.")).toBeVisible();
  await call(gateway.relay, token.value, "echo-flat");
  await page.getByRole("link", { name: "Open its receipt" }).click();
  await expect(page.getByRole("dialog", { name: "Receipt" })).toContainText("echo-flat");
});

test.describe("at 360 pixels", () => {
  test.use({ viewport: { width: 360, height: 780 } });
  test.describe.configure({ timeout: 600_000 });

  test("no page is wider than the screen", async ({ page, gateway, operator, tenant, browserErrors }) => {
    browserErrors.expect(/lookup.* 4\d\d/);
    const token = await furnish(gateway, tenant);
    const ids = await pageIds(operator, tenant, token);
    const walk = async (places: typeof publicPages) => {
      for (const place of places) {
        await show(page, place);
        await expectNoHorizontalScroll(page, `${place.path} at 360`);
      }
    };
    await walk(publicPages);
    await enter(page, gateway, tenant.owner);
    await walk(ownerPages(token.id));
    await enter(page, gateway, gateway.operator);
    await walk(operatorPages(ids));
  });
});

test("the button of the channel test is in sight on a small screen", async ({ page, gateway, operator }) => {
  const { id } = (await ask(operator.GET("/api/operator/channels"))).items[0] ?? { id: "" };
  await enter(page, gateway, gateway.operator);
  for (const size of [
    { width: 900, height: 600 },
    { width: 1280, height: 500 },
    { width: 360, height: 640 },
  ]) {
    await page.setViewportSize(size);
    await page.goto(`/operator/channels/${id}`);
    await page.getByRole("button", { name: /Test/ }).first().click();
    const run = page.getByRole("dialog").getByRole("button", { name: "Run the test" });
    await run.click();
    const again = page.getByRole("dialog").getByRole("button", { name: "Test again" });
    await expect(again).toBeVisible();
    await settled(page);
    await expect(again).toBeInViewport({ ratio: 1 });
  }
});
