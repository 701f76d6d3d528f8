import type { BrowserContext, Page } from "@playwright/test";
import { readFile } from "node:fs/promises";

import { ask } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import { unconfirm } from "../kit/past.ts";
import { addMember, enter, expect, fillSignIn, heading, test, unique } from "../kit/test.ts";
import { totp } from "../kit/totp.ts";

async function signOut(page: Page) {
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(heading(page, "Sign in")).toBeVisible();
}

/** Opens a link in a new page of the browser context. */
async function opened(context: BrowserContext, link: string, listen: (page: Page) => void): Promise<Page> {
  const page = await context.newPage();
  listen(page);
  await page.goto(link);
  return page;
}

/** Adds a device that keeps passkeys and answers without a person. */
async function addVirtualDevice(page: Page, context: BrowserContext): Promise<void> {
  const device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test("an invitation signs a new member in once", async ({ page, browser, gateway, tenant, browserErrors }) => {
  const email = `${unique("new")}@acme.example`;
  await enter(page, gateway, tenant.owner);
  await page.goto("/members");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  await page.getByRole("dialog", { name: "Invite a member" }).getByLabel("Email address").fill(email);
  await page.getByRole("dialog", { name: "Invite a member" }).getByRole("button", { name: "Invite" }).click();
  const shown = page.getByRole("dialog", { name: "Invitation" });
  const link = (await shown.getByLabel("link", { exact: true }).innerText()).trim();
  await shown.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("row").filter({ hasText: email })).toContainText("Pending");

  const context = await browser.newContext({ baseURL: gateway.console });
  const guest = await opened(context, link, (one) => browserErrors.listen(one));
  await expect(heading(guest, "You're invited")).toBeVisible();
  await expect(guest.getByText(tenant.name)).toBeVisible();
  await guest.getByLabel("New password", { exact: true }).fill("a horse that is correct");
  await guest.getByLabel("Repeat the new password").fill("a horse that is correct");
  await guest.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(heading(guest, "Overview")).toBeVisible();
  await expect(guest.getByRole("button", { name: `Account: ${email}` })).toBeVisible();

  browserErrors.expect(/invitations\/lookup.* 40[04]/);
  const again = await opened(context, link, (one) => browserErrors.listen(one));
  await expect(again.getByText("This invitation can't be used")).toBeVisible();
  await context.close();
});

test("sign-in asks for a code of the authenticator app or a recovery code", async ({
  page,
  gateway,
  tenant,
  browserErrors,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Set up an authenticator app" }).click();
  const setup = page.getByRole("dialog", { name: "Set up an authenticator app" });
  await setup.getByLabel("Your password", { exact: true }).fill(tenant.owner.password);
  await setup.getByRole("button", { name: "Continue" }).click();
  const secret = (await setup.getByRole("button", { name: /^Copy key / }).innerText()).split("\n").at(-1) ?? "";
  await setup.getByLabel("Code").fill(totp(secret));
  await setup.getByRole("button", { name: "Turn on" }).click();
  const shown = setup.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(shown).toHaveCount(10);
  const codes = await shown.allInnerTexts();
  await setup.getByRole("button", { name: "I have saved them" }).click();
  await expect(page.getByText("10 recovery codes left")).toBeVisible();

  await signOut(page);
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Second factor")).toBeVisible();
  browserErrors.expect(/second-factor.* 4\d\d/);
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByLabel("Code", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Code", { exact: true }).fill(totp(secret, 1)); // the current code was used already
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(heading(page, "Overview")).toBeVisible();

  await signOut(page);
  await fillSignIn(page, tenant.owner);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code", { exact: true }).fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(heading(page, "Overview")).toBeVisible();
  await page.goto("/settings/security");
  await expect(page.getByText("9 recovery codes left")).toBeVisible();
});

test("a passkey signs in without a password", async ({ page, context, gateway, tenant }) => {
  await addVirtualDevice(page, context);
  await enter(page, gateway, tenant.owner);
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a passkey" });
  await dialog.getByLabel("Name").fill("laptop");
  await dialog.getByLabel("Your password", { exact: true }).fill(tenant.owner.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("row").filter({ hasText: "laptop" })).toBeVisible();

  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(heading(page, "Overview")).toBeVisible();
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove this passkey?" }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No passkeys yet")).toBeVisible();
});

test("a change after a while asks to confirm and continues with the typed input", async ({
  page,
  context,
  gateway,
  tenant,
  browserErrors,
}) => {
  const member = await addMember(tenant);
  await enter(page, gateway, tenant.owner);
  await page.goto("/members");
  browserErrors.expect(/\/api\/.* (403|400) /);
  const asked = page.getByRole("dialog", { name: "Confirm that it's you" });
  await unconfirm(gateway, tenant.owner);

  await page.getByRole("button", { name: `Actions for ${member.email}` }).click();
  await page.getByRole("menuitem", { name: "Edit role and quota" }).click();
  const edit = page.getByRole("dialog", { name: member.email });
  await edit.getByLabel("Role").click();
  await page.getByRole("option", { name: /^Admin/ }).click();
  const save = edit.getByRole("button", { name: "Save" });
  await save.click();
  await expect(asked.getByLabel("Your password", { exact: true })).toBeFocused();
  await expectAccessible(page, "confirmation");
  await page.keyboard.press("Escape");
  await expect(asked).toBeHidden();
  await expect(edit).toBeVisible();
  await expect(edit.getByRole("alert")).toHaveCount(0);
  await expect(save).toBeFocused();

  await save.press("Enter");
  await asked.getByLabel("Your password", { exact: true }).fill("wrong horse battery");
  await asked.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect(asked.getByText("The password is wrong.")).toBeVisible();
  await asked.getByLabel("Your password", { exact: true }).fill(tenant.owner.password);
  await asked.getByLabel("Your password", { exact: true }).press("Enter");
  await expect(asked).toBeHidden();
  await expect(edit).toBeHidden();
  await expect(page.getByRole("row").filter({ hasText: member.email })).toContainText("Admin");

  await addVirtualDevice(page, context);
  await unconfirm(gateway, tenant.owner);
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  const add = page.getByRole("dialog", { name: "Add a passkey" });
  await add.getByLabel("Name").fill("laptop");
  // Also confirms: there is no second question.
  await add.getByLabel("Your password", { exact: true }).fill(tenant.owner.password);
  await add.getByRole("button", { name: "Continue" }).click();
  const row = page.getByRole("row").filter({ hasText: "laptop" });
  await expect(row).toBeVisible();

  await unconfirm(gateway, tenant.owner);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove this passkey?" }).getByRole("button", { name: "Remove" }).click();
  await asked.getByRole("button", { name: "Use a passkey" }).click();
  await expect(asked).toBeHidden();
  await expect(page.getByText("No passkeys yet")).toBeVisible();
});

test("a session that the user ends in another browser is over", async ({
  page,
  browser,
  gateway,
  tenant,
  browserErrors,
}) => {
  await enter(page, gateway, tenant.owner);
  const context = await browser.newContext({ baseURL: gateway.console, userAgent: "curl/8.9" });
  const other = await context.newPage();
  browserErrors.listen(other);
  await enter(other, gateway, tenant.owner);
  await other.goto("/settings");
  await expect(heading(other, "Settings")).toBeVisible();

  await page.goto("/settings/sessions");
  const row = page.getByRole("row").filter({ hasText: "curl" });
  await row.getByRole("button", { name: "End" }).click();
  await page.getByRole("dialog", { name: "End this session?" }).getByRole("button", { name: "End session" }).click();
  await expect(row).toHaveCount(0);
  browserErrors.expect(/ 401 /);
  await other.getByRole("link", { name: "Tokens", exact: true }).click();
  await expect(heading(other, "Sign in")).toBeVisible();
  await fillSignIn(other, tenant.owner);
  await expect(heading(other, "Tokens")).toBeVisible();
  await context.close();
});

test("an access key works with the API until it is revoked", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/settings/access-keys");
  await page.getByRole("button", { name: "Create an access key" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create an access key" });
  await dialog.getByLabel("Name").fill("report");
  await dialog.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "Your new access key" });
  const value = (await shown.getByLabel("access key", { exact: true }).innerText()).trim();
  const read = () => fetch(`${gateway.console}/api/usage-logs`, { headers: { authorization: `Bearer ${value}` } });
  expect((await read()).status).toBe(200);
  await shown.getByRole("button", { name: "I have copied it" }).click();
  const row = page.getByRole("row").filter({ hasText: "report" });
  await expect(row).toContainText("usage:read");
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("No access keys")).toBeVisible();
  expect((await read()).status).toBe(401);

  const uses = async () =>
    (await ask(tenant.api.GET("/api/audit-log", { params: { query: { action: "access_key.use" } } }))).items.length;
  await expect.poll(uses, "entries for the use of the key").toBe(1);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit log" }).click();
  const entries = page.getByRole("table", { name: "Audit log" });
  await expect(entries).toContainText(`${tenant.owner.email} created access key`);
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Access key", exact: true }).click();
  await page.getByLabel("IP address", { exact: true }).fill("127.0.0.1");
  await expect(entries.getByRole("row")).toHaveCount(2); // the header, and the use: changes have no address
  await entries.getByRole("button", { name: /used access key/ }).click();
  const entry = page.getByRole("dialog", { name: "Audit log entry" });
  await expect(entry).toContainText("access_key.use");
  await expect(entry).toContainText("127.0.0.1");
  await page.keyboard.press("Escape");
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const lines = (await readFile(await (await downloading).path(), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("access_key.use");
});

test("a password reset link from the operator sets a new password", async ({ page, gateway, operator, tenant }) => {
  const member = await addMember(tenant);
  const users = await ask(operator.GET("/api/operator/users", { params: { query: { search: member.email } } }));
  const id = users.items[0]?.id ?? "";
  const made = await ask(operator.POST("/api/operator/users/{id}/password-reset", { params: { path: { id } } }));
  await page.goto(made.link ?? "");
  await expect(heading(page, "Set a new password")).toBeVisible();
  const fresh = { ...member, password: "a staple and a battery" };
  await page.getByLabel("New password", { exact: true }).fill(fresh.password);
  await page.getByLabel("Repeat the new password").fill(fresh.password);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("link", { name: "Sign in" }).click();
  await fillSignIn(page, fresh);
  await expect(heading(page, "Overview")).toBeVisible();
});
