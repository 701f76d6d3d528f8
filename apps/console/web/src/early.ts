import type { Identity } from "@/api/session";

import { type EarlyAnswers, earlyKey } from "./api/early";
import { overviewParameters, viewOf } from "./pages/overview/query";

// Begins to read the session and what the overview shows, before the code that shows it has loaded. This script loads
// first, so it imports little. The client of the API uses the answers, see api/early.ts.
const answers: EarlyAnswers = new Map();
window.earlyAnswers = answers;

function read(path: string): Promise<Response> {
  const answer = fetch(path);
  answer.catch(() => undefined); // the page reads again, and shows the error
  answers.set(earlyKey(path), answer);
  return answer;
}

async function readOverview(): Promise<void> {
  const session = await read("/api/session");
  if (!session.ok) return;
  const identity = (await session.clone().json()) as Identity;
  if (identity.must_enrol) return;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(overviewParameters(viewOf(identity, {}, Date.now()))))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  void read(`/api/usage-overview?${query}`);
  if (identity.user.role !== "operator") void read("/api/quota");
}

if (window.location.search === "") readOverview().catch(() => undefined);
