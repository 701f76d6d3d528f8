import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { Gateway, Login } from "./gateway.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = process.env["TOLLGATE_PASTLOGS"] ?? join(root, "bin", "pastlogs");

/** Adds tokens and usage logs of the last 30 days to a gateway. */
export async function addPast(gateway: Gateway, { rows, tokens }: { rows: number; tokens: number }): Promise<void> {
  await run(gateway, "add", "-rows", String(rows), "-tokens", String(tokens));
}

/** Sets the last confirmation of all sessions of a user back by an hour. */
export async function unconfirm(gateway: Gateway, { email }: Login): Promise<void> {
  await run(gateway, "unconfirm", "-user", email);
}

async function run(gateway: Gateway, command: string, ...flags: string[]): Promise<void> {
  const database = `sqlite:${join(gateway.dataDir, "tollgate.db")}`;
  await promisify(execFile)(built, [command, "-database", database, ...flags], { maxBuffer: 1 << 20 });
}
