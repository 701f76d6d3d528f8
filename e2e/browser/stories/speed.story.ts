import type { Page } from "@playwright/test";

import { ask, call } from "../kit/api.ts";
import type { Gateway } from "../kit/gateway.ts";
import { settled } from "../kit/pages.ts";
import { enter, expect, heading, type Tenant, test } from "../kit/test.ts";

/** Upper bound of the compressed size of scripts and styles of a first load, in bytes. */
const budget = 250_000;

/** The pages that users see first. */
const pages = [
  { name: "the sign-in", path: "/sign-in", title: "Sign in" },
  { name: "the first steps of a new tenant", path: "/", title: "Overview" },
  { name: "the overview", path: "/", title: "Overview", used: true },
];

declare global {
  interface Window {
    paints: { largest: number; blocked: number };
  }
}

/** Runs in the page: records the largest paint, and by how much tasks exceed 50 ms in total. */
const observe = () => {
  window.paints = { largest: 0, blocked: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.paints.largest = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.paints.blocked += entry.duration - 50;
  }).observe({ type: "longtask", buffered: true });
};

/**
 * Returns the sizes of a first load in bytes, as transferred, and the times of its paints in milliseconds.
 */
async function measure(page: Page) {
  await settled(page);
  return page.evaluate(() => {
    const resources = performance.getEntriesByType("resource").filter((entry) => entry instanceof PerformanceResourceTiming);
    const bytes = (like: RegExp) => resources.filter(({ name }) => like.test(new URL(name).pathname)).reduce((sum, one) => sum + one.encodedBodySize, 0);
    return {
      code: bytes(/\.(js|css)$/),
      fonts: bytes(/\.woff2$/),
      api: bytes(/^\/api\//),
      requests: resources.length,
      largest: resources.toSorted((a, b) => b.encodedBodySize - a.encodedBodySize).slice(0, 8).map(({ name, encodedBodySize }) => `${new URL(name).pathname.slice(8)} ${encodedBodySize}`),
      firstPaint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
      largestPaint: Math.round(window.paints.largest),
      blocked: Math.round(window.paints.blocked),
    };
  });
}

/** Makes a call and waits until it is in the usage summary. */
async function use(gateway: Gateway, { api }: Tenant): Promise<void> {
  const { value } = await ask(api.POST("/api/tokens", { body: { name: "main" } }));
  await call(gateway.relay, value ?? "", "echo-1");
  await expect.poll(async () => (await ask(api.GET("/api/usage-summary", { params: { query: { by: "model" } } }))).items.length).toBe(1);
}

for (const { name, path, title, used } of pages) {
  test(`${name} stays within its size budget`, async ({ page, gateway, tenant }) => {
    if (used) await use(gateway, tenant);
    if (path === "/") await enter(page, gateway, tenant.owner);
    await page.addInitScript(observe);
    await page.goto(path);
    await expect(heading(page, title)).toBeVisible();
    const found = await measure(page);
    console.log(`${name}: ${JSON.stringify(found)}`);
    test.info().annotations.push({ type: "figures", description: `${name}: ${JSON.stringify(found)}` });
    expect(found.code, "bytes of scripts and styles").toBeLessThan(budget);
  });
}
