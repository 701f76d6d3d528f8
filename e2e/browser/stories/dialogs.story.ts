import type { Page } from "@playwright/test";

import { expectAccessible, expectNoHorizontalScroll, expectReadableColors } from "../kit/axe.ts";
import { furnish, settled, pageIds } from "../kit/pages.ts";
import { addMember, enter, expect, test } from "../kit/test.ts";

type Step = ["button" | "menuitem" | "link" | "switch", string | RegExp];

interface Dialog {
  path: string;
  /** The elements to click, in order, to open the dialog. */
  steps: Step[];
  name: string | RegExp;
}

test.describe.configure({ timeout: 600_000 });

/** Opens a dialog and checks it in the light and the dark color scheme and on a phone. */
async function inspect(page: Page, { path, steps, name }: Dialog): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(path);
  for (const [role, word] of steps)
    await page
      .getByRole(role, { name: word, exact: typeof word === "string" })
      .first()
      .click();
  const dialog = page.getByRole("dialog", { name });
  await expect(dialog, `${String(name)} of ${path}`).toBeVisible();
  await settled(page);
  await expectAccessible(page, `${String(name)} of ${path}, light`);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await settled(page);
  await expectReadableColors(page, `${String(name)} of ${path}, dark`);
  await page.setViewportSize({ width: 390, height: 844 });
  await settled(page);
  await expectNoHorizontalScroll(page, `${String(name)} of ${path}, phone`);
  const box = await dialog.boundingBox();
  expect
    .soft(box && box.x >= -1 && box.x + box.width <= 391, `${String(name)} fits on a phone: ${JSON.stringify(box)}`)
    .toBe(true);
}

test("owner's dialogs are accessible in light and dark mode and fit on a phone", async ({ page, gateway, tenant }) => {
  const token = await furnish(gateway, tenant);
  const member = await addMember(tenant);
  const dialogs: Dialog[] = [
    { path: "/tokens", steps: [["button", "Create token"]], name: "Create a token" },
    {
      path: "/tokens",
      steps: [
        ["button", "Actions for nightly batch"],
        ["menuitem", "Edit"],
      ],
      name: "Edit nightly batch",
    },
    {
      path: "/tokens",
      steps: [
        ["button", "Actions for nightly batch"],
        ["menuitem", "Revoke"],
      ],
      name: "Revoke this token?",
    },
    { path: "/usage-logs", steps: [["button", "Export"]], name: "Export usage logs" },
    { path: "/usage-logs", steps: [["button", "Exports"]], name: "Exports" },
    { path: "/usage-logs", steps: [["link", /receipt/]], name: "Receipt" },
    { path: "/members", steps: [["button", "Invite"]], name: "Invite a member" },
    {
      path: "/members",
      steps: [
        ["button", "Other ways to add a member"],
        ["menuitem", "Add with a password"],
      ],
      name: "Add a member with a password",
    },
    {
      path: "/members",
      steps: [
        ["button", `Actions for ${member.email}`],
        ["menuitem", "Edit role and quota"],
      ],
      name: member.email,
    },
    {
      path: "/settings/security",
      steps: [["button", "Set up an authenticator app"]],
      name: "Set up an authenticator app",
    },
    { path: "/settings/security", steps: [["button", "Add a passkey"]], name: "Add a passkey" },
    { path: "/settings/access-keys", steps: [["button", "Create an access key"]], name: "Create an access key" },
    { path: "/playground", steps: [["button", "View code"]], name: "View code" },
    { path: "/playground", steps: [["button", "Share"]], name: "Share the settings" },
    { path: "/playground", steps: [["button", "History"]], name: "History" },
    {
      path: `/tokens/${token.id}`,
      steps: [
        ["button", "Actions for nightly batch"],
        ["menuitem", "Rotate"],
      ],
      name: "Rotate this token?",
    },
  ];
  await enter(page, gateway, tenant.owner);
  for (const dialog of dialogs) await inspect(page, dialog);
});

test("operator's dialogs are accessible in light and dark mode and fit on a phone", async ({
  page,
  gateway,
  operator,
  tenant,
}) => {
  const ids = await pageIds(operator, tenant, await furnish(gateway, tenant));
  const dialogs: Dialog[] = [
    { path: "/operator/tenants", steps: [["button", "Create tenant"]], name: "Create a tenant" },
    { path: `/operator/tenants/${ids.tenant}`, steps: [["button", "Edit"]], name: /^Edit / },
    { path: `/operator/tenants/${ids.tenant}`, steps: [["button", "Move quota"]], name: "Move quota" },
    {
      path: "/operator/users",
      steps: [
        ["button", /^Actions for/],
        ["menuitem", "Edit"],
      ],
      name: /@/,
    },
    {
      path: "/operator/users",
      steps: [
        ["button", /^Actions for/],
        ["menuitem", "Sessions"],
      ],
      name: /^Sessions of/,
    },
    { path: "/operator/groups", steps: [["button", "New group"]], name: "New group" },
    { path: `/operator/groups/${ids.group}`, steps: [["button", "Change the price rule"]], name: /^What .* pays$/ },
    {
      path: "/operator/channels",
      steps: [
        ["button", "New channel"],
        ["button", /^Advanced settings/],
      ],
      name: "New channel",
    },
    { path: `/operator/channels/${ids.channel}`, steps: [["button", /Test/]], name: /^Test / },
    {
      path: `/operator/channels/${ids.channel}`,
      steps: [
        ["button", "Add costs"],
        ["button", "Add a tier for long inputs"],
        ["button", "Add a service tier"],
        ["button", "Tools that the provider runs"],
      ],
      name: /^Add costs of/,
    },
    {
      path: "/operator/supplier-invoices",
      steps: [["button", "New billing account"]],
      name: "Create a billing account",
    },
    { path: "/operator/models", steps: [["button", "New model"]], name: "New model" },
    { path: `/operator/models/${ids.model}`, steps: [["button", "Change the price"]], name: /^Change the price of/ },
    { path: `/operator/models/${ids.model}`, steps: [["button", "Disable"]], name: /Disable/ },
  ];
  await enter(page, gateway, gateway.operator);
  for (const dialog of dialogs) await inspect(page, dialog);
});
