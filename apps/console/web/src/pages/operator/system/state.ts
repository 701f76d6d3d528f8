import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { showCount, showMillis } from "@/format/number";

export type Health = Schema<"Health">;
type Drift = Schema<"Drift">;
type Relay = Schema<"Relay">;

/** A problem of the platform. Severe problems are shown in red. */
export interface Trouble {
  severe: boolean;
  text: string;
}

const minute = 60_000;

/** The number of pending usage events from which on they are not counted. */
export const maxPending = 10_000;

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
  if (health.database !== "ok")
    return [
      {
        severe: true,
        text: t`The database is not responding. Relays continue with the tokens and quota that they hold.`,
      },
    ];
  const { reconciliation, queues } = health;
  const drifts = reconciliation.drift_count;
  add(
    true,
    drifts > 0 &&
      plural(drifts, {
        one: "# mismatch between records that must agree.",
        other: "# mismatches between records that must agree.",
      }),
  );
  add(true, queues.status === "failing" && t`Redis is not responding. Background work waits.`);
  const policy = queues.eviction_policy;
  add(
    true,
    policy !== "" &&
      t`Redis may delete tasks and the counts of limits when its memory is full, because its maxmemory-policy is ${policy}. Set it to noeviction.`,
  );
  add(
    true,
    queues.status === "ok" && queues.workers.length === 0 && t`No worker is running. Rollups, probes and jobs wait.`,
  );
  const relays = health.relays.map((relay) => relayState(relay, now));
  add(
    true,
    relays.length > 0 && !relays.some((state) => state === "alive" || state === "draining") && t`No relay is online.`,
  );
  const silent = relays.filter((state) => state === "silent").length;
  add(
    false,
    silent > 0 &&
      silent < relays.length &&
      plural(silent, {
        one: "# relay is not responding. The quota that it holds returns by itself.",
        other: "# relays are not responding. The quota that they hold returns by itself.",
      }),
  );
  const spooled = health.relays.filter((relay) => isOld(relay.spool.oldest_at, now)).length;
  add(
    false,
    spooled > 0 &&
      plural(spooled, {
        one: "# relay has had unrecorded usage for more than a minute.",
        other: "# relays have had unrecorded usage for more than a minute.",
      }),
  );
  add(false, health.outbox_depth >= 1000 && pendingText(health.outbox_depth));
  for (const queue of queues.queues) {
    const { name, archived } = queue;
    const wait = showMillis(queue.latency_ms);
    add(false, queue.paused && t`The queue ${name} is paused.`);
    add(
      false,
      archived > 0 &&
        t`${plural(archived, { one: "# task", other: "# tasks" })} of the queue ${name} failed permanently.`,
    );
    add(false, queue.latency_ms > minute && t`The queue ${name} is behind. Its oldest task has waited ${wait}.`);
  }
  return found.sort((a, b) => Number(b.severe) - Number(a.severe));
}

function pendingText(depth: number): string {
  const limit = showCount(maxPending);
  if (depth >= maxPending) return t`More than ${limit} usage events are not in the rollups yet.`;
  return plural(depth, {
    one: "# usage event is not in the rollups yet.",
    other: "# usage events are not in the rollups yet.",
  });
}

/** Reports whether a moment is more than a minute ago. */
const isOld = (at: string | null, now: number) => at !== null && now - Date.parse(at) > minute;

/** Names and describes the comparisons of the reconciliation. */
export const checks: Record<Drift["check"], { name: MessageDescriptor; about: MessageDescriptor }> = {
  logs_hourly: {
    name: msg`Logs and hourly rollups`,
    about: msg`The sum of an hour's usage logs and its hourly rollups.`,
  },
  hourly_daily: {
    name: msg`Hourly and daily rollups`,
    about: msg`The sum of a day's hourly rollups and its daily ones.`,
  },
  hourly_totals: {
    name: msg`Hourly rollups and totals`,
    about: msg`The sum of hourly rollups and their totals by tenant and of the platform.`,
  },
  daily_totals: {
    name: msg`Daily rollups and totals`,
    about: msg`The sum of daily rollups and their totals by tenant and of the platform.`,
  },
  account_used: {
    name: msg`Charges and used quota`,
    about: msg`What calls were charged and the used quota of their accounts.`,
  },
  account_leased: {
    name: msg`Leases and leased quota`,
    about: msg`What relays hold of an account and the leased quota of the account.`,
  },
  wallet_granted: {
    name: msg`Ledger and granted quota`,
    about: msg`The sum of grants, adjustments and transfers and the granted quota of tenants.`,
  },
};

const kinds: Record<string, MessageDescriptor> = {
  tenant: msg`Quotas of tenants`,
  tenant_cap: msg`Budgets of tenants`,
  user: msg`Users`,
  token: msg`Tokens`,
};

/** Names a kind of accounts. A kind that is new to this console is shown as the API names it. */
export function kindName(kind: string): string {
  const name = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return name ? i18n._(name) : kind;
}
