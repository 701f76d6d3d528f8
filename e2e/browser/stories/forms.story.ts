import type { Page } from "@playwright/test";

import { ask } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import { enter, expect, fillSignIn, heading, test } from "../kit/test.ts";

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

/** Opens the form of a new token and enters a name. */
async function beginToken(page: Page): Promise<void> {
  await page.goto("/tokens");
  await page.getByRole("button", { name: "Create token" }).first().click();
  await dialog(page, "Create a token").getByLabel("Name").fill("half done");
}

test("Escape closes no dialog that shows a secret once", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await beginToken(page);
  await page.keyboard.press("Enter");
  const token = dialog(page, "Your new token");
  await expect(token.getByLabel("token", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(token.getByLabel("token", { exact: true })).toBeVisible();
  await token.getByRole("button", { name: "I have copied it" }).click();
  await expect(token).toBeHidden();

  await page.goto("/members");
  await page.getByRole("button", { name: "Invite" }).first().click();
  await dialog(page, "Invite a member").getByLabel("Email address").fill("newcomer@acme.example");
  await page.keyboard.press("Enter");
  const link = page.getByRole("dialog").filter({ has: page.getByLabel("link", { exact: true }) });
  await expect(link).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(link).toBeVisible();
});

test("Escape asks before it drops what was entered", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/tokens");
  await page.getByRole("button", { name: "Create token" }).first().click();
  const form = dialog(page, "Create a token");
  await expect(form.getByLabel("Name")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(form, "an untouched form").toBeHidden();

  await beginToken(page);
  await page.keyboard.press("Escape");
  const question = dialog(page, "Discard your changes?");
  await expect(question.getByRole("button", { name: "Keep editing" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(question).toBeHidden();
  await expect(form.getByLabel("Name")).toHaveValue("half done");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(form).toBeHidden();
});

test("the end of the session keeps what was entered", async ({ page, gateway, tenant, browserErrors }) => {
  browserErrors.expect(/ 401 /);
  await enter(page, gateway, tenant.owner);
  await beginToken(page);
  await page.context().clearCookies();
  await page.keyboard.press("Enter");
  const ended = dialog(page, "Your session has ended");
  await expect(ended).toBeVisible();
  await expect(ended.getByLabel("Email address")).toHaveValue(tenant.owner.email);
  await expectAccessible(page, "the dialog of an ended session");
  await ended.getByLabel("Password", { exact: true }).fill("wrong");
  await ended.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(ended.getByRole("alert")).toBeVisible();
  await ended.getByLabel("Password", { exact: true }).fill(tenant.owner.password);
  await ended.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(ended).toBeHidden();
  await expect(dialog(page, "Create a token").getByLabel("Name")).toHaveValue("half done");
  await dialog(page, "Create a token").getByRole("button", { name: "Create token" }).click();
  await expect(dialog(page, "Your new token")).toBeVisible();
  expect((await ask(tenant.api.GET("/api/tokens"))).items.map(({ name }) => name)).toEqual(["half done"]);
});

test("a page with a form that is not saved asks before it is left", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/settings");
  const name = page.getByRole("textbox", { name: "Name" });
  const before = await name.inputValue();
  await name.fill("half done");
  const question = dialog(page, "Leave without saving?");
  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await expect(question).toBeVisible();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toBeHidden();
  await expect(name).toHaveValue("half done");
  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await question.getByRole("button", { name: "Leave" }).click();
  await expect(heading(page, "Tokens")).toBeVisible();

  // The browser's own question, which Playwright accepts.
  await beginToken(page);
  const asked = page.waitForEvent("dialog");
  const reload = page.reload();
  const dialogOfBrowser = await asked;
  expect(dialogOfBrowser.type()).toBe("beforeunload");
  await dialogOfBrowser.accept();
  await reload;
  await page.goto("/settings");
  await expect(name).toHaveValue(before);
});

test("the sign-in page says that the session has ended", async ({ page, gateway, tenant, browserErrors }) => {
  browserErrors.expect(/ 401 /);
  await enter(page, gateway, tenant.owner);
  await page.goto("/tokens");
  await expect(heading(page, "Tokens")).toBeVisible();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Members" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Your session has ended." })).toBeVisible();
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Members")).toBeVisible();
});

/**
 * Ends or restores the connection to the network. Chromium reports the emulated state to pages, but not always by an
 * event.
 */
async function connect(page: Page, online: boolean): Promise<void> {
  await page.context().setOffline(!online);
  await page.evaluate((name) => window.dispatchEvent(new Event(name)), online ? "online" : "offline");
}

test("a page says that the browser is offline, and loads when it is online again", async ({
  page,
  gateway,
  tenant,
  browserErrors,
}) => {
  browserErrors.expect(/ERR_INTERNET_DISCONNECTED|Failed to fetch|dynamically imported/);
  await enter(page, gateway, tenant.owner);
  await page.goto("/members");
  await expect(page.getByRole("table").first()).toBeVisible();
  await page.goto("/tokens");
  await expect(page.getByText("No tokens yet")).toBeVisible();
  await page.getByRole("link", { name: "Members" }).hover(); // loads the code of the page
  await page.waitForLoadState("networkidle");
  await connect(page, false);
  await expect(page.getByText("You are offline.")).toBeVisible();
  await page.getByRole("link", { name: "Members" }).click();
  await expect(page.getByRole("alert").first()).toContainText("Can't reach the console");
  await connect(page, true);
  await expect(page.getByText("You are offline.")).toBeHidden();
  await expect(page.getByRole("table").first()).toContainText(tenant.owner.email);
});

test("the page for an unknown address has the navigation", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/no/such/page");
  await expect(page.getByText("Page not found")).toBeVisible();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tokens" }).click();
  await expect(heading(page, "Tokens")).toBeVisible();
});
