import type { Page } from "@playwright/test";

import { enter, expect, heading, test } from "../kit/test.ts";

const maxSteps = 60;

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string | RegExp, role: "button" | "link" | "textbox" = "button"): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: typeof name === "string" });
  for (let i = 0; i < maxSteps; i++) {
    if (await wanted.evaluateAll((nodes) => nodes.some((node) => node === document.activeElement))) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no ${role} ${String(name)} within ${maxSteps} steps of Tab`);
}

/** Presses the down arrow key in a menu until the item with this name has the focus. */
async function goDownTo(page: Page, name: string): Promise<void> {
  const wanted = page.getByRole("menuitem", { name });
  for (let i = 0; i < maxSteps; i++) {
    await page.keyboard.press("ArrowDown");
    if (await wanted.evaluate((node) => node === document.activeElement)) return;
  }
  throw new Error(`no ${name} within ${maxSteps} steps down`);
}

test("signing in and creating and revoking a token works with the keyboard only", async ({ page, tenant }) => {
  await page.goto("/tokens");
  await expect(page.getByLabel("Email address")).toBeFocused();
  await page.keyboard.type(tenant.owner.email);
  await tabTo(page, "Password", "textbox");
  await page.keyboard.type(tenant.owner.password);
  await page.keyboard.press("Enter");
  await expect(heading(page, "Tokens")).toBeVisible();

  await tabTo(page, "Create token");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Create a token" }).getByLabel("Name")).toBeFocused();
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "Your new token" });
  await expect(shown.getByLabel("token", { exact: true })).toBeVisible();
  await expect(shown.locator(":focus")).toHaveCount(1);
  await tabTo(page, "I have copied it");
  await page.keyboard.press("Enter");
  await expect(shown).toBeHidden();

  await tabTo(page, "Actions for by keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menu")).toBeVisible();
  await goDownTo(page, "Revoke");
  await page.keyboard.press("Enter");
  await expect(
    page.getByRole("dialog", { name: "Revoke this token?" }).getByRole("button", { name: "Revoke" }),
  ).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("No tokens yet")).toBeVisible();
});

test("the focus stays in an open dialog and returns to the opener", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  for (const [path, button, dialog] of [
    ["/members", "Invite", "Invite a member"],
    ["/settings/access-keys", "Create an access key", "Create an access key"],
    ["/usage-logs", "Export", "Export usage logs"],
    ["/tokens", "Create token", "Create a token"],
  ] as const) {
    await page.goto(path);
    const opener = page.getByRole("button", { name: button, exact: true }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    const opened = page.getByRole("dialog", { name: dialog });
    await expect(opened.locator(":focus"), dialog).toHaveCount(1);
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press("Tab");
      expect(
        await page.evaluate(
          () =>
            document.activeElement === document.body ||
            document.activeElement?.closest("[role=dialog],[data-portal]") !== null,
        ),
        `${dialog}, ${i + 1} times Tab`,
      ).toBe(true);
    }
    await page.keyboard.press("Escape");
    await expect(opened).toBeHidden();
    await expect(opener, `after ${dialog}`).toBeFocused();
  }
});

test("a link skips the navigation", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/usage-logs");
  await expect(heading(page, "Usage logs")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});
