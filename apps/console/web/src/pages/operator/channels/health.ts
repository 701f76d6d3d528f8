import type { Schema } from "@/api/client";
import type { ChannelHealth } from "@/pages/operator/catalog/queries";

/**
 * The health of a channel. "failing" means that no credential works; "cooling", which is shown as "Degraded", that some
 * credentials or models do not work.
 */
export type Verdict = "healthy" | "cooling" | "failing" | "disabled";

/**
 * Returns the health of a channel from its status, its credentials and the circuit breakers that relays report. A
 * breaker of single tenants does not count: their own requests may be the reason.
 */
export function verdictOf(status: string, health: ChannelHealth): Verdict {
  if (status !== "enabled") return "disabled";
  const { credentials, relays } = health;
  const usable = credentials.filter((credential) => credential.status === "enabled");
  if (credentials.length > 0 && usable.length === 0) return "failing";
  if (usable.length > 0 && usable.every((credential) => credential.probe?.error)) return "failing";
  if (usable.length < credentials.length || relays.some(({ tenants }) => tenants.length === 0)) return "cooling";
  return usable.some((credential) => credential.probe?.error) ? "cooling" : "healthy";
}

/** Returns the reasons for the health of a channel, one sentence each. */
export function reasonsOf(health: ChannelHealth): string[] {
  const reasons: string[] = [];
  for (const credential of health.credentials) {
    if (credential.status === "disabled") reasons.push(`${credential.mask} is disabled: its upstream ${credential.reason === "unpaid" ? "says it is out of money" : "refuses it"}`);
    else if (credential.status === "unreadable") reasons.push(`${credential.mask} cannot be unsealed: another secret key has sealed it`);
    else if (credential.probe?.error) reasons.push(`The last probe${credential.mask && ` of ${credential.mask}`} failed: ${wordOf(credential.probe.error)}`);
  }
  for (const relay of health.relays) {
    const tenants = relay.tenants.length > 0 ? ` for ${relay.tenants.length} ${relay.tenants.length === 1 ? "tenant" : "tenants"}` : "";
    const subject = relay.model ? `${relay.model}${relay.mask && ` with ${relay.mask}`}` : "The channel";
    reasons.push(`${subject} ${relay.state === "trial" ? "is on trial" : "is resting"}${tenants} after ${wordOf(relay.error)}`);
  }
  return [...new Set(reasons)];
}

const words: Record<string, string> = {
  connect: "no connection", egress_refused: "an address that is not allowed", timeout: "a time-out", credential: "a refused credential",
  unpaid: "an account out of money", rate_limited: "a rate limit", rejected: "a rejected request", status: "a failure of the upstream",
  nonsense: "an answer that is none", unsupported: "a request that cannot be translated",
};

/** Returns the display text of an error code. */
export const wordOf = (word: string) => words[word] ?? word.replaceAll("_", " ");

type UsageLog = Schema<"UsageLog">;

/** Returns the value at the given percentile (nearest rank); undefined for an empty list. */
export function percentile(numbers: readonly number[], percent: number): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? sorted[0];
}

/** Returns the first-byte times in ms of successful calls, keyed by the id of the channel that answered. */
export function firstBytes(logs: readonly UsageLog[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const log of logs) {
    if (!log.channel_id || log.outcome === "failed") continue;
    const own = times.get(log.channel_id);
    if (own) own.push(log.first_byte_ms);
    else times.set(log.channel_id, [log.first_byte_ms]);
  }
  return times;
}

/** Returns the percentage of calls that failed; undefined without calls. */
export function errorShare(requests: number, failed: number): number | undefined {
  return requests === 0 ? undefined : (failed / requests) * 100;
}

/** Formats a percentage, such as "0%", "0.4%" or "12%". */
export function showPercent(percent: number): string {
  if (percent === 0 || percent >= 10) return `${Math.round(percent)}%`;
  return percent < 0.1 ? "<0.1%" : `${percent.toFixed(1)}%`;
}
