import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

/** What the status of a channel depends on. */
export type ChannelHealth = Pick<Schema<"ChannelHealth">, "state" | "credentials" | "relays">;

/** The state of a channel, which the API determines if the channel is enabled. */
export type ChannelState = Schema<"ChannelHealth">["state"] | "disabled";

/** The status of a channel, as every page shows it. */
export interface ChannelStatus {
  state: ChannelState;
  /** One word or two, such as "Degraded". */
  word: string;
  /** Why the channel has this status, the most important reason first. There is at least one. */
  reasons: [string, ...string[]];
}

const labels: Record<ChannelState, MessageDescriptor> = {
  healthy: msg`Healthy`,
  degraded: msg`Degraded`,
  failing: msg`Failing`,
  disabled: msg`Disabled`,
  unknown: msg`Not checked yet`,
};

/** All states, the worst first. */
const channelStates: readonly ChannelState[] = ["failing", "degraded", "unknown", "healthy", "disabled"];

/**
 * Returns the word for a state. While a new release is rolled out, the API may be of another release than the console,
 * and its answer may lack the state, or have one that is new.
 */
export const stateWord = (state: ChannelState) => i18n._(Object.hasOwn(labels, state) ? labels[state] : labels.unknown);

/** Returns the status of a channel from its setting, its state, its credentials and the faults that relays report. */
export function channelStatus(setting: string, health: ChannelHealth): ChannelStatus {
  const state = setting === "enabled" ? health.state : "disabled";
  const [first, ...rest] = state === "disabled" ? [] : reasonsOf(health);
  return { state, word: stateWord(state), reasons: first === undefined ? [plainReason(state)] : [first, ...rest] };
}

/** The health of a channel about which nothing is known. */
export const noHealth: ChannelHealth = { state: "unknown", credentials: [], relays: [] };

/** Counts the channels of each state, the worst state first. States without channels are left out. */
export function statesOf(
  channels: readonly { id: string; status: string }[],
  health: ReadonlyMap<string, ChannelHealth>,
): { state: ChannelState; count: number }[] {
  const states = channels.map(({ id, status }) => channelStatus(status, health.get(id) ?? noHealth).state);
  return channelStates
    .map((state) => ({ state, count: states.filter((other) => other === state).length }))
    .filter(({ count }) => count > 0);
}

/** The reason for a status to which no credential and no relay contributes. */
function plainReason(state: ChannelState): string {
  if (state === "disabled") return t`Disabled by an operator. Relays don't use it.`;
  return state === "unknown"
    ? t`No check has finished yet. Relays use it.`
    : t`The last checks succeeded, and no relay reports failures.`;
}

/**
 * Returns the name of a credential: its mask. The mask of a short credential shows nothing of it, so its name has the
 * beginning of the fingerprint.
 */
export const nameOf = ({ mask, fingerprint }: { mask: string; fingerprint: string }) =>
  mask === "…" && fingerprint ? `… (${fingerprint.slice(0, 6)})` : mask;

/** Returns what is wrong with a channel, one line each; what concerns all tenants comes first. */
function reasonsOf({ credentials, relays }: ChannelHealth): string[] {
  const ordered = relays.toSorted((a, b) => Math.min(1, a.tenants.length) - Math.min(1, b.tenants.length));
  return [...new Set([...credentials.flatMap(credentialReason), ...ordered.map(relayReason)])];
}

function credentialReason(credential: ChannelHealth["credentials"][number]): string | [] {
  const name = nameOf(credential);
  if (credential.status === "disabled")
    return credential.reason === "unpaid"
      ? t`${name} is disabled: out of funds at the provider`
      : t`${name} is disabled: refused by the upstream`;
  if (credential.status === "unreadable")
    return t`${name} can't be decrypted: it was encrypted with another secret key`;
  if (!credential.probe?.error) return [];
  const error = wordOf(credential.probe.error);
  return name ? t`The last probe of ${name} failed: ${error}` : t`The last probe failed: ${error}`;
}

function relayReason(relay: ChannelHealth["relays"][number]): string {
  const subject = subjectOf(relay);
  const error = wordOf(relay.error);
  const tenants = relay.tenants.length;
  const trial = relay.state === "trial";
  if (tenants === 0) return trial ? t`${subject} is half-open: ${error}` : t`${subject} is cooling down: ${error}`;
  return trial
    ? t`${subject} is half-open for ${plural(tenants, { one: "# tenant", other: "# tenants" })}: ${error}`
    : t`${subject} is cooling down for ${plural(tenants, { one: "# tenant", other: "# tenants" })}: ${error}`;
}

function subjectOf(relay: ChannelHealth["relays"][number]): string {
  const { model } = relay;
  const credential = relay.mask && nameOf(relay);
  if (!model) return t`The channel`;
  return credential ? t`${model} with ${credential}` : model;
}

const words: Record<string, MessageDescriptor> = {
  connect: msg`Connection failed`,
  egress_refused: msg`Address not allowed`,
  timeout: msg`Timeout`,
  credential: msg`Credential refused`,
  unpaid: msg`Out of funds at the provider`,
  rate_limited: msg`Rate limited`,
  rejected: msg`Request rejected`,
  status: msg`Upstream error`,
  nonsense: msg`Invalid response`,
  unsupported: msg`Request can't be translated`,
};

/** Returns the display text of an error code. A code that is new to this console is shown as the API names it. */
export function wordOf(code: string): string {
  const word = Object.hasOwn(words, code) ? words[code] : undefined;
  return word ? i18n._(word) : code.replaceAll("_", " ");
}
