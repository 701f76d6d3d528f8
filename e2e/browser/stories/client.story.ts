import { ask, call } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import { settled, show } from "../kit/pages.ts";
import { enter, expect, test } from "../kit/test.ts";

test("a token and its requests show from where and with which program it was used", async ({
  page,
  gateway,
  tenant,
}) => {
  const { value, id } = await ask(tenant.api.POST("/api/tokens", { body: { name: "nightly" } }));
  const headers = { "user-agent": "nightly/1.0" };
  expect((await call(gateway.relay, value, "echo-1", "Hello", { headers })).status).toBe(200);
  expect((await call(gateway.relay, value, "echo-1", "Hello")).status).toBe(200);
  const clients = () => ask(tenant.api.GET("/api/tokens/{id}/clients", { params: { path: { id } } }));
  await expect.poll(async () => (await clients()).items.length, { timeout: 30_000 }).toBe(2);
  const used = (await clients()).items.find(({ agent }) => agent === "nightly/1.0");

  await enter(page, gateway, tenant.owner);
  await show(page, { path: `/tokens/${id}`, title: "nightly" });
  const row = page.getByRole("table", { name: "Used from" }).getByRole("row", { name: "nightly/1.0" });
  await expect(row).toContainText(used!.address);
  await expect(row).toContainText("nightly/1.0");
  await settled(page);
  await expectAccessible(page, "the clients of a token");

  await row.getByRole("link", { name: "1", exact: true }).click();
  await expect(page.getByRole("combobox", { name: "Client" })).toHaveValue(`${used!.address} nightly/1.0`);
  const calls = page.getByRole("table", { name: "Usage logs" }).getByRole("row");
  await expect(calls).toHaveCount(2);
  await calls.last().click();
  const receipt = page.getByRole("dialog");
  await expect(receipt).toContainText(`Client${used!.address} nightly/1.0`);
  await settled(page);
  await expectAccessible(page, "the client of a request");
});
