import { defineConfig } from "@playwright/test";

import { chromium } from "./kit/chromium.ts";

/** Whether the story "speed" measures times, of five loads of each page. Then nothing else may run meanwhile. */
const timed = process.env["BROWSER_TIMES"] === "1";

export default defineConfig({
  testDir: "stories",
  testMatch: "*.story.ts",
  outputDir: "results",
  workers: timed ? 1 : 2,
  repeatEach: timed ? 5 : 1,
  fullyParallel: true,
  forbidOnly: true,
  // browser_test.go reports a story that passed only when it was repeated.
  retries: process.env["BROWSER_REPORT"] ? 1 : 0,
  timeout: 240_000,
  expect: { timeout: 40_000 },
  reporter: process.env["BROWSER_REPORT"]
    ? [["json", { outputFile: process.env["BROWSER_REPORT"] }], ["dot"]]
    : [["list"]],
  use: {
    ...chromium,
    actionTimeout: 40_000,
    navigationTimeout: 60_000,
    trace: "off", // costs a quarter of the CPU time; `playwright test --trace on` records one
    screenshot: "only-on-failure",
    timezoneId: "UTC",
    locale: "en-US",
  },
});
