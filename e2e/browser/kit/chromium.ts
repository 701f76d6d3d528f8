const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The installed Chromium. Its sandbox is off because it works neither for root nor in containers. */
export const chromium = {
  browserName: "chromium" as const,
  launchOptions: { executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] },
};
