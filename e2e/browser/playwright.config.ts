import { defineConfig } from "@playwright/test";

import { chromium } from "./kit/chromium.ts";

export default defineConfig({
  testDir: "stories",
  testMatch: "*.story.ts",
  outputDir: "results",
  workers: 2,
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
