import { enter, expect, fillSignIn, heading, test } from "../kit/test.ts";

const chinese = "zh-Hans";

test.describe("in a browser that prefers Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("the sign-in is seen before its code has loaded, unless the user has chosen another language", async ({
    page,
  }) => {
    await page.route(/\/assets\/.*\.js$/, () => undefined); // never answered
    await page.goto("/sign-in", { waitUntil: "commit" });
    const email = page.locator("input[type=email]");
    await expect(page.getByText("进入模型网关控制台")).toBeVisible();
    await expect(email).toBeVisible();
    await expect(email).toBeDisabled();

    await page.evaluate(() => localStorage.setItem("tollgate-locale", "en"));
    await page.goto("/sign-in", { waitUntil: "commit" });
    await expect(email).toHaveCount(1);
    await expect(email).toBeHidden();
  });

  test("the console is in Chinese from the first paint, until the user chooses English", async ({
    page,
    gateway,
    tenant,
  }) => {
    const seen: string[] = [];
    await page.exposeFunction("saw", (text: string) => seen.push(text));
    await page.addInitScript(() => {
      const saw = (window as unknown as { saw: (text: string) => void }).saw;
      new MutationObserver(() => saw(document.getElementById("root")?.innerText ?? "")).observe(document, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    });
    await page.goto("/sign-in");
    await expect(heading(page, "登录")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", chinese);
    expect(seen.filter((text) => text.includes("Sign in"))).toEqual([]);

    await page.getByLabel("邮箱").fill(tenant.owner.email);
    await page.getByLabel("密码", { exact: true }).fill(tenant.owner.password);
    await page.getByRole("button", { name: "登录", exact: true }).click();
    const navigation = page.getByRole("navigation", { name: "主导航" });
    await expect(navigation.getByRole("link", { name: "令牌" })).toBeVisible();

    await page.getByRole("button", { name: /^账户：/ }).click();
    await page.getByText("English", { exact: true }).click();
    await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tokens" })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    await page.reload();
    await expect(heading(page, "Overview")).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
  });
});

test("the sign-in page changes its language and keeps the choice", async ({ page, tenant }) => {
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "简体中文" }).click();
  await expect(heading(page, "登录")).toBeVisible();
  await page.reload();
  await expect(heading(page, "登录")).toBeVisible();
  await page.getByRole("button", { name: "English" }).click();
  await fillSignIn(page, tenant.owner);
  await expect(heading(page, "Overview")).toBeVisible();
});

test("an unknown page says so in Chinese", async ({ page, gateway, tenant }) => {
  await page.addInitScript((tag) => localStorage.setItem("tollgate-locale", tag), chinese);
  await enter(page, gateway, tenant.owner);
  await page.goto("/nothing/at/all");
  await expect(page.getByText("页面不存在")).toBeVisible();
});
