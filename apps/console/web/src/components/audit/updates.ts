import { t } from "@lingui/core/macro";

import { parseUsd } from "@/format/money";

import { isNone, moneyFields, showValue } from "./fields";
import type { Entry } from "./subject";

/** A change of one field of a resource. `what` names the resource, such as "token ci". */
interface Update {
  actor: string;
  what: string;
  from: string;
  to: string;
}

/** How an amount or a limit changed. `set` is used if it is not known what it was, or if there was none. */
interface Wording {
  raised: (update: Update) => string;
  lowered: (update: Update) => string;
  set: (update: Update) => string;
  removed: (update: Update) => string;
}

const quantities: Record<string, Wording> = {
  quota: {
    raised: ({ actor, what, from, to }) => t`${actor} raised the quota of ${what} from ${from} to ${to}`,
    lowered: ({ actor, what, from, to }) => t`${actor} lowered the quota of ${what} from ${from} to ${to}`,
    set: ({ actor, what, to }) => t`${actor} set the quota of ${what} to ${to}`,
    removed: ({ actor, what }) => t`${actor} removed the limit of the quota of ${what}`,
  },
  "caps.day": {
    raised: ({ actor, what, from, to }) => t`${actor} raised the budget of ${what} from ${from} to ${to} per day`,
    lowered: ({ actor, what, from, to }) => t`${actor} lowered the budget of ${what} from ${from} to ${to} per day`,
    set: ({ actor, what, to }) => t`${actor} set the budget of ${what} to ${to} per day`,
    removed: ({ actor, what }) => t`${actor} removed the daily budget of ${what}`,
  },
  "caps.week": {
    raised: ({ actor, what, from, to }) => t`${actor} raised the budget of ${what} from ${from} to ${to} per week`,
    lowered: ({ actor, what, from, to }) => t`${actor} lowered the budget of ${what} from ${from} to ${to} per week`,
    set: ({ actor, what, to }) => t`${actor} set the budget of ${what} to ${to} per week`,
    removed: ({ actor, what }) => t`${actor} removed the weekly budget of ${what}`,
  },
  "caps.month": {
    raised: ({ actor, what, from, to }) => t`${actor} raised the budget of ${what} from ${from} to ${to} per month`,
    lowered: ({ actor, what, from, to }) => t`${actor} lowered the budget of ${what} from ${from} to ${to} per month`,
    set: ({ actor, what, to }) => t`${actor} set the budget of ${what} to ${to} per month`,
    removed: ({ actor, what }) => t`${actor} removed the monthly budget of ${what}`,
  },
  "limits.requests_per_minute": {
    raised: ({ actor, what, from, to }) =>
      t`${actor} raised the limit of ${what} from ${from} to ${to} requests per minute`,
    lowered: ({ actor, what, from, to }) =>
      t`${actor} lowered the limit of ${what} from ${from} to ${to} requests per minute`,
    set: ({ actor, what, to }) => t`${actor} limited ${what} to ${to} requests per minute`,
    removed: ({ actor, what }) => t`${actor} removed the limit of requests per minute of ${what}`,
  },
  "limits.tokens_per_minute": {
    raised: ({ actor, what, from, to }) =>
      t`${actor} raised the limit of ${what} from ${from} to ${to} tokens per minute`,
    lowered: ({ actor, what, from, to }) =>
      t`${actor} lowered the limit of ${what} from ${from} to ${to} tokens per minute`,
    set: ({ actor, what, to }) => t`${actor} limited ${what} to ${to} tokens per minute`,
    removed: ({ actor, what }) => t`${actor} removed the limit of tokens per minute of ${what}`,
  },
  "limits.concurrency": {
    raised: ({ actor, what, from, to }) =>
      t`${actor} raised the limit of ${what} from ${from} to ${to} concurrent requests`,
    lowered: ({ actor, what, from, to }) =>
      t`${actor} lowered the limit of ${what} from ${from} to ${to} concurrent requests`,
    set: ({ actor, what, to }) => t`${actor} limited ${what} to ${to} concurrent requests`,
    removed: ({ actor, what }) => t`${actor} removed the limit of concurrent requests of ${what}`,
  },
};

const statuses: Record<string, (update: Update) => string> = {
  enabled: ({ actor, what }) => t`${actor} enabled ${what}`,
  disabled: ({ actor, what }) => t`${actor} disabled ${what}`,
  revoked: ({ actor, what }) => t`${actor} revoked ${what}`,
};

const others: Record<string, (update: Update, known: boolean) => string> = {
  name: ({ actor, what, from, to }, known) =>
    known ? t`${actor} renamed ${what} from ${from} to ${to}` : t`${actor} renamed ${what} to ${to}`,
  role: ({ actor, what, from, to }, known) =>
    known
      ? t`${actor} changed the role of ${what} from ${from} to ${to}`
      : t`${actor} changed the role of ${what} to ${to}`,
  group_id: ({ actor, what, from, to }, known) =>
    known ? t`${actor} moved ${what} from group ${from} to group ${to}` : t`${actor} moved ${what} to group ${to}`,
  models: ({ actor, what }) => t`${actor} changed the models of ${what}`,
  addresses: ({ actor, what }) => t`${actor} changed the allowed IPs of ${what}`,
  password: ({ actor, what }) => t`${actor} set a new password for ${what}`,
  language: ({ actor, what, to }) => t`${actor} changed the language of ${what} to ${to}`,
  thresholds: ({ actor, what }) => t`${actor} changed the thresholds of ${what}`,
  destinations: ({ actor, what }) => t`${actor} changed the destinations of ${what}`,
  keys: ({ actor, what }) => t`${actor} changed the credentials of ${what}`,
  credential: ({ actor, what }) => t`${actor} changed the billing credential of ${what}`,
  settings: ({ actor, what }) => t`${actor} changed the settings of ${what}`,
};

const size = (field: string, value: unknown) => (moneyFields.has(field) ? parseUsd(String(value)) : Number(value));

function quantitySentence(words: Wording, entry: Entry, field: string, update: Update): string {
  const [before, after] = [entry.before[field], entry.detail[field]];
  if (isNone(field, after)) return words.removed(update);
  if (isNone(field, before)) return words.set(update);
  return size(field, after) > size(field, before) ? words.raised(update) : words.lowered(update);
}

/**
 * Describes an update of a resource. One changed field has a sentence of its own; the page lists the fields of others.
 */
export function updateSentence(entry: Entry, actor: string, what: string): string {
  const [field, ...more] = Object.keys(entry.detail);
  if (field === undefined || more.length > 0) return t`${actor} changed ${what}`;
  const known = Object.hasOwn(entry.before, field);
  const update: Update = {
    actor,
    what,
    from: showValue(entry, field, entry.before[field]),
    to: showValue(entry, field, entry.detail[field]),
  };
  const after = entry.detail[field];
  const words = Object.hasOwn(quantities, field) ? quantities[field] : undefined;
  if (words) return quantitySentence(words, entry, field, update);
  const status =
    field === "status" && typeof after === "string" && Object.hasOwn(statuses, after) ? statuses[after] : undefined;
  if (status) return status(update);
  if (field === "expires_at")
    return isNone(field, after) ? t`${actor} removed the expiry of ${what}` : expirySentence(update);
  const other = Object.hasOwn(others, field) ? others[field] : undefined;
  return other ? other(update, known) : t`${actor} changed ${what}`;
}

const expirySentence = ({ actor, what, to }: Update) => t`${actor} made ${what} expire on ${to}`;

/** Reports whether the sentence of an update already says what changed and how. */
export function saysAll(entry: Entry): boolean {
  const [field, ...more] = Object.keys(entry.detail);
  if (field === undefined) return true;
  return (
    more.length === 0 &&
    (Object.hasOwn(quantities, field) ||
      ["status", "expires_at", "name", "role", "group_id", "password", "language"].includes(field))
  );
}
