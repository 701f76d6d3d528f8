import { operatorPlaces } from "../kit/pages.ts";
import { addMember, enter, expect, fillSignIn, heading, makeTenant, test } from "../kit/test.ts";

test("a member finds none of the operator's pages", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, await addMember(tenant));
  await page.goto("/");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link", { name: "Tokens" })).toBeVisible();
  await expect(navigation.getByRole("link", { name: /Tenants|Users|Channels|Members|Audit log|System/ })).toHaveCount(0);
  const none = "00000000-0000-7000-8000-000000000000";
  const places = operatorPlaces({ tenant: none, channel: none, model: "echo-1", group: none, token: none }).filter(({ path }) => path.startsWith("/operator/"));
  for (const { path } of places) {
    await page.goto(path);
    await expect(heading(page, "Overview"), path).toBeVisible();
  }
});

test("who follows a link signs in and gets there", async ({ page, tenant }) => {
  await page.goto("/usage-logs?outcome=failed&span=7d");
  await expect(heading(page, "Sign in")).toBeVisible();
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Usage logs")).toBeVisible();
  await expect(page).toHaveURL(/\/usage-logs\?.*outcome=failed/);
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("Failed");
});

test("the sign-in leads to no other host", async ({ page, gateway, tenant, complaints }) => {
  complaints.expect(/\/api\/.* 401/); // what is under way when the cookies are taken away
  for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example"]) {
    await page.context().clearCookies(); // not at the end: a context that closes while its page navigates can hang
    await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
    await fillSignIn(page, tenant.owner);
    await expect(heading(page, "Overview")).toBeVisible();
    expect(new URL(page.url()).origin).toBe(gateway.console);
  }
});

test("a wrong password is refused in words", async ({ page, tenant, complaints }) => {
  complaints.expect(/\/api\/session\b.* 401/);
  await page.goto("/sign-in");
  await fillSignIn(page, { ...tenant.owner, password: "not the password" });
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(heading(page, "Sign in")).toBeVisible();
});

test("signing out ends the session", async ({ page, gateway, tenant, complaints }) => {
  complaints.expect(/\/api\/session\b.* 401/);
  await enter(page, gateway, tenant.owner);
  await page.goto("/tokens");
  await expect(heading(page, "Tokens")).toBeVisible();
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(heading(page, "Sign in")).toBeVisible();
  await page.context().addCookies(cookies); // the cookie of before opens nothing
  await page.goto("/tokens");
  await expect(heading(page, "Sign in")).toBeVisible();
});

test("what is not there, or is another tenant's, reads the same", async ({ page, gateway, operator, tenant, complaints }) => {
  complaints.expect(/\/api\/tokens\/.* 404/);
  const other = await makeTenant(gateway, operator);
  const { data } = await other.api.POST("/api/tokens", { body: { name: "theirs" } });
  await enter(page, gateway, tenant.owner);
  const words: string[] = [];
  for (const id of [data?.id ?? "", "00000000-0000-7000-8000-000000000000"]) {
    await page.goto(`/tokens/${id}`);
    await expect(page.getByRole("alert")).toBeVisible();
    words.push(await page.getByRole("main").innerText());
  }
  expect(words[0]).toBe(words[1]);
  await page.goto("/no/such/page");
  await expect(page.getByText("There is nothing here")).toBeVisible();
});
