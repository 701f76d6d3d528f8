import type { Page } from "@playwright/test";

import { ask, call } from "../kit/api.ts";
import type { Gateway } from "../kit/gateway.ts";
import { settled } from "../kit/pages.ts";
import { enter, expect, heading, type Tenant, test } from "../kit/test.ts";

/** Upper bounds of the compressed size of a first load, in bytes. */
interface Budget {
  /** Scripts and styles. */
  code: number;
  /** Scripts alone. */
  scripts?: number;
}

const budget: Budget = { code: 225_000 };

/** The pages that users see first, and the API reference, which also loads the code that shows Markdown. */
const pages: { name: string; path: string; title: string; used?: boolean; budget?: Budget }[] = [
  { name: "the sign-in", path: "/sign-in", title: "Sign in", budget: { code: 85_000, scripts: 80_000 } },
  { name: "the first steps of a new tenant", path: "/", title: "Overview" },
  { name: "the overview", path: "/", title: "Overview", used: true },
  {
    name: "the API reference",
    path: "/reference/createChatCompletion",
    title: "Create a chat completion",
    budget: { code: 320_000 },
  },
];

declare global {
  interface Window {
    paints: { largest: number; element?: string; blocked: number };
  }
}

/**
 * With BROWSER_TIMES=1, pages load as on a slow network (1.6 Mb/s, 150 ms) with a quarter of this machine's speed, and
 * the story prints the times. It checks sizes only, because times depend on the machine.
 */
const timed = process.env["BROWSER_TIMES"] === "1";

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 94_000,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** Runs in the page: records the largest paint and its element, and by how much tasks exceed 50 ms in total. */
const observe = () => {
  window.paints = { largest: 0, blocked: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { element } = entry as PerformanceEntry & { element?: Element | null };
      window.paints = {
        ...window.paints,
        largest: entry.startTime,
        element: `${element?.tagName}: ${element?.textContent?.slice(0, 60)}`,
      };
    }
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.paints.blocked += entry.duration - 50;
  }).observe({ type: "longtask", buffered: true });
};

/**
 * Returns the sizes of a first load in bytes, as transferred, the number of requests of which each waits for the one
 * before, until the largest paint, and the times of the paints in milliseconds.
 */
async function measure(page: Page) {
  await settled(page);
  return page.evaluate(() => {
    const resources = performance
      .getEntriesByType("resource")
      .filter((entry) => entry instanceof PerformanceResourceTiming);
    const before = resources.filter(({ startTime }) => startTime < window.paints.largest);
    // A request follows another one if it began after the other's end. The page itself is the first request.
    const place = (entry: PerformanceResourceTiming): number =>
      1 + Math.max(1, ...before.filter(({ responseEnd }) => responseEnd <= entry.startTime).map(place));
    const bytes = (like: RegExp) =>
      resources
        .filter(({ name }) => like.test(new URL(name).pathname))
        .reduce((sum, one) => sum + one.encodedBodySize, 0);
    return {
      code: bytes(/\.(js|css)$/),
      scripts: bytes(/\.js$/),
      fonts: bytes(/\.woff2$/),
      api: bytes(/^\/api\//),
      requests: resources.length,
      usageReads: resources.filter(({ name }) => /\/api\/usage-(overview|summary)/.test(name)).length,
      inSequence: Math.max(1, ...before.map(place)),
      largest: resources
        .toSorted((a, b) => b.encodedBodySize - a.encodedBodySize)
        .slice(0, 8)
        .map(({ name, encodedBodySize }) => `${new URL(name).pathname.slice(8)} ${encodedBodySize}`),
      firstPaint: Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0),
      largestPaint: Math.round(window.paints.largest),
      element: window.paints.element,
      blocked: Math.round(window.paints.blocked),
    };
  });
}

/** Makes a call and waits until it is in the usage summary. */
async function use(gateway: Gateway, { api }: Tenant): Promise<void> {
  const { value } = await ask(api.POST("/api/tokens", { body: { name: "main" } }));
  await call(gateway.relay, value ?? "", "echo-1");
  await expect
    .poll(async () => (await ask(api.GET("/api/usage-summary", { params: { query: { by: "model" } } }))).items.length)
    .toBe(1);
}

for (const { name, path, title, used, budget: most = budget } of pages) {
  test(`${name} stays within its size budget`, async ({ page, gateway, tenant }) => {
    if (used) await use(gateway, tenant);
    if (path === "/") await enter(page, gateway, tenant.owner);
    await page.addInitScript(observe);
    if (timed) await slowDown(page);
    await page.goto(path);
    await expect(heading(page, title)).toBeVisible();
    const found = await measure(page);
    console.log(`${name}: ${JSON.stringify(found)}`);
    test.info().annotations.push({ type: "figures", description: `${name}: ${JSON.stringify(found)}` });
    expect(found.code, "bytes of scripts and styles").toBeLessThan(most.code);
    // early.ts asks for what the page shows. The first steps are for tenants that have no usage for long.
    if (path === "/") expect(found.usageReads, "reads of the usage").toBe(used ? 1 : 2);
    if (most.scripts) expect(found.scripts, "bytes of scripts").toBeLessThan(most.scripts);
  });
}
