const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** The machine's own browser. The sandbox needs rights that neither root nor a container has. */
export const chromium = { browserName: "chromium" as const, launchOptions: { executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] } };
