import { readFile } from "node:fs/promises";

import { addChannel, ask, signIn } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { show } from "../kit/pages.ts";
import { unconfirm } from "../kit/past.ts";
import { enter, expect, heading, test, unique } from "../kit/test.ts";

const auditLog = { path: "/audit-log", title: "Audit log" };

test("an owner reads what changed, from what to what, and saves it", async ({ page, gateway, tenant }) => {
  const { id } = await ask(tenant.api.POST("/api/tokens", { body: { name: "ci" } }));
  for (const day of ["3", "5"])
    await ask(tenant.api.PATCH("/api/tokens/{id}", { params: { path: { id } }, body: { caps: { day } } }));
  await enter(page, gateway, tenant.owner);
  await page.goto(`${gateway.console}/tokens/${id}`);
  await page.getByRole("main").getByRole("link", { name: "Audit log" }).click();
  await expect(heading(page, "Audit log")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`target=${id}`));
  await expect(page.getByRole("combobox", { name: "Resource" })).toHaveValue("ci");

  const entries = page.getByRole("table", { name: "Audit log" });
  const by = tenant.owner.email;
  const events = entries.locator("tbody tr");
  await expect(events).toHaveCount(3);
  await expect(events.nth(0)).toContainText(`${by} raised the budget of token ci from $3.00 to $5.00 per day`);
  await expect(events.nth(1)).toContainText(`${by} set the budget of token ci to $3.00 per day`);
  await expect(events.nth(2)).toContainText(`${by} created token ci`);
  await expect(page.getByText("Times are in your time zone, UTC.")).toBeVisible();
  await expectAccessible(page, "the audit log");

  await entries.getByRole("button", { name: /raised the budget/ }).click();
  const entry = page.getByRole("dialog", { name: "Audit log entry" });
  await expect(entry.getByRole("row", { name: "Daily budget $3.00 $5.00" })).toBeVisible();
  await expect(entry.getByText("caps.day")).toHaveCount(0);
  await entry.getByRole("button", { name: "Show the stored entry" }).click();
  await expect(entry.getByText("caps.day").first()).toBeVisible();
  await expectAccessible(page, "an entry of the audit log");
  await entry.getByRole("button", { name: "All entries of this actor" }).click();
  await expect(page).toHaveURL(/actor=/);
  await expect(events.filter({ hasText: "signed in with a password" }).first()).toBeVisible();

  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Token", exact: true }).click();
  await expect(events).toHaveCount(3);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const lines = (await readFile(await (await downloading).path(), "utf8")).trimEnd().split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain("ci");
});

test("the audit log fits a phone, and is in Chinese", async ({ page, gateway, tenant }) => {
  const { id } = await ask(tenant.api.POST("/api/tokens", { body: { name: "ci" } }));
  await ask(
    tenant.api.PATCH("/api/tokens/{id}", { params: { path: { id } }, body: { quota: "20", models: ["echo-1"] } }),
  );
  await enter(page, gateway, tenant.owner);
  await page.setViewportSize({ width: 360, height: 800 });
  await show(page, auditLog);
  await expect(page.getByText("Quota: from unlimited to $20.00")).toBeVisible();
  await expectNoHorizontalScroll(page, "the audit log on a phone");
  await page.evaluate(() => localStorage.setItem("tollgate-locale", "zh-Hans"));
  await ask((await signIn(gateway.console, tenant.owner)).PATCH("/api/session", { body: { language: "zh-Hans" } }));
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "审计日志" })).toBeVisible();
  await expect(page.getByText("额度：从 不限 改为 $20.00")).toBeVisible();
  await expect(page.getByText(`${tenant.owner.email} 创建了令牌 ci`)).toBeVisible();
});

test("operators read and save the log of the platform", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, gateway.operator);
  await page.goto(`${gateway.console}/operator/tenants/${tenant.id}`);
  await page.getByRole("main").getByRole("link", { name: "Audit log" }).click();
  const events = page.getByRole("table", { name: "Audit log" }).locator("tbody tr");
  await expect(events.filter({ hasText: `created tenant ${tenant.name}` })).toHaveCount(1);
  await expect(events.filter({ hasText: `granted $10.00 to ${tenant.name}` })).toHaveCount(1);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  expect(await readFile(await (await downloading).path(), "utf8")).toContain(tenant.id);
});

test("the pages of a channel, a model and its price, a group and its rule lead to their entries", async ({
  page,
  gateway,
  operator,
}) => {
  const model = unique("traced");
  const { id: channel } = await addChannel(operator, `for ${model}`, model);
  await ask(
    operator.POST("/api/operator/models", {
      body: { id: model, owned_by: "x", status: "enabled", routing: "weighted", price: { input: "2" } },
    }),
  );
  await ask(operator.POST("/api/operator/prices", { body: { model, price: { input: "3" } } }));
  const { id: group } = await ask(
    operator.POST("/api/operator/groups", { body: { name: `of ${model}`, models: ["*"] } }),
  );
  await ask(operator.POST("/api/operator/group-rules", { body: { group_id: group, multiplier: "2" } }));
  await enter(page, gateway, gateway.operator);
  for (const [path, link, entry] of [
    [`channels/${channel}`, "Audit log", `created channel for ${model}`],
    [`models/${model}`, "Audit log", `created model ${model}`],
    [`models/${model}`, /^Audit log of the price from/, model],
    [`groups/${group}`, "Audit log", `created group of ${model}`],
    [`groups/${group}`, /^Audit log of the rule from/, `of ${model}`],
  ] as const) {
    await page.goto(`/operator/${path}`);
    await page.getByRole("main").getByRole("link", { name: link, exact: true }).first().click();
    await expect(heading(page, "Audit log")).toBeVisible();
    await expect(
      page.getByRole("table", { name: "Audit log" }).locator("tbody tr").filter({ hasText: entry }),
    ).toHaveCount(1);
  }
});

test("a webhook gets another URL, and a new secret on demand", async ({ page, gateway, tenant, browserErrors }) => {
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/alerts", title: "Alerts" });
  await page.getByRole("button", { name: "Create destination" }).click();
  const create = page.getByRole("dialog", { name: "Create a destination" });
  await create.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Webhook", exact: true }).click();
  await create.getByLabel("Name").fill("pager");
  await create.getByLabel("URL").fill("https://hooks.example.com/one");
  await create.getByRole("button", { name: "Create", exact: true }).click();
  const secret = page.getByRole("dialog", { name: "Signing secret" });
  const first = await secret.locator("code").innerText();
  await secret.getByRole("button", { name: "Done" }).click();

  const edit = page.getByRole("dialog", { name: "Edit destination" });
  const open = async () => {
    await page.getByRole("button", { name: "Actions for pager" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
  };
  await open();
  await edit.getByLabel("New URL").fill("https://other.example.com/two");
  await expectAccessible(page, "the form of a destination");
  await edit.getByRole("button", { name: "Save" }).click();
  const table = page.getByRole("table", { name: "Destinations of alerts" });
  await expect(table).toContainText("https://other.example.com");
  await expect(secret).toHaveCount(0);

  browserErrors.expect(/\/api\/.* 403 /);
  await unconfirm(gateway, tenant.owner);
  await open();
  await edit.getByLabel("Replace the signing secret too").check();
  await edit.getByRole("button", { name: "Save" }).click();
  const asked = page.getByRole("dialog", { name: "Confirm that it's you" });
  await asked.getByLabel("Your password", { exact: true }).fill(tenant.owner.password);
  await asked.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect(secret.locator("code")).toContainText("whsec_");
  expect(await secret.locator("code").innerText()).not.toBe(first);
});
