import type { Schema } from "@/api/client";
import type { Identity } from "@/api/session";

import { earlyKey, type EarlyReads } from "./api/early";
import { overviewParameters, pastParameters, viewOf } from "./pages/overview/query";

// Begins to read the session and what the overview shows, before the code that shows it has loaded. This script loads
// first, so it imports little. The client of the API uses the answers, see api/early.ts.
const at = Date.now();
const answers: EarlyReads["answers"] = new Map();

/** Begins to read a path of the API. Undefined parameters are left out. */
function read(path: string, parameters: Record<string, unknown> = {}): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  const address = query.size > 0 ? `${path}?${query}` : path;
  const answer = fetch(address);
  answer.catch(() => undefined); // the page reads again, and shows the error
  answers.set(earlyKey(address), answer);
  return answer;
}

async function readOverview(): Promise<void> {
  const session = await read("/api/session");
  if (!session.ok) return;
  const identity = (await session.clone().json()) as Identity;
  if (identity.must_enrol) return;
  const usage = read("/api/usage-overview", overviewParameters(viewOf(identity, {}, at)));
  if (identity.user.role === "operator") return;
  void read("/api/quota");
  const { total } = (await (await usage).clone().json()) as Partial<Schema<"UsageOverview">>;
  if (total?.requests === 0) void read("/api/usage-summary", pastParameters(at));
}

// Without earlyReads, the page itself has not begun to read.
if (!window.earlyReads && window.location.search === "") {
  window.earlyReads = { at, answers };
  readOverview().catch(() => undefined);
}
