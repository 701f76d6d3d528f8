import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { ask, call, type Api, type Schema } from "../kit/api.ts";
import { enter, expect, heading, test, unique } from "../kit/test.ts";

test("a tenant finds a model, its price, its speed and how to call it", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/models");
  await page.getByLabel("Search models").fill("flat");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "echo-flat", exact: true }).click();
  await expect(heading(page, "echo-flat")).toBeVisible();
  await expect(page.getByText("No recent requests")).toBeVisible();
  await expect(
    page
      .getByRole("table", { name: /./ })
      .or(page.getByRole("region", { name: "Prices of tokens and requests" }))
      .first(),
  ).toContainText("Per request");
  await expect(page.getByText("Not stated").first()).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByText('model="echo-flat"')).toBeVisible();

  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "first" } }));
  expect((await call(gateway.relay, value, "echo-flat")).status).toBe(200);
  const recent = async () =>
    (await ask(tenant.api.GET("/api/models/{id}", { params: { path: { id: "echo-flat" } } }))).recent?.error_rate;
  await expect.poll(recent, { timeout: 60_000 }).toBe(0);
  await page.reload();
  await expect(page.getByText("Error rate")).toBeVisible();
  await expect(page.getByText("0%", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Try", exact: true }).click();
  await expect(heading(page, "Playground")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Model", exact: true })).toHaveValue("echo-flat");
});

test("a model that a tenant may not call looks as if it did not exist", async ({
  page,
  gateway,
  tenant,
  operator,
  browserErrors,
}) => {
  const hidden = unique("hidden");
  browserErrors.expect(/\/api\/models\/.* 404 /);
  await ask(
    operator.POST("/api/operator/models", {
      body: { id: hidden, owned_by: "x", free: true, status: "enabled", routing: "weighted", price: {} },
    }),
  );
  await enter(page, gateway, tenant.owner);
  for (const id of [hidden, "no-such-model"]) {
    await page.goto(`/models/${id}`);
    await expect(page.getByText("Page not found")).toBeVisible();
    await expect(page.getByText(hidden)).toHaveCount(0);
  }
});

/** Creates a model with a price, and a channel for it that costs 2 USD for input. */
async function addPriced(operator: Api, id: string): Promise<string> {
  await ask(
    operator.POST("/api/operator/models", {
      body: { id, owned_by: "x", status: "enabled", routing: "weighted", price: { input: "3" } },
    }),
  );
  const { id: channel } = await ask(
    operator.POST("/api/operator/channels", {
      body: {
        name: `for ${id}`,
        type: "echo",
        dialects: ["chat"],
        models: { [id]: "up" },
        weight: 1,
        status: "enabled",
        on_disconnect: "cancel",
        unpriced: "refuse",
      },
    }),
  );
  await ask(
    operator.POST("/api/operator/channels/{id}/costs", {
      params: { path: { id: channel } },
      body: { upstream_model: "up", rates: { input: "2" } },
    }),
  );
  return channel;
}

const versions = async (operator: Api, model: string): Promise<Schema<"Price">[]> =>
  (await ask(operator.GET("/api/operator/prices", { params: { query: { model } } }))).items;

test("a channel has the same status word and reason on every page", async ({ page, gateway, operator }) => {
  const model = unique("status");
  const channel = await addPriced(operator, model);
  await ask(
    operator.PATCH("/api/operator/channels/{id}", { params: { path: { id: channel } }, body: { status: "disabled" } }),
  );
  const name = `for ${model}`;
  await enter(page, gateway, gateway.operator);
  const word = "Disabled";

  await page.goto(`/operator/channels?search=${model}`);
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText(word);
  await page.getByRole("link", { name }).click();
  await expect(heading(page, name)).toBeVisible();
  const header = page
    .getByRole("banner")
    .or(page.locator("header"))
    .filter({ has: heading(page, name) });
  await expect(header).toContainText(word);
  await expect(header).toContainText("Disabled by an operator. Relays don't use it.");
  for (const other of ["Healthy", "Failing", "All is well"])
    await expect(page.getByText(other, { exact: true })).toHaveCount(0);

  await page.goto(`/operator/models/${model}`);
  await expect(page.getByRole("table", { name: "Channels" }).getByRole("row").filter({ hasText: name })).toContainText(
    word,
  );
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: /^Search/ }).fill(name);
  await expect(
    page.getByRole("button", { name: new RegExp(`${name}.*Disabled: Disabled by an operator`) }),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto("/");
  await expect(page.getByText(/^Disabled: \d+$/)).toBeVisible();
});

test("the prices of several models change together, after a loss is accepted", async ({
  page,
  gateway,
  operator,
  browserErrors,
}) => {
  browserErrors.expect(/\/api\/operator\/prices\/bulk.* 409 /); // the prices have changed since they were shown
  const [first, second] = [unique("bulk-a"), unique("bulk-b")];
  await addPriced(operator, first);
  await addPriced(operator, second);
  await enter(page, gateway, gateway.operator);
  await page.goto("/operator/models?search=bulk-");
  await page.getByRole("button", { name: "Change several prices" }).click();
  const form = page.getByRole("dialog", { name: "Change several prices" });
  for (const model of [first, second]) {
    await form.getByRole("combobox", { name: "Models" }).fill(model);
    await page.getByRole("option", { name: model }).click();
  }
  await page.keyboard.press("Tab");
  await form.getByLabel("Factor").fill("0.5");
  const preview = form.getByRole("region", { name: first });
  await expect(preview).toContainText("$3.00");
  await expect(preview).toContainText("$1.50");
  await expect(preview).toContainText("price $1.50, cost $2.00");
  const schedule = form.getByRole("button", { name: "Schedule 2 prices" });
  await expect(schedule).toBeDisabled();
  for (const model of [first, second]) await form.getByRole("checkbox", { name: `Sell ${model} below cost` }).check();
  await expect(schedule).toBeEnabled();

  await ask(operator.POST("/api/operator/prices", { body: { model: second, price: { input: "4" } } }));
  await schedule.click();
  await expect(form.getByRole("alert")).toContainText(second);
  expect(await versions(operator, first)).toHaveLength(1);

  await form.getByLabel("Factor").fill("2");
  await expect(form.getByRole("region", { name: second })).toContainText("$8.00");
  await schedule.click();
  await expect(form).toBeHidden();
  for (const [model, price] of [
    [first, "6"],
    [second, "8"],
  ] as const)
    expect((await versions(operator, model))[0]).toMatchObject({ state: "scheduled", price: { input: price } });
});

test("the form of a price shows its margin, and asks before it is below cost", async ({ page, gateway, operator }) => {
  const model = unique("margin");
  await addPriced(operator, model);
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/models/${model}`);
  await page.getByRole("button", { name: "Change the price" }).click();
  const form = page.getByRole("dialog", { name: `Change the price of ${model}` });
  await form
    .getByLabel("Input", { exact: true })
    .or(form.getByLabel(/^Input \//))
    .first()
    .fill("1");
  await expect(form.getByText("Below cost")).toBeVisible();
  await expect(form.getByRole("row").filter({ hasText: `for ${model}` })).toContainText("−$1.00");
  await form.getByRole("button", { name: "Change the price now" }).click();
  const question = page.getByRole("dialog", { name: "Sell below cost?" });
  await expect(question).toContainText(`Input on for ${model}: price $1.00, cost $2.00`);
  await question.getByRole("button", { name: "Save anyway" }).click();
  await expect(form).toBeHidden();
  expect((await versions(operator, model))[0]).toMatchObject({ state: "current", price: { input: "1" } });
});

/** Starts an upstream that has a list of models and answers each call. It refuses other credentials than `key`. */
async function startLister(ids: string[], key: string) {
  const server = createServer((request, response) => {
    request.resume();
    if (request.headers.authorization !== `Bearer ${key}`) {
      response.writeHead(401).end(JSON.stringify({ error: { message: "no such key" } }));
    } else if (request.method === "GET") {
      response.end(JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) }));
    } else {
      const message = { role: "assistant", content: "pong" };
      response.end(JSON.stringify({ id: "c", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url: `http://127.0.0.1:${port}/v1`, close };
}

test("an operator fetches the models of an upstream before the channel is saved", async ({
  page,
  gateway,
  browserErrors,
}) => {
  browserErrors.expect(/\/api\/operator\/channels\/models.* 502 /);
  const [first, second, name] = [unique("listed-a"), unique("listed-b"), unique("lister")];
  const many = Array.from({ length: 120 }, (_, i) => `other-${i}`);
  const upstream = await startLister([second, ...many, first], "sk-right");
  try {
    await enter(page, gateway, gateway.operator);
    await page.goto("/operator/channels");
    await page.getByRole("button", { name: "New channel" }).click();
    const form = page.getByRole("dialog", { name: "New channel" });
    await form.getByRole("textbox", { name: "Name", exact: true }).fill(name);
    await form.getByLabel("Base URL").fill(upstream.url);
    await form.getByLabel("Credentials").fill("sk-wrong");
    await form.getByRole("button", { name: "Fetch models" }).click();
    await expect(form).toContainText("The upstream refuses the credential: no such key");

    await form.getByLabel("Credentials").fill("sk-right");
    await form.getByRole("button", { name: "Fetch models" }).click();
    const picker = form.getByRole("group", { name: "Models of the upstream" });
    await expect(picker).toContainText("The upstream lists 122 models.");
    await expect(picker).toContainText("22 more models are not shown.");
    await picker.getByLabel("Search models of the upstream").fill("listed-");
    await picker.getByLabel("Select all 2 models").check();
    await picker.getByRole("button", { name: "Add 2 models" }).click();
    await expect(form.getByLabel("Public model, row 1")).toHaveValue(first);
    await expect(form.getByLabel("Upstream model, row 2")).toHaveValue(second);
    await form.getByRole("button", { name: "Test before saving" }).click();
    await expect(form).toContainText("The channel works");
    await form.getByRole("button", { name: "Create channel" }).click();
    await expect(heading(page, name)).toBeVisible();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const edit = page.getByRole("dialog", { name: `Edit ${name}` });
    await edit.getByRole("button", { name: "Fetch models" }).click(); // with the stored credential
    const again = edit.getByRole("group", { name: "Models of the upstream" });
    await again.getByLabel("Search models of the upstream").fill("listed-");
    await expect(again.getByRole("checkbox", { name: first })).toBeDisabled();
  } finally {
    await upstream.close();
  }
});
