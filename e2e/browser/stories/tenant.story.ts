import { ask, call } from "../kit/api.ts";
import { expect, fillSignIn, heading, test } from "../kit/test.ts";

test("a token is created, used, found in the usage logs, and revoked", async ({ page, gateway, tenant }) => {
  await page.goto("/");
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Overview")).toBeVisible();

  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await page.getByRole("button", { name: "Create token" }).first().click();
  const drawer = page.getByRole("dialog", { name: "Create a token" });
  await drawer.getByLabel("Name").fill("nightly");
  await drawer.getByRole("button", { name: "Create token" }).click();
  const shown = page.getByRole("dialog", { name: "Your new token" });
  const value = (await shown.getByLabel("token", { exact: true }).innerText()).trim();
  expect(value).toMatch(/^sk-tg-/);
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText(value)).toHaveCount(0);

  await page.goto("/quota");
  const account = page.getByRole("region", { name: /^Quota of/ });
  await expect(account.getByText("$10.00").first()).toBeVisible();

  await page.goto("/usage-logs");
  await expect(page.getByText("No requests yet")).toBeVisible();
  const called = await call(gateway.relay, value, "echo-flat");
  expect(called).toMatchObject({ status: 200, quota: "0.001" });
  const row = page.getByRole("row").filter({ hasText: "echo-flat" });
  await expect(row).toContainText("nightly");
  await expect(row).toContainText("echo");
  await expect(row).toContainText("$0.001");

  await row.getByRole("link", { name: /receipt/ }).click();
  const receipt = page.getByRole("dialog", { name: "Receipt" });
  await expect(receipt.getByText("Quota deducted")).toBeVisible();
  await expect(receipt.getByText(called.id)).toBeVisible();
  await receipt.getByRole("button", { name: "Close" }).click();

  await page.goto("/quota");
  await expect(account.getByText("Used")).toBeVisible();
  await expect(account.getByText("$0.001", { exact: true })).toBeVisible();

  await page.goto("/tokens");
  await page.getByRole("button", { name: "Actions for nightly" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  const question = page.getByRole("dialog", { name: "Revoke this token?" });
  await question.getByRole("button", { name: "Revoke" }).click();
  await expect(question).toBeHidden();
  await expect.poll(async () => (await call(gateway.relay, value, "echo-flat")).status).toBe(401);
  await expect(page.getByText("No tokens yet")).toBeVisible();
});

test("the spend by end user and tag leads to the usage logs", async ({ page, gateway, tenant }) => {
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "tagged" } }));
  const tagged = (user: string, team: string) =>
    call(gateway.relay, value, "echo-flat", "Hello", { fields: { user }, headers: { "x-tollgate-tag-team": team } });
  for (const [user, team] of [
    ["ann", "blue"],
    ["ann", "red"],
    ["bob", "blue"],
  ] as const)
    expect((await tagged(user, team)).status).toBe(200);
  await expect.poll(async () => (await ask(tenant.api.GET("/api/usage-attribution"))).tags[0]?.requests).toBe(3);
  await expect.poll(async () => (await ask(tenant.api.GET("/api/usage-summary"))).items[0]?.requests).toBe(3);

  await page.goto("/");
  await fillSignIn(page, tenant.owner);
  const table = page.getByRole("table", { name: "End users and tags" });
  await expect(table.getByRole("row").nth(1)).toContainText("ann");
  await expect(table.getByRole("row").nth(1)).toContainText("67%");
  await page.getByRole("combobox", { name: "End users or a tag" }).click();
  await page.getByRole("option", { name: "Tag team" }).click();
  await table.getByRole("link", { name: "blue" }).click();
  await expect(heading(page, "Usage logs")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "echo-flat" })).toHaveCount(2);
});
