import { test as base, expect, type Page } from "@playwright/test";
import { randomBytes } from "node:crypto";

import { type Api, ask, type Schema, signIn } from "./api.ts";
import { type Gateway, type Person, startGateway } from "./gateway.ts";

export { expect };

/** A tenant of a test's own. */
export interface Tenant {
  name: string;
  id: string;
  owner: Person;
  /** The console's API as the owner. */
  api: Api;
  groupId: string;
}

interface WorkerThings {
  gateway: Gateway;
  /** The console's API as the operator. */
  operator: Api;
}

interface Things {
  tenant: Tenant;
  /** What the browser complains of: the test fails if anything is in it at its end. */
  complaints: Complaints;
}

/** What the browser has complained of, but for what was expected. */
export class Complaints {
  readonly all: string[] = [];
  private readonly expected: RegExp[] = [/\/api\/session\b.* 401 /]; // the question whether anybody is signed in

  /** Complaints like this are none. */
  expect(like: RegExp): void {
    this.expected.push(like);
  }

  listen(page: Page): void {
    page.on("pageerror", (error) => this.add(`${page.url()}: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.add(`${message.location().url}: ${message.text()}`);
    });
  }

  private add(complaint: string): void {
    if (!this.expected.some((like) => like.test(complaint))) this.all.push(complaint);
  }
}

export const unique = (word: string) => `${word}-${randomBytes(4).toString("hex")}`;

/** Makes a tenant with an owner and 10 USD. */
export async function makeTenant(gateway: Gateway, operator: Api): Promise<Tenant> {
  const slug = unique("acme");
  const name = `Acme ${slug.slice(5)}`;
  const made = await ask(operator.POST("/api/operator/tenants", { body: { name, slug, quota: "10", quota_mode: "hard" } }));
  const groups = await ask(operator.GET("/api/operator/groups"));
  const groupId = groups.items.find((group) => group.name === "default")?.id ?? "";
  const owner = { email: `owner@${slug}.example`, password: "correct horse battery" };
  await ask(operator.POST("/api/operator/users", { body: { ...owner, role: "owner", tenant_id: made.id, group_id: groupId } }));
  return { name, id: made.id, owner, groupId, api: await signIn(gateway.console, owner) };
}

/** Adds a member to a tenant. */
export async function addMember(tenant: Tenant, role: Schema<"NewMember">["role"] = "member"): Promise<Person> {
  const person = { email: `${unique("member")}@acme.example`, password: "correct horse battery" };
  await ask(tenant.api.POST("/api/members", { body: { ...person, role } }));
  return person;
}

export const test = base.extend<Things, WorkerThings>({
  gateway: [
    async ({}, use) => {
      const gateway = await startGateway();
      await use(gateway);
      await gateway.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  operator: [async ({ gateway }, use) => use(await signIn(gateway.console, gateway.operator)), { scope: "worker" }],
  baseURL: ({ gateway }, use) => use(gateway.console),
  complaints: async ({}, use) => {
    const complaints = new Complaints();
    await use(complaints);
    expect(complaints.all, "the browser complained").toEqual([]);
  },
  page: async ({ page, complaints }, use) => {
    complaints.listen(page);
    await use(page);
  },
  tenant: async ({ gateway, operator }, use) => use(await makeTenant(gateway, operator)),
});

/** Signs the page's browser in without the form, which has stories of its own. */
export async function enter(page: Page, gateway: Gateway, { email, password }: Person): Promise<void> {
  const answer = await page.request.post(`${gateway.console}/api/session`, { data: { email, password }, headers: { origin: gateway.console } });
  expect(answer.status(), `${email} signs in`).toBe(200);
}

/** Signs in by the form, and waits for what stands behind it. */
export async function fillSignIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** The heading that each page has once it is there. */
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
