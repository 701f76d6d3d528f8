import { operatorPages } from "../kit/pages.ts";
import { addMember, enter, expect, fillSignIn, heading, makeTenant, test } from "../kit/test.ts";

test("a member cannot open the operator's pages", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, await addMember(tenant));
  await page.goto("/");
  const navigation = page.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link", { name: "Tokens" })).toBeVisible();
  await expect(navigation.getByRole("link", { name: /Tenants|Users|Channels|Members|Audit log|System/ })).toHaveCount(
    0,
  );
  const none = "00000000-0000-7000-8000-000000000000";
  const places = operatorPages({
    tenant: none,
    channel: none,
    model: "echo-1",
    group: none,
    token: none,
    account: none,
  }).filter(({ path }) => path.startsWith("/operator/"));
  await page.goto("/audit-log");
  await expect(page.getByText("Only admins and owners can see the audit log")).toBeVisible();
  for (const { path } of places) {
    await page.goto(path);
    await expect(heading(page, "Overview"), path).toBeVisible();
  }
});

test("a link leads to its page after the sign-in", async ({ page, tenant }) => {
  await page.goto("/usage-logs?outcome=failed&span=7d");
  await expect(heading(page, "Sign in")).toBeVisible();
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Usage logs")).toBeVisible();
  await expect(page).toHaveURL(/\/usage-logs\?.*outcome=failed/);
  await expect(page.getByRole("combobox", { name: "Status" })).toHaveValue("Failed");
});

test("the sign-in never redirects to another host", async ({ page, gateway, tenant, browserErrors }) => {
  browserErrors.expect(/\/api\/.* 401/); // calls in flight when the cookies are cleared
  for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example"]) {
    // Leave the overview first: without cookies it goes to the sign-in by itself, which would abort the goto below.
    await page.goto("about:blank");
    await page.context().clearCookies(); // not at the end: closing a context while its page navigates can hang
    await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
    await fillSignIn(page, tenant.owner);
    await expect(heading(page, "Overview")).toBeVisible();
    expect(new URL(page.url()).origin).toBe(gateway.console);
  }
});

test("a wrong password shows an error message", async ({ page, tenant, browserErrors }) => {
  browserErrors.expect(/\/api\/session\b.* 401/);
  await page.goto("/sign-in");
  await fillSignIn(page, { ...tenant.owner, password: "not the password" });
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(heading(page, "Sign in")).toBeVisible();
});

test("signing out ends the session on the server", async ({ page, gateway, tenant, browserErrors }) => {
  browserErrors.expect(/\/api\/session\b.* 401/);
  await enter(page, gateway, tenant.owner);
  await page.goto("/tokens");
  await expect(heading(page, "Tokens")).toBeVisible();
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(heading(page, "Sign in")).toBeVisible();
  await page.context().addCookies(cookies); // the old session's cookie must not work
  await page.goto("/tokens");
  await expect(heading(page, "Sign in")).toBeVisible();
});

test("another tenant's token looks like one that does not exist", async ({
  page,
  gateway,
  operator,
  tenant,
  browserErrors,
}) => {
  browserErrors.expect(/\/api\/tokens\/.* 404/);
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
  await expect(page.getByText("Page not found")).toBeVisible();
});
