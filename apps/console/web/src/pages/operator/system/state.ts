import type { Schema } from "@/api/client";
import { plural, showCount, showMillis } from "@/format/number";

export type Health = Schema<"Health">;
type Drift = Schema<"Drift">;
type Relay = Schema<"Relay">;

/** A problem of the platform. Severe problems are shown in red. */
export interface Trouble {
  severe: boolean;
  text: string;
}

const minute = 60_000;

/** The state of a relay, derived from its last heartbeat. */
export type RelayState = "alive" | "draining" | "stopped" | "silent";

/**
 * Returns the state of a relay. Relays send a heartbeat every ten seconds; a relay without one for more than a minute
 * is silent.
 */
export function relayState({ state, seen_at }: Pick<Relay, "state" | "seen_at">, now: number): RelayState {
  if (state === "stopped") return "stopped";
  if (now - Date.parse(seen_at) > minute) return "silent";
  return state === "draining" ? "draining" : "alive";
}

/** Returns the problems of the platform, severe ones first; an empty list for a healthy platform. */
export function troublesOf(health: Health, now: number): Trouble[] {
  const found: Trouble[] = [];
  const add = (severe: boolean, text: string | false) => text && found.push({ severe, text });
  if (health.database !== "ok") return [{ severe: true, text: "The database does not answer. Relays go on with the tokens and quota that they hold." }];
  const { reconciliation, queues } = health;
  add(true, reconciliation.drift_count > 0 && `${plural(reconciliation.drift_count, "place differs", "places differ")} in what is written down in several places.`);
  add(true, queues.status === "failing" && "Redis does not answer: background work waits.");
  add(true, queues.status === "ok" && queues.workers.length === 0 && "No worker is running: summaries, probes and jobs wait.");
  const relays = health.relays.map((relay) => relayState(relay, now));
  add(true, relays.length > 0 && !relays.some((state) => state === "alive" || state === "draining") && "No relay gives a sign of life.");
  const silent = relays.filter((state) => state === "silent").length;
  add(false, silent > 0 && silent < relays.length && `${plural(silent, "relay gives", "relays give")} no sign of life; what ${silent === 1 ? "it holds" : "they hold"} of quota returns by itself.`);
  const spooled = health.relays.filter((relay) => isOld(relay.spool.oldest_at, now)).length;
  add(false, spooled > 0 && `${plural(spooled, "relay has", "relays have")} usage that is not recorded for more than a minute.`);
  add(false, health.outbox_depth >= 1000 && `${health.outbox_depth >= 10_000 ? "More than 10,000" : showCount(health.outbox_depth)} entries of usage are not in the summaries yet.`);
  for (const queue of queues.queues) {
    add(false, queue.paused && `The queue ${queue.name} is paused.`);
    add(false, queue.archived > 0 && `${plural(queue.archived, "task")} of the queue ${queue.name} failed for good.`);
    add(false, queue.latency_ms > minute && `The queue ${queue.name} is behind: its oldest task waits for ${showMillis(queue.latency_ms)}.`);
  }
  return found.sort((a, b) => Number(b.severe) - Number(a.severe));
}

/** Reports whether a moment is more than a minute ago. */
const isOld = (at: string | null, now: number) => at !== null && now - Date.parse(at) > minute;

/** Names and describes the comparisons of the reconciliation. */
export const checks: Record<Drift["check"], { name: string; about: string }> = {
  logs_hourly: { name: "Logs and hours", about: "The usage logs of an hour, added up, against its hourly summaries." },
  hourly_daily: { name: "Hours and days", about: "The hourly summaries of a day against its daily ones." },
  hourly_totals: { name: "Hours and totals", about: "Hourly summaries against their totals by tenant and of the platform." },
  daily_totals: { name: "Days and totals", about: "Daily summaries against their totals by tenant and of the platform." },
  account_used: { name: "Used of accounts", about: "What calls were charged against what accounts say is used." },
  account_leased: { name: "Leases of accounts", about: "What relays hold of an account against what it says is leased." },
  wallet_granted: { name: "Ledger and wallets", about: "Grants, adjustments and transfers against what wallets were granted." },
};

/** Names the kinds of accounts. */
export const kinds: Record<string, string> = { tenant: "Wallets of tenants", tenant_cap: "Tenants by period", user: "Users", token: "Tokens" };
