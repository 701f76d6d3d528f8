import type { Page } from "@playwright/test";

import { addChannel, type Api, ask } from "../kit/api.ts";
import { expectAccessible, expectNoHorizontalScroll } from "../kit/axe.ts";
import { settled, show, speak } from "../kit/pages.ts";
import { enter, expect, heading, test, unique } from "../kit/test.ts";

const stored = async (operator: Api, id: string) =>
  ask(operator.GET("/api/operator/channels/{id}", { params: { path: { id } } }));

const checkbox = (page: Page, name: string) => page.getByRole("checkbox", { name, exact: true });

test("several channels are tested, weighed and disabled at once", async ({ page, gateway, operator }) => {
  const word = unique("bulk");
  const names = [`${word} a`, `${word} b`, `${word} c`];
  const [a, b, c] = [
    await addChannel(operator, `${word} a`, word),
    await addChannel(operator, `${word} b`, word),
    await addChannel(operator, `${word} c`, word, "http://127.0.0.1:1/v1"), // nothing listens there
  ];
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/channels?search=${word}`);
  const bar = page.getByRole("region", { name: "Selection" });
  await checkbox(page, `Select ${names[0]}`).check();
  await expect(bar).toContainText("1 channel selected");
  await page.keyboard.press("Escape");
  await expect(bar).toBeHidden();

  // A range with Shift, then all, although the first click was on the first row.
  await checkbox(page, `Select ${names[0]}`).click();
  await checkbox(page, `Select ${names[2]}`).click({ modifiers: ["Shift"] });
  await expect(bar).toContainText("3 channels selected");
  await settled(page);
  await expectAccessible(page, "selected channels");

  await bar.getByRole("button", { name: "Test" }).click();
  const dialog = page.getByRole("dialog", { name: "Test 3 channels" });
  await dialog.getByRole("button", { name: "Run the test" }).click();
  await expect(dialog.getByRole("status")).toContainText("1 channel failed.");
  await expect(dialog.getByRole("listitem").filter({ hasText: names[0] ?? "" })).toContainText("Works");
  await expect(dialog.getByRole("listitem").filter({ hasText: names[2] ?? "" })).toContainText("Connection failed");
  await settled(page);
  await expectAccessible(page, "the results of a test of several channels");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(bar).toContainText("1 channel selected"); // the one that failed

  // A filter hides it, and the bar says so.
  await page.getByRole("textbox", { name: "Search channels" }).fill(`${word} a`);
  await expect(bar).toContainText("1 of them is hidden by the filters");
  await page.getByRole("textbox", { name: "Search channels" }).fill(word);
  await expect(checkbox(page, `Select ${names[1]}`)).toBeVisible();
  await page.getByRole("checkbox", { name: /^Select all 3 channels/ }).click();
  await expect(bar).toContainText("3 channels selected");

  await bar.getByRole("button", { name: "Set priority and weight" }).click();
  const weigh = page.getByRole("dialog", { name: "Set priority and weight of 3 channels" });
  await weigh.getByLabel("Weight").fill("7");
  await weigh.getByRole("button", { name: "Save changes" }).click();
  await expect(weigh.getByRole("status")).toHaveText("All 3 channels succeeded");
  await weigh.getByRole("button", { name: "Close" }).last().click();
  await expect(bar).toBeHidden();
  await expect(page.getByRole("checkbox", { name: /^Select all 3 channels/ })).toBeFocused();
  for (const { id } of [a, b, c]) expect(await stored(operator, id)).toMatchObject({ weight: 7, priority: 0 });

  // Disabling all of them makes the model unavailable.
  await page.getByRole("checkbox", { name: /^Select all 3 channels/ }).click();
  await bar.getByRole("button", { name: "Disable" }).click();
  const disable = page.getByRole("dialog", { name: "Disable 3 channels" });
  await expect(disable.getByRole("alert")).toContainText("1 model becomes unavailable");
  await expect(disable.getByRole("alert")).toContainText(word);
  await settled(page);
  await expectAccessible(page, "the question before channels are disabled");
  await disable.getByRole("button", { name: "Disable" }).click();
  await expect(disable.getByRole("status")).toHaveText("All 3 channels succeeded");
  await disable.getByRole("button", { name: "Close" }).last().click();
  for (const { id } of [a, b, c]) expect((await stored(operator, id)).status).toBe("disabled");
});

test("leaving a page in the middle of a test of several channels asks", async ({ page, gateway, operator }) => {
  const word = unique("leave");
  await addChannel(operator, word, word);
  await enter(page, gateway, gateway.operator);
  await page.goto("/");
  await page.goto(`/operator/channels?search=${word}`);
  await page.route("**/api/operator/channels/*/test", async () => {}); // it never ends
  await checkbox(page, `Select ${word}`).check();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Test" }).click();
  const dialog = page.getByRole("dialog", { name: "Test 1 channel" });
  await dialog.getByRole("button", { name: "Run the test" }).click();
  await expect(dialog.getByText("0 of 1 done")).toBeVisible();
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Stop now?" });
  await question.getByRole("button", { name: "Continue" }).click();
  await expect(question).toBeHidden();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Stop" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("region", { name: "Selection" })).toContainText("1 channel selected");
});

test("channels get tags, one by one and together, and are found by them", async ({ page, gateway, operator }) => {
  const word = unique("tags");
  const [a, b] = [await addChannel(operator, `${word} a`, word), await addChannel(operator, `${word} b`, word)];
  await enter(page, gateway, gateway.operator);
  await page.goto(`/operator/channels/${a.id}`);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const form = page.getByRole("dialog", { name: `Edit ${word} a` });
  await form.getByLabel("Tags").first().fill(`${word} eu`);
  await page.keyboard.press("Enter");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form).toBeHidden();
  await expect(page.getByText(`${word} eu`)).toBeVisible();
  expect((await stored(operator, a.id)).tags).toEqual([`${word} eu`]);

  await page.goto(`/operator/channels?search=${word}`);
  await page.getByRole("checkbox", { name: "Select all 2 channels" }).click();
  await page.getByRole("region", { name: "Selection" }).getByRole("button", { name: "Edit tags" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit the tags of 2 channels" });
  await dialog.getByLabel("Add tags").first().fill(`${word} paid`);
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Remove tags").first().click();
  await page.getByRole("option", { name: `${word} eu` }).click();
  await settled(page);
  await expectAccessible(page, "the tags of several channels");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(dialog.getByRole("status")).toHaveText("All 2 channels succeeded");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  for (const { id } of [a, b]) expect((await stored(operator, id)).tags).toEqual([`${word} paid`]);

  await ask(operator.PATCH("/api/operator/channels/{id}", { params: { path: { id: b.id } }, body: { tags: [] } }));
  await page.goto(`/operator/channels?search=${word}`);
  await page.getByRole("combobox", { name: "Tag", exact: true }).fill(`${word} paid`);
  await page.getByRole("option", { name: `${word} paid` }).click();
  await expect(page.getByRole("row").filter({ hasText: `${word} a` })).toContainText(`${word} paid`);
  await expect(page.getByRole("row").filter({ hasText: `${word} b` })).toHaveCount(0);
  await expect(page).toHaveURL(/tag=/);
  await settled(page);
  await expectAccessible(page, "channels with a tag");
});

test("the overview names a model without a healthy channel, in both languages", async ({ page, gateway, operator }) => {
  const model = unique("unserved");
  await ask(
    operator.POST("/api/operator/models", {
      body: { id: model, owned_by: "x", free: true, status: "enabled", routing: "weighted", price: {} },
    }),
  );
  const { id } = await addChannel(operator, model, model);
  const set = async (status: "enabled" | "disabled") =>
    ask(operator.PATCH("/api/operator/channels/{id}", { params: { path: { id } }, body: { status } }));
  await enter(page, gateway, gateway.operator);
  await show(page, { path: "/", title: "Overview" });
  await expect(page.getByText(model)).toHaveCount(0);

  await set("disabled");
  await show(page, { path: "/", title: "Overview" });
  const item = page.getByRole("listitem").filter({ hasText: model });
  await expect(item).toContainText("All its channels are disabled.");
  await expectAccessible(page, "the overview with a model without a healthy channel");
  await speak(page, "zh-Hans");
  try {
    await page.setViewportSize({ width: 360, height: 780 });
    await show(page, { path: "/", title: "概览" });
    await expect(item).toContainText("它的所有渠道都已禁用。");
    await expectNoHorizontalScroll(page, "the overview with a model without a healthy channel");
    await expectAccessible(page, "the overview with a model without a healthy channel, in Chinese");
  } finally {
    await speak(page, "en");
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await show(page, { path: "/", title: "Overview" });
  await item.getByRole("link", { name: model, exact: true }).click();
  await expect(heading(page, model)).toBeVisible();
  await page.goBack();
  await item.getByRole("link", { name: `1 channel: ${model}` }).click();
  await expect(heading(page, "Channels")).toBeVisible();
  await expect(checkbox(page, `Select ${model}`)).toBeVisible();
  await set("enabled");
  await show(page, { path: "/", title: "Overview" });
  await expect(page.getByText(model)).toHaveCount(0);
});

test("channels are selected on a phone and in Chinese", async ({ page, gateway, operator }) => {
  const word = unique("phone");
  for (const letter of ["a", "b"]) await addChannel(operator, `${word} ${letter}`, word);
  await enter(page, gateway, gateway.operator);
  await page.goto("/");
  await speak(page, "zh-Hans");
  try {
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goto(`/operator/channels?search=${word}`);
    await page.getByRole("checkbox", { name: /^全选：/ }).click();
    const bar = page.getByRole("region", { name: "已选内容" });
    await expect(bar).toContainText("已选择 2 个渠道");
    await settled(page);
    await expectNoHorizontalScroll(page, "selected channels on a phone");
    await expectAccessible(page, "selected channels on a phone, in Chinese");
    await bar.getByRole("button", { name: "禁用" }).click();
    await expect(page.getByRole("alert")).toContainText(word);
    await settled(page);
    await expectNoHorizontalScroll(page, "the question on a phone");
    await expectAccessible(page, "the question on a phone, in Chinese");
    await page.keyboard.press("Escape");
    await bar.getByRole("button", { name: "清除选择" }).click();
    await expect(bar).toBeHidden();
  } finally {
    await speak(page, "en");
  }
});
