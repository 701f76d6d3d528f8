import { test as base, expect, type Page } from "@playwright/test";
import { randomBytes } from "node:crypto";

import { type Api, ask, type Schema, signIn } from "./api.ts";
import { type Gateway, type Login, startGateway } from "./gateway.ts";

export { expect };

/** A tenant that only one test uses. */
export interface Tenant {
  name: string;
  id: string;
  owner: Login;
  /** A client of the console's API, signed in as the owner. */
  api: Api;
  groupId: string;
}

interface WorkerFixtures {
  gateway: Gateway;
}

interface TestFixtures {
  /**
   * A client of the console's API, signed in as the operator. Each test signs in, because a sign-in confirms sensitive
   * operations for 15 minutes only.
   */
  operator: Api;
  tenant: Tenant;
  /** Errors and warnings of the browser. The test fails if there are any at its end. */
  browserErrors: BrowserErrors;
}

/** Collects the errors and warnings of the browser, except the expected ones. */
export class BrowserErrors {
  readonly all: string[] = [];
  private readonly expected: RegExp[] = [/\/api\/session\b.* 401 /]; // the pages ask whether a user is signed in

  /** Ignores errors that match. */
  expect(like: RegExp): void {
    this.expected.push(like);
  }

  /** Collects the errors of a page from now on. */
  listen(page: Page): void {
    page.on("pageerror", (error) => this.add(`${page.url()}: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        this.add(`${message.location().url}: ${message.text()}`);
    });
  }

  private add(error: string): void {
    if (!this.expected.some((like) => like.test(error))) this.all.push(error);
  }
}

/** Returns a name that no other test uses. */
export const unique = (word: string) => `${word}-${randomBytes(4).toString("hex")}`;

/** Creates a tenant with an owner and 10 USD of quota. */
export async function makeTenant(gateway: Gateway, operator: Api): Promise<Tenant> {
  const slug = unique("acme");
  const name = `Acme ${slug.slice(5)}`;
  const made = await ask(
    operator.POST("/api/operator/tenants", {
      body: { name, slug, quota: "10", quota_mode: "hard", output_cap: "auto" },
    }),
  );
  const groups = await ask(operator.GET("/api/operator/groups"));
  const groupId = groups.items.find((group) => group.name === "default")?.id ?? "";
  const owner = { email: `owner@${slug}.example`, password: "correct horse battery" };
  await ask(
    operator.POST("/api/operator/users", { body: { ...owner, role: "owner", tenant_id: made.id, group_id: groupId } }),
  );
  return { name, id: made.id, owner, groupId, api: await signIn(gateway.console, owner) };
}

/** Adds a member to a tenant. */
export async function addMember(tenant: Tenant, role: Schema<"NewMember">["role"] = "member"): Promise<Login> {
  const person = { email: `${unique("member")}@acme.example`, password: "correct horse battery" };
  await ask(tenant.api.POST("/api/members", { body: { ...person, role } }));
  return person;
}

/** A test with a gateway for each worker process and a tenant for each test. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  gateway: [
    async ({}, use) => {
      const gateway = await startGateway();
      await use(gateway);
      await gateway.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  operator: async ({ gateway }, use) => use(await signIn(gateway.console, gateway.operator)),
  baseURL: ({ gateway }, use) => use(gateway.console),
  browserErrors: async ({}, use) => {
    const browserErrors = new BrowserErrors();
    await use(browserErrors);
    expect(browserErrors.all, "errors of the browser").toEqual([]);
  },
  page: async ({ page, browserErrors }, use) => {
    browserErrors.listen(page);
    await use(page);
  },
  tenant: async ({ gateway, operator }, use) => use(await makeTenant(gateway, operator)),
});

/**
 * Signs the page's browser in through the API, because other stories test the form. Who was signed in before is signed
 * out, and the page is left.
 */
export async function enter(page: Page, gateway: Gateway, { email, password }: Login): Promise<void> {
  // A page with live data would ask for it between the two sessions.
  if (page.url() !== "about:blank") await page.goto("about:blank");
  await page.context().clearCookies();
  const answer = await page.request.post(`${gateway.console}/api/session`, {
    data: { email, password },
    headers: { origin: gateway.console },
  });
  expect(answer.status(), `${email} signs in`).toBe(200);
}

/** Fills in and submits the sign-in form. */
export async function fillSignIn(page: Page, { email, password }: Login): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** The main heading of a page. */
export const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });
