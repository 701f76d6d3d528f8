import { ask, call } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import { settled, show } from "../kit/pages.ts";
import { enter, expect, test } from "../kit/test.ts";

test("the page of a token shows from where and with which program it was used", async ({ page, gateway, tenant }) => {
  const { value, id } = await ask(tenant.api.POST("/api/tokens", { body: { name: "nightly" } }));
  const headers = { "user-agent": "nightly/1.0" };
  expect((await call(gateway.relay, value, "echo-1", "Hello", { headers })).status).toBe(200);
  const clients = () => ask(tenant.api.GET("/api/tokens/{id}/clients", { params: { path: { id } } }));
  await expect.poll(async () => (await clients()).items.length, { timeout: 30_000 }).toBe(1);
  const [used] = (await clients()).items;

  await enter(page, gateway, tenant.owner);
  await show(page, { path: `/tokens/${id}`, title: "nightly" });
  const row = page.getByRole("table", { name: "Used from" }).getByRole("row").last();
  await expect(row).toContainText(used!.address);
  await expect(row).toContainText("nightly/1.0");
  await settled(page);
  await expectAccessible(page, "the clients of a token");
});
