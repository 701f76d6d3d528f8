import type { Locator, Page } from "@playwright/test";

import { type Api, ask, call, expectOk, type Schema } from "../kit/api.ts";
import { show, waitForLogs } from "../kit/pages.ts";
import { addMember, enter, expect, heading, test, unique } from "../kit/test.ts";

/** Creates a model with a price, served by an echo channel of its own that allows charges without a price. */
async function addModel(operator: Api, price: Schema<"Rates">): Promise<{ id: string; channel: string }> {
  const id = unique("bill");
  await expectOk(
    operator.POST("/api/operator/models", {
      body: { id, owned_by: "tollgate", price, status: "enabled", free: false, routing: "weighted" },
    }),
  );
  const made = await ask(
    operator.POST("/api/operator/channels", {
      body: {
        name: id,
        type: "echo",
        dialects: ["chat"],
        models: { [id]: "echo" },
        priority: 0,
        weight: 1,
        status: "enabled",
        on_disconnect: "cancel",
        unpriced: "allow",
      },
    }),
  );
  return { id, channel: made.id };
}

const file = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) });

/** Chooses a file with a button that opens the file dialog. */
async function choose(page: Page, button: Locator, chosen: ReturnType<typeof file>): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
  await chooser.setFiles(chosen);
}

test("an operator sets a price with a tier, a service tier and a tool", async ({ page, gateway, operator }) => {
  const { id } = await addModel(operator, { input: "1", output: "2" });
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/models/${id}`);
  await page.getByRole("button", { name: "Change the price" }).click();
  const editor = page.getByRole("dialog", { name: /^Change the price of/ });
  const change = editor.getByRole("button", { name: "Change the price now" });

  await editor.getByRole("button", { name: "Add a tier for long inputs" }).click();
  await expect(editor.getByText(/^Enter the input tokens of each tier/)).toBeVisible();
  await expect(change).toBeDisabled();
  const tier = editor.getByRole("group", { name: "Tier 1 for long inputs" });
  await tier.getByLabel("More input tokens than").fill("200000");
  await tier.getByLabel("Input / 1M tokens", { exact: true }).fill("3.25");

  await editor.getByRole("button", { name: "Add a service tier" }).click();
  await editor.getByLabel("Service tier", { exact: true }).fill("flex");
  const service = editor.getByRole("group", { name: "Service tier flex" });
  await service.getByRole("textbox", { name: "Multiplier" }).fill("0");
  await expect(service.getByText(/^Enter a decimal above zero/)).toBeVisible();
  await service.getByRole("textbox", { name: "Multiplier" }).fill("0.5");

  await editor.getByRole("button", { name: "Tools that the provider runs" }).press("Enter");
  await expect(editor.getByLabel("Web search / call")).toBeFocused();
  await editor.getByLabel("Web search / call").fill("0.015");
  await change.click();
  await expect(editor).toBeHidden();

  await page.reload();
  await expect(page.getByText("Requests with more than 200,000 input tokens")).toBeVisible();
  await expect(page.getByText("$3.25", { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/service tier flex: token prices × 0.5/)).toBeVisible();
  await expect(page.getByText("Web search / call")).toBeVisible();
  await page.getByRole("button", { name: "Change the price" }).click();
  await expect(tier.getByLabel("More input tokens than")).toHaveValue("200,000");
  await expect(service.getByRole("textbox", { name: "Multiplier" })).toHaveValue("0.5");
  await expect(editor.getByLabel("Web search / call")).toHaveValue("0.015");
});

test("an operator sets costs with a factor, and withdraws scheduled ones", async ({ page, gateway, operator }) => {
  const { channel } = await addModel(operator, { request: "1" });
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/channels/${channel}`);
  const editor = page.getByRole("dialog", { name: /^Add costs of/ });
  const rows = page.getByRole("table", { name: "Costs" }).getByRole("row").filter({ hasText: "echo" });
  await expect(page.getByText("No costs yet")).toBeVisible();

  const add = page.getByRole("main").getByRole("button", { name: "Add costs" });
  await add.click();
  await editor.getByLabel("Factor").fill("a tenth less");
  await editor.getByRole("button", { name: "Add costs" }).click();
  await expect(editor.getByText(/^Enter a decimal/)).toBeVisible();
  await expect(editor.getByRole("alert").filter({ hasText: /^Enter at least one price/ })).toBeVisible();
  await editor.getByLabel("Factor").fill("0.9");
  await editor.getByLabel("Input / 1M tokens", { exact: true }).fill("2");
  await editor.getByRole("button", { name: "Add costs" }).click();
  await expect(rows).toContainText(["Input $2.00"]);
  await expect(rows).toContainText(["× 0.9"]);
  await expect(rows).toContainText(["Current"]);

  await expect(editor).toBeHidden();
  await add.click();
  await editor.getByLabel("Input / 1M tokens", { exact: true }).fill("4");
  await editor.getByText("Later", { exact: true }).click();
  await editor.getByRole("button", { name: "Schedule the costs" }).click();
  const scheduled = rows.filter({ hasText: "$4.00" });
  await expect(scheduled).toContainText("Scheduled");
  await scheduled.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(scheduled.getByRole("button", { name: "Withdraw" })).toHaveCount(0);
  await page.reload();
  await expect(rows.filter({ hasText: "$2.00" })).toContainText("Current");
  await expect(scheduled).toContainText("Withdrawn");
});

test("an operator uploads an invoice and sees which days differ, and why", async ({
  page,
  gateway,
  operator,
  browserErrors,
}) => {
  browserErrors.expect(/\/charges.* 4\d\d/); // the file with a fault
  const { id } = await addModel(operator, { request: "1" });
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  await enter(page, gateway, gateway.operator);
  await page.goto("/operator/supplier-invoices");
  await page.getByRole("button", { name: "New billing account" }).click();
  const editor = page.getByRole("dialog", { name: "Create a billing account" });
  await editor.getByRole("button", { name: "Create billing account" }).click();
  await expect(editor.getByText("Enter a name.")).toBeVisible();
  await editor.getByLabel("Name").fill(id);
  await editor.getByRole("combobox", { name: "Provider" }).click();
  await page.getByRole("option", { name: "CSV files" }).click();
  await editor.getByRole("combobox", { name: "Channels" }).fill(id);
  await page.getByRole("option", { name: id }).click();
  await editor.getByRole("button", { name: "Create billing account" }).click();
  await page.getByRole("link", { name: id }).first().click();
  await expect(heading(page, id)).toBeVisible();

  const upload = page.getByRole("button", { name: "Upload CSV" });
  await choose(page, upload, file("invoice.csv", "text/csv", `day,model,amount\n${day(2)},large,much\n`));
  await expect(page.getByRole("main").getByRole("alert")).toContainText(/Line 2.*amount/);
  await choose(
    page,
    upload,
    file("invoice.csv", "text/csv", `day,model,amount\n${day(2)},large,12.5\n${day(3)},small,0.005\n`),
  );
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
  const differs = async () =>
    (await ask(operator.GET("/api/operator/supplier-days", { params: { query: { status: "differs" } } }))).items.some(
      (found) => found.day === day(2) && found.amount === "12.5",
    );
  await expect.poll(differs, "the day is compared").toBe(true);
  await page.reload();
  const row = (back: number) => page.getByRole("row").filter({ hasText: day(back) });
  await expect(row(2)).toContainText("Differs");
  await expect(row(2)).toContainText("Charged for something other than the models you called");
  await expect(row(3)).toContainText("Matches");
  await row(2)
    .getByRole("link", { name: day(2) })
    .click();
  await expect(heading(page, `${id}, ${day(2)}`)).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "large" })).toContainText("$12.50");
});

test("an operator schedules a price of an uploaded catalog after confirming its rise", async ({
  page,
  gateway,
  operator,
  browserErrors,
}) => {
  browserErrors.expect(/price-catalog.* 4\d\d/); // the file with a fault
  const { id } = await addModel(operator, { input: "1", output: "2" });
  const model = {
    provider: "acme",
    model: "echo",
    price: { input: "1.75", output: "2" },
    source: "https://acme.example/prices",
    read: "2026-11-23",
    checked: true,
  };
  const catalog = (entries: unknown[]) =>
    file("prices.json", "application/json", JSON.stringify({ version: 1, updated: "2026-11-23", entries }));
  await enter(page, gateway, gateway.operator);
  await page.goto("/operator/price-catalog");
  const upload = page.getByRole("button", { name: "Upload a file" });
  try {
    await choose(page, upload, catalog([{ ...model, price: { input: "-1" } }]));
    await expect(page.getByRole("main").getByRole("alert")).toContainText("entries[0].price.input");
    await choose(page, upload, catalog([model]));
    const row = page.getByRole("row").filter({ hasText: id });
    await expect(row).toContainText("$1.00 → $1.75");
    await expect(row).toContainText("+75%");
    await row.getByRole("checkbox", { name: `Select ${id}` }).check();
    await expect(page.getByText("Confirm 1 warning of the selected models first.")).toBeVisible();
    const schedule = page.getByRole("button", { name: "Schedule 1 price" });
    await expect(schedule).toBeDisabled();
    await row.getByRole("checkbox", { name: "A rate rises by more than 50%" }).check();
    await schedule.click();
    await expect(row).toContainText("Scheduled");
  } finally {
    await expectOk(operator.DELETE("/api/operator/price-catalog"));
  }
  await page.goto(`/operator/models/${id}`);
  await expect(page.getByText("Scheduled", { exact: true })).toBeVisible();
});

/** What no response for a tenant may have. */
const secrets = /"(supplier\w*|margin|cost_id|reported_cost)"/;

test("operators see cost, margin and charges without a price, and tenants none of them", async ({
  page,
  browser,
  gateway,
  operator,
  tenant,
  browserErrors,
}) => {
  const { id, channel } = await addModel(operator, { request: "0.01" });
  await expectOk(
    operator.POST("/api/operator/channels/{id}/costs", {
      params: { path: { id: channel } },
      body: { upstream_model: "echo", factor: "0.5", rates: { request: "0.004" } },
    }),
  );
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "bill" } }));
  const priority = () => call(gateway.relay, value, id, "Hello", { fields: { service_tier: "priority" } });
  await expect.poll(async () => (await priority()).status, "the relay knows the model").toBe(200);
  await waitForLogs(tenant.api, 1);
  const known = async () =>
    (await ask(operator.GET("/api/usage-summary", { params: { query: { by: "channel" } } }))).items.find(
      ({ value: found }) => found === channel,
    )?.supplier?.requests;
  await expect.poll(known, "calls of the channel whose cost is known").toBe(1);
  const counted = async () =>
    (await ask(operator.GET("/api/operator/unpriced-calls"))).items.find(({ channel_id }) => channel_id === channel)
      ?.kind;
  await expect.poll(counted, "the charge without a price").toBe("service_tier");
  const [log] = (await ask(tenant.api.GET("/api/usage-logs"))).items;

  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/channels/${channel}`);
  await expect(page.getByText("Supplier’s cost").locator("..")).toContainText("$0.0020");
  await expect(page.getByText("Margin", { exact: true }).locator("..")).toContainText("80% of $0.0100");
  await expect(
    page
      .getByRole("table", { name: "Calls with a charge without a price" })
      .getByRole("row")
      .filter({ hasText: "Service tier" }),
  ).toContainText("1");
  await page.getByText("30d", { exact: true }).click();
  await expect(page).toHaveURL(/range=30d/);
  await expect(page.getByText("Margin", { exact: true }).locator("..")).toContainText("80% of $0.0100");

  await page.goto("/operator/system");
  await expect(
    page.getByRole("table", { name: "Calls with a charge without a price" }).getByRole("row").filter({ hasText: id }),
  ).toContainText("Service tier");
  await page.goto("/");
  await expect(page.getByText("Suppliers’ cost")).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Channels" }).getByRole("columnheader", { name: "Margin" }),
  ).toBeVisible();
  await page.goto(`/usage-logs?log=${log?.id}`);
  const supplier = page.getByRole("table", { name: "What suppliers charge" });
  await expect(supplier.getByRole("row").filter({ hasText: "Factor" })).toContainText("$0.002");
  await expect(supplier.getByRole("row").filter({ hasText: "Margin" })).toContainText("$0.008");

  for (const person of [tenant.owner, await addMember(tenant, "admin")]) {
    const context = await browser.newContext({ baseURL: gateway.console });
    const theirs = await context.newPage();
    browserErrors.listen(theirs);
    const bodies: Promise<string>[] = [];
    theirs.on("response", (response) => {
      if (response.url().includes("/api/") && response.ok()) bodies.push(response.text());
    });
    await enter(theirs, gateway, person);
    for (const path of ["/", "/models", "/quota", `/usage-logs?log=${log?.id}`]) {
      await show(theirs, { path, title: /./ });
      if (path.includes("log="))
        await expect(theirs.getByRole("table", { name: "How it was computed" })).toContainText("Quota deducted");
      await expect(theirs.locator("body"), path).not.toContainText(/supplier|margin/i);
    }
    const seen = (await Promise.all(bodies)).join("\n");
    expect(seen).toContain(log?.id);
    expect(seen).not.toMatch(secrets);
    await context.close();
  }
});

test("an owner filters logs by end user and shows the quota in answers", async ({ page, gateway, tenant }) => {
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "attributed" } }));
  for (const user of ["ann", "bob", "ann"])
    await call(gateway.relay, value, "echo-flat", "Hello", { fields: { user } });
  await waitForLogs(tenant.api, 3);
  await enter(page, gateway, tenant.owner);
  await page.goto("/usage-logs");
  const rows = page.getByRole("row").filter({ hasText: "echo-flat" });
  await expect(rows).toHaveCount(3);
  await page.getByRole("textbox", { name: "End user" }).fill("ann");
  await page.getByRole("textbox", { name: "End user" }).press("Enter");
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/end_user=ann/);

  await page.goto("/settings");
  const included = page.getByRole("switch", { name: "Show the quota in all responses" });
  await expect(included).not.toBeChecked();
  await included.click();
  await expect(page.getByText("Responses now show the quota.")).toBeVisible();
  const stated = async () => {
    const answer = await fetch(`${gateway.relay}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${value}` },
      body: JSON.stringify({ model: "echo-flat", messages: [{ role: "user", content: "Hello" }] }),
    });
    return ((await answer.json()) as { usage: { quota?: unknown } }).usage.quota;
  };
  await expect.poll(async () => String(await stated()), "the quota in the answer").toBe("0.001");
  await page.reload();
  await expect(included).toBeChecked();
});
