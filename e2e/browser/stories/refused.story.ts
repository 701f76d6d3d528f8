import { ask, call } from "../kit/api.ts";
import { expectAccessible } from "../kit/axe.ts";
import { settled, show } from "../kit/pages.ts";
import { enter, expect, heading, test } from "../kit/test.ts";

test("a refused request is found with its reason, by the list and by its id", async ({
  page,
  gateway,
  tenant,
  browserErrors,
}) => {
  browserErrors.expect(/\/api\/usage-logs\/.* 404 /); // a refused request has no usage log
  const { value, id } = await ask(tenant.api.POST("/api/tokens", { body: { name: "nightly" } }));
  const unknown = await call(gateway.relay, value, "gpt-99");
  expect(unknown.status).toBe(404);
  await ask(tenant.api.PATCH("/api/tokens/{id}", { params: { path: { id } }, body: { status: "disabled" } }));
  await expect.poll(async () => (await call(gateway.relay, value, "echo-1")).status).toBe(401);
  await expect
    .poll(async () => (await ask(tenant.api.GET("/api/refused-call-totals"))).reasons.map(({ code }) => code).sort())
    .toEqual(["invalid_api_key", "model_not_found"]);

  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/usage-logs?show=refused", title: "Usage logs" });
  const list = page.getByRole("table", { name: "Refused requests" });
  await expect(list.getByRole("row", { name: /Model unknown or not allowed/ })).toContainText("gpt-99");
  await expect(list.getByRole("row", { name: /Token disabled, expired or revoked/ }).first()).toContainText("nightly");
  await settled(page);
  await expectAccessible(page, "refused requests");
  await page.getByRole("button", { name: /^Model unknown or not allowed 1$/ }).click();
  await expect(list.getByRole("row", { name: /Token disabled/ })).toHaveCount(0);

  await page.goto(`${gateway.console}/usage-logs?request=${unknown.id}`);
  await list.getByRole("row", { name: /Model unknown or not allowed/ }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer).toContainText("The request was refused before it reached a model. Nothing was charged.");
  await expect(drawer).toContainText("gpt-99");
  await settled(page);
  await expectAccessible(page, "a refused request");
});

test("the token of a leaked value is found, and the value is in no address", async ({ page, gateway, tenant }) => {
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "leaked" } }));
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  await enter(page, gateway, tenant.owner);
  await show(page, { path: "/tokens", title: "Tokens" });
  await page.getByRole("textbox", { name: "Search by name or ID" }).fill(value);
  const dialog = page.getByRole("dialog", { name: "Find a leaked token" });
  await expect(dialog).toBeVisible();
  await settled(page);
  await expectAccessible(page, "find a leaked token");
  await expect(page.getByPlaceholder("Search by name or ID")).toHaveValue("");
  await dialog.getByRole("button", { name: "Find token" }).click();
  await expect(heading(page, "leaked")).toBeVisible();

  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: /^Search pages/ }).fill(value);
  await expect(page.getByRole("dialog").getByText("leaked")).toBeVisible();
  expect(addresses.filter((address) => address.includes(value))).toEqual([]);
  expect(page.url()).not.toContain(value);
});
