import { expect, heading, test, unique, enter } from "../kit/test.ts";

test("a channel and a model that the operator adds are called in the playground", async ({ page, browser, gateway, tenant, complaints }) => {
  const model = unique("echo-story");
  await enter(page, gateway, gateway.operator);

  await page.goto("/operator/channels");
  await page.getByRole("button", { name: "New channel" }).click();
  const channel = page.getByRole("dialog", { name: "New channel" });
  await channel.getByRole("combobox", { name: "Type" }).click();
  await page.getByRole("option", { name: "Echo" }).click();
  await channel.getByLabel("Name", { exact: true }).fill(model);
  await channel.getByRole("button", { name: "Add a model" }).click();
  await channel.getByLabel("Public model, row 1").fill(model);
  await channel.getByLabel("Upstream model, row 1").fill("echo");
  await channel.getByRole("button", { name: "Create channel" }).click();
  await expect(heading(page, model)).toBeVisible();

  await page.goto("/operator/models");
  await page.getByRole("button", { name: "New model" }).click();
  const created = page.getByRole("dialog", { name: "New model" });
  await created.getByLabel("Id", { exact: true }).fill(model);
  await created.getByLabel("Owned by").fill("tollgate");
  await created.getByLabel("Per request").fill("0.25");
  await created.getByRole("button", { name: "Create model" }).click();
  await expect(heading(page, model)).toBeVisible();

  const context = await browser.newContext({ baseURL: gateway.console });
  const theirs = await context.newPage();
  complaints.listen(theirs);
  await enter(theirs, gateway, tenant.owner);
  await theirs.goto("/models");
  const row = theirs.getByRole("row").filter({ hasText: model });
  await expect(row).toContainText("$0.25");

  await theirs.goto("/playground");
  await theirs.getByRole("combobox", { name: "Model" }).click();
  await theirs.getByRole("combobox", { name: "Model" }).fill(model);
  await theirs.getByRole("option", { name: model }).click();
  await theirs.getByLabel("Your message").fill("Good morning");
  await theirs.getByLabel("Your message").press("Enter");
  const answer = theirs.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Good morning");
  await expect(answer).toContainText("$0.25");
  await answer.getByRole("link", { name: "Usage log" }).click();
  await expect(theirs.getByRole("dialog", { name: "Receipt" })).toContainText("Quota deducted");
  await context.close();
});
