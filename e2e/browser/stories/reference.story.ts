import type { Page } from "@playwright/test";

import { ask } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { startGateway } from "../kit/gateway.ts";
import { settled, waitForLogs } from "../kit/pages.ts";
import { enter, expect, heading, test } from "../kit/test.ts";

declare global {
  interface Window {
    /** What the content security policy has refused. */
    refused: string[];
  }
}

/** Collects what the content security policy refuses, and the origins of all requests. */
async function watch(page: Page): Promise<{ origins: Set<string>; refused: () => Promise<string[]> }> {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  await page.addInitScript(() => {
    window.refused = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      window.refused.push(`${effectiveDirective} ${blockedURI}`),
    );
  });
  return { origins, refused: () => page.evaluate(() => window.refused) };
}

/** Enters a token and waits until the page knows the token's models. */
async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByLabel("API token").fill(token);
  await page.getByLabel("API token").press("Enter");
  await expect(page.getByLabel("Model", { exact: true })).toBeVisible();
}

const body = (page: Page) => page.getByRole("textbox", { name: "Body", exact: true });

test("a reader calls a model from the API reference, and the call is in the usage logs", async ({
  page,
  gateway,
  tenant,
}) => {
  const { value } = await ask(tenant.api.POST("/api/tokens", { body: { name: "reader" } }));
  const { origins, refused } = await watch(page);
  await page.goto("/reference");
  await expect(heading(page, "API reference")).toBeVisible();
  await page
    .getByRole("navigation", { name: "Operations" })
    .getByRole("link", { name: "Create a chat completion" })
    .click();
  await expect(heading(page, "Create a chat completion")).toBeVisible();
  await enterToken(page, value);
  await page.getByLabel("Model", { exact: true }).selectOption("echo-1");
  await body(page).fill(
    JSON.stringify({ model: "echo-1", messages: [{ role: "user", content: "A call from the reference" }] }),
  );
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByRole("status").filter({ hasText: "200" })).toBeVisible();
  await expect(page.getByLabel("Response", { exact: true })).toContainText("A call from the reference");
  await page.getByRole("button", { name: /^Headers/ }).click();
  await expect(page.getByLabel("Response headers", { exact: true })).toContainText("x-request-id");
  await settled(page);
  await expectAccessible(page, "the reference with an answer");
  await page.setViewportSize({ width: 360, height: 800 });
  await settled(page);
  await expectNoHorizontalScroll(page, "the reference with an answer");
  await waitForLogs(tenant.api, 1);
  const logs = await ask(tenant.api.GET("/api/usage-logs", { params: { query: { limit: 10 } } }));
  expect(logs.items.map(({ model, status }) => ({ model, status }))).toEqual([{ model: "echo-1", status: 200 }]);
  expect([...origins].toSorted()).toEqual([gateway.console, new URL(gateway.relay).origin].toSorted());
  expect(await refused(), "refused by the content security policy").toEqual([]);
});

test("the reference streams an answer, and keeps the token until a reload only", async ({ page, gateway }) => {
  const { refused } = await watch(page);
  await page.goto("/reference/createResponse");
  await enterToken(page, gateway.token);
  await expect(async () => {
    const { data } = (await (
      await fetch(`${gateway.relay}/models`, { headers: { Authorization: `Bearer ${gateway.token}` } })
    ).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain((JSON.parse(await body(page).inputValue()) as { model: string }).model);
  }, "an example with a model that the token can use").toPass();
  await body(page).fill(JSON.stringify({ model: "echo-1", input: "A stream to the reference", stream: true }));
  await page.getByRole("button", { name: "Send request" }).click();
  await expect(page.getByLabel("Response", { exact: true })).toContainText("response.completed");
  expect(await refused(), "refused by the content security policy").toEqual([]);
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
  ).not.toContain(gateway.token);
  await page.getByRole("navigation", { name: "Operations" }).getByRole("link", { name: "List models" }).click();
  await expect(page.getByLabel("API token")).toHaveValue(gateway.token);
  await page.reload();
  await expect(page.getByLabel("API token")).toHaveValue("");
});

test("the reference says why a call fails", async ({ page, browserErrors }) => {
  browserErrors.expect(/\/v1\/models: .* 401 /);
  await page.goto("/reference/createChatCompletion");
  await page.getByLabel("API token").fill("nobody");
  await page.getByLabel("API token").press("Enter");
  await expect(page.getByText("The relay does not know this token.")).toBeVisible();
  await body(page).fill("{");
  await expect(page.getByText("This is not valid JSON.")).toBeVisible();
});

test("the reference says that the relay does not permit its calls", async ({ page, browserErrors }) => {
  browserErrors.expect(/./); // the browser reports each refused call
  const gateway = await startGateway({ TOLLGATE_CORS_ORIGINS: "https://app.example.com" });
  try {
    await page.goto(`${gateway.console}/reference/listModels`);
    await page.getByLabel("API token").fill(gateway.token);
    await page.getByRole("button", { name: "Send request" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "TOLLGATE_CORS_ORIGINS" })).toBeVisible();
  } finally {
    await gateway.close();
  }
});

test("the reference shows the relay's own document", async ({ gateway, request }) => {
  const url = `${gateway.console}/reference/openapi.json`;
  const [shown, served] = await Promise.all([request.get(url), request.get(`${gateway.relay}/openapi.json`)]);
  expect(await shown.json()).toEqual(await served.json());
  const etag = shown.headers()["etag"] ?? "";
  expect(etag).not.toBe("");
  expect((await request.get(url, { headers: { "if-none-match": etag } })).status()).toBe(304);
});

test("the navigation leads to the reference and back, with the policy of each page", async ({
  page,
  gateway,
  tenant,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/tokens");
  const calls = () =>
    page.evaluate(
      (url) =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      `${gateway.relay}/openapi.json`,
    );
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API reference" }).click();
  await expect(heading(page, "API reference")).toBeVisible();
  expect(await calls(), "a call of the relay from the reference").toBe(200);
  await page.getByRole("link", { name: "Console", exact: true }).click();
  await expect(heading(page, "Overview")).toBeVisible();
  const policy = (await page.request.get("/")).headers()["content-security-policy"];
  expect(policy, "the policy of the other pages").toContain("connect-src 'self';");
});
