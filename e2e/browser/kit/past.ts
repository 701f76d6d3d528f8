import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import type { Gateway } from "./gateway.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = process.env["TOLLGATE_PASTLOGS"] ?? join(root, "bin", "pastlogs");

/** Adds tokens and usage logs of the last 30 days to a gateway. */
export async function addPast(gateway: Gateway, { rows, tokens }: { rows: number; tokens: number }): Promise<void> {
  const args = ["-database", `sqlite:${join(gateway.dataDir, "tollgate.db")}`, "-rows", String(rows), "-tokens", String(tokens)];
  await promisify(execFile)(built, args, { maxBuffer: 1 << 20 });
}
