import { expect, heading, test, unique, enter } from "../kit/test.ts";

test("a channel and a model that the operator adds work in the playground", async ({
  page,
  browser,
  gateway,
  tenant,
  browserErrors,
}) => {
  const model = unique("echo-story");
  await enter(page, gateway, gateway.operator);

  await page.goto("/operator/channels");
  await page.getByRole("button", { name: "New channel" }).click();
  const channel = page.getByRole("dialog", { name: "New channel" });
  await channel.getByRole("combobox", { name: "Type" }).click();
  await page.getByRole("option", { name: "Echo" }).click();
  await channel.getByRole("textbox", { name: "Name", exact: true }).fill(model);
  await channel.getByRole("button", { name: "Add a model" }).click();
  await channel.getByLabel("Public model, row 1").fill(model);
  await channel.getByLabel("Upstream model, row 1").fill("echo");
  await channel.getByRole("button", { name: "Create channel" }).click();
  await expect(heading(page, model)).toBeVisible();

  await page.goto("/operator/models");
  await page.getByRole("button", { name: "New model" }).click();
  const created = page.getByRole("dialog", { name: "New model" });
  await created.getByRole("textbox", { name: "Model ID", exact: true }).fill(model);
  await created.getByLabel("Owned by").fill("tollgate");
  await created.getByLabel("Per request").fill("0.25");
  await created.getByRole("button", { name: "Create model" }).click();
  await expect(heading(page, model)).toBeVisible();

  const context = await browser.newContext({ baseURL: gateway.console });
  const owner = await context.newPage();
  browserErrors.listen(owner);
  await enter(owner, gateway, tenant.owner);
  await owner.goto("/models");
  const row = owner.getByRole("row").filter({ hasText: model });
  await expect(row).toContainText("$0.25");

  await owner.goto("/playground");
  await owner.getByRole("combobox", { name: "Model" }).click();
  await owner.getByRole("combobox", { name: "Model" }).fill(model);
  await owner.getByRole("option", { name: model }).click();
  await owner.getByLabel("Your message").fill("Good morning");
  await owner.getByLabel("Your message").press("Enter");
  const answer = owner.getByRole("article", { name: "Assistant" });
  await expect(answer).toContainText("Good morning");
  await expect(answer).toContainText("$0.25");
  await answer.getByRole("link", { name: "Usage log" }).click();
  await expect(owner.getByRole("dialog", { name: "Receipt" })).toContainText("Quota deducted");
  await context.close();
});

test("a channel from the price catalog creates its models first, and a second try finishes what the first began", async ({
  page,
  gateway,
  browserErrors,
}) => {
  const name = unique("catalog-story");
  const model = unique("nano");
  browserErrors.expect(/\/api\/operator\/channels: .* 400 /);
  await enter(page, gateway, gateway.operator);
  await page.goto("/operator/channels");
  await page.getByRole("button", { name: "New channel" }).click();
  const form = page.getByRole("dialog", { name: "New channel" });
  await form.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await form.getByLabel("Base URL").fill("ftp://upstream.example");
  const search = form.getByRole("combobox", { name: "Add from the price catalog" });
  await search.fill("gpt-4.1-nano");
  await page.getByRole("option", { name: "openai/gpt-4.1-nano" }).click();
  await expect(form.getByLabel("Upstream model, row 1")).toHaveValue("gpt-4.1-nano");
  await form.getByLabel("Public model, row 1").fill(model);
  const offer = form.getByRole("group", { name: model });
  await expect(offer).toContainText("$0.10 input, $0.40 output per 1M tokens");
  await expect(offer).toContainText("Not checked");
  await expect(offer).toContainText("service tier priority");

  const create = form.getByRole("button", { name: "Create channel" });
  await create.click();
  await expect(form).toContainText("Confirm the prices before the models are created.");
  await form.getByLabel("I have compared the prices marked “Not checked” with their sources").check();
  await create.click();
  await expect(form).toContainText(`${model} is created: correct the channel and try again.`);
  await expect(offer).toContainText("exists already and keeps its price");

  await form.getByLabel("Base URL").fill("https://api.openai.com/v1");
  await create.click();
  await expect(heading(page, name)).toBeVisible();
  await page.goto(`/operator/models/${model}`);
  await expect(page.getByText("$0.025", { exact: true })).toBeVisible();
});
