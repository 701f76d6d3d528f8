import { defineConfig } from "@playwright/test";

import { chromium } from "./kit/chromium.ts";

/** Takes the screenshots of all pages and of the README. The tests are in the folder screenshots. */
export default defineConfig({
  testDir: "screenshots",
  testMatch: "*.shots.ts",
  outputDir: "results-screenshots",
  workers: 1,
  timeout: 900_000,
  reporter: [["line"]],
  use: { ...chromium, timezoneId: "UTC", locale: "en-US", actionTimeout: 20_000, navigationTimeout: 30_000 },
});
