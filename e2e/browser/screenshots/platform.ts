import { type Api, ask, call, expectOk, type Schema, signIn } from "../kit/api.ts";
import type { Gateway, Login } from "../kit/gateway.ts";
import { addInvoice } from "../kit/pages.ts";
import { addPast } from "../kit/past.ts";

/** A platform as it looks after a month of use. The API creates everything except the past usage logs. */
export interface Platform {
  owner: Login;
  /** The id of a token in the owner's tenant. */
  token: string;
  tenant: string;
  group: string;
  channel: string;
  account: string;
}

const password = "a password for pictures";
const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();

const prices: [string, string, Schema<"Rates">][] = [
  ["gpt-4o", "openai", { input: "2.5", cached_input: "1.25", output: "10" }],
  ["gpt-4o-mini", "openai", { input: "0.15", cached_input: "0.075", output: "0.6" }],
  ["o4-mini", "openai", { input: "1.1", cached_input: "0.275", output: "4.4", reasoning: "4.4" }],
  ["claude-sonnet-4-5", "anthropic", { input: "3", cached_input: "0.3", cache_write: "3.75", output: "15" }],
  ["claude-haiku-4-5", "anthropic", { input: "1", cached_input: "0.1", cache_write: "1.25", output: "5" }],
  ["gemini-2.5-flash", "google", { input: "0.3", cached_input: "0.075", output: "2.5" }],
  ["llama-3.3-70b", "meta", { input: "0.59", output: "0.79" }],
  ["house-summary", "northwind", { request: "0.002" }],
];

const same = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, id]));

const channels: Schema<"NewChannel">[] = [
  {
    name: "openai-main",
    type: "openai",
    base_url: "https://api.openai.com/v1",
    api_keys: ["sk-proj-example-of-a-key-0001", "sk-proj-example-of-a-key-0002"],
    dialects: ["chat", "responses"],
    models: same("gpt-4o", "gpt-4o-mini", "o4-mini"),
    priority: 0,
    weight: 3,
    status: "enabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
  {
    name: "azure-sweden",
    type: "azure",
    base_url: "https://northwind-sweden.openai.azure.com",
    api_keys: ["azure-example-of-a-key-0001"],
    dialects: ["chat", "responses"],
    models: { "gpt-4o": "prod-4o", "gpt-4o-mini": "prod-4o-mini" },
    priority: 0,
    weight: 1,
    status: "enabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
  {
    name: "anthropic-main",
    type: "anthropic",
    base_url: "",
    api_keys: ["sk-ant-example-of-a-key-0001"],
    dialects: ["messages"],
    models: { "claude-sonnet-4-5": "claude-sonnet-4-5-20250929", "claude-haiku-4-5": "claude-haiku-4-5-20251001" },
    priority: 0,
    weight: 1,
    status: "enabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
  {
    name: "gemini",
    type: "gemini",
    base_url: "",
    api_keys: ["AIza-example-of-a-key-0001"],
    dialects: ["gemini"],
    models: same("gemini-2.5-flash"),
    priority: 0,
    weight: 1,
    status: "enabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
  {
    name: "groq",
    type: "openai",
    base_url: "https://api.groq.com/openai/v1",
    api_keys: ["gsk-example-of-a-key-0001"],
    dialects: ["chat"],
    models: { "llama-3.3-70b": "llama-3.3-70b-versatile" },
    priority: 1,
    weight: 1,
    status: "enabled",
    on_disconnect: "drain",
    unpriced: "allow",
  },
  {
    name: "openai-spare",
    type: "openai",
    base_url: "https://eu.api.openai.com/v1",
    api_keys: ["sk-proj-example-of-a-key-0003"],
    dialects: ["chat"],
    models: same("gpt-4o", "gpt-4o-mini"),
    priority: 10,
    weight: 1,
    status: "disabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
  {
    name: "house",
    type: "echo",
    dialects: ["chat"],
    models: same("house-summary"),
    priority: 0,
    weight: 1,
    status: "enabled",
    on_disconnect: "cancel",
    unpriced: "allow",
  },
];

const customers = [
  { slug: "old-mill", name: "Old Mill Bakery", quota: "25", people: ["emil"], tokens: ["till"], group: "default" },
  {
    slug: "sable",
    name: "Sable Studio",
    quota: "75",
    people: ["ines", "noor"],
    tokens: ["figma plugin", "storyboards"],
    group: "default",
  },
  {
    slug: "blue-harbor",
    name: "Blue Harbor Health",
    quota: "400",
    people: ["amara", "jonas", "li"],
    tokens: ["triage", "letters", "research"],
    group: "partners",
  },
  {
    slug: "acme-robotics",
    name: "Acme Robotics",
    quota: "120",
    people: ["kenji", "sofia", "tom"],
    tokens: ["planner", "vision batch", "ci"],
    group: "default",
  },
  {
    slug: "northwind",
    name: "Northwind Trading",
    quota: "150",
    people: ["anna", "bilal", "chiara", "david", "eva"],
    tokens: ["staging", "eva's notebook", "search ranking", "support assistant", "nightly batch", "production"],
    group: "partners",
  },
];

/** Creates the platform. */
export async function furnish(gateway: Gateway): Promise<Platform> {
  const operator = await signIn(gateway.console, gateway.operator);
  const groups = await addCatalog(operator);
  let tenant = "";
  for (const customer of customers) tenant = await addCustomer(gateway, operator, customer, groups);
  const owner = { email: "anna@northwind.example", password };
  const api = await signIn(gateway.console, owner);
  await addCosts(operator);
  await addPast(gateway, { rows: 6000, tokens: 0 });
  const account = await addInvoice(operator, await namesakes(operator, /^openai/));
  const token = await live(gateway, api, operator);
  await changeOfLate(operator, tenant, groups);
  const [channel = ""] = await namesakes(operator, /^openai-main$/);
  return { owner, token, tenant, account, group: groups.get("partners") ?? "", channel };
}

/** What providers charge, as parts of the prices of their models. */
const factors: Record<string, string> = { "openai-main": "0.75", "anthropic-main": "0.8", gemini: "0.8" };

/** Adds costs of channels. */
async function addCosts(operator: Api): Promise<void> {
  const { items } = await ask(operator.GET("/api/operator/channels"));
  for (const { id, name, models } of items) {
    const factor = factors[name];
    if (factor === undefined) continue;
    for (const [model, upstream_model] of Object.entries(models)) {
      const rates = prices.find(([priced]) => priced === model)?.[2];
      if (rates)
        await expectOk(
          operator.POST("/api/operator/channels/{id}/costs", {
            params: { path: { id } },
            body: { upstream_model, factor, rates },
          }),
        );
    }
  }
}

/** Returns the ids of the channels whose names match. */
async function namesakes(operator: Api, like: RegExp): Promise<string[]> {
  return (await ask(operator.GET("/api/operator/channels"))).items
    .filter(({ name }) => like.test(name))
    .map(({ id }) => id);
}

type Groups = Map<string, string>;

async function addCatalog(operator: Api): Promise<Groups> {
  for (const [id, owned_by, price] of prices)
    await expectOk(
      operator.POST("/api/operator/models", {
        body: { id, owned_by, price, status: "enabled", free: false, routing: "weighted" },
      }),
    );
  for (const body of channels) await expectOk(operator.POST("/api/operator/channels", { body }));
  await expectOk(
    operator.POST("/api/operator/groups", { body: { name: "partners", models: ["*"], multiplier: "0.9" } }),
  );
  await expectOk(
    operator.POST("/api/operator/groups", {
      body: {
        name: "research",
        models: ["gpt-4o*", "o4-*", "claude-*"],
        multiplier: "1.2",
        limits: { requests_per_minute: 600 },
      },
    }),
  );
  const { items } = await ask(operator.GET("/api/operator/groups"));
  return new Map(items.map(({ name, id }) => [name, id]));
}

async function addCustomer(
  gateway: Gateway,
  operator: Api,
  customer: (typeof customers)[number],
  groups: Groups,
): Promise<string> {
  const { slug, name, quota, people, tokens } = customer;
  const tenant = await ask(
    operator.POST("/api/operator/tenants", { body: { slug, name, quota, quota_mode: "hard", output_cap: "auto" } }),
  );
  const addresses = people.map((person) => `${person}@${slug}.example`);
  for (const [i, email] of addresses.entries()) {
    const role = i === 0 ? "owner" : i === 1 ? "admin" : "member";
    await expectOk(
      operator.POST("/api/operator/users", {
        body: {
          email,
          password,
          role,
          tenant_id: tenant.id,
          group_id: groups.get(customer.group) ?? "",
          ...(role === "member" && { quota: "300" }),
        },
      }),
    );
  }
  for (const [i, token] of tokens.entries()) {
    const api = await signIn(gateway.console, { email: addresses[i % addresses.length] ?? "", password });
    await expectOk(
      api.POST("/api/tokens", {
        body: {
          name: token,
          ...(i % 3 === 1 && { quota: "150", caps: { day: "20" } }),
          ...(i % 3 === 2 && { models: ["gpt-4o*"], expires_at: days(60) }),
        },
      }),
    );
  }
  return tenant.id;
}

/**
 * Creates today's activity in the owner's tenant: calls, an invitation, an export. Returns the id of a token.
 */
async function live(gateway: Gateway, api: Api, operator: Api): Promise<string> {
  const made = await ask(api.POST("/api/tokens", { body: { name: "demo", models: ["house-summary", "echo-1"] } }));
  for (let i = 0; i < 12; i++)
    await call(
      gateway.relay,
      made.value,
      i % 4 === 3 ? "gpt-4o" : i % 2 ? "echo-1" : "house-summary",
      "Summarize the week in a sentence.",
      {
        fields: { user: ["ann", "bob", "cleo"][i % 3] },
        headers: { "x-tollgate-tag-team": i % 2 ? "search" : "support" },
      },
    );
  await expectOk(
    api.POST("/api/invitations", { body: { email: "farah@northwind.example", role: "member", valid_days: 7 } }),
  );
  await expectOk(
    api.POST("/api/access-keys", { body: { name: "Monthly report", scopes: ["usage:read"], expires_at: days(90) } }),
  );
  const job = await ask(api.POST("/api/jobs/usage-export", { body: { format: "csv", from: days(-7) } }));
  await finished(api, job.id);
  const { items } = await ask(api.GET("/api/tokens"));
  await expectOk(
    operator.POST("/api/operator/grants", {
      body: { tenant_id: made.tenant_id, amount: "50", reason: "Second quarter" },
    }),
  );
  return items.find(({ name }) => name === "production")?.id ?? made.id;
}

/** Makes recent and scheduled changes as the operator. */
async function changeOfLate(operator: Api, tenant: string, groups: Groups): Promise<void> {
  await expectOk(
    operator.POST("/api/operator/prices", {
      body: { model: "gpt-4o", price: { input: "2.25", cached_input: "1.1", output: "9" }, effective_from: days(9) },
    }),
  );
  await expectOk(
    operator.POST("/api/operator/prices", {
      body: { model: "claude-haiku-4-5", price: { input: "0.9", cached_input: "0.09", output: "4.5" } },
    }),
  );
  await expectOk(
    operator.POST("/api/operator/group-rules", {
      body: { group_id: groups.get("partners") ?? "", multiplier: "0.85", effective_from: days(14) },
    }),
  );
  await expectOk(
    operator.POST("/api/operator/group-rules", {
      body: { group_id: groups.get("partners") ?? "", model: "house-summary", fixed: "0.001" },
    }),
  );
  await expectOk(
    operator.POST("/api/operator/adjustments", {
      body: { tenant_id: tenant, amount: "-12.5", reason: "Credit note 2207" },
    }),
  );
  const job = await ask(
    operator.POST("/api/operator/jobs/price-simulation", {
      body: { price: { model: "gpt-4o", price: { input: "2.25", output: "9" } }, from: days(-30) },
    }),
  );
  await finished(operator, job.id);
}

/** Waits until a job has succeeded. */
async function finished(api: Api, id: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { status } = await ask(api.GET("/api/jobs/{id}", { params: { path: { id } } }));
    if (status === "succeeded") return;
    if (status === "failed" || Date.now() > deadline) throw new Error(`job ${id} is ${status}`);
  }
}
