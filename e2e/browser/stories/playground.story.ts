import type { Page } from "@playwright/test";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { type Api, ask } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { settled } from "../kit/pages.ts";
import { enter, expect, test as base } from "../kit/test.ts";
import { startCleverUpstream, startSlowUpstream, type Upstream } from "../kit/upstream.ts";

const test = base.extend<{ slow: Upstream; clever: Upstream }>({
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
});

// The page asks for the charge of a stopped answer until its usage log is there.
test.beforeEach(({ browserErrors }) => browserErrors.expect(/\/api\/usage-logs\/.* 404/));

const answer = (page: Page) => page.getByRole("article", { name: "Assistant" });
const message = (page: Page) => page.getByLabel("Your message");

/** Sends a message. */
async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await message(page).press("Enter");
}

/** Asks the model and waits for the first words of its answer. */
async function begin(page: Page, model: string): Promise<void> {
  await page.goto("/playground");
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("combobox", { name: "Model" }).fill(model);
  await page.getByRole("option", { name: model }).click();
  await say(page, "Tell me a story");
  await expect(answer(page)).toContainText("Once upon a time");
}

test("a stopped answer of the playground shows what was charged", async ({ page, gateway, tenant, slow }) => {
  await enter(page, gateway, tenant.owner);
  await begin(page, slow.model);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(answer(page)).toContainText("Stopped");
  await expect(answer(page)).toContainText("$0.25");
  await expect(
    page.getByRole("banner").or(page.locator("header")).filter({ hasText: "Playground" }).first(),
  ).toContainText("$0.25");
});

test("a reload during an answer asks first, and then keeps the answer and its charge", async ({
  page,
  gateway,
  tenant,
  slow,
}) => {
  await enter(page, gateway, tenant.owner);
  await begin(page, slow.model);
  const asked = page.waitForEvent("dialog");
  const reload = page.reload();
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.accept();
  await reload;
  await expect(answer(page)).toContainText("Once upon a time");
  await expect(answer(page)).toContainText("$0.25");
  await page.reload(); // without a call, nothing is asked: Playwright would wait for the answer
  await expect(answer(page)).toContainText("$0.25");
});

test("Esc stops two models that answer side by side, and each column shows its cost", async ({
  page,
  gateway,
  tenant,
  slow,
  clever,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto(`/playground?model=${slow.model}`);
  await expect(page.getByRole("combobox", { name: "Model", exact: true })).toHaveValue(slow.model);
  await expect(page).toHaveURL(/\/playground$/);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("combobox", { name: "Second model" }).click();
  await page.getByRole("combobox", { name: "Second model" }).fill(clever.model);
  await page.getByRole("option", { name: clever.model }).click();
  await say(page, "Tell me a story");
  const first = page.getByRole("region", { name: slow.model, exact: true });
  const second = page.getByRole("region", { name: clever.model, exact: true });
  await expect(first).toContainText("Once upon a time");
  await expect(second).toContainText("Run this:");
  await expect(second.locator("dl")).toContainText("$0.25");
  await page.keyboard.press("Escape");
  await expect(first).toContainText("Stopped");
  await expect(first.locator("dl")).toContainText("$0.25");
  await expectAccessible(page, "two columns");
  await page.setViewportSize({ width: 360, height: 740 });
  await settled(page);
  await expectNoHorizontalScroll(page, "two columns on a phone");
  await expect(second).toBeHidden();
});

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("an image is sent, a file that is too large is named, and the copied code sends the same", async ({
  page,
  gateway,
  tenant,
  clever,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto(`/playground?model=${clever.model}`);
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add images or files" }).click();
  await (
    await chosen
  ).setFiles([
    { name: "dot.png", mimeType: "image/png", buffer: dot },
    { name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(4 << 20) },
  ]);
  await expect(page.getByText("huge.png is too large")).toBeVisible();
  await say(page, "What's `this`? $HOME");
  await expect(answer(page)).toContainText("I see 1 image.");
  const sent = clever.bodies[0]?.["messages"];
  expect(sent).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "What's `this`? $HOME" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${dot.toString("base64")}` } },
      ],
    },
  ]);
  await page.reload();
  await expect(page.getByRole("img", { name: "dot.png" })).toBeVisible();

  await answer(page).hover();
  await answer(page).getByRole("button", { name: "Delete" }).click();
  const { value } = await createToken(tenant);
  const folder = test.info().outputPath("code");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "dot.png"), dot);
  for (const [language, file, command] of [
    ["curl", "call.sh", "sh"],
    ["Node", "call.mjs", process.execPath],
  ] as const) {
    await writeFile(join(folder, file), await codeOf(page, language));
    const { stdout } = await promisify(execFile)(command, [file], {
      cwd: folder,
      env: { ...process.env, TOLLGATE_TOKEN: value },
    });
    expect(stdout, language).toContain("I see 1 image.");
    expect(clever.bodies.at(-1)?.["messages"], language).toEqual(sent);
  }
});

test("a recording is sent, and refused for a model that reads no audio", async ({
  page,
  gateway,
  tenant,
  operator,
  clever,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto(`/playground?model=${clever.model}`);
  const pick = async () => {
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add images or files" }).click();
    await (await chosen).setFiles({ name: "hi.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF") });
  };
  await pick();
  await expectAccessible(page, "a message with a recording");
  await say(page, "What do you hear?");
  await expect(answer(page)).toContainText("Run this:");
  expect(clever.bodies[0]?.["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "What do you hear?" },
        { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      ],
    },
  ]);

  await ask(
    operator.PATCH("/api/operator/models/{id}", {
      params: { path: { id: clever.model } },
      body: { modalities: { input: ["text", "image"], output: ["text"] } },
    }),
  );
  await page.reload();
  await pick();
  await expect(page.getByText(`hi.wav can't be sent: ${clever.model} doesn't read audio.`)).toBeVisible();
});

const createToken = (tenant: { api: Api }) => ask(tenant.api.POST("/api/tokens", { body: { name: "code" } }));

/** Returns the code that the playground shows for a language. */
async function codeOf(page: Page, language: string): Promise<string> {
  await page.getByRole("button", { name: "View code" }).click();
  const dialog = page.getByRole("dialog", { name: "View code" });
  await dialog.getByRole("tab", { name: language }).click();
  const code = await dialog.getByLabel(`${language} code`, { exact: true }).textContent();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  return code ?? "";
}

test("reasoning, JSON and code are shown, a function's result is edited, and the history keeps it all", async ({
  page,
  gateway,
  tenant,
  clever,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto(`/playground?model=${clever.model}`);
  await say(page, "Write code");
  await expect(answer(page).locator(".hljs-keyword")).toHaveText("func");
  await answer(page).getByText("Reasoning", { exact: true }).click();
  await expect(answer(page)).toContainText("Let me think.");

  await page.getByRole("combobox", { name: "Response format" }).click();
  await page.getByRole("option", { name: "JSON Schema" }).click();
  await expect(page.getByText("The schema of the answer is invalid.")).toBeVisible();
  await page.getByRole("button", { name: "Insert an example" }).first().click();
  await say(page, "As JSON");
  await expect(page.getByLabel("JSON answer", { exact: true })).toContainText('"title": "Gateways"');

  await page.getByRole("button", { name: "Insert an example" }).click();
  await say(page, "Weather?");
  await expect(page.getByLabel("Arguments of get_weather", { exact: true })).toContainText('"city": "Bonn"');
  await page.getByRole("textbox", { name: "Result of get_weather" }).fill("rain");
  await page.getByRole("button", { name: "Send results" }).click();
  await expect(page.getByText("The function says rain.", { exact: true })).toBeVisible();
  const result = page.getByRole("article", { name: "Result of get_weather" });
  await result.hover();
  await result.getByRole("button", { name: "Edit" }).click();
  await result.getByLabel("Message text").fill("sun");
  await result.getByRole("button", { name: "Save and ask again" }).click();
  await expect(page.getByText("The function says sun.", { exact: true })).toBeVisible();
  await expectAccessible(page, "a conversation");

  await page.getByRole("button", { name: "New conversation" }).click();
  await expect(answer(page)).toHaveCount(0);
  await page.reload();
  await page.getByRole("button", { name: "History" }).click();
  await page
    .getByRole("dialog", { name: "History" })
    .getByRole("button", { name: /^Write code/ })
    .click();
  await expect(page.getByText("The function says sun.", { exact: true })).toBeVisible();
});

test("a link shares the settings without messages, and a damaged one says so", async ({
  page,
  gateway,
  tenant,
  clever,
}) => {
  await enter(page, gateway, tenant.owner);
  await page.goto(`/playground?model=${clever.model}`);
  await page.getByLabel("System prompt").fill("Be brief.");
  await say(page, "A secret");
  await expect(answer(page)).toContainText("Run this:");
  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.getByLabel("Link to the settings").inputValue();
  await page.keyboard.press("Escape");
  expect(Buffer.from(new URL(link).hash.split("=")[1] ?? "", "base64url").toString()).not.toContain("secret");

  await page.evaluate(() => sessionStorage.clear());
  await page.goto("/models");
  await page.goto(link);
  await expect(page.getByText("These are the settings of the link.")).toBeVisible();
  await expect(page.getByLabel("System prompt")).toHaveValue("Be brief.");
  await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue(clever.model);
  await expect(answer(page)).toHaveCount(0);
  await page.goto("/models");
  await page.goto("/playground#settings=abc");
  await expect(page.getByText("The link is incomplete or damaged.")).toBeVisible();
});
