import type { Page } from "@playwright/test";

import { ask, call } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll, expectReadableColors } from "../kit/axe.ts";
import { settled, speak } from "../kit/pages.ts";
import { enter, expect, test as base } from "../kit/test.ts";
import { frame, startCleverUpstream, startSlowUpstream, startUpstream, type Upstream } from "../kit/upstream.ts";

const test = base.extend<{ slow: Upstream; clever: Upstream; broken: Upstream }>({
  slow: async ({ operator }, use) => {
    const slow = await startSlowUpstream(operator);
    await use(slow);
    await slow.close();
  },
  clever: async ({ operator }, use) => {
    const clever = await startCleverUpstream(operator);
    await use(clever);
    await clever.close();
  },
  broken: async ({ operator }, use) => {
    const broken = await startUpstream(operator, "broken", (response) => {
      response.write(frame({ role: "assistant", content: "Half of" }));
      response.end(`data: {"error":{"message":"The GPU with the key sk-upstream is on fire"}}\n\n`);
    });
    await use(broken);
    await broken.close();
  },
});

const answers = (page: Page) => page.getByRole("article", { name: "Assistant" });

/** Sends a message. */
async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Your message").fill(text);
  await page.getByLabel("Your message").press("Enter");
}

test("an operator talks to a model of a channel, which the pages of both lead to", async ({
  page,
  gateway,
  operator,
  clever,
}) => {
  const { items } = await ask(operator.GET("/api/operator/channels", { params: { query: { complete: true } } }));
  const channel = items.find(({ name }) => name === clever.model);
  await ask(
    operator.PATCH("/api/operator/channels/{id}", {
      params: { path: { id: channel?.id ?? "" } },
      body: { status: "disabled" },
    }),
  );
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/channels/${channel?.id}`);
  await page.getByRole("link", { name: "Try" }).click();
  await expect(page).toHaveURL(new RegExp(`/operator/playground\\?channel=${channel?.id}$`));
  await expect(page.getByRole("combobox", { name: "Channel" })).toHaveValue(`${clever.model} (disabled)`);
  await expect(page.getByText("Not billed to a tenant. Your provider charges for it.").first()).toBeVisible();
  await page.getByRole("textbox", { name: "System prompt" }).fill("Be brief");
  await page.getByRole("textbox", { name: "Max output tokens" }).fill("50");
  await say(page, "Show me code");
  await expect(answers(page)).toContainText('println("hello")');
  for (const part of ["Let me think.", clever.model, "status 200", "price $0.25", "12 in", "8 out", "first token"])
    await expect(answers(page)).toContainText(part);
  await say(page, "Again");
  await expect(answers(page)).toHaveCount(2);
  expect(clever.bodies.at(-1)).toMatchObject({
    model: "upstream",
    max_completion_tokens: 50,
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "Show me code" },
      { role: "assistant" },
      { role: "user", content: "Again" },
    ],
  });
  const { id } = await call(gateway.relay, gateway.token, "echo-flat"); // recorded after all that came before
  await expect
    .poll(async () => (await operator.GET("/api/usage-logs/{id}", { params: { path: { id } } })).response.status)
    .toBe(200);
  const logs = await ask(operator.GET("/api/usage-logs", { params: { query: { model: clever.model } } }));
  expect(logs.items, "no usage log").toHaveLength(0);

  await page.setViewportSize({ width: 1280, height: 860 });
  await settled(page);
  await expectAccessible(page, "a conversation on a channel");
  await page.setViewportSize({ width: 360, height: 780 });
  await settled(page);
  await expectNoHorizontalScroll(page, "a conversation on a channel, phone");
  await speak(page, "zh-Hans");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-Hans");
  await expect(page.getByRole("article")).toHaveCount(4); // a reload keeps the conversation
  await settled(page);
  await expectNoHorizontalScroll(page, "a conversation on a channel, Chinese, phone");
  await page.setViewportSize({ width: 1280, height: 860 });
  await settled(page);
  await expectReadableColors(page, "a conversation on a channel, Chinese, dark");
  await speak(page, "en");

  await page.goto(`/operator/models/${clever.model}`);
  await page.getByRole("link", { name: "Try" }).click();
  await expect(page).toHaveURL(/\/operator\/playground\?channel=/);
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue(clever.model);
});

test("errors of the upstream are shown without the credential, and Esc ends the call", async ({
  page,
  gateway,
  broken,
  slow,
}) => {
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/playground?model=${broken.model}`);
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue(broken.model);
  await say(page, "Hello");
  await expect(answers(page)).toContainText("Half of");
  const alert = answers(page).getByRole("alert");
  await expect(alert).toContainText("The channel did not answer: Upstream error");
  await expect(alert).toContainText("is on fire");
  await expect(alert).not.toContainText("sk-upstream");
  await settled(page);
  await expectAccessible(page, "an error of the upstream");

  await page.goto(`/operator/playground?model=${slow.model}`);
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue(slow.model);
  await page.getByRole("button", { name: "New conversation" }).click();
  await say(page, "Tell me a story");
  await expect(page.getByRole("article", { name: "Assistant, answering" })).toContainText("Once upon a time");
  await page.keyboard.press("Escape");
  await expect(answers(page)).toContainText("Stopped");
  await expect(answers(page)).not.toContainText("charged");
});

test("the playground of operators is closed to tenants", async ({ page, gateway, tenant }) => {
  await enter(page, gateway, tenant.owner);
  await page.goto("/operator/playground");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});
